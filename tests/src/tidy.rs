//! The invariants of ARCHITECTURE.md that no lint covers, checked on the source tree itself; `clippy.toml` has the others.

use std::fs;
use std::path::{Path, PathBuf};

use gipf_tests::readers::READERS;

/// The packages, each after those that it may depend on.
const PACKAGES: [&str; 6] = ["env", "models", "train/play", "train/board", "train", "tests"];
/// All folders at the root that git tracks, except `.cargo`.
const FOLDERS: [&str; 8] = ["env", "models", "train", "tests", "scripts", "docs", ".ci", ".github"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns whether tools have made this path, which git ignores.
fn is_made(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "target" || name.ends_with(".so") || name == "__pycache__" || name.ends_with("_cache")
}

/// Returns all files of the repository with their paths from the root; other ignored files lie outside the folders read.
fn files() -> Vec<(String, PathBuf)> {
    let root = root();
    let mut open: Vec<_> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    open.extend(fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if is_made(&path) {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            files.push((name, path));
        }
    }
    files.sort();
    assert!(files.len() > 50, "the tree is read: {} files", files.len());
    files
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// Returns the Rust files below these folders, with their contents.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    let rust = files().into_iter().filter(|(path, _)| has_extension(path, "rs"));
    let wanted = rust.filter(|(path, _)| folders.iter().any(|folder| path.starts_with(folder)));
    wanted.map(|(path, file)| (path, fs::read_to_string(file).unwrap())).collect()
}

/// Returns the places outside comments where one of these texts occurs.
fn places_of(sources: Vec<(String, String)>, texts: &[&str]) -> Vec<String> {
    let has = |line: &str| !line.trim_start().starts_with("//") && texts.iter().any(|text| line.contains(text));
    let places = |(path, code): (String, String)| {
        let lines = code.lines().enumerate().filter(|(_, line)| has(line));
        lines.map(|(n, line)| format!("{path}:{}: {line}", n + 1)).collect::<Vec<_>>()
    };
    sources.into_iter().flat_map(places).collect()
}

#[track_caller]
fn assert_none(places: impl IntoIterator<Item = String>) {
    let places: Vec<_> = places.into_iter().collect();
    assert!(places.is_empty(), "{}", places.join("\n"));
}

/// `env ← models ← play ← board ← train ← tests`; nothing points back.
#[test]
fn packages_depend_on_earlier_ones_only() {
    for (number, package) in PACKAGES.iter().enumerate() {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        let dependencies = manifest.lines().filter_map(|line| line.strip_prefix("gipf-"));
        for dependency in dependencies.filter_map(|rest| rest.split(['.', ' ', '=']).next()) {
            let place = PACKAGES.iter().position(|package| package.ends_with(dependency));
            assert!(place.is_some_and(|place| place < number), "{package} depends on {dependency}");
        }
    }
}

/// burn appears in `models/src/net` alone.
#[test]
fn burn_appears_in_one_place_only() {
    let mut sources = sources(&["env/src/", "models/src/", "train/play/src/", "train/board/src/", "train/src/"]);
    sources.retain(|(path, _)| !path.starts_with("models/src/net/"));
    assert_none(places_of(sources, &["burn::", "use burn;"]));
}

/// Search imports `gipf_env` only, and uses a network through `Evaluator`.
#[test]
fn search_knows_no_network() {
    assert_none(places_of(sources(&["train/play/src/search/"]), &["gipf_models"]));
}

#[test]
fn files_have_at_most_500_lines() {
    let long = sources(&PACKAGES).into_iter().filter(|(_, text)| text.lines().count() > 500);
    assert_none(long.map(|(path, text)| format!("{path}: {} lines", text.lines().count())));
}

/// No comment says that something is left to do.
#[test]
fn nothing_is_left_for_later() {
    // In two parts, so that this file passes.
    let marks = ["TO", "FIX", "XX"].iter().zip(["DO", "ME", "X"]).map(|(a, b)| format!("// {a}{b}"));
    let marks: Vec<_> = marks.collect();
    let left = |(path, text): (String, String)| marks.iter().any(|mark| text.contains(mark)).then_some(path);
    assert_none(sources(&PACKAGES).into_iter().filter_map(left));
}

/// Returns the text in quotes, or after a colon, in the first line that begins like this.
fn value_in(text: &str, beginning: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(beginning));
    line.unwrap_or_else(|| panic!("no line begins with {beginning}")).trim_matches([' ', '"']).to_owned()
}

/// Returns the versions of this project's packages that a manifest requires, or a lock file contains.
fn versions_of_packages(text: &str) -> Vec<String> {
    let lines = || text.lines().zip(text.lines().skip(1));
    let locked = lines().filter(|(name, _)| name.starts_with("name = \"gipf-"));
    let locked = locked.filter_map(|(_, version)| version.strip_prefix("version = "));
    let wanted = text.lines().filter(|line| line.starts_with("gipf-"));
    let wanted = wanted.filter_map(|line| line.split_once("version = ")?.1.split(',').next());
    let quoted = locked.chain(wanted).filter_map(|version| version.split('"').nth(1));
    quoted.map(|version| version.trim_start_matches('=').to_owned()).collect()
}

/// `scripts/set-version` changes all of them.
#[test]
fn all_packages_have_the_version_of_the_workspace() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let version = value_in(&read("Cargo.toml"), "version = ");
    assert_eq!(value_in(&read("CITATION.cff"), "version: "), version, "CITATION.cff");
    assert_eq!(versions_of_packages(&read("Cargo.toml")), vec![version.clone(); 5], "Cargo.toml");
    for folder in ["", "train/python/", "env/benches/", "tests/fuzz/"] {
        let manifest = format!("{folder}Cargo.toml");
        assert_eq!(value_in(&read(&manifest), "version = "), version, "{manifest}");
        let locked = versions_of_packages(&read(&format!("{folder}Cargo.lock")));
        assert!(locked.len() >= 2 && locked.iter().all(|found| *found == version), "{folder}Cargo.lock: {locked:?}");
    }
}

/// Returns the packages that a lock file contains, each as its name and version.
fn locked(folder: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.lock")).unwrap();
    let entries = text.split("[[package]]").skip(1);
    entries.map(|entry| (value_in(entry, "name = "), value_in(entry, "version = "))).collect()
}

/// The program and the Python package write the same bytes, so they use the same libraries. Whatever has no second version
/// in the program has the version of the program everywhere; this also lets builds share what is compiled.
#[test]
fn all_workspaces_have_the_libraries_of_the_program() {
    let program = locked("");
    for folder in ["train/python", "tests/fuzz"] {
        for (name, version) in locked(folder) {
            let versions: Vec<_> = program.iter().filter(|(other, _)| *other == name).map(|(_, found)| found).collect();
            assert!(
                versions.is_empty() || versions.contains(&&version),
                "{folder}: {name} {version}, not {versions:?}"
            );
        }
    }
}

/// Coverage-guided fuzzing is built only for a release: a reader that it would leave out must be noticed before.
#[test]
fn every_reader_is_fuzzed() {
    let read = |path: String| fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (manifest, campaign) = (read("tests/fuzz/Cargo.toml".to_owned()), read("scripts/hostile/fuzz.py".to_owned()));
    for name in READERS.iter().map(|reader| reader.name) {
        let target = read(format!("tests/fuzz/targets/{name}.rs"));
        let (module, law) = target
            .lines()
            .find_map(|line| {
                line.trim().strip_prefix("gipf_tests::readers::")?.strip_suffix("(input);")?.split_once("::")
            })
            .unwrap_or_else(|| panic!("the target {name} calls no law"));
        let is_there = read(format!("tests/src/readers/{module}.rs")).contains(&format!("pub fn {law}("));
        assert!(is_there && law == name, "the target {name} calls {module}::{law}");
        assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name} has no program");
        assert!(campaign.contains(&format!("Target(\"{name}\",")), "the campaign leaves {name} out");
    }
}

/// A test file that no module lists would never run.
#[test]
fn every_test_file_is_listed() {
    let lists = sources(&["tests/src/"]);
    for (path, _) in &lists {
        let (folder, name) = path.trim_end_matches(".rs").rsplit_once('/').unwrap();
        let says = |line: &str| line.trim_start_matches("pub ") == format!("mod {name};");
        let is_list = |of: &str| ["mod.rs", "main.rs", "lib.rs"].iter().any(|list| of == format!("{folder}/{list}"));
        let is_listed = lists.iter().any(|(of, text)| is_list(of) && text.lines().any(says));
        assert!(is_listed || ["main", "lib", "mod"].contains(&name), "{path}: nobody says mod {name};");
    }
}

/// The map names only places that exist, and every source folder is on it, by itself or through a folder around it.
#[test]
fn the_map_is_true() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let words: Vec<_> = map.split('`').skip(1).step_by(2).collect();
    let is_path = |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(&format!("{folder}/")));
    for path in words.iter().filter(|word| is_path(word) && !word.contains(' ')) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md: there is no {path}");
    }
    for (path, _) in sources(&PACKAGES) {
        let folders: Vec<_> = path.match_indices('/').map(|(end, _)| &path[..=end]).collect();
        let lies_in_the_open = folders.last().is_some_and(|folder| folder.ends_with("src/"));
        assert!(lies_in_the_open || folders.iter().any(|folder| words.contains(folder)), "{path} is not on the map");
    }
}

/// Paths on one machine mean nothing on another.
#[test]
fn no_file_names_a_path_of_one_machine() {
    let text =
        |path: &str| ["rs", "md", "toml", "lock", "yml", "cff"].iter().any(|extension| has_extension(path, extension));
    let is_text = |path: &str| text(path) || path.starts_with("scripts/") || path.starts_with(".ci/");
    // In two parts, so that this file passes.
    let folders = ["wo", "tm", "roo", "hom", "User"].iter().zip(["rk", "p", "t", "e", "s"]);
    let folders: Vec<_> = folders.map(|(a, b)| format!("/{a}{b}/")).collect();
    let named = |(path, file): (String, PathBuf)| {
        let text = fs::read_to_string(file).unwrap();
        let absolute = |line: &str| folders.iter().any(|folder| starts_a_path(line, folder));
        let lines = text.lines().enumerate().filter(|(_, line)| absolute(line));
        lines.map(|(n, line)| format!("{path}:{}: {line}", n + 1)).collect::<Vec<_>>()
    };
    assert_none(files().into_iter().filter(|(path, _)| is_text(path)).flat_map(named));
}

/// Returns whether an absolute path begins with this folder somewhere in the line.
fn starts_a_path(line: &str, folder: &str) -> bool {
    let is_inner = |character: char| character.is_alphanumeric() || "._-~$}".contains(character);
    line.match_indices(folder).any(|(start, _)| !line[..start].ends_with(is_inner))
}

#[test]
fn scripts_are_short_and_say_what_they_are_for() {
    let is_script =
        |path: &str| matches!(path.split_once('/'), Some(("scripts" | ".ci", name)) if !name.contains(['/', '.']));
    let scripts = files().into_iter().filter(|(path, _)| is_script(path));
    for (path, file) in scripts {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.lines().count() <= 40, "{path} has more than 40 lines");
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("#!")), "{path} does not name its interpreter");
        assert!(lines.next().is_some_and(|line| line.starts_with("# ")), "{path} does not say what it is for");
    }
}

/// The modules of a script lie in a folder of its own, in another language.
#[test]
fn modules_of_scripts_are_short_and_say_what_they_are_for() {
    let modules = files().into_iter().filter(|(path, _)| path.starts_with("scripts/") && has_extension(path, "py"));
    for (path, file) in modules {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.lines().count() <= 300, "{path} has more than 300 lines");
        assert!(text.starts_with("\"\"\""), "{path} does not say what it is for");
    }
}

#[test]
fn files_are_below_two_megabytes() {
    let size = |file: &Path| fs::metadata(file).unwrap().len();
    let large = files().into_iter().filter(|(_, file)| size(file) >= 2_000_000);
    assert_none(large.map(|(path, file)| format!("{path}: {} bytes", size(&file))));
}

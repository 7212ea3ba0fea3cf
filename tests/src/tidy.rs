//! The invariants of ARCHITECTURE.md, checked on the source tree itself.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scrub::scrubbed;

/// The packages, each after those that it may depend on.
const PACKAGES: [&str; 5] = ["env", "models", "train/play", "train", "tests"];
/// All folders at the root that git knows.
const FOLDERS: [&str; 6] = ["env", "models", "train", "tests", "scripts", ".ci"];

/// A file of Rust, its path from the root, and its code with comments and the content of texts blanked out.
struct Source {
    path: String,
    text: String,
    code: String,
}

impl Source {
    /// Returns the code up to the unit tests, which come last.
    fn library_code(&self) -> &str {
        let mut markers = self.code.match_indices("#[cfg(test)]").map(|(at, _)| at);
        let begins_tests = |at: &usize| self.code[*at..].lines().nth(1).is_some_and(|line| line.contains("mod tests"));
        &self.code[..markers.find(begins_tests).unwrap_or(self.code.len())]
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }

    /// Returns the places at which the library code has one of these.
    fn places_of(&self, forbidden: &[&str]) -> Vec<String> {
        let lines = self.library_code().lines().enumerate();
        let has = |line: &str| forbidden.iter().find(|word| contains_word(line, word)).copied();
        lines.filter_map(|(n, line)| has(line).map(|word| format!("{}:{}: {word}", self.path, n + 1))).collect()
    }
}

/// Returns whether a line has the text, not as a part of a longer name.
fn contains_word(line: &str, text: &str) -> bool {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let mut starts = line.match_indices(text).map(|(start, _)| start);
    starts.any(|start| !line[..start].ends_with(is_name) && !line[start + text.len()..].starts_with(is_name))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns whether tools of Python have made this, which git ignores.
fn is_made(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".so") || name == "__pycache__" || name.ends_with("_cache")
}

/// Returns all files of the repository with their paths from the root; what git ignores lies outside the folders read.
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

fn sources() -> Vec<Source> {
    let rust = files().into_iter().filter(|(path, _)| has_extension(path, "rs"));
    rust.map(|(path, file)| {
        let text = fs::read_to_string(file).unwrap();
        Source { path, code: scrubbed(&text), text }
    })
    .collect()
}

/// Returns the library code of the four packages: all but examples, benchmarks and what compiles in tests only.
fn library() -> Vec<Source> {
    let is_library = |source: &Source| source.is_in(&["env/src/", "models/src/", "train/play/src/", "train/src/"]);
    let is_for_tests = |source: &Source| source.path.ends_with("/testing.rs");
    sources().into_iter().filter(|source| is_library(source) && !is_for_tests(source)).collect()
}

#[track_caller]
fn assert_none(places: impl IntoIterator<Item = String>) {
    let places: Vec<_> = places.into_iter().collect();
    assert!(places.is_empty(), "{}", places.join("\n"));
}

/// `env ← models ← play ← train ← tests`; nothing points back.
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

/// burn appears in `models/src/net` and `train/src/training/learner.rs` alone.
#[test]
fn burn_appears_in_two_places_only() {
    let elsewhere =
        library().into_iter().filter(|source| !source.is_in(&["models/src/net/", "train/src/training/learner.rs"]));
    assert_none(elsewhere.flat_map(|source| source.places_of(&["burn"])));
}

/// Search imports `gipf_env` only and meets a network through `Evaluator`.
#[test]
fn search_knows_no_network() {
    let search = library().into_iter().filter(|source| source.is_in(&["train/play/src/search/"]));
    assert_none(search.flat_map(|source| source.places_of(&["gipf_models"])));
}

/// Library code does not print, read the environment, or exit. The program's own files may.
#[test]
fn libraries_do_not_print_read_the_environment_or_exit() {
    let forbidden =
        ["println!", "print!", "eprintln!", "eprint!", "dbg!", "std::env", "process::exit", "process::abort"];
    let libraries = library().into_iter().filter(|source| !source.is_in(&["train/src/cli/", "train/src/main.rs"]));
    assert_none(libraries.flat_map(|source| source.places_of(&forbidden)));
}

/// Other programs are started in one place.
#[test]
fn programs_are_started_in_one_place_only() {
    let elsewhere = library()
        .into_iter()
        .filter(|source| !source.is_in(&["train/play/src/ugi/client.rs", "train/src/cli/", "train/src/main.rs"]));
    assert_none(elsewhere.flat_map(|source| source.places_of(&["std::process"])));
}

/// Files are written in one place, which follows links, keeps modes, and never leaves a half.
#[test]
fn files_are_written_in_one_place_only() {
    let forbidden = [
        "File::create",
        "fs::write",
        "fs::copy",
        "fs::rename",
        "create_dir",
        "create_dir_all",
        ".create(true)",
        ".persist",
    ];
    let elsewhere = library().into_iter().filter(|source| !source.is_in(&["models/src/files/"]));
    assert_none(elsewhere.flat_map(|source| source.places_of(&forbidden)));
}

/// `unwrap` only in tests; `expect` says why it cannot fail.
#[test]
fn libraries_do_not_unwrap() {
    assert_none(library().into_iter().flat_map(|source| source.places_of(&[".unwrap()", "todo!", "unimplemented!"])));
}

/// Unsafe only in the kernels, for the program's allocator, and in the counting one of these tests.
#[test]
fn unsafe_code_is_in_the_kernels_only() {
    let places = ["models/src/infer/", "train/src/main.rs", "tests/src/allocations.rs", "tests/src/counted/"];
    let safe = sources().into_iter().filter(|source| !source.is_in(&places));
    assert_none(safe.flat_map(|source| source.places_of(&["unsafe"])));
}

/// Every unsafe block says why it is sound, or a comment above says so for all that follow.
#[test]
fn unsafe_blocks_have_their_safety_line() {
    let silent = |source: Source| {
        let lines: Vec<_> = source.text.lines().collect();
        let for_all = lines.iter().position(|line| line.contains("SAFETY (all functions)")).unwrap_or(lines.len());
        let near = |n: usize| lines[n.saturating_sub(6)..=n].iter().any(|line| line.contains("SAFETY"));
        let code = source.code.lines().enumerate().take(for_all);
        let places = code.filter(|(_, line)| line.contains("unsafe {") || line.contains("unsafe impl"));
        let unexplained = places.filter(|(n, _)| !near(*n));
        unexplained.map(|(n, _)| format!("{}:{}: no SAFETY line", source.path, n + 1)).collect::<Vec<_>>()
    };
    assert_none(sources().into_iter().flat_map(silent));
}

#[test]
fn files_have_at_most_500_lines() {
    let long = sources().into_iter().filter(|source| source.text.lines().count() > 500);
    assert_none(long.map(|source| format!("{}: {} lines", source.path, source.text.lines().count())));
}

#[test]
fn functions_have_at_most_70_lines() {
    let mut functions = 0;
    let mut long = Vec::new();
    for source in sources() {
        for (line, name, lines) in crate::scrub::functions(&source.code) {
            functions += 1;
            if lines > 70 {
                long.push(format!("{}:{line}: {name} has {lines} lines", source.path));
            }
        }
    }
    assert!(functions > 500, "functions are found: {functions}");
    assert_none(long);
}

/// What is left to do stands in no comment.
#[test]
fn nothing_is_left_for_later() {
    // In two parts, so that this file passes.
    let marks = ["TO", "FIX", "XX"].iter().zip(["DO", "ME", "X"]).map(|(a, b)| format!("{a}{b}"));
    let marks: Vec<_> = marks.collect();
    let has = |line: &str| marks.iter().any(|mark| contains_word(line, mark));
    let left = sources().into_iter().flat_map(|source| {
        let lines = source.text.lines().enumerate().filter(|(_, line)| has(line));
        lines.map(|(n, line)| format!("{}:{}: {line}", source.path, n + 1)).collect::<Vec<_>>()
    });
    assert_none(left);
}

/// A test file that nobody lists would never run.
#[test]
fn every_test_file_is_listed() {
    for source in sources().into_iter().filter(|source| source.is_in(&["tests/src/"])) {
        let (folder, name) = source.path.trim_end_matches(".rs").rsplit_once('/').unwrap();
        let lists = ["mod.rs", "main.rs", "lib.rs"].map(|file| fs::read_to_string(root().join(folder).join(file)));
        let listed = lists.iter().flatten().flat_map(|list| list.lines());
        let is_listed = listed.map(|line| line.trim_start_matches("pub ")).any(|line| line == format!("mod {name};"));
        assert!(is_listed || ["main", "lib", "mod"].contains(&name), "{}: nobody says mod {name};", source.path);
    }
}

/// Paths of one machine mean nothing on another.
#[test]
fn no_file_names_a_path_of_one_machine() {
    let text = |path: &str| ["rs", "md", "toml", "lock"].iter().any(|extension| has_extension(path, extension));
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
    let is_script = |path: &str| matches!(path.split_once('/'), Some(("scripts" | ".ci", name)) if !name.contains('/'));
    let scripts = files().into_iter().filter(|(path, _)| is_script(path));
    for (path, file) in scripts {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.lines().count() <= 40, "{path} has more than 40 lines");
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("#!")), "{path} does not name its interpreter");
        assert!(lines.next().is_some_and(|line| line.starts_with("# ")), "{path} does not say what it is for");
    }
}

/// What a script needs beside it lies in a folder of its own, in another language.
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

//! The runs, ladders and datasets in the folders named at the start, and nothing outside them.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gipf_board::{FileStamp, Item, ItemKind, RunCurves, Shelf, Shown, StoredGame, file_stamp};
use gipf_play::Stop;
use gipf_play::arena::ladder::{Anchor, Results, Store, Table, shipped};
use gipf_play::run::{CONFIG, Holding, MANIFEST, METRICS, checkpoint_name};

use super::curves::curves;
use super::datasets;
use crate::training::RunView;

/// The contents of some folders.
pub(super) struct Folders {
    roots: Vec<PathBuf>,
    /// The runs as they were when last read: pages ask for them again and again.
    read: Mutex<HashMap<PathBuf, ([FileStamp; 3], RunCurves)>>,
}

/// Limits: the depth of the search in folders, the entries that are listed, the entries of one folder that are read, and
/// the runs that are kept in memory.
const DEPTH: usize = 3;
const ENTRIES: usize = 5000;
const FILES: usize = 20 * ENTRIES;
const KEPT: usize = 64;
/// The maximum size in bytes, and the maximum number of players, of a ladder that is shown.
const LADDER: u64 = 16 << 20;
const PLAYERS: usize = 300;
/// The ladders that come with the program are listed under this folder.
const OWN: &str = "with the program";

/// A listed item, its path and the place that this leads to; `None` if it comes with the program.
struct Found {
    item: Item,
    path: Option<PathBuf>,
    place: Option<PathBuf>,
}

impl Folders {
    pub fn new(roots: &[PathBuf]) -> Self {
        Self { roots: roots.to_vec(), read: Mutex::default() }
    }

    fn found(&self) -> Vec<Found> {
        let mut found = Vec::new();
        let mut left = ENTRIES;
        for root in &self.roots {
            look_in(root, &mut left, &mut found);
        }
        let own = gipf_env::Variant::ALL.into_iter().filter(|&variant| shipped(variant).is_some());
        found.extend(own.map(|variant| Found {
            item: Item { name: format!("{OWN}/{variant}"), kind: ItemKind::Ladder, age: None },
            path: None,
            place: None,
        }));
        found
    }

    /// Returns the place of a listed item.
    fn place(&self, name: &str) -> Result<(ItemKind, Option<PathBuf>), String> {
        let found = self.found().into_iter().find(|found| found.item.name == name);
        found.map(|found| (found.item.kind, found.path)).ok_or_else(|| "nothing of this name is listed".to_owned())
    }

    fn run(&self, name: &str, path: &Path) -> Result<RunCurves, String> {
        for file in RunView::files(path) {
            inside(path, &file)?;
        }
        let stamps = [CONFIG, METRICS, MANIFEST].map(|name| stamp(&path.join(name)));
        let lock = || self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((known, curves)) = lock().get(path)
            && *known == stamps
        {
            return Ok(curves.clone());
        }
        let curves = curves(name, &RunView::of(path).map_err(told)?);
        let mut read = lock();
        if read.len() >= KEPT {
            read.clear();
        }
        read.insert(path.to_owned(), (stamps, curves.clone()));
        Ok(curves)
    }
}

impl Shelf for Folders {
    fn list(&self) -> Vec<Item> {
        self.found().into_iter().map(|found| found.item).collect()
    }

    fn open(&self, name: &str, stop: &Stop) -> Result<Shown, String> {
        match self.place(name)? {
            (ItemKind::Run, Some(path)) => Ok(Shown::Run(Box::new(self.run(name, &path)?))),
            (ItemKind::Dataset, Some(path)) => Ok(Shown::Dataset(datasets::info(&path, stop)?)),
            (_, Some(path)) => Ok(Shown::Ladder(Box::new(ladder(&path)?))),
            (_, None) => {
                let variant = name.rsplit('/').next().and_then(|name| name.parse().ok());
                let text = variant.and_then(shipped).expect("what comes with the program was listed");
                table(&Store::parse(Path::new(name), text).map_err(told)?).map(|table| Shown::Ladder(Box::new(table)))
            }
        }
    }

    fn game(&self, name: &str, number: u32, stop: &Stop) -> Result<StoredGame, String> {
        match self.place(name)? {
            (ItemKind::Dataset, Some(path)) => datasets::game(name, &path, number, stop),
            _ => Err("expected a dataset".to_owned()),
        }
    }

    fn checkpoint(&self, run: &str, iteration: u32) -> Result<PathBuf, String> {
        match self.place(run)? {
            (ItemKind::Run, Some(path)) => inside(&path, &path.join(checkpoint_name(iteration))),
            _ => Err("expected a run".to_owned()),
        }
    }
}

/// Returns whether anything at a path, or in it, is listed.
pub(super) fn lists(root: &Path) -> bool {
    let mut found = Vec::new();
    look_in(root, &mut { ENTRIES }, &mut found);
    !found.is_empty()
}

/// Adds the item at a path that the user named, or the items in it.
fn look_in(root: &Path, left: &mut usize, found: &mut Vec<Found>) {
    if let Ok(real) = fs::canonicalize(root) {
        look(root, &real, DEPTH, left, found);
    }
}

/// Adds the item at a path, or the items in it, unless it was found by another path; links that lead elsewhere are
/// skipped.
fn look(path: &Path, root: &Path, depth: usize, left: &mut usize, found: &mut Vec<Found>) {
    // Files that are not ladders cost nothing. Hidden folders are not searched, unless one was named by the user.
    let is_passed_over = path.is_file() && !is_named_as_ladder(path) || depth < DEPTH && is_hidden(path);
    if *left == 0 || is_passed_over || !is_within(path, root) {
        return;
    }
    *left -= 1;
    let mut add = |kind, file: &Path| {
        let place = Some(place_of(path));
        if found.iter().any(|found| found.place == place) {
            return;
        }
        let age = stamp(file).1.and_then(|time| time.elapsed().ok()).map(|age| age.as_secs());
        let name = gipf_play::printable(&path.to_string_lossy());
        let taken = |name: &str| found.iter().any(|found: &Found| found.item.name == name);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let name = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or_default();
        found.push(Found { item: Item { name, kind, age }, path: Some(path.to_owned()), place });
    };
    if path.is_file() {
        if is_ladder(path) {
            add(ItemKind::Ladder, path);
        }
    } else if matches!(Holding::of(path), Holding::Run | Holding::Remains) && path.join(CONFIG).is_file() {
        add(ItemKind::Run, &path.join(METRICS));
    } else if datasets::is_dataset(path) {
        add(ItemKind::Dataset, path);
    } else if depth > 0 {
        let entries = fs::read_dir(path).into_iter().flatten().flatten().take(FILES);
        let mut entries: Vec<_> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            look(&entry, root, depth - 1, left, found);
        }
    }
}

/// Returns the place that a path leads to, the same for all paths to it; a link is a place of its own.
pub(super) fn place_of(path: &Path) -> PathBuf {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(&Path::new(".").join(folder)).join(name),
        _ => real(path),
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn is_named_as_ladder(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// Returns whether a file begins like a ladder.
fn is_ladder(path: &Path) -> bool {
    let mut beginning = [0; 200];
    fs::File::open(path).is_ok_and(|mut file| file.read(&mut beginning).is_ok())
        && String::from_utf8_lossy(&beginning).contains("gipf-ladder")
}

fn ladder(path: &Path) -> Result<Table, String> {
    if stamp(path).0 > LADDER {
        return Err("the ladder is larger than 16 MiB: gipf ladder --show prints it".to_owned());
    }
    table(&Store::read(path).map_err(told)?)
}

fn table(contents: &gipf_play::arena::ladder::Contents) -> Result<Table, String> {
    let results = Results::of(&contents.series);
    if results.players().len() > PLAYERS {
        return Err(format!("the ladder has more than {PLAYERS} players: gipf ladder --show prints it"));
    }
    let usual = Table::new(&contents.head, &results, &Anchor::default(), None);
    let first = || results.players().first().map(|player| Anchor { player: player.name.clone(), elo: 0.0 });
    usual.or_else(|| Table::new(&contents.head, &results, &first()?, None)).ok_or_else(|| "no games yet".to_owned())
}

/// Returns whether a path leads to a place inside a folder; the folder's path must have no links.
pub(super) fn is_within(path: &Path, folder: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|real| real.starts_with(folder))
}

/// Returns a regular file of a folder; links may lead to its neighbours, but not out of the folder.
pub(super) fn inside(folder: &Path, file: &Path) -> Result<PathBuf, String> {
    let missing = |_| format!("{}: there is no such file", shortened(file));
    let (folder, real) = (fs::canonicalize(folder).map_err(missing)?, fs::canonicalize(file).map_err(missing)?);
    if real.is_file() && real.starts_with(folder) {
        Ok(real)
    } else {
        Err(format!("{}: expected a file of its folder", shortened(file)))
    }
}

fn shortened(file: &Path) -> String {
    gipf_play::printable(&file.file_name().unwrap_or_default().to_string_lossy())
}

fn stamp(path: &Path) -> FileStamp {
    file_stamp(path).unwrap_or_default()
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
pub(super) fn told(error: impl ToString) -> String {
    gipf_play::printable(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{Config, NewRun, RunDirectory};

    /// Makes a run without iterations.
    fn run(path: &Path) {
        let config = Config::preset("smoke").expect("there is such a preset");
        let new = NewRun::new(path, &config);
        let run = RunDirectory::create(&new).expect("the folder is new");
        run.write_config(&new, gipf_play::run::Manifest::default()).expect("it can be written");
    }

    fn names(shelf: &Folders) -> Vec<String> {
        let names = shelf.list().into_iter().map(|item| item.name);
        names.filter(|name| !name.starts_with(OWN)).collect()
    }

    #[test]
    fn what_lies_in_the_folders_is_listed_and_nothing_else_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("runs");
        run(&root.join("a"));
        run(&root.join("deep/b"));
        run(&folder.path().join("outside"));
        fs::write(root.join("notes.jsonl"), "{}").expect("written");
        fs::write(root.join("ladder.jsonl"), shipped(gipf_env::Variant::BASIC).expect("there is one"))
            .expect("written");
        let shelf = Folders::new(&[root.clone(), folder.path().join("later")]);
        let shown = |name: &str| root.join(name).to_string_lossy().into_owned();
        assert_eq!(names(&shelf), [shown("a"), shown("deep/b"), shown("ladder.jsonl")]);
        let open = |name: &str| shelf.open(name, &Stop::default());
        assert!(matches!(open(&shown("a")), Ok(Shown::Run(run)) if run.iterations == 0));
        assert!(matches!(open(&shown("ladder.jsonl")), Ok(Shown::Ladder(table)) if !table.players.is_empty()));
        assert!(matches!(open("with the program/standard"), Ok(Shown::Ladder(_))));
        for name in ["", "/etc/passwd", "../outside", &shown("../outside"), &shown("a/../a"), "with the program/../x"] {
            assert!(open(name).is_err(), "{name}");
            assert!(shelf.checkpoint(name, 1).is_err() && shelf.game(name, 1, &Stop::default()).is_err(), "{name}");
        }
        for number in 0..ENTRIES {
            fs::write(root.join(format!("a-{number}.txt")), "").expect("written");
        }
        fs::create_dir_all(root.join(".cargo")).expect("a folder");
        fs::write(root.join(".cargo").join(CONFIG), "[build]\n").expect("written");
        assert_eq!(names(&shelf), [shown("a"), shown("deep/b"), shown("ladder.jsonl")], "other files hide nothing");
        let twice = Folders::new(&[root.clone(), root.join("a"), root.join("deep/../a"), root.join("deep")]);
        assert_eq!(names(&twice), names(&shelf), "one place is listed once");
        run(&folder.path().join("later/c"));
        assert!(names(&shelf).iter().any(|name| name.ends_with("later/c")), "a folder may be made later");
    }

    #[test]
    #[cfg(unix)]
    fn links_out_of_a_folder_are_passed_over() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("runs");
        run(&root.join("a"));
        run(&folder.path().join("outside"));
        symlink(folder.path().join("outside"), root.join("link")).expect("a link");
        symlink("..", root.join("up")).expect("a link");
        symlink(".", root.join("self")).expect("a link");
        let shelf = Folders::new(std::slice::from_ref(&root));
        let listed = names(&shelf);
        assert!(listed.iter().all(|name| name.ends_with("/a")), "{listed:?}");
        // A run whose files are links.
        let name = root.join("a").to_string_lossy().into_owned();
        let secret = folder.path().join("secret.jsonl");
        fs::write(&secret, "{\"iteration\":1}\n").expect("written");
        symlink(&secret, root.join("a").join(METRICS)).expect("a link");
        symlink(&secret, root.join("a").join(checkpoint_name(1))).expect("a link");
        for error in [shelf.open(&name, &Stop::default()).map(drop), shelf.checkpoint(&name, 1).map(drop)] {
            assert!(error.unwrap_err().contains("of its folder"));
        }
    }

    #[test]
    fn a_dataset_too_large_to_be_counted_is_shown_without_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = fs::File::create(folder.path().join("games-00000.parquet")).expect("a file");
        file.set_len(513 << 20).expect("a file with a hole");
        let shelf = Folders::new(&[folder.path().to_owned()]);
        let [name] = &names(&shelf)[..] else { panic!("one dataset") };
        let Ok(Shown::Dataset(about)) = shelf.open(name, &Stop::default()) else { panic!("it is shown") };
        assert!(about["uncounted"].as_str().expect("a reason").starts_with("513 MiB are too many"), "{about}");
    }

    #[test]
    fn files_that_are_huge_broken_or_named_with_markup_harm_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("<img src=x onerror=alert(1)>");
        run(&path);
        let shelf = Folders::new(&[folder.path().to_owned()]);
        // The name is treated as plain text; the page never turns it into markup.
        let [name] = &names(&shelf)[..] else { panic!("one run") };
        assert!(shelf.open(name, &Stop::default()).is_ok());
        let file = fs::File::create(path.join(METRICS)).expect("a file");
        file.set_len(1 << 40).expect("a file with a hole");
        assert!(shelf.open(name, &Stop::default()).unwrap_err().contains("longer than"));
        for text in ["\u{0}\n", "[1e999]\n", "{}\n", &format!("{}\n", "[".repeat(100_000))] {
            fs::write(path.join(METRICS), text).expect("written");
            let error = shelf.open(name, &Stop::default()).unwrap_err();
            assert!(error.contains("line 1") && !error.contains('\n') && error.len() < 4000, "{error}");
        }
        fs::remove_file(path.join(METRICS)).expect("removed");
        fs::write(path.join(CONFIG), "x = [").expect("written");
        assert!(shelf.open(name, &Stop::default()).is_err());
    }
}

//! The file of a ladder: the common settings of its games, and one line for each series of games.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gipf_env::text::truncate_escaped;
use gipf_env::{PLACEMENT_LIMIT, Variant};
use gipf_models::{FolderLock, LockError, check_regular, create_folders, folder_of, read_limited, write_whole};
use serde::{Deserialize, Serialize};

use super::super::book::Book;
use super::super::tally::Pentanomial;
use super::member::{PlayerId, check_name};
use super::store_text::{self, Contents, Flaw, told};

/// The common settings of all games of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The type of the file: `gipf-ladder`.
    format: String,
    version: u32,
    /// The rule set.
    pub variant: Variant,
    /// The placements after which a game is cut off.
    #[serde(rename = "limit")]
    pub placement_limit: u16,
    /// The seed of all randomness in the games, together with the players and the number of the opening.
    pub seed: u64,
    /// The name of the book.
    pub book: String,
    /// The checksum of the book.
    pub blake3: String,
    /// The number of openings in it.
    pub positions: usize,
}

/// Some pairs of games between two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The players.
    pub players: [PlayerId; 2],
    /// The numbers of the openings, from 0: each was played once with either colour.
    pub openings: Vec<usize>,
    /// The results of the pairs, for the first player.
    pub pairs: Pentanomial,
    /// The games that nobody won.
    pub draws: u64,
    /// The games that White won.
    pub white_wins: u64,
    /// The turns of each player.
    pub turns: [u64; 2],
    /// The positions that each player visited.
    pub nodes: [u64; 2],
    /// The time that each player took, in seconds.
    pub seconds: [f64; 2],
    /// The version of the program that played.
    pub program: String,
    /// The pairs of the round that are still to be played, because it was stopped.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left: usize,
}

/// Returns whether a round was not stopped, so that its line need not say so.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_none(left: &usize) -> bool {
    *left == 0
}

/// Why a store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path} cannot be read or written: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
    /// Two programs would overwrite each other's results.
    #[error("{path}: another program is using this ladder: expected it to end first", path = .0.display())]
    InUse(PathBuf),
    /// The file is no longer as this program read or wrote it, so that others' results would be overwritten.
    #[error(
        "{path} was changed by another program: expected it as it was; the games of this round are not kept, and a new \
         start goes on with what is there",
        path = .0.display()
    )]
    Changed(PathBuf),
    /// The place of the file is no longer locked for this program.
    #[error("{0}; the games of this round are not kept")]
    Lock(LockError),
    /// A line is wrong.
    #[error("{path}, line {line}: {why}", path = .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The fault.
        why: String,
    },
    /// The name of a player cannot be stored.
    #[error("{path}: {why}", path = .path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It is a ladder of other games.
    #[error("{path} {played}: expected {expected}, or another file", path = .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What its games were played with.
        played: String,
        /// The setting that asks for the same.
        expected: String,
    },
}

impl StoreError {
    /// Returns the error for a ladder of this rule set where another one was asked for.
    pub fn other_rule_set(path: &Path, found: Variant) -> Self {
        Self::Other {
            path: path.to_owned(),
            played: format!("is a ladder of {found}"),
            expected: format!("the rule set {found}"),
        }
    }
}

const FORMAT: &str = "gipf-ladder";
/// Larger than a ladder of a million series.
const LARGEST: u64 = 1 << 30;
const EXPECTED: &str = "expected a ladder that this program writes";
/// The version with checksums; the version before differs only in that.
const VERSION: u32 = 2;

impl Head {
    /// Returns the head of a ladder with openings from this book.
    pub fn new(book: &Book, seed: u64) -> Self {
        // Only the name of the file: its folder means nothing elsewhere.
        let name = Path::new(book.name()).file_name().unwrap_or_default();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            variant: book.variant(),
            placement_limit: PLACEMENT_LIMIT,
            seed,
            book: name.to_string_lossy().into_owned(),
            blake3: book.checksum().to_owned(),
            positions: book.len(),
        }
    }

    /// Reads the first line of a store, with or without checksums.
    pub(super) fn read(line: &str, is_checked: bool) -> Result<Self, String> {
        let head: Self = serde_json::from_str(line).map_err(|error| format!("{}: {EXPECTED}", told(&error)))?;
        let version = if is_checked { VERSION } else { VERSION - 1 };
        if head.format != FORMAT || head.version != version {
            return Err(format!("not a ladder of version {version}: {EXPECTED}"));
        }
        Ok(Self { version: VERSION, ..head })
    }

    /// Checks that the games asked for have the settings of the file with this head; an error says what those are.
    fn check_same(&self, asked: &Self, path: &Path) -> Result<(), StoreError> {
        let other = |(played, expected)| Err(StoreError::Other { path: path.to_owned(), played, expected });
        match self {
            _ if self.variant != asked.variant => Err(StoreError::other_rule_set(path, self.variant)),
            _ if self.blake3 != asked.blake3 => other(self.told_book(&asked.book)),
            Self { seed, .. } if *seed != asked.seed => {
                other((format!("was played with the seed {seed}"), format!("the seed {seed}")))
            }
            Self { placement_limit, .. } if *placement_limit != asked.placement_limit => {
                let (played, asked) = (*placement_limit, asked.placement_limit);
                other((format!("was played with a limit of {played} placements"), format!("a limit of {asked}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns what to say about this file's book if another one was asked for, and the setting that asks for this one.
    fn told_book(&self, asked: &str) -> (String, String) {
        // The name may come from anybody.
        let name = truncate_escaped(&self.book, 80);
        if self.blake3 == Book::of(self.variant).checksum() {
            return (format!("was played from the book {name} that comes with the program"), "that book".to_owned());
        }
        let (then, as_then) = if self.book == asked { (" as it was then", ", unchanged") } else { ("", "") };
        (format!("was played from the book {name}{then}"), format!("the book {name}{as_then}"))
    }
}

/// How a ladder began that may take over the games of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// With the content of its file if there is one, or with nothing if no other ladder was given.
    Alone,
    /// With the games of the other one.
    With,
    /// Without them: they have another seed or another book.
    Without,
}

/// The file of a ladder, locked by this program as long as the value lives. Changes by programs that know no lock are
/// never overwritten.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// The checksum of the file as this program read or wrote it; `None` if there was no file.
    known: Option<blake3::Hash>,
    head: Head,
    series: Vec<Series>,
    flaws: Vec<Flaw>,
    lock: FolderLock,
}

impl Store {
    /// Opens the ladder of a file, or begins a new one there. A ladder without checksums gets them at once.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or belongs to another rule set, book or seed.
    pub fn open(path: &Path, head: &Head) -> Result<Self, StoreError> {
        // Reading a pipe or a device may never end, and the results could not be kept there.
        if path.exists() && !path.is_file() {
            return Err(StoreError::Io(path.to_owned(), io::Error::other("expected a regular file")));
        }
        // The lock lies beside the file itself, so that two links to it are one ladder.
        let behind = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
        let path = behind.as_deref().unwrap_or(path);
        let lock = locked(path)?;
        let head = head.clone();
        let (path, series, flaws) = (path.to_owned(), Vec::new(), Vec::new());
        let mut store = Self { path, known: None, head, series, flaws, lock };
        if store.path.exists() {
            let bytes = read_bytes(&store.path)?;
            store.known = Some(blake3::hash(&bytes));
            store.take(Self::parse_bytes(&store.path, &bytes)?)?;
            if store.flaws == [Flaw::Unchecked] {
                store.write()?;
            }
        }
        Ok(store)
    }

    /// Opens the ladder of a file, or begins a new one there, with the games of another ladder if their settings are
    /// those asked for. The other ladder is given by its name, for messages, and its text. Without a seed, that of the
    /// file is used, or 0.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if a line of the other ladder is wrong or the file cannot be written.
    pub fn open_or_begin(
        path: &Path,
        (book, seed): (&Book, Option<u64>),
        other: Option<(&Path, &str)>,
    ) -> Result<(Self, Begun), StoreError> {
        let seed = match seed {
            None if path.is_file() => Self::read(path)?.head.seed,
            seed => seed.unwrap_or(0),
        };
        let other = other.filter(|_| !path.exists());
        let mut store = Self::open(path, &Head::new(book, seed))?;
        let begun = match other {
            None => Begun::Alone,
            Some((name, text)) if store.begin_with(name, text)? => Begun::With,
            Some(_) => Begun::Without,
        };
        Ok((store, begun))
    }

    /// Begins with the series of another ladder, given as text, unless this one has a file or the other's games have
    /// other settings; returns whether it did. The path is for messages.
    fn begin_with(&mut self, path: &Path, text: &str) -> Result<bool, StoreError> {
        if self.path.exists() || !self.series.is_empty() {
            return Ok(false);
        }
        match self.take(Self::parse(path, text)?) {
            Ok(()) => self.write().map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Reads the ladder of a file.
    ///
    /// # Errors
    /// If it cannot be read, or a line is wrong.
    pub fn read(path: &Path) -> Result<Contents, StoreError> {
        Self::parse_bytes(path, &read_bytes(path)?)
    }

    fn parse_bytes(path: &Path, bytes: &[u8]) -> Result<Contents, StoreError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
            StoreError::Line { path: path.to_owned(), line, why: "not text in UTF-8".to_owned() }
        })?;
        Self::parse(path, text)
    }

    /// Reads a ladder's text; the path is for messages.
    ///
    /// # Errors
    /// If a line is wrong.
    pub fn parse(path: &Path, text: &str) -> Result<Contents, StoreError> {
        store_text::read(text).map_err(|(line, why)| StoreError::Line { path: path.to_owned(), line, why })
    }

    /// Returns the common settings of all games.
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the series.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Returns the flaws that a user of the file should know of.
    pub fn flaws(&self) -> &[Flaw] {
        &self.flaws
    }

    /// Adds a series, and rewrites the file.
    ///
    /// # Errors
    /// If it cannot be written, or could not be read again; the old file then stays, and the series may be added again.
    /// If another program has changed or removed the file, or moved its folder: the series is then not kept.
    pub fn add(&mut self, series: Series) -> Result<(), StoreError> {
        let names = series.players.iter().try_for_each(|player| check_name(&player.name));
        names.map_err(|why| StoreError::Name { path: self.path.clone(), why })?;
        self.series.push(series);
        self.write().inspect_err(|_| _ = self.series.pop())
    }

    /// Takes over the content read, which must be of the same games.
    fn take(&mut self, found: Contents) -> Result<(), StoreError> {
        found.head.check_same(&self.head, &self.path)?;
        (self.head, self.series, self.flaws) = (found.head, found.series, found.flaws);
        Ok(())
    }

    fn write(&mut self) -> Result<(), StoreError> {
        let text = store_text::write(&self.head, &self.series);
        self.lock.check().map_err(StoreError::Lock)?;
        let (new, found) = (Some(blake3::hash(text.as_bytes())), self.found()?);
        // If the last step of writing this text failed before, the file may have it already.
        if found != self.known && found != new {
            return Err(StoreError::Changed(self.path.clone()));
        }
        write_whole(&self.path, text.as_bytes()).map_err(|error| StoreError::Io(self.path.clone(), error))?;
        self.known = new;
        Ok(())
    }

    /// Returns the checksum of the file as it is now; `None` if there is none.
    fn found(&self) -> Result<Option<blake3::Hash>, StoreError> {
        match read_bytes(&self.path) {
            Err(StoreError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(|bytes| Some(blake3::hash(&bytes))),
        }
    }
}

/// Reads a file that may be a ladder.
fn read_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    let read = check_regular(path, LARGEST).and_then(|()| read_limited(File::open(path)?, LARGEST));
    read.map_err(|error| StoreError::Io(path.to_owned(), error))
}

/// Creates the folder if missing, and locks the ladder for this program.
fn locked(path: &Path) -> Result<FolderLock, StoreError> {
    let io = |error| StoreError::Io(path.to_owned(), error);
    let folder = folder_of(path);
    create_folders(folder).map_err(io)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    FolderLock::take(folder, &name).map_err(|error| match error {
        LockError::Held(_) => StoreError::InUse(path.to_owned()),
        LockError::Io(_, error) => io(error),
        gone @ LockError::Gone(_) => StoreError::Lock(gone),
    })
}

impl Series {
    /// More turns or positions than any series has.
    pub(super) const MOST: u64 = 1 << 50;
    /// A longer time than any series takes.
    pub(super) const MOST_SECONDS: f64 = 1e12;

    /// Returns the fingerprints of the players, the smaller one first.
    pub(super) fn pairing(&self) -> [u64; 2] {
        let [a, b] = self.players.each_ref().map(|player| player.fingerprint);
        [a.min(b), a.max(b)]
    }

    /// Checks for numbers that a file can state but no games can produce.
    pub(super) fn check(&self, head: &Head) -> Result<(), String> {
        let pairs = self.pairs.0.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let games = 2 * self.openings.len() as u64;
        let [a, b] = &self.players;
        if a.fingerprint == b.fingerprint {
            return Err(format!("{a} against itself: expected two players"));
        }
        if pairs != Some(self.openings.len() as u64) || games == 0 {
            return Err(format!("{} openings: expected one for each pair, and at least one", self.openings.len()));
        }
        if let Some(opening) = self.openings.iter().find(|&&opening| opening >= head.positions) {
            return Err(format!("opening {opening}: expected a number below {}", head.positions));
        }
        if self.left > head.positions {
            return Err(format!("{} pairs left: expected no more than {} openings", self.left, head.positions));
        }
        if self.draws.checked_add(self.white_wins).is_none_or(|sum| sum > games) {
            return Err(format!("more results than the {games} games"));
        }
        if self.turns.iter().chain(&self.nodes).any(|&count| count > Self::MOST) {
            return Err(format!("more than {} turns or positions: expected what games can take", Self::MOST));
        }
        match self.seconds.iter().find(|seconds| !(0.0..=Self::MOST_SECONDS).contains(*seconds)) {
            Some(seconds) => Err(format!("{seconds} seconds: expected a time")),
            None => Ok(()),
        }
    }
}

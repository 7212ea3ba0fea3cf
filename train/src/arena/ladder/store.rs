//! The file of a ladder: one line of JSON for the ladder, and one for each series of games.
//!
//! ```text
//! {"format":"gipf-ladder","version":1,"variant":"standard","limit":400,"seed":0,"book":"standard","blake3":"…","positions":256}
//! {"players":[{"name":"greedy","fingerprint":"…"},{"name":"random","fingerprint":"…"}],"openings":[17,3],"pairs":[0,0,0,0,2],…}
//! ```

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use gipf_env::Variant;
use gipf_models::write_whole;
use serde::{Deserialize, Serialize};

use super::super::book::Book;
use super::super::tally::Pentanomial;
use super::member::PlayerId;

/// What all games of a ladder have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// What the file is: `gipf-ladder`.
    format: String,
    version: u32,
    /// The rule set.
    pub variant: Variant,
    /// The placements after which a game is cut off.
    pub limit: u16,
    /// What everything random in the games is drawn from, together with the players and the number of the opening.
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
    /// The positions that each player looked at.
    pub nodes: [u64; 2],
    /// The time that each player took, in seconds.
    pub seconds: [f64; 2],
    /// The version of the program that played.
    pub program: String,
}

/// A store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path} cannot be read or written: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
    /// Two programs would write over each other's results.
    #[error("{path}: another program is using this ladder: expected it to end first", path = .0.display())]
    InUse(PathBuf),
    /// A line is wrong.
    #[error("{path}, line {line}: {why}", path = .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It is the ladder of other games.
    #[error("{path} is a ladder with another {what}: expected {expected}, or another file", path = .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What was asked for.
        expected: String,
    },
}

const FORMAT: &str = "gipf-ladder";
const VERSION: u32 = 1;
/// The placements after which a game of a ladder is cut off.
const LIMIT: u16 = 400;

impl Head {
    /// Returns the head of a ladder with openings from this book.
    pub fn new(book: &Book, seed: u64) -> Self {
        // Of a file only the name: where it lies means nothing elsewhere.
        let name = Path::new(book.name()).file_name().unwrap_or_default();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            variant: book.variant(),
            limit: LIMIT,
            seed,
            book: name.to_string_lossy().into_owned(),
            blake3: book.checksum().to_owned(),
            positions: book.len(),
        }
    }
}

/// The file of a ladder, held by this program as long as the value lives.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    head: Head,
    series: Vec<Series>,
    _lock: File,
}

impl Store {
    /// Opens the ladder of a file, or begins a new one there.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or belongs to another rule set, book or seed.
    pub fn open(path: &Path, head: &Head) -> Result<Self, StoreError> {
        let lock = locked(path)?;
        if !path.exists() {
            return Ok(Self { path: path.to_owned(), head: head.clone(), series: Vec::new(), _lock: lock });
        }
        let (found, series) = Self::read(path)?;
        let other = |what, expected: &dyn ToString| {
            Err(StoreError::Other { path: path.to_owned(), what, expected: expected.to_string() })
        };
        match () {
            () if found.variant != head.variant => other("rule set", &head.variant),
            () if found.blake3 != head.blake3 => other("book", &format!("the book {} as it is now", head.book)),
            () if found.seed != head.seed => other("seed", &head.seed),
            () if found.limit != head.limit => other("limit", &format!("{} placements", head.limit)),
            () => Ok(Self { path: path.to_owned(), head: found, series, _lock: lock }),
        }
    }

    /// Reads the ladder of a file.
    ///
    /// # Errors
    /// If it cannot be read, or a line is wrong.
    pub fn read(path: &Path) -> Result<(Head, Vec<Series>), StoreError> {
        let text = fs::read_to_string(path).map_err(|error| StoreError::Io(path.to_owned(), error))?;
        Self::parse(path, &text)
    }

    /// Reads a ladder's text; the path is for messages.
    ///
    /// # Errors
    /// If a line is wrong.
    pub fn parse(path: &Path, text: &str) -> Result<(Head, Vec<Series>), StoreError> {
        parse(text).map_err(|(line, why)| StoreError::Line { path: path.to_owned(), line, why })
    }

    /// Returns what all games have in common.
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the series.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Adds a series, and writes the file anew.
    ///
    /// # Errors
    /// If it cannot be written; the old file then stays.
    pub fn add(&mut self, series: Series) -> Result<(), StoreError> {
        self.series.push(series);
        let line = |value: String| [value, "\n".to_owned()];
        let head = serde_json::to_string(&self.head).expect("a head is plain values");
        let series = self.series.iter().map(|series| serde_json::to_string(series).expect("a series is plain values"));
        let text: String = std::iter::once(head).chain(series).flat_map(line).collect();
        write_whole(&self.path, text.as_bytes()).map_err(|error| StoreError::Io(self.path.clone(), error))
    }
}

/// Makes the folder if there is none, and takes the ladder for this program.
fn locked(path: &Path) -> Result<File, StoreError> {
    let io = |error| StoreError::Io(path.to_owned(), error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = File::create(PathBuf::from(name)).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

/// Reads a whole file; an error names the line.
fn parse(text: &str) -> Result<(Head, Vec<Series>), (usize, String)> {
    let mut lines = (1..).zip(text.lines());
    let (_, first) = lines.next().ok_or_else(|| (1, "nothing: expected the head of a ladder".to_owned()))?;
    let head: Head = serde_json::from_str(first).map_err(|error| (1, told(&error)))?;
    if head.format != FORMAT || head.version != VERSION {
        return Err((1, format!("not a ladder of version {VERSION}: expected one that this program writes")));
    }
    let mut openings = HashMap::new();
    let series = lines.map(|(number, line)| {
        let series: Series = serde_json::from_str(line).map_err(|error| (number, told(&error)))?;
        series.check(&head).map_err(|why| (number, why))?;
        for &opening in &series.openings {
            if let Some(earlier) = openings.insert((series.pairing(), opening), number) {
                return Err((number, format!("opening {opening} of these players again, after line {earlier}")));
            }
        }
        Ok(series)
    });
    let series = series.collect::<Result<_, _>>()?;
    Ok((head, series))
}

/// The place within the line says nothing to whoever sees the line's number in the file.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string().replace('\n', " ");
    let text = text.split(" at line ").next().unwrap_or_default();
    gipf_env::excerpt(text, 200)
}

impl Series {
    /// Returns the fingerprints of the players, the smaller one first.
    fn pairing(&self) -> [u64; 2] {
        let [a, b] = self.players.each_ref().map(|player| player.fingerprint);
        [a.min(b), a.max(b)]
    }

    /// Checks what a file can say but no games can bring about.
    fn check(&self, head: &Head) -> Result<(), String> {
        let pairs = self.pairs.0.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let games = 2 * self.openings.len() as u64;
        let [a, b] = &self.players;
        if a.fingerprint == b.fingerprint {
            return Err(format!("{a} against itself: expected two players"));
        }
        if pairs != Some(self.openings.len() as u64) || games == 0 {
            return Err(format!("{} openings: expected one for each pair, and some", self.openings.len()));
        }
        if let Some(opening) = self.openings.iter().find(|&&opening| opening >= head.positions) {
            return Err(format!("opening {opening}: expected a number below {}", head.positions));
        }
        if self.draws.checked_add(self.white_wins).is_none_or(|sum| sum > games) {
            return Err(format!("more results than the {games} games"));
        }
        if self.turns.iter().chain(&self.nodes).any(|&count| count > MOST) {
            return Err(format!("turns or positions beyond {MOST}: expected what games can take"));
        }
        match self.seconds.iter().find(|seconds| !(0.0..=1e12).contains(*seconds)) {
            Some(seconds) => Err(format!("{seconds} seconds: expected a time")),
            None => Ok(()),
        }
    }
}

/// More than any series has of turns or positions, and so little that sums of many do not overflow.
const MOST: u64 = 1 << 50;

//! The games of matches in progress, in a file: an interrupted match resumes from them.
//!
//! ```text
//! % gipf 7a02… {"settings":"5e1f…","date":"2026.11.22"}
//! [Event "?"]
//! …
//! % pair 1b4c… {"contest":0,"pair":{…}}
//! ```
//!
//! The games are text, as [`RecordSheet`] writes them, for people to read; `%` begins a comment there. The line after
//! the games of a pair repeats them for the program, and says that they are complete. The checksum of a pair also
//! covers the first line: a pair of other matches, whose openings differ, does not belong to this file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gipf_env::GipfPosition;
use gipf_models::{leads_to, open_own, try_lock};
use serde::{Deserialize, Serialize};

use super::game_text::{PairNames, RecordSheet};
use super::openings::Opening;
use super::pairs::{Keeper, Pair};

/// Why the games of a match could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("cannot keep games in {path}: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
    /// Another program writes to the file.
    #[error("{} is in use by another program: expected to be the only one", .0.display())]
    InUse(PathBuf),
    /// The file is of other matches.
    #[error("{} holds games of other matches: expected the command that began it, or another name", .0.display())]
    Other(PathBuf),
    /// A line has changed since it was written.
    #[error("{path}: line {line} is damaged: expected it unchanged, or the file removed", path = .0.display(), line = .1)]
    Damaged(PathBuf, usize),
}

#[derive(Serialize, Deserialize)]
struct Head {
    settings: String,
    date: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    contest: usize,
    pair: Pair,
}

/// The file, locked by this program as long as the value lives.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    date: String,
    /// The checksum of the first line, on which those of all pairs depend.
    origin: String,
    kept: Vec<(usize, Pair)>,
    writing: Mutex<Writing>,
}

#[derive(Debug)]
struct Writing {
    file: File,
    error: Option<io::Error>,
}

const HEAD: &str = "% gipf ";
const PAIR: &str = "% pair ";
const COMPLETE: &str = "% complete ";

impl Journal {
    /// Opens the journal of matches that these settings describe, or begins one on this day, written `YYYY.MM.DD`.
    ///
    /// A pair that was only partly written is dropped.
    ///
    /// # Errors
    /// If the file cannot be read or written, is in use, of other matches, or damaged.
    pub fn open(path: &Path, settings: &str, date: &str) -> Result<Self, JournalError> {
        let io = |error| JournalError::Io(path.to_owned(), error);
        let settings = blake3::hash(settings.as_bytes()).to_string();
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let read = whole_characters(&bytes).and_then(Contents::read);
        let read = read.map_err(|line| JournalError::Damaged(path.to_owned(), line))?;
        if read.head.as_ref().is_some_and(|(_, head)| head.settings != settings) {
            return Err(JournalError::Other(path.to_owned()));
        }
        file.set_len(read.length as u64).map_err(io)?;
        let (origin, date) = if let Some((origin, head)) = read.head {
            (origin, head.date)
        } else {
            let head = serde_json::to_string(&Head { settings, date: date.to_owned() });
            let head = head.expect("a head is plain values");
            let line = sealed(HEAD, "", &head);
            file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
            (checksum("", &head), date.to_owned())
        };
        let writing = Mutex::new(Writing { file, error: None });
        Ok(Self { path: path.to_owned(), date, origin, kept: read.pairs, writing })
    }

    /// Returns the day on which the matches began.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the number of pairs that were played before.
    pub fn known(&self) -> usize {
        self.kept.len()
    }

    /// Returns the keeper of the pairs of a match, given its number and the names of A and B.
    pub fn of_match<'a>(&'a self, contest: usize, names: PairNames<'a>) -> MatchJournal<'a> {
        MatchJournal { journal: self, contest, names }
    }

    /// Checks that all pairs could be kept.
    ///
    /// # Errors
    /// The first failure of writing.
    pub fn check(&self) -> Result<(), JournalError> {
        let error = self.writing.lock().unwrap_or_else(PoisonError::into_inner).error.take();
        error.map_or(Ok(()), |error| Err(JournalError::Io(self.path.clone(), error)))
    }

    /// Marks all matches as played, before the file with their games, whose text this is, gets its final name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn complete(&self, games: &str) -> Result<(), JournalError> {
        self.append(&format!("{COMPLETE}{}\n", blake3::hash(games.as_bytes())));
        self.check()
    }

    /// Removes the file.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        fs::remove_file(&self.path).map_err(|error| JournalError::Io(self.path, error))
    }

    /// Removes a journal whose matches are all played, if this file has their games, unless the program that wrote them
    /// is about to do so.
    pub fn remove_complete(path: &Path, games: &Path) {
        let Ok(file) = File::open(path) else { return };
        // That program holds its lock.
        if file.try_lock().is_ok() && io::read_to_string(&file).is_ok_and(|text| is_complete(&text, games)) {
            let _ = fs::remove_file(path);
        }
    }

    /// Writes text at the end; false if that failed, now or before.
    fn append(&self, text: &str) -> bool {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if writing.error.is_none() {
            let Writing { file, error } = &mut *writing;
            *error = file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).err();
        }
        writing.error.is_none()
    }
}

/// Opens a journal, or creates it, and locks it. The program that held it may have removed it by then, so the opened
/// file is checked to still have this name.
fn open_locked(path: &Path) -> Result<File, JournalError> {
    let io = |error| JournalError::Io(path.to_owned(), error);
    loop {
        let file = open_own(path, OpenOptions::new().read(true).append(true)).map_err(io)?;
        if !try_lock(&file) {
            return Err(JournalError::InUse(path.to_owned()));
        }
        if leads_to(path, &file).map_err(io)? {
            return Ok(file);
        }
    }
}

/// Returns text without a last character that was only partly written; an error is the number of a line that is not
/// text.
fn whole_characters(bytes: &[u8]) -> Result<&str, usize> {
    str::from_utf8(bytes).or_else(|error| {
        let text = &bytes[..error.valid_up_to()];
        match error.error_len() {
            None => Ok(str::from_utf8(text).expect("it is valid up to here")),
            Some(_) => Err(text.split(|&byte| byte == b'\n').count()),
        }
    })
}

/// Returns whether the text of a journal ends by saying that this file has all its games.
fn is_complete(text: &str, games: &Path) -> bool {
    let expected = text.lines().last().and_then(|line| line.strip_prefix(COMPLETE));
    expected.is_some_and(|expected| fs::read(games).is_ok_and(|found| blake3::hash(&found).to_string() == expected))
}

/// The journal of one match among several.
#[derive(Clone, Copy, Debug)]
pub struct MatchJournal<'a> {
    journal: &'a Journal,
    contest: usize,
    names: PairNames<'a>,
}

impl Keeper for MatchJournal<'_> {
    fn known(&self) -> Vec<Pair> {
        let of_this = self.journal.kept.iter().filter(|(contest, _)| *contest == self.contest);
        of_this.map(|(_, pair)| pair.clone()).collect()
    }

    fn keep(&self, pair: &Pair, opening: &Opening<GipfPosition>) -> bool {
        let mut sheet = RecordSheet::new(self.journal.date.clone());
        sheet.add_pair(pair, opening, self.names);
        let entry = serde_json::to_string(&Entry { contest: self.contest, pair: pair.clone() });
        let line = sealed(PAIR, &self.journal.origin, &entry.expect("a pair is plain values"));
        self.journal.append(&format!("{}{line}", sheet.partial_text()))
    }
}

/// Returns a line with the checksum of its entry and of the first line, whose checksum is the origin.
fn sealed(name: &str, origin: &str, entry: &str) -> String {
    format!("{name}{} {entry}\n", checksum(origin, entry))
}

/// Returns the checksum and the entry of such a line, if they are unchanged.
fn opened<'a>(line: &'a str, name: &str, origin: &str) -> Option<(&'a str, &'a str)> {
    let (sum, entry) = line.strip_prefix(name)?.split_once(' ')?;
    (checksum(origin, entry) == sum).then_some((sum, entry))
}

fn checksum(origin: &str, entry: &str) -> String {
    blake3::Hasher::new().update(origin.as_bytes()).update(entry.as_bytes()).finalize().to_string()
}

/// The content of a file.
struct Contents {
    /// The first line, preceded by its checksum.
    head: Option<(String, Head)>,
    pairs: Vec<(usize, Pair)>,
    /// The bytes up to the end of the last complete pair.
    length: usize,
}

impl Contents {
    /// Reads a journal; an error is the number of a damaged line.
    fn read(text: &str) -> Result<Self, usize> {
        let mut contents = Self { head: None, pairs: Vec::new(), length: 0 };
        // A first line that is torn is the beginning of a head; anything else is somebody else's file.
        if !(text.starts_with(HEAD) || HEAD.starts_with(text)) {
            return Err(1);
        }
        let mut end = 0;
        for (number, line) in (1_usize..).zip(text.split_inclusive('\n')) {
            end += line.len();
            // Only the end can be torn.
            let Some(line) = line.strip_suffix('\n') else { break };
            let is_known = match line {
                _ if number == 1 => contents.take_head(line),
                _ if line.starts_with(PAIR) => contents.take_pair(line),
                _ => continue,
            };
            is_known.ok_or(number)?;
            contents.length = end;
        }
        Ok(contents)
    }

    fn take_head(&mut self, line: &str) -> Option<()> {
        let (origin, head) = opened(line, HEAD, "")?;
        self.head = Some((origin.to_owned(), serde_json::from_str(head).ok()?));
        Some(())
    }

    fn take_pair(&mut self, line: &str) -> Option<()> {
        let (origin, _) = self.head.as_ref()?;
        let (_, entry) = opened(line, PAIR, origin)?;
        let Entry { contest, pair } = serde_json::from_str(entry).ok()?;
        self.pairs.push((contest, pair));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::game::{Ending, GameRecord};

    fn journal(folder: &Path) -> Result<Journal, JournalError> {
        Journal::open(&folder.join("games.pgn.partial"), "settings", "2026.11.22")
    }

    #[test]
    fn a_character_that_is_torn_is_dropped_and_bytes_that_are_no_text_are_refused() {
        let text = "% gipf ü";
        assert_eq!(whole_characters(text.as_bytes()), Ok(text));
        assert_eq!(whole_characters(&text.as_bytes()[..text.len() - 1]), Ok("% gipf "));
        assert_eq!(whole_characters(b"a\n\xffb\n"), Err(2));
    }

    #[test]
    fn one_program_at_a_time_writes_a_journal_and_of_one_match() {
        let folder = tempfile::tempdir().unwrap();
        let first = journal(folder.path()).unwrap();
        assert!(matches!(journal(folder.path()), Err(JournalError::InUse(_))));
        drop(first);
        assert_eq!(journal(folder.path()).unwrap().date(), "2026.11.22");
        let path = folder.path().join("games.pgn.partial");
        assert!(matches!(Journal::open(&path, "others", "2026.11.23"), Err(JournalError::Other(_))));
        let games = folder.path().join("games.pgn");
        fs::write(&games, "games").unwrap();
        Journal::remove_complete(&path, &games);
        assert!(path.exists(), "it is not complete");
        let done = journal(folder.path()).unwrap();
        done.complete("games").unwrap();
        Journal::remove_complete(&path, &games);
        done.remove().expect("who holds it removes it");
        journal(folder.path()).unwrap().complete("new games").unwrap();
        Journal::remove_complete(&path, &games);
        assert!(path.exists(), "the file has other games");
        fs::write(&games, "new games").unwrap();
        Journal::remove_complete(&path, &games);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_of_somebody_else_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn.partial");
        for text in ["{\"my\": \"notes\"}", "notes\nand more", "% gip", "% gipf 12"] {
            fs::write(&path, text).unwrap();
            let opened = journal(folder.path());
            if text.starts_with("% gip") {
                assert!(opened.is_ok(), "{text}: the torn head of a journal");
            } else {
                assert!(matches!(opened, Err(JournalError::Damaged(_, 1))), "{text}");
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
            }
        }
        fs::remove_file(&path).unwrap();
        journal(folder.path()).unwrap().complete("games").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(matches!(Journal::open(&path, "others", "2026.11.23"), Err(JournalError::Other(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "also that it is complete");
    }

    #[test]
    fn who_waits_for_a_journal_that_is_removed_begins_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn.partial");
        for _ in 0..20 {
            let first = journal(folder.path()).unwrap();
            std::thread::scope(|scope| {
                let second = scope.spawn(|| journal(folder.path()));
                std::thread::sleep(Duration::from_millis(5));
                first.remove().unwrap();
                let second = second.join().unwrap().unwrap();
                assert!(path.exists(), "the second one keeps games where they are found");
                second.remove().unwrap();
            });
        }
    }

    #[test]
    fn a_torn_end_goes_and_a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        drop(journal(folder.path()).unwrap());
        let path = folder.path().join("games.pgn.partial");
        let text = fs::read_to_string(&path).unwrap();
        for torn in ["[Event \"?\"]\n", "% pair 12", "1.e1-e4\n% pa"] {
            fs::write(&path, format!("{text}{torn}")).unwrap();
            drop(journal(folder.path()).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, format!("{text}[Event \"?\"]\n% pair 12 {{}}\n")).unwrap();
        assert!(matches!(journal(folder.path()), Err(JournalError::Damaged(_, 3))));
    }

    #[test]
    fn a_pair_of_other_matches_and_another_day_are_damage() {
        let folder = tempfile::tempdir().unwrap();
        let game = GameRecord {
            ending: Ending::Void,
            actions: Vec::new(),
            turns: 0,
            own_turns: [0; 2],
            nodes: [0; 2],
            time: [Duration::ZERO; 2],
            fingerprint: 0,
            void: Vec::new(),
        };
        let pair = Pair { number: 0, games: [game.clone(), game] };
        let entry = serde_json::to_string(&Entry { contest: 0, pair }).unwrap();
        let [own, other] = ["own", "other"].map(|settings| {
            let path = folder.path().join(settings);
            let journal = Journal::open(&path, settings, "2026.11.22").unwrap();
            assert!(journal.append(&sealed(PAIR, &journal.origin, &entry)));
            drop(journal);
            assert_eq!(Journal::open(&path, settings, "2026.11.23").unwrap().known(), 1);
            fs::read_to_string(path).unwrap()
        });
        let [(head, _), (_, foreign)] = [&own, &other].map(|text| text.split_once('\n').unwrap());
        for (text, line) in [(format!("{head}\n{foreign}"), 2), (own.replace(".22", ".23"), 1)] {
            let path = folder.path().join("own");
            fs::write(&path, text).unwrap();
            let error = Journal::open(&path, "own", "2026.11.22").unwrap_err();
            assert!(matches!(&error, JournalError::Damaged(_, found) if *found == line), "{error}");
        }
    }
}

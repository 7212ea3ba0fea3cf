//! The directory of a measurement: its definition, its runs and its games.
//!
//! ```text
//! DIR/bench.json       settings and prices, written first: they hold for all that is done here
//! DIR/seed-1/          the run of a seed, as of gipf train
//! DIR/games.jsonl      the games of all checkpoints against the judges, as of gipf ladder
//! DIR/result.json      what follows, once all seeds are rated; until then result.partial.json has those that are
//! DIR/curve.svg        a picture of it
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gipf_models::{FolderLock, LockError, create_folders, read_regular, write_whole};
use gipf_play::arena::ladder::StoreError;
use gipf_play::players::AgentError;
use serde::{Deserialize, Serialize};

use super::prices::Prices;
use crate::training::trainer::TrainError;
use crate::training::{Config, ConfigFault, ITSELF, LearnerError};

/// Why a measurement of training could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Reading or writing failed.
    #[error("{path} cannot be read or written: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
    /// The directory contains something else.
    #[error("{} is not empty: expected a new directory, or one of gipf bench training", .0.display())]
    Foreign(PathBuf),
    /// Another program is using the directory.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file is damaged.
    #[error("{path} is damaged: {why}", path = .0.display(), why = .1)]
    Damaged(PathBuf, String),
    /// The directory belongs to another measurement.
    #[error("{path} was begun with other {what}: expected the command that began it, or a new directory", path = .0.display(), what = .1)]
    Other(PathBuf, &'static str),
    /// The result has more than what is asked for.
    #[error(
        "{path} has {what}, which would be lost: expected at least its seeds and core-seconds, or a new directory",
        path = .0.display(), what = .1
    )]
    Less(PathBuf, String),
    /// The run of a seed is not the one that was begun here.
    #[error(
        "{run} has other settings than this measurement: expected those that it began with, or a new directory",
        run = .0.display()
    )]
    Edited(PathBuf),
    /// There are no judges.
    #[error("no judges for {0}: expected standard")]
    NoJudges(String),
    /// Other agents would think in its games.
    #[error("setting self_play.opponent: expected {ITSELF}, since nobody knows what the thinking of others costs")]
    Opponent,
    /// The prices are for another network.
    #[error("the prices are of another network, student, batch or rule set: expected those of the settings")]
    Prices,
    /// The settings cannot be used for a run.
    #[error(transparent)]
    Settings(#[from] ConfigFault),
    /// A learner failed.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// A training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The games cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A checkpoint cannot play.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// The definition of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    format: String,
    version: u32,
    /// The settings of its runs, as TOML; each has its own seed.
    pub settings: String,
    /// The prices of their work.
    pub prices: Prices,
}

const FORMAT: &str = "gipf-bench-training-directory";
const VERSION: u32 = 1;
const DEFINITION: &str = "bench.json";
/// The largest size of the definition and of a result, in bytes.
pub const LARGEST: u64 = 1 << 24;
const LOCK: &str = "lock";
/// The result of all seeds.
pub const RESULT: &str = "result.json";

/// The directory of a measurement, locked as long as the value lives.
#[derive(Debug)]
pub struct BenchDirectory {
    path: PathBuf,
    lock: FolderLock,
}

impl BenchDirectory {
    /// Opens the directory of a measurement with these settings, or begins one, which needs `prices`.
    ///
    /// # Errors
    /// If it holds anything else, or a measurement with other settings or prices, or is in use.
    pub fn open(path: &Path, config: &Config, given: Option<Prices>) -> Result<(Self, Definition), BenchError> {
        if given.as_ref().is_some_and(|prices| !prices.are_of(config)) {
            return Err(BenchError::Prices);
        }
        // A request that is refused leaves no trace.
        check(path, config, given.as_ref())?;
        create_folders(path).map_err(|error| BenchError::Io(path.to_owned(), error))?;
        let directory = Self { path: path.to_owned(), lock: FolderLock::take(path, LOCK)? };
        // Another program may have begun here before the lock was taken.
        if let Some(definition) = check(path, config, given.as_ref())? {
            return Ok((directory, definition));
        }
        let prices = match given {
            Some(prices) => prices,
            None => Prices::measure(config, rayon::current_num_threads())?,
        };
        let definition = Definition { format: FORMAT.to_owned(), version: VERSION, settings: config.to_text(), prices };
        let text = serde_json::to_string_pretty(&definition).expect("definitions are plain values");
        directory.write(DEFINITION, &text)?;
        Ok((directory, definition))
    }

    /// Returns the directory of the run of a seed.
    pub fn run(&self, seed: u64) -> PathBuf {
        self.path.join(format!("seed-{seed}"))
    }

    /// Returns the file of the result.
    pub fn result(&self) -> PathBuf {
        self.path.join(RESULT)
    }

    /// Returns the file of the games.
    pub fn games(&self) -> PathBuf {
        self.path.join("games.jsonl")
    }

    /// Writes a text file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written; the old file then stays. If the directory was moved or replaced.
    pub fn write(&self, name: &str, text: &str) -> Result<(), BenchError> {
        self.lock.check()?;
        let path = self.path.join(name);
        write_whole(&path, text.as_bytes()).map_err(|error| BenchError::Io(path, error))
    }

    /// Removes a file, if it is there; if that fails, the file does no harm.
    pub fn remove(&self, name: &str) {
        if self.lock.check().is_ok() {
            drop(fs::remove_file(self.path.join(name)));
        }
    }
}

/// Returns the definition in a directory with which the measurement can go on; none if the directory is free.
fn check(path: &Path, config: &Config, given: Option<&Prices>) -> Result<Option<Definition>, BenchError> {
    let file = path.join(DEFINITION);
    if !file.exists() {
        return if is_free(path) { Ok(None) } else { Err(BenchError::Foreign(path.to_owned())) };
    }
    let text = read_regular(&file, LARGEST).map_err(|error| BenchError::Io(file.clone(), error))?;
    let found: Definition =
        serde_json::from_str(&text).map_err(|error| BenchError::Damaged(file.clone(), error.to_string()))?;
    if found.format != FORMAT || found.version != VERSION {
        return Err(BenchError::Damaged(file, "not of this version".to_owned()));
    }
    // A program of before may not have named all settings.
    if Config::parse(&found.settings).map_or(true, |found| found != *config) {
        return Err(BenchError::Other(path.to_owned(), "settings"));
    }
    if given.is_some_and(|prices| *prices != found.prices) {
        return Err(BenchError::Other(path.to_owned(), "prices"));
    }
    Ok(Some(found))
}

/// Returns whether a directory is missing, or holds only what a program killed at the beginning may leave.
fn is_free(path: &Path) -> bool {
    if !path.exists() {
        return true;
    }
    let is_own = |name: String| name == LOCK || name.starts_with(".gipf-");
    path.is_dir()
        && fs::read_dir(path).is_ok_and(|entries| {
            entries.flatten().all(|entry| is_own(entry.file_name().to_string_lossy().into_owned()))
        })
}

#[cfg(test)]
mod tests {
    use super::super::prices::tests::prices;
    use super::*;

    #[test]
    fn a_directory_is_gone_on_with_by_the_same_settings_and_refused_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path().join("bench"), Config::preset("smoke").unwrap());
        let open = |config: &Config, prices| BenchDirectory::open(&path, config, prices).map(|(_, found)| found);
        assert!(matches!(open(&Config::preset("quick").unwrap(), Some(prices(2))), Err(BenchError::Prices)));
        assert!(!path.exists());
        let begun = open(&config, Some(prices(2))).unwrap();
        assert_eq!(open(&config, None).unwrap(), begun, "the prices are kept");
        assert!(matches!(open(&config, Some(prices(3))), Err(BenchError::Other(_, "prices"))));
        let other = config.with("run.games=5").unwrap();
        assert!(matches!(open(&other, None), Err(BenchError::Other(_, "settings"))));
        let (held, _) = BenchDirectory::open(&path, &config, None).unwrap();
        assert!(matches!(open(&config, None), Err(BenchError::Lock(_))));
        drop(held);
        fs::write(path.join(DEFINITION), "{").unwrap();
        assert!(matches!(open(&config, None), Err(BenchError::Damaged(..))));
    }

    #[test]
    fn a_directory_with_anything_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("letter.txt"), "dear").unwrap();
        let config = Config::preset("smoke").unwrap();
        let refused = BenchDirectory::open(folder.path(), &config, Some(prices(2))).unwrap_err();
        assert!(matches!(refused, BenchError::Foreign(_)) && refused.to_string().contains("not empty"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written");
    }
}

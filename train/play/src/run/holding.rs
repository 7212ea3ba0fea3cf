//! The directories in which a run may begin.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{BEGINNING, CONFIG, LOCK, MANIFEST, METRICS, READERS, RunError};

/// The content of a directory, as far as runs are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Nothing, or it does not exist.
    Nothing,
    /// The files of a program that was killed before the run had begun.
    Beginning,
    /// A run.
    Run,
    /// Results of a run, without the state that it needs to go on.
    Remains,
    /// Something else.
    Other,
}

impl Holding {
    /// Determines what a directory holds.
    pub fn of(path: &Path) -> Self {
        let has = |name: &str| path.join(name).exists();
        let has_remains = has(METRICS) || !files_in(&path.join("checkpoints")).is_empty();
        match () {
            () if has(MANIFEST) => Self::Run,
            () if has(BEGINNING) => Self::Beginning,
            () if has_remains => Self::Remains,
            // Earlier versions wrote the settings first.
            () if has(CONFIG) => Self::Run,
            () if is_bare(path) => Self::Nothing,
            () => Self::Other,
        }
    }

    /// Refuses a directory in which no run can begin.
    ///
    /// # Errors
    /// If it holds anything but the files of a program killed at the beginning of a run.
    pub fn check_free(self, path: &Path) -> Result<(), RunError> {
        let told = match self {
            Self::Nothing | Self::Beginning => return Ok(()),
            Self::Remains => NO_STATE,
            Self::Run | Self::Other => "the directory is not empty: expected a new one, or a run",
        };
        Err(RunError::Foreign(path.to_owned(), told))
    }

    /// Refuses a directory that holds no run.
    ///
    /// # Errors
    /// If it holds none.
    pub fn check_run(self, path: &Path) -> Result<(), RunError> {
        let told = match self {
            Self::Run => return Ok(()),
            Self::Remains => NO_STATE,
            Self::Nothing | Self::Beginning | Self::Other => {
                "there is no run here: expected a directory with a config.toml and a state"
            }
        };
        Err(RunError::Foreign(path.to_owned(), told))
    }
}

const NO_STATE: &str = "checkpoints or metrics of a run without its state/manifest.json: expected a whole run, \
    or a new directory for a run that begins from a checkpoint";

/// Returns the files in a folder; nothing if it cannot be read.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Returns whether a directory holds at most the folders and locks of a run, and files that were never finished.
fn is_bare(path: &Path) -> bool {
    let of_ours = |file: &PathBuf| {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        [LOCK, READERS].iter().any(|lock| path.join(lock) == *file) || name.starts_with(".gipf-")
    };
    let folders = ["checkpoints", "state"].map(|folder| path.join(folder));
    let inside = folders.iter().flat_map(|folder| files_in(folder));
    files_in(path).into_iter().filter(|file| !folders.contains(file)).chain(inside).all(|file| of_ours(&file))
}

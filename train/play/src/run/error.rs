//! The errors of a run.

use std::path::PathBuf;

/// Why a run directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Reading or writing failed.
    #[error("{path} cannot be read or written: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, std::io::Error),
    /// The directory holds something else.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Foreign(PathBuf, &'static str),
    /// The settings of the run are wrong.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Config(PathBuf, String),
    /// A file was altered or cut short.
    #[error("{path}: the file is damaged: {why}", path = .0.display(), why = .1)]
    Damaged(PathBuf, String),
    /// A part of the run's state could not be saved or read.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    State(PathBuf, String),
}

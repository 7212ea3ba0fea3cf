//! What can be wrong with a run, and what is only told.

use std::fmt;
use std::path::PathBuf;

use super::{CONFIG, METRICS};
use crate::config::ConfigFault;

/// A run directory could not be used.
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
    Config(PathBuf, ConfigFault),
    /// A file was altered or cut short.
    #[error("{path}: the file is damaged: {why}", path = .0.display(), why = .1)]
    Damaged(PathBuf, String),
    /// A part of the run's state could not be saved or read.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    State(PathBuf, String),
}

/// What is not as the run left it, and does not keep it from going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Somebody has edited the settings.
    ConfigChanged,
    /// Somebody has edited the metrics.
    MetricsChanged,
    /// The last lines of the metrics are missing.
    MetricsLost {
        /// The first iteration without a line.
        from: u32,
        /// The last one.
        to: u32,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConfigChanged => {
                write!(f, "{CONFIG} was changed since the run wrote it; its settings count from now on")
            }
            Self::MetricsChanged => write!(f, "{METRICS} was changed since the run wrote it; it is taken as it is"),
            Self::MetricsLost { from, to } if from == to => write!(f, "{METRICS} has lost the line of iteration {to}"),
            Self::MetricsLost { from, to } => write!(f, "{METRICS} has lost the lines of iterations {from} to {to}"),
        }
    }
}

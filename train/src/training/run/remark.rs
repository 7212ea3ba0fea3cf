//! The remarks on a run.

use std::fmt;

use gipf_play::run::{CONFIG, METRICS};

/// A change to the files of a run that does not prevent it from resuming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The settings were edited.
    ConfigChanged,
    /// The metrics were edited.
    MetricsChanged,
    /// Lines of the metrics are missing, at the beginning or at the end.
    MetricsLost {
        /// The first iteration without a line.
        from: u32,
        /// The last one.
        to: u32,
    },
    /// The settings want a student, but the network grows no more.
    NoStudent,
    /// The file of this opponent in self-play was replaced.
    OpponentChanged(String),
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
            Self::NoStudent => {
                write!(f, "learning.student has no effect: expected a network that grows while it is set")
            }
            Self::OpponentChanged(name) => {
                write!(f, "the file of the opponent {name} was changed since it played here; it plays as it is now")
            }
        }
    }
}

//! Why a run cannot go on.

use std::path::PathBuf;

use gipf_models::{CheckpointError, EngineError};
use gipf_play::run::RunError;

use crate::training::learning::LearnerError;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The run directory.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The learner's state.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// The student cannot take a step.
    #[error("the student (learning.student; a rate of 0 drops it): {0}")]
    Student(LearnerError),
    /// The network no longer computes finite numbers.
    #[error("the network of the run cannot play, and a lower learning rate may help: {0}")]
    Engine(#[from] EngineError),
    /// The network that a run is to begin with does not fit.
    #[error("{} has {found}: expected {expected}, or a network that grows to it", path.display())]
    Growth {
        /// Its checkpoint.
        path: PathBuf,
        /// Its kind or sizes, where they differ.
        found: String,
        /// Those of the new network.
        expected: String,
    },
    /// A run is to begin from the state of another, and would already be complete.
    #[error("{} has {done} iterations: expected the new run to have more than {done} in all", from.display())]
    NothingLeft {
        /// The other run.
        from: PathBuf,
        /// Its complete iterations.
        done: u32,
    },
    /// The settings name an opponent that does not exist here.
    #[error(
        "setting self_play.opponent: {0} is not there: expected itself, or a program that has it, such as gipf train"
    )]
    Opponent(String),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The parts of an iteration were asked for out of order.
    #[error("iteration {iteration} cannot be {what} yet: expected {expected}")]
    Order {
        /// The iteration.
        iteration: u32,
        /// What was asked for.
        what: &'static str,
        /// What must come before.
        expected: &'static str,
    },
}

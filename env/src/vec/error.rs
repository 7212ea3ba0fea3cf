//! Why games that are stepped together cannot be stepped or resumed.

use crate::env::EnvError;
use crate::episode::StepError;
use crate::position::Outcome;
use crate::rules::{InvalidPosition, Variant};

/// Why nothing was stepped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VecStepError {
    /// There is not one action for each environment.
    #[error("{found} actions: expected one for each of {expected} environments")]
    Count {
        /// The number of actions.
        found: usize,
        /// The number of environments.
        expected: usize,
    },
    /// An array of the caller has the wrong size.
    #[error("array {array} of {found} entries: expected {expected}")]
    Size {
        /// The name of the array.
        array: &'static str,
        /// The number of its entries.
        found: usize,
        /// The number of entries for these environments.
        expected: usize,
    },
    /// One of the actions cannot be played.
    #[error("environment {index}: {source}")]
    Refused {
        /// The number of the environment.
        index: usize,
        /// Why.
        source: StepError,
    },
}

/// Why games that were read cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// No game can be started from their start.
    #[error(transparent)]
    Start(#[from] EnvError),
    /// The position of a game is not one of its rule set.
    #[error("environment {index}: {source}")]
    Invalid {
        /// The number of the environment.
        index: usize,
        /// The law that is broken.
        source: InvalidPosition,
    },
    /// A game has another rule set than the start of all games.
    #[error("environment {index}: a game of {found}, expected one of {expected}, as the start is")]
    Variant {
        /// The number of the environment.
        index: usize,
        /// Its rule set.
        found: Variant,
        /// That of the start.
        expected: Variant,
    },
    /// A game is over, although games that end are started over.
    #[error("environment {index}: the game is over, {outcome}: expected one that goes on")]
    Over {
        /// The number of the environment.
        index: usize,
        /// How its game ended.
        outcome: Outcome,
    },
}

//! What can be wrong with the bytes of a shard.

use gipf_models::{CheckpointError, EngineError};

/// Why a specification or a result cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Too many bytes or too few.
    #[error("a shard of {found} bytes: expected {expected}")]
    Length {
        /// The length found.
        found: usize,
        /// The length expected.
        expected: String,
    },
    /// The bytes are something else, or of another version.
    #[error("the bytes are no {expected} of this version of the program")]
    Foreign {
        /// What they should be.
        expected: &'static str,
    },
    /// Bytes were changed on the way.
    #[error("the bytes of a shard were damaged: their checksum differs")]
    Damaged,
    /// The result belongs to another specification.
    #[error("the result of another shard: expected that of iteration {iteration}, game {first}")]
    Other {
        /// The iteration expected.
        iteration: u32,
        /// The first game expected.
        first: u64,
    },
    /// Nobody has asked for this shard.
    #[error("iteration {iteration} has no shard that begins with game {first}")]
    Unknown {
        /// The iteration.
        iteration: u32,
        /// The first game.
        first: u64,
    },
    /// A decision that cannot have been taken, or has impossible numbers.
    #[error("game {game}, decision {decision}: {reason}")]
    Game {
        /// The number of the game in its run.
        game: u64,
        /// The decision, from 0.
        decision: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A setting that no games can be played with.
    #[error("the settings of a shard: {0}")]
    Settings(String),
    /// The checkpoint is not the one of the specification.
    #[error("a checkpoint with checksum {found}: expected {expected}")]
    Network {
        /// Its checksum.
        found: String,
        /// That of the specification.
        expected: String,
    },
    /// The checkpoint is damaged, or for another game.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The network does not compute finite numbers.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The games were stopped before they had ended.
    #[error("the shard was stopped")]
    Stopped,
}

//! Why an agent cannot play.

use std::path::PathBuf;

use gipf_env::Variant;
use gipf_models::{CheckpointError, EngineError, Pretrained};

use super::alpha_beta::WeightsFileError;
use super::setting::SettingError;
use crate::run::RunError;

/// Why an agent could not be named or built.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The text does not name an agent.
    #[error(
        "unknown agent `{0}`: expected random, greedy, alpha-beta:N with a depth of 1 to 8, alpha-beta: with limits \
         such as depth=4, nodes=10000 or time=50ms and perhaps eval=distilled, eval=terms or eval=PATH, separated by commas, \
         baseline:N with a strength of 1 to 8, level:N with a level of 1 to 10, pretrained or pretrained:sims=64, \
         or a checkpoint or a run: its path, or mcts:PATH with ,sims=64 or ,time=50ms"
    )]
    Unknown(String),
    /// One of its settings is invalid.
    #[error("agent `{agent}`: {source}")]
    Setting {
        /// The agent asked for.
        agent: String,
        /// What is wrong.
        source: SettingError,
    },
    /// There is too little memory for its transposition table or its caches.
    #[error(
        "agent `{agent}`: there are no {megabytes} MB of memory: expected a smaller hash= or cache=, or fewer threads"
    )]
    Memory {
        /// The agent asked for.
        agent: String,
        /// The size of its transposition table, or of the caches of all its threads.
        megabytes: usize,
    },
    /// Nothing limits its thinking.
    #[error("agent `{0}` would think without end: expected a limit such as depth=4, nodes=10000 or time=50ms")]
    Endless(String),
    /// Its file may have no end.
    #[error("{} is no regular file: expected a network or weights in one", .0.display())]
    Special(PathBuf),
    /// The file of an evaluation cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsFileError),
    /// The name of the network that comes with the program is given as the path of a file.
    #[error("there is no file `pretrained`: expected pretrained:sims=64 for the network of the program")]
    NoPretrainedFile,
    /// The file is not a valid checkpoint, or is for another rule set.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The program has no network for this rule set.
    #[error("no network for {0} comes with this program: expected {games}, or a checkpoint", games = Pretrained::games())]
    NotTrained(Variant),
    /// The network does not fit the observations and actions of this program.
    #[error("{network} is a network of another shape: expected one for {variant} as this program has it")]
    Shape {
        /// The place of the network.
        network: String,
        /// The rule set.
        variant: Variant,
    },
    /// The network cannot be evaluated.
    #[error("{network}: {source}")]
    Engine {
        /// The place of the network.
        network: String,
        /// What is wrong.
        source: EngineError,
    },
    /// The network is for another game than GIPF.
    #[error("{} is a network for {game}: expected one for a rule set of GIPF", network.display())]
    Game {
        /// Its file.
        network: PathBuf,
        /// The game.
        game: String,
    },
    /// The directory is not a run, or cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run has no network yet.
    #[error("{} is a run without a network: expected one with a checkpoint", .0.display())]
    NoNetwork(PathBuf),
}

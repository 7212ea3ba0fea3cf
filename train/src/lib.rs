//! Learning GIPF by self-play: the training loop, datasets, and the program `gipf`. Search, players and matches are those of
//! [`gipf_play`].
//!
//! * [`training`]: [`play_games`](training::play_games) lets searches play each other,
//!   [`play_agent_games`](training::play_agent_games) any agents; [`samples`](training::samples) are what their games teach;
//!   [`ReplayBuffer`](training::ReplayBuffer) keeps them. `trainer` is the loop of self-play, learning and evaluation,
//!   [`RunDirectory`](training::RunDirectory) what it leaves on disk; `fit` is learning alone, from games that were played
//!   before.
//! * `dataset`: games as Parquet files.
//! * [`bench`](mod@bench): what an hour of this machine can do.
//! * [`cli`] is the program.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod bench;
pub mod cli;
pub mod conformance;
mod core_time;
#[cfg(feature = "dataset")]
pub mod dataset;
mod output;
mod perft;
pub mod training;

pub use output::{Existing, OutputError, OutputFile};

/// The commit that the program was built from, if whoever built it said so in `GIPF_COMMIT`.
pub const COMMIT: Option<&str> = option_env!("GIPF_COMMIT");

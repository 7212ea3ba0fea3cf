//! Learning GIPF by self-play: the training loop, datasets, and the program `gipf`. Search, players and matches come from
//! [`gipf_play`].
//!
//! * [`training`]: [`play_games`](training::play_games) lets searches play each other,
//!   [`play_agent_games`](training::play_agent_games) does the same with any agents; [`samples`](training::samples)
//!   are what a network learns from their games; [`ReplayBuffer`](training::ReplayBuffer) keeps them. `trainer` is
//!   the loop of self-play, learning and evaluation, [`RunDirectory`](training::RunDirectory) its files on disk;
//!   `fit` only learns, from games that were played before.
//! * `dataset`: games as Parquet files.
//! * [`bench`](mod@bench): the speed of this machine.
//! * [`cli`] is the program.
//!
//! ```
//! use gipf_env::{GipfPosition, Variant};
//! use gipf_play::Stop;
//! use gipf_play::players::AgentSpec;
//! use gipf_train::training::{AgentAssignment, AgentPlayConfig, play_agent_games, samples};
//!
//! let (start, teacher) = (GipfPosition::start(Variant::BASIC), "alpha-beta:1".parse::<AgentSpec>()?);
//! let config = AgentPlayConfig { random_plies: 6, noise: 0.05 };
//! let assignment = AgentAssignment { start: &start, first_id: 0, games: 4, seed: 1, config };
//! let games = play_agent_games(&assignment, &teacher.contender(Variant::BASIC)?.build, &|_| (), &Stop::default());
//! assert_eq!(games.len(), 4);
//! assert!(games.iter().flat_map(|game| samples(game, 0.0)).all(|sample| sample.policy.len() == 1), "alpha-beta says only what it plays");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod bench;
#[cfg(feature = "program")]
pub mod cli;
pub mod conformance;
mod core_time;
#[cfg(feature = "dataset")]
pub mod dataset;
mod output;
mod output_folder;
mod perft;
#[cfg(feature = "learn")]
mod plot;
pub mod training;

pub use output::{Existing, OutputError, OutputFile};
pub use output_folder::write_folder;

/// The commit that the program was built from, if the build set it in `GIPF_COMMIT`.
pub const COMMIT: Option<&str> = option_env!("GIPF_COMMIT");

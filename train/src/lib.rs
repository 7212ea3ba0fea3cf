//! Learning GIPF by self-play: search, players, the training loop, the arena, datasets, and the program `gipf`.
//!
//! * [`search`] turns what a network says about positions into better policies and values.
//! * [`play_games`] lets searches play each other, [`play_agent_games`] any agents; [`samples`] are what their games teach; [`Replay`] keeps them.
//! * `trainer` is the loop of self-play, learning and evaluation, [`RunDirectory`] what it leaves on disk.
//! * `fit` is learning alone, from games that were played before.
//! * [`players`] choose actions, [`arena`] measures who does so better.
//! * [`ugi`] is how programs of others take part, and how this one plays in theirs.
//! * [`cli`] is the program.

mod agent_games;
pub mod arena;
pub mod bench;
mod cache;
#[cfg(feature = "learn")]
mod chart;
mod checksum;
pub mod cli;
mod config;
pub mod conformance;
mod core_time;
#[cfg(feature = "dataset")]
pub mod dataset;
mod evaluator;
pub mod exact;
#[cfg(feature = "learn")]
pub mod fit;
mod in_order;
#[cfg(feature = "learn")]
mod judge;
#[cfg(feature = "learn")]
mod learner;
mod lookup;
pub mod metrics;
mod output;
mod packed;
mod perft;
pub mod players;
mod printable;
mod replay;
mod run;
mod sample;
pub mod search;
mod self_play;
mod setting;
mod stop;
mod tagged_game;
#[cfg(feature = "learn")]
pub mod trainer;
pub mod ugi;

pub use agent_games::{AgentAssignment, AgentPlayConfig, play_agent_games};
pub use cache::{Cache, CacheConfig, Kept};
pub use checksum::Seal;
pub use config::{Config, ConfigFault, LearningConfig, OptimizerConfig, PromotionConfig, SettledConfig};
pub use evaluator::{EvaluationCounts, NetEvaluator};
#[cfg(feature = "learn")]
pub use judge::Baselines;
#[cfg(feature = "learn")]
pub use learner::{Learner, LearnerError};
pub use output::{Existing, OutputError, OutputFile};
pub use packed::PackedSamples;
pub use printable::printable;
pub use replay::{Replay, ReplayConfig};
pub use run::{Manifest, NewRun, Remark, RunDirectory, RunError, SampleFile};
pub use sample::{Decision, Effort, PlayedGame, Sample, batch, samples, weighted_samples};
pub use self_play::{Assignment, SelfPlayConfig, play_games};
pub use stop::{Stop, Watch};
pub use tagged_game::TaggedGame;

/// The commit that the program was built from, if whoever built it said so in `GIPF_COMMIT`.
pub const COMMIT: Option<&str> = option_env!("GIPF_COMMIT");

//! The training loop, one noun a file: settings, self-play, samples, replay window, learner, trainer, metrics, runs.

#[cfg(feature = "learn")]
mod adamw;
mod agent_games;
#[cfg(feature = "learn")]
mod beginning;
#[cfg(feature = "learn")]
pub(crate) mod chart;
#[cfg(feature = "learn")]
mod checkpoint_eval;
mod config;
mod description;
mod examples;
#[cfg(feature = "learn")]
pub mod fit;
#[cfg(feature = "learn")]
mod learner;
pub mod metrics;
mod opponent;
mod packed;
mod phase;
mod replay;
mod run;
mod sample;
mod scalars;
mod self_play;
mod setting;
pub mod shard;
#[cfg(feature = "learn")]
pub(crate) mod trained;
#[cfg(feature = "learn")]
pub mod trainer;
pub mod watch;

pub use agent_games::{AgentAssignment, AgentPlayConfig, play_agent_games};
#[cfg(feature = "learn")]
pub use beginning::{Beginning, RunOrder, RunOrderError, named_start, read_config};
#[cfg(feature = "learn")]
pub use chart::learning_curve;
#[cfg(feature = "learn")]
pub use checkpoint_eval::Baselines;
pub use config::{Config, ConfigFault, GatingConfig, LearningConfig, NetworkConfig, OptimizerConfig};
pub use description::{Setting, SettingsTable};
pub use examples::examples;
#[cfg(feature = "learn")]
pub use learner::{Learner, LearnerError};
pub use opponent::{ITSELF, Opponents};
pub use packed::PackedSamples;
pub use phase::Phase;
pub use replay::{ReplayBuffer, ReplayConfig};
pub use run::{NewRun, Remark, RunDirectory, RunView};
pub use sample::{
    Decision, PlayedGame, Sample, SampleConfig, SearchKind, batch, batch_under, samples, weighted_samples,
};
#[cfg(feature = "dataset")]
pub(crate) use sample::{result_for, share_turns};
pub use scalars::{CHARTS, Chart, Scalar, scalars};
pub use self_play::{Assignment, ManyGames, SelfPlayConfig, play_games, play_games_against};
pub use setting::{new_name, old_names};

//! The training loop: settings, self-play, samples, learning, metrics, runs, and the trainer that drives it all.

#[cfg(feature = "learn")]
mod beginning;
#[cfg(feature = "learn")]
mod checkpoint_eval;
#[cfg(feature = "learn")]
mod learning;
pub mod metrics;
mod run;
mod samples;
mod self_play;
mod settings;
pub mod shard;
#[cfg(feature = "learn")]
pub mod trainer;
pub mod watch;

#[cfg(feature = "learn")]
pub use beginning::{Beginning, RunOrder, RunOrderError, named_start, read_config};
#[cfg(feature = "learn")]
pub use checkpoint_eval::{Baselines, beaten};
#[cfg(feature = "learn")]
pub use learning::{Learner, LearnerError, fit};
#[cfg(feature = "learn")]
pub use metrics::learning_curve;
pub use metrics::{CHARTS, Chart, Scalar, scalars};
pub use run::{NewRun, Remark, RunDirectory, RunView};
pub(crate) use samples::can_be_played;
pub use samples::{
    Decision, PackedSamples, PlayedGame, ReplayBuffer, ReplayConfig, Sample, SampleConfig, SearchKind, Split, batch,
    batch_under, examples, samples, weighted_samples,
};
#[cfg(feature = "dataset")]
pub(crate) use samples::{result_for, share_turns};
pub use self_play::{
    AgentAssignment, AgentPlayConfig, Assignment, ITSELF, ManyGames, Opponents, SelfPlayConfig, play_agent_games,
    play_games, play_games_against,
};
pub use settings::{
    Config, ConfigFault, GatingConfig, LearningConfig, MOST_SEED, NetworkConfig, OptimizerConfig, Phase, Setting,
    SettingsTable, StudentConfig, assigned, new_name, old_names,
};

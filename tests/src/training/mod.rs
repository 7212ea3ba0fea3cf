//! Self-play, learning, and the training loop of both.

mod agent_games;
#[cfg(feature = "learn")]
mod bench;
#[cfg(feature = "learn")]
mod fit;
#[cfg(feature = "learn")]
mod forked;
#[cfg(feature = "learn")]
mod gating;
mod many_games;
#[cfg(feature = "learn")]
mod opponent;
mod self_play;
mod settings;
#[cfg(feature = "learn")]
mod shards;
#[cfg(feature = "learn")]
mod student;
#[cfg(feature = "learn")]
pub mod trainer;
#[cfg(feature = "learn")]
mod watch;

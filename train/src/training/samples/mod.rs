//! What is learned from: the games that were played, their samples, and the window of samples that are kept.

mod examples;
mod packed;
mod replay;
mod sample;
mod split;

pub use examples::examples;
pub use packed::PackedSamples;
pub use replay::{ReplayBuffer, ReplayConfig};
pub(crate) use sample::can_be_played;
pub use sample::{
    Decision, PlayedGame, Sample, SampleConfig, SearchKind, batch, batch_under, samples, weighted_samples,
};
#[cfg(feature = "dataset")]
pub(crate) use sample::{result_for, share_turns};
pub use split::Split;

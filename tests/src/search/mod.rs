//! Searches against exact answers.

pub mod alpha_beta;
mod answers;
mod cache;
mod distilled;
pub mod exact;
mod many;
mod rings;
mod shared;
pub mod solved;
#[cfg(feature = "learn")]
mod solved_network;
pub mod tree;

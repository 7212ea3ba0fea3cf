//! Games as files.

#[cfg(feature = "learn")]
mod batches;
mod care;
pub mod games;
pub mod manifest;
mod parted;
mod taken;
mod tuned;

//! Games as files.

#[cfg(feature = "learn")]
mod batches;
mod care;
pub mod games;
mod manifest;
mod parted;
mod tuned;

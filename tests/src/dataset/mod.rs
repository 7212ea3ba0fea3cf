//! Games as files.

#[cfg(feature = "learn")]
mod batches;
#[cfg(feature = "learn")]
mod care;
#[cfg(feature = "learn")]
pub mod games;
#[cfg(feature = "learn")]
mod manifest;

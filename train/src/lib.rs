//! Training.

pub mod cli;
pub mod conformance;
pub mod search;
mod stop;

pub use stop::{Stop, Watch};

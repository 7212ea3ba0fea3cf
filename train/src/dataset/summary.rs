//! The summary of a dataset, in numbers.

use std::path::PathBuf;

use serde::Serialize;

/// The summary of what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The number of games.
    pub games: u64,
    /// The number of rows: decisions.
    pub rows: u64,
    /// The files, in order.
    pub files: Vec<PathBuf>,
}

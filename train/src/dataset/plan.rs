//! The plan of a dataset.

use serde::Serialize;

use super::{Provenance, SCHEMA_VERSION};

/// Everything that determines a command's output, to the last bit: a partial dataset is resumed only with an equal
/// plan.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// The command.
    pub command: &'static str,
    /// Where the games come from.
    pub provenance: Provenance,
    /// The number of games asked for, if that is known.
    pub games: Option<u64>,
    /// The checksums of the sources of the games, such as a network or the manifests of other datasets.
    pub parents: Vec<String>,
    /// The other settings of the command.
    pub choices: serde_json::Value,
    /// A file is full with the first game that brings it to this many rows. This many rows are kept in memory.
    pub part_rows: usize,
}

/// The rows at which a file is full.
const PART_ROWS: usize = 1 << 16;

impl Plan {
    /// Returns the plan of a command that needs only the origin of the games.
    pub const fn new(command: &'static str, provenance: Provenance) -> Self {
        let choices = serde_json::Value::Null;
        Self { command, provenance, games: None, parents: Vec::new(), choices, part_rows: PART_ROWS }
    }

    /// Returns the checksum of the plan.
    pub(super) fn settings(&self) -> String {
        let text = serde_json::to_string(&(SCHEMA_VERSION, self)).expect("a plan is plain values");
        blake3::hash(text.as_bytes()).to_string()
    }
}

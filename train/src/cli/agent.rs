//! The rule set that agents named in a command play.

use std::path::Path;

use anyhow::{Context, Result};
use gipf_env::Variant;
use gipf_models::Checkpoint;

use crate::players::{AgentSpec, CheckpointSpec, Network};

/// Returns the rule set asked for, or that of the first checkpoint among the agents; `standard` if nothing says so.
///
/// # Errors
/// If that checkpoint cannot be read, or is of another game than GIPF.
pub(super) fn variant(asked: Option<Variant>, agents: &[&AgentSpec]) -> Result<Variant> {
    let checkpoint = agents.iter().find_map(|spec| match spec {
        AgentSpec::Checkpoint(CheckpointSpec { network: Network::File(path), .. }) => Some(path),
        _ => None,
    });
    match (asked, checkpoint) {
        (Some(variant), _) => Ok(variant),
        (None, None) => Ok(Variant::STANDARD),
        (None, Some(path)) => variant_of(&Checkpoint::load(path)?, path),
    }
}

/// Returns the rule set that the checkpoint of this file plays.
///
/// # Errors
/// If it is of another game than GIPF.
pub(super) fn variant_of(checkpoint: &Checkpoint, path: &Path) -> Result<Variant> {
    let game = &checkpoint.metadata.game;
    game.parse().with_context(|| format!("{} is a network for another game", path.display()))
}

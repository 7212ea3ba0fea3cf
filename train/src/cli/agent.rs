//! The rule set that agents named in a command play.

use anyhow::{Context, Result};
use gipf_env::Variant;
use gipf_models::Checkpoint;

use crate::players::AgentSpec;

/// Returns the rule set asked for, or that of the first checkpoint among the agents; `standard` if nothing says so.
///
/// # Errors
/// If that checkpoint cannot be read, or is of another game than GIPF.
pub(super) fn variant(asked: Option<Variant>, agents: &[&AgentSpec]) -> Result<Variant> {
    let checkpoint = agents.iter().find_map(|spec| match spec {
        AgentSpec::Checkpoint(checkpoint) => Some(&checkpoint.path),
        _ => None,
    });
    match (asked, checkpoint) {
        (Some(variant), _) => Ok(variant),
        (None, None) => Ok(Variant::STANDARD),
        (None, Some(path)) => {
            let game = Checkpoint::load(path)?.metadata.game;
            game.parse().with_context(|| format!("{} is a network for another game", path.display()))
        }
    }
}

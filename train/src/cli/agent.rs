//! The rule set that agents named in a command play.

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::players::AgentSpec;

/// Returns the rule set asked for, or that of the first network among the agents that has one; `standard` by default.
///
/// # Errors
/// If that network cannot be read, or is of another game than GIPF.
pub(super) fn variant(asked: Option<Variant>, agents: &[&AgentSpec]) -> Result<Variant> {
    if let Some(variant) = asked {
        return Ok(variant);
    }
    for agent in agents {
        if let Some(variant) = agent.variant()? {
            return Ok(variant);
        }
    }
    Ok(Variant::STANDARD)
}

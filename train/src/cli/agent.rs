//! The rule set that agents named in a command play, and their games.

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::players::AgentSpec;

use super::WrongUse;

/// Returns the rule set asked for, or that of the first network among the agents that has one; `standard` by default.
///
/// # Errors
/// If that network cannot be read, or is for a game other than GIPF.
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

/// Returns the number of pairs that make up this many games.
///
/// # Errors
/// If the number of games is odd.
pub(super) fn pairs(games: u64) -> Result<u64, WrongUse> {
    if games.is_multiple_of(2) {
        return Ok(games / 2);
    }
    Err(WrongUse(format!("--games {games}: expected an even number, for pairs with colours exchanged")))
}

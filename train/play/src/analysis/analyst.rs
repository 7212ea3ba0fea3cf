//! Which agent analyses a game.

use gipf_env::{GipfPosition, Variant};
use gipf_models::Pretrained;

use super::Effort;
use crate::players::alpha_beta::Depth;
use crate::players::{AgentError, AgentSpec, CheckpointSpec, Contender, Network};

/// Returns the default analyst of a rule set: the network that comes with the program or, if there is none, the
/// baseline AI at its greatest depth.
pub fn default_analyst(variant: Variant) -> AgentSpec {
    match Pretrained::of(&variant.to_string()) {
        Some(_) => AgentSpec::Checkpoint(CheckpointSpec::new(Network::Pretrained)),
        None => AgentSpec::Depth(Depth::MAX),
    }
}

/// Returns an agent as an analyst. If the effort sets limits, they replace those in the agent's name, which leaves them
/// out.
///
/// # Errors
/// If it cannot be built, or does not play this rule set.
pub fn analyst(spec: &AgentSpec, variant: Variant, effort: &Effort) -> Result<Contender<GipfPosition>, AgentError> {
    let contender = spec.contender(variant)?;
    let is_limited = effort.nodes.is_some() || effort.time.is_some();
    let name = Some(spec.resolved()?).filter(|_| is_limited).and_then(|spec| name_without_limits(&spec));
    Ok(Contender { name: name.unwrap_or(contender.name), ..contender })
}

/// Returns the name without limits of an agent that has no other settings.
fn name_without_limits(spec: &AgentSpec) -> Option<String> {
    match spec {
        AgentSpec::Checkpoint(own) => {
            let plain = CheckpointSpec { thinking: own.thinking, ..CheckpointSpec::new(own.network.clone()) };
            (*own == plain).then(|| own.network.to_string())
        }
        AgentSpec::AlphaBeta(own) => (*own == own.settings.limits.into()).then(|| ALPHA_BETA.to_owned()),
        AgentSpec::Depth(_) => Some(ALPHA_BETA.to_owned()),
        _ => None,
    }
}

const ALPHA_BETA: &str = "alpha-beta";

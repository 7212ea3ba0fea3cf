//! Who thinks about a game.

use gipf_env::{GipfPosition, Variant};
use gipf_models::Pretrained;

use super::Effort;
use crate::players::alpha_beta::Depth;
use crate::players::{AgentError, AgentSpec, CheckpointSpec, Contender, Network};

/// Returns the analyst of a rule set for those who name none: the network that comes with the program, or the baseline AI
/// at its greatest depth where there is none.
pub fn default_analyst(variant: Variant) -> AgentSpec {
    match Pretrained::of(&variant.to_string()) {
        Some(_) => AgentSpec::Checkpoint(CheckpointSpec::new(Network::Pretrained)),
        None => AgentSpec::Depth(Depth::MAX),
    }
}

/// Returns an agent as an analyst; its name is without limits that do not hold, since those of the effort do.
///
/// # Errors
/// If it cannot be built, or does not play this rule set.
pub fn analyst(spec: &AgentSpec, variant: Variant, effort: &Effort) -> Result<Contender<GipfPosition>, AgentError> {
    let contender = spec.contender(variant)?;
    let is_limited = effort.nodes.is_some() || effort.time.is_some();
    let name = Some(spec.resolved()?).filter(|_| is_limited).and_then(|spec| name_without_limits(&spec));
    Ok(Contender { name: name.unwrap_or(contender.name), ..contender })
}

/// Returns the name of an agent that has no settings but limits.
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

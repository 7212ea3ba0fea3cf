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
    let name = match spec.resolved()? {
        AgentSpec::Checkpoint(own) if is_limited && own == CheckpointSpec::new(own.network.clone()) => {
            own.network.to_string()
        }
        AgentSpec::Depth(_) if is_limited => "alpha-beta".to_owned(),
        _ => contender.name,
    };
    Ok(Contender { name, ..contender })
}

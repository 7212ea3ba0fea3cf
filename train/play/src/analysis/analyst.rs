//! Which agent analyses a game.

use gipf_env::{GipfPosition, Variant};
use gipf_models::Pretrained;

use super::Effort;
use crate::players::alpha_beta::{AlphaBetaSpec, Depth, Limits};
use crate::players::{AgentError, AgentSpec, CheckpointSpec, Contender, Network};

/// Returns the default analyst of a rule set: the network that comes with the program or, if there is none, the
/// baseline AI at its greatest depth.
pub fn default_analyst(variant: Variant) -> AgentSpec {
    match Pretrained::of(&variant.to_string()) {
        Some(_) => AgentSpec::Checkpoint(CheckpointSpec::new(Network::Pretrained)),
        None => AgentSpec::Depth(Depth::MAX),
    }
}

/// Returns an agent as an analyst. If the effort sets limits, it is the agent that has them instead of its own, and its
/// name leaves them out.
///
/// # Errors
/// If it cannot be built, or does not play this rule set.
pub fn analyst(spec: &AgentSpec, variant: Variant, effort: &Effort) -> Result<Contender<GipfPosition>, AgentError> {
    if !effort.is_limited() {
        return spec.contender(variant);
    }
    let spec = spec.resolved()?;
    let contender = limited(&spec, variant, effort).contender(variant)?;
    Ok(Contender { name: unlimited_name(&spec), ..contender })
}

/// Returns the agent with the limits of the effort, by which the baseline AI has its memory; networks need no change.
fn limited(spec: &AgentSpec, variant: Variant, effort: &Effort) -> AgentSpec {
    match spec.behind(variant).into_owned() {
        AgentSpec::Depth(depth) => limited(&AgentSpec::AlphaBeta(depth.limits().into()), variant, effort),
        AgentSpec::AlphaBeta(own) => {
            let limits = Limits { nodes: effort.nodes, time: effort.time, ..own.settings.limits.lifted() };
            AgentSpec::AlphaBeta(own.with_limits(limits))
        }
        other => other,
    }
}

/// Returns the name of an agent without its limits; a strength is more than those.
fn unlimited_name(spec: &AgentSpec) -> String {
    match spec {
        AgentSpec::Checkpoint(own) => own.unlimited_name(),
        AgentSpec::AlphaBeta(own) => own.unlimited_name(),
        AgentSpec::Depth(depth) => AlphaBetaSpec::from(depth.limits()).unlimited_name(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    #[test]
    fn an_analyst_is_named_by_all_but_its_limits() {
        let effort = Effort { nodes: Some(20), ..Effort::default() };
        for (text, name) in [
            ("pretrained", "pretrained"),
            ("pretrained:sims=9,time=1s,threads=2,c_init=2", "pretrained:threads=2,c_init=2"),
            ("alpha-beta:1", "alpha-beta:captures=0"),
            ("alpha-beta:3", "alpha-beta"),
            ("alpha-beta:nodes=5,eval=terms,hash=1", "alpha-beta:eval=terms,hash=1"),
            ("baseline:2", "baseline:2"),
        ] {
            let spec: AgentSpec = text.parse().unwrap();
            let named = |effort| analyst(&spec, Variant::STANDARD, effort).unwrap().name;
            assert_eq!(named(&effort), name, "{text}");
            assert_eq!(named(&Effort::default()), spec.to_string());
            assert!(name.parse::<AgentSpec>().is_ok() || name == "alpha-beta", "{name}");
        }
    }

    /// A table of the size that suits depth 2 would forget most of the positions.
    #[test]
    fn limits_in_a_name_do_not_change_an_analysis() {
        let position = GipfPosition::start(Variant::STANDARD);
        let effort = Effort { nodes: Some(30_000), ..Effort::default() };
        let considered = |text: &str| {
            let mut agent = (analyst(&text.parse().unwrap(), Variant::STANDARD, &effort).unwrap().build)();
            agent.begin(&position, &[], 0);
            agent.consider(&position, &effort.limits(&Stop::default()), 3).unwrap()
        };
        let expected = considered("alpha-beta:8");
        for text in ["alpha-beta:2", "alpha-beta:nodes=100", "alpha-beta:depth=3,time=1s"] {
            assert_eq!(considered(text), expected, "{text}");
        }
    }
}

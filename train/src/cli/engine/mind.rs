//! The agent of an engine.

use gipf_env::{GipfPosition, Variant};
use gipf_play::players::{Agent, AgentError, AgentSpec};

/// An agent, and the rule set that it was built for.
pub(super) struct Mind {
    pub spec: AgentSpec,
    pub variant: Variant,
    pub seed: u32,
    pub agent: Box<dyn Agent<GipfPosition>>,
}

impl Mind {
    /// Builds an agent.
    pub fn build(spec: &AgentSpec, variant: Variant, seed: u32) -> Result<Self, AgentError> {
        let contender = spec.contender(variant)?;
        Ok(Self { spec: spec.clone(), variant, seed, agent: (contender.build)() })
    }

    /// Returns whether it was built for these arguments.
    pub fn fits(&self, spec: &AgentSpec, variant: Variant, seed: u32) -> bool {
        self.spec == *spec && self.variant == variant && self.seed == seed
    }

    /// Starts a game for the agent.
    pub fn begin(&mut self, position: &GipfPosition) {
        self.agent.begin(position, &[], self.seed.into());
    }
}

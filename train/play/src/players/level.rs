//! Strengths for people, from beginner to full.

use gipf_env::Variant;

use super::alpha_beta::Strength;
use super::scale::scale;
use super::{AgentSpec, CheckpointSpec, Network, Thinking};

scale! {
    /// A strength for people, 1 to 10: the network that comes with the program, with more simulations at each level, and at
    /// the lowest levels a random element. The network with time to think is stronger than all of them. Rule sets without a
    /// network use random, greedy, and the strengths of the baseline AI.
    Level, STRENGTHS[0].1.len() as u8, "level"
}

/// Simulations and temperature of the ten levels of one game.
type Strengths = [(u32, f32); 10];

/// The strengths for each network that comes with the program, chosen so that every level wins some 65 to 85 % of the
/// games against the one below: they must be measured again for every new network (`scripts/play-levels`).
const STRENGTHS: [(&str, Strengths); 6] = [
    (
        "basic",
        [(0, 1.6), (0, 1.1), (0, 0.75), (0, 0.45), (2, 0.0), (5, 0.0), (9, 0.0), (16, 0.0), (28, 0.0), (46, 0.0)],
    ),
    (
        "standard",
        [(0, 1.6), (0, 1.05), (0, 0.5), (2, 0.0), (5, 0.0), (9, 0.0), (16, 0.0), (28, 0.0), (46, 0.0), (76, 0.0)],
    ),
    (
        "tournament",
        [(0, 1.6), (0, 1.0), (0, 0.5), (2, 0.0), (5, 0.0), (9, 0.0), (16, 0.0), (28, 0.0), (46, 0.0), (76, 0.0)],
    ),
    (
        "standard+zertz",
        [(0, 1.6), (0, 1.0), (0, 0.5), (2, 0.0), (5, 0.0), (9, 0.0), (16, 0.0), (28, 0.0), (46, 0.0), (76, 0.0)],
    ),
    (
        "basic+zertz",
        [(0, 1.6), (0, 1.1), (0, 0.75), (0, 0.45), (2, 0.0), (5, 0.0), (9, 0.0), (14, 0.0), (24, 0.0), (40, 0.0)],
    ),
    (
        "tournament+zertz",
        [(0, 1.6), (0, 1.0), (0, 0.5), (2, 0.0), (5, 0.0), (9, 0.0), (16, 0.0), (28, 0.0), (46, 0.0), (68, 0.0)],
    ),
];

/// Returns the strengths of the network of a rule set, if one comes with the program.
fn strengths(variant: Variant) -> Option<Strengths> {
    let name = variant.to_string();
    STRENGTHS.into_iter().find(|(game, _)| *game == name).map(|(_, strengths)| strengths)
}

impl Level {
    /// Returns the agent for a rule set at this level.
    pub fn player(self, variant: Variant) -> AgentSpec {
        if let Some(strengths) = strengths(variant) {
            let (simulations, temperature) = strengths[usize::from(self.0) - 1];
            let thinking = Thinking::Strength(simulations);
            let network = CheckpointSpec::new(Network::Pretrained);
            return AgentSpec::Checkpoint(CheckpointSpec { thinking, temperature, ..network });
        }
        match self.0 {
            1 => AgentSpec::Random,
            2 => AgentSpec::Greedy,
            number => AgentSpec::AlphaBeta(Strength::new(number - 2).unwrap_or(Strength::MAX).settings().into()),
        }
    }
}

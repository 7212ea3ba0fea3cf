//! Strengths for people, from beginner to full.

use std::fmt;
use std::str::FromStr;

use gipf_env::Variant;

use super::alpha_beta::Strength;
use super::setting::{SettingError, number};
use super::{AgentSpec, CheckpointSpec, Network, Thinking};

/// A strength for people, 1 to 10: the network that comes with the program, with more simulations at each level, and at
/// the lowest levels a random element. The network with time to think is stronger than all of them. Rule sets without a
/// network use random, greedy, and the strengths of the baseline AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

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
    /// The highest level.
    pub const MAX: Self = Self(STRENGTHS[0].1.len() as u8);

    /// Returns the level with this number, 1 to 10, if there is one.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// Iterates over all levels, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX.0).map(Self)
    }

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

impl FromStr for Level {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        number("level", text, 1..=Self::MAX.0).map(Self)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

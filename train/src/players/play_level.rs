//! Strengths for people, from beginner to full.

use std::fmt;

use gipf_env::Variant;
use gipf_models::Pretrained;

use super::alpha_beta::Level;
use super::{AgentSpec, CheckpointSpec, Network, Thinking};

/// A strength for people, 1 to 10: the network that comes with the program, with more simulations at each level, and a
/// choice that is less and less left to chance. In rule sets without a network it is random, greedy, and the levels of
/// the baseline AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlayLevel(u8);

/// Simulations and temperature of each level, the lowest first.
const LEVELS: [(u32, f32); 10] =
    [(0, 2.5), (0, 1.5), (0, 1.0), (0, 0.5), (4, 0.0), (16, 0.0), (64, 0.0), (256, 0.0), (1024, 0.0), (8192, 0.0)];

impl PlayLevel {
    /// The highest level.
    pub const MAX: Self = Self(LEVELS.len() as u8);

    /// The level that gives advice: a strong one that answers at once.
    pub const ADVISER: Self = Self(9);

    /// Returns the level with this number, 1 to 10, if there is one.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// Iterates over all levels, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX.0).map(Self)
    }

    /// Returns who plays a rule set at this level.
    pub fn player(self, variant: Variant) -> AgentSpec {
        if Pretrained::of(&variant.to_string()).is_some() {
            return AgentSpec::Checkpoint(self.network());
        }
        match self.0 {
            1 => AgentSpec::Random,
            2 => AgentSpec::Greedy,
            number => AgentSpec::Level(Level::new(number - 2).unwrap_or(Level::MAX)),
        }
    }

    /// Returns the search with the network at this level.
    fn network(self) -> CheckpointSpec {
        let (simulations, temperature) = LEVELS[usize::from(self.0) - 1];
        let thinking = Thinking::Simulations(simulations);
        CheckpointSpec { thinking, temperature, ..CheckpointSpec::new(Network::Pretrained) }
    }
}

impl fmt::Display for PlayLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

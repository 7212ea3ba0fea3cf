//! What can be wrong with a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reason why a network does not learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The action mask and the list of legal actions differ.
    Mask,
    /// A symmetry does not map what follows a position.
    Symmetry,
    /// Policy targets do not match the legal actions of their positions.
    Targets,
    /// The evaluations in the games are not those of the network that played.
    Answers,
    /// Values have the wrong sign for one colour.
    ValueSign,
    /// Values say nothing about results.
    BlindValues,
    /// Nearly all values are a certain win or loss, and many are wrong.
    Saturated,
    /// The search adds nothing to the network's policy.
    FlatTargets,
    /// The policy does not follow its targets.
    Unfollowed,
    /// The learning rate is not the one of the settings, or has no effect.
    LearningRate,
    /// A tensor of the network does not move.
    StillWeights,
    /// Many units of a layer are dead.
    DeadUnits,
    /// The optimiser has lost its state.
    Optimizer,
    /// Losses or gradients are larger than those of a network that knows nothing.
    Losses,
    /// The window has almost no new samples.
    Window,
    /// Games occur more than once.
    Duplicates,
    /// Games are cut off by the limit.
    Limit,
    /// Games are too short.
    Short,
    /// One colour wins nearly all games.
    OneSided,
}

impl Fault {
    /// All faults, in the order of the page that explains them.
    pub const ALL: [Self; 19] = [
        Self::Mask,
        Self::Symmetry,
        Self::Targets,
        Self::Answers,
        Self::ValueSign,
        Self::BlindValues,
        Self::Saturated,
        Self::FlatTargets,
        Self::Unfollowed,
        Self::LearningRate,
        Self::StillWeights,
        Self::DeadUnits,
        Self::Optimizer,
        Self::Losses,
        Self::Window,
        Self::Duplicates,
        Self::Limit,
        Self::Short,
        Self::OneSided,
    ];

    /// Returns what is wrong, in a few words, and the section of the page that explains it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Mask => ("the action mask is not the list of legal actions", "mask"),
            Self::Symmetry => ("a symmetry does not map the game", "symmetry"),
            Self::Targets => ("policy targets belong to other positions", "targets"),
            Self::Answers => ("the games were played with answers that the network does not give", "answers"),
            Self::ValueSign => ("values have the wrong sign for one colour", "value-sign"),
            Self::BlindValues => ("values say nothing about results", "blind-values"),
            Self::Saturated => ("nearly all values are certain, and many are wrong", "saturated-values"),
            Self::FlatTargets => ("the search adds nothing to the policy", "flat-targets"),
            Self::Unfollowed => ("the policy does not follow its targets", "unfollowed-targets"),
            Self::LearningRate => ("the learning rate is stuck", "learning-rate"),
            Self::StillWeights => ("a part of the network does not learn", "still-weights"),
            Self::DeadUnits => ("units of the network are dead", "dead-units"),
            Self::Optimizer => ("the optimiser has lost its state", "optimiser"),
            Self::Losses => ("learning steps are too large", "losses"),
            Self::Window => ("the window is stale", "window"),
            Self::Duplicates => ("games occur more than once", "duplicates"),
            Self::Limit => ("games end by the limit", "limit"),
            Self::Short => ("games are too short", "short-games"),
            Self::OneSided => ("one colour wins nearly always", "one-sided-games"),
        }
    }
}

/// A fault that was found, with the numbers that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// What was found.
    pub found: String,
    /// What was expected instead.
    pub expected: String,
}

impl Finding {
    /// Creates a finding.
    pub fn new(fault: Fault, found: String, expected: impl Into<String>) -> Self {
        Self { fault, found, expected: expected.into() }
    }
}

/// Writes one line, such as `the window is stale: 9000 samples in four iterations, expected new ones
/// (docs/not-learning.md#window)`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, section) = self.fault.words();
        write!(f, "{what}: {}, expected {} (docs/not-learning.md#{section})", self.found, self.expected)
    }
}

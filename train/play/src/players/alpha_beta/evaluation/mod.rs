//! The static evaluation of a quiet position: its value for the player to move.

mod patterns;
mod potentials;
mod terms;

use std::fmt;
use std::sync::Arc;

use gipf_env::{GipfPosition, Variant};
use gipf_models::Shipped;

use patterns::is_loaded;
pub use patterns::{
    Layout, PatternFileError, Patterns, View, WeightsFileError, cover, packed, read_weights, read_weights_file,
    unpacked, weights_of,
};
pub use potentials::Potentials;
pub use terms::Weights;
pub(super) use terms::{FOURS, STEPS};

/// A value in hundredths of a captured basic piece, or a proven result: see [`WIN`].
pub type Score = i32;

/// The score of a win, less the number of the turn that brings it; a loss has the negative of that.
pub const WIN: Score = 1_000_000;

/// Scores beyond this, either way, are proven results.
pub const PROVEN: Score = WIN - 100_000;

/// The kind of an evaluation, as named in the settings of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationKind {
    /// A few terms with weights found by play: `terms`.
    Terms,
    /// The patterns on the lines, with weights fitted to games of alpha-beta; in standard+zertz and tournament+zertz
    /// the same as `distilled`, in push-off the same as `terms`: `patterns`.
    #[default]
    Patterns,
    /// The same patterns, with weights distilled from searches with the networks that come with the program, and values of
    /// potentials; in push-off the same as `terms`: `distilled`.
    Distilled,
}

impl EvaluationKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Patterns, Self::Distilled, Self::Terms];

    /// Returns the file that comes with the program and that it needs for a rule set, if any.
    pub fn file(self, variant: Variant) -> Option<Shipped> {
        let opening = variant.opening();
        match self {
            Self::Terms => None,
            _ if variant.is_push_off() => None,
            Self::Patterns if is_loaded(variant) => Some(Patterns::LOADED_FILE),
            Self::Patterns if !variant.has_zertz() => Some(Patterns::file(opening)),
            Self::Patterns | Self::Distilled => Some(Patterns::distilled_file(opening)),
        }
    }

    /// Returns the kind of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == name)
    }

    /// Returns its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Patterns => "patterns",
            Self::Distilled => "distilled",
            Self::Terms => "terms",
        }
    }
}

impl fmt::Display for EvaluationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// An evaluation, ready for positions of one rule set.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// The patterns on the lines.
    Patterns(Arc<Patterns>),
    /// The patterns on the lines with loaded pieces among them, and counts of potentials: basic+zertz.
    Loaded(Arc<Patterns>),
    /// The patterns on the lines, and the potentials.
    Potentials(Potentials),
    /// A few terms.
    Terms(Box<Weights>),
    /// An evaluation given by the caller, for measurements.
    Given(fn(&GipfPosition) -> Score),
}

impl Evaluation {
    /// Returns the evaluation of this kind for a rule set.
    pub fn of(kind: EvaluationKind, variant: Variant) -> Self {
        let opening = variant.opening();
        match kind {
            EvaluationKind::Patterns if !variant.is_push_off() && !variant.has_zertz() => {
                Self::Patterns(Patterns::of(opening))
            }
            EvaluationKind::Patterns if is_loaded(variant) => Self::Loaded(Patterns::loaded()),
            EvaluationKind::Patterns | EvaluationKind::Distilled if variant.has_zertz() => {
                Self::Potentials(Potentials::new(Patterns::distilled(opening)))
            }
            EvaluationKind::Distilled if !variant.is_push_off() => Self::Patterns(Patterns::distilled(opening)),
            EvaluationKind::Patterns | EvaluationKind::Distilled | EvaluationKind::Terms => {
                Self::Terms(Box::new(Weights::of(opening)))
            }
        }
    }

    /// Returns the evaluation by patterns with these weights, as many as the layout of the rule set has.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub fn of_weights(weights: &[i16], variant: Variant) -> Self {
        let patterns = Arc::new(Patterns::new(&Layout::of(variant), weights));
        if is_loaded(variant) { Self::Loaded(patterns) } else { Self::Patterns(patterns) }
    }

    /// Returns the value of a position without an outcome, for the player to move.
    #[inline]
    pub fn evaluate(&self, position: &GipfPosition) -> Score {
        match self {
            Self::Patterns(patterns) => patterns.evaluate(position),
            Self::Loaded(patterns) => patterns.evaluate_with_potentials(position),
            Self::Potentials(potentials) => potentials.evaluate(position),
            Self::Terms(weights) => weights.evaluate(position),
            Self::Given(evaluate) => evaluate(position),
        }
    }
}

//! The interface between a search and a network.

use gipf_env::Position;

/// What a network says about one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One unnormalised log-prior for each legal action, in ascending order of the action indices.
    pub logits: Vec<f32>,
    /// The expected result for the player to move, -1 to 1.
    pub value: f32,
}

impl Evaluation {
    /// Overwrites the evaluation: the value, and those of a network's logits that belong to legal actions.
    pub(crate) fn set(&mut self, value: f32, legal: &[u16], logit: impl Fn(usize) -> f32) {
        self.value = value;
        self.logits.clear();
        self.logits.extend(legal.iter().map(|&action| logit(usize::from(action))));
    }

    /// Returns the expected result of the shares of win, draw and loss.
    pub(crate) fn value_of(wdl: &[f32]) -> f32 {
        wdl[0] - wdl[2]
    }
}

/// Gives priors and values.
pub trait Evaluator<P: Position> {
    /// Overwrites `out[i]` with the evaluation of `positions[i]`; both have the same length.
    ///
    /// The evaluation of a position must not depend on the rest of the batch: otherwise a search is not repeatable. The
    /// same vectors in `out` are passed in every call, to be cleared and filled again without allocation.
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]);

    /// Prepares for a search that may ask about this many positions. Evaluations do not depend on it.
    fn prepare(&mut self, _positions: u32) {}
}

/// Knows nothing: equal priors, value 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl<P: Position> Evaluator<P> for UniformEvaluator {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        for (position, evaluation) in positions.iter().zip(out) {
            evaluation.logits.clear();
            evaluation.logits.extend(position.legal_actions().map(|_| 0.0));
            evaluation.value = 0.0;
        }
    }
}

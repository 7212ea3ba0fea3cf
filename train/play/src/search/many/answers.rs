//! An evaluator's answers for many leaves, checked.

use super::{SearchesError, check_size};
use crate::search::evaluator::Evaluation;

/// How far a value or a sum of shares may be off: it may have been computed with numbers of 16 bits.
const ROUNDING: f32 = 0.01;

/// The evaluations of waiting leaves, one row for each.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a, T> {
    /// `[leaves, actions]`: unnormalised log-priors. Those of actions that are not legal may be anything.
    pub logits: &'a [T],
    /// The values, from the view of the player to move.
    pub values: Values<'a>,
}

/// Values from the view of the player to move.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// `[leaves]`: the expected results, -1 to 1.
    Expected(&'a [f32]),
    /// `[leaves, 3]`: the probabilities of win, draw and loss.
    Wdl(&'a [f32]),
}

impl<T: Copy + Into<f32>> Answers<'_, T> {
    /// Returns the evaluations of leaves with these legal actions, ascending; `actions` is the number of all.
    ///
    /// # Errors
    /// If there are more or fewer evaluations than leaves, or one is invalid.
    pub fn evaluations(&self, actions: usize, legal: &[Vec<u16>]) -> Result<Vec<Evaluation>, SearchesError> {
        self.check_size(legal.len(), actions)?;
        let evaluation = |(row, legal): (usize, &Vec<u16>)| {
            let mut evaluation = Evaluation::default();
            self.read(row, legal, &mut evaluation).map(|()| evaluation)
        };
        legal.iter().enumerate().map(evaluation).collect()
    }

    /// Checks that there is an evaluation for each leaf.
    pub(super) fn check_size(&self, leaves: usize, actions: usize) -> Result<(), SearchesError> {
        check_size("logits", self.logits.len(), leaves * actions)?;
        match self.values {
            Values::Expected(values) => check_size("values", values.len(), leaves),
            Values::Wdl(shares) => check_size("values", shares.len(), leaves * 3),
        }
    }

    /// Reads the evaluation of a leaf with these legal actions.
    pub(super) fn read(&self, row: usize, legal: &[u16], out: &mut Evaluation) -> Result<(), SearchesError> {
        let value = self.values.read(row)?;
        let leaves = match self.values {
            Values::Expected(values) => values.len(),
            Values::Wdl(shares) => shares.len() / 3,
        };
        let actions = self.logits.len() / leaves;
        out.set(value, legal, |action| self.logits[row * actions + action].into());
        match legal.iter().zip(&out.logits).find(|(_, logit)| !logit.is_finite()) {
            Some((&action, &value)) => Err(SearchesError::Logit { row, action, value }),
            None => Ok(()),
        }
    }
}

impl Values<'_> {
    fn read(&self, row: usize) -> Result<f32, SearchesError> {
        match *self {
            Self::Expected(values) => {
                let value = values[row];
                let fits = (-1.0 - ROUNDING..=1.0 + ROUNDING).contains(&value);
                if fits { Ok(value) } else { Err(SearchesError::Value { row, value }) }
            }
            Self::Wdl(shares) => {
                let shares = [shares[3 * row], shares[3 * row + 1], shares[3 * row + 2]];
                let is_share = |share: &f32| (-ROUNDING..=1.0 + ROUNDING).contains(share);
                let fits = shares.iter().all(is_share) && (shares.iter().sum::<f32>() - 1.0).abs() <= ROUNDING;
                if fits { Ok(Evaluation::value_of(&shares)) } else { Err(SearchesError::Shares { row, shares }) }
            }
        }
    }
}

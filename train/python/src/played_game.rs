//! A game of self-play.

use gipf_env::symmetry::SYMMETRIES;
use gipf_env::{GipfPosition, Player};
use gipf_train::training::{PlayedGame as Played, batch_under, samples};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{Real, Whole};
use crate::error::guarded;
use crate::samples::{arrays, value_mix};
use crate::state::State;
use crate::workers::divided;

/// A finished game of `self_play`.
#[pyclass(module = "gipf", frozen)]
pub struct PlayedGame {
    played: Played<GipfPosition>,
}

impl PlayedGame {
    /// Returns a game for Python.
    pub fn of(played: Played<GipfPosition>) -> Self {
        Self { played }
    }
}

#[pymethods]
impl PlayedGame {
    /// The number of the game, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.played.id
    }

    /// The rule set.
    #[getter]
    fn variant(&self) -> String {
        self.played.start.variant().to_string()
    }

    /// A copy of the state in which the game began.
    #[getter]
    fn start(&self) -> State {
        State::at(self.played.start.clone())
    }

    /// `(n,)` int64: all actions, including those without a search. They lead from the start to the end.
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.played.decisions.iter().map(|decision| i64::from(decision.action.0)))
    }

    /// `(n,)` float32: for each action, the value that the search found before it, for the player to move; NaN
    /// without a search.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let values = self.played.decisions.iter().map(|decision| decision.searched_value().unwrap_or(f32::NAN));
        PyArray1::from_iter(py, values)
    }

    /// The winner: 0 or 1; None if nobody won.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.played.outcome.winner.map(Player::index)
    }

    /// Why the game ended: "no-gipf", "no-move", "repetition" or "limit".
    #[getter]
    fn reason(&self) -> &'static str {
        self.played.outcome.reason.word()
    }

    /// Whether the limit cut the game off without a result.
    #[getter]
    fn is_truncated(&self) -> bool {
        self.played.outcome.truncated()
    }

    /// Returns what is learned from the game: its k fully searched positions, in new arrays with the names used by
    /// `gipf.data.batches`.
    ///
    /// * `symmetry`: the symmetry of the board, 0 to 11, under which all positions are shown; 0 leaves them as they
    ///   are.
    /// * `value_mix`: the share of the search's value in "values" and "wdl", 0 to 1; the rest is the result of the game.
    ///   If the game was cut off, they are the search's value alone, and "weights" are multiplied by the share.
    ///
    /// Raises `GipfError` if a number is out of range.
    #[pyo3(signature = (symmetry = Whole::of(0), *, value_mix = Real(0.0)))]
    #[pyo3(text_signature = "($self, symmetry=0, *, value_mix=0.0)")]
    fn samples<'py>(&self, py: Python<'py>, symmetry: Whole, value_mix: Real) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let symmetry = symmetry.checked("symmetry", 0..=SYMMETRIES - 1)?;
            let (mix, rules) = (self::value_mix(value_mix)?, self.played.start.variant());
            let batch = divided(py, || {
                let samples = samples(&self.played, 0.0);
                let all: Vec<_> = samples.iter().collect();
                Ok(batch_under(&self.played.start, &all, mix, &vec![symmetry; all.len()]))
            })?;
            arrays(py, rules, batch)
        })
    }

    fn __len__(&self) -> usize {
        self.played.decisions.len()
    }

    fn __repr__(&self) -> String {
        let Played { id, decisions, outcome, .. } = &self.played;
        format!("<gipf.PlayedGame {id} of {}: {} actions, {outcome}>", self.variant(), decisions.len())
    }
}

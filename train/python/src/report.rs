//! The report of a match.

use gipf_play::arena::MatchReport as Report;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::argument::Text;
use crate::sent::{reduced, restored, to_dict};

/// The result of a match, from the first player's view. Its text is the table of `gipf eval`.
#[pyclass(module = "gipf", frozen)]
#[derive(Clone)]
pub struct MatchReport(Report);

impl From<Report> for MatchReport {
    fn from(report: Report) -> Self {
        Self(report)
    }
}

#[pymethods]
impl MatchReport {
    /// Restores a pickled report.
    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, report: Text) -> PyResult<Self> {
        restored(&report).map(Self)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced::<Self>(py, &self.0)
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// The number of games played.
    #[getter]
    fn games(&self) -> u64 {
        self.0.games
    }

    /// The number of games that the first player won.
    #[getter]
    fn wins(&self) -> u64 {
        self.0.wins
    }

    /// The number of games without a winner, including those cut off by the limit.
    #[getter]
    fn draws(&self) -> u64 {
        self.0.draws
    }

    /// The number of games that the first player lost.
    #[getter]
    fn losses(&self) -> u64 {
        self.0.losses
    }

    /// The share of the points, 0 to 1, with a draw counting half. NaN if no game was played.
    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    /// The 95 % interval of the score (Wilson).
    #[getter]
    fn score_interval(&self) -> (f64, f64) {
        self.0.score_interval.into()
    }

    /// The difference in Elo that corresponds to the score; None if all games were won or all were lost.
    #[getter]
    fn elo(&self) -> Option<f64> {
        self.0.elo
    }

    /// The 95 % interval of the difference, from the spread of the pairs; None for an infinite end.
    #[getter]
    fn elo_interval(&self) -> (Option<f64>, Option<f64>) {
        self.0.elo_interval.into()
    }

    /// Returns everything, as `gipf eval --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let Report { score, score_interval: [low, high], games, .. } = &self.0;
        format!(
            "<gipf.MatchReport: {:.1} % ({:.1} to {:.1}) of {games} games>",
            100.0 * score,
            100.0 * low,
            100.0 * high
        )
    }
}

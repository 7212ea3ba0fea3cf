//! What a player thinks of a position.

use std::fmt::Write;

use gipf_env::{Action, GipfPosition, Position};
use gipf_play::players::{Candidate, Choice};
use gipf_play::search::{Proven, SearchResult};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::argument::Items;
use crate::error::{GipfError, one_line};

/// What a player found in a position.
#[pyclass(module = "gipf", frozen)]
#[derive(Clone)]
pub struct Analysis {
    /// The action chosen.
    #[pyo3(get)]
    action: u16,
    /// The expected result for the player to move, -1 to 1; None for players that do not estimate it. If only one
    /// action is legal, a tree search does not look further and gives 0.
    #[pyo3(get)]
    value: Option<f32>,
    /// The simulations of a tree search, or the positions that alpha-beta visited.
    #[pyo3(get)]
    nodes: u64,
    /// The actions expected to follow, the chosen one first; empty for players that do not look ahead.
    #[pyo3(get)]
    line: Vec<u16>,
    /// The result for the player to move if the search has proven it: 1, 0 or -1, else None.
    #[pyo3(get)]
    proven: Option<i8>,
    policy: Vec<f32>,
    visits: Vec<u32>,
    alternatives: Vec<Alternative>,
}

/// An action, the expected result, the proven result, and the line.
type Alternative = (u16, Option<f32>, Option<i8>, Vec<u16>);

/// The fields of an analysis, in their order.
type Fields = (u16, Option<f32>, u64, Vec<u16>, Option<i8>, Vec<f32>, Vec<u32>, Vec<Alternative>);

/// The fields as a caller passes them.
type Given = (u16, Option<f32>, u64, Items<u16>, Option<i8>, Items<f32>, Items<u32>, Items<GivenAlternative>);

/// An alternative as a caller passes it.
type GivenAlternative = (u16, Option<f32>, Option<i8>, Items<u16>);

#[pymethods]
impl Analysis {
    /// Restores a pickled analysis.
    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, fields: &Bound<'_, PyAny>) -> PyResult<Self> {
        let damaged = |error: PyErr| GipfError::new_err(one_line(&format!("no pickled analysis: {error}")));
        let (action, value, nodes, Items(line), proven, Items(policy), Items(visits), Items(alternatives)) =
            fields.extract::<Given>().map_err(damaged)?;
        let alternatives = alternatives.into_iter();
        let alternatives =
            alternatives.map(|(action, value, proven, Items(line))| (action, value, proven, line)).collect();
        Ok(Self { action, value, nodes, line, proven, policy, visits, alternatives })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let Self { action, value, nodes, line, proven, policy, visits, alternatives } = self.clone();
        let fields: Fields = (action, value, nodes, line, proven, policy, visits, alternatives);
        Ok((restore, (fields,).into_pyobject(py)?))
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// `(actions,)` float32, sums to 1: the policy that the search found. Without a tree search, the chosen action
    /// has all of it.
    #[getter]
    pub fn policy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_slice(py, &self.policy)
    }

    /// `(actions,)` uint32: the visits of each action in a tree search, those kept from earlier searches of the same
    /// tree included, so that they may sum to more than `nodes`; 0 without a tree search.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.visits)
    }

    /// The best actions by the player's search, the best first, at most `multipv` of them: for each (action, value,
    /// proven, line) as above.
    #[getter]
    fn alternatives(&self) -> Vec<Alternative> {
        self.alternatives.clone()
    }

    fn __repr__(&self) -> String {
        let mut text = format!("<gipf.Analysis: action {}", self.action);
        if let Some(value) = self.value {
            write!(text, ", value {value:+.3}").expect("a text takes everything");
        }
        text + &format!(", {} nodes>", self.nodes)
    }
}

impl Analysis {
    /// Returns the choice.
    pub fn action(&self) -> u16 {
        self.action
    }

    /// Returns the expected result.
    pub fn value(&self) -> Option<f32> {
        self.value
    }

    /// Returns what a tree search has found, with the action that was chosen from it.
    pub fn of_search(position: &GipfPosition, action: Action, result: SearchResult<Action>) -> Self {
        let mut analysis = Self {
            value: Some(result.expected()),
            nodes: result.simulations.into(),
            ..Self::of(position, Choice::unsearched(action)).with_proven(result.proven)
        };
        for (index, share) in result.policy {
            analysis.policy[index.get()] = share;
        }
        for child in result.children {
            analysis.visits[child.action.index().get()] = child.all_visits();
        }
        analysis
    }

    /// Returns the choice of any other agent; an agent that does not spread its attention has its choice as the policy.
    pub fn of_choice(position: &GipfPosition, choice: Choice<Action>) -> Self {
        let mut analysis = Self::of(position, choice);
        analysis.policy[choice.action.index().get()] = 1.0;
        analysis
    }

    fn of(position: &GipfPosition, choice: Choice<Action>) -> Self {
        Self {
            action: choice.action.index().0,
            value: choice.value,
            nodes: choice.nodes,
            line: Vec::new(),
            proven: None,
            policy: vec![0.0; position.num_actions()],
            visits: vec![0; position.num_actions()],
            alternatives: Vec::new(),
        }
    }

    /// Returns the analysis with what the search has proven.
    pub fn with_proven(self, proven: Option<Proven>) -> Self {
        Self { proven: proven.map(result_of), ..self }
    }

    /// Returns the analysis with several actions.
    pub fn with_alternatives(self, candidates: &[Candidate<Action>]) -> Self {
        let alternative = |candidate: &Candidate<Action>| {
            let proven = candidate.proven.map(result_of);
            let line = candidate.line.iter().map(|action| action.index().0).collect();
            (candidate.action.index().0, candidate.value, proven, line)
        };
        Self { alternatives: candidates.iter().map(alternative).collect(), ..self }
    }

    /// Returns the analysis with the actions that are expected to follow.
    pub fn with_line(self, line: &[Action]) -> Self {
        Self { line: line.iter().map(|action| action.index().0).collect(), ..self }
    }
}

/// Returns a proven result as a number: 1, 0 or -1.
fn result_of(proven: Proven) -> i8 {
    proven.value() as i8
}

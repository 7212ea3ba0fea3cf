//! Those who play: the baseline AI, and the tree search with a network.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gipf_env::{Action, GipfPosition, Position, Variant};
use gipf_train::NetEvaluator;
use gipf_train::players::{Agent, AgentSpec, Allowance, Choice, Mcts};
use gipf_train::search::SearchResult;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error::{AgentError, IllegalAction, OrRaise, detached, variant};
use crate::state::{State, seconds};

/// Anyone who plays, by name.
///
/// `random`, `greedy`, `alpha-beta:1` to `alpha-beta:8` (the baseline AI), `alpha-beta:time=50ms`, `pretrained` (the
/// network that comes along, 64 simulations), `pretrained:sims=400`, `pretrained:time=50ms`, `level:1` to `level:10`
/// (strengths for people), or the path of a checkpoint, `mcts:PATH,sims=64`.
///
/// `simulations` and `time` (seconds) limit a single decision instead of what the name says.
#[pyclass(module = "gipf", frozen)]
pub struct Player {
    #[pyo3(get)]
    name: String,
    rules: Variant,
    mind: Mutex<Mind>,
}

enum Mind {
    Searching(Box<Mcts<GipfPosition, NetEvaluator<'static>>>),
    Other(Box<dyn Agent<GipfPosition>>),
}

/// What a player thinks of a position.
#[pyclass(module = "gipf", frozen)]
pub struct Analysis {
    /// The choice.
    #[pyo3(get)]
    action: u16,
    /// The result expected for the player to move, -1 to 1, if the player has an opinion.
    #[pyo3(get)]
    value: Option<f32>,
    /// The simulations of a tree search, or the positions that alpha-beta looked at.
    #[pyo3(get)]
    nodes: u64,
    /// The actions expected to follow, the choice first.
    #[pyo3(get)]
    line: Vec<u16>,
    /// The result for the player to move, if the search has proven it: 1, 0 or -1.
    #[pyo3(get)]
    proven: Option<i8>,
    policy: Vec<f32>,
    visits: Vec<u32>,
}

/// What one decision may cost.
type Cost = (Option<u64>, Option<Duration>);

impl Player {
    fn mind(&self) -> MutexGuard<'_, Mind> {
        // A panic in a search leaves a tree that the next search throws away.
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, state: &State) -> PyResult<()> {
        let found = state.position().variant();
        if found != self.rules {
            return Err(AgentError::new_err(format!(
                "a position of {found}: expected {}, which {} plays",
                self.rules, self.name
            )));
        }
        match state.position().outcome() {
            Some(outcome) => Err(IllegalAction::new_err(format!("the game is over, {outcome}: nothing can be chosen"))),
            None => Ok(()),
        }
    }

    fn think(&self, py: Python<'_>, state: &State, (nodes, time): Cost) -> PyResult<Analysis> {
        self.check(state)?;
        let position = state.position();
        detached(py, || {
            let allowance = Allowance { nodes, time, ..Allowance::default() };
            Ok(match &mut *self.mind() {
                Mind::Searching(search) => {
                    let result = search.think_within(position, &allowance, &mut |_| ());
                    let choice = search.choose_from(position, &result);
                    let line = search.expected_line(position);
                    Analysis { line: indices(&line), ..Analysis::of_search(position, choice, result) }
                }
                Mind::Other(agent) => {
                    let choice = agent.choose_within(position, &allowance, &mut |_| ());
                    Analysis::of_choice(position, choice, &agent.expected_line(position))
                }
            })
        })
    }
}

fn indices(actions: &[Action]) -> Vec<u16> {
    actions.iter().map(|action| action.index().0).collect()
}

/// Reads what a decision may cost.
fn cost(simulations: Option<u64>, time: Option<f64>) -> PyResult<Cost> {
    if simulations == Some(0) {
        return Err(AgentError::new_err("simulations 0: expected at least 1"));
    }
    Ok((simulations, time.map(seconds).transpose()?))
}

/// Builds the agent of a name; a strength for people is the player that stands behind it.
fn mind(spec: &AgentSpec, rules: Variant) -> PyResult<Mind> {
    let behind = if let AgentSpec::Strength(level) = spec { &level.player(rules) } else { spec };
    Ok(match behind {
        AgentSpec::Checkpoint(spec) => Mind::Searching(Box::new(spec.agent(spec.load(rules).or_raise()?))),
        other => Mind::Other((other.entrant(rules).or_raise()?.build)()),
    })
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (name = "pretrained", *, variant = "standard", seed = 0))]
    fn new(py: Python<'_>, name: &str, variant: &str, seed: u64) -> PyResult<Self> {
        let rules = self::variant(variant)?;
        let spec = name.parse::<AgentSpec>().or_raise()?;
        let mind = detached(py, || mind(&spec, rules))?;
        let player = Self { name: spec.to_string(), rules, mind: Mutex::new(mind) };
        player.new_game(seed);
        Ok(player)
    }

    #[getter]
    fn variant(&self) -> String {
        self.rules.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Player '{}' of {}>", self.name, self.rules)
    }

    /// Forgets the game before, and takes the seed of the next one.
    #[pyo3(signature = (seed = 0))]
    fn new_game(&self, seed: u64) {
        match &mut *self.mind() {
            Mind::Searching(search) => search.new_game(seed),
            Mind::Other(agent) => agent.new_game(seed),
        }
    }

    /// Thinks about a position and returns all that it found.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn analyse(
        &self,
        py: Python<'_>,
        state: &State,
        simulations: Option<u64>,
        time: Option<f64>,
    ) -> PyResult<Analysis> {
        self.think(py, state, cost(simulations, time)?)
    }

    /// Returns the action that it would play.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn choose(&self, py: Python<'_>, state: &State, simulations: Option<u64>, time: Option<f64>) -> PyResult<u16> {
        Ok(self.think(py, state, cost(simulations, time)?)?.action)
    }

    /// Returns the policy of `analyse`.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn policy<'py>(
        &self,
        py: Python<'py>,
        state: &State,
        simulations: Option<u64>,
        time: Option<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(self.think(py, state, cost(simulations, time)?)?.policy(py))
    }

    /// Returns the value of `analyse`.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn value(
        &self,
        py: Python<'_>,
        state: &State,
        simulations: Option<u64>,
        time: Option<f64>,
    ) -> PyResult<Option<f32>> {
        Ok(self.think(py, state, cost(simulations, time)?)?.value)
    }
}

#[pymethods]
impl Analysis {
    /// `(actions,)`, adds up to 1; of a player without a tree search all of it is on the choice.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_slice(py, &self.policy)
    }

    /// `(actions,)`, the simulations through each action of a tree search.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.visits)
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
    fn of_search(position: &GipfPosition, choice: Choice<Action>, result: SearchResult<Action>) -> Self {
        let mut analysis = Self {
            action: choice.action.index().0,
            value: Some(result.value),
            nodes: result.simulations.into(),
            line: Vec::new(),
            proven: result.proven.map(|proven| proven.value() as i8),
            policy: vec![0.0; position.num_actions()],
            visits: vec![0; position.num_actions()],
        };
        for (index, share) in result.policy {
            analysis.policy[index.get()] = share;
        }
        for child in result.children {
            analysis.visits[child.action.index().get()] = child.visits + child.reused;
        }
        analysis
    }

    /// An agent that does not spread its attention has its choice as the policy.
    fn of_choice(position: &GipfPosition, choice: Choice<Action>, line: &[Action]) -> Self {
        let mut analysis = Self {
            action: choice.action.index().0,
            value: choice.value,
            nodes: choice.nodes,
            line: indices(line),
            proven: None,
            policy: vec![0.0; position.num_actions()],
            visits: vec![0; position.num_actions()],
        };
        analysis.policy[choice.action.index().get()] = 1.0;
        analysis
    }
}

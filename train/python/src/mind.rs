//! The search inside a player, and the limits of a decision.

use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_play::players::{Agent, AgentSpec, Mcts, TurnLimits};
use gipf_play::search::Evaluator;
use gipf_play::{NetEvaluator, Stop};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::analysis::Analysis;
use crate::argument::{Items, Real, Whole};
use crate::error::{AgentError, GipfError, OrRaise};
use crate::network::Loaded;
use crate::own::{Asking, Desk};
use crate::state::Shown;

/// The search inside a player.
pub enum Mind {
    Asking(Box<Asking>, Desk),
    Searching(Box<Mcts<GipfPosition, NetEvaluator<'static>>>),
    Other(Box<dyn Agent<GipfPosition>>),
}

/// The position of one state, or those of a list or tuple of them.
pub enum States {
    One(Box<Shown>),
    Many(Vec<Shown>),
}

impl FromPyObject<'_, '_> for States {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
            return given.extract().map(|Items(states): Items<Shown, { usize::MAX }>| Self::Many(states));
        }
        given.extract().map(|state| Self::One(Box::new(state)))
    }
}

/// The limits of a decision: simulations and time.
pub type Cost = (Option<u64>, Option<Duration>);

/// How many positions are analysed.
pub struct Batch {
    /// The limits for each of them.
    pub cost: Cost,
    /// The number of threads, if not all.
    pub threads: Option<usize>,
    /// The most actions that are reported for each position.
    pub most: usize,
}

/// The most seconds of a decision: a day.
const MOST_SECONDS: f64 = 86_400.0;

impl Mind {
    /// Returns what an agent of the program thinks with; `network` is its network, if it has one.
    pub fn of(spec: &AgentSpec, rules: Variant, network: Option<&Loaded>) -> PyResult<Self> {
        let behind = &*spec.behind(rules);
        Ok(match (behind, network) {
            (AgentSpec::Checkpoint(own), Some(network)) => {
                behind.check_memory().or_raise()?;
                Self::Searching(Box::new(own.agent(network.engine().clone())))
            }
            (other, _) => Self::Other((other.contender(rules).or_raise()?.build)()),
        })
    }

    /// Begins a game.
    pub fn begin(&mut self, start: &GipfPosition, seed: u64) {
        match self {
            Self::Searching(search) => search.begin(start, &[], seed),
            Self::Asking(search, _) => search.begin(start, &[], seed),
            Self::Other(agent) => agent.begin(start, &[], seed),
        }
    }

    /// Thinks.
    pub fn analyse(&mut self, position: &GipfPosition, limits: &TurnLimits, most: usize) -> Analysis {
        match self {
            Self::Searching(search) => searched(search, position, limits, most),
            Self::Asking(search, _) => searched(search, position, limits, most),
            Self::Other(agent) => {
                let found = agent.consider(position, limits, most).expect("agents of this program do not fail");
                // What the agent remembers is, by now, of the last candidate.
                let has_line = !agent.expected_line(position).is_empty();
                let line = found.candidates.first().filter(|_| has_line).map_or(&[][..], |best| &best.line);
                Analysis::of_choice(position, found.choice)
                    .with_proven(found.proven)
                    .with_alternatives(&found.candidates)
                    .with_line(line)
            }
        }
    }
}

fn searched<E: Evaluator<GipfPosition> + Send>(
    search: &mut Mcts<GipfPosition, E>,
    position: &GipfPosition,
    limits: &TurnLimits,
    most: usize,
) -> Analysis {
    search.begin_anew_at(position);
    let result = search.think_within(position, limits, &mut |_| ());
    let candidates = search.candidates(&result, most);
    let action = search.choose_from(position, &result).action;
    let analysis = Analysis::of_search(position, action, result).with_alternatives(&candidates);
    analysis.with_line(&search.expected_line(position))
}

/// Returns the limits of a decision, with the stop flag.
pub fn limits((nodes, time): Cost, stop: &Stop) -> TurnLimits {
    let lifted = nodes.is_some() || time.is_some();
    TurnLimits { nodes, time, lifted, stop: stop.clone(), ..TurnLimits::default() }
}

/// Checks that the caller, or the name of an agent of the program, limits its thinking.
pub fn check_end(spec: Option<&AgentSpec>, cost: Cost) -> PyResult<()> {
    match spec {
        Some(spec) if cost == (None, None) => spec.check_end().or_raise(),
        _ => Ok(()),
    }
}

/// Reads the limits of a decision.
pub fn cost(simulations: Option<Whole>, time: Option<Real>) -> PyResult<Cost> {
    let simulations = simulations.map(|given| match given.within(&(1..=u64::MAX)) {
        Some(simulations) => Ok(simulations),
        None => Err(AgentError::new_err(format!("simulations {given}: expected at least 1, in 64 bits"))),
    });
    Ok((simulations.transpose()?, time.map(seconds).transpose()?))
}

fn seconds(Real(time): Real) -> PyResult<Duration> {
    if (0.0..=MOST_SECONDS).contains(&time) {
        return Ok(Duration::from_secs_f64(time));
    }
    Err(GipfError::new_err(format!("time {time}: expected seconds, 0 to {MOST_SECONDS}")))
}

//! The two sides of a match: agents of the program, and Python functions.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};

use gipf_env::{Action, GipfPosition, Variant};
use gipf_play::players::{Agent, AgentSpec, Choice, Contender, Fault, TurnLimits};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::argument::{Name, Whole, described};
use crate::error::{AgentError, MatchError, OrRaise, one_line};
use crate::own::{Bring, Leaves, SIDE_BY_SIDE};
use crate::player::Player;
use crate::state::State;
use crate::workers::workers;

/// The questions of games to Python.
pub enum Question {
    /// The action of a function is wanted.
    Decide {
        /// The place of the function in the match.
        place: usize,
        /// The state to decide about.
        state: Box<State>,
        /// Where its choice is sent.
        answer: SyncSender<Action>,
    },
    /// An evaluation is wanted.
    Evaluate {
        /// The place of the evaluator in the match.
        place: usize,
        /// The leaves to evaluate.
        leaves: Leaves,
    },
    /// No question: a pair of games was played.
    Progress {
        /// The pairs played.
        pairs_done: u64,
        /// The pairs to be played.
        pairs: u64,
    },
}

/// A side in a match.
pub enum Side<'py> {
    /// A player that was made before.
    Player(PyRef<'py, Player>),
    /// A player that is made before the match, which has to be played by the rules of its checkpoint.
    Made(Box<Player>),
    /// An agent that plays any rule set.
    Agent(AgentSpec),
    /// A function from a state to an action, and its name.
    Function(Bound<'py, PyAny>, String),
}

impl<'py> Side<'py> {
    /// Returns the side for a name, a path, a player, or a function.
    pub fn of(who: &Bound<'py, PyAny>, asked: Option<Variant>) -> PyResult<Self> {
        if let Ok(player) = who.cast::<Player>() {
            return Ok(Self::Player(player.borrow()));
        }
        if let Ok(name) = who.extract::<Name>() {
            let spec = name.agent()?;
            // The networks that come with the package play several rule sets, so the other side may determine it.
            let is_of_one = spec.variant().or_raise()?.is_some();
            return Ok(if is_of_one { Self::Made(Box::new(Player::of(spec, asked)?)) } else { Self::Agent(spec) });
        }
        if who.is_callable() {
            return Ok(Self::Function(who.clone(), function_name(who)?));
        }
        let text =
            format!("{}: expected the name or the path of an agent, a gipf.Player, or a function", described(who));
        Err(MatchError::new_err(text))
    }

    /// Returns the rule set that it plays, if it plays only one.
    pub fn rules(&self) -> Option<Variant> {
        self.player().map(Player::rules)
    }

    fn player(&self) -> Option<&Player> {
        match self {
            Self::Player(player) => Some(player),
            Self::Made(player) => Some(player),
            Self::Agent(_) | Self::Function(..) => None,
        }
    }

    /// Calls the function, and returns the number of the action that it chooses.
    pub fn decide(&self, state: State) -> PyResult<Whole> {
        let Self::Function(function, name) = self else { unreachable!("only functions are asked") };
        let chosen = function.call1((state,))?;
        chosen.extract().map_err(|error: PyErr| {
            if !error.is_instance_of::<PyTypeError>(chosen.py()) {
                return error;
            }
            PyTypeError::new_err(format!("{name} returned {}: expected an action, an integer", described(&chosen)))
        })
    }

    /// Calls its evaluator, if it has one: no other side has waiting leaves.
    pub fn evaluate(&self, py: Python<'py>, waiting: Vec<Leaves>) -> PyResult<()> {
        let Some(own) = self.player().and_then(Player::own) else { return Ok(()) };
        let _answering = own.answering()?;
        own.answer(py, waiting)
    }

    /// Returns the agent of the program, if it is one.
    pub fn agent(&self) -> Option<&AgentSpec> {
        match self {
            Self::Agent(spec) => Some(spec),
            _ => self.player().and_then(Player::spec),
        }
    }

    /// Returns it ready for games of a rule set; its questions go to the desk, under its place.
    pub fn enter(&self, rules: Variant, place: usize, desk: Sender<Question>) -> PyResult<Contender<GipfPosition>> {
        self.agent().map_or(Ok(()), AgentSpec::check_end).or_raise()?;
        match (self, self.player()) {
            (Self::Function(_, name), _) => Ok(function(name.clone(), place, desk)),
            (_, Some(player)) if player.rules() == rules => player.contender(&ask_at(place, desk)),
            (_, Some(player)) => {
                let text = format!("{} plays {}: expected a player of {rules}", player.name(), player.rules());
                Err(AgentError::new_err(one_line(&text)))
            }
            (Self::Agent(spec), None) => Player::of(spec.clone(), Some(rules))?.contender(&ask_at(place, desk)),
            (Self::Player(_) | Self::Made(_), None) => unreachable!("they are players"),
        }
    }
}

/// Returns how many games are played in parallel, if not one on each core: fewer if a player uses several cores, so that
/// none has less than it asks for; many if a Python evaluator plays, so that it is asked about many leaves at once, unless
/// a player needs its own core.
pub fn games_at_once(sides: &[Side<'_>]) -> PyResult<Option<usize>> {
    let threads = sides.iter().filter_map(Side::agent).map(AgentSpec::threads).max().unwrap_or(1);
    if threads > 1 {
        return Ok(Some((workers()?.current_num_threads() / threads).max(1)));
    }
    let asks = sides.iter().any(|side| side.player().and_then(Player::own).is_some());
    let is_timed = sides.iter().filter_map(Side::agent).any(AgentSpec::is_timed);
    Ok((asks && !is_timed).then_some(SIDE_BY_SIDE))
}

/// Returns a function that brings leaves to the desk, under this place.
fn ask_at(place: usize, desk: Sender<Question>) -> Bring {
    // In a match that was stopped, nobody listens.
    Arc::new(move |leaves| drop(desk.send(Question::Evaluate { place, leaves })))
}

pub fn function_name(function: &Bound<'_, PyAny>) -> PyResult<String> {
    match function.getattr("__name__").and_then(|name| name.extract::<String>()) {
        Ok(name) => Ok(one_line(&name)),
        Err(_) => Ok(function.get_type().name()?.to_string()),
    }
}

/// Returns a Python function as a contender.
fn function(name: String, place: usize, desk: Sender<Question>) -> Contender<GipfPosition> {
    let build = move || Box::new(Caller { place, desk: desk.clone(), game: None }) as Box<dyn Agent<_>>;
    Contender { name, build: Box::new(build) }
}

/// A function in one game.
struct Caller {
    place: usize,
    desk: Sender<Question>,
    game: Option<State>,
}

impl Agent<GipfPosition> for Caller {
    fn begin(&mut self, start: &GipfPosition, opening: &[Action], _seed: u64) {
        let mut state = State::at(start.clone());
        for &action in opening {
            state.play(action);
        }
        self.game = Some(state);
    }

    fn observe(&mut self, action: Action) {
        if let Some(state) = &mut self.game {
            state.play(action);
        }
    }

    fn choose(&mut self, position: &GipfPosition, _limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        let state = self.game.clone().unwrap_or_else(|| State::at(position.clone()));
        let (answer, choice) = sync_channel(1);
        let asked = self.desk.send(Question::Decide { place: self.place, state: Box::new(state), answer });
        // If there is no answer, the function has raised an exception, which ends the match.
        let chosen = asked.ok().and_then(|()| choice.recv().ok());
        chosen.map(Choice::unsearched).ok_or_else(|| Fault::Crash("it has raised an exception".to_owned()))
    }
}

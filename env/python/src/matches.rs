//! Matches, with functions of Python among the players.

use std::sync::{Arc, Mutex, PoisonError};

use gipf_env::{Action, GipfPosition};
use gipf_train::Stop;
use gipf_train::arena::{Book, Contest, MatchReport as Report, Monitor, play_match as play, play_match_from};
use gipf_train::players::{AgentSpec, Choice, Competitor, Fault, Participant, TurnTime};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{InternalError, MatchError, OrRaise, detached, variant};
use crate::player::Player;
use crate::state::State;
use crate::workers::workers;

/// What a match says; scores are those of the first player. Its text is the table of `gipf eval`.
#[pyclass(module = "gipf", frozen)]
pub struct MatchReport(Report);

#[pymethods]
impl MatchReport {
    #[getter]
    fn games(&self) -> u64 {
        self.0.games
    }

    #[getter]
    fn wins(&self) -> u64 {
        self.0.wins
    }

    #[getter]
    fn draws(&self) -> u64 {
        self.0.draws
    }

    #[getter]
    fn losses(&self) -> u64 {
        self.0.losses
    }

    /// The share of the points, 0 to 1.
    #[getter]
    fn score(&self) -> f64 {
        self.0.score
    }

    /// Its interval of 95 % (Wilson).
    #[getter]
    fn score_interval(&self) -> (f64, f64) {
        self.0.score_interval.into()
    }

    /// The difference in Elo; None if all games were won or lost.
    #[getter]
    fn elo(&self) -> Option<f64> {
        self.0.elo
    }

    /// Its interval of 95 %, from the spread of the pairs.
    #[getter]
    fn elo_interval(&self) -> (Option<f64>, Option<f64>) {
        self.0.elo_interval.into()
    }

    /// Returns everything, as `gipf eval --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let text = serde_json::to_string(&self.0).map_err(|error| InternalError::new_err(error.to_string()))?;
        Ok(py.import("json")?.call_method1("loads", (text,))?.cast_into()?)
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

/// Plays pairs of games, each pair from its own opening with colours exchanged, over all cores.
///
/// A function is called with the `State` and returns an action; what it raises ends the match and is raised here. The
/// openings are `opening` random turns, or those of the book of balanced ones. `progress` is called with the pairs
/// played and to be played.
#[pyfunction]
#[pyo3(signature = (a, b, games = 200, *, variant = "standard", opening = 4, book = false, limit = 400, seed = 0,
    progress = None))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn play_match(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: usize,
    variant: &str,
    opening: usize,
    book: bool,
    limit: u16,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<MatchReport> {
    let rules = self::variant(variant)?;
    let contest = Contest { opening_turns: opening, limit, seed, ..Contest::new(rules, games.div_ceil(2)) };
    let trouble = Trouble::default();
    let participants = [participant(a, &contest, &trouble)?, participant(b, &contest, &trouble)?];
    let watch = |done: u64, total: u64| trouble.note(Python::attach(|py| tell(py, progress.as_ref(), done, total)));
    let pool = workers()?;
    let play_all = || {
        let show = |state: gipf_train::arena::Progress| watch(state.pairs_done, state.pairs);
        let monitor = Monitor { progress: &show, stop: &trouble.stop };
        let participants = participants.each_ref().map(|participant| &**participant as &dyn Participant<GipfPosition>);
        if book {
            let book = Book::of(rules);
            let openings = book.openings(contest.pairs, contest.limit, contest.seed);
            let openings = openings.map_err(|error| MatchError::new_err(error.to_string()))?;
            let played = play_match_from(&contest, openings, participants, monitor);
            return played.map(|played| played.from_book(book.name())).or_raise();
        }
        play(&contest, participants, monitor).or_raise()
    };
    let played = detached(py, || pool.install(play_all));
    trouble.raise()?;
    Ok(MatchReport(played?.report))
}

/// Tells how far the match is, and looks whether somebody has pressed Ctrl-C.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, done: u64, total: u64) -> PyResult<()> {
    py.check_signals()?;
    progress.map_or(Ok(()), |progress| progress.call1(py, (done, total)).map(|_| ()))
}

/// The first exception that was raised while games were played; it ends the match.
#[derive(Clone, Default)]
struct Trouble {
    first: Arc<Mutex<Option<PyErr>>>,
    stop: Stop,
}

impl Trouble {
    fn note(&self, result: PyResult<()>) {
        if let Err(error) = result {
            self.stop.request();
            self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn raise(&self) -> PyResult<()> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.map_or(Ok(()), Err)
    }
}

type BoxedParticipant = Box<dyn Participant<GipfPosition> + Send>;

/// Returns who is meant: a name, a player, or a function from a state to an action.
fn participant(who: &Bound<'_, PyAny>, contest: &Contest, trouble: &Trouble) -> PyResult<BoxedParticipant> {
    let name = match (who.cast::<PyString>(), who.cast::<Player>()) {
        (Ok(name), _) => name.extract::<String>()?,
        (_, Ok(player)) => player.getattr("name")?.extract()?,
        _ if who.is_callable() => return Ok(Box::new(Function::new(who, trouble)?)),
        _ => {
            let text = format!("{}: expected the name of an agent, a gipf.Player, or a function", who.repr()?);
            return Err(MatchError::new_err(text));
        }
    };
    let spec = name.parse::<AgentSpec>().or_raise()?;
    Ok(Box::new(spec.entrant(contest.variant).or_raise()?))
}

/// A function of Python as a player.
struct Function {
    name: String,
    call: Arc<Py<PyAny>>,
    trouble: Trouble,
}

impl Function {
    fn new(function: &Bound<'_, PyAny>, trouble: &Trouble) -> PyResult<Self> {
        let name = match function.getattr("__name__") {
            Ok(name) => name.extract()?,
            Err(_) => function.get_type().name()?.to_string(),
        };
        Ok(Self { name, call: Arc::new(function.clone().unbind()), trouble: trouble.clone() })
    }
}

impl Participant<GipfPosition> for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn competitor(&self) -> Box<dyn Competitor<GipfPosition>> {
        Box::new(Caller { call: Arc::clone(&self.call), trouble: self.trouble.clone(), game: None })
    }
}

/// A function in one game.
struct Caller {
    call: Arc<Py<PyAny>>,
    trouble: Trouble,
    game: Option<State>,
}

impl Caller {
    fn ask(&self, position: &GipfPosition) -> PyResult<Action> {
        Python::attach(|py| {
            let state = self.game.clone().unwrap_or_else(|| State::at(position.clone()));
            let answer: i64 = self.call.call1(py, (state.clone(),))?.extract(py)?;
            state.legal(answer)
        })
    }
}

impl Competitor<GipfPosition> for Caller {
    fn begin(&mut self, start: &GipfPosition, opening: &[Action], _seed: u64) {
        let mut state = State::at(start.clone());
        for &action in opening {
            state.play(action);
        }
        self.game = Some(state);
    }

    fn note(&mut self, action: Action) {
        if let Some(state) = &mut self.game {
            state.play(action);
        }
    }

    fn decide(&mut self, position: &GipfPosition) -> Result<Choice<Action>, Fault> {
        self.ask(position).map(Choice::unsearched).map_err(|error| {
            let text = error.to_string();
            self.trouble.note(Err(error));
            Fault::Crash(text)
        })
    }

    fn decide_by_clock(&mut self, position: &GipfPosition, _time: &TurnTime) -> Result<Choice<Action>, Fault> {
        self.decide(position)
    }
}

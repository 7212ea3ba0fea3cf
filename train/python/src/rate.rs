//! Ratings on the scale of the ladder that is shipped with the package.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use gipf_env::{GipfPosition, Variant};
use gipf_play::Stop;
use gipf_play::arena::ladder::{Enough, Judge, Member, Rate, Rating, RatingReport as Report, ladder_judges};
use gipf_play::players::{AgentSpec, Contender};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::argument::{Real, Text, Whole, seed};
use crate::error::{InternalError, MatchError, guarded, variant};
use crate::matches::{pairs, reply};
use crate::sent::{reduced, restored, to_dict};
use crate::sides::{Question, Side, games_at_once};
use crate::waiting::{Calls, attended};
use crate::workers::{new_workers, on_threads};

/// The most games.
const MOST_GAMES: usize = 100_000;

/// Rates a player on the scale of the ladder that is shipped with the package: `alpha-beta:1` has 1000 Elo there.
///
/// It plays against players of that ladder, most often those close to it, in pairs of games with colours exchanged
/// from the openings of the book, until its rating is known well enough, as `gipf rate` does.
///
/// * `player`: a player, the name or path of one, or a function from a `State` to an action.
/// * `variant`: "basic", "standard" or "tournament", for which there are ladders; by default that of the player or
///   checkpoint, else standard.
/// * `margin`: play until the rating is known to within this, 1 to 10 000 Elo: half of the 95 % interval.
/// * `games`: the most games, an even number, 2 to 100 000.
/// * `seed`: of all randomness in the games.
/// * `progress`: called with the number of pairs played and the number of all pairs that may be played.
///
/// A function is called in the thread that called `rate`, for one game at a time, an evaluator for the leaves of up
/// to 32 games at once. An exception in one of them ends the games and is raised here, and so does Ctrl-C. The
/// players of the ladder take seconds to build; those of the last rule set are kept.
///
/// Raises `MatchError` if there is no ladder for the rule set or the number of games is odd; otherwise as
/// `play_match` does.
#[pyfunction]
#[pyo3(signature = (player, *, variant = None, margin = Real(50.0), games = Whole::of(1000), seed = Whole::of(0),
    progress = None))]
#[pyo3(text_signature = "(player, *, variant=None, margin=50.0, games=1000, seed=0, progress=None)")]
pub fn rate(
    py: Python<'_>,
    player: &Bound<'_, PyAny>,
    variant: Option<Text>,
    margin: Real,
    games: Whole,
    seed: Whole,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<RatingReport> {
    guarded(|| {
        let asked = variant.map(|name| self::variant(&name)).transpose()?;
        let side = Side::of(player, asked)?;
        let rules = asked.or(side.rules()).unwrap_or(Variant::STANDARD);
        let enough = Enough { margin: margin.checked("margin", 1.0..=1e4)?, pairs: pairs(games, MOST_GAMES)? };
        let seed = self::seed(seed)?;
        let (stop, (desk, inbox)) = (Stop::default(), channel());
        let (spec, contender) = (side.agent().cloned(), side.enter(rules, 0, desk.clone())?);
        let sides = [side];
        let mut answer = |questions| reply(py, questions, &sides, progress.as_ref());
        let calls = Calls { inbox, answer: &mut answer };
        let (heeded, at_once) = (&stop, games_at_once(&sides)?);
        // It owns every sender of the desk, which therefore closes when the games are over.
        let work = move || {
            let judges = judges(rules, heeded)?;
            let player = on_threads(None, || member(spec.as_ref(), contender, rules))?;
            let program = env!("CARGO_PKG_VERSION");
            let rate = Rate { player: &player, judges: &judges, variant: rules, enough, seed, program };
            let (mut pairs_done, pairs) = (0, enough.pairs as u64);
            let tell = |played, _| {
                pairs_done += played;
                // After a stop, nobody listens to the games.
                desk.send(Question::Progress { pairs_done, pairs }).ok();
            };
            new_workers(at_once)?.install(|| Ok(rate.play(tell, heeded)))
        };
        let report = attended(py, &stop, calls, work)?;
        Ok(RatingReport(report))
    })
}

/// Returns the players of a rule set's ladder, unless a stop is requested before they are built. The last ones are
/// kept.
fn judges(rules: Variant, stop: &Stop) -> PyResult<Arc<Vec<Judge>>> {
    static LAST: Mutex<Option<(Variant, Arc<Vec<Judge>>)>> = Mutex::new(None);
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, judges)) = last.filter(|(known, _)| *known == rules) {
        return Ok(judges);
    }
    let judges = on_threads(None, || ladder_judges(rules, stop))?.ok_or_else(|| {
        MatchError::new_err(format!("{rules}: no ladder of it: expected basic, standard or tournament"))
    })?;
    if stop.requested() {
        // Some are missing. Never seen: a requested stop raises another exception.
        return Err(InternalError::new_err("the judges were asked to stop"));
    }
    let judges = Arc::new(judges);
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((rules, Arc::clone(&judges)));
    Ok(judges)
}

/// Returns the player under its name in the ladder, if it has one there: no judge is the player itself.
fn member(spec: Option<&AgentSpec>, contender: Contender<GipfPosition>, rules: Variant) -> Member {
    match spec.map(|spec| Member::new(spec, rules)) {
        Some(Ok(known)) => Member { contender, ..known },
        // A function, a model, or a player that came without the file in its name.
        _ => Member::named(contender, spec.is_some_and(AgentSpec::is_timed)),
    }
}

/// A player's rating. Its text is the table of `gipf rate`.
#[pyclass(module = "gipf", frozen)]
#[derive(Clone)]
pub struct RatingReport(Report);

#[pymethods]
impl RatingReport {
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

    /// The rating, in Elo. If all games were won, or all lost, only the bound `elo - margin` or `elo + margin` is known.
    #[getter]
    fn elo(&self) -> f64 {
        self.0.ratings.all.map_or(f64::NAN, |rating| rating.elo)
    }

    /// Half of the 95 % interval, in Elo; the ratings of the judges are taken as exact.
    #[getter]
    fn margin(&self) -> f64 {
        self.0.ratings.all.map_or(f64::NAN, |rating| rating.margin)
    }

    /// The number of games.
    #[getter]
    fn games(&self) -> u64 {
        self.0.games()
    }

    /// Returns everything, as `gipf rate --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<gipf.RatingReport: {} Elo after {} games>", Rating::text_of(self.0.ratings.all), self.games())
    }
}

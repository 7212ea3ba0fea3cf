//! Matches, with Python functions among the players.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use gipf_env::{GipfPosition, Variant};
use gipf_play::Stop;
use gipf_play::arena::{Book, Match, MatchConfig, Monitor, OpeningSource, Progress, play_match as play};
use gipf_play::players::Contender;
use pyo3::prelude::*;

use crate::argument::{Text, Whole, seed};
use crate::error::{MatchError, OrRaise, guarded, variant};
use crate::own::Leaves;
use crate::report::MatchReport;
use crate::sides::{Question, Side, games_at_once};
use crate::waiting::{Calls, attended};
use crate::workers::new_workers;

/// The most games of a match: all of them are kept in memory until it is over.
const MOST_GAMES: usize = 1_000_000;

/// Plays pairs of games over all cores, each pair from its own opening with colours exchanged.
///
/// * `a`, `b`: players, names or paths of players, or functions from a `State` to an action.
/// * `games`: an even number, 2 to 1 000 000.
/// * `variant`: the rule set; by default that of the first player or checkpoint, else standard.
/// * `opening`: the number of random turns of the openings, 0 to 65535; not used with `book`.
/// * `book`: whether the openings come from the book of balanced openings of the rule set.
/// * `limit`: the number of placements after which a game is cut off and counts as a draw, 1 to 65535.
/// * `seed`: of the openings and the players.
/// * `progress`: called with the number of pairs played and the number of all pairs.
///
/// A function is called in the thread that called `play_match`, for one game at a time. An evaluator is called there
/// too, for the leaves of up to 32 games at once, unless its opponent thinks for a time or on several threads and
/// needs its own core. An exception in one of them ends the match and is raised here, and so does Ctrl-C.
///
/// Raises `MatchError` if the match cannot be played, for example with an odd number of games, or with more games
/// than the book has openings for; `AgentError` and `CheckpointError` as `Player` does; `IllegalAction` if a function
/// returns an action that is not legal; `GipfError` if a number is out of range.
#[pyfunction]
#[pyo3(signature = (a, b, games = Whole::of(200), *, variant = None, opening = Whole::of(4), book = false,
    limit = Whole::of(400), seed = Whole::of(0), progress = None))]
#[pyo3(text_signature = "(a, b, games=200, *, variant=None, opening=4, book=False, limit=400, seed=0, progress=None)")]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn play_match(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: Whole,
    variant: Option<Text>,
    opening: Whole,
    book: bool,
    limit: Whole,
    seed: Whole,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<MatchReport> {
    guarded(|| {
        let asked = variant.map(|name| self::variant(&name)).transpose()?;
        let sides = [Side::of(a, asked)?, Side::of(b, asked)?];
        let rules = asked.or(sides[0].rules()).or(sides[1].rules()).unwrap_or(Variant::STANDARD);
        let turns = opening.checked("opening", 0..=u16::MAX)?.into();
        let config = MatchConfig {
            openings: if book {
                OpeningSource::Book(Arc::new(Book::of(rules)))
            } else {
                OpeningSource::Random { turns }
            },
            placement_limit: limit.checked("limit", 1..=u16::MAX)?,
            seed: self::seed(seed)?,
            ..MatchConfig::new(rules, pairs(games, MOST_GAMES)?)
        };
        let (stop, (desk, inbox)) = (Stop::default(), channel());
        let enter = |place: usize| sides[place].enter(rules, place, desk.clone());
        let game = Game { config, contenders: [enter(0)?, enter(1)?], desk, at_once: games_at_once(&sides)? };
        let mut answer = |questions| reply(py, questions, &sides, progress.as_ref());
        let played = attended(py, &stop, Calls { inbox, answer: &mut answer }, || game.play(&stop))?;
        Ok(played.report.into())
    })
}

/// Reads the number of games, and returns the number of pairs.
pub fn pairs(games: Whole, most: usize) -> PyResult<usize> {
    match games.within(&(2..=most)) {
        Some(number) if number % 2 == 0 => Ok(number / 2),
        _ => {
            let expected = format!("an even number, 2 to {most}, for pairs with colours exchanged");
            Err(MatchError::new_err(format!("games {games}: expected {expected}")))
        }
    }
}

/// Answers the questions of the games to Python; an evaluator is called once for all leaves that its games wait for.
pub fn reply<'py>(
    py: Python<'py>,
    questions: Vec<Question>,
    sides: &[Side<'py>],
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let mut waiting: Vec<Vec<Leaves>> = sides.iter().map(|_| Vec::new()).collect();
    for question in questions {
        match question {
            Question::Decide { place, state, answer } => {
                let chosen = sides[place].decide((*state).clone())?;
                // In a match that was stopped, nobody waits for the answer.
                answer.send(state.legal(chosen)?).ok();
            }
            Question::Evaluate { place, leaves } => waiting[place].push(leaves),
            Question::Progress { pairs_done, pairs } => {
                progress.map(|progress| progress.call1((pairs_done, pairs))).transpose()?;
            }
        }
    }
    sides.iter().zip(waiting).try_for_each(|(side, leaves)| side.evaluate(py, leaves))
}

/// A match, ready to be played away from the interpreter.
struct Game {
    config: MatchConfig,
    contenders: [Contender<GipfPosition>; 2],
    desk: Sender<Question>,
    at_once: Option<usize>,
}

impl Game {
    /// Plays on its own threads, which wait for answers from Python, while the shared threads have to go on.
    fn play(self, stop: &Stop) -> PyResult<Match> {
        new_workers(self.at_once)?.install(|| self.play_all(stop))
    }

    fn play_all(&self, stop: &Stop) -> PyResult<Match> {
        let tell = |Progress { pairs_done, pairs, .. }: Progress| {
            // In a match that was stopped, nobody listens.
            self.desk.send(Question::Progress { pairs_done, pairs }).ok();
        };
        let monitor = Monitor { progress: &tell, stop, keeper: None };
        let [a, b] = &self.contenders;
        play(&self.config, [a, b], monitor).or_raise()
    }
}

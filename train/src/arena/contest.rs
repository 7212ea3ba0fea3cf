//! A match between two agents: pairs of games with colours exchanged, spread over the cores.

use gipf_env::{GipfPosition, Position, Setup, Variant};
use rayon::prelude::*;

use crate::Stop;
use crate::players::{AgentError, AgentSpec, Entrant};

use super::game::{GameRecord, mix, play_game};
use super::openings::{OpeningsError, distinct_openings};
use super::report::MatchReport;
use super::sprt::{Sprt, Verdict};
use super::tally::Tally;

/// What is played for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contest {
    /// The rule set.
    pub variant: Variant,
    /// The number of pairs of games, each pair from its own opening; with a test, the largest number.
    pub pairs: usize,
    /// The number of turns of an opening, which are played at random. Default: 4.
    pub opening_turns: usize,
    /// The placements after which a game is cut off and counts as a draw. Default: 400.
    pub limit: u16,
    /// What openings and agents draw their random numbers from.
    pub seed: u64,
    /// A test that ends the match when its result is clear, if there is one.
    pub sprt: Option<Sprt>,
}

impl Contest {
    /// Creates a contest with the defaults.
    pub const fn new(variant: Variant, pairs: usize) -> Self {
        Self { variant, pairs, opening_turns: 4, limit: 400, seed: 0, sprt: None }
    }

    /// Returns the position before the opening.
    fn start(&self) -> GipfPosition {
        let setup = Setup { limit: Some(self.limit), ..Setup::start(self.variant) };
        GipfPosition::from_setup(&setup).expect("the start of a game is a valid position")
    }
}

/// A match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// Nothing would be measured.
    #[error("no games: expected at least one pair")]
    NoGames,
    /// The openings do not suffice.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// One of the agents cannot play.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// How far a match has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The pairs played.
    pub pairs_done: u64,
    /// The pairs to be played; a test may end the match before.
    pub pairs: u64,
    /// The score of agent A so far, 0 to 1.
    pub score: f64,
}

/// Who watches a match.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    /// Called after each pair, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Ends the match early; what was played till then is reported.
    pub stop: &'a Stop,
}

/// Plays a match between two agents, A first, and reports on it.
///
/// All but the times is the same in every run and for any number of threads, unless an agent has a limit in time or the
/// match is interrupted.
///
/// # Errors
/// If there is nothing to play, too few openings, or an agent that cannot be built or cannot play the rule set.
pub fn run_match(contest: &Contest, specs: [&AgentSpec; 2], monitor: Monitor<'_>) -> Result<MatchReport, MatchError> {
    let entrants = [specs[0].entrant(contest.variant)?, specs[1].entrant(contest.variant)?];
    run_match_between(contest, entrants.each_ref(), monitor)
}

/// Plays a match between two agents that are at hand, A first, and reports on it; see [`run_match`].
///
/// # Errors
/// If there is nothing to play, or too few openings.
pub fn run_match_between(
    contest: &Contest,
    entrants: [&Entrant<GipfPosition>; 2],
    monitor: Monitor<'_>,
) -> Result<MatchReport, MatchError> {
    if contest.pairs == 0 {
        return Err(MatchError::NoGames);
    }
    let openings = distinct_openings(&contest.start(), contest.opening_turns, contest.pairs, contest.seed)?;
    let tally = play_pairs(&openings, entrants, &Rules { seed: contest.seed, sprt: contest.sprt }, monitor);
    Ok(MatchReport::new(contest, [&entrants[0].name, &entrants[1].name], &tally))
}

/// What a series of pairs needs besides openings and agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// What agents draw their random numbers from.
    pub seed: u64,
    /// A test that ends the series when its result is clear.
    pub sprt: Option<Sprt>,
}

/// The pairs between two looks at the test: a fixed number, so that the end depends on results alone.
const PAIRS_PER_LOOK: usize = 16;

/// Plays a pair of games from each opening, and counts the results.
pub fn play_pairs<P: Position>(
    openings: &[P],
    entrants: [&Entrant<P>; 2],
    rules: &Rules,
    monitor: Monitor<'_>,
) -> Tally {
    let running = Running { tally: Tally::default().into(), pairs: openings.len() as u64, monitor };
    let chunk = if rules.sprt.is_some() { PAIRS_PER_LOOK } else { openings.len().max(1) };
    for (number, openings) in openings.chunks(chunk).enumerate() {
        openings.par_iter().enumerate().for_each_init(
            || [(entrants[0].build)(), (entrants[1].build)()],
            |[a, b], (index, opening)| {
                let seed = mix(rules.seed, (number * chunk + index) as u64);
                let first = play_game(opening, [&mut **a, &mut **b], [mix(seed, 0), mix(seed, 1)], monitor.stop);
                let second = play_game(opening, [&mut **b, &mut **a], [mix(seed, 2), mix(seed, 3)], monitor.stop);
                if let (Some(first), Some(second)) = (first, second) {
                    running.add(&[first, second]);
                }
            },
        );
        let clear = |sprt: Sprt| sprt.verdict(&running.tally().pentanomial) != Verdict::Open;
        if monitor.stop.requested() || rules.sprt.is_some_and(clear) {
            break;
        }
    }
    running.tally.into_inner().expect(NO_PANIC)
}

/// The tally that all threads add to; the order does not matter to it.
struct Running<'a> {
    tally: std::sync::Mutex<Tally>,
    pairs: u64,
    monitor: Monitor<'a>,
}

const NO_PANIC: &str = "adding to a tally does not panic";

impl Running<'_> {
    fn add(&self, games: &[GameRecord; 2]) {
        let mut tally = self.tally();
        tally.add_pair(games);
        let pairs_done = tally.pentanomial.pairs();
        let progress = Progress { pairs_done, pairs: self.pairs, score: tally.pentanomial.score() };
        drop(tally);
        (self.monitor.progress)(progress);
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().expect(NO_PANIC)
    }
}

//! A match between two agents: pairs of games with colours exchanged, spread over the cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use gipf_env::rules::SetupError;
use gipf_env::{GipfPosition, Position, Variant};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Stop;
use crate::config::GameConfig;
use crate::players::{AgentError, AgentSpec, Competitor, Entrant, Participant};

use super::book::{Book, BookError};
use super::clocked::{Conditions, play_bout};
use super::game::{GameRecord, mix, play_opening};
use super::openings::{Draw, Opening, OpeningsError, drawn_openings};
use super::report::MatchReport;
use super::sprt::{Sprt, Verdict};
use super::tally::Tally;
use super::time_control::TimeControl;

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
    /// ZÈRTZ-potentials of each player where the rule set has them, 3 to 6; none for 3.
    pub potentials: Option<u8>,
    /// What openings and agents draw their random numbers from.
    pub seed: u64,
    /// A test that ends the match when its result is clear, if there is one.
    pub sprt: Option<Sprt>,
    /// The time of each agent, if the games are played by the clock.
    pub clock: Option<TimeControl>,
}

impl Contest {
    /// Creates a contest with the defaults.
    pub const fn new(variant: Variant, pairs: usize) -> Self {
        Self { variant, pairs, opening_turns: 4, limit: 400, potentials: None, seed: 0, sprt: None, clock: None }
    }

    /// Returns the openings of the pairs: those of a book, or else random ones.
    ///
    /// # Errors
    /// If there are too few, or the rule set is not played so. A stop leaves those that were found before it.
    pub fn openings(&self, book: Option<&Book>, stop: &Stop) -> Result<Vec<Opening<GipfPosition>>, MatchError> {
        let draw = Draw { turns: self.opening_turns, count: self.pairs, seed: self.seed };
        Ok(match book {
            None => drawn_openings(&self.start()?, draw, stop)?,
            Some(book) => book.openings(self.pairs, self.limit, self.seed)?,
        })
    }

    /// Returns the position before the opening.
    fn start(&self) -> Result<GipfPosition, SetupError> {
        let Self { variant, limit, potentials, .. } = *self;
        let setup = GameConfig { variant, limit, potentials }.setup()?;
        Ok(GipfPosition::from_setup(&setup).expect("the start of a game is a valid position"))
    }
}

/// A match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// Nothing would be measured.
    #[error("no games: expected at least one pair")]
    NoGames,
    /// The rule set is not played so.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The openings do not suffice.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The book has too few openings.
    #[error(transparent)]
    Book(#[from] BookError),
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
    /// Keeps the pairs as they end, if somebody is to.
    pub keeper: Option<&'a dyn Keeper>,
}

/// Keeps the pairs of a match, so that one that was broken off need not play them again.
pub trait Keeper: Sync {
    /// Returns the pairs that were played before.
    fn known(&self) -> Vec<Pair>;

    /// Keeps a pair; false ends the match, since more cannot be kept.
    fn keep(&self, pair: &Pair) -> bool;
}

/// A match that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// What it says.
    pub report: MatchReport,
    /// The openings of all pairs that were to be played.
    pub openings: Vec<Opening<GipfPosition>>,
    /// The pairs that were played, in the order of their numbers.
    pub pairs: Vec<Pair>,
}

impl Match {
    /// Returns the match with its report saying from which book the openings are.
    pub fn from_book(mut self, name: &str) -> Self {
        self.report.book = Some(name.to_owned());
        self
    }
}

/// Two games from one opening with colours exchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair and of its opening, from 0.
    pub number: usize,
    /// The games; A is White in the first. By the clock, they may be replays with the colours exchanged.
    pub games: [GameRecord; 2],
}

/// Plays a match between two agents, A first, and reports on it.
///
/// All but the times is the same in every run and for any number of threads, unless there is a clock, an agent has
/// a limit in time, or the match is interrupted.
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
    play_match(contest, [entrants[0], entrants[1]], monitor).map(|played| played.report)
}

/// Plays a match between any two participants, A first, and returns the report and all games; see [`run_match`].
///
/// # Errors
/// If there is nothing to play, or too few openings.
pub fn play_match(
    contest: &Contest,
    participants: [&dyn Participant<GipfPosition>; 2],
    monitor: Monitor<'_>,
) -> Result<Match, MatchError> {
    play_match_from(contest, contest.openings(None, monitor.stop)?, participants, monitor)
}

/// Plays a match from openings that the caller has chosen, a pair of games from each; see [`play_match`].
///
/// # Errors
/// If there is nothing to play.
pub fn play_match_from(
    contest: &Contest,
    openings: Vec<Opening<GipfPosition>>,
    participants: [&dyn Participant<GipfPosition>; 2],
    monitor: Monitor<'_>,
) -> Result<Match, MatchError> {
    // A stop may have come before there was an opening; then there is a report of no games.
    if openings.is_empty() && !monitor.stop.requested() {
        return Err(MatchError::NoGames);
    }
    let rules = Rules { seed: contest.seed, sprt: contest.sprt };
    let pairs = match contest.clock {
        None => play_pairs(&openings, participants, &rules, monitor),
        Some(control) => {
            let began = Instant::now();
            let now = || began.elapsed();
            let conditions = Conditions { control, now: &now, stop: monitor.stop };
            let play: &PlayGame<'_, _> =
                &|opening, competitors, seeds| play_bout(opening, competitors, seeds, &conditions);
            Series { participants, rules, monitor, play }.run(&openings)
        }
    };
    let mut tally = Tally::default();
    for pair in &pairs {
        tally.add_pair(&pair.games);
    }
    let report = MatchReport::new(contest, participants.map(Participant::name), &tally);
    Ok(Match { report, openings, pairs })
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

/// Plays a pair of games from each opening, and returns the pairs in the order of their numbers.
pub fn play_pairs<P: Position>(
    openings: &[Opening<P>],
    participants: [&dyn Participant<P>; 2],
    rules: &Rules,
    monitor: Monitor<'_>,
) -> Vec<Pair> {
    let play: &PlayGame<'_, P> = &|opening, competitors, seeds| play_opening(opening, competitors, seeds, monitor.stop);
    Series { participants, rules: *rules, monitor, play }.run(openings)
}

/// Plays one game from an opening, White's competitor and seed first; nothing comes of it if it is stopped.
type PlayGame<'a, P> = dyn Fn(&Opening<P>, [&mut dyn Competitor<P>; 2], [u64; 2]) -> Option<GameRecord> + Sync + 'a;

/// How pairs are played, whatever the opening.
struct Series<'a, P: Position> {
    participants: [&'a dyn Participant<P>; 2],
    rules: Rules,
    monitor: Monitor<'a>,
    play: &'a PlayGame<'a, P>,
}

impl<P: Position> Series<'_, P> {
    fn run(&self, openings: &[Opening<P>]) -> Vec<Pair> {
        let Self { participants, rules, monitor, .. } = self;
        let mut known: Vec<_> = openings.iter().map(|_| None).collect();
        for pair in monitor.keeper.iter().flat_map(|keeper| keeper.known()) {
            if let Some(place) = known.get_mut(pair.number) {
                *place = Some(pair);
            }
        }
        let running = Running { played: Mutex::default(), pairs: openings.len() as u64, monitor: *monitor };
        let halted = AtomicBool::new(false);
        let chunk = if rules.sprt.is_some() { PAIRS_PER_LOOK } else { openings.len().max(1) };
        for (number, openings) in openings.chunks(chunk).enumerate() {
            openings.par_iter().enumerate().for_each_init(
                || participants.map(Participant::competitor),
                |competitors, (index, opening)| {
                    let number = number * chunk + index;
                    if let Some(pair) = &known[number] {
                        return running.add(pair.clone());
                    }
                    if halted.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Some(games) = self.play_pair(opening, competitors, mix(rules.seed, number as u64)) {
                        let pair = Pair { number, games };
                        if monitor.keeper.is_some_and(|keeper| !keeper.keep(&pair)) {
                            halted.store(true, Ordering::Relaxed);
                        }
                        running.add(pair);
                    }
                },
            );
            let clear = |sprt: Sprt| sprt.verdict(&running.played().tally.pentanomial) != Verdict::Open;
            if monitor.stop.requested() || halted.load(Ordering::Relaxed) || rules.sprt.is_some_and(clear) {
                break;
            }
        }
        let mut pairs = running.played.into_inner().expect(NO_PANIC).pairs;
        pairs.sort_unstable_by_key(|pair| pair.number);
        pairs
    }

    fn play_pair(
        &self,
        opening: &Opening<P>,
        [a, b]: &mut [Box<dyn Competitor<P>>; 2],
        seed: u64,
    ) -> Option<[GameRecord; 2]> {
        let first = (self.play)(opening, [&mut **a, &mut **b], [mix(seed, 0), mix(seed, 1)])?;
        let second = (self.play)(opening, [&mut **b, &mut **a], [mix(seed, 2), mix(seed, 3)])?;
        Some([first, second])
    }
}

/// What all threads add to, in any order.
struct Running<'a> {
    played: Mutex<Played>,
    pairs: u64,
    monitor: Monitor<'a>,
}

#[derive(Default)]
struct Played {
    tally: Tally,
    pairs: Vec<Pair>,
}

const NO_PANIC: &str = "adding to a list does not panic";

impl Running<'_> {
    fn add(&self, pair: Pair) {
        let mut played = self.played();
        played.tally.add_pair(&pair.games);
        played.pairs.push(pair);
        let results = played.tally.pentanomial;
        drop(played);
        let progress = Progress { pairs_done: results.pairs(), pairs: self.pairs, score: results.score() };
        (self.monitor.progress)(progress);
    }

    fn played(&self) -> MutexGuard<'_, Played> {
        self.played.lock().expect(NO_PANIC)
    }
}

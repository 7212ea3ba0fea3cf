//! A match between two contenders: pairs of games with colours exchanged, spread over the cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use gipf_env::GipfPosition;
use serde::{Deserialize, Serialize};

use crate::in_order::in_order;
use crate::players::{Agent, Contender};
use crate::{Instant, Stop};

use super::clocked::{Conditions, play_bout};
use super::game::{GameRecord, mix, play_opening};
use super::match_config::{MatchConfig, MatchError};
use super::openings::Opening;
use super::report::MatchReport;
use super::sprt::{Sprt, SprtDecision};
use super::tally::Tally;

/// The progress of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The pairs played.
    pub pairs_done: u64,
    /// The pairs to be played; a test may end the match earlier.
    pub pairs: u64,
    /// The score of agent A so far, 0 to 1.
    pub score: f64,
}

/// The observers of a match.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    /// Called after each pair, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Ends the match early; the games played by then are reported.
    pub stop: &'a Stop,
    /// Keeps the pairs as they end, if given.
    pub keeper: Option<&'a dyn Keeper>,
}

/// Keeps the pairs of a match, so that an interrupted match need not play them again.
pub trait Keeper: Sync {
    /// Returns the pairs that were played before.
    fn known(&self) -> Vec<Pair>;

    /// Keeps a pair and its opening; false ends the match, since no more can be kept.
    fn keep(&self, pair: &Pair, opening: &Opening<GipfPosition>) -> bool;
}

/// A played match.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Its report.
    pub report: MatchReport,
    /// The openings of all pairs that were to be played.
    pub openings: Vec<Opening<GipfPosition>>,
    /// The pairs that were played, in the order of their numbers.
    pub pairs: Vec<Pair>,
}

/// Two games from one opening with colours exchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair and of its opening, from 0.
    pub number: usize,
    /// The games; A is White in the first. By the clock, they may be replays with the colours exchanged.
    pub games: [GameRecord; 2],
}

/// Plays a match between two contenders, A first.
///
/// Everything but the times is the same on every run and for any number of threads, unless there is a clock, an agent
/// has a time limit or thinks on several threads itself, or the match is interrupted.
///
/// # Errors
/// If there is nothing to play, or too few openings.
pub fn play_match(
    config: &MatchConfig,
    contenders: [&Contender<GipfPosition>; 2],
    monitor: Monitor<'_>,
) -> Result<Match, MatchError> {
    let openings = config.draw(monitor.stop)?;
    // A stop may have come before the first opening; then the report has no games.
    if openings.is_empty() && !monitor.stop.requested() {
        return Err(MatchError::NoGames);
    }
    let series = |play: &PlayGame<'_>| Series { config, contenders, monitor, play }.run(&openings);
    let pairs = match config.clock {
        None => series(&|opening, agents, seeds| play_opening(opening, agents, seeds, monitor.stop)),
        Some(control) => {
            let began = Instant::now();
            let now = || began.elapsed();
            let conditions = Conditions { control, now: &now, stop: monitor.stop };
            series(&|opening, agents, seeds| play_bout(opening, agents, seeds, &conditions))
        }
    };
    let names = contenders.map(|contender| contender.name.as_str());
    let report = MatchReport::new(config, names, &Tally::of(&pairs));
    Ok(Match { report, openings, pairs })
}

/// Two agents of a game.
type Agents<'a> = [&'a mut dyn Agent<GipfPosition>; 2];

/// Plays one game from an opening, White's agent and seed first; nothing if it is stopped.
pub(super) type PlayGame<'a> = dyn Fn(&Opening<GipfPosition>, Agents<'_>, [u64; 2]) -> Option<GameRecord> + Sync + 'a;

/// Plays two games from an opening, the first agent White in the first; nothing if one is stopped.
pub(super) fn play_pair(
    opening: &Opening<GipfPosition>,
    [a, b]: &mut [Box<dyn Agent<GipfPosition>>; 2],
    seed: u64,
    play: &PlayGame<'_>,
) -> Option<[GameRecord; 2]> {
    let first = play(opening, [&mut **a, &mut **b], [mix(seed, 0), mix(seed, 1)])?;
    let second = play(opening, [&mut **b, &mut **a], [mix(seed, 2), mix(seed, 3)])?;
    Some([first, second])
}

/// The pairs between two evaluations of the test: a fixed number, so that the end depends on results alone.
const PAIRS_PER_LOOK: usize = 16;

/// The way to play the pairs of a match, for any opening.
struct Series<'a> {
    config: &'a MatchConfig,
    contenders: [&'a Contender<GipfPosition>; 2],
    monitor: Monitor<'a>,
    play: &'a PlayGame<'a>,
}

impl Series<'_> {
    /// Plays a pair from each opening, until the test decides, and returns the pairs in the order of their numbers.
    fn run(&self, openings: &[Opening<GipfPosition>]) -> Vec<Pair> {
        let mut kept: Vec<_> = openings.iter().map(|_| None).collect();
        for pair in self.monitor.keeper.iter().flat_map(|keeper| keeper.known()) {
            if let Some(place) = kept.get_mut(pair.number) {
                *place = Some(pair);
            }
        }
        let (mut pairs, tally, halted) = (Vec::new(), Mutex::default(), AtomicBool::new(false));
        let look = if self.config.sprt.is_some() { PAIRS_PER_LOOK } else { openings.len().max(1) };
        for first in (0..openings.len()).step_by(look) {
            let numbers = first..openings.len().min(first + look);
            let missing: Vec<_> = numbers.clone().filter(|&number| kept[number].is_none()).collect();
            let known: Vec<_> = numbers.filter_map(|number| kept[number].take()).collect();
            for pair in &known {
                self.count(pair, &tally, openings.len());
            }
            pairs.extend(known);
            pairs.extend(in_order(missing.len() as u64, |places| {
                let mut agents = self.contenders.map(|contender| (contender.build)());
                let played = places.map(|place| {
                    let number = missing[place as usize];
                    let pair = self.play_new(number, &openings[number], &mut agents, &halted)?;
                    self.count(&pair, &tally, openings.len());
                    Some((place, pair))
                });
                played.take_while(Option::is_some).flatten().collect()
            }));
            let clear = |sprt: Sprt| sprt.verdict(&locked(&tally).pentanomial) != SprtDecision::Open;
            if self.monitor.stop.requested() || halted.load(Ordering::Relaxed) || self.config.sprt.is_some_and(clear) {
                break;
            }
        }
        pairs.sort_unstable_by_key(|pair| pair.number);
        pairs
    }

    /// Plays a pair and keeps it; none if it cannot be kept.
    fn play_new(
        &self,
        number: usize,
        opening: &Opening<GipfPosition>,
        agents: &mut [Box<dyn Agent<GipfPosition>>; 2],
        halted: &AtomicBool,
    ) -> Option<Pair> {
        if halted.load(Ordering::Relaxed) {
            return None;
        }
        let games = play_pair(opening, agents, mix(self.config.seed, number as u64), self.play)?;
        let pair = Pair { number, games };
        if self.monitor.keeper.is_some_and(|keeper| !keeper.keep(&pair, opening)) {
            halted.store(true, Ordering::Relaxed);
        }
        Some(pair)
    }

    /// Adds a pair to the tally that all threads share, in any order, and reports the progress of the match.
    fn count(&self, pair: &Pair, tally: &Mutex<Tally>, pairs: usize) {
        let mut sum = locked(tally);
        sum.add_pair(&pair.games);
        let results = sum.pentanomial;
        drop(sum);
        (self.monitor.progress)(Progress { pairs_done: results.pairs(), pairs: pairs as u64, score: results.score() });
    }
}

fn locked(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().expect("adding to a tally does not panic")
}

//! A match between two contenders: pairs of games with colours exchanged, spread over the cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use gipf_env::GipfPosition;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Stop;
use crate::players::{Agent, Contender};

use super::clocked::{Conditions, play_bout};
use super::game::{GameRecord, mix, play_opening};
use super::match_config::{MatchConfig, MatchError};
use super::openings::Opening;
use super::report::MatchReport;
use super::sprt::{Sprt, Verdict};
use super::tally::Tally;

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

    /// Keeps a pair and the opening that it was played from; false ends the match, since more cannot be kept.
    fn keep(&self, pair: &Pair, opening: &Opening<GipfPosition>) -> bool;
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
/// All but the times is the same in every run and for any number of threads, unless there is a clock, an agent has
/// a limit in time, or the match is interrupted.
///
/// # Errors
/// If there is nothing to play, or too few openings.
pub fn play_match(
    config: &MatchConfig,
    contenders: [&Contender<GipfPosition>; 2],
    monitor: Monitor<'_>,
) -> Result<Match, MatchError> {
    let openings = config.draw(monitor.stop)?;
    // A stop may have come before there was an opening; then there is a report of no games.
    if openings.is_empty() && !monitor.stop.requested() {
        return Err(MatchError::NoGames);
    }
    let rules = Rules { seed: config.seed, sprt: config.sprt };
    let pairs = match config.clock {
        None => play_pairs(&openings, contenders, &rules, monitor),
        Some(control) => {
            let began = Instant::now();
            let now = || began.elapsed();
            let conditions = Conditions { control, now: &now, stop: monitor.stop };
            let play: &PlayGame<'_> = &|opening, agents, seeds| play_bout(opening, agents, seeds, &conditions);
            Series { contenders, rules, monitor, play }.run(&openings)
        }
    };
    let mut tally = Tally::default();
    for pair in &pairs {
        tally.add_pair(&pair.games);
    }
    let report = MatchReport::new(config, contenders.map(|contender| contender.name.as_str()), &tally);
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
pub fn play_pairs(
    openings: &[Opening<GipfPosition>],
    contenders: [&Contender<GipfPosition>; 2],
    rules: &Rules,
    monitor: Monitor<'_>,
) -> Vec<Pair> {
    let play: &PlayGame<'_> = &|opening, agents, seeds| play_opening(opening, agents, seeds, monitor.stop);
    Series { contenders, rules: *rules, monitor, play }.run(openings)
}

/// Two agents of a game.
type Agents<'a> = [&'a mut dyn Agent<GipfPosition>; 2];

/// Plays one game from an opening, White's agent and seed first; nothing comes of it if it is stopped.
type PlayGame<'a> = dyn Fn(&Opening<GipfPosition>, Agents<'_>, [u64; 2]) -> Option<GameRecord> + Sync + 'a;

/// How pairs are played, whatever the opening.
struct Series<'a> {
    contenders: [&'a Contender<GipfPosition>; 2],
    rules: Rules,
    monitor: Monitor<'a>,
    play: &'a PlayGame<'a>,
}

impl Series<'_> {
    fn run(&self, openings: &[Opening<GipfPosition>]) -> Vec<Pair> {
        let Self { contenders, rules, monitor, .. } = self;
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
                || contenders.map(|contender| (contender.build)()),
                |agents, (index, opening)| {
                    let number = number * chunk + index;
                    if let Some(pair) = &known[number] {
                        return running.add(pair.clone());
                    }
                    if halted.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Some(games) = self.play_pair(opening, agents, mix(rules.seed, number as u64)) {
                        let pair = Pair { number, games };
                        if monitor.keeper.is_some_and(|keeper| !keeper.keep(&pair, opening)) {
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
        opening: &Opening<GipfPosition>,
        [a, b]: &mut [Box<dyn Agent<GipfPosition>>; 2],
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

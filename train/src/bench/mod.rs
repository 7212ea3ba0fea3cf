//! How fast the parts are: the same work done again and again, its results compared, and the median reported.

pub mod answers;
pub mod env;
pub mod infer;
#[cfg(feature = "learn")]
pub mod learn;
pub mod positions;
pub mod search;
pub mod self_play;
mod stopwatch;
#[cfg(feature = "learn")]
pub mod training;

use rayon::ThreadPoolBuilder;
use serde::Serialize;

pub use stopwatch::{Round, Stopwatch, timed};

/// The measurement of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measurement<T> {
    /// The subject.
    #[serde(flatten)]
    pub subject: T,
    /// The threads over which it was spread.
    pub threads: usize,
    /// What is counted.
    pub unit: &'static str,
    /// The count of a round: the same in all rounds, or that of the median round where rounds have the same time instead.
    pub count: u64,
    /// The count per second, in the median round.
    pub per_second: f64,
    /// The count per second, in the best round.
    pub best: f64,
    /// The count per second of CPU time, in the median round. Programs that take the core away in between do not
    /// change it, but programs that share its caches do.
    pub per_core: f64,
    /// A number that stands for the results of a round, as the count does.
    pub fingerprint: u64,
}

impl<T> Measurement<T> {
    /// Returns the measurement from rounds of the same work.
    ///
    /// # Panics
    /// If two rounds have different results, or there are no rounds.
    pub fn of(subject: T, threads: usize, unit: &'static str, rounds: &[Round]) -> Self {
        let first = rounds.first().expect("there is a round");
        let same = |round: &Round| (round.count, round.fingerprint) == (first.count, first.fingerprint);
        assert!(rounds.iter().all(same), "rounds of the same work differ");
        Self::of_unequal(subject, threads, unit, rounds)
    }

    /// Returns the measurement from rounds that did as much work as the time allowed.
    ///
    /// # Panics
    /// If there are no rounds.
    pub fn of_unequal(subject: T, threads: usize, unit: &'static str, rounds: &[Round]) -> Self {
        let mut by_count: Vec<_> = rounds.iter().collect();
        by_count.sort_by_key(|round| round.count);
        let median = by_count[rounds.len() / 2];
        let sorted = |rate: &dyn Fn(&Round) -> f64| {
            let mut rates: Vec<_> = rounds.iter().map(rate).collect();
            rates.sort_by(f64::total_cmp);
            rates
        };
        let rates = sorted(&|round| round.count as f64 / round.time.as_secs_f64());
        let core_rates = sorted(&|round| round.count as f64 / round.core_time.as_secs_f64());
        Self {
            subject,
            threads,
            unit,
            count: median.count,
            per_second: rates[rates.len() / 2],
            best: rates[rates.len() - 1],
            per_core: core_rates[core_rates.len() / 2],
            fingerprint: median.fingerprint,
        }
    }
}

/// Does work in rounds, on this many threads of its own.
pub fn in_rounds(threads: usize, rounds: usize, mut work: impl FnMut() -> Round + Send) -> Vec<Round> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("the system gives threads");
    pool.install(|| (0..rounds).map(|_| work()).collect())
}

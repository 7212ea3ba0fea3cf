//! Wall-clock time and CPU time.

use std::time::{Duration, Instant};

use crate::core_time::core_time;

/// Work that was done once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The amount of work.
    pub count: u64,
    /// A number that stands for its results.
    pub fingerprint: u64,
    /// The wall-clock time that it took.
    pub time: Duration,
    /// The CPU time that it took, summed over cores.
    pub core_time: Duration,
}

/// Adds up the time of some parts of a round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    time: Duration,
    core_time: Duration,
}

impl Stopwatch {
    /// Does work, and adds its time.
    pub fn run<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begin, core_begin) = (Instant::now(), core_time());
        let result = work();
        self.time += begin.elapsed();
        self.core_time += core_time().saturating_sub(core_begin);
        result
    }

    /// Returns the round that took this time.
    pub const fn round(self, count: u64, fingerprint: u64) -> Round {
        Round { count, fingerprint, time: self.time, core_time: self.core_time }
    }
}

/// Does work that returns its amount and a fingerprint of its results.
pub fn timed(work: impl FnOnce() -> (u64, u64)) -> Round {
    let mut watch = Stopwatch::default();
    let (count, fingerprint) = watch.run(work);
    watch.round(count, fingerprint)
}

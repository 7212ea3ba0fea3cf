//! Time by the clock on the wall, and time of the cores.

use std::time::{Duration, Instant};

use crate::core_time::core_time;

/// Work that was done once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// How much it was.
    pub count: u64,
    /// A number that stands for its results.
    pub fingerprint: u64,
    /// The time that passed.
    pub time: Duration,
    /// The time that the cores spent on it, added up.
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

/// Does work that returns how much it was and a fingerprint of its results.
pub fn timed(work: impl FnOnce() -> (u64, u64)) -> Round {
    let mut watch = Stopwatch::default();
    let (count, fingerprint) = watch.run(work);
    watch.round(count, fingerprint)
}

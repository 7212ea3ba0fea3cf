//! The replay window: the samples of the last iterations, from which batches are drawn.

use std::collections::VecDeque;

use gipf_env::Learnable;
use gipf_env::math::wide;
use gipf_models::Batch;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::sample::{Sample, batch};

/// The size of the window, and the use of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplayConfig {
    /// The number of samples up to which all are kept; from then on the buffer grows by a power law. KataGo: 250 000.
    pub window: usize,
    /// The exponent of the power law, 0 to 1: 0 stops the growth; with 1 and a slope of 1 every sample is kept.
    /// KataGo: 0.65.
    pub exponent: f64,
    /// The slope at which the growth beyond the first `window` samples begins, in samples kept for each new one.
    /// KataGo: 0.4.
    pub slope: f64,
    /// How often a sample is used on average: an iteration has new samples × reuse / batch size training steps, rounded
    /// down. KataGo: at most 8; AlphaZero: below 1.
    pub reuse: f64,
    /// The share of a sample's frequency that depends on how much the search surprised the network, 0 to 1: on the
    /// divergence of the policy target from the network's policy, relative to the mean of the iteration. 0 for equal
    /// frequencies. KataGo: 0.5.
    pub surprise: f64,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self { window: 100_000, exponent: 0.65, slope: 0.4, reuse: 4.0, surprise: 0.0 }
    }
}

impl ReplayConfig {
    /// Returns the size of the window when `total` samples have been made (KataGo, appendix C of arXiv 1902.10565).
    ///
    /// With N samples, window M, exponent e and slope s it is M + s·M/e·((N/M)^e - 1), and all N while N ≤ M.
    pub fn window_at(&self, total: u64) -> usize {
        let (made, window) = (total as f64, self.window as f64);
        if made <= window || self.exponent == 0.0 {
            return self.window.min(total as usize);
        }
        let growth = self.slope * window / self.exponent * (wide::pow(made / window, self.exponent) - 1.0);
        ((window + growth) as usize).min(total as usize)
    }

    /// Returns the number of training steps that `new` samples allow.
    pub fn steps(&self, new: usize, batch_size: usize) -> usize {
        (new as f64 * self.reuse / batch_size as f64).floor() as usize
    }
}

/// The samples of the last iterations.
#[derive(Debug)]
pub struct ReplayBuffer<P> {
    config: ReplayConfig,
    /// One entry per iteration, the oldest first.
    iterations: VecDeque<Vec<Sample<P>>>,
    total: u64,
}

impl<P: Learnable> ReplayBuffer<P> {
    /// Returns an empty window.
    pub fn new(config: ReplayConfig) -> Self {
        Self { config, iterations: VecDeque::new(), total: 0 }
    }

    /// Goes on with other settings: a smaller window applies from the next samples on.
    pub fn configure(&mut self, config: ReplayConfig) {
        self.config = config;
    }

    /// Adds the samples of an iteration, and drops the oldest iterations that are no longer in the window.
    ///
    /// Iterations are dropped whole, so that the window never holds fewer samples than its size.
    pub fn push(&mut self, samples: Vec<Sample<P>>) {
        self.total += samples.len() as u64;
        self.iterations.push_back(samples);
        let size = self.config.window_at(self.total);
        while self.len() - self.iterations.front().map_or(0, Vec::len) >= size.max(1) {
            self.iterations.pop_front();
        }
    }

    /// Returns `count` positions drawn from the window; none if it is empty.
    pub fn positions(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<P> {
        let count = if self.is_empty() { 0 } else { count };
        (0..count).map(|_| self.get(rng.random_range(0..self.len())).position.clone()).collect()
    }

    /// Puts back the samples of an iteration that was in the window when the run stopped.
    pub fn restore(&mut self, samples: Vec<Sample<P>>) {
        self.iterations.push_back(samples);
    }

    /// Returns the number of samples in the window.
    pub fn len(&self) -> usize {
        self.iterations.iter().map(Vec::len).sum()
    }

    /// Returns whether the window is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of samples ever added.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Sets the number of samples ever added, for a window that is read back from files.
    pub fn set_total(&mut self, total: u64) {
        self.total = total;
    }

    /// Returns the number of iterations that the window still holds.
    pub fn iterations(&self) -> usize {
        self.iterations.len()
    }

    /// Returns a batch drawn uniformly, each sample under a random symmetry.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn draw(&self, size: usize, mix: f32, rng: &mut ChaCha8Rng) -> Batch {
        let drawn: Vec<_> = (0..size).map(|_| self.get(rng.random_range(0..self.len()))).collect();
        batch(&drawn, mix, rng)
    }

    fn get(&self, mut index: usize) -> &Sample<P> {
        for iteration in &self.iterations {
            if index < iteration.len() {
                return &iteration[index];
            }
            index -= iteration.len();
        }
        unreachable!("the index is below the number of samples")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_everything_at_first_and_then_grows_more_slowly() {
        let config = ReplayConfig { window: 1000, slope: 0.4, ..ReplayConfig::default() };
        assert_eq!(config.window_at(10), 10);
        assert_eq!(config.window_at(1000), 1000);
        // 1000 + 0.4 · 1000 / 0.65 · (10^0.65 - 1) = 3133.4…
        assert_eq!(config.window_at(10_000), 3133);
        let sizes: Vec<_> = (1..100).map(|n| config.window_at(n * 500)).collect();
        assert!(sizes.is_sorted() && sizes[98] < 49_500 / 4);
    }

    #[test]
    fn steps_use_each_new_sample_as_often_as_asked() {
        let config = ReplayConfig { reuse: 4.0, ..ReplayConfig::default() };
        assert_eq!(config.steps(6400, 256), 100);
        assert_eq!(config.steps(10, 256), 0);
    }
}

//! Fitting a network to games that were played before (supervised learning).

use std::time::{Duration, Instant};

use gipf_env::Learnable;
use gipf_models::{Batch, Checkpoint, ConfigError, Losses, Metadata, NetConfig, NetKind};
use gipf_play::Stop;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::learner::{Learner, LearnerError};
use crate::COMMIT;
use crate::core_time::core_time;
use crate::training::metrics::LearningMetrics;
use crate::training::samples::{PackedSamples, Split, batch};
use crate::training::settings::{Config, LearningConfig};

/// The settings of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitConfig {
    /// The network.
    pub net: NetKind,
    /// What it begins with: this network, or a smaller one that grows to it; without one, weights drawn by the seed.
    pub from: Option<Checkpoint>,
    /// The settings of learning. The value target is the result of the game, mixed with the search's value as
    /// `value_mix` says, from the beginning.
    pub learning: LearningConfig,
    /// The length of learning.
    pub length: FitLength,
    /// The time spent learning between two reports.
    pub report_every: Duration,
    /// The seed of everything random: the same seed, samples and number of steps give the same weights.
    pub seed: u64,
}

impl FitConfig {
    /// The share of games that is held out when a run begins with a fit.
    pub const HELD_OUT: f64 = 0.1;

    /// Returns the fit with which a run begins on samples from elsewhere: each is learned `replay.reuse` times on average.
    pub fn of_run(config: &Config, samples: usize) -> Self {
        let config = config.at(0);
        let steps = config.replay.reuse * samples as f64 / config.learning.batch_size as f64;
        Self {
            net: config.network.0,
            from: None,
            learning: config.learning,
            length: FitLength::Steps((steps.round() as u64).max(1)),
            report_every: Duration::from_secs(30),
            seed: config.run.seed,
        }
    }
}

/// The length of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitLength {
    /// A number of steps.
    Steps(u64),
    /// A wall-clock time, not counting measurements.
    Time(Duration),
    /// A CPU time, summed over cores, not counting measurements: the same work however busy the machine is.
    CoreTime(Duration),
}

/// The progress of a fit, and the quality of the network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitMetrics {
    /// Seconds spent learning, not counting measurements.
    pub seconds: f64,
    /// CPU seconds spent learning, summed over cores.
    pub cpu_seconds: f64,
    /// Samples learned from per second of CPU time.
    pub samples_per_cpu_second: f64,
    /// The metrics of the steps since the last report; none if there were no steps. The value loss is against the
    /// target, not against the results alone.
    pub learning: Option<LearningMetrics>,
    /// The steps since the beginning.
    pub steps: u64,
    /// The quality on samples that the network has not learned from; none if no samples are held out.
    pub held_out: Option<HeldOutMetrics>,
}

/// The quality of a network on samples that it has not learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HeldOutMetrics {
    /// The samples measured.
    pub samples: u64,
    /// Cross-entropy of the policy against its target, in nats.
    pub policy_loss: f64,
    /// Entropy of the policy target, in nats: the lower bound of the policy loss.
    pub target_entropy: f64,
    /// The share of samples in which the likeliest action is that of the target.
    pub policy_accuracy: f64,
    /// Cross-entropy of win, draw, loss against the result, in nats; none if no game has a result.
    pub value_loss: Option<f64>,
    /// The mean squared error of the value, -1 to 1, against the result; none if no game has a result.
    pub value_error: Option<f64>,
}

/// Follows the progress of a fit.
pub trait FitReporter {
    /// A step was taken; `progress` is the share of the whole that is done.
    fn stepped(&mut self, steps: u64, progress: f64);

    /// A report is due.
    fn measured(&mut self, metrics: &FitMetrics);
}

/// A network that was fitted.
pub struct Fitted {
    /// The network.
    pub net: NetConfig,
    /// The last report, measured with all held-out samples, or with some of them if the fit was stopped.
    pub metrics: FitMetrics,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    learner: Learner,
    seed: u64,
}

impl Fitted {
    /// Returns the network as a checkpoint, to play a game of this name with.
    pub fn checkpoint(&self, game: &str) -> Checkpoint {
        let (game, commit) = (game.to_owned(), COMMIT.map(str::to_owned));
        let metadata = Metadata { game, step: self.learner.steps(), seed: self.seed, commit };
        Checkpoint { config: self.net.clone(), metadata, weights: self.learner.weights() }
    }
}

/// Why a network could not be fitted.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// There is nothing to learn from.
    #[error("the data has no decision with a policy to learn: expected rows of the effort `full`")]
    NoSamples,
    /// All samples are held out.
    #[error(
        "all {0} samples are held out, and none is left to learn from: expected more games, or a smaller share held out"
    )]
    AllHeldOut(usize),
    /// The network is impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Learning failed.
    #[error(transparent)]
    Learner(#[from] LearnerError),
}

/// Samples measured during a fit: enough to see three digits of a loss.
const MEASURED: usize = 4096;

/// Fits a network to samples; if a stop is requested, it returns the network so far.
///
/// # Errors
/// If there are no samples, the network cannot be built for them, or learning diverges.
pub fn fit<P: Learnable>(
    split: &Split<PackedSamples<P>>,
    config: &FitConfig,
    reporter: &mut dyn FitReporter,
    stop: &Stop,
) -> Result<Fitted, FitError> {
    let mut fit = NetworkFit::new(split, config)?;
    while !fit.learn(reporter, stop)? {
        let metrics = fit.report(MEASURED);
        reporter.measured(&metrics);
    }
    let stopped = stop.requested();
    let metrics = fit.report(if stopped { MEASURED } else { usize::MAX });
    Ok(Fitted { net: fit.net, metrics, stopped, learner: fit.learner, seed: config.seed })
}

/// A fit in progress.
struct NetworkFit<'a, P> {
    config: &'a FitConfig,
    split: &'a Split<PackedSamples<P>>,
    net: NetConfig,
    learner: Learner,
    deck: Deck,
    rng: ChaCha8Rng,
    /// The time spent learning.
    time: Duration,
    core_time: Duration,
    /// Sums over the steps since the last report.
    sums: LearningMetrics,
    /// The time at the last report.
    reported: Duration,
}

impl<'a, P: Learnable> NetworkFit<'a, P> {
    fn new(split: &'a Split<PackedSamples<P>>, config: &'a FitConfig) -> Result<Self, FitError> {
        match (split.learned.len(), split.held_out.len()) {
            (0, 0) => return Err(FitError::NoSamples),
            (0, held_out) => return Err(FitError::AllHeldOut(held_out)),
            _ => {}
        }
        let net = NetConfig::of(config.net.clone(), &split.learned.get(0).position)?;
        let optimizer = &config.learning.optimizer;
        let learner = match &config.from {
            Some(from) => Learner::beginning_with(&net, optimizer, (&from.config, &from.weights), config.seed)?,
            None => Learner::new(&net, optimizer, config.seed)?,
        };
        Ok(Self {
            config,
            split,
            net,
            learner,
            deck: Deck::new(split.learned.len()),
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            time: Duration::ZERO,
            core_time: Duration::ZERO,
            sums: LearningMetrics::default(),
            reported: Duration::ZERO,
        })
    }

    /// Learns until a report is due, and returns whether the fit is done.
    fn learn(&mut self, reporter: &mut dyn FitReporter, stop: &Stop) -> Result<bool, FitError> {
        let (began, before) = (Instant::now(), self.time);
        let (core_began, core_before) = (core_time(), self.core_time);
        let mut progress = self.progress();
        while progress < 1.0 && !stop.requested() && self.unreported() < self.config.report_every {
            self.step(progress)?;
            self.time = before + began.elapsed();
            self.core_time = core_before + core_time().saturating_sub(core_began);
            progress = self.progress();
            reporter.stepped(self.learner.steps(), progress);
        }
        Ok(progress >= 1.0 || stop.requested())
    }

    /// Returns the share of the whole that is done.
    fn progress(&self) -> f64 {
        match self.config.length {
            FitLength::Steps(steps) => self.learner.steps() as f64 / steps.max(1) as f64,
            FitLength::Time(time) => self.time.div_duration_f64(time),
            FitLength::CoreTime(time) => self.core_time.div_duration_f64(time),
        }
    }

    /// Returns the time spent learning since the last report.
    fn unreported(&self) -> Duration {
        self.time.saturating_sub(self.reported)
    }

    fn step(&mut self, progress: f64) -> Result<(), FitError> {
        let learning = &self.config.learning;
        let drawn: Vec<_> = (0..learning.batch_size).map(|_| self.deck.draw(&mut self.rng)).collect();
        let batch = unpacked(&self.split.learned, &drawn, learning.value_mix, &mut self.rng);
        self.sums.learning_rate = learning.learning_rate_at(self.learner.steps(), progress);
        let losses = self.learner.train_step(&batch, self.sums.learning_rate)?;
        self.sums.add(&batch, &losses);
        self.sums.steps += 1;
        Ok(())
    }

    /// Sums up the steps since the last report, and measures on this many held-out samples.
    fn report(&mut self, most: usize) -> FitMetrics {
        let (batch, steps) = (self.config.learning.batch_size as u64, self.sums.steps);
        let seconds = self.unreported().as_secs_f64().max(1e-9);
        let sums = std::mem::take(&mut self.sums);
        let learning = (steps > 0).then(|| LearningMetrics {
            window: self.split.learned.len() as u64,
            samples_per_second: (steps * batch) as f64 / seconds,
            ..sums.mean(steps)
        });
        self.reported = self.time;
        let samples = (self.learner.steps() * batch) as f64;
        FitMetrics {
            seconds: self.time.as_secs_f64(),
            cpu_seconds: self.core_time.as_secs_f64(),
            samples_per_cpu_second: samples / self.core_time.as_secs_f64().max(1e-9),
            learning,
            steps: self.learner.steps(),
            held_out: self.measure(most),
        }
    }

    /// Measures the weights that play on held-out samples, evenly spread. Their symmetries are the same each time.
    fn measure(&self, most: usize) -> Option<HeldOutMetrics> {
        let held_out = &self.split.held_out;
        let count = held_out.len().min(most);
        let indices: Vec<_> = (0..count).map(|place| place * held_out.len() / count).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut sums = Sums::default();
        for indices in indices.chunks(self.config.learning.batch_size) {
            let batch = unpacked(held_out, indices, 0.0, &mut rng);
            sums.add(&batch, &self.learner.losses(&batch));
        }
        (count > 0).then(|| sums.means())
    }
}

/// Returns a batch of samples, each under a symmetry drawn at random.
fn unpacked<P: Learnable>(samples: &PackedSamples<P>, indices: &[usize], mix: f32, rng: &mut ChaCha8Rng) -> Batch {
    let drawn: Vec<_> = indices.iter().map(|&index| samples.get(index)).collect();
    batch(&drawn.iter().collect::<Vec<_>>(), mix, rng)
}

/// The numbers of all samples, drawn in a random order: each is drawn once before any is drawn again.
struct Deck {
    order: Vec<u32>,
    /// The number of them still to be drawn.
    left: usize,
}

impl Deck {
    fn new(samples: usize) -> Self {
        let samples = u32::try_from(samples).expect("so many samples fit in no memory");
        Self { order: (0..samples).collect(), left: 0 }
    }

    fn draw(&mut self, rng: &mut ChaCha8Rng) -> usize {
        if self.left == 0 {
            self.left = self.order.len();
        }
        let place = rng.random_range(0..self.left);
        self.left -= 1;
        self.order.swap(place, self.left);
        self.order[self.left] as usize
    }
}

/// Sums over batches, each loss times the weight of its samples.
#[derive(Default)]
struct Sums {
    samples: u64,
    policy_loss: f64,
    target_entropy: f64,
    policy_accuracy: f64,
    value_loss: f64,
    value_error: f64,
    policy_weight: f64,
    value_weight: f64,
}

impl Sums {
    fn add(&mut self, batch: &Batch, losses: &Losses) {
        let [policy, value] = [&batch.policy_weight, &batch.value_weight]
            .map(|weights| weights.iter().map(|&weight| f64::from(weight)).sum::<f64>());
        self.policy_loss += policy * f64::from(losses.policy);
        self.target_entropy += policy * f64::from(losses.target_entropy);
        self.policy_accuracy += policy * f64::from(losses.accuracy);
        self.value_loss += value * f64::from(losses.value);
        self.value_error += value * f64::from(losses.value_error);
        self.samples += batch.size as u64;
        self.policy_weight += policy;
        self.value_weight += value;
    }

    fn means(self) -> HeldOutMetrics {
        let over = |sum: f64, weight: f64| (weight > 0.0).then(|| sum / weight);
        let of_policy = |sum| over(sum, self.policy_weight).unwrap_or_default();
        HeldOutMetrics {
            samples: self.samples,
            policy_loss: of_policy(self.policy_loss),
            target_entropy: of_policy(self.target_entropy),
            policy_accuracy: of_policy(self.policy_accuracy),
            value_loss: over(self.value_loss, self.value_weight),
            value_error: over(self.value_error, self.value_weight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_deals_every_sample_once_before_any_comes_again() {
        let (mut deck, mut rng) = (Deck::new(50), ChaCha8Rng::seed_from_u64(1));
        let mut rounds: Vec<Vec<_>> = Vec::new();
        for _ in 0..3 {
            rounds.push((0..50).map(|_| deck.draw(&mut rng)).collect());
        }
        assert!(rounds[0] != rounds[1] && !rounds[0].is_sorted());
        for mut round in rounds {
            round.sort_unstable();
            assert!(round.into_iter().eq(0..50));
        }
    }
}

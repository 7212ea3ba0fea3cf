//! The learner: one gradient step after the other on batches of samples.

mod stored;

use std::path::PathBuf;

use gipf_models::gradient::{Answer, GradientConfig, Method, MethodMissing};
use gipf_models::{Batch, ConfigError, Losses, NetConfig, TensorFileError, Weights, WeightsError};

use super::adamw::{Moments, Step, average, norm};
use crate::training::settings::OptimizerConfig;
use crate::training::watch::LearnerState;

/// Why a learner cannot start, go on, or be stored.
#[derive(Debug, thiserror::Error)]
pub enum LearnerError {
    /// The network's settings are impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The device, or the method by which the network learns, was not built in.
    #[error(transparent)]
    Missing(#[from] MethodMissing),
    /// The weights are not those of the network.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] TensorFileError),
    /// The file is not the state of this learner.
    #[error("{} is the state of another learner: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The mismatch.
        reason: String,
    },
    /// The loss or its gradient is not finite. The learner is as it was before the step.
    #[error("training step {step}: the losses are {losses:?}, expected finite numbers; a lower learning rate may help")]
    Diverged {
        /// The step.
        step: u64,
        /// The losses measured.
        losses: Losses,
    },
}

/// A network in training, with everything that determines how it goes on.
///
/// It is a function of the seed, the settings and the batches: the same ones give the same weights, bit for bit, on
/// the same machine.
#[derive(Clone)]
pub struct Learner {
    config: OptimizerConfig,
    net: NetConfig,
    method: Method,
    weights: Weights,
    moments: Moments,
    /// The moving average of the weights.
    average: Weights,
    steps: u64,
    /// The share of a weight without gradients that decay has left since this value was made; not part of the state
    /// that is stored.
    left: f64,
}

impl Learner {
    /// Begins with the weights drawn by the seed.
    ///
    /// # Errors
    /// If the network is impossible, or the device was not built in.
    pub fn new(net: &NetConfig, config: &OptimizerConfig, seed: u64) -> Result<Self, LearnerError> {
        net.validate()?;
        Self::with_weights(net, config, &Weights::initial(net, seed))
    }

    /// Begins with given weights.
    ///
    /// # Errors
    /// If the network is impossible, the weights do not fit it, or the device was not built in.
    pub fn with_weights(net: &NetConfig, config: &OptimizerConfig, weights: &Weights) -> Result<Self, LearnerError> {
        net.validate()?;
        weights.check(net)?;
        Ok(Self {
            config: config.clone(),
            net: net.clone(),
            method: Method::of(net, config.device)?,
            weights: weights.clone(),
            moments: Moments::of(weights),
            average: weights.clone(),
            steps: 0,
            left: 1.0,
        })
    }

    /// Begins with the weights of this network, or of a smaller one that grows to it by new units, whose weights the
    /// seed draws.
    ///
    /// # Errors
    /// If the network is impossible, the weights fit neither, or the device was not built in.
    pub fn beginning_with(
        net: &NetConfig,
        config: &OptimizerConfig,
        (from, weights): (&NetConfig, &Weights),
        seed: u64,
    ) -> Result<Self, LearnerError> {
        if !from.grows_to(net) {
            return Self::with_weights(net, config, weights);
        }
        Self::with_weights(net, config, &weights.grown(from, net, seed)?)
    }

    /// Goes on with other settings, on the same device.
    ///
    /// # Panics
    /// If the device is another one.
    pub fn configure(&mut self, config: OptimizerConfig) {
        assert_eq!(config.device, self.config.device, "a learner stays on its device");
        self.config = config;
    }

    /// Returns the network that it trains.
    pub const fn net(&self) -> &NetConfig {
        &self.net
    }

    /// Returns the number of steps taken since it began, or since the network grew.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the weights to play with: their moving average, or the newest weights if there is no average.
    pub fn weights(&self) -> Weights {
        self.average.clone()
    }

    /// Returns the newest weights.
    pub fn raw_weights(&self) -> Weights {
        self.weights.clone()
    }

    /// Returns what [`of_learning`](crate::training::watch::of_learning) looks at.
    pub fn state(&self) -> LearnerState {
        let (weights, moment) = (self.raw_weights(), self.moments.largest());
        LearnerState { steps: self.steps, weights, moment, left: self.left }
    }

    /// Takes one step on a batch, and returns the losses that the network had before it.
    ///
    /// # Shapes
    /// - as in [`Batch`].
    ///
    /// # Errors
    /// If a loss or the gradient is not finite; nothing is changed.
    ///
    /// # Panics
    /// If the batch is empty or has other shapes than the network.
    pub fn train_step(&mut self, batch: &Batch, learning_rate: f64) -> Result<Losses, LearnerError> {
        let (mut losses, gradient) = self.gradient(batch);
        losses.gradient_norm = norm(&gradient);
        if ![losses.policy, losses.value, losses.gradient_norm].iter().all(|value| value.is_finite()) {
            return Err(LearnerError::Diverged { step: self.steps + 1, losses });
        }
        // The smallest positive number avoids a division by zero when the gradient is zero.
        let scale = ((losses.gradient_norm + f32::MIN_POSITIVE).recip() * self.config.clip_norm).min(1.0);
        self.apply(&gradient, scale, learning_rate);
        Ok(losses)
    }

    /// Returns the losses of the weights that play on a batch, without learning from it.
    ///
    /// # Panics
    /// If the batch is empty or has other shapes than the network.
    pub fn losses(&self, batch: &Batch) -> Losses {
        self.assert_fits(batch);
        self.method.losses(&self.average, batch)
    }

    fn assert_fits(&self, batch: &Batch) {
        assert!(batch.size > 0, "a batch has samples");
        batch.assert_shape(self.net.layout.size(), self.net.actions.size());
    }

    /// Returns the losses of the newest weights on a batch, and the gradient of the loss. Its shards are computed in
    /// parallel.
    pub(crate) fn gradient(&self, batch: &Batch) -> (Losses, Weights) {
        self.assert_fits(batch);
        let OptimizerConfig { gradient_shards: shards, value_weight, .. } = self.config;
        let how = GradientConfig { shards, value_weight };
        let Answer { losses, gradient } = self.method.gradient(&self.weights, batch, how);
        (losses, gradient)
    }

    /// Moves the weights against a gradient times `scale`, and their average a little towards them.
    fn apply(&mut self, gradient: &Weights, scale: f32, learning_rate: f64) {
        self.steps += 1;
        let step = Step { time: self.steps, scale, learning_rate };
        self.moments.step(&self.config, step, &mut self.weights, gradient);
        self.left *= 1.0 - learning_rate * f64::from(self.config.weight_decay);
        // At first the average forgets faster, so that the initial weights do not linger.
        let kept = self.config.average.min((1 + self.steps) as f32 / (10 + self.steps) as f32);
        average(&mut self.average, &self.weights, kept);
    }
}

#[cfg(test)]
mod tests {
    use gipf_env::geometry::Spot;
    use gipf_env::{ActionSpace, ObservationLayout};
    use gipf_models::{LineConfig, MlpConfig, NetKind};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Networks: one that learns by hand-written gradients, and one that needs automatic differentiation, if that was
    /// built in.
    pub(super) fn configs() -> Vec<NetConfig> {
        let cells: Vec<_> = Spot::all().map(Spot::cell).collect();
        let layout = ObservationLayout { pieces: 4, marks: 2, scalars: 5, rows: 7, columns: 7, cells };
        let line = LineConfig { features: 16, hidden: 32, value_hidden: 16, ..LineConfig::default() };
        let mut nets = vec![NetKind::Line(line)];
        if cfg!(feature = "burn") {
            nets.push(NetKind::Mlp(MlpConfig { hidden: vec![64, 64] }));
        }
        let config = |net| NetConfig { net, layout: layout.clone(), actions: ActionSpace::STANDARD };
        nets.into_iter().map(config).collect()
    }

    /// Draws samples with one target action each.
    pub(super) fn batch(config: &NetConfig, size: usize, seed: u64) -> Batch {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let actions = config.actions.size();
        let mut batch = Batch { size, planes: vec![0.0; size * config.layout.size()], ..Batch::default() };
        for planes in batch.planes.chunks_exact_mut(config.layout.size()) {
            for &cell in &config.layout.cells {
                if let piece @ 0..4 = rng.random_range(0..8) {
                    planes[piece * 49 + cell] = 1.0;
                }
            }
            batch.legal.extend((0..actions).map(|_| rng.random::<bool>()));
            let target = rng.random_range(0..actions);
            let row = batch.legal.len() - actions;
            batch.legal[row + target] = true;
            batch.policy.extend((0..actions).map(|action| if action == target { 1.0 } else { 0.0 }));
            let result = rng.random_range(0..3);
            batch.wdl.extend((0..3).map(|kind| if kind == result { 1.0 } else { 0.0 }));
        }
        batch.policy_weight = vec![1.0; size];
        batch.value_weight = vec![1.0; size];
        batch
    }

    pub(super) fn learner(config: &NetConfig) -> Learner {
        Learner::new(config, &OptimizerConfig::default(), 1).unwrap()
    }

    #[test]
    fn a_network_learns_a_few_samples_by_heart() {
        for config in configs() {
            let (mut learner, batch) = (learner(&config), batch(&config, 32, 1));
            let before = learner.losses(&batch);
            assert!((before.value - gipf_env::math::ln(3.0)).abs() < 0.1, "the first value is nearly even: {before:?}");
            assert!(before.policy > 2.5 && before.policy_entropy > 2.5, "and so is the first policy: {before:?}");
            for _ in 0..100 {
                learner.train_step(&batch, 3e-3).unwrap();
            }
            let after = learner.losses(&batch);
            assert!(after.policy < 0.5 * before.policy && after.value < 0.5 * before.value, "{before:?} {after:?}");
            assert!(after.accuracy > 0.8, "{after:?}");
        }
    }

    #[test]
    fn the_same_seed_and_batches_give_the_same_weights() {
        for config in configs() {
            let train = |seed| {
                let mut learner = Learner::new(&config, &OptimizerConfig::default(), seed).unwrap();
                for step in 0..5 {
                    learner.train_step(&batch(&config, 48, step), 1e-3).unwrap();
                }
                (learner.weights(), learner.raw_weights())
            };
            assert_eq!(train(3), train(3));
            assert_ne!(train(3), train(4));
        }
    }

    #[test]
    fn the_gradients_of_shards_add_up() {
        for config in configs() {
            let mut batch = batch(&config, 50, 1);
            // Parts of different weight, one of them without any weight.
            batch.policy_weight[..30].fill(0.5);
            batch.value_weight[..17].fill(0.0);
            let of_shards = |gradient_shards| {
                let optimizer = OptimizerConfig { gradient_shards, ..OptimizerConfig::default() };
                let learner = Learner::new(&config, &optimizer, 1).unwrap();
                let (losses, gradient) = learner.gradient(&batch);
                let numbers: Vec<f32> = gradient.0.into_values().flat_map(|array| array.values).collect();
                (losses, numbers)
            };
            let (losses, whole) = of_shards(1);
            let most = whole.iter().fold(0.0, |most: f32, value| most.max(value.abs()));
            for shards in [2, 3, 50, 64] {
                let (found, gradient) = of_shards(shards);
                assert!((found.policy - losses.policy).abs() < 1e-4 && (found.value - losses.value).abs() < 1e-4);
                let off = gradient.iter().zip(&whole).fold(0.0, |most: f32, (a, b)| most.max((a - b).abs()));
                assert!(off < 1e-4 * most, "{shards} shards: off by {off} of {most}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let mut config = configs().swap_remove(0);
        config.net = NetKind::Line(LineConfig::default());
        let train = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut learner = learner(&config);
                for step in 0..2 {
                    learner.train_step(&batch(&config, 256, step), 1e-3).unwrap();
                }
                learner.raw_weights()
            })
        };
        assert_eq!(train(1), train(3));
    }

    fn distance(a: &Weights, b: &Weights) -> f32 {
        let pairs = a.0.values().zip(b.0.values()).flat_map(|(a, b)| a.values.iter().zip(&b.values));
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
    }

    #[test]
    fn a_large_gradient_is_clipped() {
        let config = &configs().pop().unwrap();
        let optimizer = OptimizerConfig { clip_norm: 1e-9, weight_decay: 0.0, ..OptimizerConfig::default() };
        let mut learner = Learner::new(config, &optimizer, 1).unwrap();
        let start = learner.raw_weights();
        let losses = learner.train_step(&batch(config, 16, 1), 1e-3).unwrap();
        let moved = distance(&learner.raw_weights(), &start);
        // A gradient this small vanishes beside the smallest denominator of AdamW, 1e-5.
        assert!(losses.gradient_norm > 1e-3 && moved < 1.1e-3 * 1e-9 / 1e-5, "{losses:?}, moved {moved}");
    }

    #[test]
    fn the_average_follows_the_weights() {
        let config = &configs().pop().unwrap();
        let mut learner = learner(config);
        let start = learner.raw_weights();
        assert_eq!(learner.weights(), start);
        learner.train_step(&batch(config, 16, 1), 1e-3).unwrap();
        let [newest, average] = [learner.raw_weights(), learner.weights()].map(|weights| distance(&weights, &start));
        // After the first step the average still holds 2/11 of the initial weights.
        assert!((average / newest - 9.0 / 11.0).abs() < 1e-3, "{average} {newest}");
    }

    #[test]
    fn a_diverging_step_is_reported_and_undone() {
        let config = &configs().pop().unwrap();
        let (mut learner, mut batch) = (learner(config), batch(config, 8, 1));
        let before = learner.raw_weights();
        batch.value_weight[0] = f32::INFINITY;
        assert!(matches!(learner.train_step(&batch, 1e-3), Err(LearnerError::Diverged { step: 1, .. })));
        assert_eq!((learner.raw_weights(), learner.steps()), (before, 0));
    }
}

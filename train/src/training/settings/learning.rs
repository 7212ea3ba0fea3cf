//! How networks learn: rates, targets, the optimiser, and the student.

use gipf_env::math::wide;
use gipf_models::DeviceKind;
use serde::{Deserialize, Serialize};

/// How the network learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LearningConfig {
    /// Samples in a training step (a batch). AlphaZero: 4096; KataGo: 256.
    pub batch_size: usize,
    /// The learning rate of `AdamW` at the beginning, after the warm-up. AlphaZero: 0.2 (SGD).
    pub learning_rate: f64,
    /// The learning rate at the end of the run, or where `rate_falls` ends; in between it falls along half a cosine.
    pub final_learning_rate: f64,
    /// The games of self-play between which learning rates fall, first and last; before and after they are constant. `[0,
    /// 0]` for the whole run, whatever its length. In `gipf fit` they fall over the fit.
    pub rate_falls: [u64; 2],
    /// Training steps over which the learning rate rises from 0.
    pub warmup_steps: u64,
    /// The share of the search's value in the value target, 0 to 1; the rest is the result of the game. AlphaZero: 0;
    /// Oracle: 0.5.
    pub value_mix: f32,
    /// The games of self-play over which that share rises from 0; in `gipf fit` it applies in full from the beginning.
    pub value_mix_games: u64,
    /// How far the search's value in the target looks ahead, 0 to 1: the value of a decision has the weight (1 - λ),
    /// that of the next one (1 - λ) · λ, and so on; the result of the game has the rest. 0 for the value of the
    /// decision alone. TD(λ): Sutton 1988.
    pub value_lambda: f32,
    /// The optimiser, and the weights of the losses.
    pub optimizer: OptimizerConfig,
    /// The student: when the network grows, the smaller one goes on learning from the same batches, which the larger one's
    /// games fill. It plays no games itself, and is kept as `student.safetensors`. So a run ends with a network that knows
    /// more, and with one that takes less time for a position (Hinton, Vinyals, Dean 2015: distillation). Of several growths
    /// the first one counts while a student is wanted. In `gipf fit` there is none.
    pub student: StudentConfig,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            batch_size: 256,
            learning_rate: 2e-3,
            final_learning_rate: 2e-4,
            rate_falls: [0, 0],
            warmup_steps: 200,
            value_mix: 0.4,
            value_mix_games: 13_333,
            value_lambda: 0.0,
            optimizer: OptimizerConfig::default(),
            student: StudentConfig::default(),
        }
    }
}

/// The optimiser, `AdamW`, and how the losses are weighed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimizerConfig {
    /// Where to train: `cpu`; or a GPU by `cuda` or `wgpu`, in programs built with those features.
    pub device: DeviceKind,
    /// Decoupled weight decay, as a multiple of the learning rate of each step. AlphaZero: L2 of 1e-4.
    pub weight_decay: f32,
    /// The share of the running mean of gradients that is kept in each step.
    pub beta_1: f32,
    /// The share of the running mean of squared gradients that is kept in each step.
    pub beta_2: f32,
    /// The number added to the root of the mean squared gradient, by which the step is divided.
    pub epsilon: f32,
    /// The largest norm of the gradient; a larger gradient is scaled down to it.
    pub clip_norm: f32,
    /// The weight of the value loss; the policy loss has 1. AlphaZero: 1; KataGo: 1.2.
    pub value_weight: f32,
    /// The decay per step of the moving average of the weights. The average is what plays and is stored; 0 stores the
    /// last weights instead.
    pub average: f32,
    /// The number of parts of a batch whose gradients are computed in parallel, each on its own core, and added up in
    /// order. Another number rounds differently, so the weights differ. A GPU takes 1.
    pub gradient_shards: usize,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            device: DeviceKind::Cpu,
            weight_decay: 1e-4,
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-5,
            clip_norm: 5.0,
            value_weight: 1.0,
            average: 0.99,
            gradient_shards: 2,
        }
    }
}

/// How the student learns: the smaller network that goes on learning after the network has grown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StudentConfig {
    /// The student's learning rate where the fall of the rates begins. 0 for no student.
    pub learning_rate: f64,
    /// The student's learning rate where the fall of the rates ends.
    pub final_learning_rate: f64,
}

impl StudentConfig {
    /// Returns whether there is a student, once the network has grown.
    pub fn is_wanted(self) -> bool {
        self.learning_rate > 0.0
    }
}

impl LearningConfig {
    /// Returns how far the learning rates have fallen, 0 to 1, beyond that before and after their fall: what `rate_falls` says
    /// after so many iterations of this many games, or `of_run`, the share of the run that is done.
    pub fn rate_progress(&self, iterations: f64, games: f64, of_run: f64) -> f64 {
        let [first, last] = self.rate_falls.map(|bound| bound as f64 / games);
        if last > first { (iterations - first) / (last - first) } else { of_run }
    }

    /// Returns the learning rate at a step of the run, given how far it [has fallen](Self::rate_progress).
    pub fn learning_rate_at(&self, step: u64, progress: f64) -> f64 {
        self.on_schedule([self.learning_rate, self.final_learning_rate], step, progress)
    }

    /// Returns the student's learning rate at one of its steps.
    pub fn student_rate_at(&self, step: u64, progress: f64) -> f64 {
        self.on_schedule([self.student.learning_rate, self.student.final_learning_rate], step, progress)
    }

    /// Returns what has fallen from the first rate towards the last, after the warm-up.
    fn on_schedule(&self, [first, last]: [f64; 2], step: u64, progress: f64) -> f64 {
        let warmth = ((step + 1) as f64 / self.warmup_steps.max(1) as f64).min(1.0);
        let cosine = f64::midpoint(1.0, wide::cos(std::f64::consts::PI * progress.clamp(0.0, 1.0)));
        warmth * (last + (first - last) * cosine)
    }

    /// Returns the share of the search's value in the value target after this many games of self-play.
    pub fn value_mix_at(&self, games: f64) -> f32 {
        let trust = if self.value_mix_games == 0 { 1.0 } else { (games / self.value_mix_games as f64).min(1.0) };
        self.value_mix * trust as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::*;

    #[test]
    fn the_learning_rate_rises_then_falls() {
        let learning = LearningConfig { warmup_steps: 10, ..LearningConfig::default() };
        assert!(learning.learning_rate_at(0, 0.0) < learning.learning_rate / 5.0);
        assert_eq!(learning.learning_rate_at(10, 0.0), learning.learning_rate);
        assert!((learning.learning_rate_at(1000, 1.0) - learning.final_learning_rate).abs() < 1e-12);
    }

    #[test]
    fn the_learning_rate_falls_over_the_run_or_between_two_numbers_of_games() {
        let whole = LearningConfig::default();
        assert_eq!(whole.rate_progress(700.0, 1000.0, 0.25), 0.25);
        let part = Config::default().with("learning.rate_falls=[300000, 700000]").unwrap().learning;
        let found = [0.0, 300.0, 400.0, 700.0, 900.0].map(|iterations| part.rate_progress(iterations, 1000.0, 0.5));
        assert_eq!(found, [-0.75, 0.0, 0.25, 1.0, 1.5]);
        let rates = found.map(|progress| part.learning_rate_at(part.warmup_steps, progress));
        assert_eq!([rates[0], rates[1]], [part.learning_rate; 2]);
        assert_eq!([rates[3], rates[4]], [part.final_learning_rate; 2]);
        // The same bits as in a run that ends there.
        let first = Config::default().with("learning.rate_falls=[0, 840000]").unwrap().learning;
        for done in 0..840 {
            let done = f64::from(done) + 0.3;
            assert_eq!(first.rate_progress(done, 1000.0, 0.1).to_bits(), (done / 840.0).to_bits());
        }
        let told = Config::default().with("learning.rate_falls=[9, 9]").unwrap_err().to_string();
        assert!(told.contains("learning.rate_falls is [9, 9]: expected the first to be less"), "{told}");
    }
}

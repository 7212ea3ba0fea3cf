//! The training loop, made of the product's own parts, each of which can be replaced by a wrong one.

use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::{Engine, NetConfig};
use gipf_play::search::{Evaluation, Evaluator};
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::metrics::{IterationMetrics, LearningMetrics, SelfPlayMetrics};
use gipf_train::training::watch::{Fault, Finding, LearnerState, Watch, of_games, of_learning};
use gipf_train::training::{
    Assignment, Config, Learner, PlayedGame, ReplayBuffer, Sample, SampleConfig, play_games, weighted_samples,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The parts of training, which are right unless overridden.
pub trait Parts<P: Learnable>: Sync {
    /// Returns the evaluator that games are played with.
    fn evaluator(&self, engine: &Arc<Engine>) -> Box<dyn Evaluator<P>> {
        Box::new(NetEvaluator::new(Arc::clone(engine)))
    }

    /// Returns the samples that are made of an iteration's games.
    fn samples(&self, samples: Vec<Sample<P>>, _: &mut ChaCha8Rng) -> Vec<Sample<P>> {
        samples
    }

    /// Returns the samples that are added to the window.
    fn kept(&self, _iteration: u32, samples: Vec<Sample<P>>) -> Vec<Sample<P>> {
        samples
    }

    /// Returns the number of steps that is given to the schedule of the learning rate.
    fn steps(&self, steps: u64) -> u64 {
        steps
    }

    /// Returns the learning rate that is given to the optimiser.
    fn rate(&self, rate: f64) -> f64 {
        rate
    }

    /// Returns the learner after the steps of an iteration.
    fn learned(&self, _before: &LearnerState, learner: Learner, _: (&NetConfig, &Config)) -> Learner {
        learner
    }
}

/// An evaluator of any kind.
struct Any<P>(Box<dyn Evaluator<P>>);

impl<P: Learnable> Evaluator<P> for Any<P> {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        self.0.evaluate(positions, out);
    }
}

/// Trains until the watch names the fault, or the iterations of the settings are over; returns all its findings.
pub fn train<P: Learnable>(start: &P, config: &Config, parts: &impl Parts<P>, until: Fault) -> Vec<Finding> {
    let net = NetConfig::of(config.network.0.clone(), start).unwrap();
    let learner = Learner::new(&net, &config.learning.optimizer, config.run.seed).unwrap();
    let replay = ReplayBuffer::new(config.replay.clone());
    let mut run = Run { start, config, parts, net, learner, replay, watch: Watch::default() };
    let mut said = Vec::new();
    for iteration in 1..=config.run.iterations {
        said.extend(run.iterate(iteration));
        if said.iter().any(|finding: &Finding| finding.fault == until) {
            break;
        }
    }
    said
}

struct Run<'a, P: Learnable, T> {
    start: &'a P,
    config: &'a Config,
    parts: &'a T,
    net: NetConfig,
    learner: Learner,
    replay: ReplayBuffer<P>,
    watch: Watch,
}

impl<P: Learnable, T: Parts<P>> Run<'_, P, T> {
    fn iterate(&mut self, iteration: u32) -> Vec<Finding> {
        let engine = Arc::new(Engine::new(&self.learner.weights(), &self.net).unwrap());
        let games = self.play(iteration, &engine);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(iteration));
        let samples = weighted_samples(&games, SampleConfig::default(), &mut rng);
        let samples = self.parts.samples(samples, &mut rng);
        let mut found = of_games(&games, &samples, &mut NetEvaluator::new(engine));
        let before = self.learner.state();
        let learning = self.learn(iteration, samples, &mut rng);
        let learner = self.learner.clone();
        self.learner = self.parts.learned(&before, learner, (&self.net, self.config));
        found.extend(of_learning(&before, &self.learner.state(), learning.as_ref()));
        let step = self.learner.steps();
        let self_play = SelfPlayMetrics::of(&games, 0, 1.0);
        let metrics = IterationMetrics { iteration, step, self_play, learning, ..IterationMetrics::default() };
        self.watch.say(&metrics, found, &self.config.learning)
    }

    fn play(&self, iteration: u32, engine: &Arc<Engine>) -> Vec<PlayedGame<P>> {
        let Config { run, self_play, search, .. } = self.config;
        let first_id = u64::from(iteration - 1) * run.games;
        let assignment = Assignment {
            start: self.start,
            archive: &[],
            first_id,
            games: run.games,
            seed: run.seed,
            config: self_play,
            search,
        };
        play_games(&assignment, || Any(self.parts.evaluator(engine)), &|_: &PlayedGame<P>| {}, &Stop::default())
    }

    fn learn(&mut self, iteration: u32, new: Vec<Sample<P>>, rng: &mut ChaCha8Rng) -> Option<LearningMetrics> {
        let learning = &self.config.learning;
        let steps = self.config.replay.steps(new.len(), learning.batch_size);
        let kept = self.parts.kept(iteration, new);
        if !kept.is_empty() {
            self.replay.push(kept);
        }
        let mut sums = LearningMetrics { window: self.replay.len() as u64, ..LearningMetrics::default() };
        for _ in 0..steps {
            let batch = self.replay.draw(learning.batch_size, 0.0, rng);
            sums.learning_rate = learning.learning_rate_at(self.parts.steps(self.learner.steps()), 0.0);
            let losses = self.learner.train_step(&batch, self.parts.rate(sums.learning_rate)).unwrap();
            sums.add(&batch, &losses);
        }
        (steps > 0).then(|| sums.mean(steps as u64))
    }
}

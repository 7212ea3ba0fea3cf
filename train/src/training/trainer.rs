//! The main job: self-play, learning, evaluation, over and over (AlphaZero, Silver et al. 2018; Gumbel AlphaZero,
//! Danihelka et al. 2022).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, CheckpointError, Engine, EngineError, Metadata, NetConfig};
use gipf_play::arena::SprtDecision;
use gipf_play::run::{Manifest, RunError, SampleFile, newest_network};
use gipf_play::{EvaluationCounts, NetEvaluator, Stop};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use super::checkpoint_eval::{CheckpointEval, GatingMatch};
use super::config::Config;
use super::learner::{Learner, LearnerError};
use super::metrics::{CacheMetrics, IterationMetrics, LearningMetrics, OpponentScore, SelfPlayMetrics};
use super::replay::ReplayBuffer;
use super::run::{NewRun, RunDirectory};
use super::sample::{PlayedGame, Sample, weighted_samples};
use super::self_play::{Assignment, play_games};
use super::trained::{Trained, check_growth, engine_of, learner_with, net_of, new_learner, restored_best};
use super::watch::{Watch, of_games, of_learning};
use crate::COMMIT;
use crate::core_time::Began;

/// The part of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Games are played.
    SelfPlay,
    /// The network learns.
    Learning,
    /// The checkpoint is measured.
    Evaluation,
}

/// Called for each unit of work done, from many threads.
pub type Advance = Box<dyn Fn(u64) + Sync>;

/// Follows the progress of a run.
pub trait Reporter {
    /// A part of an iteration begins, of `units` games or training steps; returns the callback for each that is done.
    fn begin(&mut self, iteration: u32, stage: Stage, units: u64) -> Advance;

    /// An iteration is complete.
    fn complete(&mut self, metrics: &IterationMetrics);
}

/// A run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The run directory.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The learner's state.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// The network computes no numbers any more.
    #[error("the network of the run cannot play, and a lower learning rate may help: {0}")]
    Engine(#[from] EngineError),
    /// The network that a run is to begin with.
    #[error("{} is a network {found}: expected {expected}, or one that grows to it", path.display())]
    Growth {
        /// Its checkpoint.
        path: PathBuf,
        /// Its kind and sizes.
        found: String,
        /// Those of the new run's network.
        expected: String,
    },
}

/// How [`Trainer::train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All iterations are done.
    Complete,
    /// A stop was requested; the iteration in progress is lost, those before it are kept.
    Stopped,
}

/// The uses of random numbers besides the games.
#[derive(Clone, Copy)]
enum Purpose {
    Batches,
    Samples,
    Archive,
}

/// The most positions of earlier games that an iteration chooses its starts from.
const ARCHIVE: usize = 4096;

/// Where the games of a run begin, and what they are called.
#[derive(Clone, Debug)]
pub struct NamedStart<P> {
    /// The name of the game, which goes into checkpoints: that of a rule set, or of a game of one's own.
    pub game: String,
    /// The position that games begin from.
    pub position: P,
}

impl<P> NamedStart<P> {
    /// Creates a start.
    pub fn new(game: impl Into<String>, position: P) -> Self {
        Self { game: game.into(), position }
    }
}

/// A training run in progress: a network, its samples, and the directory of both.
pub struct Trainer<P> {
    run: RunDirectory,
    config: Config,
    /// The settings that count now: those of all phases that have begun.
    settings: Config,
    /// The name of the game, written into checkpoints.
    game: String,
    start: P,
    net: NetConfig,
    learner: Learner,
    /// The learner's network as it plays: it is rebuilt after learning, and serves evaluation and the next games.
    engine: Arc<Engine>,
    /// The best network so far, where the settings ask for it.
    best: Option<Arc<Engine>>,
    replay: ReplayBuffer<P>,
    manifest: Manifest,
    watch: Watch,
}

impl<P: Learnable> Trainer<P> {
    /// Begins a run in a new directory.
    ///
    /// # Errors
    /// If the directory cannot be made, or is not empty.
    pub fn create(new: &NewRun<'_>, start: NamedStart<P>) -> Result<Self, TrainError> {
        let (net, learner) = new_learner(&new.config().at(0), &start.position)?;
        let trained = Trained::new(net, learner)?;
        let run = RunDirectory::create(new.path())?;
        Self::begin(run, new, start, trained)
    }

    fn begin(run: RunDirectory, new: &NewRun<'_>, start: NamedStart<P>, trained: Trained) -> Result<Self, TrainError> {
        let manifest = run.write_config(new, Manifest::default())?;
        let config = new.config().clone();
        let settings = config.at(0);
        let replay = ReplayBuffer::new(settings.replay.clone());
        let (NamedStart { game, position: start }, Trained { net, learner, engine }) = (start, trained);
        Ok(Self {
            run,
            config,
            settings,
            game,
            start,
            net,
            learner,
            engine,
            best: None,
            replay,
            manifest,
            watch: Watch::default(),
        })
    }

    /// Begins a run with a network that was trained before, by `gipf fit` or another run.
    ///
    /// # Errors
    /// As for [`Self::create`], and if the network is for another game, or neither the one that the settings describe
    /// nor one that grows to it.
    pub fn create_with(new: &NewRun<'_>, start: NamedStart<P>, network: &Checkpoint) -> Result<Self, TrainError> {
        // A network that does not fit is found before anything is written.
        let named = Path::new("the network");
        let network = network.clone().for_game(named, &start.game)?;
        let (net, learner) = learner_with(&new.config().at(0), &start.position, named, &network)?;
        let trained = Trained::new(net, learner)?;
        let run = RunDirectory::create(new.path())?;
        // Next to the run's own state, so that a run stopped before its first iteration begins with it again.
        network.save(&run.first_network())?;
        Self::begin(run, new, start, trained)
    }

    /// Begins a run from the state of another: with its network, or a larger one that it grows to, and its samples, but
    /// with other settings ([`RunDirectory::fork`]).
    ///
    /// # Errors
    /// As for [`RunDirectory::fork`], and if the network of the other run does not fit; nothing is written then.
    pub fn fork(from: &Path, new: &NewRun<'_>, start: NamedStart<P>) -> Result<Self, TrainError> {
        if let Some(newest) = newest_network(from)? {
            let found = Checkpoint::load_for(&newest, &start.game)?.config;
            check_growth(&newest, &found, &net_of(&new.config().at(0), &start.position)?)?;
        }
        RunDirectory::fork(from, new)?;
        Self::resume(new.path(), |_| start)
    }

    /// Resumes the run in a directory, after its last complete iteration.
    ///
    /// # Errors
    /// If there is no run, or one of its files is damaged.
    pub fn resume(path: &Path, start: impl FnOnce(&Config) -> NamedStart<P>) -> Result<Self, TrainError> {
        let (run, config, manifest) = RunDirectory::open(path)?;
        let NamedStart { game, position: start } = start(&config);
        let first = run.first_network();
        // As the last complete iteration had them: the next one begins its own phase.
        let settings = config.at(u64::from(manifest.iterations.saturating_sub(1)) * config.run.games);
        let (net, mut learner) = if manifest.iterations == 0 && first.exists() {
            learner_with(&settings, &start, &first, &Checkpoint::load_for(&first, &game)?)?
        } else {
            new_learner(&settings, &start)?
        };
        if manifest.iterations > 0 {
            learner.load_state(&run.learner_state(manifest.iterations))?;
        }
        let engine = engine_of(&learner, &net)?;
        let mut replay = ReplayBuffer::new(settings.replay.clone());
        for file in &manifest.window {
            replay.restore(run.read_samples(file)?);
        }
        replay.set_total(manifest.samples);
        let best = manifest.best.map(|iteration| restored_best(&run, iteration, &game, &net)).transpose()?;
        let watch = Watch::after(run.metrics()?);
        Ok(Self { run, config, settings, game, start, net, learner, engine, best, replay, manifest, watch })
    }

    /// Returns the number of complete iterations.
    pub const fn iterations(&self) -> u32 {
        self.manifest.iterations
    }

    /// Returns the settings.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the directory of the run.
    pub const fn run(&self) -> &RunDirectory {
        &self.run
    }

    /// Runs all iterations that are left. After a stop or an error only [`Trainer::resume`] can continue: what the
    /// unfinished iteration has learned stays in this one.
    ///
    /// # Errors
    /// If a file cannot be written; complete iterations are kept.
    pub fn train(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        while self.manifest.iterations < self.config.run.iterations {
            if self.iterate(eval, reporter, stop)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Complete)
    }

    /// One iteration: play, learn, measure, keep. After a stop or an error only [`Trainer::resume`] can continue.
    ///
    /// # Errors
    /// If a file cannot be written; complete iterations are kept.
    pub fn iterate(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        let iteration = self.manifest.iterations + 1;
        self.enter_phase()?;
        let mut metrics = IterationMetrics { iteration, ..IterationMetrics::default() };

        let began = Began::now();
        let Some(games) = self.play(iteration, &mut metrics, reporter, stop) else { return Ok(Ended::Stopped) };
        [metrics.seconds.self_play, metrics.core_seconds.self_play] = began.elapsed();

        let new = weighted_samples(&games, self.settings.sampling(), &mut self.rng(iteration, Purpose::Samples));
        let file = self.run.write_samples(iteration, &new)?;

        let began = Instant::now();
        let mut found = of_games(&games, &new, &mut NetEvaluator::new(Arc::clone(&self.engine)));
        let before = self.learner.state();
        metrics.seconds.watch = began.elapsed().as_secs_f64();

        let began = Began::now();
        metrics.learning = self.learn(iteration, new, reporter)?;
        metrics.step = self.learner.steps();
        metrics.work.steps = metrics.learning.map_or(0, |learning| learning.steps);
        metrics.work.samples = metrics.work.steps * self.settings.learning.batch_size as u64;
        self.engine = engine_of(&self.learner, &self.net)?;
        metrics.work.engines = 1;
        [metrics.seconds.learning, metrics.core_seconds.learning] = began.elapsed();

        let (began, learning) = (Instant::now(), &self.settings.learning);
        found.extend(of_learning(&before, &self.learner.state(), metrics.learning.as_ref(), learning));
        metrics.findings = self.watch.say(&metrics, found, learning);
        metrics.seconds.watch += began.elapsed().as_secs_f64();

        let began = Began::now();
        let last = iteration == self.config.run.iterations;
        let games = eval.games(last) + if self.best.is_some() { eval.gating_games() } else { 0 };
        let advance = reporter.begin(iteration, Stage::Evaluation, games);
        let Some(ratings) = eval.rate(&self.engine, last, &*advance, stop) else {
            return Ok(Ended::Stopped);
        };
        metrics.ratings = ratings;
        if !self.gate(eval, &mut metrics, &*advance, stop) {
            return Ok(Ended::Stopped);
        }
        [metrics.seconds.evaluation, metrics.core_seconds.evaluation] = began.elapsed();

        // The first network has none to beat.
        let is_best = eval.gating_games() > 0
            && metrics.gating.map_or(self.best.is_none(), |gating| gating.verdict == SprtDecision::Accepted);
        let best = if is_best { Some(iteration) } else { self.manifest.best };
        self.keep(&metrics, file, best)?;
        if is_best {
            self.best = Some(Arc::clone(&self.engine));
        }
        reporter.complete(&metrics);
        Ok(Ended::Complete)
    }

    /// Takes over the settings of the phases that have begun; where they say so, the network grows.
    fn enter_phase(&mut self) -> Result<(), TrainError> {
        self.settings = self.config.at(u64::from(self.manifest.iterations) * self.config.run.games);
        self.replay.configure(self.settings.replay.clone());
        let (net, optimizer) = (net_of(&self.settings, &self.start)?, &self.settings.learning.optimizer);
        self.learner.configure(optimizer.clone());
        if net != self.net {
            self.learner = Learner::beginning_with(&net, optimizer, &self.net, &self.learner.weights())?;
            self.engine = engine_of(&self.learner, &net)?;
            self.net = net;
        }
        Ok(())
    }

    /// Lets the newest network play the best one, if there is gating; returns whether the run may go on.
    fn gate(
        &self,
        eval: &dyn CheckpointEval,
        metrics: &mut IterationMetrics,
        played: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> bool {
        let Some((best, best_iteration)) = self.best.as_ref().zip(self.manifest.best) else { return true };
        if eval.gating_games() == 0 {
            return true;
        }
        let gating = GatingMatch { newest: &self.engine, iteration: metrics.iteration, best, best_iteration };
        metrics.gating = eval.gate(&gating, played, stop);
        metrics.gating.is_some()
    }

    fn play(
        &self,
        iteration: u32,
        metrics: &mut IterationMetrics,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Option<Vec<PlayedGame<P>>> {
        let (run, self_play, began) = (&self.config.run, &self.settings.self_play, Instant::now());
        let share = self_play.archive_share;
        let wanted = if share > 0.0 { (run.games as usize).min(ARCHIVE) } else { 0 };
        let archive = self.replay.positions(wanted, &mut self.rng(iteration, Purpose::Archive));
        let assignment = Assignment {
            start: &self.start,
            archive: &archive,
            first_id: u64::from(iteration - 1) * run.games,
            games: run.games,
            seed: run.seed,
            config: self_play,
            search: &self.settings.search,
        };
        let advance = reporter.begin(iteration, Stage::SelfPlay, run.games);
        let (counts, cache) = (EvaluationCounts::default(), self_play.cache);
        let evaluator = || NetEvaluator::new(Arc::clone(&self.engine)).with_cache(cache).counting(&counts);
        let games = play_games(&assignment, evaluator, &|_: &PlayedGame<P>| advance(1), stop);
        if (games.len() as u64) < run.games {
            return None;
        }
        metrics.self_play = SelfPlayMetrics::of(&games, counts.asked(), began.elapsed().as_secs_f64());
        metrics.self_play.cache = CacheMetrics::of(&counts, cache);
        metrics.work.evaluations = counts.asked() - counts.found();
        metrics.work.decisions = metrics.self_play.decisions;
        Some(games)
    }

    /// Returns the random numbers of an iteration for one purpose; those of the games go by their numbers.
    fn rng(&self, iteration: u32, purpose: Purpose) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.run.seed);
        rng.set_stream(u64::MAX - u64::from(iteration) - ((purpose as u64) << 32));
        rng
    }

    /// Takes as many training steps as the new samples pay for.
    fn learn(
        &mut self,
        iteration: u32,
        new: Vec<Sample<P>>,
        reporter: &mut dyn Reporter,
    ) -> Result<Option<LearningMetrics>, TrainError> {
        let learning = &self.settings.learning;
        let steps = self.settings.replay.steps(new.len(), learning.batch_size);
        self.replay.push(new);
        let advance = reporter.begin(iteration, Stage::Learning, steps as u64);
        let mut rng = self.rng(iteration, Purpose::Batches);
        let (began, iterations) = (Instant::now(), f64::from(self.config.run.iterations));
        let mut sums = LearningMetrics { window: self.replay.len() as u64, ..LearningMetrics::default() };
        for step in 0..steps {
            let done = f64::from(iteration - 1) + step as f64 / steps as f64;
            let mix = learning.value_mix_at(done * self.config.run.games as f64);
            let batch = self.replay.draw(learning.batch_size, mix, &mut rng);
            sums.learning_rate = learning.learning_rate_at(self.learner.steps(), done / iterations);
            let losses = self.learner.train_step(&batch, sums.learning_rate)?;
            sums.add(&batch, &losses);
            advance(1);
        }
        sums.samples_per_second = (steps * learning.batch_size) as f64 / began.elapsed().as_secs_f64().max(1e-9);
        Ok((steps > 0).then(|| sums.mean(steps as u64)))
    }

    /// Writes everything that the iteration made; the manifest comes last and makes it count.
    fn keep(&mut self, metrics: &IterationMetrics, file: SampleFile, best: Option<u32>) -> Result<(), TrainError> {
        let iteration = metrics.iteration;
        self.learner.save_state(&self.run.learner_state(iteration))?;
        self.checkpoint().save(&self.run.checkpoint(iteration))?;
        if best == Some(iteration) {
            self.checkpoint().save(&self.run.best())?;
        }
        let lines = Some(self.run.append_metrics(metrics)?);
        self.run.write_json("ratings.json", &self.ratings()?)?;
        let mut window = self.manifest.window.clone();
        window.push(file);
        window.drain(..window.len() - self.replay.iterations());
        let (steps, samples) = (self.learner.steps(), self.replay.total());
        let before = self.manifest.clone();
        self.manifest = Manifest { iterations: iteration, steps, samples, window, best, metrics: lines, ..before };
        self.run.commit(&self.manifest)?;
        Ok(())
    }

    /// Returns the ratings of all checkpoints, by file name.
    fn ratings(&self) -> Result<BTreeMap<String, Vec<OpponentScore>>, RunError> {
        let of_line = |line: IterationMetrics| (format!("{:06}.safetensors", line.iteration), line.ratings);
        Ok(self.run.metrics()?.into_iter().map(of_line).collect())
    }

    /// Returns the network as it plays now.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            config: self.net.clone(),
            metadata: Metadata {
                game: self.game.clone(),
                step: self.learner.steps(),
                seed: self.config.run.seed,
                commit: COMMIT.map(str::to_owned),
            },
            weights: self.learner.weights(),
        }
    }
}

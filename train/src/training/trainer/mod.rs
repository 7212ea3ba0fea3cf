//! The main loop: self-play, learning, evaluation, over and over (AlphaZero, Silver et al. 2018; Gumbel AlphaZero,
//! Danihelka et al. 2022).

mod beginning;
mod error;
mod here;
mod iteration;
mod stored;
pub(crate) mod trained;

use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, Engine, Metadata};
use gipf_play::Stop;
use gipf_play::run::{Manifest, SampleFile};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use self::error::TrainError;
use self::trained::Learners;
pub use super::checkpoint_eval::{CheckpointEval, GatingMatch, Occasion};
use super::learning::{Learner, LearnerError};
use super::metrics::IterationMetrics;
use super::run::{Remark, RunDirectory};
use super::samples::ReplayBuffer;
use super::self_play::Opponents;
use super::settings::Config;
use super::shard::Coordinator;
use super::watch::Watch;
use crate::COMMIT;
use crate::core_time::Began;

/// A part of an iteration.
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
    /// A part of an iteration begins, of `units` games or training steps; returns the callback to call for each that
    /// is done.
    fn begin(&mut self, iteration: u32, stage: Stage, units: u64) -> Advance;

    /// An iteration is complete.
    fn complete(&mut self, metrics: &IterationMetrics);
}

/// How [`Trainer::train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All iterations are done.
    Complete,
    /// A stop was requested; the iteration in progress is lost, those before it are kept.
    Stopped,
}

/// The uses of random numbers, besides the games.
#[derive(Clone, Copy)]
enum Purpose {
    Batches,
    Samples,
    Archive,
}

/// The most positions of earlier games from which an iteration chooses its starts.
const ARCHIVE: usize = 4096;

/// The position where the games of a run begin, and the name of the game.
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
    /// The settings that apply now: those of all phases that have begun.
    settings: Config,
    /// The name of the game, written into checkpoints.
    game: String,
    start: P,
    learners: Learners,
    /// The network as it plays: it is rebuilt after learning, and used for evaluation and the next games.
    engine: Arc<Engine>,
    /// The best network so far, if the settings ask for it.
    best: Option<Arc<Engine>>,
    replay: ReplayBuffer<P>,
    manifest: Manifest,
    watch: Watch,
    /// The iterations that may be played, and their games.
    coordinator: Arc<Coordinator<P>>,
    /// The agents that may play the other side.
    opponents: Opponents<P>,
    /// The last iteration that has begun.
    begun: u32,
    /// The last iteration that may be played.
    released: u32,
    /// When the last iteration began.
    began: Began,
    /// The iteration in progress, once it has learned.
    learned: Option<Learned>,
}

/// An iteration that has learned.
struct Learned {
    metrics: IterationMetrics,
    file: SampleFile,
    /// Whether it is the best one; none until it has been measured.
    is_best: Option<bool>,
}

impl<P: Learnable> Trainer<P> {
    /// Lets these opponents play the other side where the settings ask for it. If the file of one has changed since it
    /// played here, there is a [remark](RunDirectory::remarks).
    #[must_use]
    pub fn against(mut self, opponents: Opponents<P>) -> Self {
        let before = std::mem::replace(&mut self.manifest.opponents, opponents.files());
        let changed =
            before.into_iter().filter(|(name, file)| self.manifest.opponents.get(name).is_some_and(|now| now != file));
        changed.for_each(|(name, _)| self.run.remark(Remark::OpponentChanged(name)));
        Self { opponents, ..self }
    }

    /// Returns the number of complete iterations.
    pub const fn iterations(&self) -> u32 {
        self.manifest.iterations
    }

    /// Returns the settings.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Sets the length of the run to what a call asks for. The call that began the run does not shorten a run that a
    /// later call has lengthened: then the run stays as it is, and false is returned.
    ///
    /// # Errors
    /// If the run has more iterations already, or its files cannot be written.
    pub fn set_iterations(&mut self, iterations: u32, is_beginning: bool) -> Result<bool, TrainError> {
        let length = self.config.run.iterations;
        if is_beginning && iterations < length {
            return Ok(false);
        }
        if iterations != length {
            self.run.set_iterations(iterations, &mut self.config, &mut self.manifest)?;
        }
        Ok(true)
    }

    /// Returns the directory of the run.
    pub const fn run(&self) -> &RunDirectory {
        &self.run
    }

    /// Returns the coordinator, which hands out the games of the run and takes them in.
    pub fn coordinator(&self) -> Arc<Coordinator<P>> {
        Arc::clone(&self.coordinator)
    }

    /// Runs all iterations that are left. After a stop or an error only [`Trainer::resume`] can continue: this
    /// trainer still contains what the unfinished iteration has learned.
    ///
    /// # Errors
    /// If a file cannot be written; complete iterations are kept.
    pub fn train(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        if self.config.run.lag > 0 {
            return self.train_ahead(eval, reporter, stop);
        }
        while self.begin()? {
            if self.iterate(eval, reporter, stop)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Complete)
    }

    /// Runs one iteration on the threads of the current rayon pool: play, learn, measure, save. After a stop or an
    /// error only [`Trainer::resume`] can continue.
    ///
    /// # Errors
    /// If a file cannot be written; complete iterations are kept.
    pub fn iterate(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        self.begin()?;
        if !self.play(reporter, stop) {
            return Ok(Ended::Stopped);
        }
        self.learn(reporter)?;
        if self.measure(eval, reporter, stop)? == Ended::Stopped {
            return Ok(Ended::Stopped);
        }
        self.save(reporter)?;
        Ok(Ended::Complete)
    }

    /// Returns the network as it plays now.
    pub fn checkpoint(&self) -> Checkpoint {
        self.checkpoint_of(&self.learners.network)
    }

    /// Returns the student as it would play, if there is one.
    pub fn student(&self) -> Option<Checkpoint> {
        self.learners.student.as_ref().map(|student| self.checkpoint_of(student))
    }

    fn checkpoint_of(&self, learner: &Learner) -> Checkpoint {
        Checkpoint {
            config: learner.net().clone(),
            metadata: self.metadata(learner.steps()),
            weights: learner.weights(),
        }
    }

    fn metadata(&self, step: u64) -> Metadata {
        Metadata { game: self.game.clone(), step, seed: self.config.run.seed, commit: COMMIT.map(str::to_owned) }
    }

    /// Returns the random numbers of an iteration for one purpose; those of the games depend on the numbers of the games.
    fn rng(&self, iteration: u32, purpose: Purpose) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.run.seed);
        rng.set_stream(u64::MAX - u64::from(iteration) - ((purpose as u64) << 32));
        rng
    }
}

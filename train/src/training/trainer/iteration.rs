//! The parts of an iteration: games that may be played are handed out; then the network learns, is measured, and is kept.

use std::cmp::max;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, Engine};
use gipf_play::arena::SprtDecision;
use gipf_play::run::{Manifest, RunError, SampleFile};
use gipf_play::{NetEvaluator, Stop};

use super::beginning::games_before;
use super::stored::first_learners;
use super::trained::{Learners, check_growth, engine_of, net_of};
use super::{
    ARCHIVE, CheckpointEval, Ended, GatingMatch, Learned, NamedStart, Occasion, Purpose, Reporter, Stage, TrainError,
    Trainer,
};
use crate::core_time::Began;
use crate::training::ITSELF;
use crate::training::checkpoint_eval::beaten;
use crate::training::metrics::{CacheMetrics, IterationMetrics, LearningMetrics, OpponentScore, SelfPlayMetrics};
use crate::training::samples::{Sample, weighted_samples};
use crate::training::settings::Config;
use crate::training::shard::{Harvest, ReleasedNetwork, Terms};
use crate::training::watch::{of_games, of_learning};

impl<P: Learnable> Trainer<P> {
    /// Begins the next iteration, and releases all games whose network exists; returns false when the run is
    /// complete. An iteration that has begun is not begun again.
    ///
    /// # Errors
    /// If a network of an earlier iteration is needed and cannot be read.
    pub fn begin(&mut self) -> Result<bool, TrainError> {
        let iteration = self.iterations() + 1;
        if iteration > self.config.run.iterations || self.begun == iteration {
            return Ok(iteration <= self.config.run.iterations);
        }
        self.enter_phase()?;
        self.began = Began::now();
        for released in self.released + 1..=(iteration + self.config.run.lag).min(self.config.run.iterations) {
            self.release(released)?;
        }
        self.begun = iteration;
        Ok(true)
    }

    /// Applies the settings of the phases that have begun; where they say so, the network grows.
    fn enter_phase(&mut self) -> Result<(), TrainError> {
        self.settings = self.settings_of(self.iterations() + 1);
        self.replay.configure(self.settings.replay.clone());
        let net = net_of(&self.settings, &self.start)?;
        if self.learners.configure(&self.settings, &net)? {
            self.engine = engine_of(&self.learners.network)?;
        }
        Ok(())
    }

    fn settings_of(&self, iteration: u32) -> Config {
        self.config.at(self.games_before(iteration))
    }

    fn games_before(&self, iteration: u32) -> u64 {
        games_before(&self.config, &self.manifest, iteration)
    }

    /// Releases an iteration, to be played by the network that lags behind as far as the settings say.
    fn release(&mut self, iteration: u32) -> Result<(), TrainError> {
        let (run, settings) = (&self.config.run, self.settings_of(iteration));
        let opponent = &settings.self_play.opponent;
        if opponent != ITSELF && self.opponents.get(opponent).is_none() {
            return Err(TrainError::Opponent(opponent.clone()));
        }
        let share = settings.self_play.archive_share;
        let wanted = if share > 0.0 { (run.games as usize).min(ARCHIVE) } else { 0 };
        let terms = Terms {
            game: self.game.clone(),
            start: self.start.clone(),
            archive: self.replay.positions(wanted, &mut self.rng(iteration, Purpose::Archive)),
            seed: run.seed,
            config: settings.self_play,
            search: settings.search,
        };
        let learned = max((iteration - 1).saturating_sub(run.lag), self.manifest.base.unwrap_or(0));
        let player = if learned == self.iterations() {
            player(Arc::clone(&self.engine), &self.checkpoint())?
        } else {
            let checkpoint = self.checkpoint_after(learned)?;
            player(Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?), &checkpoint)?
        };
        let games = (self.games_before(iteration), run.games);
        self.coordinator.release(iteration, games, Arc::new(terms), player);
        self.released = iteration;
        Ok(())
    }

    /// Returns the network after an earlier iteration, as the next iteration began with it.
    fn checkpoint_after(&self, iteration: u32) -> Result<Checkpoint, TrainError> {
        let settings = self.settings_of(iteration + 1);
        if iteration == 0 {
            let start = NamedStart::new(self.game.clone(), self.start.clone());
            return Ok(self.checkpoint_of(&first_learners(self.run.path(), &settings, &start)?.network));
        }
        let path = self.run.checkpoint(iteration);
        let found = Checkpoint::load_for(&path, &self.game)?;
        let config = net_of(&settings, &self.start)?;
        // It may have grown since, if iterations had another number of games then.
        if config.grows_to(&found.config) {
            return Ok(found);
        }
        check_growth(&path, &found.config, &config)?;
        let weights =
            found.weights.grown(&found.config, &config, settings.run.seed).map_err(super::LearnerError::from)?;
        Ok(Checkpoint { config, metadata: self.metadata(0), weights })
    }

    /// Takes the games of the iteration, writes its samples, and takes as many training steps as they allow.
    ///
    /// # Errors
    /// If some games are missing, a file cannot be written, or the network no longer computes finite numbers.
    pub fn learn(&mut self, reporter: &mut dyn Reporter) -> Result<(), TrainError> {
        let iteration = self.iterations() + 1;
        let order = TrainError::Order { iteration, what: "learned", expected: "all its games" };
        let Harvest { games, asked, found, player, core_seconds, .. } =
            self.coordinator.take(iteration).ok_or(order)?;
        let mut metrics = IterationMetrics { iteration, ..IterationMetrics::default() };
        [metrics.seconds.self_play, metrics.core_seconds.self_play] = self.began.elapsed();
        metrics.core_seconds.self_play += core_seconds;
        metrics.self_play = SelfPlayMetrics::of(&games, asked, metrics.seconds.self_play);
        metrics.self_play.cache = CacheMetrics::counted([asked, found], self.settings.self_play.cache);
        metrics.work.evaluations = asked - found;
        metrics.work.decisions = metrics.self_play.decisions;

        let new = weighted_samples(&games, self.settings.sampling(), &mut self.rng(iteration, Purpose::Samples));
        let file = self.run.write_samples(iteration, &new)?;

        let began = Instant::now();
        let engine = player.engine.expect("a training plays by a network");
        let mut found = of_games(&games, &new, &mut NetEvaluator::new(engine));
        drop(games);
        let before = self.learners.network.state();
        metrics.seconds.watch = began.elapsed().as_secs_f64();

        let began = Began::now();
        metrics.learning = self.take_steps(iteration, new, reporter)?;
        metrics.step = self.learners.network.steps();
        metrics.work.steps = metrics.learning.map_or(0, |learning| learning.steps);
        metrics.work.samples = metrics.work.steps * self.settings.learning.batch_size as u64;
        metrics.work.student_samples = if self.learners.student.is_some() { metrics.work.samples } else { 0 };
        self.engine = engine_of(&self.learners.network)?;
        metrics.work.engines = 1;
        [metrics.seconds.learning, metrics.core_seconds.learning] = began.elapsed();

        let began = Instant::now();
        found.extend(of_learning(&before, &self.learners.network.state(), metrics.learning.as_ref()));
        metrics.findings = self.watch.say(&metrics, found, &self.settings.learning);
        metrics.seconds.watch += began.elapsed().as_secs_f64();
        self.learned = Some(Learned { metrics, file, is_best: None });
        Ok(())
    }

    /// Takes as many training steps as the new samples allow.
    fn take_steps(
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
        let games = self.config.run.games as f64;
        let before = self.games_before(iteration) as f64 / games;
        let mut sums = LearningMetrics { window: self.replay.len() as u64, ..LearningMetrics::default() };
        for step in 0..steps {
            let share = step as f64 / steps as f64;
            let done = f64::from(iteration - 1) + share;
            let mix = learning.value_mix_at((before + share) * games);
            let fallen = learning.rate_progress(before + share, games, done / iterations);
            let batch = self.replay.draw(learning.batch_size, mix, &mut rng);
            let Learners { network, student } = &mut self.learners;
            sums.learning_rate = learning.learning_rate_at(network.steps(), fallen);
            sums.add(&batch, &network.train_step(&batch, sums.learning_rate)?);
            if let Some(student) = student {
                let rate = learning.student_rate_at(student.steps(), fallen);
                sums.add_student(rate, &student.train_step(&batch, rate).map_err(TrainError::Student)?);
            }
            advance(1);
        }
        sums.samples_per_second = (steps * learning.batch_size) as f64 / began.elapsed().as_secs_f64().max(1e-9);
        Ok((steps > 0).then(|| sums.mean(steps as u64)))
    }

    /// Measures the network that has learned. After a stop only [`Trainer::resume`] can continue.
    ///
    /// # Errors
    /// If the iteration has not been learned, or the metrics of those before it cannot be read.
    pub fn measure(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        let iteration = self.iterations() + 1;
        let order = TrainError::Order { iteration, what: "measured", expected: "that it has learned" };
        let mut learned = self.learned.take().ok_or(order)?;
        let (began, metrics) = (Began::now(), &mut learned.metrics);
        let beaten = beaten(&self.run.metrics()?);
        let is_last = iteration == self.config.run.iterations;
        let occasion = if is_last { Occasion::End } else { Occasion::Iteration { beaten: &beaten } };
        let games = eval.games(occasion) + if self.best.is_some() { eval.gating_games() } else { 0 };
        let advance = reporter.begin(iteration, Stage::Evaluation, games);
        let Some(ratings) = eval.rate(&self.engine, occasion, &*advance, stop) else { return Ok(Ended::Stopped) };
        metrics.ratings = ratings;
        if !self.gate(eval, metrics, &*advance, stop) {
            return Ok(Ended::Stopped);
        }
        [metrics.seconds.evaluation, metrics.core_seconds.evaluation] = began.elapsed();
        if self.config.run.lag > 0 {
            // Games were played all the time, most of them for later iterations.
            metrics.self_play.set_seconds(metrics.seconds.total());
        }
        if eval.gating_games() == 0 {
            // With gating off, nothing is measured against the best network of an earlier time with gating.
            self.best = None;
        }
        // The first network has no best one to beat.
        let beats = || metrics.gating.map_or(self.best.is_none(), |gating| gating.verdict == SprtDecision::Accepted);
        learned.is_best = Some(eval.gating_games() > 0 && beats());
        self.learned = Some(learned);
        Ok(Ended::Complete)
    }

    /// Lets the newest network play the best one, if there is gating; returns whether the run can go on.
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

    /// Saves everything that the iteration made, which makes it complete.
    ///
    /// # Errors
    /// If the iteration has not been measured, or a file cannot be written: it then counts for nothing.
    pub fn save(&mut self, reporter: &mut dyn Reporter) -> Result<(), TrainError> {
        let iteration = self.iterations() + 1;
        let order = || TrainError::Order { iteration, what: "kept", expected: "that it has been measured" };
        let measured = self.learned.take_if(|learned| learned.is_best.is_some());
        let Learned { metrics, file, is_best } = measured.ok_or_else(order)?;
        let is_best = is_best == Some(true);
        if is_best {
            self.best = Some(Arc::clone(&self.engine));
        }
        let before = self.manifest.best;
        let best = if is_best { Some(iteration) } else { before.filter(|_| self.best.is_some()) };
        self.keep(&metrics, file, best)?;
        if best.is_none() && before.is_some() {
            // Otherwise somebody could take it for the best network of this run.
            let _ = fs::remove_file(self.run.best());
        }
        reporter.complete(&metrics);
        Ok(())
    }

    /// Writes everything that the iteration made; the manifest comes last and makes it count.
    fn keep(&mut self, metrics: &IterationMetrics, file: SampleFile, best: Option<u32>) -> Result<(), TrainError> {
        let iteration = metrics.iteration;
        self.run.check_place()?;
        let Learners { network, student } = &self.learners;
        network.save_state(&self.run.learner_state(iteration))?;
        if let Some(student) = student {
            student.save_state(&self.run.student_state(iteration))?;
        }
        self.checkpoint().save(&self.run.checkpoint(iteration))?;
        if best == Some(iteration) {
            self.checkpoint().save(&self.run.best())?;
        }
        let lines = Some(self.run.append_metrics(metrics)?);
        self.run.write_json("ratings.json", &self.ratings()?)?;
        let mut window = self.manifest.window.clone();
        window.push(file);
        window.drain(..window.len() - self.replay.iterations());
        let (steps, samples, student) = (network.steps(), self.replay.total(), student.is_some());
        let (before, games) = (self.manifest.clone(), Some(self.games_before(iteration + 1)));
        self.manifest =
            Manifest { iterations: iteration, games, steps, samples, window, best, student, metrics: lines, ..before };
        self.run.commit(&self.manifest)?;
        // Only now: it has no number that would tell which iteration it is of, and the state has it, too.
        if let Some(student) = self.student() {
            student.save(&self.run.student())?;
        }
        Ok(self.run.write_events()?)
    }

    /// Returns the ratings of all checkpoints, by file name.
    fn ratings(&self) -> Result<BTreeMap<String, Vec<OpponentScore>>, RunError> {
        let of_line = |line: IterationMetrics| (format!("{:06}.safetensors", line.iteration), line.ratings);
        Ok(self.run.metrics()?.into_iter().map(of_line).collect())
    }
}

/// Returns a network in the form in which it plays, here and elsewhere.
fn player(engine: Arc<Engine>, checkpoint: &Checkpoint) -> Result<ReleasedNetwork, TrainError> {
    let checkpoint: Arc<[u8]> = checkpoint.to_bytes(Path::new("the network of the run"))?.into();
    let hash = blake3::hash(&checkpoint).into();
    Ok(ReleasedNetwork { engine: Some(engine), checkpoint, hash })
}

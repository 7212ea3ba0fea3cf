//! How a run begins, and how it is resumed.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::Checkpoint;
use gipf_play::run::Manifest;

use super::stored::Stored;
use super::trained::{Trained, learners_with, new_learners};
use super::{NamedStart, TrainError, Trainer};
use crate::core_time::Began;
use crate::training::run::{NewRun, Remark, RunDirectory};
use crate::training::samples::ReplayBuffer;
use crate::training::self_play::Opponents;
use crate::training::settings::Config;
use crate::training::shard::Coordinator;
use crate::training::watch::Watch;

impl<P: Learnable> Trainer<P> {
    /// Begins a run in a new directory.
    ///
    /// # Errors
    /// If the directory cannot be created, or is not free.
    pub fn create(new: &NewRun<'_>, start: NamedStart<P>) -> Result<Self, TrainError> {
        let trained = Trained::new(new_learners(&new.config().at(0), &start.position)?)?;
        let run = RunDirectory::create(new)?;
        Self::begun(run, new, start, trained)
    }

    fn begun(run: RunDirectory, new: &NewRun<'_>, start: NamedStart<P>, trained: Trained) -> Result<Self, TrainError> {
        let manifest = run.write_config(new, Manifest::default())?;
        let config = new.config().clone();
        Ok(Self::with(run, config, manifest, start, trained).remarking())
    }

    /// Returns a run that has no samples yet, and no memory of its metrics.
    fn with(run: RunDirectory, config: Config, manifest: Manifest, start: NamedStart<P>, trained: Trained) -> Self {
        let settings = next_settings(&config, &manifest);
        let replay = ReplayBuffer::new(settings.replay.clone());
        let coordinator = Arc::new(Coordinator::new(config.run.games));
        let (NamedStart { game, position: start }, Trained { learners, engine }) = (start, trained);
        Self {
            begun: manifest.iterations,
            released: manifest.iterations,
            run,
            config,
            settings,
            game,
            start,
            learners,
            engine,
            best: None,
            replay,
            manifest,
            watch: Watch::default(),
            coordinator,
            opponents: Opponents::default(),
            began: Began::now(),
            learned: None,
        }
    }

    /// Begins a run with a network that was trained before, by `gipf fit` or another run; errors name it by its path.
    ///
    /// # Errors
    /// As for [`Self::create`], and if the network is for another game, or is neither the one that the settings
    /// describe nor one that grows to it.
    pub fn create_with(
        new: &NewRun<'_>,
        start: NamedStart<P>,
        path: &Path,
        network: &Checkpoint,
    ) -> Result<Self, TrainError> {
        // A network that does not fit is rejected before anything is written.
        let network = network.clone().for_game(path, &start.game)?;
        let trained = Trained::new(learners_with(&new.config().at(0), &start.position, path, &network)?)?;
        let run = RunDirectory::create(new)?;
        // Stored next to the run's own state, so that a run stopped before its first iteration begins with it again.
        network.save(&run.first_network())?;
        Self::begun(run, new, start, trained)
    }

    /// Begins a run from the state of another: with its network, or a larger one that it grows to, and its samples,
    /// but with other settings ([`RunDirectory::fork`]).
    ///
    /// # Errors
    /// As for [`RunDirectory::fork`], and if no iteration is left to do, or the other run cannot go on with these
    /// settings; then nothing is written.
    pub fn fork(from: &Path, new: &NewRun<'_>, start: NamedStart<P>) -> Result<Self, TrainError> {
        let stored = RunDirectory::fork_with(from, new, |manifest| {
            let done = manifest.iterations;
            if done >= new.config().run.iterations {
                return Err(TrainError::NothingLeft { from: from.to_owned(), done });
            }
            // What is wrong with the other run is told of its files, not of their copies.
            Stored::read(from, new.config(), manifest, &start)
        })?;
        let (run, config, manifest) = RunDirectory::open(new.path())?;
        Self::going_on(run, config, manifest, start, stored)
    }

    /// Resumes the run in a directory, after its last complete iteration.
    ///
    /// # Errors
    /// If there is no run, or one of its files is damaged.
    pub fn resume(path: &Path, start: impl FnOnce(&Config) -> NamedStart<P>) -> Result<Self, TrainError> {
        let (run, config, manifest) = RunDirectory::open(path)?;
        let start = start(&config);
        let stored = Stored::read(path, &config, &manifest, &start)?;
        Self::going_on(run, config, manifest, start, stored)
    }

    /// Goes on from what is stored of a run.
    fn going_on(
        run: RunDirectory,
        config: Config,
        manifest: Manifest,
        start: NamedStart<P>,
        stored: Stored<P>,
    ) -> Result<Self, TrainError> {
        let Stored { trained, best, replay } = stored;
        // An unfinished iteration may have replaced the copies.
        if let Some((best, _)) = &best {
            best.save(&run.best())?;
        }
        let watch = Watch::after(run.metrics()?);
        // A program that was killed after its last iteration may not have written them.
        run.write_events()?;
        let best = best.map(|(_, engine)| engine);
        let resumed = Self { best, replay, watch, ..Self::with(run, config, manifest, start, trained) };
        let is_wanted = resumed.settings.learning.student.is_wanted() && resumed.iterations() > 0;
        if let Some(student) = resumed.student().filter(|_| is_wanted) {
            student.save(&resumed.run.student())?;
        }
        Ok(resumed.remarking())
    }

    /// Remarks on a student that will never be.
    fn remarking(mut self) -> Self {
        if self.lacks_student() {
            self.run.remark(Remark::NoStudent);
        }
        self
    }

    /// Returns whether the settings of iterations to come want a student, and none of them makes one.
    fn lacks_student(&self) -> bool {
        if self.learners.student.is_some() || self.iterations() >= self.config.run.iterations {
            return false;
        }
        let played = games_before(&self.config, &self.manifest, self.iterations() + 1);
        let later = self.config.stages().into_iter().filter(|(games, _)| *games > played).map(|(_, settings)| settings);
        let to_come: Vec<_> = std::iter::once(self.settings.clone()).chain(later).collect();
        let networks = to_come.iter().map(|settings| &settings.network.0);
        let mut before = std::iter::once(&self.learners.network.net().net).chain(networks);
        let is_wanted = |settings: &Config| settings.learning.student.is_wanted();
        let begins = |settings: &Config| before.next() != Some(&settings.network.0) && is_wanted(settings);
        to_come.iter().any(is_wanted) && !to_come.iter().any(begins)
    }
}

/// Returns the settings of the next iteration. Those of the last one may be unknown: its number of games may have
/// been another.
pub(super) fn next_settings(config: &Config, manifest: &Manifest) -> Config {
    config.at(games_before(config, manifest, manifest.iterations + 1))
}

/// Returns how many games are played before an iteration, which may be one to come.
pub(super) fn games_before(config: &Config, manifest: &Manifest, iteration: u32) -> u64 {
    let (games, complete) = (config.run.games, u64::from(manifest.iterations));
    let played = manifest.games.unwrap_or(complete * games);
    (played + u64::from(iteration - 1) * games).saturating_sub(complete * games)
}

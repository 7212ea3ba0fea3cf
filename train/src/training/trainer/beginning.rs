//! How a run begins, and how it is resumed.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, NetConfig};
use gipf_play::run::{Manifest, RunError, newest_network};
use rayon::prelude::*;

use super::trained::{Trained, check_growth, learner_with, net_of, new_learner, restored_best};
use super::{NamedStart, TrainError, Trainer};
use crate::core_time::Began;
use crate::training::learning::Learner;
use crate::training::run::{NewRun, RunDirectory, samples_name};
use crate::training::samples::{ReplayBuffer, Sample, can_be_played};
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
        let (net, learner) = new_learner(&new.config().at(0), &start.position)?;
        let trained = Trained::new(net, learner)?;
        let run = RunDirectory::create(new)?;
        Self::begun(run, new, start, trained)
    }

    fn begun(run: RunDirectory, new: &NewRun<'_>, start: NamedStart<P>, trained: Trained) -> Result<Self, TrainError> {
        let manifest = run.write_config(new, Manifest::default())?;
        let config = new.config().clone();
        Ok(Self::with(run, config, manifest, start, trained))
    }

    /// Returns a run that has no samples yet, and no memory of its metrics.
    fn with(run: RunDirectory, config: Config, manifest: Manifest, start: NamedStart<P>, trained: Trained) -> Self {
        let settings = next_settings(&config, &manifest);
        let replay = ReplayBuffer::new(settings.replay.clone());
        let coordinator = Arc::new(Coordinator::new(config.run.games));
        let (NamedStart { game, position: start }, Trained { net, learner, engine }) = (start, trained);
        Self {
            begun: manifest.iterations,
            released: manifest.iterations,
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
            coordinator,
            opponents: Opponents::default(),
            began: Began::now(),
            learned: None,
        }
    }

    /// Begins a run with a network that was trained before, by `gipf fit` or another run.
    ///
    /// # Errors
    /// As for [`Self::create`], and if the network is for another game, or is neither the one that the settings
    /// describe nor one that grows to it.
    pub fn create_with(new: &NewRun<'_>, start: NamedStart<P>, network: &Checkpoint) -> Result<Self, TrainError> {
        // A network that does not fit is rejected before anything is written.
        let named = Path::new("the network");
        let network = network.clone().for_game(named, &start.game)?;
        let (net, learner) = learner_with(&new.config().at(0), &start.position, named, &network)?;
        let trained = Trained::new(net, learner)?;
        let run = RunDirectory::create(new)?;
        // Stored next to the run's own state, so that a run stopped before its first iteration begins with it again.
        network.save(&run.first_network())?;
        Self::begun(run, new, start, trained)
    }

    /// Begins a run from the state of another: with its network, or a larger one that it grows to, and its samples,
    /// but with other settings ([`RunDirectory::fork`]).
    ///
    /// # Errors
    /// As for [`RunDirectory::fork`], and if the network of the other run does not fit, or no iteration is left to
    /// do; then nothing is written.
    pub fn fork(from: &Path, new: &NewRun<'_>, start: NamedStart<P>) -> Result<Self, TrainError> {
        if let Some(newest) = newest_network(from)? {
            let manifest = Manifest::read(from)?.unwrap_or_default();
            let (done, iterations) = (manifest.iterations, new.config().run.iterations);
            if done >= iterations {
                return Err(TrainError::NothingLeft { from: from.to_owned(), done, iterations });
            }
            let found = Checkpoint::load_for(&newest, &start.game)?.config;
            let settings = next_settings(new.config(), &manifest);
            check_growth(&newest, &found, &net_of(&settings, &start.position)?)?;
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
        let start = start(&config);
        let settings = next_settings(&config, &manifest);
        let (net, learner) = match manifest.iterations {
            0 => first_learner(&run, &settings, &start)?,
            done => {
                // The checkpoint names its game; but people may have removed the checkpoint.
                let newest = run.checkpoint(done);
                if newest.exists() {
                    Checkpoint::load_for(&newest, &start.game)?;
                }
                stored_learner(&run.learner_state(done), &settings, &start)?
            }
        };
        let mut trainer = Self::with(run, config, manifest, start, Trained::new(net, learner)?);
        for file in &trainer.manifest.window {
            let samples: Vec<Sample<P>> = trainer.run.read_samples(file)?;
            let can_be_learned =
                |sample: &Sample<P>| sample.is_sound() && can_be_played(&sample.position, &trainer.start);
            if let Some(number) = samples.par_iter().position_first(|sample| !can_be_learned(sample)) {
                let path = path.join(samples_name(file.iteration));
                return Err(RunError::Damaged(path, format!("sample {} cannot be learned", number + 1)).into());
            }
            trainer.replay.restore(samples);
        }
        trainer.replay.set_total(trainer.manifest.samples);
        if let Some(iteration) = trainer.manifest.best {
            trainer.best = Some(restored_best(&trainer.run, iteration, &trainer.game, &trainer.net)?);
        }
        trainer.watch = Watch::after(trainer.run.metrics()?);
        // A program that was killed after its last iteration may not have written them.
        trainer.run.write_events()?;
        Ok(trainer)
    }
}

/// Returns the settings of the next iteration. Those of the last one may be unknown: its number of games may have
/// been another.
fn next_settings(config: &Config, manifest: &Manifest) -> Config {
    config.at(games_before(config, manifest, manifest.iterations + 1))
}

/// Returns how many games are played before an iteration, which may be one to come.
pub(super) fn games_before(config: &Config, manifest: &Manifest, iteration: u32) -> u64 {
    let (games, complete) = (config.run.games, u64::from(manifest.iterations));
    let played = manifest.games.unwrap_or(complete * games);
    (played + u64::from(iteration - 1) * games).saturating_sub(complete * games)
}

/// Returns a stored learner, as the last iteration left it, and its network.
fn stored_learner<P: Learnable>(
    state: &Path,
    settings: &Config,
    start: &NamedStart<P>,
) -> Result<(NetConfig, Learner), TrainError> {
    let learner = Learner::stored(state, &settings.learning.optimizer)?;
    check_growth(state, learner.net(), &net_of(settings, &start.position)?)?;
    Ok((learner.net().clone(), learner))
}

/// Returns the network that a run began with, and its learner: one that it was given, or one with random weights.
pub(super) fn first_learner<P: Learnable>(
    run: &RunDirectory,
    settings: &Config,
    start: &NamedStart<P>,
) -> Result<(NetConfig, Learner), TrainError> {
    let first = run.first_network();
    if first.exists() {
        return learner_with(settings, &start.position, &first, &Checkpoint::load_for(&first, &start.game)?);
    }
    Ok(new_learner(settings, &start.position)?)
}

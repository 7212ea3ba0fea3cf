//! What is stored of a run to go on from: its network as it learns, its best network, and its samples.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, Engine, NetConfig};
use gipf_play::run::{FIRST, Manifest, RunError, SampleFile, best_name, checkpoint_name};
use rayon::prelude::*;

use super::beginning::next_settings;
use super::trained::{Learners, Trained, check_growth, learners_with, net_of, new_learners};
use super::{NamedStart, TrainError};
use crate::training::learning::Learner;
use crate::training::run::{learner_name, read_samples, samples_name, student_name};
use crate::training::samples::{ReplayBuffer, Sample, can_be_played};
use crate::training::settings::{Config, OptimizerConfig};

/// The state of a run after its last complete iteration.
pub(super) struct Stored<P> {
    pub trained: Trained,
    /// The best network, if the run selects it: as it is kept, and as it plays.
    pub best: Option<(Checkpoint, Arc<Engine>)>,
    pub replay: ReplayBuffer<P>,
}

impl<P: Learnable> Stored<P> {
    /// Reads the state from the directory of a run, to go on with these settings.
    ///
    /// # Errors
    /// If a file is damaged or of another game, the network does not grow to the one of the settings, or the device was
    /// not built in.
    pub fn read(run: &Path, config: &Config, manifest: &Manifest, start: &NamedStart<P>) -> Result<Self, TrainError> {
        let settings = next_settings(config, manifest);
        let learners = match manifest.iterations {
            0 => first_learners(run, &settings, start)?,
            done => stored_learners(run, (done, manifest.student), &settings, start)?,
        };
        let trained = Trained::new(learners)?;
        let net = trained.learners.network.net();
        let best = manifest.best.map(|iteration| best_network(run, iteration, &start.game, net)).transpose()?;
        let mut replay = ReplayBuffer::new(settings.replay);
        for file in &manifest.window {
            replay.restore(samples(run, file, start)?);
        }
        replay.set_total(manifest.samples);
        Ok(Self { trained, best, replay })
    }
}

/// Returns what a run began with: the network that it was given, or one with random weights.
pub(super) fn first_learners<P: Learnable>(
    run: &Path,
    settings: &Config,
    start: &NamedStart<P>,
) -> Result<Learners, TrainError> {
    let first = run.join(FIRST);
    if first.exists() {
        return learners_with(settings, &start.position, &first, &Checkpoint::load_for(&first, &start.game)?);
    }
    Ok(new_learners(settings, &start.position)?)
}

/// Returns the networks as an iteration left them, with or without a student.
fn stored_learners<P: Learnable>(
    run: &Path,
    (iteration, has_student): (u32, bool),
    settings: &Config,
    start: &NamedStart<P>,
) -> Result<Learners, TrainError> {
    let [state, checkpoint] = [learner_name(iteration), checkpoint_name(iteration)].map(|name| run.join(name));
    // The checkpoint names its game; but people may have removed the checkpoint.
    let is_kept = checkpoint.exists();
    if is_kept {
        Checkpoint::load_for(&checkpoint, &start.game)?;
    }
    let optimizer = &settings.learning.optimizer;
    let network = Learner::stored(&state, optimizer)?;
    let named = if is_kept { &checkpoint } else { &state };
    check_growth(named, network.net(), &net_of(settings, &start.position)?)?;
    let student = has_student.then(|| run.join(student_name(iteration)));
    let student = student.map(|state| stored_student(&state, optimizer, network.net())).transpose()?;
    Ok(Learners { network, student })
}

/// Returns the student in a file, which must be smaller than the network.
fn stored_student(state: &Path, optimizer: &OptimizerConfig, net: &NetConfig) -> Result<Learner, TrainError> {
    let student = Learner::stored(state, optimizer)?;
    check_growth(state, student.net(), net)?;
    Ok(student)
}

fn best_network(
    run: &Path,
    iteration: u32,
    game: &str,
    net: &NetConfig,
) -> Result<(Checkpoint, Arc<Engine>), TrainError> {
    let path = run.join(best_name(run, iteration));
    let checkpoint = Checkpoint::load_for(&path, game)?;
    if !checkpoint.config.grows_to(net) {
        return Err(RunError::Damaged(path, "expected a network of the run's settings".to_owned()).into());
    }
    let engine = Engine::new(&checkpoint.weights, &checkpoint.config)?;
    Ok((checkpoint, Arc::new(engine)))
}

/// Returns the samples in a file, all of which can be learned.
fn samples<P: Learnable>(run: &Path, file: &SampleFile, start: &NamedStart<P>) -> Result<Vec<Sample<P>>, TrainError> {
    let samples: Vec<Sample<P>> = read_samples(run, file)?;
    let can_be_learned = |sample: &Sample<P>| sample.is_sound() && can_be_played(&sample.position, &start.position);
    if let Some(number) = samples.par_iter().position_first(|sample| !can_be_learned(sample)) {
        let path = run.join(samples_name(file.iteration));
        return Err(RunError::Damaged(path, format!("sample {} cannot be learned", number + 1)).into());
    }
    Ok(samples)
}

//! New runs, from nothing or from the state of others.

use std::fs::File;
use std::path::Path;

use gipf_models::copy_whole;
use gipf_play::run::{FIRST, Holding, LogSeal, METRICS, Manifest, READERS, RunError, checkpoint_name};

use super::log::Log;
use super::{RunDirectory, checksum, learner_name, samples_name};
use crate::training::settings::Config;

/// A run that is to begin.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    path: &'a Path,
    config: &'a Config,
    pub(super) origin: Option<String>,
}

impl<'a> NewRun<'a> {
    /// Returns a run with these settings, in a directory to be created.
    pub const fn new(path: &'a Path, config: &'a Config) -> Self {
        Self { path, config, origin: None }
    }

    /// Returns the run with the command that begins it: the same command may go on with the run.
    pub fn begun_by(self, command: &str) -> Self {
        Self { origin: Some(checksum(command)), ..self }
    }

    /// Returns the settings.
    pub const fn config(&self) -> &'a Config {
        self.config
    }

    /// Returns the directory.
    pub const fn path(&self) -> &'a Path {
        self.path
    }
}

impl RunDirectory {
    /// Creates the directory of a run that begins from the state of another: with its network, its optimiser state
    /// (unless the network grows) and its samples, but with other settings. The other run may be in progress; it is
    /// not changed.
    ///
    /// # Errors
    /// If there is no run to begin from, the new directory is not free, or a file cannot be copied.
    pub fn fork(from: &Path, new: &NewRun<'_>) -> Result<(), RunError> {
        Holding::of(from).check_run(from)?;
        // While this is held, the other run removes nothing.
        let _reading = reading(from);
        let manifest = Manifest::read(from)?.unwrap_or_default();
        let names = if manifest.iterations == 0 { Vec::new() } else { copied_names(&manifest) };
        // No run is begun if one of its files would be missing.
        for path in names.iter().map(|name| from.join(name)) {
            path.metadata().map_err(|error| RunError::Io(path, error))?;
        }
        let run = Self::create(new.path)?;
        let copy = |name: &str| {
            copy_whole(&from.join(name), &run.file(name)).map_err(|error| RunError::Io(from.join(name), error))
        };
        if manifest.iterations == 0 {
            // Its state is then its first network, if it was given one.
            if from.join(FIRST).exists() {
                copy(FIRST)?;
            }
            return run.write_config(new, Manifest::default()).map(drop);
        }
        names.iter().try_for_each(|name| copy(name))?;
        let metrics = Some(run.copy_metrics(from, &manifest)?);
        // Set even without a lag, since the settings may have one later.
        let base = Some(manifest.iterations);
        run.write_config(new, Manifest { metrics, base, ..manifest }).map(drop)
    }

    /// Copies the lines of metrics that belong to complete iterations, and seals them.
    fn copy_metrics(&self, from: &Path, manifest: &Manifest) -> Result<LogSeal, RunError> {
        let path = from.join(METRICS);
        let log = Log::read(&path, &Log::text_of(&path)?, manifest)?;
        self.write(METRICS, log.kept.as_bytes())?;
        Ok(LogSeal::of(&log.kept))
    }
}

/// Keeps a run from removing files, until the returned file is closed; none if the run or its file system has no
/// locks.
pub(super) fn reading(run: &Path) -> Option<File> {
    let file = File::open(run.join(READERS)).ok()?;
    file.lock_shared().is_ok().then_some(file)
}

/// Returns the files that a run continues from, except its metrics.
fn copied_names(manifest: &Manifest) -> Vec<String> {
    let last = manifest.iterations;
    let checkpoints = std::iter::once(last).chain(manifest.best.filter(|best| *best != last));
    let samples = manifest.window.iter().map(|file| samples_name(file.iteration));
    checkpoints.map(checkpoint_name).chain(samples).chain([learner_name(last)]).collect()
}

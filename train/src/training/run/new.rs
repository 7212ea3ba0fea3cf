//! New runs, from nothing or from the state of others.

use std::fs::{self, File};
use std::path::Path;

use gipf_models::{copy_whole, remove_if_there};
use gipf_play::run::{
    BEGINNING, CONFIG, FIRST, Holding, LOCK, LONGEST, LogSeal, METRICS, Manifest, READERS, RunError, best_name,
    checkpoint_name, files_in, read_text,
};

use super::log::Log;
use super::{RunDirectory, check_files, checksum, is_own, learner_name, parsed, samples_name, student_name};
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
    /// Creates the directory of a new run, which is a run once it has its [settings](Self::write_config). The files
    /// of a program that was killed before that are created again, if it was to begin the same run.
    ///
    /// # Errors
    /// If it holds anything else, or cannot be created.
    pub fn create(new: &NewRun<'_>) -> Result<Self, RunError> {
        let path = new.path();
        Self::check_free(path)?;
        let run = Self::locked(path)?;
        // Another program may have begun a run here before the lock was taken.
        Self::check_free(path)?;
        let origin = new.origin.as_deref().unwrap_or_default();
        // Earlier versions did not write which one was to begin.
        if read_text(&run.file(BEGINNING), LONGEST).is_ok_and(|begun| !begun.is_empty() && begun != origin) {
            return Err(RunError::Foreign(
                path.to_owned(),
                "another run was to begin here, and got no further: expected the same command, or a new directory",
            ));
        }
        run.write(BEGINNING, origin.as_bytes())?;
        clear_beginning(path).map_err(|error| RunError::Io(path.to_owned(), error))?;
        Ok(run)
    }

    /// Removes a directory in which a run was to begin, and did not; one that holds anything else stays.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn discard(path: &Path) -> std::io::Result<()> {
        if Holding::of(path) == Holding::Beginning {
            clear_beginning(path)?;
            [BEGINNING, READERS, LOCK].iter().try_for_each(|name| remove_if_there(&path.join(name)).map(drop))?;
        }
        // Only what is empty by now.
        for folder in [path.join("checkpoints"), path.join("state"), path.to_owned()] {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Writes the settings, and then the manifest, which makes it a run; returns the manifest.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_config(&self, new: &NewRun<'_>, manifest: Manifest) -> Result<Manifest, RunError> {
        let text = new.config().to_text();
        self.write(CONFIG, text.as_bytes())?;
        let manifest = Manifest { config: Some(checksum(&text)), origin: new.origin.clone(), ..manifest };
        self.commit(&manifest)?;
        Ok(manifest)
    }

    /// Checks that a run can be created in a directory, before work that would be lost.
    ///
    /// # Errors
    /// If it exists and holds anything but the files of a program killed at the beginning of a run, or lies within
    /// another run.
    pub fn check_free(path: &Path) -> Result<(), RunError> {
        Holding::of(path).check_free(path)?;
        let whole = std::path::absolute(path).ok();
        match whole.as_deref().and_then(Path::parent).and_then(Self::owner_of) {
            Some(_) => Err(RunError::Foreign(
                path.to_owned(),
                "it lies within another run: expected a directory outside of it",
            )),
            None => Ok(()),
        }
    }

    /// Returns whether a directory holds a run that this command has begun.
    ///
    /// # Errors
    /// If its manifest cannot be read.
    pub fn was_begun_by(path: &Path, command: &str) -> Result<bool, RunError> {
        let origin = Manifest::read(path)?.and_then(|manifest| manifest.origin);
        Ok(origin.is_some_and(|origin| origin == checksum(command)))
    }

    /// Creates the directory of a run that begins from the state of another: with its network, its optimiser state
    /// (unless the network grows) and its samples, but with other settings. The other run may be in progress; it is
    /// not changed.
    ///
    /// # Errors
    /// If there is no run to begin from, the new directory is not free, or a file cannot be copied.
    pub fn fork(from: &Path, new: &NewRun<'_>) -> Result<(), RunError> {
        Self::fork_with(from, new, |_| Ok(()))
    }

    /// Does the same, once the other run was read by its manifest, and returns what was read: nothing is written before.
    ///
    /// # Errors
    /// As for [`Self::fork`], and those of reading.
    pub(in crate::training) fn fork_with<T, E: From<RunError>>(
        from: &Path,
        new: &NewRun<'_>,
        read: impl FnOnce(&Manifest) -> Result<T, E>,
    ) -> Result<T, E> {
        Holding::of(from).check_run(from)?;
        check_files(from)?;
        Self::check_free(new.path())?;
        // While this is held, the other run removes nothing.
        let _reading = reading(from);
        let manifest = Manifest::read(from)?.unwrap_or_default();
        let names = copied_names(from, &manifest);
        // No run is begun if one of its files would be missing.
        for path in names.iter().map(|name| from.join(name)) {
            path.metadata().map_err(|error| RunError::Io(path, error))?;
        }
        let metrics = kept_metrics(from, &manifest)?;
        let found = read(&manifest)?;
        let run = Self::create(new)?;
        for name in &names {
            copy_whole(&from.join(name), &run.file(name)).map_err(|error| RunError::Io(from.join(name), error))?;
        }
        if manifest.iterations == 0 {
            run.write_config(new, Manifest::default())?;
            return Ok(found);
        }
        run.write(METRICS, metrics.as_bytes())?;
        // The base is set even without a lag, since the settings may have one later.
        let (metrics, base) = (Some(LogSeal::of(&metrics)), Some(manifest.iterations));
        run.write_config(new, Manifest { metrics, base, ..manifest })?;
        Ok(found)
    }
}

/// Returns the lines of metrics that belong to complete iterations.
fn kept_metrics(from: &Path, manifest: &Manifest) -> Result<String, RunError> {
    let path = from.join(METRICS);
    let log = Log::read(&path, &Log::text_of(&path)?, manifest)?;
    parsed(&path, &log.kept)?;
    Ok(log.kept)
}

/// Keeps a run from removing files, until the returned file is closed; none if the run or its file system has no
/// locks.
pub(super) fn reading(run: &Path) -> Option<File> {
    let file = File::open(run.join(READERS)).ok()?;
    file.lock_shared().is_ok().then_some(file)
}

/// Returns the files that a run continues from, except its metrics: without iterations its first network, if it was
/// given one.
fn copied_names(run: &Path, manifest: &Manifest) -> Vec<String> {
    let last = manifest.iterations;
    if last == 0 {
        return Vec::from_iter(run.join(FIRST).exists().then(|| FIRST.to_owned()));
    }
    // People may have removed the checkpoint: the learner's state has the weights too.
    let newest = Some(checkpoint_name(last)).filter(|name| run.join(name).exists());
    let best = manifest.best.map(|best| best_name(run, best)).filter(|best| newest.as_ref() != Some(best));
    let samples = manifest.window.iter().map(|file| samples_name(file.iteration));
    let student = manifest.student.then(|| student_name(last));
    newest.into_iter().chain(best).chain(samples).chain([learner_name(last)]).chain(student).collect()
}

/// Removes the files of a program killed before the run had begun, except the marker of the beginning.
fn clear_beginning(path: &Path) -> std::io::Result<()> {
    let folders = ["checkpoints", "state"].map(|folder| path.join(folder));
    let marker = path.join(BEGINNING);
    let own = folders.iter().flat_map(|folder| files_in(folder)).filter(|file| is_own(file) && *file != marker);
    own.chain([CONFIG, METRICS].map(|name| path.join(name))).try_for_each(|file| remove_if_there(&file).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_never_takes_over_a_foreign_directory() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "mine").unwrap();
        let config = Config::preset("smoke").unwrap();
        let error = RunDirectory::create(&NewRun::new(folder.path(), &config)).unwrap_err();
        assert!(matches!(error, RunError::Foreign(..)), "{error}");
        assert!(RunDirectory::open(folder.path()).is_err());
    }

    #[test]
    fn checkpoints_or_metrics_without_a_manifest_are_refused_and_stay() {
        let config = Config::preset("smoke").unwrap();
        for name in [METRICS, "checkpoints/000001.safetensors"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            let new = NewRun::new(path, &config);
            RunDirectory::create(&new).unwrap().write_config(&new, Manifest::default()).unwrap();
            fs::write(path.join(name), "work of a night").unwrap();
            fs::remove_dir_all(path.join("state")).unwrap();
            for error in [RunDirectory::create(&new).unwrap_err(), RunDirectory::open(path).unwrap_err()] {
                assert!(error.to_string().contains("without its state/manifest.json"), "{error}");
            }
            assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "work of a night");
        }
    }

    #[test]
    fn what_was_left_before_a_run_had_begun_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path(), Config::preset("smoke").unwrap());
        let new = NewRun::new(path, &config).begun_by("train");
        drop(RunDirectory::create(&new).unwrap());
        for name in [CONFIG, METRICS, FIRST, "checkpoints/000001.safetensors", "state/.gipf-x.tmp"] {
            fs::write(path.join(name), "half").unwrap();
        }
        assert!(!RunDirectory::is_run(path));
        let error = RunDirectory::create(&NewRun::new(path, &config).begun_by("train --seed 2")).unwrap_err();
        assert!(error.to_string().contains("another run was to begin here") && path.join(FIRST).exists(), "{error}");
        let run = RunDirectory::create(&new).unwrap();
        assert!(run.metrics().unwrap().is_empty() && !path.join(FIRST).exists());
        run.write_config(&new, Manifest::default()).unwrap();
        assert!(RunDirectory::is_run(path) && !path.join(BEGINNING).exists());
        assert!(RunDirectory::was_begun_by(path, "train").unwrap());
        assert!(!RunDirectory::was_begun_by(path, "train --seed 2").unwrap());
    }

    #[test]
    fn a_run_that_did_not_begin_is_discarded_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path().join("run"), Config::preset("smoke").unwrap());
        let new = NewRun::new(&path, &config);
        drop(RunDirectory::create(&new).unwrap());
        fs::write(path.join(FIRST), "half").unwrap();
        RunDirectory::discard(&path).unwrap();
        assert!(!path.exists());
        RunDirectory::create(&new).unwrap().write_config(&new, Manifest::default()).unwrap();
        RunDirectory::discard(&path).unwrap();
        assert!(RunDirectory::is_run(&path));
    }
}

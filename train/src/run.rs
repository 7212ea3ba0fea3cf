//! The directory of a training run: everything about it, and enough to go on after it was killed anywhere.
//!
//! ```text
//! RUN/config.toml             the settings
//! RUN/metrics.jsonl           one line an iteration
//! RUN/ratings.json            every checkpoint against the baselines
//! RUN/checkpoints/000012.safetensors
//! RUN/best.safetensors        a copy of the best of them, in runs that look for it (`evaluation.promotion`)
//! RUN/state/manifest.json     what is complete; written last, so that a half-written iteration counts for nothing
//! RUN/state/samples-000012.bin, RUN/state/learner-000012.safetensors
//! ```

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gipf_models::write_whole;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::{Config, ConfigFault};
use crate::metrics::IterationMetrics;
use crate::sample::Sample;

/// A run directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Reading or writing failed.
    #[error("{path} cannot be read or written: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, std::io::Error),
    /// The directory holds something else.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Foreign(PathBuf, &'static str),
    /// The settings of the run are wrong.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Config(PathBuf, ConfigFault),
    /// A file was altered or cut short.
    #[error("{path}: the file is damaged: {why}", path = .0.display(), why = .1)]
    Damaged(PathBuf, String),
    /// A part of the run's state could not be saved or read.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    State(PathBuf, String),
}

/// What is complete. Everything that it does not name is left over from an interrupted iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this file.
    pub version: u32,
    /// The number of complete iterations.
    pub iterations: u32,
    /// Training steps done.
    pub steps: u64,
    /// Samples made.
    pub samples: u64,
    /// The sample files of the window, oldest first.
    pub window: Vec<SampleFile>,
    /// The iteration of the best checkpoint, where the run looks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<u32>,
}

/// A file of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleFile {
    /// The iteration that made them, from 1.
    pub iteration: u32,
    /// The checksum of the file.
    pub blake3: String,
}

/// The version of the manifest that this program writes, and the only one that it reads.
pub const MANIFEST_VERSION: u32 = 3;
const LOCK: &str = "state/lock";
const FIRST: &str = "state/first.safetensors";

/// The directory of a run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Held as long as the run is in use, so that two programs never write to it.
    _lock: File,
}

impl RunDirectory {
    /// Returns whether a directory holds a run.
    pub fn is_run(path: &Path) -> bool {
        path.join("config.toml").is_file()
    }

    /// Makes the directory of a new run, which is one once it has [settings](Self::settle).
    ///
    /// # Errors
    /// If it exists and is not empty, or cannot be made.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        Self::check_free(path)?;
        Self::locked(path)
    }

    /// Writes the settings. They come last of all that a run begins with: one that was killed before must not go on with less.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn settle(&self, config: &Config) -> Result<(), RunError> {
        self.write("config.toml", config.to_text().as_bytes())
    }

    /// Checks that a run can be made in a directory, before work that would be lost.
    ///
    /// # Errors
    /// If it exists and is not empty.
    pub fn check_free(path: &Path) -> Result<(), RunError> {
        let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        let told = "the directory is not empty: expected a new one, or a run";
        if is_empty { Ok(()) } else { Err(RunError::Foreign(path.to_owned(), told)) }
    }

    /// Opens the directory of a run, with its settings and what is complete of it.
    ///
    /// # Errors
    /// If there is no run, or a file is damaged.
    pub fn open(path: &Path) -> Result<(Self, Config, Manifest), RunError> {
        if !Self::is_run(path) {
            return Err(no_run(path));
        }
        let run = Self::locked(path)?;
        let text = run.read_text("config.toml")?;
        let config = Config::parse(&text).map_err(|fault| RunError::Config(run.file("config.toml"), fault))?;
        let manifest = read_manifest(path)?;
        run.drop_unfinished_metrics(manifest.iterations)?;
        Ok((run, config, manifest))
    }

    /// Makes the directory of a run that begins where another one stands: with its network, what the optimiser remembers
    /// (unless the network grows), and its samples, but with other settings. The other run may be under way; it is not changed.
    ///
    /// # Errors
    /// If there is no run to begin from, the new directory exists and is not empty, or a file cannot be copied.
    pub fn fork(from: &Path, path: &Path, config: &Config) -> Result<(), RunError> {
        if !Self::is_run(from) {
            return Err(no_run(from));
        }
        let manifest = read_manifest(from)?;
        let run = Self::create(path)?;
        if manifest.iterations == 0 {
            run.copy_first_network(from)?;
            return run.settle(config);
        }
        let last = manifest.iterations;
        let checkpoints = std::iter::once(last).chain(manifest.best.filter(|best| *best != last));
        let checkpoints = checkpoints.map(|iteration| format!("checkpoints/{iteration:06}.safetensors"));
        let learner = format!("state/learner-{last:06}.safetensors");
        let samples = manifest.window.iter().map(|file| samples_name(file.iteration));
        for name in checkpoints.chain(samples).chain([learner, "metrics.jsonl".to_owned()]) {
            fs::copy(from.join(&name), run.file(&name)).map_err(|error| RunError::Io(from.join(&name), error))?;
        }
        run.commit(&manifest)?;
        run.settle(config)
    }

    /// Returns the file of the network that a run stands at: its newest, or the one that it was given; none if it begins from
    /// nothing.
    ///
    /// # Errors
    /// If there is no run.
    pub fn newest_network(path: &Path) -> Result<Option<PathBuf>, RunError> {
        if !Self::is_run(path) {
            return Err(no_run(path));
        }
        let name = match read_manifest(path)?.iterations {
            0 => FIRST.to_owned(),
            last => format!("checkpoints/{last:06}.safetensors"),
        };
        Ok(Some(path.join(name)).filter(|file| file.exists()))
    }

    /// A run without an iteration stands where its first network does, if it was given one.
    fn copy_first_network(&self, from: &Path) -> Result<(), RunError> {
        let (old, new) = (from.join(FIRST), self.first_network());
        if old.exists() { fs::copy(&old, new).map(|_| ()).map_err(|error| RunError::Io(old, error)) } else { Ok(()) }
    }

    /// Makes the folders that are missing, and takes the run for this program.
    fn locked(path: &Path) -> Result<Self, RunError> {
        for folder in [path.join("checkpoints"), path.join("state")] {
            fs::create_dir_all(&folder).map_err(|error| RunError::Io(folder, error))?;
        }
        let file = path.join(LOCK);
        let lock = File::create(&file).map_err(|error| RunError::Io(file, error))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(RunError::Foreign(
                path.to_owned(),
                "another program works on this run: expected to be the only one",
            )),
            // Where the file system has no locks, care is left to people.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { path: path.to_owned(), _lock: lock }),
        }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the checkpoint of an iteration.
    pub fn checkpoint(&self, iteration: u32) -> PathBuf {
        self.file(&format!("checkpoints/{iteration:06}.safetensors"))
    }

    /// Returns the file of the network that the run began with, if it was given one.
    pub fn first_network(&self) -> PathBuf {
        self.file(FIRST)
    }

    /// Returns the path of the copy of the best checkpoint.
    pub fn best(&self) -> PathBuf {
        self.file("best.safetensors")
    }

    /// Returns the file of the learner's state after an iteration.
    pub fn learner_state(&self, iteration: u32) -> PathBuf {
        self.file(&format!("state/learner-{iteration:06}.safetensors"))
    }

    /// Writes the samples of an iteration.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_samples<P: Serialize>(&self, iteration: u32, samples: &[Sample<P>]) -> Result<SampleFile, RunError> {
        let bytes = postcard::to_stdvec(samples).expect("samples are plain values");
        self.write(&samples_name(iteration), &bytes)?;
        Ok(SampleFile { iteration, blake3: blake3::hash(&bytes).to_string() })
    }

    /// Reads a file of samples.
    ///
    /// # Errors
    /// If it cannot be read, or is not the one that was written.
    pub fn read_samples<P: DeserializeOwned>(&self, file: &SampleFile) -> Result<Vec<Sample<P>>, RunError> {
        let path = self.file(&samples_name(file.iteration));
        let bytes = fs::read(&path).map_err(|error| RunError::Io(path.clone(), error))?;
        if blake3::hash(&bytes).to_string() != file.blake3 {
            return Err(RunError::Damaged(path, "its checksum is another".to_owned()));
        }
        postcard::from_bytes(&bytes).map_err(|error| RunError::Damaged(path, error.to_string()))
    }

    /// Adds a line to the metrics.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append_metrics(&self, line: &impl Serialize) -> Result<(), RunError> {
        let path = self.file("metrics.jsonl");
        let text = serde_json::to_string(line).expect("metrics are plain values");
        let append = || {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path)?;
            writeln!(file, "{text}")?;
            file.sync_data()
        };
        append().map_err(|error| RunError::Io(path.clone(), error))
    }

    /// Returns the metrics of the complete iterations.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is none of ours.
    pub fn metrics(&self) -> Result<Vec<IterationMetrics>, RunError> {
        let path = self.file("metrics.jsonl");
        if !path.exists() {
            return Ok(Vec::new());
        }
        let parse = |line: &str| serde_json::from_str(line);
        let lines: Result<_, _> = self.read_text("metrics.jsonl")?.lines().map(parse).collect();
        lines.map_err(|error| RunError::Damaged(path, error.to_string()))
    }

    /// Changes the number of iterations of a run.
    ///
    /// # Errors
    /// If there is no run, or its settings cannot be written.
    pub fn set_iterations(path: &Path, iterations: u32) -> Result<(), RunError> {
        let (run, mut config, manifest) = Self::open(path)?;
        config.run.iterations = iterations;
        config.validate().map_err(|fault| RunError::Config(path.join("config.toml"), fault))?;
        if iterations < manifest.iterations {
            return Err(RunError::Foreign(
                path.to_owned(),
                "the run has more iterations already: expected a larger number",
            ));
        }
        run.write("config.toml", config.to_text().as_bytes())
    }

    /// Writes a text file of the run whole.
    ///
    /// # Errors
    /// If it cannot be written; the old file then stays.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), RunError> {
        self.write(name, text.as_bytes())
    }

    /// Writes a JSON file of the run whole.
    ///
    /// # Errors
    /// If it cannot be written; the old file then stays.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(value).expect("reports are plain values");
        self.write(name, text.as_bytes())
    }

    /// Declares an iteration complete, and then removes what no longer belongs to the run.
    ///
    /// # Errors
    /// If the manifest cannot be written: the iteration then counts for nothing.
    pub fn commit(&self, manifest: &Manifest) -> Result<(), RunError> {
        self.write_json("state/manifest.json", manifest)?;
        self.remove_leftovers(manifest);
        Ok(())
    }

    /// Failing to remove an old file harms nothing; the next iteration tries again.
    fn remove_leftovers(&self, manifest: &Manifest) {
        let samples = manifest.window.iter().map(|file| self.file(&samples_name(file.iteration)));
        let kept: Vec<_> = samples
            .chain([self.learner_state(manifest.iterations), self.first_network()])
            .chain([self.file("state/manifest.json"), self.file(LOCK)])
            .collect();
        for entry in fs::read_dir(self.file("state")).into_iter().flatten().flatten() {
            let path = entry.path();
            if !kept.contains(&path) {
                let _ = fs::remove_file(&path);
            }
        }
    }

    /// Takes lines of iterations that were not completed off the end of the metrics.
    fn drop_unfinished_metrics(&self, iterations: u32) -> Result<(), RunError> {
        #[derive(Deserialize)]
        struct Line {
            iteration: u32,
        }
        let path = self.file("metrics.jsonl");
        if !path.exists() {
            return Ok(());
        }
        let text = self.read_text("metrics.jsonl")?;
        let complete = |line: &&str| serde_json::from_str::<Line>(line).is_ok_and(|line| line.iteration <= iterations);
        let kept: String = text.lines().filter(complete).flat_map(|line| [line, "\n"]).collect();
        if kept == text { Ok(()) } else { self.write("metrics.jsonl", kept.as_bytes()) }
    }

    fn read_text(&self, name: &str) -> Result<String, RunError> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(|error| RunError::Io(path, error))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Replaces a file whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.file(name);
        write_whole(&path, bytes).map_err(|error| RunError::Io(path, error))
    }
}

fn no_run(path: &Path) -> RunError {
    RunError::Foreign(path.to_owned(), "no run is here: expected a directory with a config.toml")
}

fn read_manifest(run: &Path) -> Result<Manifest, RunError> {
    let path = run.join("state/manifest.json");
    if !path.exists() {
        return Ok(Manifest::default());
    }
    let text = fs::read_to_string(&path).map_err(|error| RunError::Io(path.clone(), error))?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| RunError::Damaged(path.clone(), error.to_string()))?;
    if manifest.version != MANIFEST_VERSION {
        return Err(RunError::Foreign(path, "the run was made by another version of this program"));
    }
    Ok(manifest)
}

fn samples_name(iteration: u32) -> String {
    format!("state/samples-{iteration:06}.bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_back_and_an_unfinished_iteration_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let config = Config::preset("smoke").unwrap();
        let run = RunDirectory::create(&path).unwrap();
        run.settle(&config).unwrap();
        let file = run.write_samples::<u8>(1, &[]).unwrap();
        let window = vec![file.clone()];
        let manifest = Manifest { version: MANIFEST_VERSION, iterations: 1, steps: 3, samples: 7, window, best: None };
        run.append_metrics(&serde_json::json!({"iteration": 1})).unwrap();
        run.commit(&manifest).unwrap();
        run.append_metrics(&serde_json::json!({"iteration": 2})).unwrap();

        assert!(RunDirectory::open(&path).unwrap_err().to_string().contains("another program"));
        drop(run);
        let (run, read_config, read_manifest) = RunDirectory::open(&path).unwrap();
        assert_eq!((read_config, read_manifest), (config, manifest));
        assert_eq!(fs::read_to_string(path.join("metrics.jsonl")).unwrap().lines().count(), 1);
        assert_eq!(run.read_samples::<u8>(&file).unwrap(), []);
        fs::write(path.join("state/samples-000001.bin"), b"x").unwrap();
        assert!(matches!(run.read_samples::<u8>(&file), Err(RunError::Damaged(..))));
    }

    #[test]
    fn a_run_never_takes_over_a_foreign_directory() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "mine").unwrap();
        let error = RunDirectory::create(folder.path()).unwrap_err();
        assert!(matches!(error, RunError::Foreign(..)), "{error}");
        assert!(RunDirectory::open(folder.path()).is_err());
    }
}

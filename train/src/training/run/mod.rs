//! The directory of a training run: everything about it, and enough to go on after the program was killed at any point.
//!
//! The files that [`gipf_play::run`] names, and
//!
//! ```text
//! RUN/ratings.json            every checkpoint against the baselines
//! RUN/events.out.tfevents.gipf  the metrics as TensorBoard reads them
//! RUN/state/samples-000012.bin, RUN/state/learner-000012.safetensors, RUN/state/student-000012.safetensors
//! RUN/state/beginning         exists until the first manifest: the other files may then be created again
//! RUN/state/lock, RUN/state/readers  who writes to the run, and who copies from it
//! ```
//!
//! The manifest is written last, so that a half-written iteration counts for nothing.

mod events;
mod log;
mod new;
mod remark;
mod settings;
mod spectator;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gipf_models::{FolderLock, LockError, check_regular, create_folders, is_special, open_own, sweep, write_whole};
use gipf_play::run::{
    BEGINNING, BEST, CONFIG, FIRST, Holding, LOCK, LONGEST, LogSeal, MANIFEST, METRICS, Manifest, READERS, RunError,
    STUDENT, SampleFile, checkpoint_name, files_in, read_text,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::log::Log;
pub use self::new::NewRun;
pub use self::remark::Remark;
pub use self::spectator::RunView;
use crate::training::metrics::IterationMetrics;
use crate::training::samples::Sample;
use crate::training::settings::Config;

/// The directory of a run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    remarks: Vec<Remark>,
    /// Held as long as the run is in use, so that two programs never write to it.
    lock: FolderLock,
}

impl RunDirectory {
    /// Returns whether a directory holds a run.
    pub fn is_run(path: &Path) -> bool {
        Holding::of(path) == Holding::Run
    }

    /// Returns the run to which a file or folder belongs, or would belong once it exists, by its path or by the
    /// target if the path is a link.
    pub fn owner_of(path: &Path) -> Option<PathBuf> {
        let path = std::path::absolute(path).ok()?;
        let is_owner = |folder: &&Path| folder.join(CONFIG).is_file() && folder.join("state").is_dir();
        // The folders above may not exist yet.
        let above = path.ancestors().skip(1).find(|above| above.exists());
        above.into_iter().chain([&*path]).find_map(|path| {
            let place = fs::canonicalize(path).ok()?;
            place.ancestors().find(is_owner).map(Path::to_owned)
        })
    }

    /// Opens the directory of a run, with its settings and its manifest.
    ///
    /// # Errors
    /// If there is no run, or a file is damaged.
    pub fn open(path: &Path) -> Result<(Self, Config, Manifest), RunError> {
        Holding::of(path).check_run(path)?;
        check_files(path)?;
        if !path.join(MANIFEST).exists() {
            // Without a manifest only its settings make it a run; a directory without settings gets no folders.
            settings::check(path)?;
        }
        let mut run = Self::locked(path)?;
        let found = Manifest::read(path)?;
        // A program that was killed after its last iteration may have left old files.
        if let Some(manifest) = &found {
            run.remove_leftovers(manifest);
        }
        let mut manifest = found.unwrap_or_default();
        let config = run.read_config(&mut manifest)?;
        run.drop_unfinished_metrics(&mut manifest)?;
        Ok((run, config, manifest))
    }

    /// Returns the changes to its files that were found when the run was opened.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Adds a remark on the files that the run uses.
    pub fn remark(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    /// Creates missing folders, locks the run for this program, and removes unfinished files.
    fn locked(path: &Path) -> Result<Self, RunError> {
        let folders = [path.join("checkpoints"), path.join("state")];
        for folder in &folders {
            create_folders(folder).map_err(|error| RunError::Io(folder.clone(), error))?;
        }
        let lock = FolderLock::take(path, LOCK).map_err(|error| of_lock(error, path))?;
        for folder in &folders {
            sweep(folder);
        }
        Ok(Self { path: path.to_owned(), remarks: Vec::new(), lock })
    }

    /// Checks that the run is still where it was opened, before anything is written by its path.
    ///
    /// # Errors
    /// If it was moved, or another one is there by now.
    pub fn check_place(&self) -> Result<(), RunError> {
        self.lock.check().map_err(|error| of_lock(error, &self.path))
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the checkpoint of an iteration.
    pub fn checkpoint(&self, iteration: u32) -> PathBuf {
        self.file(&checkpoint_name(iteration))
    }

    /// Returns the file of the network that the run began with, if it was given one.
    pub fn first_network(&self) -> PathBuf {
        self.file(FIRST)
    }

    /// Returns the path of the copy of the best checkpoint.
    pub fn best(&self) -> PathBuf {
        self.file(BEST)
    }

    /// Returns the path of the student, as it would play.
    pub fn student(&self) -> PathBuf {
        self.file(STUDENT)
    }

    /// Returns the file of the student's state after an iteration.
    pub fn student_state(&self, iteration: u32) -> PathBuf {
        self.file(&student_name(iteration))
    }

    /// Returns the file of the learner's state after an iteration.
    pub fn learner_state(&self, iteration: u32) -> PathBuf {
        self.file(&learner_name(iteration))
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
    /// If it cannot be read, or was changed.
    pub fn read_samples<P: DeserializeOwned>(&self, file: &SampleFile) -> Result<Vec<Sample<P>>, RunError> {
        read_samples(&self.path, file)
    }

    /// Adds a line to the metrics; returns the seal of the metrics.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append_metrics(&self, line: &impl Serialize) -> Result<LogSeal, RunError> {
        self.check_place()?;
        let path = self.file(METRICS);
        let text = serde_json::to_string(line).expect("metrics are plain values");
        let append = || {
            let mut file = open_own(&path, OpenOptions::new().append(true))?;
            writeln!(file, "{text}")?;
            file.sync_all()
        };
        append().map_err(|error| RunError::Io(path.clone(), error))?;
        Ok(LogSeal::of(&self.read_text(METRICS)?))
    }

    /// Returns the metrics of the complete iterations.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not one of metrics.
    pub fn metrics(&self) -> Result<Vec<IterationMetrics>, RunError> {
        let path = self.file(METRICS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        parsed(&path, &self.read_text(METRICS)?)
    }

    /// Brings the events that TensorBoard reads up to date with the metrics.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn write_events(&self) -> Result<(), RunError> {
        self.check_place()?;
        let follow = events::follow(&self.path, &self.metrics()?);
        follow.map_err(|error| RunError::Io(self.file(events::EVENTS), error))
    }

    /// Writes a text file of the run, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written; the old file then stays.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), RunError> {
        self.write(name, text.as_bytes())
    }

    /// Writes a JSON file of the run, whole or not at all.
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
        self.write(MANIFEST, manifest.to_text().as_bytes())?;
        self.remove_leftovers(manifest);
        Ok(())
    }

    /// Removes the state of earlier iterations, and nothing that somebody else may have put there. Failing to remove an
    /// old file does no harm: the next iteration tries again. Nothing is removed while others copy the run.
    fn remove_leftovers(&self, manifest: &Manifest) {
        let readers = open_own(&self.file(READERS), OpenOptions::new().append(true));
        if readers.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
            return;
        }
        let samples = manifest.window.iter().map(|file| self.file(&samples_name(file.iteration)));
        let last = manifest.iterations;
        let states = [self.learner_state(last), self.student_state(last), self.first_network()];
        let kept: Vec<_> = samples.chain(states).collect();
        for path in files_in(&self.file("state")).iter().filter(|path| is_own(path) && !kept.contains(path)) {
            let _ = fs::remove_file(path);
        }
    }

    /// Removes the lines of unfinished iterations from the end of the metrics.
    fn drop_unfinished_metrics(&mut self, manifest: &mut Manifest) -> Result<(), RunError> {
        let path = self.file(METRICS);
        let text = Log::text_of(&path)?;
        let Log { kept, remark } = Log::read(&path, &text, manifest)?;
        self.remarks.extend(remark);
        manifest.metrics = Some(LogSeal::of(&kept));
        if kept == text { Ok(()) } else { self.write(METRICS, kept.as_bytes()) }
    }

    fn read_text(&self, name: &str) -> Result<String, RunError> {
        read_text(&self.file(name), LONGEST)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Replaces a file whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        self.check_place()?;
        let path = self.file(name);
        write_whole(&path, bytes).map_err(|error| RunError::Io(path, error))
    }
}

/// Refuses files that would keep a reader waiting, such as a pipe, and metrics that are a link, to which nothing is added.
fn check_files(path: &Path) -> Result<(), RunError> {
    let refused = |name: &str, what: &str| Err(RunError::Damaged(path.join(name), what.to_owned()));
    for name in [CONFIG, METRICS] {
        if path.join(name).metadata().is_ok_and(|found| !found.is_file()) {
            return refused(name, "expected a regular file");
        }
    }
    let folders = [path.to_owned(), path.join("checkpoints"), path.join("state")];
    if let Some(special) = folders.iter().flat_map(|folder| files_in(folder)).find(|file| is_special(file)) {
        return Err(RunError::Damaged(special, "expected a regular file".to_owned()));
    }
    if path.join(METRICS).is_symlink() { refused(METRICS, "expected a file, not a link") } else { Ok(()) }
}

/// Returns whether a file has a name that only a run gives: of a checkpoint or a part of the state, for any iteration.
fn is_own(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    let digits: String = name.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    let number = digits.parse().unwrap_or_default();
    let numbered = [samples_name, learner_name, student_name, checkpoint_name].map(|name| name(number));
    [FIRST, BEGINNING]
        .into_iter()
        .chain(numbered.iter().map(String::as_str))
        .any(|own| Path::new(own).file_name() == Some(name))
}

fn of_lock(error: LockError, path: &Path) -> RunError {
    let foreign = |told| RunError::Foreign(path.to_owned(), told);
    match error {
        LockError::Held(_) => foreign("another program is using this run: expected to be the only one"),
        LockError::Gone(_) => {
            foreign("the directory was moved or replaced while the run was in use: expected it to stay where it was")
        }
        LockError::Io(path, error) => RunError::Io(path, error),
    }
}

fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_string()
}

/// Returns the metrics in a text; errors name its file.
fn parsed(path: &Path, text: &str) -> Result<Vec<IterationMetrics>, RunError> {
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| RunError::Damaged(path.to_owned(), format!("line {}: {error}", number + 1)))
    };
    text.lines().enumerate().map(parse).collect()
}

/// Reads a file of samples in the directory of a run.
///
/// # Errors
/// If it cannot be read, or was changed.
pub(in crate::training) fn read_samples<P: DeserializeOwned>(
    run: &Path,
    file: &SampleFile,
) -> Result<Vec<Sample<P>>, RunError> {
    let path = run.join(samples_name(file.iteration));
    // Its checksum first: what was put in its place may be of any size.
    let found = file_checksum(&path).map_err(|error| RunError::Io(path.clone(), error))?;
    if found != file.blake3 {
        return Err(RunError::Damaged(path, "its checksum differs".to_owned()));
    }
    let bytes = fs::read(&path).map_err(|error| RunError::Io(path.clone(), error))?;
    postcard::from_bytes(&bytes).map_err(|error| RunError::Damaged(path, error.to_string()))
}

/// Returns the checksum of a regular file.
fn file_checksum(path: &Path) -> io::Result<String> {
    check_regular(path, u64::MAX)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_string())
}

/// Returns the name of the file of the learner's state after an iteration.
pub(in crate::training) fn learner_name(iteration: u32) -> String {
    format!("state/learner-{iteration:06}.safetensors")
}

/// Returns the name of the file of the student's state after an iteration.
pub(in crate::training) fn student_name(iteration: u32) -> String {
    format!("state/student-{iteration:06}.safetensors")
}

/// Returns the name of the file of the samples of an iteration.
pub(in crate::training) fn samples_name(iteration: u32) -> String {
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
        let run = RunDirectory::create(&NewRun::new(&path, &config)).unwrap();
        let written = run.write_config(&NewRun::new(&path, &config), Manifest::default()).unwrap();
        let file = run.write_samples::<u8>(1, &[]).unwrap();
        let window = vec![file.clone()];
        let metrics = Some(run.append_metrics(&serde_json::json!({"iteration": 1})).unwrap());
        let manifest = Manifest { iterations: 1, steps: 3, samples: 7, window, metrics, ..written };
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
    fn settings_that_were_changed_are_told_and_none_at_all_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path(), Config::preset("smoke").unwrap());
        let new = NewRun::new(path, &config);
        RunDirectory::create(&new).unwrap().write_config(&new, Manifest::default()).unwrap();
        assert!(RunDirectory::open(path).unwrap().0.remarks().is_empty());
        fs::write(path.join(CONFIG), config.to_text() + "\n# by hand\n").unwrap();
        assert_eq!(RunDirectory::open(path).unwrap().0.remarks(), [Remark::ConfigChanged]);
        fs::write(path.join(CONFIG), "").unwrap();
        assert!(matches!(RunDirectory::open(path), Err(RunError::Damaged(..))));
    }

    #[test]
    fn nothing_is_removed_while_somebody_copies() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path(), Config::preset("smoke").unwrap());
        let new = NewRun::new(path, &config);
        let run = RunDirectory::create(&new).unwrap();
        let manifest = run.write_config(&new, Manifest::default()).unwrap();
        let old = path.join(samples_name(1));
        fs::write(&old, "wanted").unwrap();
        let copying = new::reading(path);
        assert!(copying.is_some());
        run.commit(&manifest).unwrap();
        assert!(old.exists());
        drop(copying);
        run.commit(&manifest).unwrap();
        assert!(!old.exists());
    }

    #[test]
    fn files_of_a_run_are_known_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path().join("run"), Config::preset("smoke").unwrap());
        let new = NewRun::new(&path, &config);
        RunDirectory::create(&new).unwrap().write_config(&new, Manifest::default()).unwrap();
        for name in ["best.safetensors", "checkpoints/000001.safetensors", "state/x", "to/be/made", "checkpoints"] {
            assert_eq!(RunDirectory::owner_of(&path.join(name)), Some(fs::canonicalize(&path).unwrap()));
        }
        assert_eq!(RunDirectory::owner_of(&folder.path().join("run.safetensors")), None);
    }

    #[test]
    fn what_others_have_put_beside_the_state_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, config) = (folder.path(), Config::preset("smoke").unwrap());
        let new = NewRun::new(path, &config);
        drop(RunDirectory::create(&new).unwrap());
        let others =
            ["state/thesis.txt", "state/learner-000001.bak", "state/samples-x.bin", "checkpoints/good.safetensors"];
        for name in others {
            fs::write(path.join(name), "mine").unwrap();
        }
        let run = RunDirectory::create(&new).unwrap();
        let manifest = run.write_config(&new, Manifest::default()).unwrap();
        fs::write(run.learner_state(7), "of an earlier iteration").unwrap();
        run.commit(&manifest).unwrap();
        assert!(!run.learner_state(7).exists() && others.iter().all(|name| path.join(name).exists()));
    }

    /// A lock belongs to a file, wherever that is moved to.
    #[cfg(unix)]
    #[test]
    fn a_run_that_was_moved_is_not_written_to_by_its_old_path() {
        let folder = tempfile::tempdir().unwrap();
        let [path, elsewhere] = ["run", "moved"].map(|name| folder.path().join(name));
        let config = Config::preset("smoke").unwrap();
        let new = NewRun::new(&path, &config);
        let run = RunDirectory::create(&new).unwrap();
        let manifest = run.write_config(&new, Manifest::default()).unwrap();
        fs::rename(&path, &elsewhere).unwrap();
        let other = RunDirectory::create(&new).unwrap();
        other.write_config(&new, Manifest::default()).unwrap();
        let line = serde_json::json!({"iteration": 1});
        for error in [run.commit(&manifest).unwrap_err(), run.append_metrics(&line).unwrap_err()] {
            assert!(error.to_string().contains("moved or replaced while the run was in use"), "{error}");
        }
        assert!(!path.join(METRICS).exists());
        other.append_metrics(&line).unwrap();
    }
}

//! The directory of a training run, as read by programs that play with its networks.
//!
//! ```text
//! RUN/config.toml             the settings
//! RUN/metrics.jsonl           one line an iteration
//! RUN/checkpoints/000012.safetensors
//! RUN/best.safetensors        a copy of the best of them, in runs that select it (`evaluation.gating`)
//! RUN/student.safetensors     the student, in runs that have or had one (`learning.student`)
//! RUN/state/manifest.json     what is complete
//! RUN/state/first.safetensors the network that the run began with, if it was given one
//! ```

mod error;
mod holding;
mod manifest;

use std::path::{Path, PathBuf};

pub use error::RunError;
pub use holding::{Holding, files_in};
pub use manifest::{LogSeal, MANIFEST_VERSION, MOST_ITERATIONS, Manifest, SampleFile};

/// The settings.
pub const CONFIG: &str = "config.toml";
/// One line an iteration.
pub const METRICS: &str = "metrics.jsonl";
/// A copy of the best network.
pub const BEST: &str = "best.safetensors";
/// The smaller network that learns from the same samples.
pub const STUDENT: &str = "student.safetensors";
/// The list of what is complete.
pub const MANIFEST: &str = "state/manifest.json";
/// The network that the run began with.
pub const FIRST: &str = "state/first.safetensors";
/// Locked by the program that writes to the run.
pub const LOCK: &str = "state/lock";
/// Locked by programs that copy from the run, so that nothing is removed meanwhile.
pub const READERS: &str = "state/readers";
/// Exists from the first moment of a run until its first manifest: its files may be created again.
pub const BEGINNING: &str = "state/beginning";

/// The longest text that a run has: the metrics of the most iterations.
pub const LONGEST: u64 = 256 << 20;

/// Reads a text of a run, of at most this many bytes.
///
/// # Errors
/// If it is missing, longer, or not a regular file.
pub fn read_text(path: &Path, most: u64) -> Result<String, RunError> {
    gipf_models::read_regular(path, most).map_err(|error| RunError::Io(path.to_owned(), error))
}

/// Returns the path in a run of the network of an iteration.
pub fn checkpoint_name(iteration: u32) -> String {
    format!("checkpoints/{iteration:06}.safetensors")
}

/// Returns the file of a run's current network: its newest, or the one it was given; none if it begins from random
/// weights.
///
/// # Errors
/// If there is no run.
pub fn newest_network(run: &Path) -> Result<Option<PathBuf>, RunError> {
    Ok(newest_of(run, &manifest_of(run)?))
}

/// Returns the file of the best network of a run, if it selects one, or else of its newest; none if it has none yet.
///
/// # Errors
/// If there is no run.
pub fn network_to_play(run: &Path) -> Result<Option<PathBuf>, RunError> {
    let manifest = manifest_of(run)?;
    let best = manifest.best.map(|best| run.join(best_name(run, best)));
    Ok(best.filter(|file| file.is_file()).or_else(|| newest_of(run, &manifest)))
}

/// Returns the path in a run of its best network, that of this iteration: its checkpoint, or the copy where somebody has
/// removed that one.
pub fn best_name(run: &Path, iteration: u32) -> String {
    let name = checkpoint_name(iteration);
    // The copy may come from an iteration whose manifest was never written; a checkpoint under its own name does not.
    if !run.join(&name).is_file() && run.join(BEST).is_file() { BEST.to_owned() } else { name }
}

/// Returns the manifest of a run; that of one without iterations is empty.
fn manifest_of(run: &Path) -> Result<Manifest, RunError> {
    Holding::of(run).check_run(run)?;
    Ok(Manifest::read(run)?.unwrap_or_default())
}

fn newest_of(run: &Path, manifest: &Manifest) -> Option<PathBuf> {
    let name = match manifest.iterations {
        0 => FIRST.to_owned(),
        last => checkpoint_name(last),
    };
    Some(run.join(name)).filter(|file| file.exists())
}

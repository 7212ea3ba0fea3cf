//! Networks given to a command, checked before use to be able to play.

use std::path::Path;

use anyhow::{Context, Result};
use gipf_models::{Checkpoint, Engine, Precision};

/// Checks that a network's answers are finite numbers in each of these precisions. Weights that are all finite can still
/// be too large for the sums over them, in one precision or in both.
///
/// # Errors
/// If they are not; the error names the network by its path.
pub(super) fn check_answers(path: &Path, network: &Checkpoint, precisions: &[Precision]) -> Result<()> {
    Engine::check(&network.weights, &network.config, precisions).with_context(|| path.display().to_string())
}

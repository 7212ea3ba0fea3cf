//! Networks given to a command, checked before use to be able to play.

use std::path::Path;

use anyhow::{Context, Result};
use gipf_models::{Checkpoint, Engine, EngineOptions, Precision};

/// Checks that a network's answers are finite numbers in each of these precisions. Weights that are all finite can still
/// be too large for the sums over them, in one precision or in both.
///
/// # Errors
/// If they are not; the error names the network by its path.
pub(super) fn check_answers(path: &Path, network: &Checkpoint, precisions: &[Precision]) -> Result<()> {
    for &precision in precisions {
        let options = EngineOptions { precision, ..EngineOptions::default() };
        let engine = Engine::with_options(&network.weights, &network.config, options);
        engine.with_context(|| path.display().to_string())?;
    }
    Ok(())
}

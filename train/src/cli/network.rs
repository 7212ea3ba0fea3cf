//! Networks given to a command, checked to be able to play before they are used.

use std::path::Path;

use anyhow::{Context, Result};
use gipf_models::{Checkpoint, Engine};

/// Checks that a network answers in numbers. Weights that are finite each can be too large for the sums over them.
///
/// # Errors
/// If it does not; the error names the network by its path.
pub(super) fn check_answers(path: &Path, network: &Checkpoint) -> Result<()> {
    Engine::new(&network.weights, &network.config).with_context(|| path.display().to_string())?;
    Ok(())
}

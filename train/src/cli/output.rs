//! The option of commands that write a file.

use std::path::Path;

use super::Console;
use crate::output::{Existing, OutputError, OutputFile};

/// What happens to an existing file.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(in crate::cli) struct Force {
    /// Replace the output if it exists, once the new one is complete
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Returns what to do with an existing output.
    pub fn existing(self) -> Existing {
        Existing::by_force(self.force)
    }

    /// Opens the file of an output.
    ///
    /// # Errors
    /// As for [`open`].
    pub fn open(self, path: &Path, console: &mut Console<'_>) -> Result<OutputFile, OutputError> {
        open(path, self.existing(), console)
    }
}

/// Opens the file of an output; if that is a stream, all that is said about it goes to the stream for errors.
///
/// # Errors
/// If it exists and is not to be replaced, is a run's, or cannot be written.
pub(in crate::cli) fn open(
    path: &Path,
    existing: Existing,
    console: &mut Console<'_>,
) -> Result<OutputFile, OutputError> {
    let output = OutputFile::open(path, existing)?;
    console.make_way(&output);
    Ok(output)
}

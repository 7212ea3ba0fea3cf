//! The option of commands that write a file.

use std::path::Path;

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
    /// If it exists and is not to be replaced, is a run's, or cannot be written.
    pub fn open(self, path: &Path) -> Result<OutputFile, OutputError> {
        OutputFile::open(path, self.existing())
    }
}

//! The option of commands that write a file.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::{Console, WrongUse};
#[cfg(feature = "dataset")]
use crate::dataset::Source;
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

    /// Opens the file of an output if an option asked for one.
    ///
    /// # Errors
    /// As for [`Self::check`] and [`open`].
    pub fn open_of(self, option: &str, path: Option<&Path>, console: &mut Console<'_>) -> Result<Option<OutputFile>> {
        self.check(option, path)?;
        Ok(path.map(|path| self.open(path, console)).transpose()?)
    }

    /// Checks that there is an output that `--force` could replace.
    ///
    /// # Errors
    /// If the option that names an output is missing.
    pub fn check(self, option: &str, path: Option<&Path>) -> Result<(), WrongUse> {
        if self.force && path.is_none() {
            return Err(WrongUse(format!("--force: nothing to replace: expected {option} too")));
        }
        Ok(())
    }

    /// Opens the file of an output.
    ///
    /// # Errors
    /// As for [`open`].
    pub fn open(self, path: &Path, console: &mut Console<'_>) -> Result<OutputFile, OutputError> {
        open(path, self.existing(), console)
    }
}

/// Opens the file of an output; if that is a stream, all messages about it go to the stream for errors.
///
/// # Errors
/// If it exists and is not to be replaced, belongs to a run, or cannot be written.
pub(in crate::cli) fn open(
    path: &Path,
    existing: Existing,
    console: &mut Console<'_>,
) -> Result<OutputFile, OutputError> {
    let output = OutputFile::open(path, existing)?;
    console.make_way(&output);
    Ok(output)
}

/// Checks that an output replaces none of the files that a command reads.
///
/// # Errors
/// If it is one of them.
pub(in crate::cli) fn check_apart<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), WrongUse> {
    let Ok(place) = fs::canonicalize(output) else { return Ok(()) };
    let is_it = |input: &&Path| fs::canonicalize(input).is_ok_and(|input| input == place);
    inputs.into_iter().find(is_it).map_or(Ok(()), |input| Err(is_read(input)))
}

/// Checks that an output replaces nothing of the datasets that a command reads.
///
/// # Errors
/// If it does.
#[cfg(feature = "dataset")]
pub(in crate::cli) fn check_apart_from(output: &Path, source: &Source) -> Result<(), WrongUse> {
    if source.shares(output) { Err(is_read(output)) } else { Ok(()) }
}

fn is_read(input: &Path) -> WrongUse {
    WrongUse(format!("{} is read: expected another file to write", input.display()))
}

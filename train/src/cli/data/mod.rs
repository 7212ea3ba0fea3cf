//! `gipf data`: work on datasets.

mod export;
mod info;
mod merge;
mod split;
mod validate;

use std::path::PathBuf;

use anyhow::Result;
use indicatif::ProgressBar;

use super::{Console, Exit, WrongUse, progress};
use crate::dataset::{Accepted, DataFile, DatasetError, DatasetReader, files_of};
use crate::output::Existing;

/// Describes, checks, merges, splits and exports datasets of games.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  gipf data info datasets/quick
  gipf data validate datasets/quick
  gipf data merge --out datasets/all datasets/quick datasets/deep
  gipf data split --out datasets/parted --validation 0.1 datasets/all
  gipf data export --format npz --out quick.npz datasets/quick";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Info(info::Args),
    Validate(validate::Args),
    Merge(merge::Args),
    Split(split::Args),
    Export(export::Args),
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let (ended, left) = match &args.command {
        Command::Info(args) => (info::run(args, console), "nothing is written"),
        Command::Validate(args) => (validate::run(args, console), "nothing is written"),
        Command::Merge(args) => (merge::run(args, console), "the same command resumes"),
        Command::Split(args) => (split::run(args, console), "the same command resumes"),
        Command::Export(args) => (export::run(args, console), "nothing is written"),
    };
    match ended {
        Err(error) if matches!(error.downcast_ref(), Some(DatasetError::Stopped)) => {
            console.note(format_args!("stopped: {left}"));
            Ok(Exit::Interrupted)
        }
        ended => ended,
    }
}

/// The input: the files of datasets.
#[derive(Debug, clap::Args)]
struct Input {
    /// The directory of a dataset or of both parts of a split, or a file of a dataset; may be repeated
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    partial: Partial,
}

/// Which datasets are read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Partial {
    /// Also read datasets that are incomplete or have no manifest
    #[arg(long)]
    partial: bool,
}

impl Partial {
    pub const fn accepted(self) -> Accepted {
        if self.partial { Accepted::Partial } else { Accepted::Complete }
    }

    /// Checks that the option that names datasets was given.
    pub fn check(self, option: &str, data: &[PathBuf]) -> Result<(), WrongUse> {
        if self.partial && data.is_empty() {
            return Err(WrongUse(format!("--partial: expected {option} DIR, since it says which datasets are read")));
        }
        Ok(())
    }
}

/// What happens to an existing dataset.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Anew {
    /// Replace a complete dataset, or a partial one with other settings; the files that its manifest names are
    /// removed
    #[arg(long)]
    force: bool,
}

impl Anew {
    pub const fn existing(self) -> Existing {
        Existing::by_force(self.force)
    }
}

impl Input {
    fn files(&self) -> Result<Vec<DataFile>, DatasetError> {
        files_of(&self.paths, self.partial.accepted())
    }
}

/// Returns a bar over the rows of some files, each read this many times; files that cannot be read do not count.
fn bar(prefix: &str, files: &[DataFile], times: u64) -> ProgressBar {
    let rows = |file: &DataFile| file.rows().or_else(|| Some(DatasetReader::open(file).ok()?.num_rows()));
    progress::bar(prefix.to_owned(), "decisions", times * files.iter().filter_map(rows).sum::<u64>())
}

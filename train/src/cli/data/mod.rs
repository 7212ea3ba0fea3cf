//! `gipf data`: what one does with datasets.

mod export;
mod info;
mod merge;
mod split;
mod validate;

use std::path::PathBuf;

use anyhow::Result;
use indicatif::ProgressBar;

use super::{Console, Exit, progress};
use crate::dataset::{DatasetError, DatasetReader, files_of};

/// Describes, checks, joins, parts and exports datasets of games.
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
    match &args.command {
        Command::Info(args) => info::run(args, console),
        Command::Validate(args) => validate::run(args, console),
        Command::Merge(args) => merge::run(args, console),
        Command::Split(args) => split::run(args, console),
        Command::Export(args) => export::run(args, console),
    }
}

/// What is read: the files of datasets.
#[derive(Debug, clap::Args)]
struct Input {
    /// The directory of a dataset, or one of its files; may be given often
    #[arg(value_name = "DIR|FILE", required = true)]
    paths: Vec<PathBuf>,
}

impl Input {
    fn files(&self) -> Result<Vec<PathBuf>, DatasetError> {
        files_of(&self.paths)
    }
}

/// Returns a bar over the rows of some files, each read so often; files that cannot be read count nothing.
fn bar(prefix: &str, files: &[PathBuf], times: u64) -> ProgressBar {
    let readers = files.iter().filter_map(|file| DatasetReader::open(file).ok());
    progress::bar(prefix.to_owned(), "decisions", times * readers.map(|reader| reader.num_rows()).sum::<u64>())
}

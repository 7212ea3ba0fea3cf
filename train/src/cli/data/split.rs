//! `gipf data split`: games to learn from and games to measure with.

use std::path::PathBuf;

use anyhow::Result;

use super::{Anew, Input, bar};
use crate::cli::values::number;
use crate::cli::{Console, Exit};
use crate::dataset::{Destination, split};

/// Splits a dataset by games into two new ones, DIR/train and DIR/validation, the same way each time.
///
/// The games held out are those that `gipf fit --hold-out` holds out of the same files. After a stop or a kill, the same
/// command resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,
    /// The directory in which the two datasets are created
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    anew: Anew,
    /// The share of the games to measure with, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = number(0.0..=1.0))]
    validation: f64,
}

const EXAMPLES: &str = "Example:
  gipf data split --out datasets/parted --validation 0.1 datasets/quick";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let files = args.input.files()?;
    let out = Destination { folder: &args.out, existing: args.anew.existing() };
    let _watch = console.stop.watch();
    let bar = bar("parting", &files, 1);
    let parts = split(&files, out, args.validation, &|rows| bar.inc(rows), &console.stop);
    bar.finish_and_clear();
    for (name, part) in ["train", "validation"].into_iter().zip(parts?) {
        let folder = args.out.join(name);
        console.tell(format_args!("{} games, {} decisions in {}", part.games, part.rows, folder.display()));
    }
    Ok(Exit::Success)
}

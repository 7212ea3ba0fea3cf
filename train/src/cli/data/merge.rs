//! `gipf data merge`: several datasets as one.

use std::path::PathBuf;

use anyhow::Result;

use super::{Anew, Input, bar};
use crate::cli::{Console, Exit};
use crate::dataset::{Destination, Duplicates, merge};

/// Writes the games of several datasets, all of one rule set, to a new dataset, and renumbers them.
///
/// After a stop or a kill, the same command resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,
    /// The directory of the new dataset; created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    anew: Anew,
    /// Leave out games that repeat an earlier one
    #[arg(long)]
    no_duplicates: bool,
}

const EXAMPLES: &str = "Examples:
  gipf data merge --out datasets/all datasets/quick datasets/deep
  gipf data merge --no-duplicates --out datasets/distinct datasets/all";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let files = args.input.files()?;
    let duplicates = if args.no_duplicates { Duplicates::LeaveOut } else { Duplicates::Keep };
    let out = Destination { folder: &args.out, existing: args.anew.existing() };
    let _watch = console.stop.watch();
    let bar = bar("merging", &files, 1);
    let merged = merge(&files, out, duplicates, &|rows| bar.inc(rows), &console.stop);
    bar.finish_and_clear();
    let merged = merged?;
    let (summary, out) = (&merged.summary, args.out.display());
    console.tell(format_args!("{} games, {} decisions in {out}", summary.games, summary.rows));
    if args.no_duplicates {
        console.tell(format_args!("{} duplicate games left out", merged.left_out));
    }
    Ok(Exit::Success)
}

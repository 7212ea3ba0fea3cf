//! `gipf data validate`: every game played again.

use anyhow::Result;
use gipf_play::printable;

use super::{Input, bar};
use crate::cli::counted::counted;
use crate::cli::{Console, Exit};
use crate::dataset;

/// Replays every game by the rules and compares every column that follows from its start and its actions.
///
/// Also compares all files, including the text of the games, with the checksums of the manifest. Reports the first
/// contradiction in each file in one line, and fails if there is one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,
}

const EXAMPLES: &str = "Examples:
  gipf data validate datasets/quick
  gipf data validate datasets/quick/games-00000.parquet";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let files = args.input.files()?;
    let bar = bar("playing again", &files, 1);
    let found = dataset::validate(&files, &|rows| bar.inc(rows));
    bar.finish_and_clear();
    for fault in &found.faults {
        console.note(format_args!("error: {}", printable(&fault.to_string().replace('\n', " "))));
    }
    let counts = [
        (files.len() as u64, "file"),
        (found.games, "game"),
        (found.rows, "decision"),
        (found.duplicates, "duplicate game"),
        (found.faults.len() as u64, "file"),
    ];
    let counts = counts.map(|(count, noun)| counted(count, noun));
    console.tell(format_args!("{} with contradictions", counts.join(", ")));
    Ok(if found.faults.is_empty() { Exit::Success } else { Exit::Failure })
}

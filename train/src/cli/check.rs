//! `gipf check`: compares the rules with recorded games.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::bufread::MultiGzDecoder;
use serde::Serialize;

use super::{Console, Exit, error};
use crate::conformance::{Mismatch, Summary, check};

/// Replays recorded games and compares board, side, reserves, legal actions and result at every decision.
///
/// Prints each mismatch with game and decision, and last `N games, M decisions, K mismatches`. Goes on after a file that
/// cannot be read. Exits with 1 if there is any mismatch, or a file that cannot be read or has no game.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files with one game a line as JSON (.ndjson), plain or compressed by gzip
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print each mismatch, and the summary, as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:
  gipf check tests/data/games.ndjson.gz tests/data/positions.ndjson.gz";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let (mut summary, mut all_are_read) = (Summary::default(), true);
    for file in &args.files {
        let checked = check_file(file, args, &mut summary, console).with_context(|| file.display().to_string());
        if let Err(unread) = checked {
            all_are_read = false;
            error::report(&unread, console);
        }
    }
    if args.json {
        console.tell_json(&summary)?;
    } else {
        console.tell(summary);
    }
    Ok(if all_are_read && summary.mismatches == 0 { Exit::Success } else { Exit::Failure })
}

fn check_file(file: &Path, args: &Args, summary: &mut Summary, console: &mut Console<'_>) -> Result<()> {
    let (shown, before) = (file.display().to_string(), summary.games);
    for game in check(open(file)?) {
        let game = game?;
        summary.add(&game);
        for mismatch in &game.mismatches {
            if args.json {
                console.tell_json(&InFile { file: &shown, mismatch })?;
            } else {
                console.tell(format_args!("{shown}: {mismatch}"));
            }
        }
    }
    // What agrees with no game is no proof.
    ensure!(summary.games > before, "no game is recorded there: expected one a line");
    Ok(())
}

#[derive(Serialize)]
struct InFile<'a> {
    file: &'a str,
    #[serde(flatten)]
    mismatch: &'a Mismatch,
}

/// The first bytes of every file compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

fn open(file: &Path) -> Result<Box<dyn BufRead>> {
    let unreadable = "expected a readable file of recorded games";
    let mut raw = BufReader::new(File::open(file).context(unreadable)?);
    let compressed = raw.fill_buf().context(unreadable)?.starts_with(&GZIP);
    Ok(if compressed { Box::new(BufReader::new(MultiGzDecoder::new(raw))) } else { Box::new(raw) })
}

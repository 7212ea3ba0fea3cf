//! `gipf check`: compares the rules with recorded games.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::bufread::MultiGzDecoder;
use serde::Serialize;

use super::{Console, Exit, error};
use crate::conformance::{Mismatch, Summary, check};

/// Replays recorded games and compares board, side, reserves, legal actions and result at every decision.
///
/// Prints each mismatch with game and decision, and finally `N games, M decisions, K mismatches`. Continues after a file
/// that cannot be read. Exits with 1 if there is any mismatch, or a file that cannot be read or has no game.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files with one game per line as JSON (.ndjson), plain or compressed with gzip; - reads from standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print each mismatch, each file that cannot be read, and the summary, as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf check tests/data/games.ndjson.gz tests/data/positions.ndjson.gz
  gipf check - --json < games.ndjson";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let (mut summary, mut all_are_read) = (Summary::default(), true);
    for file in &args.files {
        if let Err(unread) = check_file(file, args, &mut summary, console) {
            all_are_read = false;
            report(file, unread, args, console)?;
        }
    }
    if args.json {
        console.tell_json(&summary)?;
    } else {
        console.tell(summary);
    }
    Ok(if all_are_read && summary.mismatches == 0 { Exit::Success } else { Exit::Failure })
}

fn report(file: &Path, unread: anyhow::Error, args: &Args, console: &mut Console<'_>) -> Result<()> {
    let file = file.display().to_string();
    if args.json {
        return Ok(console.tell_json(&Unread { file: &file, error: format!("{unread:#}") })?);
    }
    error::report(&unread.context(file), console);
    Ok(())
}

fn check_file(file: &Path, args: &Args, summary: &mut Summary, console: &mut Console<'_>) -> Result<()> {
    let (shown, before) = (file.display().to_string(), summary.games);
    for game in check(open(file, console)?) {
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
    // Agreement with no game at all would prove nothing.
    ensure!(summary.games > before, "no game is recorded there: expected one a line");
    Ok(())
}

#[derive(Serialize)]
struct InFile<'a> {
    file: &'a str,
    #[serde(flatten)]
    mismatch: &'a Mismatch,
}

#[derive(Serialize)]
struct Unread<'a> {
    file: &'a str,
    error: String,
}

/// The first bytes of every file compressed with gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The maximum number of bytes read from standard input.
const LARGEST: u64 = 1 << 30;

/// Opens a file; - is standard input.
fn open(file: &Path, console: &mut Console<'_>) -> Result<Box<dyn BufRead>> {
    let unreadable = "expected a readable file of recorded games";
    let mut raw: Box<dyn BufRead> = if file == Path::new("-") {
        let mut all = Vec::new();
        (&mut *console.input).take(LARGEST + 1).read_to_end(&mut all).context(unreadable)?;
        ensure!(all.len() as u64 <= LARGEST, "expected at most {LARGEST} bytes");
        Box::new(Cursor::new(all))
    } else {
        Box::new(BufReader::new(File::open(file).context(unreadable)?))
    };
    let compressed = raw.fill_buf().context(unreadable)?.starts_with(&GZIP);
    Ok(if compressed { Box::new(BufReader::new(MultiGzDecoder::new(raw))) } else { raw })
}

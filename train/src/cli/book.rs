//! `gipf book`: makes a book of openings.

use std::cell::Cell;
use std::path::PathBuf;

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::arena::{BookConfig, MakeBookError, make_book};
use gipf_play::players::alpha_beta::Score;

use super::output::Force;
use super::values::whole;
use super::{Console, Exit, progress};

/// Makes a book of balanced openings for matches: `gipf eval --book=FILE`, `gipf ladder --book FILE`.
///
/// Plays turns at random, and keeps the positions that the baseline AI finds balanced; no position is the image of another
/// under the symmetries of the board and the exchange of colours. Equal settings give equal books. Prints the book, one
/// position per line with the turns that lead to it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off
    #[arg(long, value_name = "NAME", default_value = "standard")]
    variant: Variant,
    /// The number of positions
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = whole::<u32>(1..=100_000))]
    positions: u32,
    /// The number of random turns before each position
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole::<u16>(1..=60))]
    turns: u16,
    /// The positions that the baseline AI visits to evaluate each one
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = whole::<u64>(1..))]
    nodes: u64,
    /// The largest score of a balanced position, in hundredths of a captured piece
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<i32>(0..))]
    bound: Score,
    /// The seed of the turns
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Write the book to this file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  gipf book --variant tournament --out tournament.txt
  gipf book --positions 20 --turns 8 --bound 100";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let output = args.force.open_of("--out", args.out.as_deref(), console)?;
    let (positions, turns) = (args.positions as usize, usize::from(args.turns));
    let Args { variant, nodes, bound, seed, .. } = *args;
    let config = BookConfig { variant, positions, turns, nodes, bound, seed };
    let bar = progress::bar(format!("book of {variant}"), "positions", u64::from(args.positions));
    let last = Cell::new(0);
    let made = make_book(&config, &|kept| bar.inc((kept - last.replace(kept)) as u64), &console.stop);
    bar.finish_and_clear();
    match (made, output) {
        (Err(MakeBookError::Stopped), _) => {
            console.note("stopped: nothing is written");
            return Ok(Exit::Interrupted);
        }
        (text, Some(output)) => output.fill(text?.as_bytes())?,
        (text, None) => write!(console.out, "{}", text?)?,
    }
    Ok(Exit::Success)
}

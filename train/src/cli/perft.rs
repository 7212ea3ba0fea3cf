//! `gipf perft`: counts sequences of decisions to a depth.

use anyhow::Result;
use gipf_env::{GipfPosition, Variant, perft_distinct, quiet_successors};
use rayon::prelude::*;

use super::values::whole;
use super::{Console, Exit, WrongUse};
use crate::perft::{divide_in_parallel, perft_in_parallel};

/// Counts the sequences of decisions to a depth, to check a rules implementation.
///
/// Prints a line `DEPTH COUNT` for each depth up to the given one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off; standard unless a position says
    /// otherwise
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// The greatest depth, in decisions, or in whole turns with --distinct
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..))]
    depth: u32,
    /// Where to start, as position text, instead of the start of a game of the rule set
    #[arg(long, value_name = "GPN")]
    position: Option<GipfPosition>,
    /// Count the paths through distinct quiet positions instead of the sequences of decisions
    #[arg(long)]
    distinct: bool,
    /// Print a line `ACTION COUNT` for each first action instead of the counts of each depth
    #[arg(long, conflicts_with = "distinct")]
    divide: bool,
}

const EXAMPLES: &str = "Examples:
  gipf perft --variant tournament --depth 4
  gipf perft --depth 3 \\
      --position 'standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0' --divide";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let start = args.start()?;
    if args.divide {
        for (action, count) in divide_in_parallel(&start, args.depth) {
            writeln!(console.out, "{action} {count}")?;
        }
        return Ok(Exit::Success);
    }
    for depth in 1..=args.depth {
        let count = if args.distinct { count_distinct(&start, depth) } else { perft_in_parallel(&start, depth) };
        writeln!(console.out, "{depth} {count}")?;
    }
    Ok(Exit::Success)
}

impl Args {
    fn start(&self) -> Result<GipfPosition, WrongUse> {
        match (&self.position, self.variant) {
            (None, variant) => Ok(GipfPosition::start(variant.unwrap_or(Variant::STANDARD))),
            (Some(position), Some(variant)) if variant != position.variant() => {
                let found = position.variant();
                Err(WrongUse(format!("--position is of {found}: expected one of --variant {variant}")))
            }
            (Some(position), _) => Ok(position.clone()),
        }
    }
}

/// Like [`perft_distinct`], with the first turns shared between all cores.
fn count_distinct(start: &GipfPosition, depth: u32) -> u64 {
    quiet_successors(start).par_iter().map(|next| perft_distinct(next, depth - 1)).sum()
}

//! `gipf solve`: exact answers.

mod position;
mod small;

use std::time::Duration;

use anyhow::Result;
use gipf_env::Setup;
use gipf_play::exact::proof::ProofLimits;

use super::values::{time, whole};
use super::{Console, Exit};

/// Proves who wins a position, or solves a small game outright.
///
/// For a position, in any rule set, two questions are searched alternately: can White force a win, and can Black? A yes
/// proves a win, two noes prove a draw. The answer comes with the line of play: the fastest win against the longest
/// defence, or any win if that is not known. The positions that can be decided are those with few pieces in reserve, or
/// few GIPF-pieces left. The position has no history: repetition counts from it on.
///
/// With --small, a game on 19 spots with rows of three is solved from its empty board: every reachable position, with its
/// value and the number of decisions to the end.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("question").required(true))]
pub(super) struct Args {
    /// The position, as position text
    #[arg(value_name = "GPN", group = "question")]
    position: Option<Setup>,
    /// The time that may be spent, such as 50ms or 1.5s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time, conflicts_with = "small")]
    time: Duration,
    /// The memory for positions, such as 500MB or 1GB. When it is full, the search continues and drops entries
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = size, conflicts_with = "small")]
    memory: usize,
    /// Solve small GIPF instead
    #[arg(long, group = "question")]
    small: bool,
    /// Pieces of each player in small GIPF. With 5 it takes some ten seconds and 0.5 GB, with 6 some minutes and 3.1 GB
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<u8>(3..=6))]
    #[arg(requires = "small", conflicts_with = "position")]
    pieces: u8,
    /// Print the answer as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf solve 'basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0'
  gipf solve 'standard 1S2/1S3/sSSS2/SsGgSsS/s5/5/4 b 5 3 - 0 0' --time 10s \\
      --memory 500MB --json
  gipf solve --small --pieces 4

Exit codes: 0 decided, 1 not decided within the limits, 2 wrong use,
130 interrupted, with what is known.";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    match &args.position {
        Some(setup) => {
            let limits = ProofLimits { time: Some(args.time), memory: args.memory, ..ProofLimits::default() };
            position::run(setup, limits, args.json, console)
        }
        None => small::run(args.pieces, args.json, console),
    }
}

/// The maximum memory that can be asked for: a terabyte.
const MOST: f64 = 1e12;

fn size(text: &str) -> Result<usize, String> {
    let units = [("GB", 1e9), ("MB", 1e6)];
    let number = units.iter().find_map(|(unit, bytes)| Some(bytes * text.strip_suffix(unit)?.parse::<f64>().ok()?));
    let size = number.filter(|size| (1e6..=MOST).contains(size));
    size.map(|size| size as usize).ok_or_else(|| "expected a size such as 500MB or 1GB, from 1MB on".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!((size("1GB"), size("1.5MB")), (Ok(1_000_000_000), Ok(1_500_000)));
        for text in ["", "1", "GB", "0.5MB", "-1GB", "nanGB", "infGB", "2TB", "9999GB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}

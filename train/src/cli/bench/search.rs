//! `gipf bench search`: how fast a player with a network searches.

use anyhow::Result;

use super::Manner;
use super::network::NetworkArgs;
use crate::bench::search::{Effort, Subject, measure};
use crate::cli::values::whole;
use crate::cli::{Console, Exit, WrongUse};

/// Positions that a network searches, and how many simulations fit in a turn.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    network: NetworkArgs,
    /// Positions per round, each from the middle of a different game
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u32>(1..=10_000))]
    positions: u32,
    /// Simulations per position, for the measurement in which every round does the same work; 0 for none
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = whole::<u32>(0..=1_000_000))]
    simulations: u32,
    /// Milliseconds per position, for the measurement that counts simulations; 0 for none
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = whole::<u32>(0..=600_000))]
    milliseconds: u32,
    /// Threads that search one tree; with more than one, the result depends on their timing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1..=256))]
    search_threads: u16,
    /// Simulations under way at once on each thread, evaluated as one batch
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1..=1024))]
    leaves: u16,
    #[command(flatten)]
    manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench search --checkpoint pretrained
  gipf bench search --checkpoint pretrained --simulations 0 --search-threads 2
  gipf bench search --checkpoint pretrained --variant tournament \\
      --positions 40 --milliseconds 0 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if (args.simulations, args.milliseconds) == (0, 0) {
        return Err(WrongUse("--simulations 0 --milliseconds 0: expected one of them above 0".to_owned()).into());
    }
    let (engine, variant) = args.network.engine()?;
    let efforts = [
        (args.simulations, Effort::Simulations(args.simulations)),
        (args.milliseconds, Effort::Milliseconds(args.milliseconds)),
    ];
    let mut report = args.manner.report();
    for (_, effort) in efforts.into_iter().filter(|(amount, _)| *amount > 0) {
        let (network, positions) = (args.network.name(), args.positions as usize);
        let (search_threads, leaves) = (args.search_threads.into(), args.leaves.into());
        let subject = Subject { network, variant, positions, effort, search_threads, leaves };
        let measured = measure(subject, &engine, args.manner.rounds(), &console.stop);
        if console.stop.requested() {
            return Ok(Exit::Interrupted);
        }
        let each = measured.count / u64::from(args.positions);
        let spent = match effort {
            Effort::Simulations(_) => format!("{each} each"),
            Effort::Milliseconds(milliseconds) => format!("{milliseconds} ms, {each} each"),
        };
        report.show(&measured, &format!("{variant} {}, {spent}", measured.subject.network), console)?;
    }
    Ok(Exit::Success)
}

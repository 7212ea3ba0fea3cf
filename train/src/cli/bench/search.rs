//! `gipf bench search`: how fast a player with a network searches.

use anyhow::Result;

use super::network::NetworkArgs;
use super::{Manner, show};
use crate::bench::search::{Effort, Subject, measure};
use crate::cli::{Console, Exit, WrongUse};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    network: NetworkArgs,
    /// Positions of a round, each out of the middle of another game
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
    /// Simulations of each position, where the work is the same in every round; 0 for none
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    simulations: u32,
    /// Milliseconds of each position, where simulations are counted; 0 for none
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=600_000))]
    milliseconds: u32,
    /// Threads that search one tree; on more than one, what is found depends on their timing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    search_threads: u16,
    /// Simulations under way at once on each thread, evaluated as one batch
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    leaves: u16,
    #[command(flatten)]
    pub(super) manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench search --checkpoint pretrained
  gipf bench search --checkpoint pretrained --simulations 0 --search-threads 2
  gipf bench search --checkpoint pretrained --variant tournament --positions 40 --milliseconds 0 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if (args.simulations, args.milliseconds) == (0, 0) {
        return Err(WrongUse("--simulations 0 --milliseconds 0: expected one of them above 0".to_owned()).into());
    }
    let (engine, variant) = args.network.engine()?;
    let efforts = [
        (args.simulations, Effort::Simulations(args.simulations)),
        (args.milliseconds, Effort::Milliseconds(args.milliseconds)),
    ];
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
        show(&measured, &format!("{variant} {}, {spent}", measured.subject.network), args.manner, console)?;
    }
    Ok(Exit::Success)
}

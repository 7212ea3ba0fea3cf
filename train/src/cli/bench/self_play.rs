//! `gipf bench self-play`: how fast self-play is.

use anyhow::Result;

use super::network::NetworkArgs;
use super::{Manner, threads};
use crate::bench::self_play::{Subject, measure};
use crate::cli::cache::CacheArgs;
use crate::cli::values::whole;
use crate::cli::{Console, Exit};

/// Self-play games.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    network: NetworkArgs,
    /// Simulations of a full search, used for a quarter of the turns
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole::<u32>(1..=10_000))]
    simulations: u32,
    /// Simulations of a cheap search
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<u32>(1..=10_000))]
    cheap_simulations: u32,
    /// Games per round
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = whole::<u32>(1..=1_000_000))]
    games: u32,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench self-play
  gipf bench self-play --checkpoint best.safetensors --simulations 64 \\
      --cheap-simulations 16 --json
  gipf bench self-play --checkpoint best.safetensors --cache 2";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let mut report = args.manner.report();
    let (engine, variant) = args.network.engine()?;
    for threads in threads() {
        let subject = Subject {
            network: args.network.name(),
            variant,
            full_simulations: args.simulations,
            cheap_simulations: args.cheap_simulations,
            games: args.games.into(),
            cache: args.cache.config(),
        };
        for measured in measure(&subject, &engine, threads, args.manner.rounds()) {
            let found =
                measured.subject.hit_rate.map_or(String::new(), |rate| format!(", {:.1} % found", 100.0 * rate));
            report.show(&measured, &format!("{variant} {}{found}", subject.network), console)?;
        }
        if console.stop.requested() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(Exit::Success)
}

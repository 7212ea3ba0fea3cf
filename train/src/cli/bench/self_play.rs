//! `gipf bench self-play`: how fast games of self-play are.

use anyhow::Result;

use super::network::NetworkArgs;
use super::{Manner, show, threads};
use crate::bench::self_play::{Subject, measure};
use crate::cli::cache::CacheArgs;
use crate::cli::{Console, Exit};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    network: NetworkArgs,
    /// Simulations of a full search, of a quarter of the turns
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    simulations: u32,
    /// Simulations of a cheap search
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    cheap_simulations: u32,
    /// Games of a round
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    pub(super) manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench self-play
  gipf bench self-play --checkpoint best.safetensors --simulations 64 --cheap-simulations 16 --json
  gipf bench self-play --checkpoint best.safetensors --cache 2";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
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
            show(&measured, &format!("{variant} {}{found}", subject.network), args.manner, console)?;
        }
        if console.stop.requested() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(Exit::Success)
}

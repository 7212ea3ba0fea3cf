//! `gipf bench self-play`: how fast games of self-play are.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use gipf_env::Variant;
use gipf_models::{Checkpoint, Engine, Weights};
use gipf_play::players::Network;

use super::{Manner, network_name, show, threads};
use crate::bench::positions::network;
use crate::bench::self_play::{Subject, measure};
use crate::cli::cache::CacheArgs;
use crate::cli::{Console, Exit};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The network, with the weights that it begins with
    #[arg(long, value_name = "NAME", value_parser = network_name, default_value = "line", conflicts_with = "checkpoint")]
    network: String,
    /// A trained network, a file, a run or pretrained: its games are longer and better
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// The rule set; standard unless the network is for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
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
    let (engine, variant) = args.engine()?;
    for threads in threads() {
        let subject = Subject {
            network: args.name(),
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

impl Args {
    fn engine(&self) -> Result<(Arc<Engine>, Variant)> {
        let Some(path) = &self.checkpoint else {
            let variant = self.variant.unwrap_or(Variant::STANDARD);
            let config = network(&self.network, variant).expect("the name was checked");
            return Ok((Arc::new(Engine::new(&Weights::initial(&config, 1), &config)?), variant));
        };
        let network = Network::named(path).resolved()?;
        let variant = self.variant.or(network.variant()?).unwrap_or(Variant::STANDARD);
        let Checkpoint { weights, config, .. } = network.checkpoint(variant)?;
        let engine = Engine::new(&weights, &config).with_context(|| network.to_string())?;
        Ok((Arc::new(engine), variant))
    }

    fn name(&self) -> String {
        self.checkpoint.as_ref().map_or_else(|| self.network.clone(), |path| path.display().to_string())
    }
}

//! The network that `gipf bench` uses to measure play.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use gipf_env::Variant;
use gipf_models::{Checkpoint, Engine, Weights};
use gipf_play::players::Network;

use super::network_name;
use crate::bench::positions::network;

#[derive(Debug, clap::Args)]
pub(super) struct NetworkArgs {
    /// The network, with its initial weights
    #[arg(long, value_name = "NAME", value_parser = network_name, default_value = "line", conflicts_with = "checkpoint")]
    network: String,
    /// A trained network (a file, a run or pretrained): its games are longer and better
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// The rule set; standard unless the network is for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
}

impl NetworkArgs {
    /// Returns the network and the rule set that it plays.
    pub fn engine(&self) -> Result<(Arc<Engine>, Variant)> {
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

    /// Returns its name.
    pub fn name(&self) -> String {
        self.checkpoint.as_ref().map_or_else(|| self.network.clone(), |path| path.display().to_string())
    }
}

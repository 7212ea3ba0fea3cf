//! `gipf bench learn`: how fast networks learn.

use anyhow::Result;
use gipf_env::Variant;
use gipf_models::DeviceKind;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::{Manner, network_name, threads};
use crate::bench::learn::{Subject, measure};
use crate::bench::positions::{NETWORKS, network};
use crate::cli::values::whole;
use crate::cli::{Console, Exit};

/// Networks that learn.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The networks; may be repeated
    #[arg(long = "network", value_name = "NAME", value_parser = network_name, default_values = NETWORKS)]
    networks: Vec<String>,
    /// The rule set
    #[arg(long, value_name = "NAME", default_value = "standard")]
    variant: Variant,
    /// Samples per step
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = whole::<u32>(1..=4096))]
    batch: u32,
    /// Where to learn: cpu; or on a GPU with cuda or wgpu, in programs built with those features
    #[arg(long, value_name = "NAME", default_value = "cpu", value_parser = device)]
    device: DeviceKind,
    #[command(flatten)]
    manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench learn
  gipf bench learn --network line --batch 1024 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let mut report = args.manner.report();
    for name in &args.networks {
        let config = network(name, args.variant).expect("the name was checked");
        for threads in threads() {
            let subject = Subject {
                network: name.clone(),
                variant: args.variant,
                batch: args.batch as usize,
                device: args.device,
            };
            let measured = measure(subject, &config, threads, args.manner.rounds())?;
            report.show(&measured, &format!("{} {name} batch {}", args.variant, args.batch), console)?;
            if console.stop.requested() {
                return Ok(Exit::Interrupted);
            }
        }
    }
    Ok(Exit::Success)
}

fn device(text: &str) -> Result<DeviceKind, Error> {
    DeviceKind::deserialize(text.into_deserializer())
}

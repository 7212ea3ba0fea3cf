//! `gipf bench infer`: how fast networks are.

use anyhow::Result;
use gipf_env::Variant;

use super::{Rounds, network_name, show};
use crate::bench::infer::{Subject, measure};
use crate::bench::positions::{NETWORKS, network};
use crate::cli::{Console, Exit};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The networks; may be given often
    #[arg(long = "network", value_name = "NAME", value_parser = network_name, default_values = NETWORKS)]
    networks: Vec<String>,
    /// The rule sets; may be given often
    #[arg(long = "variant", value_name = "NAME", default_values = ["standard"])]
    variants: Vec<Variant>,
    /// Positions evaluated together; may be given often
    #[arg(long = "batch", value_name = "N", default_values = ["1", "8", "32", "64"], value_parser = clap::value_parser!(u32).range(1..=4096))]
    batches: Vec<u32>,
    #[command(flatten)]
    rounds: Rounds,
    /// Print a line of JSON for each measurement
    #[arg(long)]
    pub(super) json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf bench infer
  gipf bench infer --network line --variant tournament --batch 32 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    for &variant in &args.variants {
        for name in &args.networks {
            let config = network(name, variant).expect("the name was checked");
            for &batch in &args.batches {
                let subject = Subject { network: name.clone(), variant, batch: batch as usize };
                let measured = measure(subject, &config, args.rounds.rounds as usize);
                show(&measured, &format!("{variant} {name} batch {batch}"), args.json, console)?;
                if console.stop.requested() {
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }
    Ok(Exit::Success)
}

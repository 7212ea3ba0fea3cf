//! `gipf bench infer`: how fast networks are.

use std::fmt::Display;
use std::path::PathBuf;

use anyhow::Result;
use gipf_env::Variant;
use gipf_models::Precision;

use super::{Manner, network_name};
use crate::bench::answers::AnswerFiles;
use crate::bench::infer::{Subject, measure};
use crate::bench::positions::{NETWORKS, network};
use crate::cli::output::Force;
use crate::cli::{Console, Exit, WrongUse};

/// Networks that evaluate positions, without burn, on one thread whatever `--threads` says.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The networks; may be repeated
    #[arg(long = "network", value_name = "NAME", value_parser = network_name, default_values = NETWORKS)]
    networks: Vec<String>,
    /// The rule sets; may be repeated
    #[arg(long = "variant", value_name = "NAME", default_values = ["standard"])]
    variants: Vec<Variant>,
    /// The precision, f32 or int8; may be repeated
    #[arg(long = "precision", value_name = "NAME", default_values = ["f32", "int8"])]
    precisions: Vec<Precision>,
    /// Positions evaluated together, a power of two up to 1024; may be repeated
    #[arg(long = "batch", value_name = "N", default_values = ["1", "8", "32", "64"], value_parser = batch)]
    batches: Vec<u32>,
    /// Write each network, and its outputs for the positions, into this folder, to compare with other engines
    #[arg(long, value_name = "FOLDER")]
    answers: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench infer
  gipf bench infer --network line --variant tournament --batch 32 --json";

fn batch(text: &str) -> Result<u32, String> {
    let batch = text.parse().ok().filter(|batch: &u32| batch.is_power_of_two() && *batch <= 1024);
    batch.ok_or_else(|| "expected a power of two from 1 to 1024".to_owned())
}

/// Refuses a value that is given twice: its files would be written twice.
fn check_once<T: Display + PartialEq>(option: &str, values: &[T]) -> Result<(), WrongUse> {
    let again = values.iter().enumerate().find(|(place, value)| values[..*place].contains(value));
    again.map_or(Ok(()), |(_, value)| {
        Err(WrongUse(format!("{option} {value} is given twice: expected each once with --answers")))
    })
}

impl Args {
    /// Opens the files for all answers before the first measurement, in the order of the measurements; without a folder
    /// there are none.
    fn files(&self) -> Result<Vec<AnswerFiles>> {
        self.force.check("--answers", self.answers.as_deref())?;
        let Some(folder) = &self.answers else { return Ok(Vec::new()) };
        check_once("--network", &self.networks)?;
        check_once("--variant", &self.variants)?;
        let named = self.variants.iter().flat_map(|&variant| self.networks.iter().map(move |name| (variant, name)));
        let open =
            |(variant, name): (Variant, &String)| AnswerFiles::open(folder, self.force.existing(), name, variant);
        Ok(named.map(open).collect::<Result<_, _>>()?)
    }
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let mut report = args.manner.report();
    let mut files = args.files()?.into_iter();
    for &variant in &args.variants {
        for name in &args.networks {
            let config = network(name, variant).expect("the name was checked");
            files.next().map_or(Ok(()), |files| files.fill(&config))?;
            for (&batch, &precision) in
                args.batches.iter().flat_map(|batch| args.precisions.iter().map(move |p| (batch, p)))
            {
                let subject = Subject { network: name.clone(), variant, precision, batch: batch as usize };
                let measured = measure(subject, &config, args.manner.rounds());
                report.show(&measured, &format!("{variant} {name} {precision} batch {batch}"), console)?;
                if console.stop.requested() {
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }
    Ok(Exit::Success)
}

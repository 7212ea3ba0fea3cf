//! `gipf average`: the mean of several networks.

use std::path::PathBuf;

use anyhow::Result;
use gipf_models::{Checkpoint, Precision, Weights};

use super::network::check_answers;
use super::output::{Force, check_apart};
use super::suggested;
use super::{Console, Exit, WrongUse};

/// Averages the weights of networks trained one from another, such as the last checkpoints of a run.
///
/// The mean often plays better than any of them, especially while the learning rate is still high (METHODS.md).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The checkpoints, two or more, of one game and with networks of one kind and size; the mean is labelled with the
    /// steps and the seed of the last one
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The checkpoint to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Example:
  gipf average runs/standard-quick/checkpoints/00003*.safetensors \\
      --out standard.safetensors";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    check_apart(&args.out, args.files.iter().map(PathBuf::as_path))?;
    let output = args.force.open(&args.out, console)?;
    let mut all = Vec::with_capacity(args.files.len());
    for path in &args.files {
        let checkpoint = Checkpoint::load(path)?;
        check_answers(path, &checkpoint, &Precision::ALL)?;
        all.push(checkpoint);
    }
    let first = &all[0];
    for (path, other) in args.files.iter().zip(&all) {
        let fits = other.config == first.config && other.metadata.game == first.metadata.game;
        if !fits {
            let (path, first) = (path.display(), args.files[0].display());
            return Err(
                WrongUse(format!("{path}: expected a network of the same game, kind and size as {first}")).into()
            );
        }
    }
    // Checkpoints of one run build on one another; the mean of unrelated networks may be worse than each of them.
    if all.iter().any(|other| other.metadata.seed != first.metadata.seed) {
        console.warn(
            "the networks are of runs of different seeds: expected those of one run, or of runs that began with it",
        );
    }
    let weights = Weights::mean(all.iter().map(|checkpoint| &checkpoint.weights));
    let last = all.last().expect("there are two or more").clone();
    let mean = Checkpoint { weights, ..last };
    check_answers(&args.out, &mean, &Precision::ALL)?;
    output.fill(&mean.to_bytes(&args.out)?)?;
    console.tell(format_args!("done: {}, the mean of {} networks", args.out.display(), all.len()));
    if let Some(agent) = suggested::agent(&args.out) {
        console.tell(format_args!("measure it: gipf eval {agent}"));
    }
    Ok(Exit::Success)
}

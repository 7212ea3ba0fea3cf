//! `gipf average`: the mean of several networks.

use std::path::PathBuf;

use anyhow::Result;
use gipf_models::{Checkpoint, Precision, Weights};

use super::network::check_answers;
use super::output::Force;
use super::suggested::word;
use super::{Console, Exit, WrongUse};

/// Averages the weights of networks that learned on from one another, such as the last checkpoints of a run.
///
/// The mean often plays better than each of them, above all while the learning rate is not low yet (METHODS.md).
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
  gipf average runs/standard-quick/checkpoints/00003*.safetensors --out standard.safetensors";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
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
    let weights = Weights::mean(all.iter().map(|checkpoint| &checkpoint.weights));
    let last = all.last().expect("there are two or more").clone();
    let mean = Checkpoint { weights, ..last };
    check_answers(&args.out, &mean, &Precision::ALL)?;
    output.fill(&mean.to_bytes(&args.out)?)?;
    let (out, named) = (args.out.display(), word(args.out.display()));
    console.tell(format_args!("done: {out}, the mean of {} networks\nmeasure it: gipf eval {named}", all.len()));
    Ok(Exit::Success)
}

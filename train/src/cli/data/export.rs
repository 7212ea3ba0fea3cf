//! `gipf data export`: a dataset for programs that read arrays.

use std::path::PathBuf;

use anyhow::Result;

use super::{Input, bar};
use crate::cli::output::Force;
use crate::cli::{Console, Exit};
use crate::dataset::{ARRAYS, Exported, export_npz};

/// Writes the decisions of a dataset as dense arrays: observations, policies, legal actions, results, values.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = arrays() + "\n" + EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,
    /// The format: npz, the archive of arrays that numpy.load reads
    #[arg(long, value_name = "FORMAT", default_value = "npz", value_parser = ["npz"])]
    format: String,
    /// The file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Example:
  gipf data export --format npz --out quick.npz datasets/quick

In Python, as the matrix of legal actions and the rows to learn from:
  arrays = numpy.load(\"quick.npz\")
  actions = arrays[\"policy\"].shape[1]
  legal = numpy.unpackbits(arrays[\"legal\"], axis=1)[:, :actions]
  full = arrays[\"full\"] == 1";

/// Returns the list of the arrays.
fn arrays() -> String {
    let line = |[name, element, shape, about]: [&str; 4]| format!("  {name}: {element} {shape}\n      {about}\n");
    format!("Arrays of N decisions:\n{}", ARRAYS.map(line).concat())
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let output = args.force.open(&args.out, console)?;
    let files = args.input.files()?;
    let bar = bar("exporting", &files, 2);
    let exported = export_npz(&files, output, &|rows| bar.inc(rows), &console.stop);
    bar.finish_and_clear();
    let (Exported { rows, planes, actions }, out) = (exported?, args.out.display());
    console.tell(format_args!("{rows} decisions, {planes} planes, {actions} actions in {out}"));
    Ok(Exit::Success)
}

//! `gipf data info`: what a dataset holds.

use anyhow::Result;
use gipf_play::{Stop, printable};

use super::{Input, bar};
use crate::cli::counted::counted;
use crate::cli::{Console, Exit};
use crate::dataset::{Census, Provenance};

/// Prints the number of games, their rule set and origin, how they ended and how large they are.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,
    /// Print a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf data info datasets/quick
  gipf data info datasets/quick --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let files = args.input.files()?;
    let bar = bar("counting", &files, 1);
    let census = Census::of(&files, &|rows| bar.inc(rows), &Stop::default());
    bar.finish_and_clear();
    let census = census?;
    if args.json {
        let mut report = serde_json::to_value(&census)?;
        report["bytes_a_row"] = census.bytes_a_row().into();
        writeln!(console.out, "{report}")?;
        return Ok(Exit::Success);
    }
    tell(&census, console)?;
    Ok(Exit::Success)
}

fn tell(census: &Census, console: &mut Console<'_>) -> Result<()> {
    let Census { files, games, rows, results: [white, black, nobody], .. } = census;
    let [shortest, longest] = census.lengths.unwrap_or_default();
    let mean = *rows as f64 / (*games).max(1) as f64;
    let (all, in_files) = ([counted(*games, "game"), counted(*rows, "decision")].join(", "), counted(*files, "file"));
    writeln!(console.out, "{all} in {in_files}, {:.2} bytes each", census.bytes_a_row())?;
    writeln!(console.out, "length    {mean:.1} decisions, {shortest} to {longest}")?;
    writeln!(console.out, "results   White {white}, Black {black}, nobody {nobody}")?;
    writeln!(console.out, "endings   {}", counts(census.endings.iter()))?;
    writeln!(console.out, "effort    {}", counts(census.efforts.iter()))?;
    for Provenance { variant, checkpoint, settings, seed, program, licence } in &census.provenance {
        // Names chosen by others may contain characters that a terminal obeys.
        let [program, checkpoint, licence, settings] =
            [program, checkpoint.as_deref().unwrap_or("none"), licence, &settings.to_string()].map(printable);
        writeln!(console.out, "games of  {variant}, {program}, checkpoint {checkpoint}, seed {seed}, {licence}")?;
        writeln!(console.out, "settings  {settings}")?;
    }
    let mut columns: Vec<_> = census.columns.iter().collect();
    columns.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
    writeln!(console.out, "bytes a row of each column")?;
    for (name, &bytes) in columns {
        writeln!(console.out, "{:8.3}  {name}", bytes as f64 / (*rows).max(1) as f64)?;
    }
    Ok(())
}

fn counts<'a>(counts: impl Iterator<Item = (&'a &'static str, &'a u64)>) -> String {
    counts.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

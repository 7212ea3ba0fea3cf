//! `gipf bench`: how fast each part is, and how fast the whole learns.

mod env;
mod infer;
#[cfg(feature = "learn")]
mod learn;
mod network;
mod search;
mod self_play;
#[cfg(feature = "learn")]
mod training;

use anyhow::Result;
use serde::Serialize;

use super::values::whole;
use super::{Console, Exit};
use crate::bench::Measurement;
use crate::bench::positions::NETWORKS;

/// Measures how fast each part is.
///
/// For all but `training`, each piece of work is done in rounds with the same random numbers. The rate of the median round
/// is shown, per second of wall-clock time and per second of core time. Other work on the machine lowers it, so compare
/// within one run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Env(env::Args),
    Infer(infer::Args),
    Search(search::Args),
    SelfPlay(self_play::Args),
    #[cfg(feature = "learn")]
    Learn(learn::Args),
    #[cfg(feature = "learn")]
    Training(Box<training::Args>),
}

const EXAMPLES: &str = "Examples:
  gipf bench env
  gipf bench infer --network line --batch 1 --batch 32 --json
  gipf bench self-play --checkpoint best.safetensors
  gipf bench training --out runs/today";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    match &args.command {
        Command::Env(args) => env::run(args, console),
        Command::Infer(args) => infer::run(args, console),
        Command::Search(args) => search::run(args, console),
        Command::SelfPlay(args) => self_play::run(args, console),
        #[cfg(feature = "learn")]
        Command::Learn(args) => learn::run(args, console),
        #[cfg(feature = "learn")]
        Command::Training(args) => training::run(args, console),
    }
}

/// The number of rounds, and the form of the report.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Manner {
    /// Rounds; the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = whole::<u32>(1..=1000))]
    rounds: u32,
    /// Print a line of JSON for each measurement
    #[arg(long)]
    json: bool,
}

impl Manner {
    const fn rounds(self) -> usize {
        self.rounds as usize
    }

    const fn report(self) -> Report {
        Report { json: self.json, is_begun: false }
    }
}

/// One thread shows the speed of the code, all threads how it scales.
fn threads() -> Vec<usize> {
    let all = rayon::current_num_threads();
    if all > 1 { vec![1, all] } else { vec![1] }
}

fn network_name(text: &str) -> Result<String, String> {
    let known = NETWORKS.contains(&text);
    if known { Ok(text.to_owned()) } else { Err(format!("expected one of {}", NETWORKS.join(", "))) }
}

/// The report on measurements: lines of JSON, or a table whose header is printed with the first measurement.
struct Report {
    json: bool,
    is_begun: bool,
}

impl Report {
    fn show<T: Serialize>(&mut self, measured: &Measurement<T>, name: &str, console: &mut Console<'_>) -> Result<()> {
        if self.json {
            writeln!(console.out, "{}", serde_json::to_string(measured)?)?;
        } else {
            if !self.is_begun {
                let [rate, core, best] = ["a second", "a core", "best"];
                let (work, threads, unit) = ("work", "threads", "unit");
                writeln!(console.out, "{work:<34}{threads:>8}{unit:>14}{rate:>12}{core:>12}{best:>12}")?;
            }
            let Measurement { threads, unit, per_second, per_core, best, .. } = measured;
            let [rate, core, best] = [per_second, per_core, best].map(|&rate| rate_text(rate));
            writeln!(console.out, "{name:<34}{threads:>8}{unit:>14}{rate:>12}{core:>12}{best:>12}")?;
        }
        self.is_begun = true;
        console.out.flush()?;
        Ok(())
    }
}

/// Returns a rate with three digits, as it is or in thousands or millions: rates of games and of decisions are far apart.
fn rate_text(rate: f64) -> String {
    let scales = [(1e6, "M"), (1e3, "k")];
    let (scale, prefix) = scales.into_iter().find(|&(scale, _)| rate >= scale).unwrap_or((1.0, " "));
    let scaled = rate / scale;
    let decimals = [100.0, 10.0, 1.0, 0.1].iter().position(|&bound| scaled >= bound).unwrap_or(4);
    format!("{scaled:.decimals$} {prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_any_size_are_shown_with_three_digits() {
        let rates = [28.14e6, 1.1e6, 471_234.0, 67_800.0, 1_000.0, 987.6, 12.34, 1.5, 0.512, 0.0123];
        let texts =
            ["28.1 M", "1.10 M", "471 k", "67.8 k", "1.00 k", "988  ", "12.3  ", "1.50  ", "0.512  ", "0.0123  "];
        assert_eq!(rates.map(rate_text), texts);
    }
}

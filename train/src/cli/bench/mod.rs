//! `gipf bench`: how fast the parts are, and how fast the whole learns.

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

use super::{Console, Exit};
use crate::bench::Measurement;
use crate::bench::positions::NETWORKS;

/// Measures how fast the parts are.
///
/// All but `training`: each piece of work is done in rounds with the same random numbers; the rate of the median round is
/// shown, by the clock on the wall and for a second of one core's time. Other work on the machine makes it slower, so
/// compare within one run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// The rules, `Env`, `VecEnv`, perft, and the search without a network
    Env(env::Args),
    /// Networks that evaluate positions, without burn
    Infer(infer::Args),
    /// Positions that a network searches, and how many simulations fit in a turn
    Search(search::Args),
    /// Games of self-play
    SelfPlay(self_play::Args),
    /// Networks that learn
    #[cfg(feature = "learn")]
    Learn(learn::Args),
    /// Trainings from nothing, rated by what they cost; hours
    #[cfg(feature = "learn")]
    Training(Box<training::Args>),
}

const EXAMPLES: &str = "Examples:
  gipf bench env
  gipf bench infer --network line --batch 1 --batch 32 --json
  gipf bench self-play --checkpoint best.safetensors
  gipf bench training --out runs/today";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if args.command.manner().is_some_and(|manner| !manner.json) {
        let rates = ["M/s", "a core", "best"];
        writeln!(
            console.out,
            "{:<34}{:>8}{:>14}{:>12}{:>12}{:>12}",
            "work", "threads", "unit", rates[0], rates[1], rates[2]
        )?;
    }
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

impl Command {
    /// Returns how speed is measured; none of a command that does not.
    const fn manner(&self) -> Option<Manner> {
        Some(match self {
            Self::Env(args) => args.manner,
            Self::Infer(args) => args.manner,
            Self::Search(args) => args.manner,
            Self::SelfPlay(args) => args.manner,
            #[cfg(feature = "learn")]
            Self::Learn(args) => args.manner,
            #[cfg(feature = "learn")]
            Self::Training(_) => return None,
        })
    }
}

/// The number of rounds, and the form of the report.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Manner {
    /// Rounds, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print a line of JSON for each measurement
    #[arg(long)]
    json: bool,
}

impl Manner {
    const fn rounds(self) -> usize {
        self.rounds as usize
    }
}

/// One thread shows the speed of the code, all of them how it scales.
fn threads() -> Vec<usize> {
    let all = rayon::current_num_threads();
    if all > 1 { vec![1, all] } else { vec![1] }
}

fn network_name(text: &str) -> Result<String, String> {
    let known = NETWORKS.contains(&text);
    if known { Ok(text.to_owned()) } else { Err(format!("expected one of {}", NETWORKS.join(", "))) }
}

fn show<T: Serialize>(measured: &Measurement<T>, name: &str, manner: Manner, console: &mut Console<'_>) -> Result<()> {
    if manner.json {
        writeln!(console.out, "{}", serde_json::to_string(measured)?)?;
    } else {
        let Measurement { threads, unit, per_second, per_core, best, .. } = measured;
        let [rate, core, best] = [per_second, per_core, best].map(|rate| rate / 1e6);
        writeln!(console.out, "{name:<34}{threads:>8}{unit:>14}{rate:>12.4}{core:>12.4}{best:>12.4}")?;
    }
    console.out.flush()?;
    Ok(())
}

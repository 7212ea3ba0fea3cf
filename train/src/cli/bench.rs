//! `gipf bench`: how fast the parts are.

use anyhow::Result;
use gipf_env::Variant;

use super::{Console, Exit};
use crate::bench::{Amount, Measurement, Work, measure};

/// Measures how fast the environment is.
///
/// Each piece of work is done in rounds with the same random numbers; the rate of the median round is shown. Other work on
/// the machine makes it slower, so compare within one run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// The rules, `Env`, `VecEnv`, perft, and the search without a network
    #[command(after_help = EXAMPLES)]
    Env(EnvArgs),
}

#[derive(Debug, clap::Args)]
struct EnvArgs {
    /// The rule sets; may be given often
    #[arg(long = "variant", value_name = "NAME", default_values = ["standard", "tournament", "standard+zertz"])]
    variants: Vec<Variant>,
    /// The work: decisions, planes, env, vec-env, perft, perft-played or search; all of it unless given
    #[arg(long, value_name = "NAME", value_parser = work)]
    work: Vec<Work>,
    /// Decisions or steps of a round
    #[arg(long, value_name = "N", default_value_t = Amount::default().decisions, value_parser = clap::value_parser!(u64).range(1..))]
    decisions: u64,
    /// The depth of perft
    #[arg(long, value_name = "N", default_value_t = Amount::default().depth, value_parser = clap::value_parser!(u32).range(1..=9))]
    depth: u32,
    /// The environments of vec-env
    #[arg(long, value_name = "N", default_value_t = Amount::default().environments as u32, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    environments: u32,
    /// Rounds, of which the median counts
    #[arg(long, value_name = "N", default_value_t = Amount::default().rounds as u32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print a line of JSON for each measurement
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf bench env
  gipf bench env --variant standard --work decisions --work perft --json";

fn work(text: &str) -> Result<Work, String> {
    let named = Work::ALL.into_iter().find(|work| work.name() == text);
    named.ok_or_else(|| "expected decisions, planes, env, vec-env, perft, perft-played or search".to_owned())
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let Command::Env(args) = &args.command;
    let amount = Amount {
        decisions: args.decisions,
        depth: args.depth,
        environments: args.environments as usize,
        rounds: args.rounds as usize,
    };
    let all = if args.work.is_empty() { Work::ALL.to_vec() } else { args.work.clone() };
    if !args.json {
        writeln!(
            console.out,
            "{:<18}{:<14}{:>8}{:>12}{:>12}{:>12}",
            "rule set", "work", "threads", "M/s", "a thread", "best"
        )?;
    }
    for &variant in &args.variants {
        for &work in &all {
            for threads in threads(work) {
                show(&measure(work, variant, threads, &amount), args, console)?;
                if console.stop.requested() {
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }
    Ok(Exit::Success)
}

/// One thread shows what the code is worth, all of them how it scales.
fn threads(work: Work) -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    if work.scales() && all > 1 { vec![1, all] } else { vec![1] }
}

fn show(measured: &Measurement, args: &EnvArgs, console: &mut Console<'_>) -> Result<()> {
    if args.json {
        writeln!(console.out, "{}", serde_json::to_string(measured)?)?;
    } else {
        let Measurement { work, variant, threads, per_second, per_thread, best, .. } = measured;
        let [all, one, best] = [per_second, per_thread, best].map(|rate| rate / 1e6);
        writeln!(console.out, "{variant:<18}{:<14}{threads:>8}{all:>12.2}{one:>12.2}{best:>12.2}", work.name())?;
    }
    console.out.flush()?;
    Ok(())
}

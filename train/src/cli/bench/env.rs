//! `gipf bench env`: how fast the environment is.

use anyhow::Result;
use gipf_env::Variant;

use super::{Manner, threads};
use crate::bench::env::{Amount, Work, measure};
use crate::cli::values::whole;
use crate::cli::{Console, Exit};

/// The rules, `Env`, `VecEnv`, perft, and the search without a network.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The rule sets; may be repeated
    #[arg(long = "variant", value_name = "NAME", default_values = ["standard", "tournament", "standard+zertz"])]
    variants: Vec<Variant>,
    /// The work: decisions, planes, env, vec-env, vec-env-u8, vec-env-bits, perft, perft-played or search; by default all of
    /// it
    #[arg(long, value_name = "NAME", value_parser = work)]
    work: Vec<Work>,
    /// Decisions or steps per round
    #[arg(long, value_name = "N", default_value_t = Amount::default().decisions, value_parser = whole::<u64>(1..))]
    decisions: u64,
    /// The depth of perft
    #[arg(long, value_name = "N", default_value_t = Amount::default().depth, value_parser = whole::<u32>(1..=9))]
    depth: u32,
    /// The number of environments in vec-env
    #[arg(long, value_name = "N", default_value_t = Amount::default().environments as u32)]
    #[arg(value_parser = whole::<u32>(1..=1_000_000))]
    environments: u32,
    #[command(flatten)]
    manner: Manner,
}

const EXAMPLES: &str = "Examples:
  gipf bench env
  gipf bench env --variant standard --work decisions --work perft --json";

fn work(text: &str) -> Result<Work, String> {
    let named = Work::ALL.into_iter().find(|work| work.name() == text);
    named.ok_or_else(|| {
        "expected decisions, planes, env, vec-env, vec-env-u8, vec-env-bits, perft, perft-played or search".to_owned()
    })
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let mut report = args.manner.report();
    let amount = Amount {
        decisions: args.decisions,
        depth: args.depth,
        environments: args.environments as usize,
        rounds: args.manner.rounds(),
    };
    let all = if args.work.is_empty() { Work::ALL.to_vec() } else { args.work.clone() };
    for &variant in &args.variants {
        for &work in &all {
            let most = if work.scales() { usize::MAX } else { 1 };
            for threads in threads().into_iter().filter(|&threads| threads <= most) {
                let measured = measure(work, variant, threads, &amount);
                report.show(&measured, &format!("{variant} {}", work.name()), console)?;
                if console.stop.requested() {
                    return Ok(Exit::Interrupted);
                }
            }
        }
    }
    Ok(Exit::Success)
}

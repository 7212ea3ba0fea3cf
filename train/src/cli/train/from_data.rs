//! The warm start of a run: its network is fitted to datasets before the first game.

use std::time::Duration;

use anyhow::Result;

use super::beginning::Beginning;
use super::{Args, plan, train};
use crate::cli::fit::{fit_and_tell, read, tell_last};
use crate::cli::{Console, Exit};
use crate::dataset::Source;
use crate::training::fit::{FitConfig, FitLength};
use crate::training::{Config, NewRun, RunDirectory};

/// The share of the games that is held out.
const HELD_OUT: f64 = 0.1;
/// The time of learning between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// Fits a network, then trains it in a new run.
pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let source = Source::open(&args.from_data, args.partial.accepted(), args.variant)?;
    let Some(plan) = plan(args, Some(source.variant()), console)? else { return Ok(Exit::Success) };
    RunDirectory::check_free(&plan.path)?;
    let Some(split) = read(&source, HELD_OUT, args.json, console)? else { return Ok(Exit::Interrupted) };
    // If stopped, it keeps what was learned.
    let fitted = fit_and_tell(&split, &settings(&plan.config, split.learned.len()), args.json, console)?;
    let network = fitted.checkpoint(&source.variant().to_string());
    let new = NewRun::new(&plan.path, &plan.config).begun_by(&args.origin());
    let trainer = Beginning::Network(Box::new(network)).begin(&new)?;
    tell_last(&fitted, None, args.json, console)?;
    train(trainer, &plan.eval, args.json, console)
}

/// Returns the settings of a run as those of a fit.
fn settings(config: &Config, samples: usize) -> FitConfig {
    FitConfig {
        net: config.network.0.clone(),
        learning: config.learning.clone(),
        length: FitLength::Steps(steps(config, samples)),
        report_every: REPORT_EVERY,
        seed: config.run.seed,
    }
}

/// Returns the steps in which each sample is learned `replay.reuse` times on average.
fn steps(config: &Config, samples: usize) -> u64 {
    let steps = config.replay.reuse * samples as f64 / config.learning.batch_size as f64;
    (steps.round() as u64).max(1)
}

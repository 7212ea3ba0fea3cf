//! The warm start of a run: its network is fitted to datasets before the first game.

use anyhow::Result;

use super::{Args, begun, plan, train};
use crate::cli::fit::{fit_and_tell, read, tell_last};
use crate::cli::{Console, Exit};
use crate::dataset::Source;
use crate::training::fit::FitConfig;
use crate::training::{Beginning, RunDirectory};

/// Fits a network, then trains it in a new run.
pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let source = Source::open(&args.from_data, args.partial.accepted(), args.variant)?;
    let Some(plan) = plan(args, Some(source.variant()), console)? else { return Ok(Exit::Success) };
    let _watch = console.stop.watch();
    args.run.as_deref().map_or(Ok(()), RunDirectory::check_free)?;
    // As the fit has it: a phase may begin with the first game.
    let value_lambda = plan.config.at(0).learning.value_lambda;
    let split = read(&source, FitConfig::HELD_OUT, value_lambda, args.json, console)?;
    let Some(split) = split else { return Ok(Exit::Interrupted) };
    let fitted = fit_and_tell(&split, &FitConfig::of_run(&plan.config, split.learned.len()), args.json, console)?;
    if fitted.stopped {
        // A run that begins with half a fit would not be the one that the command asks for.
        console.note("stopped while the first network learned: no run was begun");
        return Ok(Exit::Interrupted);
    }
    let network = fitted.checkpoint(&source.variant().to_string());
    let beginning = Beginning::Network("the fitted network".into(), Box::new(network));
    let trainer = begun(args, &beginning, &plan.config)?.against(plan.opponents);
    tell_last(&fitted, None, args.json, console);
    train(trainer, &plan.eval, args.json, console)
}

//! `gipf train`: trains a network by self-play, the program's main job.

mod beginning;
#[cfg(feature = "dataset")]
mod from_data;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gipf_env::{GipfPosition, Variant};
use gipf_models::create_new_folder;
use gipf_play::arena::SprtDecision;
use gipf_play::run::{CONFIG, MOST_ITERATIONS, network_to_play};
use indicatif::ProgressBar;

#[cfg(feature = "dataset")]
use super::data::Partial;
use super::settings::{SettingArgs, unfit};
use super::suggested;
use super::values::whole;
use super::{Console, Exit, WrongUse, progress};
use crate::training::metrics::IterationMetrics;
use crate::training::trainer::{Advance, Ended, Reporter, Stage, Trainer};
use crate::training::{
    Baselines, Beginning, Config, ConfigFault, NewRun, Opponents, Remark, RunDirectory, RunView, learning_curve,
    named_start,
};

/// Trains a network by self-play and measures every checkpoint against the baseline AI.
///
/// Everything about a run is in its directory. After Ctrl-C or a kill, it resumes with `--run DIR` as if nothing had
/// happened.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    settings: SettingArgs,
    /// The rule set: basic, standard or tournament, each also with +zertz; or push-off, with --allow-push-off
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Allow a run of push-off. It cannot be learned: its games reach the limit undecided, even those of alpha-beta:6
    /// against random, so results teach nothing
    #[arg(long)]
    allow_push_off: bool,
    /// The directory of the run: a new one, or one to resume
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Begin a new run from the state of another one, given its directory, with its settings except those changed here. Or
    /// begin with the network of a checkpoint, given its file, or with the one that comes with the program, `pretrained`:
    /// then its sizes and its rule set apply, and its values are trusted from the start, unless a --config says otherwise.
    /// Line networks may grow: by wider layers, global pooling, push paths, and mixing steps before their own
    #[arg(long, value_name = "DIR|FILE|pretrained")]
    from: Option<PathBuf>,
    /// Begin a new run with a network fitted to the datasets in a directory, whose rule set it takes; may be repeated.
    /// Each decision is learned as often as `replay.reuse` says, and a tenth of the games is held out to show how well.
    /// If it is stopped before the fit is done, no run is begun
    #[cfg(feature = "dataset")]
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    from_data: Vec<PathBuf>,
    #[cfg(feature = "dataset")]
    #[command(flatten)]
    partial: Partial,
    /// The total number of iterations, to make a finished run longer
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=MOST_ITERATIONS))]
    iterations: Option<u32>,
    /// Print the settings, each with its meaning and default, and exit
    #[arg(long)]
    print_config: bool,
    /// Print one JSON object per iteration instead of a line of text; with --from-data, first one for each report of the fit
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf train
  gipf train --preset hour --run runs/hour
  gipf train --variant tournament --preset overnight --run runs/tournament
  gipf train --run runs/tournament   # resumes after a stop
  gipf train --from runs/tournament --iterations 1000 --run runs/slower \\
      --set learning.learning_rate=0.0005
  gipf train --from runs/standard-quick --iterations 80 --run runs/larger \\
      --set network.features=32
  gipf train --from pretrained --variant tournament --preset hour
  gipf train --from-data datasets/baseline --run runs/warm
  gipf train --set self_play.full_simulations=128 --set run.seed=7";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if let Some(path) = args.run.as_deref().filter(|path| RunDirectory::is_run(path)) {
        return go_on(args, path, console);
    }
    #[cfg(feature = "dataset")]
    if !args.from_data.is_empty() {
        return from_data::run(args, console);
    }
    #[cfg(feature = "dataset")]
    args.partial.check("--from-data", &args.from_data)?;
    let Some(plan) = plan(args, args.variant, console)? else { return Ok(Exit::Success) };
    // Before this line a signal ends the program at once: nothing has begun, and an input file may never end.
    let _watch = console.stop.watch();
    let trainer = begun(args, &plan.beginning, &plan.config)?.against(plan.opponents);
    train(trainer, &plan.eval, args.json, console)
}

/// Begins the run in its directory, or in a new one chosen by the program.
fn begun(args: &Args, beginning: &Beginning, config: &Config) -> Result<Trainer<GipfPosition>> {
    let path = args.run.clone().map_or_else(|| new_directory(config, args), Ok)?;
    let trainer = beginning.begin(&NewRun::new(&path, config).begun_by(&args.order().origin()));
    if trainer.is_err() && args.run.is_none() {
        // What it was to begin from may fill a disk.
        let _ = RunDirectory::discard(&path);
    }
    Ok(trainer?)
}

/// The definition of a new run.
struct Plan {
    beginning: Beginning,
    config: Config,
    eval: Baselines,
    opponents: Opponents<GipfPosition>,
}

/// Checks the settings before anything is written; `None` if the settings were only to be printed.
fn plan(args: &Args, variant: Option<Variant>, console: &mut Console<'_>) -> Result<Option<Plan>> {
    let (beginning, config) = args.beginning(variant, console)?;
    if args.print_config {
        write!(console.out, "{}", config.to_commented_text())?;
        return Ok(None);
    }
    args.check_game(config.game.variant)?;
    let order = args.order();
    let (eval, opponents) = players(&config, &order.settings, order.settings_file().as_deref())?;
    Ok(Some(Plan { beginning, config, eval, opponents }))
}

/// Resumes a run. It keeps its settings; only its length may change. The command that began it may be repeated, also with
/// another length, which can only make it longer: the unchanged command must not shorten a run that was made longer since.
fn go_on(args: &Args, path: &Path, console: &mut Console<'_>) -> Result<Exit> {
    let order = args.order();
    let is_beginning = RunDirectory::was_begun_by(path, &order.origin())?;
    if order.changes_settings() && !is_beginning {
        let told = "is a run with settings of its own: expected the command that began it, perhaps with another \
                    --iterations N, that option alone, or a new directory";
        return Err(WrongUse(format!("--run {} {told}", path.display())).into());
    }
    if args.print_config {
        // Without its lock: the run may be in progress.
        let mut config = RunView::of(path)?.config;
        let length = args.iterations.filter(|&length| !is_beginning || length > config.run.iterations);
        config.run.iterations = length.unwrap_or(config.run.iterations);
        write!(console.out, "{}", config.to_commented_text())?;
        return Ok(Exit::Success);
    }
    let _watch = console.stop.watch();
    let mut trainer = Trainer::resume(path, named_start)?;
    if let Some(iterations) = args.iterations
        && !trainer.set_iterations(iterations, is_beginning)?
    {
        let length = trainer.config().run.iterations;
        console.note(format_args!("{}: goes on to {length} iterations, as was asked for before", path.display()));
    }
    let (eval, opponents) = players(trainer.config(), &[], Some(&path.join(CONFIG)))?;
    train(trainer.against(opponents), &eval, args.json, console)
}

/// Creates the first of `runs/standard-quick`, `runs/standard-quick-2`, … that does not exist. Creating it reserves it
/// against other programs.
fn new_directory(config: &Config, args: &Args) -> Result<PathBuf> {
    let order = args.order();
    let kind = if order.config.is_some() { "custom" } else { order.preset_name() };
    let name = format!("runs/{}-{kind}", config.game.variant);
    create_new_folder(Path::new(&name)).with_context(|| format!("cannot make {name}"))
}

fn train(mut trainer: Trainer<GipfPosition>, eval: &Baselines, json: bool, console: &mut Console<'_>) -> Result<Exit> {
    let (path, config) = (trainer.run().path().to_owned(), trainer.config().clone());
    let done = trainer.iterations();
    tell(&path, trainer.run().remarks(), console);
    if !json {
        let (variant, iterations) = (config.game.variant, config.run.iterations);
        let all = iterations.max(done);
        console.tell(format_args!("{}: {variant}, iteration {done} of {all}", path.display()));
    }
    let stop = console.stop.clone();
    let mut reporter = Lines { console, json, iterations: config.run.iterations, bar: ProgressBar::hidden() };
    let ended = trainer.train(eval, &mut reporter, &stop);
    reporter.bar.finish_and_clear();
    let ended = ended?;
    draw_curve(&trainer, &config)?;
    if ended == Ended::Stopped {
        let kept = trainer.iterations();
        console.note(format_args!(
            "stopped after iteration {kept}; go on with: gipf train --run {}",
            suggested::path(&path)
        ));
        return Ok(Exit::Interrupted);
    }
    if !json {
        let checkpoint = network_to_play(&path)?.unwrap_or_else(|| trainer.run().checkpoint(trainer.iterations()));
        console.tell(format_args!("done: {}", path.display()));
        if let Some(agent) = suggested::agent(&checkpoint) {
            console.tell(format_args!("play it: gipf play {agent}"));
        }
        if let Some(agent) = trainer.student().and_then(|_| suggested::agent(&trainer.run().student())) {
            console.tell(format_args!("or its student, which takes less time for a position: gipf play {agent}"));
        }
    }
    Ok(Exit::Success)
}

fn tell(run: &Path, remarks: &[Remark], console: &mut Console<'_>) {
    for remark in remarks {
        console.note(format_args!("{}: {remark}", run.display()));
    }
}

/// Returns all opponents of a run; errors name one of these changes of settings, or the file of the others.
fn players(config: &Config, changes: &[String], file: Option<&Path>) -> Result<(Baselines, Opponents<GipfPosition>)> {
    let told = |fault: ConfigFault| unfit(&fault, changes, file);
    Ok((Baselines::new(config).map_err(told)?, Opponents::of(config).map_err(told)?))
}

fn draw_curve(trainer: &Trainer<GipfPosition>, config: &Config) -> Result<()> {
    let metrics = trainer.run().metrics()?;
    let title = format!("{}: score at {} simulations", config.game.variant, config.evaluation.simulations);
    trainer.run().write_text("curve.svg", &learning_curve(&title, &metrics))?;
    Ok(())
}

/// Reports each iteration in one line, with a progress bar in between.
struct Lines<'a, 'b> {
    console: &'a mut Console<'b>,
    json: bool,
    iterations: u32,
    bar: ProgressBar,
}

impl Reporter for Lines<'_, '_> {
    fn begin(&mut self, iteration: u32, stage: Stage, units: u64) -> Advance {
        let (name, unit) = match stage {
            Stage::SelfPlay => ("self-play ", "games"),
            Stage::Learning => ("learning  ", "steps"),
            Stage::Evaluation => ("evaluation", "games"),
        };
        self.bar.finish_and_clear();
        self.bar = progress::bar(format!("{iteration:>3}/{} {name}", self.iterations), unit, units);
        let bar = self.bar.clone();
        Box::new(move |units| bar.inc(units))
    }

    fn complete(&mut self, metrics: &IterationMetrics) {
        self.bar.finish_and_clear();
        if self.json {
            self.console.tell_json(metrics).expect("metrics are plain values");
        } else {
            self.console.tell(text_lines(metrics, self.iterations));
        }
    }
}

/// Returns a line for the iteration, and one for each fault that was found in it.
fn text_lines(metrics: &IterationMetrics, iterations: u32) -> String {
    let findings = metrics.findings.iter().map(|finding| format!("\n    watch: {finding}"));
    text_line(metrics, iterations) + &findings.collect::<String>()
}

/// An iteration takes whole steps, and its samples may not even pay for one (`replay.reuse`).
const NOTHING_LEARNED: &str = "nothing learned: the new samples pay for no step";

fn text_line(metrics: &IterationMetrics, iterations: u32) -> String {
    let games = &metrics.self_play;
    let learned = metrics.learning.map_or(NOTHING_LEARNED.to_owned(), |learning| {
        let student = learning.student.map_or_else(String::new, |student| {
            format!("; student {:.3}, {:.3}", student.policy_loss, student.value_loss)
        });
        format!(
            "policy {:.3} (target {:.3}), value {:.3}{student}",
            learning.policy_loss, learning.target_entropy, learning.value_loss
        )
    });
    let ratings: Vec<_> =
        metrics.ratings.iter().map(|rating| format!("{} {:.1} %", rating.opponent, 100.0 * rating.score)).collect();
    let seconds = metrics.seconds.self_play + metrics.seconds.learning + metrics.seconds.evaluation;
    let gating = metrics.gating.map_or_else(String::new, |gating| {
        let is_best = if gating.verdict == SprtDecision::Accepted { "now the best" } else { "not the best" };
        format!("  |  {:.1} % against iteration {}: {is_best}", 100.0 * gating.score, gating.best)
    });
    format!(
        "{:>3}/{iterations}  {} games of {:.0}, {} samples, correlation {:.2}  |  {learned}  |  {}{gating}  |  {seconds:.0} s",
        metrics.iteration,
        games.games,
        games.length,
        games.samples,
        games.value_correlation,
        ratings.join(", "),
    )
}

//! `gipf bench training`: how fast networks learn from nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gipf_env::Variant;
use gipf_models::read_text;
use gipf_play::arena::ladder::{KindRatings, Rating};
use gipf_play::run::MOST_ITERATIONS;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::bench::training::{
    BenchError, Comparison, Estimate, Mark, Observer, Prices, RatedCheckpoint, Size, TrainingBench, TrainingResult,
};
use crate::cli::counted::counted;
use crate::cli::output::{Force, check_apart};
use crate::cli::settings::{SettingArgs, beginning};
use crate::cli::values::{number, whole};
use crate::cli::{Console, Exit, WrongUse, agent, progress};
use crate::output::check_outside_runs;
use crate::training::{MOST_SEED, Remark, RunOrder};

/// Training from nothing, rated at equal cost; takes hours.
///
/// Trains with several seeds. The checkpoints at 60, 120, 240 and so on core-seconds, and the last one, play a fixed pool
/// of judges: alpha-beta and networks that stay as they are. The cost is the counted work times its price, so other work
/// on the machine does not change it; CPU and wall time are shown beside it. Work that only one core can do is charged
/// for all cores, as many as `--threads` says when the measurement begins. Games against the judges cost nothing.
///
/// Everything is kept in a directory. After Ctrl-C or a kill, the same command resumes, even with more seeds or
/// core-seconds; it is refused with fewer than its result has.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The directory of the measurement: a new one, or one to resume
    #[arg(long, value_name = "DIR", required_unless_present = "result")]
    out: Option<PathBuf>,
    /// The number of seeds, trained one after the other, counting up from the setting `run.seed`
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u64>(1..=1000))]
    seeds: u64,
    /// The cost of each training; it ends earlier if all its iterations are done
    #[arg(long, value_name = "SECONDS", default_value_t = 480.0, value_parser = number(0.01..=1e7))]
    core_seconds: f64,
    #[command(flatten)]
    settings: SettingArgs,
    /// The rule set: standard, for which there are judges
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Iterations of a training: the learning rate and other schedules follow the share of them that is done
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=MOST_ITERATIONS))]
    iterations: Option<u32>,
    /// Games per checkpoint against the judges
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole::<u64>(2..=100_000))]
    games: u64,
    /// Simulations per decision
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole::<u32>(1..=1_000_000))]
    simulations: u32,
    /// Milliseconds per decision, at which the last checkpoint of each seed is rated too; 0 for none
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = whole::<u32>(0..=60_000))]
    milliseconds: u32,
    /// Take the prices from another result instead of measuring them; only for the same network
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Show an existing result instead of training
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "out", "prices", "preset", "config", "settings", "variant", "iterations", "seeds", "core_seconds", "games", "simulations",
        "milliseconds",
    ])]
    result: Option<PathBuf>,
    /// Compare with another result: the difference in Elo at equal cost, and the cost of reaching 1500 and 1830
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Write a picture of the result, and of the one it is compared with, as SVG; the directory always has its own
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Draw another result too; may be repeated
    #[arg(long, value_name = "FILE", requires = "picture")]
    beside: Vec<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf bench training --out runs/today
  gipf bench training --out runs/other --set learning.learning_rate=0.006 \\
      --against runs/today/result.json
  gipf bench training --result runs/today/result.json --json
  gipf bench training --out runs/hour --preset hour --core-seconds 7200 \\
      --seeds 3";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if let Some(picture) = &args.picture {
        let read = args.result.iter().chain(&args.against).chain(&args.beside).chain(&args.prices);
        check_apart(picture, read.map(PathBuf::as_path))?;
    }
    let picture = args.force.open_of("--picture", args.picture.as_deref(), console)?;
    // Files that cannot be read are reported before hours of work.
    let others = args.against.iter().chain(&args.beside);
    let others = others.map(|path| Ok((name_of(path), read(path)?))).collect::<Result<Vec<_>>>()?;
    let result = match &args.result {
        Some(path) => read(path)?,
        None => match measure(args, console)? {
            Some(result) => result,
            None => return Ok(Exit::Interrupted),
        },
    };
    let comparison = args.against.as_ref().map(|_| Comparison::new(&result, &others[0].1));
    if let Some(output) = picture {
        let title = format!("Elo at {} simulations by what training cost", result.simulations);
        let svg = crate::bench::training::picture(&title, &result, &others);
        output.fill(svg.as_bytes())?;
    }
    if args.json {
        let answer = Answer { result: &result, comparison: comparison.as_ref() };
        console.tell_json(&answer)?;
    } else {
        tell(&result, console)?;
        comparison.map_or(Ok(()), |comparison| tell_comparison(&comparison, console))?;
    }
    Ok(Exit::Success)
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    result: &'a TrainingResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

/// The maximum size of a result, in bytes.
const LARGEST: u64 = 1 << 24;

fn read(path: &Path) -> Result<TrainingResult> {
    let text = read_text(path, LARGEST).with_context(|| format!("cannot read {}", path.display()))?;
    TrainingResult::parse(&text).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))
}

/// Returns the name of a result: its file, or the directory that it belongs to.
fn name_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    let name = path.file_stem().filter(|stem| *stem != "result").or(folder).unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Trains and rates; `None` if a stop was requested.
fn measure(args: &Args, console: &mut Console<'_>) -> Result<Option<TrainingResult>> {
    let out = args.out.as_deref().expect("clap asks for it");
    agent::pairs(args.games)?;
    check_outside_runs(out)?;
    let order = RunOrder { variant: args.variant, iterations: args.iterations, ..args.settings.order() };
    let (_, config) = beginning(&order, args.variant, console)?;
    let seeds = config.run.seed..config.run.seed.saturating_add(args.seeds);
    if seeds.end > MOST_SEED {
        let told = format!("run.seed {} and {} seeds: expected seeds up to {MOST_SEED}", seeds.start, args.seeds);
        return Err(WrongUse(told).into());
    }
    let size = Size {
        seeds: seeds.collect(),
        core_seconds: args.core_seconds,
        games: args.games,
        simulations: args.simulations,
        milliseconds: args.milliseconds,
    };
    let prices: Option<Prices> = args.prices.as_deref().map(read).transpose()?.map(|result| result.prices);
    let program = crate::cli::VERSION.as_str();
    let bench = TrainingBench::open(out, &config, size, prices, program).map_err(told)?;
    let stop = console.stop.clone();
    let _watch = stop.watch();
    let mut lines = Lines { console, bar: progress::bar("training".to_owned(), "core-seconds", 0) };
    let result = bench.run(&mut lines, &stop);
    lines.bar.finish_and_clear();
    let result = result.map_err(told)?;
    if result.is_none() {
        console.note("stopped; the same command goes on");
    }
    Ok(result)
}

/// Distinguishes wrong use from failure.
fn told(error: BenchError) -> anyhow::Error {
    match error {
        BenchError::NoJudges(_)
        | BenchError::Opponent
        | BenchError::Prices
        | BenchError::Other(..)
        | BenchError::Less(..) => WrongUse(error.to_string()).into(),
        error => error.into(),
    }
}

/// Reports each checkpoint in one line on the stream for progress, with a bar in between.
struct Lines<'a, 'b> {
    console: &'a mut Console<'b>,
    bar: ProgressBar,
}

impl Observer for Lines<'_, '_> {
    fn preparing(&mut self) {
        self.bar.suspend(|| self.console.note("preparing the judges"));
    }

    fn changed(&mut self, judge: &str) {
        let told = format!("{judge} plays otherwise than when it was rated: ratings here are not those of others");
        self.bar.suspend(|| self.console.warn(&told));
    }

    fn remark(&mut self, run: &Path, remark: &Remark) {
        let told = format!("{}: {remark}", run.display());
        self.bar.suspend(|| self.console.note(told));
    }

    fn trained(&mut self, seed: u64, mark: &Mark) {
        self.bar.set_prefix(format!("seed {seed}, iteration {}", mark.iteration));
        self.bar.set_length(mark.mark as u64);
        self.bar.set_position(mark.cost.core_seconds as u64);
    }

    fn rated(&mut self, seed: u64, found: &RatedCheckpoint) {
        let line = format!(
            "seed {seed}, {:.0} core-seconds, iteration {}: {}",
            found.cost.core_seconds,
            found.iteration,
            ratings(&found.simulations)
        );
        self.bar.suspend(|| self.console.note(line));
    }
}

/// Returns ratings as text.
fn ratings(found: &KindRatings) -> String {
    let [all, alpha_beta, network] = [found.all, found.alpha_beta, found.network].map(Rating::text_of);
    format!("{all} (alpha-beta {alpha_beta}, networks {network})")
}

fn tell(result: &TrainingResult, console: &mut Console<'_>) -> Result<()> {
    let TrainingResult { games, simulations, milliseconds, judges, prices, .. } = result;
    let out = console.about();
    writeln!(
        out,
        "Elo at {simulations} simulations from {games} games against the judges {judges}, on {}",
        counted(prices.cores as u64, "core")
    )?;
    writeln!(out, "{:>5}{:>14}{:>8}{:>8}{:>11}  rating", "seed", "core-seconds", "CPU", "wall", "iteration")?;
    for seed in &result.seeds {
        for found in &seed.checkpoints {
            let cost = found.cost;
            write!(out, "{:>5}{:>14.0}{:>8.0}", seed.seed, cost.core_seconds, cost.cpu_seconds)?;
            write!(out, "{:>8.0}{:>11}  ", cost.wall_seconds, found.iteration)?;
            writeln!(out, "{}", ratings(&found.simulations))?;
            if let Some(timed) = &found.timed {
                writeln!(out, "{:>46}  at {milliseconds} ms {}", "", ratings(timed))?;
            }
        }
    }
    for medians in &result.summary.medians {
        let [all, alpha_beta, network] = [medians.all, medians.alpha_beta, medians.network].map(rounded);
        writeln!(
            out,
            "median at {:.0} core-seconds: {all} (alpha-beta {alpha_beta}, networks {network})",
            medians.mark
        )?;
    }
    writeln!(out, "a doubling of the cost: {} Elo", estimate(result.summary.slope))?;
    for reached in &result.summary.reached {
        let (elo, after) = (reached.elo, rounded(reached.core_seconds));
        writeln!(out, "{elo:.0} Elo: after {after} core-seconds, by {}", counted(reached.seeds as u64, "seed"))?;
    }
    writeln!(out, "judging, {:.0} seconds of thinking, is no part of the cost", result.judging_seconds)?;
    Ok(())
}

fn tell_comparison(comparison: &Comparison, console: &mut Console<'_>) -> Result<()> {
    let out = console.about();
    for found in &comparison.differences {
        let [all, alpha_beta, network] = [found.all, found.alpha_beta, found.network].map(estimate);
        writeln!(
            out,
            "at {:.0} core-seconds {all} Elo over the other (alpha-beta {alpha_beta}, networks {network})",
            found.core_seconds
        )?;
    }
    for found in &comparison.durations {
        let [own, other] = [found.own, found.other].map(rounded);
        writeln!(out, "{:.0} Elo: {own} core-seconds instead of {other}", found.elo)?;
    }
    if (comparison.scale - 1.0).abs() > 0.02 {
        writeln!(out, "the other's costs were multiplied by {:.2}, the speed of its core", comparison.scale)?;
    }
    if !comparison.unlike.is_empty() {
        writeln!(out, "not on one scale: the other was measured with other {}", comparison.unlike.join(", "))?;
    }
    Ok(())
}

/// Returns a number without decimals, or the placeholder for a missing one.
fn rounded(number: Option<f64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| format!("{number:.0}"))
}

/// Returns a signed number with its interval.
fn estimate(found: Option<Estimate>) -> String {
    let Some(Estimate { mean, margin }) = found else { return "?".to_owned() };
    let margin = margin.map_or_else(|| " (one seed)".to_owned(), |margin| format!(" ± {margin:.0}"));
    format!("{mean:+.0}{margin}")
}

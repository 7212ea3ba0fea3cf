//! `gipf report`: runs as one file to look at.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gipf_board::{GameText, Remark, Replay, report};
use gipf_env::{Action, GipfPosition, Setup};
use gipf_play::players::{AgentSpec, CheckpointSpec, Network, Thinking, TurnLimits};
use gipf_play::run::{Holding, network_to_play};
use gipf_play::{GameConfig, Stop};

use super::board::curves;
use super::counted::counted;
use super::output::Force;
use super::values::whole;
use super::{Console, Exit, progress};
use crate::training::RunView;

/// Writes the curves of runs, and games of their networks, into one HTML file.
///
/// The file needs no server and loads nothing: it can be kept, sent and opened anywhere. It shows the curves that the page
/// of `gipf board` shows, with all runs in the same charts, and games that the best network of each run, or otherwise its
/// newest, plays against itself.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The directories of the runs, which may still be training
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The number of games of each run's network against itself
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u8>(0..=20))]
    games: u8,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  gipf report runs/standard-quick --out report.html
  gipf report runs/a runs/b --games 3 --out compared.html";

/// The simulations per decision in the games, and the temperature, without which all games would be the same.
const SIMULATIONS: u32 = 64;
const TEMPERATURE: f32 = 0.3;

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let out = args.force.open(&args.out, console)?;
    let (mut drawn, mut replays) = (Vec::new(), Vec::new());
    for path in &args.runs {
        Holding::of(path).check_run(path)?;
        let (name, view) = (gipf_play::printable(&path.to_string_lossy()), RunView::of(path)?);
        drawn.push(curves(&name, &view));
        replays.extend(games(&name, path, &view.config.game, args.games, console)?);
        if console.stop.requested() {
            console.note("stopped: nothing is written");
            return Ok(Exit::Interrupted);
        }
    }
    let title = format!("Runs: {}", drawn.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", "));
    out.fill(report(&title, &drawn, &replays).as_bytes())?;
    let (runs, games) = (counted(drawn.len() as u64, "run"), counted(replays.len() as u64, "game"));
    console.tell(format_args!("{}: {runs}, {games}", args.out.display()));
    Ok(Exit::Success)
}

/// Plays the games of a run's network against itself, if it has one yet.
fn games(name: &str, run: &Path, game: &GameConfig, count: u8, console: &mut Console<'_>) -> Result<Vec<Replay>> {
    let Some(network) = network_to_play(run)?.filter(|_| count > 0) else { return Ok(Vec::new()) };
    let spec = CheckpointSpec {
        thinking: Thinking::Simulations(SIMULATIONS),
        temperature: TEMPERATURE,
        ..CheckpointSpec::new(Network::File(network))
    };
    let contender = AgentSpec::Checkpoint(spec).contender(game.variant)?;
    let bar = progress::bar(format!("{name} plays"), "games", u64::from(count));
    let mut replays = Vec::new();
    for number in 1..=count {
        let start = game.setup()?;
        let stop = console.stop.clone();
        let Some((actions, remarks)) = played(&start, (contender.build)().as_mut(), u64::from(number), &stop)? else {
            break;
        };
        let about = format!("{name}, game {number} of its network against itself");
        replays.push(Replay::of(&GameText::new(&start, &actions), &about, &remarks)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(replays)
}

/// Plays a game to its end; `None` if it was stopped.
fn played(
    start: &Setup,
    agent: &mut dyn gipf_play::players::Agent<GipfPosition>,
    seed: u64,
    stop: &Stop,
) -> Result<Option<(Vec<Action>, Vec<Remark>)>> {
    let mut position = GipfPosition::from_setup(start)?;
    let (mut actions, mut remarks) = (Vec::new(), Vec::new());
    agent.begin(&position, &[], seed);
    while position.outcome().is_none() {
        let choice = agent.choose(&position, &TurnLimits::until(stop))?;
        if stop.requested() {
            return Ok(None);
        }
        let value = choice.value.map(|value| value * position.to_move().sign());
        remarks.push(Remark { value, ..Remark::default() });
        actions.push(choice.action);
        if position.play(choice.action).is_err() {
            bail!("the network chose what is not allowed");
        }
        agent.observe(choice.action);
    }
    Ok(Some((actions, remarks)))
}

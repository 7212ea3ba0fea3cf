//! `gipf rate`: the Elo of any player.

use std::time::Duration;

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::arena::ladder::{Enough, Judge, Member, Rate, Rating, ladder_judges, shipped};
use gipf_play::players::{AgentSpec, program};
use gipf_play::ugi::{CommandLine, UgiGame};

use super::eval::{GRACE, MOVE_TIME};
use super::ladder::margin;
use super::threads::with_tasks_of;
use super::values::{time, whole};
use super::{Console, Exit, WrongUse, agent, progress};

/// Rates a player, such as a checkpoint or a program of your own, on the scale of the ladder.
///
/// It plays players of the ladder that comes with the program, mostly those near it, in pairs of games with colours
/// exchanged from the openings of the book, until its rating is known well enough. The ratings against players without a
/// network and against networks are given separately: a player that beats one group need not beat the other. No file is
/// written; `gipf ladder --add` keeps the games.
///
/// The same player, seed and program give the same games, unless the player thinks for a time or on several threads.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who is rated: a checkpoint or a run as its path or mcts:PATH,sims=64; pretrained:sims=64, alpha-beta:time=50ms,
    /// level:3 and so on, as in `gipf eval` [default: pretrained, unless a command is given]
    #[arg(value_name = "AGENT", conflicts_with = "command")]
    agent: Option<AgentSpec>,
    /// A program that speaks UGI, with its arguments. A crash, an illegal move or a late answer loses the game
    #[arg(long, visible_alias = "against-command", value_name = "COMMAND")]
    command: Option<CommandLine>,
    /// The time of such a program for a turn, such as 50ms or 1.5s; an answer may be one second late [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "command", conflicts_with = "agent")]
    move_time: Option<Duration>,
    /// The rule set: basic, standard or tournament, for which there are ladders; standard unless the checkpoint is for
    /// another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Play until the rating is known this exactly, in Elo: half the 95 % interval
    #[arg(long, value_name = "ELO", default_value_t = 50.0, value_parser = margin())]
    margin: f64,
    /// The maximum number of games: an even number, since they are played in pairs
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u32>(2..=100_000))]
    games: u32,
    /// The seed of all randomness in the games
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Print the rating as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf rate runs/standard-quick
  gipf rate mcts:best.safetensors,time=20ms --margin 30
  gipf rate --command './engine --threads 1' --move-time 100ms \\
      --variant tournament
  gipf rate alpha-beta:3 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let asked: Vec<_> = args.agent.iter().collect();
    let variant = agent::variant(args.variant, &asked)?;
    let pairs = agent::pairs(args.games.into())? as usize;
    // Before the judges, which take seconds to build, so that errors come at once.
    let player = args.player(variant)?;
    let _watch = console.stop.watch();
    let Some(judges) = judges(variant, console)? else { return Ok(Exit::Interrupted) };
    let threads = args.agent.as_ref().map_or(1, AgentSpec::threads);
    let enough = Enough { margin: args.margin, pairs };
    let program = super::VERSION.as_str();
    let rate = Rate { player: &player, judges: &judges, variant, enough, seed: args.seed, program };
    let bar = progress::bar(format!("rating {}", player.id), "pairs", enough.pairs as u64);
    let tell = |pairs, found: Option<Rating>| {
        bar.inc(pairs);
        if let Some(rating) = found {
            bar.set_message(format!("pairs, {rating}"));
        }
    };
    let stop = console.stop.clone();
    let report = with_tasks_of(threads, || Ok(rate.play(tell, &stop)))?;
    bar.finish_and_clear();
    let (games, stopped) = (report.games(), report.stopped);
    match games {
        _ if args.json => console.tell_json(&report)?,
        // A table of no games would look like a result.
        0 => (),
        _ => console.tell(report),
    }
    if stopped {
        console.note(format_args!("stopped after {games} games, before the rating was known so well"));
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Success)
}

/// Returns the judges of a rule set; `None`, with a message, if a stop was requested.
fn judges(variant: Variant, console: &mut Console<'_>) -> Result<Option<Vec<Judge>>> {
    if shipped(variant).is_none() {
        let told = "no ladder of it comes with the program: expected basic, standard or tournament";
        return Err(WrongUse(format!("{variant}: {told}")).into());
    }
    console.note("preparing the judges");
    let judges = ladder_judges(variant, &console.stop);
    if console.stop.requested() {
        console.note("stopped before any game was played");
        return Ok(None);
    }
    Ok(judges)
}

impl Args {
    fn player(&self, variant: Variant) -> Result<Member> {
        match (&self.command, &self.agent) {
            (Some(command), _) if UgiGame::is_told(variant) => {
                let time = self.move_time.unwrap_or(MOVE_TIME);
                Ok(Member::named(program(command.clone(), variant, time, GRACE)?, true))
            }
            (Some(_), _) => {
                let told = format!("--command: {variant} has no notation to write turns in: expected another rule set");
                Err(WrongUse(told).into())
            }
            (None, Some(spec)) => {
                spec.check_end()?;
                Ok(Member::new(spec, variant)?)
            }
            (None, None) => Ok(Member::new(&"pretrained".parse()?, variant)?),
        }
    }
}

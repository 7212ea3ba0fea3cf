//! `gipf eval`: measures an agent against others.

use anyhow::Result;
use gipf_env::Variant;

use super::{Console, Exit, WrongUse, agent, progress};
use crate::arena::{Contest, MatchReport, Monitor, Sprt, run_match};
use crate::players::AgentSpec;

/// Measures an agent, such as a checkpoint, against the baselines or any other agents.
///
/// Plays pairs of games from the same random opening with colours exchanged, and reports score, Elo and their
/// intervals. Ctrl-C ends the match and reports what was played.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who is measured: a checkpoint as its path or mcts:PATH,sims=64 or mcts:PATH,time=50ms; or alpha-beta:1 to
    /// alpha-beta:6, greedy, random
    #[arg(value_name = "AGENT")]
    agent: AgentSpec,
    /// Whom to play against; may be given often
    #[arg(long, value_name = "AGENT", default_values = ["random", "greedy", "alpha-beta:1"])]
    against: Vec<AgentSpec>,
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off; standard unless the checkpoint is for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Games against each opponent: an even number, since they are played in pairs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Turns of the openings, which are played at random
    #[arg(long, value_name = "N", default_value_t = 4)]
    opening: usize,
    /// Placements after which a game is cut off and counts as a draw
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// What openings and agents draw their random numbers from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// End a match when it is clear whether the agent is better by the first or by the second number of Elo
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// Print each report as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf eval runs/standard-quick/checkpoints/000024.safetensors
  gipf eval mcts:best.safetensors,time=50ms --against alpha-beta:time=50ms --games 100
  gipf eval alpha-beta:2 --against alpha-beta:1 --games 100
  gipf eval alpha-beta:3 --against alpha-beta:2 --sprt 0 50 --games 2000 --json";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let contest = args.contest()?;
    for opponent in &args.against {
        let report = play(&contest, [&args.agent, opponent], console)?;
        if args.json {
            writeln!(console.out, "{}", serde_json::to_string(&report)?)?;
        } else {
            writeln!(console.out, "{report}\n")?;
        }
        if console.stop.requested() {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(Exit::Success)
}

impl Args {
    fn contest(&self) -> Result<Contest> {
        if self.games % 2 == 1 {
            let told = format!("--games {}: expected an even number, for pairs with colours exchanged", self.games);
            return Err(WrongUse(told).into());
        }
        let agents: Vec<_> = std::iter::once(&self.agent).chain(&self.against).collect();
        let variant = agent::variant(self.variant, &agents)?;
        Ok(Contest {
            opening_turns: self.opening,
            limit: self.limit,
            seed: self.seed,
            sprt: self.sprt()?,
            ..Contest::new(variant, self.games as usize / 2)
        })
    }

    fn sprt(&self) -> Result<Option<Sprt>, WrongUse> {
        match self.sprt.as_deref() {
            None => Ok(None),
            Some(&[elo0, elo1]) if elo0 < elo1 => Ok(Some(Sprt::new(elo0, elo1))),
            Some(bounds) => {
                let told = format!("--sprt {bounds:?}: expected two numbers of Elo, the smaller first");
                Err(WrongUse(told))
            }
        }
    }
}

fn play(contest: &Contest, specs: [&AgentSpec; 2], console: &Console<'_>) -> Result<MatchReport> {
    let bar = progress::bar(format!("against {}", specs[1]), "pairs", contest.pairs as u64);
    let monitor = Monitor { progress: &|progress| bar.set_position(progress.pairs_done), stop: &console.stop };
    let report = run_match(contest, specs, monitor);
    bar.finish_and_clear();
    Ok(report?)
}

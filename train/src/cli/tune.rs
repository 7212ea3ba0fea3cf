//! `gipf tune`: the weights of the baseline AI's evaluation, from games against itself.

use std::path::PathBuf;

use anyhow::{Context, Result};
use gipf_env::{GipfPosition, Setup, Variant};
use gipf_models::write_whole;

use super::{Console, Exit, WrongUse, progress};
use crate::agent_games::{AgentAssignment, AgentPlayConfig, play_agent_games};
use crate::players::AgentSpec;
use crate::players::alpha_beta::tuning::{Example, Fit, FitSettings, examples};
use crate::players::alpha_beta::{LOGIT, packed};

/// Fits the pattern weights of the baseline AI to games of an agent against itself.
///
/// Games begin at random, and some decisions are drawn at random. The weights are those of logistic regression on the
/// results and on what the searches expected. Equal arguments give equal weights, unless the agent is limited in time.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who plays: alpha-beta: with limits
    #[arg(long, value_name = "AGENT", default_value = "alpha-beta:nodes=1500")]
    agent: AgentSpec,
    /// The rule set: basic, standard or tournament
    #[arg(long, value_name = "NAME", default_value_t = Variant::STANDARD)]
    variant: Variant,
    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// How much the result of the game counts, 0 to 1, beside what the search expected
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = super::share::share_up_to(1.0))]
    trust: f64,
    /// How often all positions are gone through
    #[arg(long, value_name = "N", default_value_t = FitSettings::default().rounds)]
    rounds: u32,
    /// What games and order are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

const EXAMPLES: &str = "Examples:
  gipf tune --variant tournament --games 10000 --out tournament.bin
  gipf tune --agent alpha-beta:depth=3,eval=terms --games 1000 --out standard.bin";

/// Of so many examples one is held out, to measure with.
const HELD_OUT: usize = 10;
/// Games begin with up to this many random decisions, and of the others so many are drawn at random.
const PLAY: AgentPlayConfig = AgentPlayConfig { random_plies: 12, noise: 0.08 };
/// Games played before their examples are taken and the rest is forgotten.
const PORTION: u64 = 500;

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    if args.variant.is_push_off() || args.variant.has_zertz() {
        let told = format!("--variant {}: expected basic, standard or tournament, which patterns weigh", args.variant);
        return Err(WrongUse(told).into());
    }
    let Some(examples) = play(args, console)? else { return Ok(Exit::Interrupted) };
    let (held_out, learned) = examples.split_at(examples.len() / HELD_OUT);
    let mut fit = Fit::new();
    fit.learn(learned, &FitSettings { rounds: args.rounds, seed: args.seed, ..FitSettings::default() });
    let (loss, other) = (fit.loss(learned), fit.loss(held_out));
    writeln!(console.out, "{} positions, loss {loss:.4}, of those held out {other:.4}", examples.len())?;
    let bytes = packed(&fit.weights(LOGIT));
    write_whole(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(Exit::Success)
}

/// Returns what the games teach, in their order, so that those held out are of other games; none if there was a stop.
fn play(args: &Args, console: &Console<'_>) -> Result<Option<Vec<Example>>> {
    let agent = args.agent.entrant(args.variant)?;
    let setup = Setup::start(args.variant).with_limit(Some(LIMIT));
    let start = GipfPosition::from_setup(&setup).expect("the start of a game is a valid position");
    let bar = progress::bar("games".to_owned(), "games", args.games);
    let mut found = Vec::new();
    for first_id in (0..args.games).step_by(PORTION as usize) {
        let games = PORTION.min(args.games - first_id);
        let assignment = AgentAssignment { start: &start, first_id, games, seed: args.seed, config: PLAY };
        let played = play_agent_games(&assignment, &agent.build, &|_| bar.inc(1), &console.stop);
        found.extend(played.iter().flat_map(|game| examples(game, args.trust as f32)));
        if console.stop.requested() {
            return Ok(None);
        }
    }
    bar.finish_and_clear();
    Ok(Some(found))
}

/// Placements after which a game is cut off and counts as a draw.
const LIMIT: u16 = 400;

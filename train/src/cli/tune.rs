//! `gipf tune`: fits the weights of the baseline AI's evaluation to its games against itself.

use std::path::PathBuf;

use anyhow::{Result, bail};
use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Setup, Variant};
use gipf_play::players::alpha_beta::tuning::{EvaluationFit, Example, FitSettings};
use gipf_play::players::alpha_beta::{Evaluation, LOGIT, Layout, cover, packed, read_weights};
use gipf_play::players::{AgentSpec, AlphaBeta, Build};

#[cfg(feature = "dataset")]
use super::data::Partial;
use super::output::Force;
#[cfg(feature = "dataset")]
use super::output::check_apart_from;
use super::suggested;
use super::values::{number, whole};
use super::{Console, Exit, WrongUse, progress};
#[cfg(feature = "dataset")]
use crate::dataset::Source;
use crate::output::OutputFile;
#[cfg(feature = "dataset")]
use crate::training::Split;
use crate::training::{AgentAssignment, AgentPlayConfig, examples, play_agent_games};

/// Fits the pattern weights of the baseline AI to games of an agent against itself.
///
/// The file that it writes is used as alpha-beta:4,eval=FILE. Games begin with random decisions, and some later ones are
/// drawn at random too. The weights come from logistic regression on the results and on the results that the searches
/// expected. Equal arguments give equal weights, unless the agent is limited in time or thinks on several threads. With --data no games are played:
/// they come from datasets, such as those of `gipf self-play --checkpoint pretrained`, whose values are the network's.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who plays: alpha-beta: with limits, and with the initial evaluation
    #[arg(long, value_name = "AGENT", default_value = "alpha-beta:nodes=1200,eval=terms")]
    agent: AgentSpec,
    /// Learn instead from the games of the dataset in a directory, whose rule set it takes; may be repeated
    #[cfg(feature = "dataset")]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["agent", "variant", "from", "generations", "games"])]
    data: Vec<PathBuf>,
    #[cfg(feature = "dataset")]
    #[command(flatten)]
    partial: Partial,
    /// The rule set: basic, standard, tournament or basic+zertz
    #[arg(long, value_name = "NAME", default_value_t = Variant::STANDARD)]
    variant: Variant,
    /// The weights to begin with, a file that this command wrote for the same rule set, in place of the agent's evaluation
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// The number of rounds of play and fit: each plays its games with the weights of the round before
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u64>(1..))]
    generations: u64,
    /// The number of games per generation
    #[arg(long, value_name = "N", default_value_t = 8_000, value_parser = whole::<u64>(1..))]
    games: u64,
    /// The weight of the game's result relative to the search's expectation, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = number(0.0..=1.0))]
    trust: f64,
    /// The number of passes over all positions
    #[arg(long, value_name = "N", default_value_t = FitSettings::default().rounds)]
    #[arg(value_parser = whole::<u32>(1..))]
    rounds: u32,
    /// The seed of the games and of the order of the positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  gipf tune --variant tournament --out tournament.bin
  gipf eval alpha-beta:4,eval=tournament.bin --against alpha-beta:4 \\
      --variant tournament
  gipf tune --from standard.bin --generations 1 --games 20000 --seed 2 \\
      --out new.bin
  gipf tune --data datasets/standard --trust 0.25 --out standard.bin";

/// One in this many examples is held out to measure with.
const HELD_OUT: usize = 10;
/// Games begin with up to this many random decisions, and this share of the later ones is drawn at random.
const PLAY: AgentPlayConfig = AgentPlayConfig { random_plies: 12, noise: 0.08 };
/// The number of games played before their examples are taken and the rest is dropped.
const PORTION: u64 = 500;

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    #[cfg(feature = "dataset")]
    if !args.data.is_empty() {
        return learn_from_data(args, console);
    }
    #[cfg(feature = "dataset")]
    args.partial.check("--data", &args.data)?;
    let mut player = args.player()?;
    let output = args.force.open(&args.out, console)?;
    // The weights of rare patterns need all examples, even those of weaker players.
    let (mut examples, mut found) = (Vec::new(), None);
    for generation in 0..args.generations {
        let Some(latest) = play(args, generation, &player, console) else { break };
        examples.splice(0..0, latest);
        let (held_out, learned) = examples.split_at(examples.len() / HELD_OUT);
        let Some(weights) = fit(args, args.variant, learned, held_out, console)? else { break };
        player = args.build(Some(weights.clone()))?;
        found = Some((generation + 1, weights));
    }
    match found {
        Some((generations, weights)) if generations == args.generations => {
            keep(&weights, args.variant, output, console)?;
            return Ok(Exit::Success);
        }
        Some((generations, weights)) => {
            let path = output.fill_in_part(&packed(&weights, args.variant))?;
            let (all, path) = (args.generations, path.display());
            console.note(format_args!("stopped after {generations} of {all} generations: their weights are in {path}"));
        }
        None => console.note(STOPPED),
    }
    Ok(Exit::Interrupted)
}

/// Writes the weights that were asked for.
fn keep(weights: &[i16], variant: Variant, output: OutputFile, console: &mut Console<'_>) -> Result<()> {
    let path = output.path().to_owned();
    output.fill(&packed(weights, variant))?;
    console.tell(format_args!("done: {}", path.display()));
    if let Some(agent) = suggested::baseline(&path) {
        console.tell(format_args!("measure it: gipf eval {agent} --against alpha-beta:4 --variant {variant}"));
    }
    Ok(())
}

/// Fits weights to the games of datasets.
#[cfg(feature = "dataset")]
fn learn_from_data(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let source = Source::open(&args.data, args.partial.accepted(), None)?;
    weighable("the rule set of the datasets", source.variant())?;
    check_apart_from(&args.out, &source)?;
    let output = args.force.open(&args.out, console)?;
    let bar = progress::bar("reading".to_owned(), "decisions", source.num_rows());
    let (trust, hold_out) = (args.trust as f32, 1.0 / HELD_OUT as f64);
    let read = source.examples(trust, hold_out, &|rows| bar.inc(rows), &console.stop);
    bar.finish_and_clear();
    let fitted = match read? {
        Some(Split { learned, held_out }) => fit(args, source.variant(), &learned, &held_out, console)?,
        None => None,
    };
    let Some(weights) = fitted else {
        console.note(STOPPED);
        return Ok(Exit::Interrupted);
    };
    keep(&weights, source.variant(), output, console)?;
    Ok(Exit::Success)
}

/// The message when there are no weights to keep.
const STOPPED: &str = "stopped before anything was fitted; nothing is written";

/// Checks that the patterns cover the pieces of a rule set.
fn weighable(named: &str, variant: Variant) -> Result<()> {
    if cover(variant) {
        return Ok(());
    }
    let told =
        format!("{named} {variant}: expected basic, standard, tournament or basic+zertz, whose pieces patterns know");
    Err(WrongUse(told).into())
}

/// Fits weights to examples, and reports how well they predict those held out; `None` if it was stopped.
fn fit(
    args: &Args,
    variant: Variant,
    learned: &[Example],
    held_out: &[Example],
    console: &mut Console<'_>,
) -> Result<Option<Vec<i16>>> {
    if learned.is_empty() && !held_out.is_empty() {
        bail!("all {} positions are held out, and none is left to learn from: expected more games", held_out.len());
    }
    if learned.is_empty() {
        bail!("no quiet position with a value is left to learn from: expected games of a player that searches");
    }
    let mut fit = EvaluationFit::new(Layout::of(variant));
    let settings = FitSettings { rounds: args.rounds, seed: args.seed, ..FitSettings::default() };
    if !fit.learn(learned, &settings, &console.stop) {
        return Ok(None);
    }
    let (all, loss) = (learned.len() + held_out.len(), fit.loss(learned));
    let other = match held_out {
        [] => "none held out".to_owned(),
        _ => format!("of those held out {:.4}", fit.loss(held_out)),
    };
    console.tell(format_args!("{all} positions, loss {loss:.4}, {other}"));
    Ok(Some(fit.weights(LOGIT)))
}

impl Args {
    /// Returns the player of the first generation.
    fn player(&self) -> Result<Build<GipfPosition>> {
        weighable("--variant", self.variant)?;
        self.build(self.from.as_deref().map(|path| read_weights(path, self.variant)).transpose()?)
    }

    /// Returns the agent with these weights, or with its own.
    fn build(&self, weights: Option<Vec<i16>>) -> Result<Build<GipfPosition>> {
        let AgentSpec::AlphaBeta(spec) = &self.agent else {
            let told =
                format!("--agent {}: expected alpha-beta: with limits, such as alpha-beta:nodes=1200", self.agent);
            return Err(WrongUse(told).into());
        };
        self.agent.check_end()?;
        let settings = spec.settings;
        if settings.hash.is_some() {
            return Err(
                WrongUse(format!("--agent {}: expected no hash, since tables are small here", self.agent)).into()
            );
        }
        let evaluation = match weights {
            Some(weights) => Evaluation::of_weights(&weights, self.variant),
            None => spec.evaluation(self.variant)?,
        };
        Ok(Box::new(move || Box::new(AlphaBeta::with_evaluation(settings, evaluation.clone(), TABLE_BITS))))
    }
}

/// Returns the examples of a generation's games, in their order, so that the examples held out come from other games;
/// `None` if a stop was requested.
fn play(args: &Args, generation: u64, agent: &Build<GipfPosition>, console: &Console<'_>) -> Option<Vec<Example>> {
    let setup = Setup::start(args.variant).with_placement_limit(Some(PLACEMENT_LIMIT));
    let start = GipfPosition::from_setup(&setup).expect("the start of a game is a valid position");
    let bar = progress::bar(format!("generation {}", generation + 1), "games", args.games);
    let mut found = Vec::new();
    for portion in (0..args.games).step_by(PORTION as usize) {
        let (first_id, games) = (generation * args.games + portion, PORTION.min(args.games - portion));
        let assignment = AgentAssignment { start: &start, first_id, games, seed: args.seed, config: PLAY };
        let played = play_agent_games(&assignment, agent, &|_| bar.inc(1), &console.stop);
        found.extend(played.iter().flat_map(|game| examples(game, args.trust as f32)));
        if console.stop.requested() {
            return None;
        }
    }
    bar.finish_and_clear();
    Some(found)
}

/// The searches are short: the table holds 2¹³ positions.
const TABLE_BITS: u32 = 13;

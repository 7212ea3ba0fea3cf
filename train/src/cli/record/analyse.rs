//! `gipf record analyse`: what every turn of a game was worth.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use gipf_env::{GipfPosition, Setup};
use gipf_play::analysis::{Analysis, AnalysisError, Effort, Work, analyse, analyst, comments, default_analyst};
use gipf_play::players::{AgentSpec, Contender};
use gipf_play::reading::{RULES, STARTS};
use gipf_play::ugi::UgiGame;
use gipf_play::{TaggedGame, printable};
use serde::Serialize;

use super::file::Game;
use super::{Selection, report, told};
use crate::cli::output::{Force, check_apart};
use crate::cli::progress::bar;
use crate::cli::values::{time, whole};
use crate::cli::{Console, Exit};

/// Values every turn of the games, and names the mistakes.
///
/// A player thinks about every position of a game. The report says what each position was worth, what would have been
/// best, how much each turn lost, and how well both players played.
///
/// A value is the result expected for White, from -1 (Black wins) to +1 (White wins). A turn that loses 0.1 of its
/// player's expected result is an inaccuracy, 0.2 a mistake, 0.3 a blunder. docs/analysis.md explains the words.
///
/// Positions are analysed side by side on all cores: 80 turns take some 40 seconds on two cores. With --sims the result
/// is the same on any number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Who thinks: pretrained, a checkpoint or a run as its path, or alpha-beta:8; limits in its name are ignored
    /// [default: pretrained, or alpha-beta:8 for rule sets without a network]
    #[arg(long, value_name = "AGENT", conflicts_with = "kept")]
    agent: Option<AgentSpec>,
    /// The time for a turn [default: 1s, unless --sims is given]
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "kept")]
    time: Option<Duration>,
    /// The simulations for a turn, or the positions of alpha-beta
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), conflicts_with = "kept")]
    sims: Option<u64>,
    /// How many turns to list for each position, the best first
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u16>(1..=50))]
    #[arg(conflicts_with = "kept")]
    candidates: u16,
    /// Do not think: show the analysis that the comments of the games hold
    #[arg(long)]
    kept: bool,
    /// Print a line of JSON for each game
    #[arg(long)]
    json: bool,
    /// Print the games with the analysis in comments, which `gipf record show` and --kept read
    #[arg(long, conflicts_with = "json")]
    comments: bool,
    /// The file to write to; standard output unless given
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  gipf record analyse game.txt
  gipf record analyse game.txt --sims 2000 --json
  gipf record analyse game.txt --comments --out analysed.txt
  gipf record show analysed.txt | less";

/// The time for a turn.
const TIME: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let output = args.force.open_of("--out", args.out.as_deref(), console)?;
    // With --comments the output may replace its input: it is the same games, and more. A single game loses the others.
    let loses = !args.comments || args.selection.game.is_some();
    if let Some(out) = args.out.as_deref().filter(|_| loses) {
        check_apart(out, [args.selection.file.as_path()])?;
    }
    // A game that cannot be read is reported before hours of work on others.
    let readable = |game: Game| {
        let reading = game.reading?;
        if args.comments && !UgiGame::is_told(reading.record.variant()) {
            return Err(comments::CommentError::NoNotation).context(game.name);
        }
        Ok(Game { reading: Ok(reading), ..game })
    };
    let games = args.selection.games(console)?.into_iter().map(readable).collect::<Result<Vec<_>>>()?;
    let analysts = if args.kept { BTreeMap::new() } else { args.analysts(&games)? };
    let (mut texts, all) = (Vec::<String>::new(), games.len());
    for (number, game) in games.into_iter().enumerate() {
        let found = if args.kept { Some(kept(&game, console)?) } else { searched(&game, &analysts, args, console)? };
        let Some(analysis) = found else {
            let told = format!("stopped: {number} of {all} games were analysed");
            match output.filter(|_| number > 0) {
                Some(output) => {
                    let path = output.fill_in_part(texts.concat().as_bytes())?;
                    console.note(format_args!("{told}, and are in {}", path.display()));
                }
                None => console.note(told),
            }
            return Ok(Exit::Interrupted);
        };
        let between = if number > 0 && !args.json { "\n" } else { "" };
        let text = between.to_owned() + &args.text(game, &analysis)?;
        if output.is_some() {
            texts.push(text);
        } else {
            // Printed at once: if the command is stopped later, these results have been shown.
            write!(console.out, "{text}")?;
            console.out.flush()?;
        }
    }
    if let Some(output) = output {
        output.fill(texts.concat().as_bytes())?;
    }
    Ok(Exit::Success)
}

fn kept(game: &Game, console: &mut Console<'_>) -> Result<Analysis> {
    let missing = || format!("{}: its comments hold no analysis, expected those of --comments", game.name);
    report::kept(game, console).with_context(missing)
}

/// Returns a player's analysis of a game; `None` if a stop was requested.
fn searched(game: &Game, analysts: &Analysts, args: &Args, console: &Console<'_>) -> Result<Option<Analysis>> {
    let record = &game.reading.as_ref().map_err(|why| anyhow::anyhow!("{why}"))?.record;
    let (contender, effort) = (&analysts[&record.variant().to_string()], args.effort());
    let bar = bar("analysing".to_owned(), "positions", 1 + record.turns().len() as u64);
    let progress = |done: usize| bar.set_position(done as u64);
    let watch = console.stop.watch();
    let found = analyse(record, contender, &Work { effort, progress: &progress, stop: &console.stop });
    bar.finish_and_clear();
    drop(watch);
    match found {
        Err(AnalysisError::Stopped) => Ok(None),
        found => Ok(Some(found?)),
    }
}

#[derive(Serialize)]
struct Told<'a> {
    game: &'a str,
    #[serde(flatten)]
    analysis: &'a Analysis,
}

/// Who analyses the games of each rule set.
type Analysts = BTreeMap<String, Contender<GipfPosition>>;

impl Args {
    /// Returns who analyses the games, before the first one: a run may go on training meanwhile, and whoever does not play
    /// the rule set of the last game says so at once.
    fn analysts(&self, games: &[Game]) -> Result<Analysts> {
        let agent = self.agent.as_ref().map(AgentSpec::resolved).transpose()?;
        let mut found = BTreeMap::new();
        for variant in games.iter().filter_map(|game| Some(game.reading.as_ref().ok()?.record.variant())) {
            if let Entry::Vacant(place) = found.entry(variant.to_string()) {
                let spec = agent.clone().unwrap_or_else(|| default_analyst(variant));
                place.insert(analyst(&spec, variant, &self.effort())?);
            }
        }
        Ok(found)
    }

    fn effort(&self) -> Effort {
        let time = self.time.or(if self.sims.is_none() { Some(TIME) } else { None });
        Effort { nodes: self.sims, time, candidates: self.candidates.into(), seed: 0 }
    }

    fn text(&self, game: Game, analysis: &Analysis) -> Result<String> {
        let Game { name, reading, tagged, .. } = game;
        let reading = reading?;
        if self.json {
            return Ok(serde_json::to_string(&Told { game: &name, analysis })? + "\n");
        }
        if self.comments {
            let start = self.selection.is_told_where_it_starts().then(|| reading.record.setup());
            return annotated(tagged, analysis, start);
        }
        Ok(format!("{}: {}\n{}\n", printable(&name), told(&reading), report::report(analysis)))
    }
}

/// Returns a game with an analysis in its comments, in place of an earlier one; everything else stays as it was.
fn annotated(game: TaggedGame, analysis: &Analysis, start: Option<&Setup>) -> Result<String> {
    let mut game = comments::annotate(game, analysis)?;
    if let Some(setup) = start {
        // The start given by the caller overrides the tags, so it replaces them.
        game.remove(&[&STARTS[..], &RULES[..]].concat());
        game.add("Start", setup.to_string());
    }
    Ok(game.sealed_as(game.seal()))
}

//! `gipf record puzzles`: positions with one good turn.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use gipf_env::notation::record::Record;
use gipf_play::Stop;
use gipf_play::analysis::{AnalysisError, Puzzle, PuzzleConfig, default_analyst, find_puzzles, spread};
use gipf_play::arena::key_of_opening;
use gipf_play::players::AgentSpec;

use super::{Known, file};
use crate::cli::output::{Force, check_apart};
use crate::cli::progress::bar;
use crate::cli::values::{number, whole};
use crate::cli::{Console, Exit};

/// Finds positions in which one turn is good and all others are clearly worse.
///
/// The turn must leave its player with an expected result of at least 0, and every other turn must be worse by 0.3 or
/// more. A search ten times as long must find the same turn, and every other turn is searched separately. Rotated and
/// mirrored positions count as one. The difficulty, 1 to 5, is how long the player has to think before it finds the turn;
/// each difficulty gets equally many puzzles if there are enough. Play them with `gipf play --puzzles FILE`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files of games; - reads from standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    known: Known,
    /// The maximum number of puzzles
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = whole::<u32>(1..))]
    count: u32,
    /// Who thinks [default: pretrained, or alpha-beta:8 for rule sets without a network]
    #[arg(long, value_name = "AGENT")]
    agent: Option<AgentSpec>,
    /// The simulations of the first search of a position, or for alpha-beta the positions visited
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = whole::<u64>(8..))]
    sims: u64,
    /// By how much every other turn must be worse, in expected result
    #[arg(long, value_name = "X", default_value_t = 0.3, value_parser = number(0.1..=2.0_f32))]
    gain: f32,
    /// The file to write to; standard output unless given
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  gipf record puzzles game.txt
  gipf record puzzles games/*.txt --count 300 --out puzzles.txt
  gipf play --puzzles puzzles.txt";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let output = args.force.open_of("--out", args.out.as_deref(), console)?;
    args.out.as_deref().map_or(Ok(()), |out| check_apart(out, args.files.iter().map(PathBuf::as_path)))?;
    let mut games = Vec::new();
    for path in &args.files {
        games.extend(file::games(path, &args.known, console)?);
    }
    // A game that cannot be read is reported before hours of work on others.
    let records = games.into_iter().map(|game| {
        game.warn(console);
        Ok(game.reading?.record)
    });
    let records = records.collect::<Result<Vec<_>>>()?;
    // A run may go on training meanwhile.
    let agent = args.agent.as_ref().map(AgentSpec::resolved).transpose()?;
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let bar = bar("searching".to_owned(), "games", records.len() as u64);
    let watch = console.stop.watch();
    for (number, record) in records.iter().enumerate() {
        match puzzles(record, agent.as_ref(), args, &console.stop) {
            Ok(puzzles) => found.extend(puzzles.into_iter().filter(|one| seen.insert(key_of_opening(&one.setup)))),
            Err(error) if error.downcast_ref() == Some(&AnalysisError::Stopped) => {
                bar.finish_and_clear();
                let told = format!("stopped after {number} of {} games", records.len());
                match output.filter(|_| !found.is_empty()) {
                    Some(output) => {
                        let path = output.fill_in_part(args.text(found).as_bytes())?;
                        console.note(format_args!("{told}: their puzzles are in {}", path.display()));
                    }
                    None => console.note(format_args!("{told}: no puzzle is written")),
                }
                return Ok(Exit::Interrupted);
            }
            Err(error) => return Err(error),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    drop(watch);
    // The command that poses puzzles would refuse an empty file.
    ensure!(!found.is_empty(), "no puzzle in the games: expected more of them, or a smaller --gain");
    let text = args.text(found);
    match output {
        Some(output) => output.fill(text.as_bytes())?,
        None => write!(console.out, "{text}")?,
    }
    Ok(Exit::Success)
}

impl Args {
    /// Returns the puzzles that are wanted of those found, as they are written.
    fn text(&self, found: Vec<Puzzle>) -> String {
        let puzzles = spread(found, self.count as usize);
        puzzles.iter().flat_map(|puzzle| [puzzle.to_string(), "\n".to_owned()]).collect()
    }
}

fn puzzles(record: &Record, agent: Option<&AgentSpec>, args: &Args, stop: &Stop) -> Result<Vec<Puzzle>> {
    let spec = agent.cloned().unwrap_or_else(|| default_analyst(record.variant()));
    let contender = spec.contender(record.variant())?;
    let config = PuzzleConfig { nodes: args.sims, gain: args.gain, ..PuzzleConfig::default() };
    Ok(find_puzzles(record, &contender, &config, stop)?)
}

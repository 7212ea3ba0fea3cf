//! `gipf self-play`: games of a checkpoint against itself, as a dataset.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Engine};

use super::{Console, Exit, WrongUse, progress};
use crate::config::GameConfig;
use crate::dataset::{DatasetWriter, Provenance, Summary};
use crate::evaluator::NetEvaluator;
use crate::sample::PlayedGame;
use crate::search::SearchConfig;
use crate::self_play::{Assignment, SelfPlayConfig, play_games};

/// Lets a checkpoint play against itself and writes the games as a Parquet dataset, one row a decision.
///
/// The dataset describes itself: see README.md in its directory. Ctrl-C ends it early and keeps the games that are done.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The network, a file that `gipf train` wrote; the rule set is its own
    #[arg(long, value_name = "FILE")]
    checkpoint: PathBuf,
    /// The number of games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The directory of the dataset; made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Simulations of a full search, whose policy is recorded
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    simulations: u32,
    /// The share of turns with a full search, 0 to 1; the others are searched cheaply
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share)]
    full_share: f64,
    /// Simulations of a cheap search
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    cheap_simulations: u32,
    /// Games begin with up to this many random decisions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = plies)]
    random_plies: usize,
    /// Placements after which a game is cut off
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// ZÈRTZ-potentials of each player, 3 to 6, where the rule set has them [default: 3]
    #[arg(long, value_name = "N")]
    potentials: Option<u8>,
    /// What the games draw their random numbers from: equal seeds, equal games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print what was written as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf self-play --checkpoint runs/standard-quick/checkpoints/000040.safetensors --games 1000 --out datasets/quick
  gipf self-play --checkpoint best.safetensors --games 100 --out datasets/deep --simulations 400 --seed 7";

/// Games played before they are handed to the writer.
const PORTION: u64 = 200;

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "expected a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("expected a number from 0 to 1".to_owned()) }
}

fn plies(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|plies| *plies <= 100).ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let checkpoint = Checkpoint::load(&args.checkpoint)?;
    let (variant, start) = args.start(&checkpoint)?;
    let engine = Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?);
    let (config, search) = (args.config(), SearchConfig::default());
    let provenance = args.provenance(variant, &config, &search)?;
    let writer = DatasetWriter::create(&args.out, provenance)?;
    let play =
        Assignment { start: &start, first_id: 0, games: args.games, seed: args.seed, config: &config, search: &search };
    let summary = write_games(&play, &engine, writer, console)?;
    if args.json {
        let files: Vec<_> = summary.files.iter().map(|file| file.display().to_string()).collect();
        let report = serde_json::json!({ "games": summary.games, "rows": summary.rows, "files": files });
        writeln!(console.out, "{report}")?;
    } else {
        writeln!(console.out, "{} games, {} decisions in {}", summary.games, summary.rows, args.out.display())?;
    }
    Ok(if summary.games < args.games { Exit::Interrupted } else { Exit::Success })
}

/// Plays portion by portion, and writes each when it is done.
fn write_games(
    all: &Assignment<'_, GipfPosition>,
    engine: &Arc<Engine>,
    mut writer: DatasetWriter,
    console: &Console<'_>,
) -> Result<Summary> {
    let bar = progress::bar("self-play".to_owned(), "games", all.games);
    let evaluator = || NetEvaluator::new(Arc::clone(engine));
    let ended = |_: &PlayedGame<GipfPosition>| bar.inc(1);
    let mut first_id = 0;
    while first_id < all.games {
        let portion = Assignment { first_id, games: PORTION.min(all.games - first_id), ..*all };
        let games = play_games(&portion, evaluator, &ended, &console.stop);
        games.iter().try_for_each(|game| writer.write_game(game))?;
        if (games.len() as u64) < portion.games {
            break;
        }
        first_id += portion.games;
    }
    bar.finish_and_clear();
    Ok(writer.finish()?)
}

impl Args {
    /// Returns the rule set of the checkpoint, and where its games begin.
    fn start(&self, checkpoint: &Checkpoint) -> Result<(Variant, GipfPosition)> {
        let game = &checkpoint.metadata.game;
        let variant = game.parse().with_context(|| format!("{} plays no GIPF", self.checkpoint.display()))?;
        let game = GameConfig { variant, limit: self.limit, potentials: self.potentials };
        let setup = game.setup().map_err(|error| WrongUse(format!("--potentials: {error}")))?;
        Ok((variant, GipfPosition::from_setup(&setup)?))
    }

    fn config(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            full_simulations: self.simulations,
            cheap_simulations: self.cheap_simulations,
            full_share: self.full_share,
            random_plies: self.random_plies,
            ..SelfPlayConfig::default()
        }
    }

    fn provenance(&self, variant: Variant, config: &SelfPlayConfig, search: &SearchConfig) -> Result<Provenance> {
        let bytes = std::fs::read(&self.checkpoint).with_context(|| self.checkpoint.display().to_string())?;
        let settings = serde_json::json!({
            "self_play": config, "search": search, "limit": self.limit, "potentials": self.potentials
        });
        let checkpoint = Some(blake3::hash(&bytes).to_string());
        Ok(Provenance { checkpoint, settings, ..Provenance::of(variant, self.seed) })
    }
}

//! `gipf self-play`: games of a checkpoint or an agent against itself, as a dataset.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Variant};
use gipf_models::{Checkpoint, Engine};
use gipf_play::players::{AgentSpec, Network};
use gipf_play::search::SearchConfig;
use gipf_play::{EvaluationCounts, GameConfig, NetEvaluator, Stop};

use super::cache::CacheArgs;
use super::data::Anew;
use super::threads::with_tasks_of;
use super::values::{number, whole};
use super::{Console, Exit, WrongUse, progress};
use crate::dataset::{self, DatasetError, DatasetWriter, LICENCE, OrderedWriter, Plan, Provenance, Summary};
use crate::training::metrics::CacheMetrics;
use crate::training::{
    AgentAssignment, AgentPlayConfig, Assignment, PlayedGame, SelfPlayConfig, play_agent_games, play_games,
};

/// Lets a checkpoint or an agent play against itself and writes the games as a Parquet dataset, one row per decision.
///
/// The policy in an agent's row is its choice. Agents without randomness repeat their games, so games begin with random
/// decisions. The dataset describes itself: see _README.md in its directory. Ctrl-C ends it early and keeps the finished
/// games as a partial dataset. After a stop or a kill, the same command resumes and writes exactly the same files, unless
/// the agent is limited in time or thinks on several threads. A run that keeps training has another network later: to be
/// able to resume, name the file of a network.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("player").required(true))]
pub(super) struct Args {
    /// The network: a file that `gipf train` wrote, a run, whose best or otherwise newest network plays, or pretrained, the
    /// one that comes with the program for the rule set
    #[arg(long, value_name = "FILE", group = "player")]
    checkpoint: Option<PathBuf>,
    /// Who plays without a network: baseline:1 to baseline:8, alpha-beta:1 to alpha-beta:8, alpha-beta: with
    /// limits, greedy, random
    #[arg(long, value_name = "AGENT", group = "player")]
    agent: Option<AgentSpec>,
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off; standard unless the network is
    /// for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// The share of an agent's decisions after the opening that are drawn at random, 0 to 1; they are marked as not to be
    /// learned
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number(0.0..=1.0))]
    #[arg(conflicts_with = "checkpoint")]
    noise: f64,
    /// The number of games
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    games: u64,
    /// The directory of the dataset; created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    anew: Anew,
    /// Simulations of a full search, whose policy is recorded
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole::<u32>(1..))]
    #[arg(conflicts_with = "agent")]
    simulations: u32,
    /// The share of turns with a full search, 0 to 1; the others are searched cheaply
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = number(0.0..=1.0), conflicts_with = "agent")]
    full_share: f64,
    /// Simulations of a cheap search
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = whole::<u32>(1..))]
    #[arg(conflicts_with = "agent", requires = "full_share")]
    cheap_simulations: u32,
    /// Games begin with up to this many random decisions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole::<usize>(0..=100))]
    random_plies: usize,
    /// Placements after which a game is cut off
    #[arg(long, alias = "limit", value_name = "N", default_value_t = PLACEMENT_LIMIT)]
    #[arg(value_parser = whole::<u16>(1..))]
    placement_limit: u16,
    /// ZÈRTZ-potentials of each player, 3 to 6, where the rule set has them [default: 3]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(3..=6))]
    potentials: Option<u8>,
    /// The seed of the games: equal seeds give equal games, unless the agent is limited in time or thinks on several
    /// threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    #[command(flatten)]
    cache: CacheArgs,
    /// The licence of the games, as an SPDX expression
    #[arg(long, alias = "license", value_name = "SPDX", default_value = LICENCE, value_parser = dataset::licence)]
    licence: String,
    /// Print a summary as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf self-play --checkpoint runs/standard-quick --games 1000 \\
      --out datasets/quick
  gipf self-play --checkpoint pretrained --variant tournament --games 1000 \\
      --out datasets/tournament
  gipf self-play --checkpoint best.safetensors --games 100 \\
      --out datasets/deep --simulations 400 --seed 7
  gipf self-play --agent alpha-beta:2 --games 5000 --random-plies 12 \\
      --noise 0.05 --out datasets/baseline";

/// Games played at once: all of them stay in memory until the last one has ended.
const PORTION: u64 = 200;

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let (summary, cache) = match (&args.checkpoint, &args.agent) {
        (Some(path), _) => play_checkpoint(args, path, console)?,
        (None, Some(spec)) => (play_agent(args, spec, console)?, None),
        (None, None) => return Err(WrongUse("expected --checkpoint FILE or --agent AGENT".to_owned()).into()),
    };
    if args.json {
        let files: Vec<_> = summary.files.iter().map(|file| file.display().to_string()).collect();
        let mut report = serde_json::json!({ "games": summary.games, "rows": summary.rows, "files": files });
        if let Some(cache) = cache {
            report["cache"] = serde_json::json!(cache);
        }
        console.tell_json(&report).expect("a value of JSON can be written");
    } else {
        console.tell(format_args!("{} games, {} decisions in {}", summary.games, summary.rows, args.out.display()));
    }
    if summary.games < args.games {
        let told = format!("stopped after {} of {} games", summary.games, args.games);
        console.note(format_args!("{told}; the same command resumes"));
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Success)
}

fn play_checkpoint(args: &Args, path: &Path, console: &Console<'_>) -> Result<(Summary, Option<CacheMetrics>)> {
    let network = Network::named(path).resolved()?;
    let variant = args.variant.or(network.variant()?).unwrap_or(Variant::STANDARD);
    let start = args.start(variant)?;
    let bytes = network.bytes(variant)?;
    let Checkpoint { weights, config, .. } = network.checkpoint_of(&bytes, variant)?;
    let engine = Arc::new(Engine::new(&weights, &config).with_context(|| network.to_string())?);
    let (config, search) = (args.config(), SearchConfig::self_play());
    let writer = args.writer(args.provenance(variant, &bytes, &search), &bytes)?;
    let counts = EvaluationCounts::default();
    let evaluator = || NetEvaluator::new(Arc::clone(&engine)).with_cache(config.cache).counting(&counts);
    let (games, seed) = (args.games, args.seed);
    let all = Assignment { start: &start, archive: &[], first_id: 0, games, seed, config: &config, search: &search };
    let play = |first_id, games, ended: &Ended<'_>| {
        play_games(&Assignment { first_id, games, ..all }, evaluator, &ended, &console.stop)
    };
    let summary = write_games(args.games, writer, play, &console.stop)?;
    Ok((summary, CacheMetrics::of(&counts, config.cache)))
}

fn play_agent(args: &Args, spec: &AgentSpec, console: &Console<'_>) -> Result<Summary> {
    if matches!(spec, AgentSpec::Checkpoint(_) | AgentSpec::Level(_)) {
        let told = "expected an agent without a network; a checkpoint plays with --checkpoint FILE";
        return Err(WrongUse(format!("--agent {spec}: {told}")).into());
    }
    if args.cache.config().megabytes > 0 {
        return Err(WrongUse("--cache: expected it with --checkpoint, since an agent keeps its own".to_owned()).into());
    }
    spec.check_end()?;
    let variant = args.variant.unwrap_or(Variant::STANDARD);
    let (start, file) = (args.start(variant)?, spec.file(variant)?);
    let agent = spec.contender_of(&file, variant)?;
    let config = AgentPlayConfig { random_plies: args.random_plies, noise: args.noise };
    let settings = serde_json::json!({
        "agent": agent.name, "self_play": config, "limit": args.placement_limit, "potentials": args.potentials
    });
    let licence = args.licence.clone();
    let provenance = Provenance { settings, licence, ..Provenance::of(variant, args.seed) };
    let writer = args.writer(provenance, &file)?;
    let all = AgentAssignment { start: &start, first_id: 0, games: args.games, seed: args.seed, config };
    let stop = &console.stop;
    let play = |first_id, games, ended: &Ended<'_>| {
        play_agent_games(&AgentAssignment { first_id, games, ..all }, &agent.build, &ended, stop)
    };
    with_tasks_of(spec.threads(), || write_games(args.games, writer, play, stop))
}

/// Called when a game ends.
type Ended<'a> = dyn Fn(&PlayedGame<GipfPosition>) + Sync + 'a;

/// Plays portion by portion, and writes the games in order of their numbers, beginning with the first missing one. `play`
/// is given the first number and the number of games.
fn write_games(
    games: u64,
    writer: DatasetWriter,
    play: impl Fn(u64, u64, &Ended<'_>) -> Vec<PlayedGame<GipfPosition>>,
    stop: &Stop,
) -> Result<Summary> {
    let bar = progress::bar("self-play".to_owned(), "games", games);
    let mut writer = OrderedWriter::new(writer)?;
    bar.inc(writer.games());
    while writer.next() < games {
        let portion = writer.next()..games.min(writer.next() + PORTION);
        for missing in writer.missing(portion.clone()) {
            let taking = Taking::of(&mut writer, stop);
            let ended = |game: &PlayedGame<_>| {
                bar.inc(1);
                taking.add(game);
            };
            play(missing.start, missing.end - missing.start, &ended);
            taking.end()?;
        }
        if writer.next() < portion.end {
            bar.finish_and_clear();
            return Ok(writer.keep()?);
        }
    }
    bar.finish_and_clear();
    Ok(writer.finish()?)
}

/// Gives games to the writer as they end, on any thread: a kill then loses only the last minute, however long games take.
struct Taking<'a> {
    writer: Mutex<(&'a mut OrderedWriter, Result<(), DatasetError>)>,
    stop: &'a Stop,
}

impl<'a> Taking<'a> {
    fn of(writer: &'a mut OrderedWriter, stop: &'a Stop) -> Self {
        Self { writer: Mutex::new((writer, Ok(()))), stop }
    }

    fn add(&self, game: &PlayedGame<GipfPosition>) {
        let (writer, result) = &mut *self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if result.is_err() {
            return;
        }
        *result = writer.add(game).and_then(|()| writer.keep_at_times());
        if result.is_err() {
            // Games that cannot be written are not worth playing.
            self.stop.request();
        }
    }

    fn end(self) -> Result<(), DatasetError> {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}

impl Args {
    /// Returns where games of a rule set begin.
    fn start(&self, variant: Variant) -> Result<GipfPosition> {
        let game = GameConfig { variant, placement_limit: self.placement_limit, potentials: self.potentials };
        let setup = game.setup().map_err(|error| WrongUse(format!("--potentials: {error}")))?;
        Ok(GipfPosition::from_setup(&setup)?)
    }

    fn config(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            full_simulations: self.simulations,
            cheap_simulations: self.cheap_simulations,
            full_share: self.full_share,
            random_plies: self.random_plies,
            cache: self.cache.config(),
            ..SelfPlayConfig::default()
        }
    }

    /// Begins or resumes the dataset of a player; `file` is the content of the file that it is built from, or empty.
    fn writer(&self, provenance: Provenance, file: &[u8]) -> Result<DatasetWriter, DatasetError> {
        let parents = (!file.is_empty()).then(|| blake3::hash(file).to_string()).into_iter().collect();
        let plan = Plan { games: Some(self.games), parents, ..Plan::new("self-play", provenance) };
        DatasetWriter::create(&self.out, plan, self.anew.existing())
    }

    fn provenance(&self, variant: Variant, network: &[u8], search: &SearchConfig) -> Provenance {
        let settings = serde_json::json!({
            "self_play": self.config(), "search": search, "limit": self.placement_limit, "potentials": self.potentials
        });
        let checkpoint = Some(blake3::hash(network).to_string());
        let licence = self.licence.clone();
        Provenance { checkpoint, settings, licence, ..Provenance::of(variant, self.seed) }
    }
}

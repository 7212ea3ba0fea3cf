//! `gipf eval`: measures an agent against others.

mod records;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Variant};
use gipf_play::Stop;
use gipf_play::arena::{Keeper, Match, MatchConfig, Monitor, OpeningSource, Sprt, TimeControl, play_match};
use gipf_play::players::{AgentError, AgentSpec, Contender, program};
use gipf_play::ugi::{CommandLine, UgiGame};

use self::records::Records;
use super::opening_book::read_book;
use super::output::{Force, check_apart};
use super::threads::with_tasks_of;
use super::values::{number, time, whole};
use super::{Console, Exit, WrongUse, agent, progress};

/// Measures an agent, such as a checkpoint, against the baselines or any other agents.
///
/// Plays pairs of games from the same opening, random or from a book, with colours exchanged, and reports the score, the
/// Elo and their intervals. Ctrl-C ends the match and reports the games played.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who is measured: a checkpoint or a run as its path or mcts:PATH,sims=64 or mcts:PATH,time=50ms; pretrained, the
    /// network that comes with the program, or pretrained:sims=64; baseline:1 to baseline:8, alpha-beta:1 to
    /// alpha-beta:8, level:1 to level:10, greedy, random
    #[arg(value_name = "AGENT", default_value = "pretrained")]
    agent: AgentSpec,
    /// The opponent; may be repeated [default: random, greedy and alpha-beta:1, unless a command is given]
    #[arg(long, value_name = "AGENT")]
    against: Vec<AgentSpec>,
    /// A program to play against that speaks UGI, with its arguments; may be repeated. A crash, an illegal move or a late
    /// answer loses the game
    #[arg(long, value_name = "COMMAND")]
    against_command: Vec<CommandLine>,
    /// The time of such a program for a turn, such as 50ms or 1.5s; an answer may be one second late [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "against_command")]
    move_time: Option<Duration>,
    /// Play by the clock: the time of each player for a game, and optionally an increment per turn, such as 60s or 5m+3s.
    ///
    /// The rules are those of the official FAQ: a player whose flag falls may finish the turn, within a minute, and has
    /// lost unless that turn wins; a game that is void by repetition is replayed from the end of its opening with colours
    /// and clocks exchanged, at most seven times. Programs are sent the clocks; the time they take to get ready for a game,
    /// before their first turn in it, is not charged. Agents limited in time, or not at all (mcts:PATH,time=…,
    /// alpha-beta:time=…), think as long as the clock allows instead; those with another limit (alpha-beta:3, sims=64) keep
    /// it, and their time is charged
    #[arg(long, value_name = "TIME[+INCREMENT]", conflicts_with = "move_time")]
    clock: Option<TimeControl>,
    /// Write all games to this file, as text like PGN. Until all are played they are in FILE.partial, from which the same
    /// command resumes
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// The rule set: basic, standard or tournament, each also with +zertz, or push-off; standard unless the checkpoint
    /// is for another
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Games against each opponent: an even number, since they are played in pairs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole::<u32>(1..))]
    games: u32,
    /// The number of turns at the start of a game that are played at random
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<usize>(..))]
    opening: usize,
    /// Play balanced openings from a book instead: the rule set's own, which comes with the program (256 openings, so at
    /// most 512 games), or one from a file, which `gipf book` writes
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["opening", "potentials"])]
    #[allow(clippy::option_option, reason = "as clap tells of an option without its value")]
    book: Option<Option<PathBuf>>,
    /// Placements after which a game is cut off and counts as a draw
    #[arg(long, alias = "limit", value_name = "N", default_value_t = PLACEMENT_LIMIT)]
    #[arg(value_parser = whole::<u16>(1..))]
    placement_limit: u16,
    /// ZÈRTZ-potentials of each player, 3 to 6, where the rule set has them [default: 3]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(3..=6))]
    potentials: Option<u8>,
    /// The seed of openings and agents
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(..))]
    seed: u64,
    /// End a match once it is clear whether the agent is better by the first or by the second number of Elo points
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, value_parser = number(-MOST_ELO..=MOST_ELO))]
    sprt: Option<Vec<f64>>,
    /// Print each report as a line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf eval
  gipf eval runs/standard-quick
  gipf eval runs/standard-quick/checkpoints/000024.safetensors
  gipf eval mcts:best.safetensors,time=50ms --against alpha-beta:time=50ms \\
      --games 100
  gipf eval alpha-beta:2 --against alpha-beta:1 --games 100 --book
  gipf eval alpha-beta:3 --against alpha-beta:2 --sprt 0 50 --games 2000 \\
      --json
  gipf eval alpha-beta:time=1s --against-command ./engine --clock 60s+1s \\
      --games 20
  gipf eval alpha-beta:3 --against-command './engine --threads 1' \\
      --move-time 500ms --records games.pgn";

/// The default opponent.
const BASELINES: [&str; 3] = ["random", "greedy", "alpha-beta:1"];

/// The largest difference in Elo that is tested for: beyond it, the chance of winning is 0 or 1 to most digits.
const MOST_ELO: f64 = 2000.0;

/// The time of a program for a turn, unless it is given.
pub(super) const MOVE_TIME: Duration = Duration::from_secs(1);

/// The delay allowed for the answer of a program: the time to be woken on a busy machine.
pub(super) const GRACE: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    args.check_book()?;
    args.check_records()?;
    // A run may keep training: the network is fixed here, so that the file of the games is about the one that plays.
    let args = &args.resolved()?;
    let against = args.opponents()?;
    let config = args.match_config(&against, console)?;
    let agent = args.agent.contender(config.variant)?;
    // All of them before the first match, so that no error comes up in the middle.
    let opponents =
        against.iter().map(|opponent| opponent.contender(args.move_time.unwrap_or(MOVE_TIME), config.variant));
    let opponents: Vec<_> = opponents.collect::<Result<_>>()?;
    // Only now: a file of theirs may never end, and before this point there is nothing to save.
    let _watch = console.stop.watch();
    let stop = console.stop.clone();
    let mut records = args.records.as_ref().map(|file| Records::open(file, args, &config, console)).transpose()?;
    for (number, opponent) in opponents.iter().enumerate() {
        let played = with_tasks_of(args.threads_of_a_game(), || {
            play(number, &config, [&agent, opponent], records.as_ref(), &stop)
        })?;
        match played.report.games {
            _ if args.json => console.tell_json(&played.report)?,
            // A score of no games would look like a result.
            0 => (),
            _ => console.tell(format_args!("{}\n", played.report)),
        }
        if let Some(records) = &mut records {
            records.add(&played)?;
        }
        if console.stop.requested() {
            let (games, wanted) = (played.report.games, played.report.games_wanted);
            console.note(format_args!("stopped after {games} of {wanted} games"));
            records.map_or(Ok(()), |records| records.leave(console))?;
            return Ok(Exit::Interrupted);
        }
    }
    records.map_or(Ok(()), Records::finish)?;
    Ok(Exit::Success)
}

/// An opponent.
enum Opponent {
    Agent(AgentSpec),
    Program(CommandLine),
}

impl Opponent {
    fn contender(&self, time: Duration, variant: Variant) -> Result<Contender<GipfPosition>> {
        Ok(match self {
            Self::Agent(spec) => spec.contender(variant)?,
            Self::Program(command) => program(command.clone(), variant, time, GRACE)?,
        })
    }
}

impl Args {
    /// Returns the same arguments, with the networks of runs as they are now.
    fn resolved(&self) -> Result<Self, AgentError> {
        let resolved = |spec: &AgentSpec| {
            let limited = if self.clock.is_some() { Ok(()) } else { spec.check_end() };
            limited.and_then(|()| spec.resolved())
        };
        let against = self.against.iter().map(resolved).collect::<Result<_, AgentError>>()?;
        Ok(Self { agent: resolved(&self.agent)?, against, ..self.clone() })
    }

    /// Returns the number of threads on which the players of a game think, one player after the other.
    fn threads_of_a_game(&self) -> usize {
        self.against.iter().chain([&self.agent]).map(AgentSpec::threads).max().unwrap_or(1)
    }

    fn opponents(&self) -> Result<Vec<Opponent>> {
        let mut against: Vec<_> = self.against.iter().cloned().map(Opponent::Agent).collect();
        against.extend(self.against_command.iter().cloned().map(Opponent::Program));
        if against.is_empty() {
            let baselines: Result<Vec<_>, _> = BASELINES.iter().map(|name| name.parse().map(Opponent::Agent)).collect();
            against = baselines?;
        }
        Ok(against)
    }

    fn match_config(&self, against: &[Opponent], console: &mut Console<'_>) -> Result<MatchConfig> {
        let pairs = agent::pairs(self.games.into())?;
        let others = against.iter().filter_map(|opponent| match opponent {
            Opponent::Agent(spec) => Some(spec),
            Opponent::Program(_) => None,
        });
        let agents: Vec<_> = std::iter::once(&self.agent).chain(others).collect();
        let variant = agent::variant(self.variant, &agents)?;
        self.check_notation(variant)?;
        let openings = match &self.book {
            None => OpeningSource::Random { turns: self.opening },
            Some(file) => OpeningSource::Book(Arc::new(read_book(file.as_deref(), variant, console)?)),
        };
        Ok(MatchConfig {
            openings,
            placement_limit: self.placement_limit,
            potentials: self.potentials,
            seed: self.seed,
            sprt: self.sprt()?,
            clock: self.clock,
            ..MatchConfig::new(variant, pairs as usize)
        })
    }

    /// Refuses a text file that was taken for the agent although it was meant as the book.
    fn check_book(&self) -> Result<(), WrongUse> {
        let text = self.agent.path().filter(|path| self.book == Some(None) && is_text(path));
        let told = |path: &Path| format!("--book {0}: expected --book={0}, since it is no network", path.display());
        text.map_or(Ok(()), |path| Err(WrongUse(told(path))))
    }

    /// Checks that the file of the games, if one is to be written, replaces nothing that is read.
    fn check_records(&self) -> Result<(), WrongUse> {
        self.force.check("--records", self.records.as_deref())?;
        let Some(records) = &self.records else { return Ok(()) };
        let book = self.book.iter().flatten().map(PathBuf::as_path);
        let files = self.against.iter().chain([&self.agent]).filter_map(AgentSpec::path);
        check_apart(records, files.chain(book))
    }

    /// Turns are sent to programs in notation, and records are written in it.
    fn check_notation(&self, variant: Variant) -> Result<(), WrongUse> {
        let option = match (&self.records, self.against_command.as_slice()) {
            (Some(_), _) => "--records",
            (None, [_, ..]) => "--against-command",
            (None, []) => return Ok(()),
        };
        if UgiGame::is_told(variant) {
            return Ok(());
        }
        Err(WrongUse(format!("{option}: {variant} has no notation to write turns in: expected another rule set")))
    }

    fn sprt(&self) -> Result<Option<Sprt>, WrongUse> {
        match self.sprt.as_deref() {
            None => Ok(None),
            Some(&[elo0, elo1]) if elo0 < elo1 => Ok(Some(Sprt::new(elo0, elo1))),
            Some(bounds) => Err(WrongUse(format!("--sprt {bounds:?}: expected two numbers of Elo, the smaller first"))),
        }
    }
}

/// Returns whether a file begins like a text, as no network does.
fn is_text(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = path.is_file() && File::open(path).and_then(|file| file.take(64).read_to_end(&mut head)).is_ok();
    read && head.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

/// Plays one match of the command, by its number.
fn play(
    number: usize,
    config: &MatchConfig,
    contenders: [&Contender<GipfPosition>; 2],
    records: Option<&Records>,
    stop: &Stop,
) -> Result<Match> {
    let names = contenders.map(|contender| contender.name.as_str());
    let bar = progress::bar(format!("against {}", names[1]), "pairs", config.pairs as u64);
    let journal = records.and_then(|records| records.journal(number, names));
    let monitor = Monitor {
        progress: &|progress| bar.set_position(progress.pairs_done),
        stop,
        keeper: journal.as_ref().map(|journal| journal as &dyn Keeper),
    };
    let played = play_match(config, contenders, monitor);
    bar.finish_and_clear();
    Ok(played?)
}

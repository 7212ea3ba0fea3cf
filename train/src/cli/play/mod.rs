//! `gipf play`: a person against an agent, in the terminal.

mod command;
mod file;
mod game;
mod hint;
mod older;
mod puzzles;
mod said;
mod session;
mod spelling;
mod story;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use gipf_env::{Player, Setup, Variant};
use gipf_play::players::AgentSpec;

use self::file::{GameFile, SavedGame};
use self::game::Game;
use self::hint::Adviser;
use self::said::Said;
use self::session::Session;
use super::values::whole;
use super::{Console, Exit, WrongUse, agent};
use crate::output::{check_named, check_outside_runs};

/// Plays GIPF against any agent, in the terminal.
///
/// Moves are typed as coordinates, such as e2, e1-e4 or Ge2, or picked from a list; `help` in the game explains the
/// other commands.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Who plays against you: level:1, for beginners, to level:10; the strongest, pretrained:time=1s; random, greedy,
    /// baseline:1 to baseline:8, or a checkpoint or a run as its path or mcts:PATH,sims=200 [default: level:3]
    #[arg(value_name = "AGENT")]
    opponent: Option<AgentSpec>,
    /// The rule set: basic, standard or tournament, each also with +zertz; or push-off
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// ZÈRTZ-potentials of each player, 3 to 6, where the rule set has them [default: 3]
    #[arg(long, value_name = "N", value_parser = whole::<u8>(3..=6), conflicts_with = "position")]
    potentials: Option<u8>,
    /// Your colour: white begins
    #[arg(long, value_name = "COLOUR", value_parser = colour)]
    colour: Option<Player>,
    /// Where to start, as position text, instead of the start of a game
    #[arg(long, value_name = "GPN", conflicts_with = "variant")]
    position: Option<Setup>,
    /// Save the game to this file after every turn; if the file exists, resume the game in it. It is a record, which
    /// `gipf record show` reads
    #[arg(long, value_name = "FILE")]
    game: Option<PathBuf>,
    /// Instead of a game, pose puzzles: find the one good turn. Either those that come with the program for basic, standard
    /// (the default) or tournament, or those in a file that `gipf record puzzles` wrote
    #[arg(long, value_name = "NAME|FILE", num_args = 0..=1, default_missing_value = "standard", conflicts_with_all = ["opponent", "variant", "potentials", "colour", "position", "game", "seed"])]
    puzzles: Option<PathBuf>,
    /// The seed of the opponent; without it, games differ every time
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
}

const EXAMPLES: &str = "Examples:
  gipf play
  gipf play level:6
  gipf play alpha-beta:4 --variant tournament --colour black
  gipf play runs/standard-quick/checkpoints/000024.safetensors
  gipf play random --game my-game.txt
  gipf play --puzzles
  gipf play --puzzles my-puzzles.txt";

/// The default opponent: one that a beginner can beat.
const OPPONENT: &str = "level:3";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    if let Some(path) = &args.puzzles {
        return puzzles::run(path, console);
    }
    args.game.as_deref().map_or(Ok(()), check_named)?;
    let (file, saved) = match &args.game {
        Some(path) if path.exists() => {
            let (file, saved, notes) = GameFile::load(path)?;
            for note in notes {
                console.warn(&format!("{}: {note}", path.display()));
            }
            (Some(file), args.go_on(saved)?)
        }
        path => {
            path.as_deref().map_or(Ok(()), check_outside_runs)?;
            (path.as_deref().map(GameFile::new), args.begin()?)
        }
    };
    let spec: AgentSpec = saved.opponent.parse()?;
    spec.check_end()?;
    let variant = saved.game.setup().variant;
    let opponent = (spec.contender(variant)?.build)();
    let adviser = Adviser::of(&spec, variant)?;
    Session { console, saved, opponent, adviser, file, unsaved: None }.run()
}

impl Args {
    fn begin(&self) -> Result<SavedGame> {
        let setup = match &self.position {
            Some(setup) => setup.clone(),
            None => self.start()?,
        };
        Ok(SavedGame {
            game: Game::new(setup),
            person: self.colour.unwrap_or(Player::White),
            opponent: self.opponent.as_ref().map_or_else(|| OPPONENT.to_owned(), ToString::to_string),
            seed: self.seed.unwrap_or_else(seed_of_the_moment),
            said: Said::default(),
        })
    }

    fn start(&self) -> Result<Setup> {
        let start = Setup::start(agent::variant(self.variant, &self.opponent.iter().collect::<Vec<_>>())?);
        let Some(potentials) = self.potentials else { return Ok(start) };
        Ok(start.with_potentials(potentials).map_err(|error| WrongUse(format!("--potentials: {error}")))?)
    }

    /// Returns the saved game, with another opponent if one is named.
    fn go_on(&self, saved: SavedGame) -> Result<SavedGame, WrongUse> {
        let start = self.variant.is_some() || self.position.is_some() || self.potentials.is_some();
        if start || self.colour.is_some() {
            let told = "--game names a saved game, which has its variant, start and colours: expected none of them";
            return Err(WrongUse(told.to_owned()));
        }
        let opponent = self.opponent.as_ref().map_or(saved.opponent, ToString::to_string);
        Ok(SavedGame { opponent, seed: self.seed.unwrap_or(saved.seed), ..saved })
    }
}

fn colour(text: &str) -> Result<Player, String> {
    match text.to_lowercase().as_str() {
        "white" | "w" => Ok(Player::White),
        "black" | "b" => Ok(Player::Black),
        _ => Err("expected white or black".to_owned()),
    }
}

/// Without a given seed, games should differ each time.
fn seed_of_the_moment() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

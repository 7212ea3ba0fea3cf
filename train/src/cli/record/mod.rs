//! `gipf record`: games written down by people or by matches.

mod analyse;
mod convert;
mod file;
mod puzzles;
mod report;
mod show;

use std::path::PathBuf;

use anyhow::Result;
use gipf_env::notation::record::{Conclusion, Family, Reading, Record, Source};
use gipf_env::{Player, Reason, Setup, Variant};
use gipf_play::arena::GAMES;
use serde::Serialize;

use self::file::Game;
use super::values::whole;
use super::{Console, Exit, WrongUse, error};

/// Reads games in a published notation, replays them by the rules, and shows or converts them.
///
/// It understands the official notation (score sheet, running text, one turn per line; short and complete), the notation
/// that Julio974 published in 2020, the match records of `gipf eval --records`, and the games that `gipf play` saves.
///
/// The tags Start, FEN or Variant state where a game starts. Warnings report tags that are not understood, and games that
/// were changed after this program wrote them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  gipf record check game.txt
  gipf record show game.txt | less
  gipf record analyse game.txt
  gipf record convert game.txt --to julio";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(CheckArgs),
    Show(show::Args),
    Analyse(analyse::Args),
    Puzzles(puzzles::Args),
    Convert(convert::Args),
}

/// The options for reading games.
#[derive(Debug, clap::Args)]
struct Known {
    /// The notation, official or julio; detected from the text unless given
    #[arg(long, value_name = "NAME", value_parser = family)]
    notation: Option<Family>,
    /// The rule set; detected from the text unless given
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Where the games start, as position text
    #[arg(long, value_name = "GPN", conflicts_with = "variant")]
    position: Option<Setup>,
}

impl Known {
    fn source(&self) -> Source {
        let rules = self.variant.map(Source::of_variant).unwrap_or_default();
        Source { family: self.notation, setup: self.position.clone().or(rules.setup), ..rules }
    }
}

/// The games of a file, or one of them.
#[derive(Debug, clap::Args)]
struct Selection {
    /// A file of games; - reads from standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    known: Known,
    /// Only the game with this number
    #[arg(long, value_name = "N", value_parser = whole::<usize>(..))]
    game: Option<usize>,
}

impl Selection {
    /// Returns whether the caller says where the games start.
    const fn is_told_where_it_starts(&self) -> bool {
        self.known.variant.is_some() || self.known.position.is_some()
    }

    fn games(&self, console: &mut Console<'_>) -> Result<Vec<Game>> {
        let mut games = file::games(&self.file, &self.known, console)?;
        if let Some(number) = self.game {
            let count = games.len();
            let game = number.checked_sub(1).and_then(|place| games.into_iter().nth(place));
            let mut game = game.ok_or_else(|| WrongUse(format!("--game {number}: expected 1 to {count}")))?;
            // The other games of the file are left out on purpose, so their count is not checked.
            game.tagged.remove(&[GAMES]);
            games = vec![game];
        }
        for game in &games {
            game.warn(console);
        }
        Ok(games)
    }
}

/// Replays every game and prints how it ends, or what cannot be played.
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct CheckArgs {
    /// Files of games; - reads from standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    known: Known,
    /// Print a line of JSON for each game
    #[arg(long)]
    json: bool,
}

const CHECK_EXAMPLES: &str = "Examples:
  gipf record check game.txt
  gipf record check --variant tournament sheet.txt";

pub(in crate::cli) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    match &args.command {
        Command::Check(args) => check(args, console),
        Command::Show(args) => show::run(args, console),
        Command::Analyse(args) => analyse::run(args, console),
        Command::Puzzles(args) => puzzles::run(args, console),
        Command::Convert(args) => convert::run(args, console),
    }
}

fn family(text: &str) -> Result<Family, String> {
    match text {
        "official" => Ok(Family::Official),
        "julio" => Ok(Family::Julio),
        _ => Err("expected official or julio".to_owned()),
    }
}

/// Continues after a file that cannot be read or a game that cannot be played: each is reported.
fn check(args: &CheckArgs, console: &mut Console<'_>) -> Result<Exit> {
    let mut exit = Exit::Success;
    for path in &args.files {
        let games = match file::games(path, &args.known, console) {
            Ok(games) => games,
            Err(wrong) => {
                exit = Exit::Failure;
                report(&path.display().to_string(), &wrong, args, console)?;
                continue;
            }
        };
        for game in games {
            game.warn(console);
            match game.reading {
                Ok(reading) if args.json => console.tell_json(&CheckedGame::of(&game.name, &reading, game.notes))?,
                Ok(reading) => console.tell(format_args!("{}: {}", game.name, told(&reading))),
                Err(wrong) => {
                    exit = Exit::Failure;
                    report(&game.name, &wrong.into(), args, console)?;
                }
            }
        }
    }
    Ok(exit)
}

fn report(game: &str, wrong: &anyhow::Error, args: &CheckArgs, console: &mut Console<'_>) -> Result<()> {
    if args.json {
        return Ok(console.tell_json(&Refusal { game, error: format!("{wrong:#}") })?);
    }
    error::report(wrong, console);
    Ok(())
}

/// Returns a summary of the record, in one line.
fn told(reading: &Reading) -> String {
    let [white, black] = reserves(reading);
    let turns = reading.record.turns().len();
    let ending = ending(&reading.record);
    format!("{reading}: {turns} turns, {ending}, White {white} in reserve, Black {black}")
}

fn ending(record: &Record) -> String {
    let was_cut_off = record.outcome().is_some_and(|outcome| outcome.reason == Reason::Limit);
    let limit = record.setup().placement_limit.or(record.variant().compulsory_limit());
    match limit.filter(|_| was_cut_off) {
        Some(limit) => format!("cut off by the limit of {limit} placements"),
        None => record.conclusion().map_or_else(|| "not concluded".to_owned(), |end| end.to_string()),
    }
}

/// Returns the reserves of White and Black at the end.
fn reserves(reading: &Reading) -> [u8; 2] {
    let record = &reading.record;
    Player::BOTH.map(|player| {
        let last = record.turns().iter().rfind(|turn| turn.player == player);
        last.map_or(record.setup().reserves[player.index()], |turn| turn.reserve)
    })
}

#[derive(Serialize)]
struct CheckedGame<'a> {
    game: &'a str,
    notation: &'static str,
    variant: Variant,
    turns: usize,
    winner: Option<Player>,
    concluded: bool,
    /// How the rules ended the game; null if they did not.
    ending: Option<&'static str>,
    reserves: [u8; 2],
    warnings: Vec<String>,
}

impl<'a> CheckedGame<'a> {
    fn of(game: &'a str, reading: &Reading, warnings: Vec<String>) -> Self {
        let conclusion = reading.record.conclusion();
        Self {
            game,
            notation: match reading.family {
                Family::Official => "official",
                Family::Julio => "julio",
            },
            variant: reading.record.variant(),
            turns: reading.record.turns().len(),
            winner: if let Some(Conclusion::Won(winner)) = conclusion { Some(winner) } else { None },
            concluded: conclusion.is_some(),
            ending: reading.record.outcome().map(|outcome| outcome.reason.word()),
            reserves: reserves(reading),
            warnings,
        }
    }
}

#[derive(Serialize)]
struct Refusal<'a> {
    game: &'a str,
    error: String,
}

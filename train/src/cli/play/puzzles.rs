//! `gipf play --puzzles`: find the one good turn.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gipf_env::text::without_mark;
use gipf_env::{GipfPosition, Style, Variant};
use gipf_models::read_text;
use gipf_play::analysis::{Puzzle, puzzle_set};

use super::command::Command;
use crate::cli::{Console, Exit};

const HELP: &str = "\
Type a whole turn, such as e2, e1-e4 or a1-f5;x, or one of:
  hint   how the turn begins
  show   the turn, and what is expected to follow
  next   the next puzzle
  quit   the end";

/// Longer files cannot be puzzles.
const LONGEST_FILE: u64 = 16 << 20;

/// What happens after a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Ask,
    Next,
    Leave,
}

/// Poses the puzzles of a file, one after the other.
pub(super) fn run(path: &Path, console: &mut Console<'_>) -> Result<Exit> {
    let puzzles = puzzles(path)?;
    let (mut solved, count) = (0, puzzles.len());
    for (number, puzzle) in (1..).zip(&puzzles) {
        writeln!(console.out, "Puzzle {number} of {count}, difficulty {} of 5", puzzle.difficulty)?;
        let (is_solved, then) = pose(puzzle, console)?;
        solved += usize::from(is_solved);
        if then == Then::Leave {
            break;
        }
    }
    writeln!(console.out, "Solved at the first try: {solved}.")?;
    Ok(Exit::Success)
}

/// Returns the puzzles in a file, or those that come with the program for the rule set of this name.
fn puzzles(path: &Path) -> Result<Vec<Puzzle>> {
    let variant = path.to_str().and_then(|name| name.parse::<Variant>().ok());
    if let Some(shipped) = variant.and_then(puzzle_set) {
        return Ok(shipped);
    }
    let named = || format!("{}: expected basic, standard, tournament or a file of puzzles", path.display());
    let text = read_text(path, LONGEST_FILE).with_context(named)?;
    let lines =
        (1..).zip(without_mark(&text).lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let puzzle = |(number, line): (usize, &str)| {
        line.parse::<Puzzle>().with_context(|| format!("{}, line {number}", path.display()))
    };
    let puzzles = lines.map(puzzle).collect::<Result<Vec<_>>>()?;
    if puzzles.is_empty() {
        bail!("{}: no puzzles, expected those of `gipf record puzzles`", path.display());
    }
    Ok(puzzles)
}

/// Poses one puzzle; returns whether the first try was right, and what happens next.
fn pose(puzzle: &Puzzle, console: &mut Console<'_>) -> Result<(bool, Then)> {
    let position = GipfPosition::from_setup(&puzzle.setup)?;
    let style = if console.colours { Style::Ansi } else { Style::Plain };
    writeln!(console.out, "{}", position.drawing().with_style(style))?;
    writeln!(console.out, "{} to move: which turn is best? (`help` for help)", puzzle.setup.to_move)?;
    let mut tries = 0;
    loop {
        let Some(line) = console.next_line()?.filter(|_| !console.stop.requested()) else {
            return Ok((false, Then::Leave));
        };
        let (then, is_right) = answer(puzzle, line.trim(), &mut tries, console)?;
        if then != Then::Ask {
            return Ok((is_right && tries == 1, then));
        }
    }
}

/// Answers a line; returns what happens next, and whether the line was the solution.
fn answer(puzzle: &Puzzle, line: &str, tries: &mut u32, console: &mut Console<'_>) -> Result<(Then, bool)> {
    let told = match (Command::of(line), line.to_lowercase().as_str()) {
        (Command::Nothing, _) => return Ok((Then::Ask, false)),
        (Command::Quit, _) => return Ok((Then::Leave, false)),
        (Command::Help, _) => HELP.to_owned(),
        (Command::Hint, _) => {
            *tries += 1;
            format!("The turn begins with {}.", beginning(puzzle))
        }
        (_, "next") => return Ok((Then::Next, false)),
        (_, "show") => {
            writeln!(console.out, "{}\n", solution(puzzle))?;
            *tries += 1;
            return Ok((Then::Next, false));
        }
        _ => match puzzle.is_solved_by(line) {
            Ok(true) => {
                *tries += 1;
                writeln!(console.out, "Right. {}\n", solution(puzzle))?;
                return Ok((Then::Next, true));
            }
            Ok(false) => {
                *tries += 1;
                "There is a better turn. Try again, or `hint`, `show`, `next`.".to_owned()
            }
            Err(why) => format!("Not a turn that can be played: {why}"),
        },
    };
    writeln!(console.out, "{told}")?;
    Ok((Then::Ask, false))
}

/// Returns how the solution begins. A placement onto a vacant spot is not told, since it may be all of the turn.
fn beginning(puzzle: &Puzzle) -> &str {
    let first = puzzle.line[0].split(';').next().unwrap_or_default();
    match first.split_once('-') {
        Some((dot, _)) => dot,
        None if first.starts_with('x') => first,
        None => "a piece onto a vacant spot",
    }
}

fn solution(puzzle: &Puzzle) -> String {
    let certain = if puzzle.is_certain { ", for certain" } else { "" };
    let Puzzle { line, value, next, .. } = puzzle;
    format!("{}: expected result {value:+.2}{certain}, of any other turn at most {next:+.2}", line.join(" "))
}

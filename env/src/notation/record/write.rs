//! Writing of whole games.

use crate::action::Action;
use crate::notation::error::{NoNotation, Unwritable};
use crate::notation::ledger::Ledger;
use crate::notation::official::Form;
use crate::notation::{julio, official};
use crate::position::Player;
use crate::rules::{Opening, Setup};
use crate::text::wrapped;

use super::read::number_of;
use super::{Conclusion, Notation, Record, WriteError};

/// The width at which running text is broken, in characters.
const WIDTH: usize = 100;

/// Writes a game; the text ends with a line break.
///
/// No form of the official notation has a sign for a game that nobody won, so it ends with `1/2-1/2` as in PGN. A last turn
/// that leaves nothing to write, because the player keeps all GIPF-pieces of a row and can bring in none, is left out.
///
/// # Errors
/// If the notation cannot express the game; the error names the move and the player.
pub fn write(record: &Record, notation: Notation) -> Result<String, WriteError> {
    let lines = match notation {
        Notation::Sheet(form) => sheet(record, &turns(record, form, official::write_with_reserve)?),
        Notation::Text(form) => running(record, &turns(record, form, official::write)?),
        Notation::Lines(form) => one_a_line(record, turns(record, form, official::write_with_reserve)?),
        Notation::Julio => of_julio(record)?,
    };
    Ok(lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect())
}

/// Returns the texts of all turns.
fn turns(
    record: &Record,
    form: Form,
    write: fn(&Ledger, &[Action], Form) -> Result<String, Unwritable>,
) -> Result<Vec<String>, WriteError> {
    let mut ledger = Ledger::new(&record.setup)?;
    ledger.take_finished();
    let mut texts = Vec::new();
    for (index, turn) in record.turns.iter().enumerate() {
        match write(&ledger, &turn.actions, form) {
            Ok(text) => texts.push(text),
            Err(Unwritable::Nothing) if index + 1 == record.turns.len() => {}
            Err(why) => {
                return Err(WriteError::Turn { number: number_of(&record.setup, index), player: turn.player, why });
            }
        }
        for &action in &turn.actions {
            ledger.play(action).expect("the turns of a record were played");
        }
        ledger.take_finished();
    }
    Ok(texts)
}

/// Returns the turns of White and Black for each number; only the first may lack White's.
fn rows<'a>(setup: &Setup, texts: &'a [String]) -> Vec<[Option<&'a str>; 2]> {
    let offset = if texts.is_empty() { 0 } else { setup.to_move.index() };
    let mut cells = vec![None; offset];
    cells.extend(texts.iter().map(|text| Some(text.as_str())));
    cells.chunks(2).map(|pair| [pair[0], pair.get(1).copied().flatten()]).collect()
}

fn sheet(record: &Record, texts: &[String]) -> Vec<String> {
    let rows = rows(&record.setup, texts);
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    let line = |(index, [white, black]): (usize, &[Option<&str>; 2])| {
        let white = white.map_or_else(|| "/".to_owned(), |white| format!("{white:width$}"));
        format!("{:>3}. {white}  {}", index + 1, black.unwrap_or(""))
    };
    let mut lines: Vec<_> = rows.iter().enumerate().map(line).collect();
    let is_blacks_turn = rows.last().is_some_and(|row| row[1].is_none());
    match record.conclusion {
        // Black's column is empty beside White's last turn, or holds Black's own last turn.
        Some(Conclusion::Won(Player::White)) => match lines.last_mut() {
            Some(last) => last.push_str(if is_blacks_turn { "X" } else { " X" }),
            None => lines.push("  1. / X".to_owned()),
        },
        Some(Conclusion::Won(Player::Black)) => lines.push(format!("{:>3}. X", lines.len() + 1)),
        Some(Conclusion::Void) => lines.push(VOID.to_owned()),
        None => {}
    }
    lines
}

fn running(record: &Record, texts: &[String]) -> Vec<String> {
    let rows = rows(&record.setup, texts);
    let number = |(index, [white, black]): (usize, &[Option<&str>; 2])| {
        let black = black.map_or_else(String::new, |black| format!("/{black}"));
        format!("{}.{}{black}", index + 1, white.unwrap_or(""))
    };
    let words = rows.iter().enumerate().map(number).chain(result(record, Player::White));
    wrapped(words, " ", WIDTH)
}

fn one_a_line(record: &Record, mut texts: Vec<String>) -> Vec<String> {
    texts.extend(result(record, Player::White));
    texts
}

/// The result of a game that nobody has won, as in PGN: the official notation has no sign of its own.
const VOID: &str = "1/2-1/2";

/// Returns the result, 1-0 if the player given has won.
fn result(record: &Record, first: Player) -> Option<String> {
    match record.conclusion? {
        Conclusion::Won(winner) => Some(if winner == first { "1-0" } else { "0-1" }.to_owned()),
        Conclusion::Void => Some(VOID.to_owned()),
    }
}

fn of_julio(record: &Record) -> Result<Vec<String>, WriteError> {
    let first = record.setup.to_move;
    let mut lines = vec![julio_header(record)?];
    let texts = julio_moves(record)?;
    let number = |(index, pair): (usize, &[String])| format!("{}. {}", index + 1, pair.join(" "));
    let result = result(record, first).map(|result| result.replace('-', "–").replace("1/2", "½"));
    lines.extend(wrapped(texts.chunks(2).enumerate().map(number).chain(result), "  ", WIDTH));
    Ok(lines)
}

fn julio_header(record: &Record) -> Result<String, WriteError> {
    let Setup { variant, to_move, placement_limit, .. } = record.setup;
    if variant.has_zertz() {
        return Err(WriteError::NoNotation(NoNotation::Zertz));
    }
    let name = match variant.opening() {
        Opening::Basic => "Basic",
        Opening::Standard => "Short-cut",
        Opening::Tournament => "Tournament",
        Opening::PushOff => return Err(WriteError::NoNotation(NoNotation::PushOff)),
    };
    if record.setup != (Setup { to_move, placement_limit, ..Setup::start(variant) }) {
        return Err(WriteError::Start(variant));
    }
    Ok(format!("{name} {to_move}-{}", to_move.other()))
}

/// Returns the texts of all moves, each with the decisions up to the next placement.
fn julio_moves(record: &Record) -> Result<Vec<String>, WriteError> {
    let mut ledger = Ledger::new(&record.setup)?;
    let (actions, mut texts) = (record.actions(), Vec::new());
    if actions.first().is_some_and(|action| !action.is_placement()) {
        return Err(WriteError::BeforeFirst);
    }
    let mut spans = actions.chunk_by(|_, next| !next.is_placement()).peekable();
    while let Some(span) = spans.next() {
        let player = ledger.position().to_move();
        let text = match spans.peek() {
            Some(_) => julio::write(&ledger, span),
            None => julio::write_last(&ledger, span, |outcome| Conclusion::is_stated(record.conclusion, outcome)),
        };
        texts.push(text.map_err(|why| WriteError::Turn { number: texts.len() / 2 + 1, player, why })?);
        for &action in span {
            ledger.play(action).expect("the turns of a record were played");
        }
    }
    Ok(texts)
}

//! Texts of turns, each checked by reading it back.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::notation::error::{NoNotation, Unwritable};
use crate::notation::ledger::{Capture, Ledger, Turn};
use crate::notation::placement;
use crate::notation::reread::{self, Lines};
use crate::rules::Kind;

use super::read::read_on;

/// How much of a removal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Only the GIPF-pieces and loaded pieces removed.
    Short,
    /// All pieces removed.
    Complete,
}

/// Returns the text of a turn, in one word and without the reserve, given the ledger at its start.
///
/// The line of a row is added in brackets where the text would otherwise be read differently. If no text keeps the
/// order of the removals but one leads to the same position, that text is written.
///
/// # Errors
/// If the decisions are not those of one whole turn, or no text means them.
pub fn write(start: &Ledger, actions: &[Action], form: Form) -> Result<String, Unwritable> {
    written(start, actions, form).map(|(text, _)| text)
}

/// Returns the text of a turn with the player's reserve after it, such as `e1-e4 (11)`.
///
/// # Errors
/// As for [`write()`].
pub fn write_with_reserve(start: &Ledger, actions: &[Action], form: Form) -> Result<String, Unwritable> {
    written(start, actions, form).map(|(text, reserve)| format!("{text} ({reserve})"))
}

/// Returns the text of a turn and the reserve after it.
fn written(start: &Ledger, actions: &[Action], form: Form) -> Result<(String, u8), Unwritable> {
    let (turn, end) = replay(start, actions)?;
    let text = |lines| text_of(start, &turn, form, lines);
    if text(Lines::Unnamed).is_empty() {
        return Err(Unwritable::Nothing);
    }
    let text = reread::choose(text, |text| read_on(start, text), actions, &end)?;
    Ok((text, turn.reserve))
}

/// Returns the turn of these decisions, and the ledger after it.
fn replay(start: &Ledger, actions: &[Action]) -> Result<(Turn, Ledger), Unwritable> {
    const WHOLE: &str = "those of one whole turn";
    if start.position().variant().is_push_off() {
        return Err(Unwritable::NoNotation(NoNotation::PushOff));
    }
    let mut ledger = start.clone();
    ledger.take_finished();
    for &action in actions {
        ledger.play(action).map_err(|_| Unwritable::NotATurn(WHOLE))?;
    }
    let over = ledger.position().outcome().is_some();
    let without_decision = over && actions.is_empty() && !ledger.turn().before.is_empty();
    let turn = if without_decision { Some(ledger.turn()) } else { ledger.finished().first() };
    match turn {
        Some(turn) if turn.actions == actions => Ok((turn.clone(), ledger)),
        _ => Err(Unwritable::NotATurn(WHOLE)),
    }
}

fn text_of(start: &Ledger, turn: &Turn, form: Form, lines: Lines) -> String {
    let notes = |captures: &[Capture]| -> Vec<String> {
        captures.iter().filter(|capture| !capture.removed.is_empty()).map(|row| note(row, form, lines)).collect()
    };
    let mut parts = notes(&turn.before);
    if let Some((action, _)) = turn.placement {
        parts.push(placement_text(start, turn, action));
    }
    parts.extend(notes(&turn.after));
    parts.join(";")
}

/// The placement is written as it stands in the position after the removals before it.
fn placement_text(start: &Ledger, turn: &Turn, action: Action) -> String {
    let mut ledger = start.clone();
    for &decision in turn.actions.iter().take_while(|&&decision| decision != action) {
        ledger.play(decision).expect("the decisions of the turn were played before");
    }
    placement::write(ledger.position(), action)
}

fn note(capture: &Capture, form: Form, lines: Lines) -> String {
    let row = &capture.row;
    let named = if form == Form::Short { capture.removed.without(row.compulsory()) } else { capture.removed };
    let line = if lines.shows(capture) { format!("({})", row.line) } else { String::new() };
    format!("x{line}{}", items(capture, named, form))
}

/// Only the complete form has stars.
fn items(capture: &Capture, named: Bitboard, form: Form) -> String {
    let (board, player) = (&capture.row.board, capture.row.player);
    let item = |spot| {
        let letter = match board.piece_at(spot) {
            Some((_, Kind::Gipf)) => "G",
            Some((_, Kind::Loaded)) => "Z",
            Some((_, Kind::Used)) => "j",
            _ => "",
        };
        let star = if form == Form::Complete && !board.pieces_of(player).contains(spot) { "*" } else { "" };
        format!("{letter}{spot}{star}")
    };
    named.into_iter().map(item).collect::<Vec<_>>().join(",")
}

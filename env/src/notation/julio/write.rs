//! Texts of moves, each checked by reading it back.

use crate::action::Action;
use crate::geometry::Line;
use crate::notation::error::Unwritable;
use crate::notation::ledger::{Capture, Ledger};
use crate::notation::reread::{self, Lines};
use crate::notation::search::Reading;
use crate::rules::Phase;

use super::marks::{captures, stood_before};
use super::parse::names;
use super::place;
use super::read::{no_notation, read_on};

/// Returns the text of the decisions from a placement up to the next one, given the ledger before it.
///
/// Where the game stops before the opponent decides what to remove, those decisions may be missing.
///
/// # Errors
/// If the decisions are not such a span, or no text means them.
pub fn write(start: &Ledger, actions: &[Action]) -> Result<String, Unwritable> {
    const SPAN: &str = "those from a placement up to the next one";
    if let Some(reason) = no_notation(start) {
        return Err(Unwritable::NoNotation(reason));
    }
    let (Some(&Action::Push(pushed, entry)), Some(end)) = (actions.first(), replay(start, actions)) else {
        return Err(Unwritable::NotATurn(SPAN));
    };
    let captures = captures(&end);
    if let Some(line) = taken_later(start, &captures) {
        return Err(Unwritable::StandingRow(line));
    }
    let place = place::write(start.position(), pushed, entry);
    let text = |lines| format!("{place}{}", marks(&captures, lines));
    let read = |text: &str| read_on(start, text).map(|reading| up_to(reading, actions, &end));
    reread::choose(text, read, actions, &end)
}

/// Returns the ledger after the decisions, if they are a placement with all that belongs to it.
fn replay(start: &Ledger, actions: &[Action]) -> Option<Ledger> {
    if start.position().phase() != Phase::Push || actions.iter().skip(1).any(|action| action.is_placement()) {
        return None;
    }
    let mut ledger = start.clone();
    ledger.take_finished();
    for &action in actions {
        ledger.play(action).ok()?;
    }
    (!ledger.finished().is_empty()).then_some(ledger)
}

/// Cuts a reading where the game stopped, if that was before the opponent decided what to remove.
fn up_to(reading: Reading, actions: &[Action], end: &Ledger) -> Reading {
    let stopped = end.position().outcome().is_none() && end.position().phase() == Phase::Pre;
    if stopped && reading.actions.starts_with(actions) {
        return Reading { actions: actions.to_vec(), ledger: end.clone() };
    }
    reading
}

/// Returns the line of a row of GIPF-pieces that stood before and loses pieces now.
fn taken_later(start: &Ledger, captures: &[Capture]) -> Option<Line> {
    let is_later =
        |capture: &&Capture| !capture.removed.is_empty() && stood_before(&capture.row, start.position().board());
    captures.iter().find(is_later).map(|capture| capture.row.line)
}

fn marks(captures: &[Capture], lines: Lines) -> String {
    let is_noted = |capture: &&Capture| !capture.removed.is_empty() || lines.shows(capture);
    captures.iter().filter(is_noted).map(|capture| mark(capture, lines)).collect()
}

fn mark(capture: &Capture, lines: Lines) -> String {
    let line = if lines.shows(capture) { names(capture.row.line).swap_remove(0) } else { String::new() };
    let gipfs = capture.removed & capture.row.board.gipfs();
    let spots: String = gipfs.into_iter().map(|spot| spot.to_string()).collect();
    format!("X{line}{spots}")
}

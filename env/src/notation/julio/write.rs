//! Texts of moves, each checked by reading it back.

use crate::action::Action;
use crate::geometry::Line;
use crate::notation::error::{ReadError, Unwritable};
use crate::notation::ledger::{Capture, Ledger};
use crate::notation::reread::{self, Lines};
use crate::notation::search::Reading;
use crate::position::Outcome;
use crate::rules::Phase;

use super::marks::{captures, is_over, stood_before};
use super::parse::names;
use super::place;
use super::read::{no_notation, read_last_on, read_on};

/// Returns the text of the decisions from a placement up to the next one, given the ledger before it.
///
/// # Errors
/// If the decisions are not such a span, or no text means them.
pub fn write(start: &Ledger, actions: &[Action]) -> Result<String, Unwritable> {
    let span = Span { actions, is_whole: is_over, expected: "those from a placement up to the next one" };
    written(start, &span, |text| read_on(start, text))
}

/// Returns the text of the last decisions of a game, from a placement on: a finished turn, and the opponent's removals if
/// the game ended with them.
///
/// # Errors
/// If the decisions are not such a span, or no text means them where the game has the outcome that is stated after it.
pub fn write_last(
    start: &Ledger,
    actions: &[Action],
    is_stated: impl Fn(Outcome) -> bool,
) -> Result<String, Unwritable> {
    let is_whole = |end: &Ledger| !end.finished().is_empty();
    let span = Span { actions, is_whole, expected: "those from a placement up to the end of a turn" };
    written(start, &span, |text| read_last_on(start, text, &is_stated))
}

/// Decisions from a placement on.
struct Span<'a> {
    actions: &'a [Action],
    /// Whether a ledger is where such decisions may end.
    is_whole: fn(&Ledger) -> bool,
    expected: &'static str,
}

fn written(
    start: &Ledger,
    span: &Span<'_>,
    read: impl Fn(&str) -> Result<Reading, ReadError>,
) -> Result<String, Unwritable> {
    let Span { actions, is_whole, expected } = *span;
    if let Some(reason) = no_notation(start) {
        return Err(Unwritable::NoNotation(reason));
    }
    let end = replay(start, actions).filter(is_whole);
    let (Some(&Action::Push(pushed, entry)), Some(end)) = (actions.first(), end) else {
        return Err(Unwritable::NotATurn(expected));
    };
    let captures = captures(&end);
    if let Some(line) = taken_later(start, &captures) {
        return Err(Unwritable::StandingRow(line));
    }
    let place = place::write(start.position(), pushed, entry);
    let text = |lines| format!("{place}{}", marks(&captures, lines));
    reread::choose(text, read, actions, &end)
}

/// Returns the ledger after the decisions, if they begin with a placement and have no other.
fn replay(start: &Ledger, actions: &[Action]) -> Option<Ledger> {
    if start.position().phase() != Phase::Push || actions.iter().skip(1).any(|action| action.is_placement()) {
        return None;
    }
    let mut ledger = start.clone();
    ledger.take_finished();
    for &action in actions {
        ledger.play(action).ok()?;
    }
    Some(ledger)
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

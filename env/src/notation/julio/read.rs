//! From a text to decisions.

use crate::action::Action;
use crate::notation::error::{NoNotation, ReadError};
use crate::notation::ledger::Ledger;
use crate::notation::search::{Reading, search};
use crate::position::Outcome;
use crate::rules::Phase;

use super::marks::Marked;
use super::parse::parse;

/// Returns the decisions that a text means, from a placement up to the next one or to the end of the game.
///
/// Where the opponent has something to decide before the next placement and the text does not say how, they keep their
/// GIPF-pieces.
///
/// # Errors
/// If the ledger does not ask for a placement; if the text has no reading, or several that lead to different positions.
pub fn read(ledger: &Ledger, text: &str) -> Result<Vec<Action>, ReadError> {
    read_on(ledger, text).map(|reading| reading.actions)
}

/// Returns the decisions that the last text of a game means.
///
/// The game may stop while the opponent has still to decide what to remove. So an answer that the text does not give is
/// not played, unless such answers lead to an outcome that is stated after the text.
///
/// # Errors
/// As for [`read()`].
pub fn read_last(ledger: &Ledger, text: &str, is_stated: impl Fn(Outcome) -> bool) -> Result<Vec<Action>, ReadError> {
    read_last_on(ledger, text, is_stated).map(|reading| reading.actions)
}

pub(super) fn read_on(ledger: &Ledger, text: &str) -> Result<Reading, ReadError> {
    check_start(ledger)?;
    search(&Marked::new(&parse(text)?, *ledger.position().board()), ledger)
}

pub(super) fn read_last_on(
    ledger: &Ledger,
    text: &str,
    is_stated: impl Fn(Outcome) -> bool,
) -> Result<Reading, ReadError> {
    let whole = read_on(ledger, text);
    if whole.as_ref().is_ok_and(|reading| reading.ledger.position().outcome().is_some_and(is_stated)) {
        return whole;
    }
    check_start(ledger)?;
    search(&Marked::last(&parse(text)?, *ledger.position().board()), ledger)
}

/// Checks that a text may begin where a ledger is.
fn check_start(ledger: &Ledger) -> Result<(), ReadError> {
    let position = ledger.position();
    if let Some(reason) = no_notation(ledger) {
        return Err(ReadError::NoNotation(reason));
    }
    if let Some(outcome) = position.outcome() {
        return Err(ReadError::GameOver(outcome.to_string()));
    }
    if position.phase() != Phase::Push {
        return Err(ReadError::MidTurn("from a placement on"));
    }
    Ok(())
}

/// Returns why this notation has no text for the game, if it has none.
pub(super) fn no_notation(ledger: &Ledger) -> Option<NoNotation> {
    let variant = ledger.position().variant();
    if variant.is_push_off() { Some(NoNotation::PushOff) } else { variant.has_zertz().then_some(NoNotation::Zertz) }
}

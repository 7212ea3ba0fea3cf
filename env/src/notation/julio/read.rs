//! From a text to decisions.

use crate::action::Action;
use crate::notation::error::{NoNotation, ReadError};
use crate::notation::ledger::Ledger;
use crate::notation::search::{Reading, search};
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

pub(super) fn read_on(ledger: &Ledger, text: &str) -> Result<Reading, ReadError> {
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
    search(&Marked::new(&parse(text)?, *position.board()), ledger)
}

/// Returns why this notation has no text for the game, if it has none.
pub(super) fn no_notation(ledger: &Ledger) -> Option<NoNotation> {
    let variant = ledger.position().variant();
    if variant.is_push_off() { Some(NoNotation::PushOff) } else { variant.has_zertz().then_some(NoNotation::Zertz) }
}

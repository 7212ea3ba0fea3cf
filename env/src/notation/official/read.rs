//! From a text to decisions.

use crate::action::Action;
use crate::notation::error::{NoNotation, ReadError};
use crate::notation::ledger::Ledger;
use crate::notation::search::{Reading, search};
use crate::position::{Outcome, Reason};

use super::matching::Wanted;
use super::parse::parse;

/// Returns the decisions of the whole turn that a ledger has begun, from a text with or without blanks, and with or
/// without the reserve in brackets.
///
/// A removal that leaves nothing to decide is in the text but is not a decision. Where one ended the game, the last
/// turn has no decision at all; it can still be read.
///
/// # Errors
/// If the text has no reading, or several that lead to different positions. Of readings that lead to the same position
/// the first in the order of action indices is taken.
pub fn read(ledger: &Ledger, text: &str) -> Result<Vec<Action>, ReadError> {
    read_on(ledger, text).map(|reading| reading.actions)
}

pub(super) fn read_on(ledger: &Ledger, text: &str) -> Result<Reading, ReadError> {
    let position = ledger.position();
    if position.variant().is_push_off() {
        return Err(ReadError::NoNotation(NoNotation::PushOff));
    }
    if !ledger.turn().actions.is_empty() {
        return Err(ReadError::MidTurn("from the start of a turn"));
    }
    if let (Some(outcome), true) = (position.outcome(), ledger.turn().before.is_empty()) {
        return Err(ReadError::GameOver(outcome.to_string()));
    }
    let turn = parse(text)?;
    let reading = search(&Wanted::new(&turn), ledger)?;
    let (player, end) = (ledger.turn().player, reading.ledger.position());
    let found = end.reserve(player);
    // Whoever has taken the last GIPF-piece may have counted what would have come back after it.
    let may_be_more = end.outcome() == Some(Outcome::win(player, Reason::NoGipf));
    match turn.reserve {
        Some(stated) if stated < u32::from(found) || stated > u32::from(found) && !may_be_more => {
            Err(ReadError::Reserve { stated, found, player })
        }
        _ => Ok(reading),
    }
}

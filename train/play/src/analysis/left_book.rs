//! Where a game left the book of openings.

use std::collections::HashSet;

use gipf_env::notation::record::Record;
use gipf_env::{GipfPosition, Phase, Setup, Variant};

use crate::arena::{Book, key_of_opening};

/// The placement limit of openings, which is beyond all of them.
const LIMIT: u16 = 400;

/// Returns whether a position is in the book of its rule set, also turned, mirrored or with the colours exchanged.
pub(super) fn is_in_book(setup: &Setup) -> bool {
    positions_of_book(setup.variant).contains(&key_of_opening(setup))
}

/// Returns the number of the first turn, from 1, after which the position is in no line of the rule set's book, not
/// even turned, mirrored or with the colours exchanged; none if the game never left the book.
pub(super) fn left_book(record: &Record, end: &GipfPosition) -> Option<usize> {
    let known = positions_of_book(record.variant());
    let starts = record.turns().iter().skip(1).map(|turn| known.contains(&key_of_opening(&turn.setup)));
    // A game that is over, or in the middle of a removal, has no text that could be in the book.
    let is_quiet = end.outcome().is_none() && end.phase() == Phase::Push;
    let at_end = is_quiet && known.contains(&key_of_opening(&end.to_setup()));
    let place = starts.chain([at_end]).position(|is_known| !is_known);
    place.filter(|_| !record.turns().is_empty()).map(|place| place + 1)
}

fn positions_of_book(variant: Variant) -> HashSet<u128> {
    let book = Book::of(variant);
    let mut known = HashSet::from([key_of_opening(&Setup::start(variant))]);
    for number in 0..book.len() {
        let opening = book.opening(number, LIMIT);
        let mut position = opening.start.clone();
        known.insert(key_of_opening(&position.to_setup()));
        for &action in &opening.actions {
            position.play_unchecked(action);
            known.insert(key_of_opening(&position.to_setup()));
        }
    }
    known
}

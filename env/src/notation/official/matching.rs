//! What a note of a removal means for a row that is opened.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::notation::error::{Failure, spots};
use crate::notation::ledger::{Capture, Ledger, Turn};
use crate::notation::search::{Misfit, Notes, Script};
use crate::rules::{Kind, OpenedRow, Phase};

use super::parse::{Item, TurnText};

/// The turn that a text asks for.
pub(super) struct Wanted<'a> {
    text: &'a TurnText,
}

impl<'a> Wanted<'a> {
    pub const fn new(text: &'a TurnText) -> Self {
        Self { text }
    }
}

/// Returns the turn with which a ledger began.
fn first_turn(ledger: &Ledger) -> &Turn {
    ledger.finished().first().unwrap_or_else(|| ledger.turn())
}

impl Script for Wanted<'_> {
    fn notes(&self) -> usize {
        self.text.notes.len()
    }

    fn text(&self, note: usize) -> &str {
        &self.text.notes[note].text
    }

    fn is_of(&self, note: usize, row: &OpenedRow, _: &[(usize, Phase)]) -> bool {
        (note < self.text.before) == (row.phase == Phase::Pre)
    }

    fn fit(&self, note: usize, row: &OpenedRow) -> Result<Bitboard, Misfit> {
        let note = &self.text.notes[note];
        if note.line.is_some_and(|line| line != row.line) {
            return Err(Misfit::Elsewhere("the brackets name another line".to_owned()));
        }
        let (set, must) = (row.capture_set(), row.compulsory());
        let named: Bitboard = note.items.iter().map(|item| item.spot).collect();
        if let Some(spot) = named.without(set).first() {
            let why = format!("{spot} is not part of it; its pieces are {}", spots(set));
            return Err(if named.intersects(set) { Misfit::Wrong(why) } else { Misfit::Elsewhere(why) });
        }
        if let Some(wrong) = note.items.iter().find_map(|&item| mistake(item, row)) {
            return Err(Misfit::Wrong(wrong));
        }
        match must.without(named).first() {
            Some(spot) if named.intersects(must) => Err(Misfit::Wrong(format!(
                "a list that names basic pieces must name all of them, and {spot} is missing"
            ))),
            None if named.is_empty() => {
                Err(Misfit::Wrong("all its pieces may stay, so those removed must be named".to_owned()))
            }
            _ => Ok(named.without(must)),
        }
    }

    /// A row of GIPF-pieces that is left standing is not written.
    fn may_go_unnoted(&self, capture: &Capture) -> bool {
        capture.row.compulsory().is_empty()
    }

    fn placement(&self, ledger: &Ledger, left: Notes) -> Result<Action, Failure> {
        if let Some(note) = left.iter().find(|&note| note < self.text.before) {
            return Err(Failure::no_row(self.text(note)));
        }
        let (placement, _) = self.text.placement.as_ref().ok_or(Failure::NoPlacement)?;
        Ok(placement.resolve(ledger.position())?)
    }

    fn captures(&self, ledger: &Ledger) -> Vec<Capture> {
        let turn = first_turn(ledger);
        turn.before.iter().chain(&turn.after).copied().collect()
    }

    fn is_over(&self, ledger: &Ledger) -> bool {
        !ledger.finished().is_empty() || ledger.position().outcome().is_some()
    }

    fn objection(&self, ledger: &Ledger) -> Option<Failure> {
        let (_, text) = self.text.placement.as_ref()?;
        first_turn(ledger).placement.is_none().then(|| Failure::EndedBefore(text.clone()))
    }
}

/// Returns what is wrong with the letter or the star of a piece; either may be missing.
fn mistake(item: Item, row: &OpenedRow) -> Option<String> {
    let spot = item.spot;
    let (owner, kind) = row.board.piece_at(spot)?;
    if let Some(named) = item.kind.filter(|&named| named != kind) {
        return Some(format!("there is no {} on {spot}", name(named)));
    }
    (item.star && owner == row.player).then(|| format!("the piece on {spot} is {owner}'s own, and has no star"))
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Single => "basic piece",
        Kind::Gipf => "GIPF-piece",
        Kind::Loaded => "loaded piece",
        Kind::Used => "used potential",
    }
}

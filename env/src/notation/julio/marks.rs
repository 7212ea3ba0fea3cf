//! What a mark means for a row that is opened.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::notation::error::{Failure, spots};
use crate::notation::ledger::{Capture, Ledger};
use crate::notation::search::{Misfit, Notes, Script};
use crate::rules::{Board, OpenedRow, Phase};

use super::parse::MoveText;

/// The decisions that a text asks for.
pub(super) struct Marked<'a> {
    text: &'a MoveText,
    /// The pieces before the placement.
    before: Board,
    /// Whether it is the last text of a game, which may stop at any question to the opponent.
    is_last: bool,
}

impl<'a> Marked<'a> {
    pub const fn new(text: &'a MoveText, before: Board) -> Self {
        Self { text, before, is_last: false }
    }

    pub const fn last(text: &'a MoveText, before: Board) -> Self {
        Self { text, before, is_last: true }
    }
}

impl Script for Marked<'_> {
    fn notes(&self) -> usize {
        self.text.marks.len()
    }

    fn text(&self, note: usize) -> &str {
        &self.text.marks[note].text
    }

    /// The marks of the player who moved come before those of the opponent.
    fn is_of(&self, note: usize, row: &OpenedRow, used: &[(usize, Phase)]) -> bool {
        row.phase == Phase::Post || used.iter().all(|&(other, phase)| phase == Phase::Pre || other < note)
    }

    fn fit(&self, note: usize, row: &OpenedRow) -> Result<Bitboard, Misfit> {
        let mark = &self.text.marks[note];
        if mark.line.is_some_and(|line| line != row.line) {
            return Err(Misfit::Elsewhere("the mark names another line".to_owned()));
        }
        let (set, named): (_, Bitboard) = (row.capture_set(), mark.spots.iter().copied().collect());
        if let Some(spot) = named.without(set).first() {
            return Err(Misfit::Elsewhere(format!("{spot} is not part of it; its pieces are {}", spots(set))));
        }
        if let Some(spot) = named.without(row.board.gipfs()).first() {
            return Err(Misfit::Wrong(format!("only removed GIPF-pieces are named, and there is none on {spot}")));
        }
        if named.is_empty() && mark.line.is_none() && row.compulsory().is_empty() {
            return Err(Misfit::Wrong("all its pieces may stay, so those removed must be named".to_owned()));
        }
        if !named.is_empty() && stood_before(row, &self.before) {
            return Err(Misfit::Wrong("it stood before, and there is no mark to take pieces from it later".to_owned()));
        }
        Ok(named)
    }

    /// A row that was chosen before others has its mark; a row that is left standing has none.
    fn may_go_unnoted(&self, capture: &Capture) -> bool {
        !capture.chosen || stood_before(&capture.row, &self.before)
    }

    fn placement(&self, ledger: &Ledger, _: Notes) -> Result<Action, Failure> {
        self.text.place.resolve(ledger.position())
    }

    fn captures(&self, ledger: &Ledger) -> Vec<Capture> {
        captures(ledger)
    }

    fn is_over(&self, ledger: &Ledger) -> bool {
        is_over(ledger)
    }

    fn may_stop(&self, ledger: &Ledger) -> bool {
        self.is_last && !ledger.finished().is_empty()
    }

    fn objection(&self, _: &Ledger) -> Option<Failure> {
        None
    }
}

/// Returns whether the next placement is due or the game is over.
pub(super) fn is_over(ledger: &Ledger) -> bool {
    ledger.position().outcome().is_some() || !ledger.finished().is_empty() && ledger.position().phase() == Phase::Push
}

/// Returns the captures of a ledger since the placement of the turn with which it began, up to the next placement.
pub(super) fn captures(ledger: &Ledger) -> Vec<Capture> {
    let Some(turn) = ledger.finished().first() else { return ledger.turn().after.clone() };
    let next = ledger.finished().get(1).unwrap_or_else(|| ledger.turn());
    turn.after.iter().chain(&next.before).copied().collect()
}

/// Returns whether a row of GIPF-pieces stood before a placement as it stands now.
pub(super) fn stood_before(row: &OpenedRow, before: &Board) -> bool {
    let set = row.capture_set();
    let own = |board: &Board| board.pieces_of(row.player) & set;
    set.without(row.board.gipfs() & before.gipfs()).is_empty()
        && own(&row.board) == own(before)
        && OpenedRow { board: *before, ..*row }.capture_set() == set
}

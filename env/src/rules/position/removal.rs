//! Phases pre and post: rows are opened, and pieces kept or taken (sections 3, 4 and 6 of the rules).

use crate::bitboard::Bitboard;
use crate::geometry::Line;
use crate::position::{Outcome, Reason};
use crate::rules::rows::{Lines, capture_set, rows};

use super::{GipfPosition, OpenedRow, Phase};

impl GipfPosition {
    #[inline]
    pub(super) fn begin_removal(&mut self, phase: Phase) {
        self.now.phase = phase;
        self.now.removal.handled = Lines::EMPTY;
    }

    /// Returns whether the game is in a removal phase with nothing asked yet.
    #[inline]
    pub(super) fn is_removing(&self) -> bool {
        self.now.phase != Phase::Push && self.now.outcome.is_none() && self.now.removal.question.is_empty()
    }

    /// Plays what needs no decision, up to the next decision or the end of the game.
    pub(super) fn advance(&mut self, watch: &mut impl FnMut(OpenedRow)) {
        if self.now.variant.is_push_off() {
            return self.advance_push_off();
        }
        while self.is_removing() {
            let standing = rows(self.now.board.pieces_of(self.now.to_move)).without(self.now.removal.handled);
            if standing.is_empty() {
                self.end_removal();
            } else if let Some(line) = self.row_apart(standing) {
                self.open_row(line, watch);
            } else {
                self.now.removal.choices = standing;
                return;
            }
        }
    }

    /// Returns the first row whose capture set overlaps no other: when it is removed does not matter.
    fn row_apart(&self, standing: Lines) -> Option<Line> {
        let occupied = self.now.board.occupied();
        let touches = |line: Line, other: Line| {
            line != other && capture_set(line, occupied).intersects(capture_set(other, occupied))
        };
        standing.iter().find(|&line| !standing.iter().any(|other| touches(line, other)))
    }

    /// Removes the compulsory pieces of a row, and asks about the others.
    pub(super) fn open_row(&mut self, line: Line, watch: &mut impl FnMut(OpenedRow)) {
        let (player, phase, board, reserves) = (self.now.to_move, self.now.phase, self.now.board, self.reserves());
        watch(OpenedRow { player, phase, line, board, reserves });
        let set = capture_set(line, self.now.board.occupied());
        let spared = set & (self.now.board.gipfs | self.now.board.loaded);
        self.now.removal.handled = self.now.removal.handled.with(line);
        self.now.removal.choices = Lines::EMPTY;
        self.capture(set.without(spared));
        self.now.removal.pending = spared;
        self.ask_about_first_pending();
    }

    pub(super) fn take_piece_in_question(&mut self) {
        if self.now.variant.is_push_off() {
            return self.take_gipf_out_of_the_game();
        }
        let taken = self.now.removal.question;
        self.next_question();
        self.capture(taken);
        if self.has_no_gipf(self.now.to_move.other()) {
            self.end(Outcome::win(self.now.to_move, Reason::NoGipf));
        }
    }

    pub(super) fn next_question(&mut self) {
        self.now.removal.pending = self.now.removal.pending.without(self.now.removal.question);
        self.ask_about_first_pending();
    }

    /// The order of the spots is that of the line from its first dot.
    pub(super) fn ask_about_first_pending(&mut self) {
        self.now.removal.question = self.now.removal.pending.first().map_or(Bitboard::EMPTY, Bitboard::of);
    }

    /// Takes pieces off the board: the player's own go to their reserve, the others are lost.
    fn capture(&mut self, spots: Bitboard) {
        let own = spots & self.now.board.pieces_of(self.now.to_move);
        let returned = own.count() + (own & self.now.board.gipfs).count() - (own & self.now.board.used).count();
        self.now.hands.give_back(self.now.to_move, returned);
        self.history.note_return(self.now.to_move, returned);
        if own != spots || spots.intersects(self.now.board.loaded | self.now.board.used) {
            // What is lost never comes back, so no earlier position can recur.
            self.history.clear();
        }
        self.now.board.remove(spots);
    }

    #[inline]
    fn end_removal(&mut self) {
        if self.has_no_gipf(self.now.to_move) {
            self.end(Outcome::win(self.now.to_move.other(), Reason::NoGipf));
        } else if self.now.phase == Phase::Pre {
            self.begin_push();
        } else if self.pass_the_turn() {
            self.begin_removal(Phase::Pre);
        }
    }

    /// Ends most turns: neither player has a row to remove, so nobody can have lost their GIPF-pieces.
    #[inline]
    pub(super) fn end_turn_without_removal(&mut self) {
        self.now.removal.handled = Lines::EMPTY;
        if self.pass_the_turn() {
            self.begin_push();
        }
    }

    /// Passes the turn to the opponent, unless the limit is reached and the game ends; returns whether it goes on.
    #[inline]
    fn pass_the_turn(&mut self) -> bool {
        if self.now.placement_limit.is_some_and(|limit| self.now.placements >= limit) {
            self.now.phase = Phase::Post;
            self.end(Outcome::draw(Reason::Limit));
            return false;
        }
        self.now.turn_of = self.now.to_move.other();
        self.now.to_move = self.now.turn_of;
        true
    }
}

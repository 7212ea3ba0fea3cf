//! Push-off, the game of the German rules page (section 7 of the rules).
//!
//! A push moves everything on its line, gaps or not, and what falls off the far end goes back to its owner. Then all
//! rows that stand are evaluated in one go: the mover's first, each colour by line index, as they stood when evaluation
//! began. A row's owner decides about its GIPF-pieces, the mover about opposing pieces next to its ends: so either
//! player may be asked within one turn.

use crate::action::Pushed;
use crate::bitboard::Bitboard;
use crate::geometry::{Entry, Line};
use crate::position::{Outcome, Player, Reason};
use crate::rules::board::Kind;
use crate::rules::legal::ActionSet;
use crate::rules::rows::{Lines, rows};
use crate::rules::setup::InvalidPosition;

use super::evaluation::Evaluation;
use super::{GipfPosition, Phase, Removal};

impl GipfPosition {
    /// Returns the rows still to be evaluated in push-off, in order, each with its owner and its spots as fixed; the
    /// one in hand is not among them.
    pub fn rows_to_evaluate(&self) -> impl Iterator<Item = (Player, Line, Bitboard)> {
        self.fixed_rows_without(self.now.removal.handled)
    }

    /// Returns the rows that matter beyond the piece in question: those still to be evaluated and, while the pieces at
    /// its ends are asked about, the row in hand, whose GIPF-pieces are asked about next.
    ///
    /// In the order of [`Self::rows_to_evaluate`]; this is what an observation shows.
    pub fn rows_in_evaluation(&self) -> impl Iterator<Item = (Player, Line, Bitboard)> {
        let Removal { handled, pending, question, evaluation, .. } = self.now.removal;
        let ends_are_asked_about = question.is_empty() && !pending.is_empty();
        let hand = if ends_are_asked_about { evaluation.hand } else { Lines::EMPTY };
        self.fixed_rows_without(handled.without(hand))
    }

    /// Returns the rows as fixed, except those on these lines: first those of the player whose turn it is; each
    /// player's by line.
    fn fixed_rows_without(&self, left_out: Lines) -> impl Iterator<Item = (Player, Line, Bitboard)> {
        let evaluation = self.now.removal.evaluation;
        let rows_of = move |owner: Player| {
            let left = rows(evaluation.fixed[owner.index()]).without(left_out);
            left.iter().map(move |line| (owner, line, evaluation.row(owner, line)))
        };
        rows_of(self.now.turn_of).chain(rows_of(self.now.turn_of.other()))
    }

    /// A push is illegal if a GIPF-piece would leave the board. Entries onto the same vacant spot are the same move
    /// only if both their lines are vacant; the lowest index stands for them.
    pub(super) fn push_off_placements(&self) -> ActionSet {
        let occupied = self.now.board.occupied();
        let mut vacant_lines_onto = Bitboard::EMPTY;
        let mut entries = 0_u64;
        for entry in Entry::all() {
            let (line, first) = (entry.line().spots(), Bitboard::of(entry.first_spot()));
            let same_as_before = !line.intersects(occupied) && vacant_lines_onto.intersects(first);
            if !line.intersects(occupied) {
                vacant_lines_onto |= first;
            }
            if !same_as_before && !self.now.board.gipfs.contains(entry.last_spot()) {
                entries |= 1 << entry.index();
            }
        }
        ActionSet::pushes(if self.now.hands.reserve(self.now.to_move) == 0 { 0 } else { entries }, 0, 0)
    }

    /// Moves every piece of the entry's line one step on; a basic piece that leaves the board goes back to its owner.
    pub(super) fn push_line_off(&mut self, entry: Entry) {
        self.return_to_owners(Bitboard::of(entry.last_spot()));
        self.now.board.push_line(entry);
        self.now.board.put(entry.first_spot(), self.now.to_move, Kind::Single);
        self.now.hands.bring_in(self.now.to_move, Pushed::Single);
        self.now.placements = self.now.placements.saturating_add(1);
        self.begin_removal(Phase::Post);
        self.now.removal.evaluation.fixed = self.now.board.colours;
    }

    /// Takes basic pieces off the board, each to its owner's reserve.
    fn return_to_owners(&mut self, spots: Bitboard) {
        debug_assert!(!spots.intersects(self.now.board.gipfs));
        for player in Player::BOTH {
            self.now.hands.give_back(player, (spots & self.now.board.pieces_of(player)).count());
        }
        self.now.board.remove(spots);
    }

    /// Plays what needs no decision, up to the next decision or the end of the game.
    pub(super) fn advance_push_off(&mut self) {
        if self.now.outcome.is_none() && self.now.phase == Phase::Pre {
            return self.begin_push_of(self.now.to_move);
        }
        while self.now.outcome.is_none() && self.now.phase == Phase::Post && self.now.removal.pending.is_empty() {
            let next = self.rows_to_evaluate().next();
            match next {
                Some((owner, line, row)) => self.evaluate_row(owner, line, row),
                None => self.end_evaluation(),
            }
        }
    }

    /// Removes what is left of the row except GIPF-pieces, then asks the mover or the owner.
    fn evaluate_row(&mut self, owner: Player, line: Line, row: Bitboard) {
        self.now.removal.handled = self.now.removal.handled.with(line);
        self.now.removal.evaluation.hand = Lines::of(line);
        self.return_to_owners(row.without(self.now.board.gipfs) & self.now.board.occupied());
        let at_ends = self.pieces_at_ends(owner, line, row);
        if at_ends.is_empty() {
            self.ask_owner_about_gipfs();
        } else {
            self.now.to_move = self.now.turn_of;
            self.now.removal.pending = at_ends;
        }
    }

    /// Returns the basic pieces of the other colour that lie outward from both ends of the row without a break.
    fn pieces_at_ends(&self, owner: Player, line: Line, row: Bitboard) -> Bitboard {
        let singles = self.now.board.pieces_of(owner.other()).without(self.now.board.gipfs);
        let step = line.direction().shift().unsigned_abs();
        let outward = singles.0 & line.spots().0;
        let mut reached = row.0;
        loop {
            let grown = reached | (reached << step | reached >> step) & outward;
            if grown == reached {
                return Bitboard(reached & !row.0);
            }
            reached = grown;
        }
    }

    pub(super) fn leave_pieces_at_ends(&mut self) {
        self.now.removal.pending = Bitboard::EMPTY;
        self.ask_owner_about_gipfs();
    }

    pub(super) fn remove_pieces_at_ends(&mut self) {
        self.return_to_owners(self.now.removal.pending);
        self.leave_pieces_at_ends();
    }

    /// A GIPF-piece that an earlier row spared is asked about again.
    fn ask_owner_about_gipfs(&mut self) {
        let Some(line) = self.now.removal.evaluation.hand.iter().next() else { return };
        let owner = if self.now.removal.evaluation.is_row_of(self.now.turn_of, line) {
            self.now.turn_of
        } else {
            self.now.turn_of.other()
        };
        self.now.removal.pending = self.now.removal.evaluation.row(owner, line) & self.now.board.gipfs;
        self.now.to_move = if self.now.removal.pending.is_empty() { self.now.turn_of } else { owner };
        self.ask_about_first_pending();
    }

    pub(super) fn take_gipf_out_of_the_game(&mut self) {
        let taken = self.now.removal.question;
        self.next_question();
        self.now.board.remove(taken);
        if self.has_no_gipf(self.now.to_move) {
            self.end(Outcome::win(self.now.to_move.other(), Reason::NoGipf));
        }
    }

    fn end_evaluation(&mut self) {
        self.now.removal.evaluation = Evaluation::default();
        self.now.to_move = self.now.turn_of;
        if self.now.placement_limit.is_some_and(|limit| self.now.placements >= limit) {
            self.end(Outcome::draw(Reason::Limit));
        } else {
            self.begin_push_of(self.now.turn_of.other());
        }
    }

    /// A player with an empty reserve passes without being asked. The other player then has pieces in reserve: both
    /// colours together have 36, too many for the spots that the GIPF-pieces leave. That player can also push, since
    /// six GIPF-pieces cannot block all far spots.
    fn begin_push_of(&mut self, player: Player) {
        let passes = self.now.hands.reserve(player) == 0;
        self.now.turn_of = if passes { player.other() } else { player };
        self.now.to_move = self.now.turn_of;
        self.begin_removal(Phase::Push);
    }

    /// Checks what holds in the middle of an evaluation.
    pub(super) fn validate_evaluation(&self) -> Result<(), InvalidPosition> {
        let turn = |holds: bool, law| if holds { Ok(()) } else { Err(InvalidPosition::Turn(law)) };
        let asked = !self.now.removal.pending.is_empty();
        let stage = if asked { Phase::Post } else { Phase::Push };
        turn(self.now.phase == stage || self.now.outcome.is_some(), "an evaluation stops only to ask")?;
        let Removal { handled, choices, evaluation, .. } = self.now.removal;
        turn(choices.is_empty(), "push-off lets nobody choose between rows")?;
        turn(evaluation.is_consistent(), "rows are fixed on the spots, each in one colour")?;
        turn(evaluation.has_in_hand(handled, asked), "the row in hand is one of those fixed, and handled")?;
        let Removal { pending, question, .. } = self.now.removal;
        let about_gipfs = pending.without(self.now.board.gipfs).is_empty();
        let about_ends = question.is_empty() && !pending.intersects(self.now.board.gipfs);
        turn(
            !asked || about_ends || about_gipfs && !question.is_empty(),
            "a GIPF-piece is in question, or the pieces at the ends of a row are",
        )?;
        turn(self.history.is_empty(), "push-off has no repetition rule")?;
        turn(self.now.placement_limit.is_some(), "push-off always has a limit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::position::{ActionIndex, Position};
    use crate::rules::Variant;

    type Change = fn(&mut GipfPosition);

    /// What damaged bytes could contain while the pieces at the ends of a row are asked about.
    const IMPOSSIBLE: [Change; 9] = [
        |position| position.now.removal.handled = Lines(1 << 21),
        |position| position.now.removal.choices = Lines(1),
        |position| position.now.removal.question = position.now.board.gipfs,
        |position| position.now.removal.evaluation.hand = Lines(1 << 31),
        |position| position.now.removal.evaluation.hand = Lines::ALL,
        |position| position.now.removal.evaluation.hand = Lines::EMPTY,
        |position| position.now.removal.evaluation.fixed[0] = Bitboard(1 << 63),
        |position| position.now.removal.evaluation.fixed = [Bitboard::BOARD; 2],
        |position| position.now.removal.evaluation.fixed = [Bitboard::EMPTY; 2],
    ];

    #[test]
    fn an_evaluation_that_cannot_be_is_refused() {
        let mut position = GipfPosition::from_gpn("push-off 3g/S4/s1SSG1/S6/6/5/1G2 w 14 17 - 0 0").unwrap();
        position.play(Action::from_index(ActionIndex(9)).unwrap()).unwrap();
        assert_eq!((position.validate(), position.question(), position.pending().is_empty()), (Ok(()), None, false));
        for (number, change) in IMPOSSIBLE.iter().enumerate() {
            let mut changed = position.clone();
            change(&mut changed);
            assert!(matches!(changed.validate(), Err(InvalidPosition::Turn(_))), "change {number}");
        }
    }

    #[test]
    fn a_player_without_pieces_to_bring_in_is_not_the_one_to_act() {
        let position = GipfPosition::from_gpn("push-off GSgS/S1SS1/1SS1SS/SS1SS1S/1SS1SS/5/4 w 0 18 - 0 0").unwrap();
        assert_eq!((position.validate(), position.to_move()), (Ok(()), Player::Black), "White passes");
        let mut stuck = position.clone();
        (stuck.now.turn_of, stuck.now.to_move) = (Player::White, Player::White);
        assert!(stuck.action_set().is_empty());
        assert_eq!(stuck.validate(), Err(InvalidPosition::Turn("somebody can act unless the game is over")));
    }

    #[test]
    fn the_count_of_placements_stops_at_its_end() {
        for variant in [Variant::BASIC, Variant::PUSH_OFF] {
            let mut position = GipfPosition::start(variant);
            position.now.placement_limit = None;
            position.now.placements = u16::MAX - 1;
            for turn in [u16::MAX - 1, u16::MAX, u16::MAX] {
                assert_eq!((position.turn(), position.placements()), (turn.into(), turn));
                let push = position.action_set().nth(0).unwrap();
                position.play(push).unwrap();
            }
        }
    }
}

//! The same position in other forms: as a setup, without its past, mapped, with the players exchanged; and its laws.

use std::hash::Hash;

use crate::bitboard::Bitboard;
use crate::geometry::Line;
use crate::position::{Outcome, Player, Reason};
use crate::rules::board::Board;
use crate::rules::rows::{Lines, rows};
use crate::rules::setup::{InvalidPosition, MATERIAL, Setup};
use crate::rules::variant::Opening;

use super::{Evaluation, GipfPosition, History, Now, Phase, Removal, VOID_AT};

impl GipfPosition {
    /// Returns the setup with the pieces, reserves and rights of this position. A player who has lost their GIPF-pieces
    /// has no right to bring in others: without a piece on the board, that right would mean that they had not begun.
    pub fn to_setup(&self) -> Setup {
        let has_lost = |player: Player| {
            let end = Outcome { winner: Some(player.other()), reason: Reason::NoGipf };
            self.now.outcome == Some(end)
        };
        Setup {
            variant: self.now.variant,
            board: self.now.board,
            to_move: self.now.to_move,
            reserves: self.reserves(),
            gipf_rights: Player::BOTH.map(|player| self.gipf_right(player) && !has_lost(player)),
            potentials: Player::BOTH.map(|player| self.potentials(player)),
            placement_limit: self.now.placement_limit,
        }
    }

    /// Makes room for the history of this many placements, so that playing them does not allocate.
    pub(crate) fn reserve_history(&mut self, placements: usize) {
        self.history.reserve(placements + 1);
    }

    /// Returns the same position without the history of earlier ones.
    pub fn without_history(&self) -> Self {
        Self::without_past(self.now)
    }

    /// Returns the same position in a game with another placement limit.
    pub(crate) fn with_placement_limit(&self, placement_limit: Option<u16>) -> Self {
        Self { now: Now { placement_limit, ..self.now }, history: self.history.clone() }
    }

    /// Returns a quiet position without what `perft --distinct` ignores: repetition.
    pub(crate) fn quiet(&self) -> Self {
        Self::without_past(Now { occurrences: 0, ..self.now })
    }

    pub(super) fn without_past(now: Now) -> Self {
        Self { now, history: History::default() }
    }

    /// Returns board, side to move, reserves, rights, potentials and result.
    pub(crate) fn identity(&self) -> impl Eq + Hash + use<> {
        let side = if self.now.outcome.is_some() { None } else { Some(self.now.to_move) };
        (self.now.board, side, self.now.hands, self.now.outcome)
    }

    /// Returns the position with spots and lines mapped; the history is dropped.
    pub(crate) fn mapped(&self, spots: impl Fn(Bitboard) -> Bitboard, lines: impl Fn(Line) -> Line) -> Self {
        let map_lines = |set: Lines| set.iter().fold(Lines::EMPTY, |mapped, line| mapped.with(lines(line)));
        Self::without_past(Now {
            board: self.now.board.map(&spots),
            removal: Removal {
                handled: map_lines(self.now.removal.handled),
                choices: map_lines(self.now.removal.choices),
                pending: spots(self.now.removal.pending),
                question: spots(self.now.removal.question),
                evaluation: self.now.removal.evaluation.mapped(&spots, map_lines),
            },
            ..self.now
        })
    }

    /// Returns the position with the players exchanged: colours, side, reserves, rights, potentials and outcome.
    ///
    /// The history of earlier positions is dropped.
    pub fn with_players_exchanged(&self) -> Self {
        fn swapped<T>([white, black]: [T; 2]) -> [T; 2] {
            [black, white]
        }
        Self::without_past(Now {
            board: Board { colours: swapped(self.now.board.colours), ..self.now.board },
            to_move: self.now.to_move.other(),
            turn_of: self.now.turn_of.other(),
            hands: self.now.hands.swapped(),
            removal: Removal { evaluation: self.now.removal.evaluation.with_players_exchanged(), ..self.now.removal },
            outcome: self.now.outcome.map(|end| Outcome { winner: end.winner.map(Player::other), ..end }),
            ..self.now
        })
    }

    /// Checks every invariant of a position in the middle of a game.
    ///
    /// # Errors
    /// The first law that the position breaks.
    pub fn validate(&self) -> Result<(), InvalidPosition> {
        let turn = |holds: bool, law| if holds { Ok(()) } else { Err(InvalidPosition::Turn(law)) };
        let setup = self.to_setup();
        if self.now.outcome.is_none() && self.now.phase == Phase::Push {
            setup.validate()?;
        } else {
            setup.validate_pieces()?;
        }
        let rights = setup.gipf_rights != [false; 2];
        turn(!rights || setup.variant.opening() == Opening::Tournament, "only tournament has GIPF rights")?;
        turn(self.now.occurrences <= VOID_AT, "a position that occurs for the third time ends the game")?;
        turn(self.now.hands.agrees_with(&setup), "who has pieces on the board has brought them in")?;
        let has_all = |player| self.now.hands.entered(player) || self.now.hands.reserve(player) == MATERIAL;
        turn(Player::BOTH.into_iter().all(has_all), "who has brought in nothing has 18 pieces in the reserve")?;
        let own = self.now.board.occupied();
        turn(self.now.removal.pending.without(own).is_empty(), "pieces to be asked about stand on the board")?;
        turn(
            self.now.removal.question.without(self.now.removal.pending).is_empty(),
            "the piece in question is one of the pending",
        )?;
        turn(self.now.removal.question.count() <= 1, "one piece at a time is in question")?;
        turn(self.now.removal.handled.without(Lines::ALL).is_empty(), "there are 21 lines")?;
        if self.now.variant.is_push_off() {
            self.validate_evaluation()?;
        } else {
            self.validate_removal()?;
        }
        // Last, since actions are those of a position that is sound in itself.
        turn(self.now.outcome.is_some() || !self.action_set().is_empty(), "somebody can act unless the game is over")
    }

    /// Checks what holds in the middle of a removal, except in push-off.
    fn validate_removal(&self) -> Result<(), InvalidPosition> {
        let turn = |holds: bool, law| if holds { Ok(()) } else { Err(InvalidPosition::Turn(law)) };
        turn(self.now.turn_of == self.now.to_move, "the player whose turn it is decides")?;
        turn(self.now.removal.evaluation == Evaluation::default(), "only push-off evaluates")?;
        turn(
            self.now.removal.question.is_empty() == self.now.removal.pending.is_empty(),
            "one of the pending pieces is in question",
        )?;
        let rows = rows(self.now.board.pieces_of(self.now.to_move));
        turn(self.now.removal.choices.without(rows).is_empty(), "the player chooses between their own rows")?;
        let removing = self.now.phase != Phase::Push && self.now.outcome.is_none();
        let asked = !self.now.removal.question.is_empty() || !self.now.removal.choices.is_empty();
        turn(removing == asked, "a removal phase stops only to ask")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::placement;
    use crate::position::Position;
    use crate::rules::Variant;

    #[test]
    fn what_no_game_has_in_the_middle_of_a_turn_is_refused() {
        let mut position = GipfPosition::from_gpn("standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0").unwrap();
        position.play(placement::read(&position, "e1-e2").unwrap()).unwrap();
        assert_eq!((position.phase(), position.validate()), (Phase::Post, Ok(())));
        let changed = |change: fn(&mut Now)| {
            let mut other = position.clone();
            change(&mut other.now);
            other.validate()
        };
        assert!(changed(|now| now.hands = GipfPosition::start(Variant::TOURNAMENT).now.hands).is_err());
        assert!(changed(|now| now.occurrences = VOID_AT + 1).is_err());
        assert!(changed(|now| now.board.used = Bitboard::of(crate::geometry::Spot::all().next().unwrap())).is_err());
        let gpn = "push-off 3g/S4/s1SSG1/S6/6/5/1G2 w 14 17 - 0 0";
        let mut position = GipfPosition::from_gpn(gpn).unwrap();
        position.play(position.action_at(crate::ActionIndex(9)).unwrap()).unwrap();
        assert_eq!((position.phase(), position.validate()), (Phase::Post, Ok(())));
        let board = position.now.board;
        position.now.removal.pending |= board.gipfs;
        assert!(position.validate().is_err());
        position.now.removal.pending = position.now.removal.pending.without(board.gipfs);
        position.now.placement_limit = None;
        assert!(position.validate().is_err());
    }

    #[test]
    fn material_is_checked_between_the_captures_of_a_turn_too() {
        let mut position = GipfPosition::from_gpn("basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0").unwrap();
        position.play(placement::read(&position, "e1-e2").unwrap()).unwrap();
        assert_ne!(position.phase(), Phase::Push);
        assert_eq!(position.validate(), Ok(()));
        position.now.hands.give_back(Player::White, 18);
        assert!(matches!(position.validate(), Err(InvalidPosition::Material { player: Player::White, .. })));
    }
}

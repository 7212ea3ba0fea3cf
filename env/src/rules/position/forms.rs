//! The same position in other forms: as a setup, without its past, mapped, with the players exchanged; and its laws.

use std::hash::Hash;

use crate::bitboard::Bitboard;
use crate::geometry::Line;
use crate::position::{Outcome, Player};
use crate::rules::board::Board;
use crate::rules::rows::{Lines, rows};
use crate::rules::setup::{InvalidPosition, Setup};

use super::{Evaluation, GipfPosition, Hands, Phase, Removal};

impl GipfPosition {
    /// Returns the setup with the pieces, reserves and rights of this position.
    pub fn to_setup(&self) -> Setup {
        Setup {
            variant: self.variant,
            board: self.board,
            to_move: self.to_move,
            reserves: self.hands.reserves,
            gipf_rights: self.hands.gipf_rights,
            potentials: self.hands.potentials,
            limit: self.limit,
        }
    }

    /// Makes room for the memory of so many placements, so that playing them does not allocate.
    pub(crate) fn reserve_history(&mut self, placements: usize) {
        self.history.reserve(placements + 1);
    }

    /// Returns the same position without the memory of earlier ones.
    pub(crate) fn with_empty_history(&self) -> Self {
        Self { history: Vec::new(), returned: [false; 2], ..*self }
    }

    /// Returns a settled position without what `perft --distinct` does not tell apart: counts and history.
    pub(crate) fn settled(&self) -> Self {
        Self { placements: 0, limit: None, occurrences: 0, ..self.with_empty_history() }
    }

    /// Returns board, side to move, reserves, rights, potentials and result.
    pub(crate) fn identity(&self) -> impl Eq + Hash + use<> {
        let side = if self.outcome.is_some() { None } else { Some(self.to_move) };
        (self.board, side, self.hands.reserves, self.hands.gipf_rights, self.hands.potentials, self.outcome)
    }

    /// Returns the position with spots and lines replaced, and colours exchanged if asked; the history is dropped.
    pub(crate) fn mapped(&self, spots: impl Fn(Bitboard) -> Bitboard, lines: impl Fn(Line) -> Line) -> Self {
        let map_lines = |set: Lines| set.iter().fold(Lines::EMPTY, |mapped, line| mapped.with(lines(line)));
        Self {
            board: self.board.map(&spots),
            removal: Removal {
                handled: map_lines(self.removal.handled),
                choices: map_lines(self.removal.choices),
                pending: spots(self.removal.pending),
                question: spots(self.removal.question),
                evaluation: self.removal.evaluation.mapped(&spots, map_lines),
            },
            ..self.with_empty_history()
        }
    }

    /// Returns the position with the players exchanged: colours, side, reserves, rights, potentials and outcome.
    ///
    /// The history of earlier positions is dropped.
    pub fn with_players_exchanged(&self) -> Self {
        fn swapped<T>([white, black]: [T; 2]) -> [T; 2] {
            [black, white]
        }
        Self {
            board: Board { colours: swapped(self.board.colours), ..self.board },
            to_move: self.to_move.other(),
            turn_of: self.turn_of.other(),
            hands: Hands {
                reserves: swapped(self.hands.reserves),
                potentials: swapped(self.hands.potentials),
                gipf_rights: swapped(self.hands.gipf_rights),
                entered: swapped(self.hands.entered),
            },
            removal: Removal { evaluation: self.removal.evaluation.with_players_exchanged(), ..self.removal },
            outcome: self.outcome.map(|end| Outcome { winner: end.winner.map(Player::other), ..end }),
            ..self.with_empty_history()
        }
    }

    /// Checks every invariant of a position in the middle of a game.
    ///
    /// # Errors
    /// The first law that the position breaks.
    pub fn validate(&self) -> Result<(), InvalidPosition> {
        let turn = |holds: bool, law| if holds { Ok(()) } else { Err(InvalidPosition::Turn(law)) };
        if self.outcome.is_none() && self.phase == Phase::Push {
            self.to_setup().validate()?;
        }
        let own = self.board.occupied();
        turn(self.board.is_consistent(), "the pieces lie on the board, one on a spot")?;
        turn(self.removal.pending.without(own).is_empty(), "pieces to be asked about stand on the board")?;
        turn(
            self.removal.question.without(self.removal.pending).is_empty(),
            "the piece in question is one of the pending",
        )?;
        if self.variant.is_push_off() {
            return self.validate_evaluation();
        }
        turn(self.turn_of == self.to_move, "the player whose turn it is decides")?;
        turn(self.removal.evaluation == Evaluation::default(), "only push-off evaluates")?;
        turn(
            self.removal.question.is_empty() == self.removal.pending.is_empty(),
            "one of the pending pieces is in question",
        )?;
        turn(self.removal.question.count() <= 1, "one piece at a time is in question")?;
        turn(self.removal.handled.without(Lines::ALL).is_empty(), "there are 21 lines")?;
        let rows = rows(self.board.pieces_of(self.to_move));
        turn(self.removal.choices.without(rows).is_empty(), "the player chooses between his rows")?;
        let removing = self.phase != Phase::Push && self.outcome.is_none();
        let asked = !self.removal.question.is_empty() || !self.removal.choices.is_empty();
        turn(removing == asked, "a removal phase stops only to ask")?;
        turn(self.outcome.is_some() || !self.action_set().is_empty(), "somebody can act unless the game is over")
    }
}

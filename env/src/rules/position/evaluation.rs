//! The state of the evaluation of rows in push-off.

use serde::{Deserialize, Serialize};

use crate::bitboard::Bitboard;
use crate::geometry::Line;
use crate::position::Player;
use crate::rules::rows::{Lines, capture_set, rows};

/// What has to be remembered while rows are evaluated; empty in phase push.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Evaluation {
    /// The pieces of White and Black when the evaluation began: they fix the rows and their spots.
    pub fixed: [Bitboard; 2],
    /// The row in hand, if there is one.
    pub hand: Lines,
}

impl Evaluation {
    pub fn mapped(self, spots: impl Fn(Bitboard) -> Bitboard, lines: impl Fn(Lines) -> Lines) -> Self {
        Self { fixed: self.fixed.map(spots), hand: lines(self.hand) }
    }

    pub const fn with_players_exchanged(self) -> Self {
        let [white, black] = self.fixed;
        Self { fixed: [black, white], ..self }
    }

    pub fn words(self) -> [u64; 3] {
        [self.fixed[0].0, self.fixed[1].0, u64::from(self.hand.0)]
    }

    /// Returns the spots of a row as it was fixed.
    pub fn row(self, owner: Player, line: Line) -> Bitboard {
        capture_set(line, self.fixed[owner.index()])
    }

    /// Returns whether the player has a row on the line, as rows were fixed.
    pub fn is_row_of(&self, player: Player, line: Line) -> bool {
        rows(self.fixed[player.index()]).iter().any(|row| row == line)
    }
}

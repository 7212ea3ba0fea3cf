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

    /// Returns whether the pieces lay on the board, at most one on a spot.
    pub fn is_consistent(&self) -> bool {
        let [white, black] = self.fixed;
        Bitboard::from_bits((white | black).0).is_some() && !white.intersects(black)
    }

    /// Returns whether the row in hand is possible: a single one of those fixed, and handled; or none, unless one is needed.
    pub fn has_in_hand(&self, handled: Lines, needed: bool) -> bool {
        let [white, black] = self.fixed.map(rows);
        let is_one = self.hand.0.is_power_of_two() || self.hand.is_empty() && !needed;
        is_one && self.hand.without(handled).is_empty() && self.hand.without(white).without(black).is_empty()
    }

    /// Returns the spots of a row as it was fixed.
    pub fn row(self, owner: Player, line: Line) -> Bitboard {
        capture_set(line, self.fixed[owner.index()])
    }

    /// Returns whether the player has a row on the line among the rows as fixed.
    pub fn is_row_of(&self, player: Player, line: Line) -> bool {
        rows(self.fixed[player.index()]).iter().any(|row| row == line)
    }
}

//! The value of a position under best play.

use gipf_env::{Outcome, Player};

use crate::search::Proven;

/// The result of best play for the player to move, and the number of decisions by both until it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The player to move wins, at the latest this many decisions from now.
    Win(u16),
    /// Nobody can force the end of the game.
    Draw,
    /// The player to move loses, at the earliest this many decisions from now.
    Loss(u16),
}

impl Value {
    /// Returns the value of a finished game for a player.
    pub fn of_end(outcome: Outcome, player: Player) -> Self {
        match outcome.winner {
            Some(winner) if winner == player => Self::Win(0),
            Some(_) => Self::Loss(0),
            None => Self::Draw,
        }
    }

    /// Returns the result without the distance.
    pub const fn result(self) -> Proven {
        match self {
            Self::Win(_) => Proven::Win,
            Self::Draw => Proven::Draw,
            Self::Loss(_) => Proven::Loss,
        }
    }

    /// Returns the number of decisions until the end; none for a draw.
    pub const fn distance(self) -> Option<u16> {
        match self {
            Self::Win(distance) | Self::Loss(distance) => Some(distance),
            Self::Draw => None,
        }
    }

    /// Returns the value in two bytes: 0 for a draw, else twice the distance, and 1 more for a win.
    pub(super) const fn packed(self) -> u16 {
        match self {
            Self::Win(distance) => distance << 1 | 1,
            Self::Draw => 0,
            Self::Loss(distance) => distance << 1,
        }
    }

    /// Returns the value packed by [`Self::packed`].
    pub(super) const fn unpacked(packed: u16) -> Self {
        match (packed >> 1, packed & 1) {
            (0, _) => Self::Draw,
            (distance, 1) => Self::Win(distance),
            (distance, _) => Self::Loss(distance),
        }
    }

    /// Returns the value for the player of the decision before, who may be the same.
    pub(super) const fn seen_by(self, same_player: bool) -> Self {
        match (self, same_player) {
            (Self::Win(distance), false) => Self::Loss(distance),
            (Self::Loss(distance), false) => Self::Win(distance),
            (value, _) => value,
        }
    }

    /// Returns the value one decision before.
    pub(super) const fn one_earlier(self) -> Self {
        match self {
            Self::Win(distance) => Self::Win(distance + 1),
            Self::Loss(distance) => Self::Loss(distance + 1),
            Self::Draw => Self::Draw,
        }
    }
}

/// A line of best play is a few hundred decisions long at most; two bytes have room for that.
pub(super) const LONGEST: u16 = u16::MAX >> 1;

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Win(distance) => write!(f, "win in {distance}"),
            Self::Loss(distance) => write!(f, "loss in {distance}"),
            Self::Draw => f.write_str("draw"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_of_two_bytes_as_they_went_in() {
        for distance in 1..=LONGEST {
            for value in [Value::Win(distance), Value::Draw, Value::Loss(distance)] {
                assert_eq!(Value::unpacked(value.packed()), value);
            }
        }
    }
}

//! What a search has found about one position.

use gipf_env::{Outcome, Player};
use serde::{Deserialize, Serialize};

use crate::search::Proven;

/// What is known for certain about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// White wins.
    White,
    /// Black wins.
    Black,
    /// Nobody wins.
    Draw,
}

impl Known {
    /// Returns the result that a proof for this player means.
    pub fn of(proven: Proven, player: Player) -> Self {
        match proven {
            Proven::Draw => Self::Draw,
            Proven::Win => Self::won_by(player),
            Proven::Loss => Self::won_by(player.other()),
        }
    }

    /// Returns what the rules say at the end of a game.
    pub fn at_end(outcome: Outcome) -> Self {
        outcome.winner.map_or(Self::Draw, Self::won_by)
    }

    const fn won_by(player: Player) -> Self {
        match player {
            Player::White => Self::White,
            Player::Black => Self::Black,
        }
    }

    /// Returns the value for White: 1, 0 or -1.
    pub const fn value(self) -> f32 {
        match self {
            Self::White => 1.0,
            Self::Draw => 0.0,
            Self::Black => -1.0,
        }
    }
}

/// A position that was thought about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The result expected for White, -1 to 1, in thousandths.
    pub value: f32,
    /// The result, if it is certain.
    pub known: Option<Known>,
    /// The turns that the search considered most, the best first; none if the game is over.
    pub candidates: Vec<LookedAt>,
    /// The positions visited, or the simulations of a tree search.
    pub nodes: u64,
}

/// A turn that was considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookedAt {
    /// The turn in official complete notation; in rule sets without a notation, its decisions joined by `+`.
    pub turn: String,
    /// The result expected for White if it is played, -1 to 1, in thousandths.
    pub value: f32,
    /// The share of a tree search's simulations that went through its first decision, 0 to 1, in hundredths.
    pub share: Option<f32>,
    /// The turns expected after it.
    pub line: Vec<String>,
}

impl Look {
    /// Returns the look at a game that is over.
    pub fn at_end(outcome: Outcome) -> Self {
        let known = Known::at_end(outcome);
        Self { value: known.value(), known: Some(known), candidates: Vec::new(), nodes: 0 }
    }
}

/// Rounds a value to thousandths: no search is more precise, and the value stays the same when written and read again.
pub(super) fn in_thousandths(value: f32) -> f32 {
    // Not -0.
    (value * 1000.0).round() / 1000.0 + 0.0
}

/// Rounds a share to hundredths.
pub(super) fn in_hundredths(share: f32) -> f32 {
    (share * 100.0).round() / 100.0
}

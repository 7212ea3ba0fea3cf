//! The rulings of a referee: how a bout goes on, why it is over, and why an act is refused.

use std::fmt;

use gipf_env::{Action, IllegalAction, Player, Reason};
use serde::{Deserialize, Serialize};

/// One of the two who play a bout. Colours change with every replay; the contestant does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contestant {
    /// The contestant who plays White in the first game.
    First,
    /// The contestant who plays Black in the first game.
    Second,
}

impl Contestant {
    /// Both, in the order of their indices.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns 0 for the first, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::First => "the first contestant",
            Self::Second => "the second contestant",
        })
    }
}

/// Why a bout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// By what happened on the board, or by its placement limit.
    Board(Reason),
    /// The loser's flag fell, and the turn in progress brought no winner (FAQ 11).
    Time,
    /// The loser was warned for the third time (FAQ 5).
    Penalty,
    /// The loser resigned.
    Resignation,
    /// Every game that the bout allows became void by repetition, so there is no winner (FAQ 7).
    Replays,
}

impl Cause {
    /// Returns the word for the cause, as in reports and files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Board(reason) => reason.word(),
            Self::Time => "time",
            Self::Penalty => "penalty",
            Self::Resignation => "resignation",
            Self::Replays => "replays",
        }
    }

    /// Returns the cause that the tag Termination of a record states: a loss on time, or a resignation. Chess programs
    /// write `time forfeit`.
    pub fn stated(termination: &str) -> Option<Self> {
        let told = termination.to_lowercase();
        let signs = [(Self::Time, "time"), (Self::Resignation, "resign")];
        signs.into_iter().find_map(|(cause, sign)| told.contains(sign).then_some(cause))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How a bout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoutResult {
    /// The winner, if there is one.
    pub winner: Option<Contestant>,
    /// Why the bout ended.
    pub cause: Cause,
}

impl fmt::Display for BoutResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} wins ({})", self.cause),
            None => write!(f, "no winner ({})", self.cause),
        }
    }
}

/// The consequence of an accepted act. A player here is a colour in the current game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The game goes on.
    GoesOn,
    /// The flag of this player has fallen; they may finish their turn (FAQ 11).
    FlagFell(Player),
    /// This player was warned for the first time, which costs nothing (FAQ 5).
    Warned(Player),
    /// The opponent was warned for the second time, so this player got extra time (FAQ 5).
    ExtraTime(Player),
    /// The game was void; the next one has begun, with colours and remaining times exchanged (FAQ 7).
    Replay,
    /// The bout is over.
    Over(BoutResult),
}

/// Why an act was refused; nothing has changed, and the clock keeps running.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The bout has a result, which is final.
    #[error("the bout is over, {0}: expected no further act")]
    Over(BoutResult),
    /// The other player is to move.
    #[error("{player} cannot act: expected a decision of {}", .player.other())]
    NotToMove {
        /// The player who tried to act.
        player: Player,
    },
    /// A first piece of the tournament game that is not a GIPF-piece must be replaced by one (FAQ 12).
    #[error("{player} cannot begin with {action}: expected a GIPF-piece as the first piece")]
    FirstPiece {
        /// The player whose first piece it is.
        player: Player,
        /// The push that was refused.
        action: Action,
    },
    /// The rules do not allow the action; another one must be chosen.
    #[error(transparent)]
    Illegal(#[from] IllegalAction),
}

//! Why a game cannot be read or written.

use crate::notation::error::{NoNotation, ReadError, Unwritable};
use crate::position::{IllegalAction, Outcome, Player};
use crate::rules::{InvalidPosition, Variant};
use crate::text::excerpt;

use super::Conclusion;

/// Why a text or a list of decisions is not a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The text is longer than any game.
    #[error("the text has {found} bytes, expected at most {most}")]
    TooLong {
        /// Its length.
        found: usize,
        /// The most that is read.
        most: usize,
    },
    /// More turns than any game has.
    #[error("the text has more than {0} turns")]
    TooManyTurns(usize),
    /// The text after one number is longer than any two turns.
    #[error("move {number} is longer than {most} bytes")]
    LongRow {
        /// The number.
        number: usize,
        /// The most that is read.
        most: usize,
    },
    /// The text has no turn.
    #[error("the text has no turns")]
    Empty,
    /// The numbers are not consecutive.
    #[error("number {found} where {expected} was expected")]
    Number {
        /// The number in the text.
        found: String,
        /// The one that comes next.
        expected: usize,
    },
    /// The first number is not 1, and nothing says from which position the game starts.
    #[error("the first number is {0}, expected 1, or the position from which the game starts, as in [Start \"…\"]")]
    FirstNumber(usize),
    /// A number does not have two turns.
    #[error("move {number} has {found} turns, expected two: `{text}`")]
    Turns {
        /// The number.
        number: usize,
        /// How many turns there are.
        found: usize,
        /// The text after the number.
        text: String,
    },
    /// Something stands after the result.
    #[error("`{0}` stands after the end of the game")]
    AfterResult(String),
    /// A turn cannot be played.
    #[error("move {number}, {player}, `{text}`: {why}; legal are {instead}")]
    Turn {
        /// The number of the move, from 1.
        number: usize,
        /// Whose turn it is.
        player: Player,
        /// The turn as it was written.
        text: String,
        /// What is wrong.
        why: Box<ReadError>,
        /// What could have been played.
        instead: String,
    },
    /// The first turn stands in the column of the player who does not begin.
    #[error("the first turn is in {found}'s column, but {expected} begins")]
    FirstPlayer {
        /// The player of the column.
        found: Player,
        /// The player to move.
        expected: Player,
    },
    /// The result and the X disagree.
    #[error("the result says that {stated}, but the column of the X says that {by_x}")]
    Results {
        /// What the result says.
        stated: Conclusion,
        /// What the X says.
        by_x: Conclusion,
    },
    /// The rules lead to another result.
    #[error("the text says that {stated}, but by the rules {outcome}")]
    Contradiction {
        /// What the text says.
        stated: Conclusion,
        /// What was reached.
        outcome: Outcome,
    },
    /// The header and the caller name different rules.
    #[error("the header says {found}, but the game was to be read as {expected}")]
    Header {
        /// The rule set of the header.
        found: Variant,
        /// The rule set asked for.
        expected: Variant,
    },
    /// A decision is illegal.
    #[error("decision {number}: {why}")]
    Decision {
        /// The number of the decision, from 1.
        number: usize,
        /// What is wrong.
        why: IllegalAction,
    },
    /// The start is not a position.
    #[error("the start of the game: {0}")]
    Setup(#[from] InvalidPosition),
}

impl RecordError {
    pub(super) fn after_result(text: &str) -> Self {
        Self::AfterResult(excerpt(text))
    }
}

/// Why a notation cannot express a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// It cannot express a turn.
    #[error("move {number}, {player}: {why}")]
    Turn {
        /// The number of the move, from 1.
        number: usize,
        /// Whose turn it is.
        player: Player,
        /// What is wrong.
        why: Unwritable,
    },
    /// Removals come before the first placement, and marks stand with placements only.
    #[error("removals before the first placement have no mark in Julio974's notation")]
    BeforeFirst,
    /// The header can only name a rule set, and the game starts from another position.
    #[error("Julio974's notation has no header for a game that does not begin as {0} does")]
    Start(Variant),
    /// The rule set has no such notation.
    #[error("{0}")]
    NoNotation(NoNotation),
    /// The start is not a position.
    #[error("the start of the game: {0}")]
    Setup(#[from] InvalidPosition),
}

//! Why a turn cannot be read or written.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::geometry::{Dot, Line, Spot};
use crate::position::Player;
use crate::rules::{OpenedRow, Phase};

use super::placement::PlacementError;
use crate::text::excerpt;

/// Why a text is not a turn that can be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text breaks the grammar.
    #[error("`{part}` is not understood: {expected}")]
    Syntax {
        /// The part of the text.
        part: String,
        /// What was expected instead.
        expected: &'static str,
    },
    /// A dot among the pieces removed.
    #[error("{dot} is a dot, in `{part}`: pieces stand on spots and can be removed only from there")]
    Dot {
        /// The dot.
        dot: Dot,
        /// The part of the text.
        part: String,
    },
    /// The same piece twice.
    #[error("{spot} is named twice in `{part}`")]
    Twice {
        /// The spot.
        spot: Spot,
        /// The part of the text.
        part: String,
    },
    /// The text is longer than any turn.
    #[error("the turn is longer than {most} {unit}")]
    TooLong {
        /// The most there can be.
        most: usize,
        /// Of what.
        unit: &'static str,
    },
    /// The text is right as far as it goes, but not what the position asks for.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The reserve in brackets is not what the player has left.
    #[error("the reserve in brackets is {stated}, but {player} has {found} left after this turn")]
    Reserve {
        /// The number in the text.
        stated: u32,
        /// The number there is.
        found: u8,
        /// Whose turn it is.
        player: Player,
    },
    /// The text has readings that lead to different positions.
    #[error("several readings lead to different positions: {one}, or {other}")]
    Ambiguous {
        /// The decisions of one reading.
        one: String,
        /// Those of another.
        other: String,
    },
    /// The search was given up.
    #[error("too many readings: name the lines in brackets and the pieces")]
    TooManyReadings,
    /// The game is over, so there is nothing to decide.
    #[error("the game is over, {0}")]
    GameOver(String),
    /// The ledger is not where a text of this notation begins.
    #[error("a text is read {0}, not in the middle of a turn")]
    MidTurn(&'static str),
    /// The rule set has no such notation.
    #[error("{0}")]
    NoNotation(NoNotation),
}

/// Why the turn that a text describes cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The placement is refused.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// The placement is not as Julio974 writes it.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A row must be removed, but the text has no note for it.
    #[error("{player}'s row on {line} must be removed {phase} the placement, but the text omits it: {pieces}")]
    Unnoted {
        /// Whose row it is.
        player: Player,
        /// Where it lies.
        line: Line,
        /// `before` or `after`.
        phase: &'static str,
        /// The pieces that must be removed.
        pieces: String,
    },
    /// A note does not fit the row removed.
    #[error("`{note}` does not fit {player}'s row on {line}: {why}")]
    Misfit {
        /// The part of the text.
        note: String,
        /// Whose row it is.
        player: Player,
        /// Where it lies.
        line: Line,
        /// What is wrong.
        why: String,
    },
    /// No row is left for a note.
    #[error("no row is left to remove for `{0}`")]
    NoRow(String),
    /// The player has a piece to bring in.
    #[error("the piece brought in is missing: the turn goes on after the removal")]
    NoPlacement,
    /// The game ended before the placement.
    #[error("the game ends with the removal, before `{0}` can be played")]
    EndedBefore(String),
}

/// Why a placement is not written as Julio974 writes it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Only dots have stars.
    #[error("{0} is a spot, which has no star")]
    StarOnSpot(Spot),
    /// A piece stands on the spot, so the dot matters.
    #[error("{spot} is occupied: write the dot from which it is pushed, {dots}")]
    Occupied {
        /// The spot.
        spot: Spot,
        /// Texts that would work: the dots, as they are written.
        dots: String,
    },
    /// There is nothing for a star to tell apart.
    #[error("{0} has one direction only: write {0} without a star")]
    OneDirection(Dot),
    /// The dot is written only where a piece is pushed.
    #[error("{spot}, next to {dot} in this direction, is vacant: write {instead}")]
    Vacant {
        /// The dot.
        dot: Dot,
        /// The vacant spot.
        spot: Spot,
        /// Texts that would work.
        instead: String,
    },
}

impl Failure {
    pub(super) fn misfit(note: &str, row: &OpenedRow, why: String) -> Self {
        Self::Misfit { note: excerpt(note), player: row.player, line: row.line, why }
    }

    pub(super) fn unnoted(row: &OpenedRow) -> Self {
        let phase = if row.phase == Phase::Pre { "before" } else { "after" };
        Self::Unnoted { player: row.player, line: row.line, phase, pieces: spots(row.compulsory()) }
    }

    pub(super) fn no_row(note: &str) -> Self {
        Self::NoRow(excerpt(note))
    }
}

impl ReadError {
    pub(super) fn syntax(part: &str, expected: &'static str) -> Self {
        Self::Syntax { part: excerpt(part), expected }
    }

    pub(super) fn ambiguous(one: &[Action], other: &[Action]) -> Self {
        let text = |actions: &[Action]| actions.iter().map(Action::to_string).collect::<Vec<_>>().join(", ");
        Self::Ambiguous { one: text(one), other: text(other) }
    }
}

/// Why a notation cannot express decisions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The decisions are not those of one whole turn, or not those from a placement up to the next one.
    #[error("the decisions are not {0}")]
    NotATurn(&'static str),
    /// Every piece of a row of GIPF-pieces stays and the game ends, and there is no text for that.
    #[error("the turn leaves nothing to write: no piece is removed and none is brought in")]
    Nothing,
    /// The rule set has no such notation.
    #[error("{0}")]
    NoNotation(NoNotation),
    /// The text would mean something else, or several things.
    #[error("`{text}` would not be read as what was played: {why}")]
    Unclear {
        /// The best text there is.
        text: String,
        /// How it would be read.
        why: String,
    },
    /// A piece is taken from a row that stood before, and there is no mark for that.
    #[error("a piece is taken from the row of GIPF-pieces on {0}, which stood before: there is no mark for that")]
    StandingRow(Line),
}

/// Why a notation has no text for a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoNotation {
    /// Whole lines move, and pieces next to a row may be removed with it.
    #[error("push-off has no published notation")]
    PushOff,
    /// The notation has neither loaded pieces nor jumps.
    #[error("Julio974's notation has no ZÈRTZ-potentials")]
    Zertz,
}

/// Returns the names of spots in order.
pub(super) fn spots(set: Bitboard) -> String {
    set.into_iter().map(|spot| spot.to_string()).collect::<Vec<_>>().join(",")
}

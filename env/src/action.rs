//! One decision, and its number (section 6 of the rules).

use std::fmt;

use crate::geometry::{Direction, ENTRIES, Entry, LINES, Line, SPOTS, Spot};
use crate::position::ActionIndex;

/// What is put on the board by a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pushed {
    /// A basic piece.
    Single,
    /// A GIPF-piece: two basic pieces stacked.
    Gipf,
    /// A basic piece with a ZÈRTZ-potential on top.
    Loaded,
}

impl Pushed {
    /// Returns the letter written before the placement in notation; empty for a basic piece.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Single => "",
            Self::Gipf => "G",
            Self::Loaded => "Z",
        }
    }
}

/// One decision of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Bring in a piece at an entry and push what stands in its way.
    Push(Pushed, Entry),
    /// Take the row on this line first.
    TakeRow(Line),
    /// Leave the piece in question on the board.
    Keep,
    /// Take the piece in question off the board.
    Take,
    /// Jump with the potential on a spot in a direction.
    Jump(Spot, Direction),
    /// Leave the opposing pieces at the ends of the row on the board (push-off).
    Leave,
    /// Remove the opposing pieces at the ends of the row (push-off).
    Remove,
}

/// The index of the first action of each group.
pub(crate) const ROWS: usize = ENTRIES;
pub(crate) const KEEP: usize = ROWS + LINES;
pub(crate) const TAKE: usize = KEEP + 1;
pub(crate) const PUSH_GIPF: usize = TAKE + 1;
pub(crate) const PUSH_LOADED: usize = PUSH_GIPF + ENTRIES;
pub(crate) const JUMPS: usize = PUSH_LOADED + ENTRIES;
pub(crate) const LEAVE: usize = JUMPS + 6 * SPOTS;
pub(crate) const REMOVE: usize = LEAVE + 1;
/// The size of the largest action space.
pub(crate) const ACTIONS: usize = REMOVE + 1;

impl Action {
    /// Returns the number of the action.
    #[inline]
    pub const fn index(self) -> ActionIndex {
        let index = match self {
            Self::Push(Pushed::Single, entry) => entry.index(),
            Self::TakeRow(line) => ROWS + line.index(),
            Self::Keep => KEEP,
            Self::Take => TAKE,
            Self::Push(Pushed::Gipf, entry) => PUSH_GIPF + entry.index(),
            Self::Push(Pushed::Loaded, entry) => PUSH_LOADED + entry.index(),
            Self::Jump(spot, direction) => JUMPS + 6 * spot.index() + direction.index(),
            Self::Leave => LEAVE,
            Self::Remove => REMOVE,
        };
        ActionIndex(index as u16)
    }

    /// Returns the action with this number, if there is one.
    #[inline]
    pub const fn from_index(index: ActionIndex) -> Option<Self> {
        let index = index.get();
        // Nearly all decisions are pushes of singles.
        if index < ROWS {
            Some(Self::Push(Pushed::Single, Entry::from_index(index)))
        } else {
            Self::other_than_single(index)
        }
    }

    /// Returns whether the action brings in a piece or jumps. All others are decisions of a removal.
    #[inline]
    pub const fn is_placement(self) -> bool {
        matches!(self, Self::Push(..) | Self::Jump(..))
    }

    const fn other_than_single(index: usize) -> Option<Self> {
        Some(match index {
            ROWS..KEEP => Self::TakeRow(Line::from_index(index - ROWS)),
            KEEP => Self::Keep,
            TAKE => Self::Take,
            PUSH_GIPF..PUSH_LOADED => Self::Push(Pushed::Gipf, Entry::from_index(index - PUSH_GIPF)),
            PUSH_LOADED..JUMPS => Self::Push(Pushed::Loaded, Entry::from_index(index - PUSH_LOADED)),
            JUMPS..LEAVE => {
                let index = index - JUMPS;
                Self::Jump(Spot::from_index(index / 6), Direction::from_index(index % 6))
            }
            LEAVE => Self::Leave,
            REMOVE => Self::Remove,
            _ => return None,
        })
    }
}

/// Writes the action for people, such as `e1-e2`, `Ge1-e2`, `take row b1-i4`, `keep`.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Push(pushed, entry) => write!(f, "{}{entry}", pushed.letter()),
            Self::TakeRow(line) => write!(f, "take row {line}"),
            Self::Keep => f.write_str("keep"),
            Self::Take => f.write_str("take"),
            Self::Jump(spot, direction) => write!(f, "J{spot} {direction:?}"),
            Self::Leave => f.write_str("leave"),
            Self::Remove => f.write_str("remove"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_those_of_the_rules_and_invert() {
        for index in 0..ACTIONS as u16 {
            let action = Action::from_index(ActionIndex(index)).unwrap();
            assert_eq!(action.index(), ActionIndex(index));
        }
        assert_eq!(Action::from_index(ActionIndex(ACTIONS as u16)), None);
        assert_eq!([KEEP, TAKE, PUSH_GIPF, PUSH_LOADED, JUMPS, LEAVE, ACTIONS], [63, 64, 65, 107, 149, 371, 373]);
    }
}

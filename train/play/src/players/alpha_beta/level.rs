//! The levels of the baseline AI.

use std::fmt;
use std::str::FromStr;

use super::limits::Limits;
use crate::players::setting::{SettingError, number};

/// A level of the baseline AI: level n looks n turns ahead, level 8 nine, less far where it does not expect much, and from
/// level 2 on at the captures of the two turns after.
///
/// Score against the level below over 200 paired games, of levels 6 and 7 over 120 from the book, of level 8 over 56 and 94 on
/// the ladders, and positions looked at in a turn of standard; level 8 takes some 43 milliseconds for it.
///
/// | level | basic | standard | tournament | positions a turn |
/// |--:|--:|--:|--:|--:|
/// | 1 against random | | 100 % | | 42 |
/// | 1 against greedy | | 100 % | | 42 |
/// | 2 | 100 % | 100 % | 99.5 % | 240 |
/// | 3 | 90 % | 92 % | 91 % | 860 |
/// | 4 | 90 % | 90.5 % | 90.5 % | 2 400 |
/// | 5 | 87 % | 89 % | 86 % | 5 600 |
/// | 6 | 82 % | 81 % | 85 % | 14 000 |
/// | 7 | 82 % | 82.5 % | 82.5 % | 32 000 |
/// | 8 | | 96.4 % | 95.7 % | 193 000 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// The highest level.
    pub const MAX: Self = Self(8);

    /// Returns the level with this number, 1 to 8, if there is one.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// Iterates over all levels, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX.0).map(Self)
    }

    /// Returns what stops the search at this level.
    pub const fn limits(self) -> Limits {
        match self.0 {
            1 => Limits { captures: 0, ..Limits::depth(1) },
            // One turn more would not be enough to beat the level below in three games of four.
            8 => Limits::depth(9),
            number => Limits::depth(number as u32),
        }
    }
}

impl FromStr for Level {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        number("level", text, [1, Self::MAX.0]).map(Self)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

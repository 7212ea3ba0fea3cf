//! The levels of the baseline AI.

use std::fmt;

use super::limits::Limits;

/// A level of the baseline AI: level n looks n turns ahead, and from level 2 on at the captures of the two turns after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// The highest level.
    pub const MAX: Self = Self(6);

    /// Returns the level with this number, 1 to 6, if there is one.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// Iterates over all levels, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX.0).map(Self)
    }

    /// Returns what stops the search at this level.
    pub const fn limits(self) -> Limits {
        let limits = Limits::depth(self.0 as u32);
        if self.0 == 1 { Limits { captures: 0, ..limits } } else { limits }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

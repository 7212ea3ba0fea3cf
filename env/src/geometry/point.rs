//! Directions, and points of the board in axial coordinates.

use std::fmt;
use std::str::FromStr;

use crate::text::excerpt;

/// One of the six directions, clockwise from north, which points away from White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// North: up a column.
    N,
    /// North-east.
    NE,
    /// South-east.
    SE,
    /// South: down a column.
    S,
    /// South-west.
    SW,
    /// North-west.
    NW,
}

impl Direction {
    /// All six, in the order of their indices.
    pub const ALL: [Self; 6] = [Self::N, Self::NE, Self::SE, Self::S, Self::SW, Self::NW];

    /// Returns the direction index, 0..6.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the direction with this index.
    ///
    /// # Panics
    /// Unless `index < 6`.
    pub const fn from_index(index: usize) -> Self {
        Self::ALL[index]
    }

    /// Returns the direction that undoes a step in this one.
    pub const fn opposite(self) -> Self {
        Self::ALL[(self as usize + 3) % 6]
    }

    /// Returns the change of bit number that a step makes on a bitboard: ±1, ±9 or ±8.
    pub const fn shift(self) -> i32 {
        let (q, r) = self.step();
        8 * q as i32 + r as i32
    }

    /// Returns the change of the axial coordinates.
    pub(crate) const fn step(self) -> (i8, i8) {
        match self {
            Self::N => (0, 1),
            Self::NE => (1, 1),
            Self::SE => (1, 0),
            Self::S => (0, -1),
            Self::SW => (-1, -1),
            Self::NW => (-1, 0),
        }
    }
}

/// A dot or a spot, or a place near the board, in axial coordinates; places more than 100 steps from the centre are not
/// supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The column counted from e, -4..=4.
    pub q: i8,
    /// The place in the column such that a step north is +1 and north-east keeps `r - q`; -4..=4.
    pub r: i8,
}

const fn larger(a: i8, b: i8) -> i8 {
    if a > b { a } else { b }
}

impl Point {
    /// Returns the distance from the centre in steps: 4 for a dot, at most 3 for a spot.
    pub const fn radius(self) -> i8 {
        larger(self.q.abs(), larger(self.r.abs(), (self.q - self.r).abs()))
    }

    /// Returns the neighbour in a direction, which may lie outside the board.
    pub const fn neighbour(self, direction: Direction) -> Self {
        let (q, r) = direction.step();
        Self { q: self.q + q, r: self.r + r }
    }

    /// Returns the number written after the column's letter.
    pub const fn number(self) -> i8 {
        self.r + 5 - larger(self.q, 0)
    }

    /// Returns the point with this column, counted from e, and number; it may lie outside the board.
    pub const fn from_column(q: i8, number: i8) -> Self {
        Self { q, r: number - 5 + larger(q, 0) }
    }

    /// Returns the bit number on a bitboard of a point that is a spot.
    pub(super) const fn bit(self) -> u8 {
        (8 * (self.q + 3) + self.r + 3) as u8
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'e' as i8 + self.q) as u8 as char, self.number())
    }
}

/// The text is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a point of the board: expected a column a-i and a number, such as e5")]
pub struct ParsePointError(String);

impl FromStr for Point {
    type Err = ParsePointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let &[column @ b'a'..=b'i', number @ b'1'..=b'9'] = text.as_bytes() else {
            return Err(ParsePointError(excerpt(text)));
        };
        let point = Self::from_column(column as i8 - b'e' as i8, (number - b'0') as i8);
        if point.radius() <= 4 { Ok(point) } else { Err(ParsePointError(excerpt(text))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_refused() {
        for text in ["", "e", "e0", "e10", "a6", "j1", "E5", "é5"] {
            assert!(text.parse::<Point>().is_err(), "{text}");
        }
        let hostile = format!("\u{1b}[2J{}", "x".repeat(1 << 20)).parse::<Point>().unwrap_err().to_string();
        assert!(hostile.starts_with("`\\u{1b}[2J") && hostile.len() < 200, "{hostile}");
    }
}

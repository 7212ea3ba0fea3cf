//! Dots, entries and lines.

use std::fmt;

use super::number::{DOTS, ENTRIES, LINES, numbered};
use super::point::{Direction, Point};
use super::spot::Spot;
use super::tables::{DOT_POINTS, ENTRY_TABLE, LINE_ENTRIES, LINE_SPOTS, LINE_THROUGH, RAYS, TRACKS, Track};
use crate::bitboard::Bitboard;

numbered!(
    /// A place on the rim where a piece is put before it is pushed: 0..24, by column, then number.
    Dot,
    DOTS
);
numbered!(
    /// A dot and a direction whose first step is a spot: 0..42, by dot, then direction (a1-NE = 0, i5-SW = 41).
    Entry,
    ENTRIES
);
numbered!(
    /// A drawn line of 4 to 7 spots, 0..21: the N lines of b1..h1, the NE lines of a1..a4, b1..d1, the SE lines of
    /// a2..a5, b6..d8.
    Line,
    LINES
);

impl Dot {
    /// Returns the coordinates of the dot.
    pub const fn point(self) -> Point {
        DOT_POINTS[self.0 as usize]
    }
}

impl Entry {
    /// Returns the entry that starts on a dot in a direction, if its first step is a spot.
    pub fn new(dot: Dot, direction: Direction) -> Option<Self> {
        Self::all().find(|entry| entry.dot() == dot && entry.direction() == direction)
    }

    /// Returns the dot that the piece is put on.
    pub const fn dot(self) -> Dot {
        Dot(ENTRY_TABLE[self.0 as usize].dot)
    }

    /// Returns the direction in which the piece is pushed.
    #[inline]
    pub const fn direction(self) -> Direction {
        ENTRY_TABLE[self.0 as usize].direction
    }

    /// Returns the line along which the piece is pushed.
    #[inline]
    pub const fn line(self) -> Line {
        Line(ENTRY_TABLE[self.0 as usize].line)
    }

    /// Returns the spot next to the dot, on which the pushed piece comes to rest.
    #[inline]
    pub const fn first_spot(self) -> Spot {
        Spot(ENTRY_TABLE[self.0 as usize].first_spot)
    }

    /// Returns the spot at the other end of the line, where a piece pushed off the board leaves it.
    pub fn last_spot(self) -> Spot {
        self.ray().last().expect("a line has four spots or more")
    }

    /// Returns the entry under which a push at this one is counted: the lowest of those onto the same spot at which a
    /// push is the same move.
    pub(crate) fn lowest_same(self, is_interchangeable: impl Fn(Self) -> bool) -> Self {
        let is_same = |other: &Self| other.first_spot() == self.first_spot() && is_interchangeable(*other);
        if is_interchangeable(self) { Self::all().find(is_same).unwrap_or(self) } else { self }
    }

    /// Returns what is precomputed for a push here.
    #[inline]
    pub(crate) const fn track(self) -> &'static Track {
        &TRACKS[self.0 as usize]
    }

    /// Iterates over the spots of the line, from the dot on.
    pub fn ray(self) -> impl Iterator<Item = Spot> {
        let direction = self.direction();
        std::iter::successors(Some(self.first_spot()), move |spot| spot.neighbour(direction))
    }
}

impl Line {
    /// Returns the number of spots on the line, 4 to 7.
    #[inline]
    pub const fn len(self) -> usize {
        LINE_SPOTS[self.0 as usize].count() as usize
    }

    /// Returns whether the line has no spots; never true.
    pub const fn is_empty(self) -> bool {
        false
    }

    /// Returns the direction of the line as seen from its first dot: north, north-east or south-east.
    #[inline]
    pub const fn direction(self) -> Direction {
        Direction::ALL[self.0 as usize / 7]
    }

    /// Returns the spots of the line.
    #[inline]
    pub const fn spots(self) -> Bitboard {
        LINE_SPOTS[self.0 as usize]
    }

    /// Returns the entry at the first dot of the line.
    pub const fn first_entry(self) -> Entry {
        Entry(LINE_ENTRIES[self.0 as usize][0])
    }

    /// Returns the entry at the other end of the line.
    pub const fn last_entry(self) -> Entry {
        Entry(LINE_ENTRIES[self.0 as usize][1])
    }

    /// Returns the line through a spot along an axis: 0 for N, 1 for NE, 2 for SE.
    ///
    /// # Panics
    /// If there is no such axis.
    #[inline]
    pub const fn through(spot: Spot, axis: usize) -> Self {
        Self(LINE_THROUGH[axis][spot.0 as usize])
    }
}

impl Point {
    /// Returns the dot at this point, if it is one.
    pub fn dot(self) -> Option<Dot> {
        DOT_POINTS.iter().position(|&dot| dot == self).map(|index| Dot(index as u8))
    }
}

impl Spot {
    /// Returns the spots that lie in a direction, up to the edge.
    #[inline]
    pub const fn ray(self, direction: Direction) -> Bitboard {
        RAYS[self.0 as usize][direction as usize]
    }
}

impl fmt::Display for Dot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.point().fmt(f)
    }
}

/// Writes the dot and the first spot, such as `e1-e2`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.dot(), self.first_spot())
    }
}

/// Writes the two end dots, such as `b1-i4`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first_entry().dot(), self.last_entry().dot())
    }
}

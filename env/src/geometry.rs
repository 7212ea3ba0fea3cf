//! The board: 37 spots, 24 dots, 42 entries, 21 lines, all computed at compile time from hexagonal coordinates.
//!
//! ```text
//!              e9
//!           d8    f8                 column  b  c  d  e  f  g  h   (a and i hold dots only)
//!        c7    e8    g7
//!     b6    d7    f7    h6           N    one number up
//!  a5    c6    e7    g6    i5        NE   one column right, half a step up
//!     b5    d6    f6    h5           SE   one column right, half a step down
//!  a4    c5    e6    g5    i4
//!     b4    d5    f5    h4           A point has axial coordinates (q, r): q is the column
//!  a3    c4    e5    g4    i3        counted from e, and a step N is (0, 1), NE (1, 1),
//!     b3    d4    f4    h3           SE (1, 0). Its distance from the centre e5 is
//!  a2    c3    e4    g3    i2        max(|q|, |r|, |q - r|): at most 3 for a spot, 4 for a dot.
//!     b2    d3    f3    h2
//!  a1    c2    e3    g2    i1        Spot (q, r) is bit 8·(q + 3) + (r + 3) of a bitboard, so
//!     b1    d2    f2    h1           a step is a shift by 1, 9 or 8, and the eighth bit of each
//!        c1    e2    g1              byte, never set, keeps columns apart.
//!           d1    f1
//!              e1
//! ```
//!
//! Numbers follow section 1 of the rules: spots by column, then number; entries by dot, then direction.

mod tables;

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;

pub(crate) use tables::Track;
use tables::{DOT_POINTS, ENTRY_TABLE, LINE_ENTRIES, LINE_SPOTS, LINE_THROUGH, RAYS, SPOT_BITS, SPOT_OF_BIT, TRACKS};

/// The number of spots, on which pieces stand.
pub const SPOTS: usize = 37;
/// The number of dots, on which pieces are put before they are pushed.
pub const DOTS: usize = 24;
/// The number of entries: pairs of a dot and a direction whose first step is a spot.
pub const ENTRIES: usize = 42;
/// The number of lines.
pub const LINES: usize = 21;
/// The number of spots on the longest lines.
pub const LONGEST_LINE: usize = 7;

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

/// A dot or a spot, in axial coordinates.
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

    /// Returns the spot at this point, if it is one.
    pub const fn spot(self) -> Option<Spot> {
        if self.radius() > 3 {
            return None;
        }
        Some(Spot(SPOT_OF_BIT[self.bit() as usize]))
    }

    /// Returns the dot at this point, if it is one.
    pub fn dot(self) -> Option<Dot> {
        DOT_POINTS.iter().position(|&dot| dot == self).map(|index| Dot(index as u8))
    }

    const fn bit(self) -> u8 {
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
            return Err(ParsePointError(text.to_owned()));
        };
        let point = Self::from_column(column as i8 - b'e' as i8, (number - b'0') as i8);
        if point.radius() <= 4 { Ok(point) } else { Err(ParsePointError(text.to_owned())) }
    }
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $count:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u8);

        impl $name {
            /// Returns the number of this item in the order of the rules.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the item with this number.
            ///
            /// # Panics
            /// If there is no such item.
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                assert!(index < $count);
                Self(index as u8)
            }

            /// Iterates over all items in order.
            pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..$count as u8).map(Self)
            }
        }
    };
}

numbered!(
    /// A place where a piece can stand: 0..37, by column, then number (b2 = 0, e5 = 18, h5 = 36).
    Spot,
    SPOTS
);
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
    /// A drawn line of 4 to 7 spots: 0..21; the N lines of b1..h1, the NE lines of a1..a4, b1..d1, the SE lines of a2..a5, b6..d8.
    Line,
    LINES
);

impl Spot {
    /// Returns the bit number of the spot on a bitboard.
    #[inline]
    pub const fn bit(self) -> u32 {
        SPOT_BITS[self.0 as usize] as u32
    }

    /// Returns the spot with this bit number.
    ///
    /// # Panics
    /// If no spot has it.
    #[inline]
    pub const fn from_bit(bit: u32) -> Self {
        let spot = SPOT_OF_BIT[bit as usize];
        assert!(spot < SPOTS as u8);
        Self(spot)
    }

    /// Returns the coordinates of the spot.
    pub const fn point(self) -> Point {
        let bit = SPOT_BITS[self.0 as usize] as i8;
        Point { q: bit / 8 - 3, r: bit % 8 - 3 }
    }

    /// Returns the cell of the spot in a 7×7 plane: 7·(q + 3) + (r + 3), a row for each column b..h.
    #[inline]
    pub const fn cell(self) -> usize {
        let bit = SPOT_BITS[self.0 as usize] as usize;
        7 * (bit / 8) + bit % 8
    }

    /// Returns the ring of the spot: 0 for the centre, 3 for the edge.
    pub const fn ring(self) -> u8 {
        self.point().radius() as u8
    }

    /// Returns the spots that lie in a direction, up to the edge.
    #[inline]
    pub const fn ray(self, direction: Direction) -> Bitboard {
        RAYS[self.0 as usize][direction as usize]
    }

    /// Returns the neighbouring spot in a direction, if that is a spot.
    pub const fn neighbour(self, direction: Direction) -> Option<Self> {
        self.point().neighbour(direction).spot()
    }
}

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

    /// Returns what a push here needs.
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
    #[inline]
    pub const fn through(spot: Spot, axis: usize) -> Self {
        Self(LINE_THROUGH[axis][spot.0 as usize])
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.point().fmt(f)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn point(text: &str) -> Point {
        text.parse().unwrap()
    }

    #[test]
    fn the_board_has_61_points_as_the_rules_name_them() {
        let names: Vec<_> = Spot::all().map(|spot| spot.to_string()).collect();
        assert_eq!(names[0], "b2");
        assert_eq!((&*names[3], &*names[4], &*names[18], &*names[36]), ("b5", "c2", "e5", "h5"));
        let dots: Vec<_> = Dot::all().map(|dot| dot.to_string()).collect();
        assert_eq!(dots.len() + names.len(), 61);
        assert_eq!((&*dots[0], &*dots[5], &*dots[23]), ("a1", "b1", "i5"));
        for spot in Spot::all() {
            assert_eq!(point(&spot.to_string()).spot(), Some(spot));
        }
    }

    #[test]
    fn corner_dots_have_one_entry_and_the_others_two() {
        for dot in Dot::all() {
            let corner = ["a1", "a5", "e1", "e9", "i1", "i5"].contains(&dot.to_string().as_str());
            let entries = Entry::all().filter(|entry| entry.dot() == dot).count();
            assert_eq!(entries, if corner { 1 } else { 2 }, "{dot}");
        }
        let entry = |dot: &str, direction| Entry::new(point(dot).dot().unwrap(), direction).unwrap().index();
        assert_eq!(entry("a1", Direction::NE), 0);
        assert_eq!(entry("a2", Direction::NE), 1);
        assert_eq!(entry("a2", Direction::SE), 2);
        assert_eq!(entry("i5", Direction::SW), 41);
    }

    #[test]
    fn lines_begin_and_end_at_the_dots_that_the_rules_name() {
        let names: Vec<_> = Line::all().map(|line| line.to_string()).collect();
        assert_eq!(names[..7], ["b1-b6", "c1-c7", "d1-d8", "e1-e9", "f1-f8", "g1-g7", "h1-h6"]);
        assert_eq!(names[7..14], ["a1-i5", "a2-h6", "a3-g7", "a4-f8", "b1-i4", "c1-i3", "d1-i2"]);
        assert_eq!(names[14..], ["a2-f1", "a3-g1", "a4-h1", "a5-i1", "b6-i2", "c7-i3", "d8-i4"]);
        assert!(Line::all().all(|line| (4..=7).contains(&line.len())));
        for entry in Entry::all() {
            assert_eq!(entry.ray().count(), entry.line().len());
            assert!(entry.ray().all(|spot| entry.line().spots().contains(spot)));
        }
    }

    #[test]
    fn foreign_text_is_refused() {
        for text in ["", "e", "e0", "e10", "a6", "j1", "E5", "é5"] {
            assert!(text.parse::<Point>().is_err(), "{text}");
        }
    }
}

//! The board of section 1: points, spots, dots, entries and lines, recomputed whenever they are needed.

use std::fmt::{self, Display};

/// Steps in `(q, y)`, clockwise from north: N, NE, SE, S, SW, NW.
const STEPS: [(i32, i32); 6] = [(0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1)];
/// The number of directions.
pub const DIRECTIONS: usize = STEPS.len();

/// The directions of the three bundles of lines, each with the dots at which its seven lines begin.
const BUNDLES: [(usize, [&str; 7]); 3] = [
    (0, ["b1", "c1", "d1", "e1", "f1", "g1", "h1"]),
    (1, ["a1", "a2", "a3", "a4", "b1", "c1", "d1"]),
    (2, ["a2", "a3", "a4", "a5", "b6", "c7", "d8"]),
];

/// One of the 61 points. They are ordered as spots are numbered: by column, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    column: char,
    number: i32,
}

impl Point {
    /// Returns the point with this name, such as "e4".
    pub fn named(name: &str) -> Self {
        let column = name.chars().next().unwrap();
        Self { column, number: name[1..].parse().unwrap() }
    }

    /// Returns the column's letter.
    pub fn column(self) -> char {
        self.column
    }

    /// Returns the neighbour in a direction, if it is on the board.
    pub fn step(self, direction: usize) -> Option<Self> {
        let (across, up) = STEPS[direction];
        let (q, y) = (self.q() + across, self.y() + up);
        let column = char::from_u32((u32::from('e') as i32 + q) as u32)?;
        let length = column_length(column)?;
        let number = (y + length + 1) / 2;
        (1..=length).contains(&number).then_some(Self { column, number })
    }

    /// Returns whether this is one of the 37 inner points.
    pub fn is_spot(self) -> bool {
        self.ring() <= 3
    }

    /// Returns whether this is one of the 24 points of the outer ring.
    pub fn is_dot(self) -> bool {
        self.ring() == 4
    }

    fn q(self) -> i32 {
        self.column as i32 - 'e' as i32
    }

    fn y(self) -> i32 {
        2 * self.number - (column_length(self.column).unwrap() + 1)
    }

    fn ring(self) -> i32 {
        let (q, y) = (self.q().abs(), self.y().abs());
        q.max(i32::midpoint(q, y))
    }
}

impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.column, self.number)
    }
}

/// Returns the number of points in a column, if the board has that column.
fn column_length(column: char) -> Option<i32> {
    match column {
        'a' | 'i' => Some(5),
        'b' | 'h' => Some(6),
        'c' | 'g' => Some(7),
        'd' | 'f' => Some(8),
        'e' => Some(9),
        _ => None,
    }
}

fn points() -> Vec<Point> {
    let column = |column| (1..=column_length(column).unwrap()).map(move |number| Point { column, number });
    ('a'..='i').flat_map(column).collect()
}

/// Returns the 37 spots by their indices.
pub fn spots() -> Vec<Point> {
    points().into_iter().filter(|point| point.is_spot()).collect()
}

/// Returns the spots of the 42 entries by their indices, each as a walk from the dot: the first is where a piece comes
/// in.
pub fn entries() -> Vec<Vec<Point>> {
    let dots = points().into_iter().filter(|point| point.is_dot());
    let walks = dots.flat_map(|dot| (0..DIRECTIONS).map(move |direction| walk(dot, direction)));
    walks.filter(|walk| !walk.is_empty()).collect()
}

/// Returns the spots of the 21 lines by their indices, each from its first dot.
pub fn lines() -> Vec<Vec<Point>> {
    let bundle = |(direction, dots): (usize, [&'static str; 7])| dots.map(|dot| walk(Point::named(dot), direction));
    BUNDLES.into_iter().flat_map(bundle).collect()
}

/// Returns the spots on the way from a point, up to the first point that is not a spot.
pub fn walk(from: Point, direction: usize) -> Vec<Point> {
    let mut met = Vec::new();
    let mut at = from;
    while let Some(next) = at.step(direction).filter(|next| next.is_spot()) {
        met.push(next);
        at = next;
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(points: &[Point]) -> String {
        points.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_board_is_that_of_section_1() {
        assert_eq!(points().len(), 61);
        assert_eq!(points().into_iter().filter(|point| point.is_dot()).count(), 24);
        let spots = spots();
        assert_eq!(spots.len(), 37);
        assert_eq!(names(&[spots[0], spots[3], spots[4], spots[18], spots[36]]), "b2 b5 c2 e5 h5");
    }

    #[test]
    fn entries_are_numbered_by_dot_and_direction() {
        let entries = entries();
        assert_eq!(entries.len(), 42);
        assert_eq!(names(&entries[0]), "b2 c3 d4 e5 f5 g5 h5");
        assert_eq!(names(&entries[1]), "b3 c4 d5 e6 f6 g6");
        assert_eq!(names(&entries[2]), "b2 c2 d2 e2");
        assert_eq!(names(&entries[41]), names(&entries[0].iter().rev().copied().collect::<Vec<_>>()));
    }

    #[test]
    fn lines_hold_four_to_seven_spots() {
        let lines = lines();
        assert_eq!(lines.len(), 21);
        let lengths: Vec<_> = lines.iter().map(Vec::len).collect();
        assert_eq!(lengths, [[4, 5, 6, 7, 6, 5, 4], [7, 6, 5, 4, 6, 5, 4], [4, 5, 6, 7, 6, 5, 4]].concat());
    }
}

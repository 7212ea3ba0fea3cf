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

mod lines;
mod number;
mod point;
mod spot;
mod tables;

pub use lines::{Dot, Entry, Line};
pub use number::{DOTS, ENTRIES, LINES, LONGEST_LINE, SPOTS};
pub use point::{Direction, ParsePointError, Point};
pub use spot::Spot;
pub(crate) use tables::Track;

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
}

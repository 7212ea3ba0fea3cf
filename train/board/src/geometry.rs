//! Where the spots and dots of the board are, for drawing it.

use gipf_env::geometry::{Dot, Entry, Line, Point, Spot};
use serde::Serialize;

/// The places of the board. The distance of neighbouring places is 1, the middle is 0, 0, and White sits at the bottom.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardLines {
    spots: Vec<Place>,
    dots: Vec<Place>,
    entries: Vec<EntryPlace>,
    lines: Vec<[usize; 2]>,
}

/// A spot or a dot.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Place {
    name: String,
    /// To the right.
    x: f64,
    /// Down.
    y: f64,
}

/// A way to push a piece in: from a dot along a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct EntryPlace {
    dot: usize,
    /// The spots of the line, from the dot on.
    ray: Vec<usize>,
}

impl Place {
    fn of(point: Point) -> Self {
        let (q, r) = (f64::from(point.q), f64::from(point.r));
        Self { name: point.to_string(), x: q * 0.75_f64.sqrt(), y: q / 2.0 - r }
    }
}

impl BoardLines {
    /// Returns the places of the board.
    pub fn new() -> Self {
        let entry = |entry: Entry| EntryPlace { dot: entry.dot().index(), ray: entry.ray().map(Spot::index).collect() };
        let ends = |line: Line| [line.first_entry(), line.last_entry()].map(|entry| entry.dot().index());
        Self {
            spots: Spot::all().map(|spot| Place::of(spot.point())).collect(),
            dots: Dot::all().map(|dot| Place::of(dot.point())).collect(),
            entries: Entry::all().map(entry).collect(),
            lines: Line::all().map(ends).collect(),
        }
    }
}

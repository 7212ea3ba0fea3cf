//! The part of a text that brings in a piece.

use crate::action::{Action, Pushed};
use crate::geometry::{Direction, Dot, Entry, Point, Spot};
use crate::notation::error::{Failure, PlaceError};
use crate::notation::placement::Placement;
use crate::rules::GipfPosition;

/// A placement as it stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub pushed: Pushed,
    pub point: Point,
    pub star: bool,
}

impl Place {
    /// Returns the legal action that this means in a position.
    pub fn resolve(self, position: &GipfPosition) -> Result<Action, Failure> {
        let placement = match (self.point.spot(), self.point.dot()) {
            (Some(spot), _) => self.onto(position, spot)?,
            (None, dot) => self.from(position, dot.expect("a point of the board is a dot or a spot"))?,
        };
        Ok(placement.resolve(position)?)
    }

    fn onto(self, position: &GipfPosition, spot: Spot) -> Result<Placement, PlaceError> {
        let dots: Vec<_> = Entry::all().filter(|entry| entry.first_spot() == spot).map(dot_of).collect();
        if self.star {
            Err(PlaceError::StarOnSpot(spot))
        } else if position.board().occupied().contains(spot) && !dots.is_empty() {
            Err(PlaceError::Occupied { spot, dots: dots.join(" or ") })
        } else {
            Ok(Placement::Onto(self.pushed, self.point))
        }
    }

    fn from(self, position: &GipfPosition, dot: Dot) -> Result<Placement, PlaceError> {
        let (plain, starred) = entries(dot);
        let (entry, other) = match (self.star, starred) {
            (false, other) => (plain, other),
            (true, Some(entry)) => (entry, Some(plain)),
            (true, None) => return Err(PlaceError::OneDirection(dot)),
        };
        let is_occupied = |entry: &Entry| position.board().occupied().contains(entry.first_spot());
        if is_occupied(&entry) {
            return Ok(Placement::From(self.pushed, self.point, entry.first_spot().point()));
        }
        let other = other.filter(is_occupied).map_or_else(String::new, |other| format!(", or {}", meant(other)));
        Err(PlaceError::Vacant { dot, spot: entry.first_spot(), other })
    }
}

fn meant(entry: Entry) -> String {
    format!("{} to push {} on", dot_of(entry), entry.first_spot())
}

/// Returns the text of a push in a position.
pub(super) fn write(position: &GipfPosition, pushed: Pushed, entry: Entry) -> String {
    let letter = pushed.letter();
    if position.board().occupied().contains(entry.first_spot()) {
        format!("{letter}{}", dot_of(entry))
    } else {
        format!("{letter}{}", entry.first_spot())
    }
}

/// Returns the dot of an entry, with a star for the direction that has one.
fn dot_of(entry: Entry) -> String {
    let star = if entries(entry.dot()).0 == entry { "" } else { "*" };
    format!("{}{star}", entry.dot())
}

/// Returns the entry that a dot alone means, and the one it means with a star.
///
/// Without a star it is the vertical one, and on columns a and i, which have none, the one that keeps the number.
fn entries(dot: Dot) -> (Entry, Option<Entry>) {
    let is_plain = |entry: &Entry| {
        matches!(entry.direction(), Direction::N | Direction::S)
            || dot.point().q.abs() == 4 && entry.first_spot().point().number() == dot.point().number()
    };
    let own: Vec<_> = Entry::all().filter(|entry| entry.dot() == dot).collect();
    let plain = own.iter().copied().find(is_plain).unwrap_or(own[0]);
    (plain, own.into_iter().find(|&entry| entry != plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_as_published() {
        let entry = |text: &str| Entry::all().find(|entry| entry.to_string() == text).unwrap();
        let plain = ["a1-b2", "a5-b5", "e1-e2", "e9-e8", "i1-h2", "i5-h5", "c1-c2", "h6-h5", "a2-b2", "i3-h3", "a4-b4"];
        let starred = ["c1-d2", "a4-b5", "h6-g6", "a2-b3", "i2-h3", "f1-e2", "d8-e8"];
        for text in plain {
            assert_eq!(dot_of(entry(text)), text[..2], "{text}");
        }
        for text in starred {
            assert_eq!(dot_of(entry(text)), format!("{}*", &text[..2]), "{text}");
        }
        let stars = Entry::all().filter(|&entry| dot_of(entry).ends_with('*')).count();
        assert_eq!(stars, 18, "each dot with two directions has one");
    }
}

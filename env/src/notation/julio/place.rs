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
        if self.star {
            return Err(PlaceError::StarOnSpot(spot));
        }
        let entries = Entry::all().filter(|entry| entry.first_spot() == spot);
        let Some(first) = entries.clone().next().filter(|_| position.board().occupied().contains(spot)) else {
            return Ok(Placement::Onto(self.pushed, self.point));
        };
        let dots: Vec<_> =
            entries.filter(|&entry| self.is_legal(position, entry)).map(|entry| self.text(entry)).collect();
        if dots.is_empty() {
            // This is refused later, with the reason.
            return Ok(Placement::From(self.pushed, first.dot().point(), self.point));
        }
        Err(PlaceError::Occupied { spot, dots: dots.join(" or ") })
    }

    fn from(self, position: &GipfPosition, dot: Dot) -> Result<Placement, PlaceError> {
        let (plain, starred) = entries(dot);
        let (entry, other) = match (self.star, starred) {
            (false, other) => (plain, other),
            (true, Some(entry)) => (entry, Some(plain)),
            (true, None) => return Err(PlaceError::OneDirection(dot)),
        };
        let is_occupied = |entry: &Entry| position.board().occupied().contains(entry.first_spot());
        let spot = entry.first_spot();
        if is_occupied(&entry) {
            return Ok(Placement::From(self.pushed, self.point, spot.point()));
        }
        if !self.is_legal(position, entry) {
            // This is refused later, with the reason.
            return Ok(Placement::Onto(self.pushed, spot.point()));
        }
        let other = other.filter(|other| is_occupied(other) && self.is_legal(position, *other));
        let other = other.map(|other| format!(", or {} to push {} on", self.text(other), other.first_spot()));
        let instead = format!("{}{spot}{}", self.pushed.letter(), other.unwrap_or_default());
        Err(PlaceError::Vacant { dot, spot, instead })
    }

    fn is_legal(self, position: &GipfPosition, entry: Entry) -> bool {
        position.is_legal(Action::Push(self.pushed, position.canonical_entry(entry)))
    }

    /// Returns the text for pushing such a piece from the dot of an entry.
    fn text(self, entry: Entry) -> String {
        format!("{}{}", self.pushed.letter(), dot_of(entry))
    }
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
    fn only_what_would_work_is_suggested() {
        let full = "basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0";
        let (standard, tournament) =
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0");
        let cases = [
            (full, "", "e2", "e2 is occupied: write the dot from which it is pushed, d1* or f1*"),
            (full, "", "e1", "the line e1-e9 is full: nothing can be pushed onto it"),
            (standard, "G", "e2", "White cannot bring that in: no GIPF-pieces may be brought in any more"),
            (standard, "G", "c1", "White cannot bring that in: no GIPF-pieces may be brought in any more"),
            (tournament, "G", "e1", "e2, next to e1 in this direction, is vacant: write Ge2"),
            (tournament, "", "e1", "White cannot bring that in: the first piece must be a GIPF-piece: put a G before"),
        ];
        for (gpn, letter, point, expected) in cases {
            let pushed = if letter == "G" { Pushed::Gipf } else { Pushed::Single };
            let place = Place { pushed, point: point.parse().unwrap(), star: false };
            let told = place.resolve(&GipfPosition::from_gpn(gpn).unwrap()).unwrap_err().to_string();
            assert!(told.starts_with(expected), "{letter}{point}: {told}");
        }
    }

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

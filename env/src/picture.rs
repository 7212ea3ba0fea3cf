//! The board as a picture: an SVG document in which everything is a path, so that it looks the same without any font.
//!
//! ```
//! use gipf_env::{GipfPosition, Variant};
//!
//! let svg = GipfPosition::start(Variant::STANDARD).picture().to_string();
//! assert!(svg.starts_with("<svg") && svg.matches("class=\"gipf\"").count() == 6);
//! ```

use std::fmt;

use crate::action::Action;
use crate::geometry::{Dot, Line, Point, Spot};
use crate::position::Player;
use crate::rules::{GipfPosition, Kind};

mod glyph;

use glyph::Glyphs;

/// The side of the picture, in the units of the drawing.
const SIDE: f64 = 460.0;
/// The distance between neighbouring spots.
const STEP: f64 = 50.0;
const PIECE: f64 = 20.0;
const DOT: f64 = 3.5;
/// How far beyond its dot a name is written.
const NAME: f64 = 17.0;

const GROUND: &str = "#f4ead7";
const INK: &str = "#4a4036";
const MARK: &str = "#d55e00";

/// A position as an SVG picture of 460 by 460 units, White at the bottom.
///
/// Singles are one disc; GIPF-pieces two, one on the other. A loaded piece carries a triangle; a used potential is a
/// triangle alone. The piece placed last has a ring; the piece in question and those at stake in a choice have a dashed
/// one.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    position: &'a GipfPosition,
    last: Option<Action>,
}

impl GipfPosition {
    /// Returns a picture of the position.
    pub fn picture(&self) -> Picture<'_> {
        Picture { position: self, last: None }
    }
}

impl Picture<'_> {
    /// Returns the picture with a mark on the piece that the last action brought in or jumped from.
    pub fn with_last(self, last: Option<Action>) -> Self {
        Self { last, ..self }
    }
}

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}">"#
        )?;
        writeln!(f, r#"<rect width="{SIDE}" height="{SIDE}" fill="{GROUND}"/>"#)?;
        Line::all().try_for_each(|line| write_line(f, line))?;
        Dot::all().try_for_each(|dot| write_dot(f, dot))?;
        for spot in Spot::all() {
            if let Some((player, kind)) = self.position.board().piece_at(spot) {
                write_piece(f, spot, player, kind)?;
            }
        }
        self.write_marks(f)?;
        self.write_reserves(f)?;
        writeln!(f, "</svg>")
    }
}

impl Picture<'_> {
    fn write_marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let placed = self.position.placed_by(self.last);
        placed.map_or(Ok(()), |spot| write_ring(f, spot, ""))?;
        self.position.at_stake().into_iter().try_for_each(|spot| write_ring(f, spot, r#" stroke-dasharray="6 4""#))
    }

    /// Writes each player's reserve: a disc in their corner, and the number.
    fn write_reserves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (player, y) in Player::BOTH.into_iter().zip([SIDE - 24.0, 24.0]) {
            write_disc(f, [26.0, y], 12.0, player)?;
            let count = self.position.reserve(player).to_string();
            let weight = if self.position.to_move() == player { 2.6 } else { 1.3 };
            writeln!(f, "{}", Glyphs { text: &count, at: [54.0, y], size: 16.0, weight })?;
        }
        Ok(())
    }
}

/// Returns where a point lies: north is up, columns go from left to right.
fn place(point: Point) -> [f64; 2] {
    let (q, r) = (f64::from(point.q), f64::from(point.r));
    [SIDE / 2.0 + STEP * q * 0.75_f64.sqrt(), SIDE / 2.0 - STEP * (r - q / 2.0)]
}

fn write_line(f: &mut fmt::Formatter<'_>, line: Line) -> fmt::Result {
    let ends = [line.first_entry(), line.last_entry()].map(|entry| place(entry.dot().point()));
    let [[x1, y1], [x2, y2]] = ends;
    writeln!(f, r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{INK}" stroke-width="1.2"/>"#)
}

fn write_dot(f: &mut fmt::Formatter<'_>, dot: Dot) -> fmt::Result {
    let [x, y] = place(dot.point());
    writeln!(f, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{DOT}" fill="{INK}"/>"#)?;
    let (dx, dy) = (x - SIDE / 2.0, y - SIDE / 2.0);
    let scale = NAME / (dx * dx + dy * dy).sqrt();
    let name = dot.to_string();
    writeln!(f, "{}", Glyphs { text: &name, at: [x + dx * scale, y + dy * scale], size: 10.0, weight: 1.2 })
}

fn write_piece(f: &mut fmt::Formatter<'_>, spot: Spot, player: Player, kind: Kind) -> fmt::Result {
    let [x, y] = place(spot.point());
    match kind {
        Kind::Single => write_disc(f, [x, y], PIECE, player),
        Kind::Gipf => {
            writeln!(f, r#"<g class="gipf">"#)?;
            write_disc(f, [x, y + 3.0], PIECE, player)?;
            write_disc(f, [x, y - 3.0], PIECE, player)?;
            write_disc(f, [x, y - 3.0], PIECE * 0.5, player)?;
            writeln!(f, "</g>")
        }
        Kind::Loaded => {
            write_disc(f, [x, y], PIECE, player)?;
            write_triangle(f, [x, y], PIECE * 0.55, colours(player)[1])
        }
        Kind::Used => write_triangle(f, [x, y], PIECE * 0.8, colours(player)[0]),
    }
}

/// Returns the colours of a player's pieces and of what is drawn on them.
const fn colours(player: Player) -> [&'static str; 2] {
    match player {
        Player::White => ["#fdfdfb", "#26221e"],
        Player::Black => ["#26221e", "#fdfdfb"],
    }
}

fn write_disc(f: &mut fmt::Formatter<'_>, [x, y]: [f64; 2], radius: f64, player: Player) -> fmt::Result {
    let [fill, edge] = colours(player);
    // Dark pieces need the light edge to be told apart where they lie on each other.
    writeln!(f, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{fill}" stroke="{edge}" stroke-width="1.4"/>"#)
}

fn write_triangle(f: &mut fmt::Formatter<'_>, [x, y]: [f64; 2], radius: f64, fill: &str) -> fmt::Result {
    let (dx, dy) = (radius * 0.75_f64.sqrt(), radius / 2.0);
    let (top, left, right, base) = (y - radius, x - dx, x + dx, y + dy);
    let path = format!("M{x:.1} {top:.1}L{left:.1} {base:.1}L{right:.1} {base:.1}Z");
    writeln!(f, r##"<path d="{path}" fill="{fill}" stroke="#808080" stroke-width="1"/>"##)
}

fn write_ring(f: &mut fmt::Formatter<'_>, spot: Spot, dashes: &str) -> fmt::Result {
    let [x, y] = place(spot.point());
    let radius = PIECE + 3.5;
    writeln!(
        f,
        r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="none" stroke="{MARK}" stroke-width="3"{dashes}/>"#
    )
}

impl GipfPosition {
    /// Returns the spot on which the last action brought in a piece or from which it jumped, if a piece is still there.
    pub fn placed_by(&self, last: Option<Action>) -> Option<Spot> {
        let spot = match last? {
            Action::Push(_, entry) => entry.first_spot(),
            Action::Jump(spot, _) => spot,
            Action::TakeRow(_) | Action::Keep | Action::Take | Action::Leave | Action::Remove => return None,
        };
        self.board().occupied().contains(spot).then_some(spot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn picture_after(text: &str, push: &str) -> String {
        let mut position = GipfPosition::from_gpn(text).unwrap();
        let mut actions = position.action_set().indices().filter_map(Action::from_index);
        let push = actions.find(|action| action.to_string() == push).unwrap();
        position.play(push).unwrap();
        position.picture().with_last(Some(push)).to_string()
    }

    #[test]
    fn everything_on_the_board_is_drawn_within_the_picture() {
        for variant in Variant::ALL {
            let position = GipfPosition::start(variant);
            let svg = position.picture().to_string();
            let discs = svg.matches(&format!("r=\"{PIECE:.1}\"")).count() as u32;
            let gipfs = position.board().gipfs().count();
            assert_eq!(discs, position.board().occupied().count() + gipfs, "{variant}: a GIPF-piece is two discs");
            for name in ["cx=\"", "cy=\""] {
                for part in svg.split(name).skip(1) {
                    let at: f64 = part.split('"').next().unwrap().parse().unwrap();
                    assert!((0.0..=SIDE).contains(&at), "{variant}: {at}");
                }
            }
        }
    }

    #[test]
    fn the_last_piece_and_the_piece_in_question_are_marked() {
        let svg = picture_after("standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0", "e1-e2");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "the GIPF-piece on e4 is asked about");
        assert_eq!(svg.matches(MARK).count(), 1, "the piece that came last is off the board again");
        let svg = picture_after("basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0", "e1-e2");
        assert_eq!(svg.matches("stroke-dasharray").count(), 7, "two rows that cross on a spot");
        assert_eq!(svg.matches(MARK).count(), 8, "and the piece on e2 came last");
    }
}

//! The letters and digits of the board's names, as strokes: a picture then needs no font.

use std::fmt;

/// A text of the letters a to i and digits, drawn around a place.
pub(super) struct Glyphs<'a> {
    pub text: &'a str,
    /// The middle of the text.
    pub at: [f64; 2],
    /// The height of a digit.
    pub size: f64,
    /// The width of the strokes.
    pub weight: f64,
}

/// The width of a character and the gap after it, as fractions of its height.
const WIDTH: f64 = 0.6;
const GAP: f64 = 0.3;

impl fmt::Display for Glyphs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, at: [x, y], size, weight } = self;
        let width = text.len() as f64 * (WIDTH + GAP) - GAP;
        let (left, top) = (x - size * width / 2.0, y - size / 2.0);
        write!(f, r##"<path fill="none" stroke="#4a4036" stroke-width="{weight}" stroke-linecap="round" d=""##)?;
        for (number, character) in text.chars().enumerate() {
            let from = left + size * (WIDTH + GAP) * number as f64;
            for stroke in strokes(character) {
                for (turn, (dx, dy)) in stroke.iter().enumerate() {
                    let command = if turn == 0 { 'M' } else { 'L' };
                    let (x, y) = (from + size * WIDTH * f64::from(*dx) / 4.0, top + size * f64::from(*dy) / 6.0);
                    write!(f, "{command}{x:.1} {y:.1}")?;
                }
            }
        }
        write!(f, r#""/>"#)
    }
}

/// The corners of a stroke: up to 4 to the right, and 6 down to the base line.
type Stroke = &'static [(u8, u8)];

const fn strokes(character: char) -> &'static [Stroke] {
    match character {
        'a' => &[&[(4, 2), (1, 2), (0, 3), (0, 5), (1, 6), (4, 6)], &[(4, 2), (4, 6)]],
        'b' => &[&[(0, 0), (0, 6)], &[(0, 2), (3, 2), (4, 3), (4, 5), (3, 6), (0, 6)]],
        'c' => &[&[(4, 2), (1, 2), (0, 3), (0, 5), (1, 6), (4, 6)]],
        'd' => &[&[(4, 0), (4, 6)], &[(4, 2), (1, 2), (0, 3), (0, 5), (1, 6), (4, 6)]],
        'e' => &[&[(0, 4), (4, 4), (4, 3), (3, 2), (1, 2), (0, 3), (0, 5), (1, 6), (4, 6)]],
        'f' => &[&[(4, 0), (3, 0), (2, 1), (2, 6)], &[(0, 3), (4, 3)]],
        'g' => &[&[(4, 6), (1, 6), (0, 5), (0, 3), (1, 2), (4, 2), (4, 7), (3, 8), (0, 8)]],
        'h' => &[&[(0, 0), (0, 6)], &[(0, 3), (1, 2), (3, 2), (4, 3), (4, 6)]],
        'i' => &[&[(2, 2), (2, 6)], &[(2, 0), (2, 0)]],
        '0' => &[&[(1, 0), (3, 0), (4, 1), (4, 5), (3, 6), (1, 6), (0, 5), (0, 1), (1, 0)]],
        '1' => &[&[(1, 1), (2, 0), (2, 6)]],
        '2' => &[&[(0, 1), (1, 0), (3, 0), (4, 1), (4, 2), (0, 6), (4, 6)]],
        '3' => &[&[(0, 0), (4, 0), (2, 2), (3, 2), (4, 3), (4, 5), (3, 6), (1, 6), (0, 5)]],
        '4' => &[&[(3, 6), (3, 0), (0, 4), (4, 4)]],
        '5' => &[&[(4, 0), (0, 0), (0, 3), (3, 3), (4, 4), (4, 5), (3, 6), (0, 6)]],
        '6' => &[&[(3, 0), (1, 0), (0, 2), (0, 5), (1, 6), (3, 6), (4, 5), (4, 4), (3, 3), (0, 3)]],
        '7' => &[&[(0, 0), (4, 0), (2, 6)]],
        '8' => &[
            &[(1, 0), (3, 0), (4, 1), (4, 2), (3, 3), (1, 3), (0, 2), (0, 1), (1, 0)],
            &[(1, 3), (0, 4), (0, 5), (1, 6), (3, 6), (4, 5), (4, 4), (3, 3)],
        ],
        '9' => &[&[(1, 6), (3, 6), (4, 4), (4, 1), (3, 0), (1, 0), (0, 1), (0, 2), (1, 3), (4, 3)]],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Dot;

    #[test]
    fn every_character_of_names_and_numbers_is_drawn() {
        let names: String = Dot::all().map(|dot| dot.to_string()).chain((0..=18).map(|n| n.to_string())).collect();
        for character in names.chars() {
            assert!(!strokes(character).is_empty(), "{character}");
        }
    }
}

//! Positions given as text and as a drawing that must agree, for tests of single sentences of the rules.
//!
//! In a drawing White's side is below; letters are those of the position text.
//!
//! ```text
//!       ·            e8
//!     ·   ·        d7  f7
//!   ·   ·   ·    c6  e7  g6
//! ·   ·   ·   ·    and so on, down to e2
//! ```

use gipf_env::geometry::{Point, Spot};
use gipf_env::rules::Board;
use gipf_env::{GipfPosition, Player, Position, Setup};

/// Reads a position text whose board is drawn beside it.
pub fn drawn(text: &str, drawing: &str) -> Setup {
    let setup: Setup = text.parse().unwrap();
    let lines: Vec<_> = drawing.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap();
    let drawing: Vec<_> = lines.iter().map(|line| line[indent..].trim_end()).collect();
    assert_eq!(drawing, picture(&setup.board), "{text} is drawn wrongly");
    setup
}

fn picture(board: &Board) -> Vec<String> {
    let text = board.to_string();
    let vacant = |digit: char| "·".repeat(digit.to_digit(10).unwrap() as usize);
    let spots: String = text
        .chars()
        .filter(|&letter| letter != '/')
        .map(|letter| if letter.is_ascii_digit() { vacant(letter) } else { letter.to_string() })
        .collect();
    let letters: Vec<_> = Spot::all().zip(spots.chars()).collect();
    let line = |height| {
        let at = |q: i8| letters.iter().find(|(spot, _)| spot.point() == Point { q, r: i8::midpoint(q, height) });
        let cells =
            (-3..=3).map(|q| if (q + height) % 2 == 0 { at(q).map_or(' ', |(_, letter)| *letter) } else { ' ' });
        let cells: Vec<_> = cells.map(String::from).collect();
        cells.join(" ").trim_end().to_owned()
    };
    (-6..=6).rev().map(line).collect()
}

/// Returns the position after these actions, named as they are written: `e1-e2`, `take row e1-e9`, `keep`.
pub fn played<const N: usize>(setup: &Setup, actions: [&str; N]) -> GipfPosition {
    let mut position = GipfPosition::from_setup(setup).unwrap();
    play(&mut position, actions);
    position
}

/// Plays these actions.
pub fn play<const N: usize>(position: &mut GipfPosition, actions: [&str; N]) {
    for name in actions {
        let action = position.legal_actions().find(|action| action.to_string() == name);
        let action = action.unwrap_or_else(|| panic!("{name} is not among {:?}", legal(position)));
        position.play(action).unwrap();
    }
}

/// Returns the names of the legal actions.
pub fn legal(position: &GipfPosition) -> Vec<String> {
    position.legal_actions().map(|action| action.to_string()).collect()
}

/// Returns whether the board of a position is this.
pub fn board_is(position: &GipfPosition, board: &str) -> bool {
    position.board().to_string() == board
}

/// Returns the reserves of White and Black.
pub fn reserves(position: &GipfPosition) -> [u8; 2] {
    Player::BOTH.map(|player| position.reserve(player))
}

/// Returns the name of the spot in question, if that is what is asked.
pub fn question(position: &GipfPosition) -> Option<String> {
    position.question().map(|spot| spot.to_string())
}

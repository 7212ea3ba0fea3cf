//! Positions with drawn boards, for tests of single sentences of the rules.
//!
//! The board is turned, so that each column is a line: White's side is on the left, where a position text begins.
//!
//! ```text
//!    b2 b3 b4 b5
//!   c2 c3 c4 c5 c6
//!  d2 d3 d4 d5 d6 d7       and so on, down to h5
//! ```

use gipf_env::{GipfPosition, Player, Position, Setup};

/// Reads a position text without its board, and the board drawn below it, with the letters of a position text.
pub fn drawn(text: &str) -> Setup {
    let (text, drawing) = text.split_once('\n').unwrap();
    let (variant, rest) = text.split_once(' ').unwrap();
    let columns: Vec<_> = drawing.lines().map(|line| line.split_whitespace().collect::<String>()).collect();
    let vacant = |board: String, count: usize| board.replace(&"·".repeat(count), &count.to_string());
    let board = (1..=7).rev().fold(columns.join("/"), vacant);
    format!("{variant} {board} {rest}").parse().unwrap()
}

/// Returns the position after these actions, given by their names: `e1-e2`, `take row e1-e9`, `keep`.
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

/// Returns whether the position has this board.
pub fn board_is(position: &GipfPosition, board: &str) -> bool {
    position.board().to_string() == board
}

/// Returns the reserves of White and Black.
pub fn reserves(position: &GipfPosition) -> [u8; 2] {
    Player::BOTH.map(|player| position.reserve(player))
}

/// Returns the name of the spot in question, if there is a question about one.
pub fn question(position: &GipfPosition) -> Option<String> {
    position.question().map(|spot| spot.to_string())
}

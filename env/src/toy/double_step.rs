//! Double step: one token, two decisions a turn.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::learnable::Learnable;
use crate::position::{ActionIndex, ObservationLayout, Outcome, Player, Position, Reason};

use super::square::{SYMMETRIES, map_cell, map_cells};

const SIDE: usize = 5;
const SQUARES: usize = SIDE * SIDE;
const BOARD: u32 = (1 << SQUARES) - 1;
const FILE_A: u32 = 0x108421;
const FILE_E: u32 = 0x1084210;

/// A position of *double step*: both players move the same token, each two steps in a row.
///
/// The token stands on one of 5 × 5 squares. A turn is two steps, up, down, left or right, onto squares that it has not
/// visited; each step is one decision. A player who is to step and cannot loses: so players can trap the opponent by
/// their second step, and themselves by their first. That is why a value must not be negated after each decision: after
/// the first step the *same* player is to move.
///
/// ```text
/// 5 │ # # . . .      T  the token          White to move, first step: e2 or d3.
/// 4 │ # # . . .      #  visited            e2 then e1 leaves Black without a step and wins;
/// 3 │ # # # . .      .  not yet visited    e2 then e3, d3 then e3, d3 then d4 all lose.
/// 2 │ # . # T .
/// 1 │ # . # # .
///     a b c d e
/// ```
///
/// * Action i is the step onto square i, numbered row by row from a1 (b1 = 1, a2 = 5); 25 actions.
/// * Observation `[4, 5, 5]`: the token, the other visited squares, one mark plane with the squares within reach, one
///   scalar that is 1 at the second step of a turn.
/// * Eight symmetries. The token starts on a1 by default, and Black wins with best play; from b1 or a2, and every
///   second square from there, White does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DoubleStep {
    /// The squares visited, including that of the token, one bit each.
    visited: u32,
    token: u8,
}

/// A square to step onto, 0 to 24, row by row from a1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square(pub u8);

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.0 % 5), self.0 / 5 + 1)
    }
}

impl Default for DoubleStep {
    fn default() -> Self {
        Self::starting_on(Square(0))
    }
}

impl DoubleStep {
    /// Returns the start of a game with the token on a square.
    ///
    /// # Panics
    /// If there is no such square.
    pub fn starting_on(square: Square) -> Self {
        assert!(usize::from(square.0) < SQUARES, "the squares are 0 to 24, not {}", square.0);
        Self { visited: 1 << square.0, token: square.0 }
    }

    /// Returns whether the player to move has already made the first step of their turn.
    pub fn is_second_step(&self) -> bool {
        self.steps() % 2 == 1
    }

    fn steps(&self) -> usize {
        self.visited.count_ones() as usize - 1
    }

    /// Returns the squares that the token can step onto.
    fn reach(&self) -> u32 {
        let token = 1_u32 << self.token;
        let sideways = (token & !FILE_E) << 1 | (token & !FILE_A) >> 1;
        (token << SIDE | token >> SIDE | sideways) & BOARD & !self.visited
    }
}

impl Position for DoubleStep {
    type Action = Square;

    fn num_actions(&self) -> usize {
        SQUARES
    }

    fn observation_layout(&self) -> ObservationLayout {
        let cells = (0..SQUARES).collect();
        ObservationLayout { pieces: 2, marks: 1, scalars: 1, rows: SIDE, columns: SIDE, cells }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[self.turn() % 2]
    }

    fn turn(&self) -> usize {
        self.steps() / 2
    }

    fn legal_actions(&self) -> impl Iterator<Item = Square> {
        let reach = self.reach();
        (0..SQUARES as u8).filter(move |square| reach >> square & 1 == 1).map(Square)
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.reach() == 0).then(|| Outcome::win(self.to_move().other(), Reason::OwnRule))
    }

    fn play_unchecked(&mut self, action: Square) {
        self.visited |= 1 << (action.0 % SQUARES as u8);
        self.token = action.0 % SQUARES as u8;
    }

    fn action_index(&self, action: Square) -> ActionIndex {
        ActionIndex(u16::from(action.0))
    }

    fn action_at(&self, index: ActionIndex) -> Option<Square> {
        (index.get() < SQUARES).then_some(Square(index.0 as u8))
    }

    fn observe(&self, planes: &mut [f32]) {
        let token = 1_u32 << self.token;
        for (plane, squares) in [token, self.visited & !token, self.reach()].into_iter().enumerate() {
            for square in 0..SQUARES {
                planes[SQUARES * plane + square] = (squares >> square & 1) as f32;
            }
        }
        planes[3 * SQUARES..4 * SQUARES].fill(f32::from(u8::from(self.is_second_step())));
    }
}

impl Learnable for DoubleStep {
    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transformed(&self, symmetry: usize) -> Self {
        let token = map_cell(SIDE, symmetry, usize::from(self.token)) as u8;
        Self { visited: map_cells(SIDE, symmetry, self.visited), token }
    }

    fn transformed_action(&self, symmetry: usize, action: Square) -> Square {
        Square(map_cell(SIDE, symmetry, usize::from(action.0)) as u8)
    }
}

/// Draws the board, top row first.
impl fmt::Display for DoubleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..SIDE).rev() {
            for square in SIDE * row..SIDE * (row + 1) {
                let visited = self.visited >> square & 1 == 1;
                f.write_str(if square == usize::from(self.token) {
                    "T"
                } else if visited {
                    "#"
                } else {
                    "."
                })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{Black, White};

    #[test]
    fn the_position_of_the_drawing_is_won_by_one_turn_only() {
        let drawn = DoubleStep { visited: 0b00011_00011_00111_01101_01101, token: 8 };
        assert_eq!(drawn.to_string(), "##...\n##...\n###..\n#.#T.\n#.##.\n");
        assert_eq!((drawn.to_move(), drawn.is_second_step()), (White, false));
        let turns = [[9, 4], [9, 14], [13, 14], [13, 18], [13, 12]];
        let won = turns.map(|steps| {
            let mut game = drawn.clone();
            let played = steps.iter().all(|&step| game.play(Square(step)).is_ok());
            played.then(|| best_result(&game, White))
        });
        assert_eq!(won, [Some(1), Some(-1), Some(-1), Some(-1), None]);
    }

    fn best_result(position: &DoubleStep, player: Player) -> i8 {
        if let Some(outcome) = position.outcome() {
            return outcome.reward(player) as i8;
        }
        let results = position.legal_actions().map(|step| {
            let mut next = position.clone();
            next.play_unchecked(step);
            best_result(&next, player)
        });
        if position.to_move() == player { results.max().unwrap() } else { results.min().unwrap() }
    }

    #[test]
    fn one_player_steps_twice() {
        let mut game = DoubleStep::default();
        let mut players = Vec::new();
        for square in [1, 2, 3, 8, 7] {
            players.push(game.to_move());
            game.play(Square(square)).unwrap();
        }
        assert_eq!(players, [White, White, Black, Black, White]);
        assert!(game.is_second_step());
    }
}

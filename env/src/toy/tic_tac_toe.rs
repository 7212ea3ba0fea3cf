//! Tic-tac-toe: three in a row on 3 × 3.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::learnable::Learnable;
use crate::position::{ActionIndex, ObservationLayout, Outcome, Player, Position, Reason};

use super::square::{SYMMETRIES, map_cell, map_cells};

const SIDE: usize = 3;
const CELLS: usize = SIDE * SIDE;
const FULL: u16 = (1 << CELLS) - 1;
/// Rows, columns, diagonals.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// A position of tic-tac-toe. With best play by both it is a draw.
///
/// ```text
/// 3 │ 6 7 8        . . .        X White, who moves first; O Black.
/// 2 │ 3 4 5        . X .        On the left the numbers of the cells. On the right
/// 1 │ 0 1 2        X O O        White to move wins by c3: a1, b2, c3.
///     a b c
/// ```
///
/// * Action i marks cell i, as numbered in the drawing; 9 actions.
/// * Observation `[2, 3, 3]`: the cells of the player to move, the cells of the opponent.
/// * Eight symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TicTacToe {
    /// The cells marked by White and by Black, one bit each.
    marks: [u16; 2],
}

/// A cell to mark, 0 to 8, row by row from a1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(pub u8);

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.0 % 3), self.0 / 3 + 1)
    }
}

impl TicTacToe {
    fn vacant(&self) -> u16 {
        FULL & !(self.marks[0] | self.marks[1])
    }

    fn has_line(&self, player: Player) -> bool {
        let marks = self.marks[player.index()];
        LINES.iter().any(|line| marks & line == *line)
    }
}

impl Position for TicTacToe {
    type Action = Cell;

    fn num_actions(&self) -> usize {
        CELLS
    }

    fn observation_layout(&self) -> ObservationLayout {
        ObservationLayout { pieces: 2, marks: 0, scalars: 0, rows: SIDE, columns: SIDE, cells: (0..CELLS).collect() }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[self.turn() % 2]
    }

    fn turn(&self) -> usize {
        (self.marks[0] | self.marks[1]).count_ones() as usize
    }

    fn legal_actions(&self) -> impl Iterator<Item = Cell> {
        let vacant = if self.outcome().is_some() { 0 } else { self.vacant() };
        (0..CELLS as u8).filter(move |cell| vacant >> cell & 1 == 1).map(Cell)
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Player::BOTH.into_iter().find(|&player| self.has_line(player));
        let over = winner.is_some() || self.vacant() == 0;
        over.then_some(Outcome { winner, reason: Reason::OwnRule })
    }

    fn play_unchecked(&mut self, action: Cell) {
        self.marks[self.to_move().index()] |= 1 << action.0;
    }

    fn action_index(&self, action: Cell) -> ActionIndex {
        ActionIndex(u16::from(action.0))
    }

    fn action_at(&self, index: ActionIndex) -> Option<Cell> {
        (index.get() < CELLS).then_some(Cell(index.0 as u8))
    }

    fn observe(&self, planes: &mut [f32]) {
        let me = self.to_move();
        for (plane, player) in [me, me.other()].into_iter().enumerate() {
            for cell in 0..CELLS {
                planes[CELLS * plane + cell] = f32::from(self.marks[player.index()] >> cell & 1);
            }
        }
    }
}

impl Learnable for TicTacToe {
    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transformed(&self, symmetry: usize) -> Self {
        Self { marks: self.marks.map(|marks| map_cells(SIDE, symmetry, u32::from(marks)) as u16) }
    }

    fn transformed_action(&self, symmetry: usize, action: Cell) -> Cell {
        Cell(map_cell(SIDE, symmetry, usize::from(action.0)) as u8)
    }
}

/// Draws the board, top row first.
impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..SIDE).rev() {
            for cell in SIDE * row..SIDE * (row + 1) {
                let mark = |player: usize| self.marks[player] >> cell & 1 == 1;
                f.write_str(if mark(0) {
                    "X"
                } else if mark(1) {
                    "O"
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

    #[test]
    fn a_full_line_wins_and_is_drawn_where_it_was_played() {
        let mut game = TicTacToe::default();
        for cell in [0, 3, 1, 4] {
            game.play(Cell(cell)).unwrap();
        }
        assert_eq!(game.outcome(), None);
        game.play(Cell(2)).unwrap();
        assert_eq!(game.outcome(), Some(Outcome::win(Player::White, Reason::OwnRule)));
        assert_eq!(game.to_string(), "...\nOO.\nXXX\n");
    }

    #[test]
    fn what_is_refused_says_what_is_allowed() {
        let mut game = TicTacToe::default();
        game.play(Cell(0)).unwrap();
        let refused = |game: &TicTacToe, cell| game.clone().play(Cell(cell)).unwrap_err().to_string();
        assert_eq!(refused(&game, 0), "illegal action a1: Black must choose one of b1, c1, a2, b2, c2, a3, b3, c3");
        for cell in [3, 1, 4, 2] {
            game.play(Cell(cell)).unwrap();
        }
        assert_eq!(refused(&game, 8), "illegal action c3: the game is over, White wins (own-rule)");
    }
}

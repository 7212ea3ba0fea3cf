//! Connect-four on a small board.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::learnable::Learnable;
use crate::position::{ActionIndex, ObservationLayout, Outcome, Player, Position, Reason};

const COLUMNS: usize = 5;
const ROWS: usize = 4;
const CELLS: usize = ROWS * COLUMNS;
/// Each column has a fifth bit that is never set, so that a shift does not run into the next column.
const STRIDE: usize = ROWS + 1;
/// One step up, right, right and up, right and down.
const STEPS: [usize; 4] = [1, STRIDE, STRIDE + 1, STRIDE - 1];

/// A position of connect-four on five columns of four cells. With best play by both it is a draw.
///
/// A piece falls to the lowest vacant cell of its column; four of a colour in a row, upright, flat or slanting, win.
///
/// ```text
/// 4 │ . . . . .        X White, moves first
/// 3 │ . . . . .        O Black
/// 2 │ . O O . .
/// 1 │ . X X X O        White to move wins by a: a1 b1 c1 d1
///     a b c d e
/// ```
///
/// * Action i drops a piece into column i from the left; 5 actions.
/// * Observation `[2, 4, 5]`: the pieces of the player to move, those of the opponent; row 0 is the lowest.
/// * Two symmetries: identity and left-right reflection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConnectFour {
    /// The cells of White and of Black: cell (column, row) is bit 5·column + row.
    pieces: [u32; 2],
}

/// A column to drop a piece into, 0 to 4 from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column(pub u8);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            column if usize::from(column) < COLUMNS => write!(f, "{}", char::from(b'a' + column)),
            // Messages of refusals name it.
            beyond => write!(f, "column {beyond}"),
        }
    }
}

impl ConnectFour {
    fn occupied(&self) -> u32 {
        self.pieces[0] | self.pieces[1]
    }

    fn has_room(&self, column: u8) -> bool {
        self.occupied() >> (STRIDE * usize::from(column) + ROWS - 1) & 1 == 0
    }

    fn has_four(&self, player: Player) -> bool {
        let pieces = self.pieces[player.index()];
        STEPS.iter().any(|step| {
            let pairs = pieces & pieces >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
}

impl Position for ConnectFour {
    type Action = Column;

    fn num_actions(&self) -> usize {
        COLUMNS
    }

    fn observation_layout(&self) -> ObservationLayout {
        ObservationLayout { pieces: 2, marks: 0, scalars: 0, rows: ROWS, columns: COLUMNS, cells: (0..CELLS).collect() }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[self.turn() % 2]
    }

    fn turn(&self) -> usize {
        self.occupied().count_ones() as usize
    }

    fn legal_actions(&self) -> impl Iterator<Item = Column> {
        let going_on = self.outcome().is_none();
        (0..COLUMNS as u8).filter(move |&column| going_on && self.has_room(column)).map(Column)
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the player who has just dropped a piece can have four.
        let last = self.to_move().other();
        let winner = self.has_four(last).then_some(last);
        let over = winner.is_some() || self.turn() == CELLS;
        over.then_some(Outcome { winner, reason: Reason::OwnRule })
    }

    fn play_unchecked(&mut self, action: Column) {
        let me = self.to_move().index();
        let foot = 1_u32 << (STRIDE * (usize::from(action.0) % COLUMNS));
        // Adding the foot of a column carries up to its lowest vacant cell.
        let lowest = (self.occupied() + foot) & !self.occupied() & (foot * ((1 << STRIDE) - 1));
        self.pieces[me] |= lowest;
    }

    fn action_index(&self, action: Column) -> ActionIndex {
        ActionIndex(u16::from(action.0))
    }

    fn action_at(&self, index: ActionIndex) -> Option<Column> {
        (index.get() < COLUMNS).then_some(Column(index.0 as u8))
    }

    fn observe(&self, planes: &mut [f32]) {
        let me = self.to_move();
        for (plane, player) in [me, me.other()].into_iter().enumerate() {
            for cell in 0..CELLS {
                let bit = STRIDE * (cell % COLUMNS) + cell / COLUMNS;
                planes[CELLS * plane + cell] = (self.pieces[player.index()] >> bit & 1) as f32;
            }
        }
    }
}

impl Learnable for ConnectFour {
    fn symmetries(&self) -> usize {
        2
    }

    fn transformed(&self, symmetry: usize) -> Self {
        if symmetry == 0 {
            return self.clone();
        }
        let column = |pieces: u32, number: usize| pieces >> (STRIDE * number) & ((1 << STRIDE) - 1);
        let mirrored = |pieces| (0..COLUMNS).fold(0, |all, number| all << STRIDE | column(pieces, number));
        Self { pieces: self.pieces.map(mirrored) }
    }

    fn transformed_action(&self, symmetry: usize, action: Column) -> Column {
        if symmetry == 0 { action } else { Column(COLUMNS as u8 - 1 - action.0) }
    }
}

/// Draws the board, top row first.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..ROWS).rev() {
            for column in 0..COLUMNS {
                let piece = |player: usize| self.pieces[player] >> (STRIDE * column + row) & 1 == 1;
                f.write_str(if piece(0) {
                    "X"
                } else if piece(1) {
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
    fn the_position_of_the_drawing_is_won_by_a() {
        let mut game = ConnectFour::default();
        for column in [1, 1, 2, 2, 3, 4] {
            game.play(Column(column)).unwrap();
        }
        assert_eq!(game.to_string(), ".....\n.....\n.OO..\n.XXXO\n");
        game.play(Column(0)).unwrap();
        assert_eq!(game.outcome(), Some(Outcome::win(Player::White, Reason::OwnRule)));
    }

    #[test]
    fn columns_beyond_the_board_are_refused() {
        for column in COLUMNS as u8..=u8::MAX {
            let refused = ConnectFour::default().play(Column(column)).unwrap_err();
            assert_eq!(refused.action, format!("column {column}"));
        }
    }
}

//! Push-off: the turn and the evaluation of section 7.

use super::actions::{REMOVE, TAKE};
use super::geometry::{Point, entries, lines};
use super::piece::{Colour, Kind, Piece};
use super::position::{Phase, SlowPosition};

/// What is left of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// The rows still to be evaluated, as they stood when it began.
    rows: Vec<FixedRow>,
    /// The row being evaluated.
    opened: Option<FixedRow>,
    /// Whether the mover is asked about the pieces beside the opened row.
    pub asks_about_sides: bool,
}

/// A row as it stood when the evaluation began.
#[derive(Clone, Debug)]
struct FixedRow {
    owner: Colour,
    /// The index of its line.
    index: usize,
    /// All spots of its line, from the first dot.
    line: Vec<Point>,
    /// Its own spots, in the same order.
    spots: Vec<Point>,
}

impl SlowPosition {
    /// Begins a turn of push-off: a player who cannot push passes.
    pub fn begin_push_off(&mut self) {
        self.phase = Phase::Push;
        if self.push_off_pushes().is_empty() {
            self.side = self.side.other();
            assert!(!self.push_off_pushes().is_empty(), "one of the players can push");
        }
    }

    /// Plays a legal action of push-off.
    pub fn play_push_off(&mut self, action: usize) {
        if self.evaluation.asks_about_sides {
            self.answer_about_sides(action);
        } else if self.pending.is_empty() {
            self.push_all(&entries()[action]);
            self.begin_evaluation();
        } else {
            self.answer_about_gipf(action);
        }
        if self.end.is_none() {
            self.go_on_evaluating();
        }
    }

    /// Moves every piece of the line one step on, the last one off the board, and brings in a basic piece.
    fn push_all(&mut self, line: &[Point]) {
        let mut next = Some(Piece { colour: self.side, kind: Kind::Single });
        self.reserve[self.side.index()] -= 1;
        for spot in line {
            let here = self.board.remove(spot);
            if let Some(piece) = next {
                self.board.insert(*spot, piece);
            }
            next = here;
        }
        if let Some(piece) = next {
            assert!(piece.kind == Kind::Single, "no GIPF-piece is pushed off");
            self.reserve[piece.colour.index()] += 1;
        }
        self.placements += 1;
    }

    fn begin_evaluation(&mut self) {
        self.phase = Phase::Post;
        for owner in [self.side, self.side.other()] {
            for (index, line) in lines().into_iter().enumerate() {
                if let Some(spots) = self.row_on(&line, owner) {
                    self.evaluation.rows.push(FixedRow { owner, index, line, spots });
                }
            }
        }
    }

    /// Evaluates rows until somebody has to be asked or the turn ends.
    fn go_on_evaluating(&mut self) {
        while self.pending.is_empty() {
            if self.evaluation.rows.is_empty() {
                return self.end_push_off_turn();
            }
            let row = self.evaluation.rows.remove(0);
            self.handled.push(row.index);
            self.return_basic_pieces(&row.spots);
            self.evaluation.asks_about_sides = !self.beside(&row).is_empty();
            self.evaluation.opened = Some(row);
            if self.evaluation.asks_about_sides {
                return;
            }
            self.ask_about_gipfs();
        }
    }

    fn end_push_off_turn(&mut self) {
        self.evaluation = Evaluation::default();
        self.handled.clear();
        self.stop_at_limit();
        if self.end.is_none() {
            self.side = self.side.other();
            self.begin_push_off();
        }
    }

    /// Gives the basic pieces on these spots back to their owners.
    fn return_basic_pieces(&mut self, spots: &[Point]) {
        for spot in spots {
            if let Some(piece) = self.board.get(spot).copied().filter(|piece| piece.kind == Kind::Single) {
                self.board.remove(spot);
                self.reserve[piece.colour.index()] += 1;
            }
        }
    }

    /// Returns the pieces that the mover is asked about: those beside the opened row.
    pub fn beside_opened(&self) -> Vec<Point> {
        self.evaluation.opened.as_ref().map(|row| self.beside(row)).expect("a row is open")
    }

    /// Returns the spots with basic pieces of the other colour that stand without a gap from an end of the row outward.
    fn beside(&self, row: &FixedRow) -> Vec<Point> {
        let other = Piece { colour: row.owner.other(), kind: Kind::Single };
        let is_other = |spot: &&Point| self.board.get(spot) == Some(&other);
        let first = row.line.iter().position(|spot| *spot == row.spots[0]).expect("the row is on its line");
        let (before, after) = (&row.line[..first], &row.line[first + row.spots.len()..]);
        let mut beside: Vec<Point> = before.iter().rev().take_while(is_other).copied().collect();
        beside.extend(after.iter().take_while(is_other));
        beside
    }

    fn answer_about_sides(&mut self, action: usize) {
        self.evaluation.asks_about_sides = false;
        if action == REMOVE {
            self.return_basic_pieces(&self.beside_opened());
        }
        self.ask_about_gipfs();
    }

    fn ask_about_gipfs(&mut self) {
        let row = self.evaluation.opened.as_ref().expect("a row is open");
        let gipf = Piece { colour: row.owner, kind: Kind::Gipf };
        self.pending = row.spots.iter().filter(|spot| self.board.get(spot) == Some(&gipf)).copied().collect();
    }

    fn answer_about_gipf(&mut self, action: usize) {
        let spot = self.pending.remove(0);
        if action == TAKE {
            self.board.remove(&spot);
            self.decide_without_gipfs();
        }
    }
}

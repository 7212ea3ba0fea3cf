//! Removing rows: section 4, in the order of section 6.

use super::actions::TAKE;
use super::geometry::{Point, lines};
use super::piece::Kind;
use super::position::{Phase, SlowPosition};

/// A row that stands on the board and was not yet handled in this phase.
pub struct Row {
    /// The index of its line.
    pub line: usize,
    /// The row with every piece contiguous with it, from the line's first dot.
    capture_set: Vec<Point>,
}

impl Row {
    fn overlaps(&self, other: &Self) -> bool {
        self.line != other.line && self.capture_set.iter().any(|spot| other.capture_set.contains(spot))
    }
}

impl SlowPosition {
    /// Begins a removal phase of the side to move.
    pub fn begin_removing(&mut self, phase: Phase) {
        self.phase = phase;
        self.handled.clear();
        self.go_on_removing();
    }

    /// Opens rows until the player has to be asked or the phase ends.
    pub fn go_on_removing(&mut self) {
        while self.pending.is_empty() {
            let rows = self.rows_to_handle();
            if rows.is_empty() {
                return self.end_removing();
            }
            let stands_alone = |row: &&Row| !rows.iter().any(|other| row.overlaps(other));
            let Some(row) = rows.iter().find(stands_alone) else { return };
            self.open(row.line);
        }
    }

    /// Returns the rows of the side to move that were not yet handled in this phase, by line index.
    pub fn rows_to_handle(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (line, spots) in lines().iter().enumerate() {
            if self.handled.contains(&line) {
                continue;
            }
            if let Some(row) = self.row_on(spots, self.side) {
                rows.push(Row { line, capture_set: self.capture_set(spots, &row) });
            }
        }
        rows
    }

    fn capture_set(&self, line: &[Point], row: &[Point]) -> Vec<Point> {
        let mut runs = self.runs(line, |_| true).into_iter();
        runs.find(|run| run.contains(&row[0])).expect("the row is occupied")
    }

    /// Opens a row: pieces that must go are removed at once, pieces that may be spared are asked about.
    pub fn open(&mut self, line: usize) {
        let row = self.rows_to_handle().into_iter().find(|row| row.line == line).expect("the line has a row");
        self.handled.push(line);
        for spot in row.capture_set {
            if self.board[&spot].kind.may_be_spared() {
                self.pending.push(spot);
            } else {
                self.remove(spot);
            }
        }
    }

    /// Answers the question about the first of the pending pieces.
    pub fn answer(&mut self, action: usize) {
        let spot = self.pending.remove(0);
        if action == TAKE {
            self.remove(spot);
        }
        if self.end.is_none() {
            self.go_on_removing();
        }
    }

    /// Takes a piece: it goes to the reserve if it is the remover's, else it is lost, and with the last GIPF-piece the game.
    fn remove(&mut self, spot: Point) {
        let piece = self.board.remove(&spot).expect("the spot is occupied");
        let opponent = self.side.other();
        if piece.colour == self.side {
            self.reserve[self.side.index()] += piece.kind.basic_pieces();
        } else if piece.kind == Kind::Gipf && self.lacks_gipf(opponent) {
            self.lose(opponent, "no-gipf");
        }
    }
}

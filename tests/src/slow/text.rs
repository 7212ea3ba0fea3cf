//! The position text of section 8.

use std::collections::BTreeMap;

use super::geometry::{Point, spots};
use super::piece::{Colour, Kind, Piece};
use super::position::{Phase, SlowPosition};
use super::push_off::Evaluation;
use super::rule_set::{Game, RuleSet};

impl SlowPosition {
    /// Reads a position text and begins the turn; `None` if it cannot be read.
    pub fn read(text: &str, limit: Option<i32>) -> Option<Self> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [rules, board, side, white, black, rights, white_potentials, black_potentials] = fields[..] else {
            return None;
        };
        let rules = RuleSet::named(rules)?;
        let board = read_board(board)?;
        let gipf_right = [rights.contains('G'), rights.contains('g')];
        let has_pieces = |colour| board.values().any(|piece| piece.colour == colour);
        let entered = [Colour::White, Colour::Black].map(|c| !gipf_right[c.index()] || has_pieces(c));
        let mut position = Self {
            rules,
            side: if side == "w" { Colour::White } else { Colour::Black },
            reserve: [white.parse().ok()?, black.parse().ok()?],
            gipf_right,
            potentials: [white_potentials.parse().ok()?, black_potentials.parse().ok()?],
            entered,
            board,
            phase: Phase::Pre,
            handled: Vec::new(),
            pending: Vec::new(),
            evaluation: Evaluation::default(),
            placements: 0,
            placement_limit: limit,
            earlier: Vec::new(),
            occurrences: 0,
            end: None,
        };
        // A player without a GIPF-piece lost it in an earlier turn, so such a text describes a finished game.
        position.decide_without_gipfs();
        if position.end.is_none() {
            match rules.game {
                Game::PushOff => position.begin_push_off(),
                _ => position.begin_turn(),
            }
        }
        Some(position)
    }

    /// Returns the position text.
    pub fn text(&self) -> String {
        let side = if self.side == Colour::White { "w" } else { "b" };
        let rights = match self.gipf_right {
            [true, true] => "Gg",
            [true, false] => "G",
            [false, true] => "g",
            [false, false] => "-",
        };
        let ([white, black], [white_potentials, black_potentials]) = (self.reserve, self.potentials);
        let (rules, board) = (self.rules.name(), self.board_field());
        format!("{rules} {board} {side} {white} {black} {rights} {white_potentials} {black_potentials}")
    }

    /// Returns the board field of the position text.
    pub fn board_field(&self) -> String {
        let columns = ('b'..='h').map(|column| self.column_field(column));
        columns.collect::<Vec<_>>().join("/")
    }

    fn column_field(&self, column: char) -> String {
        let mut field = String::new();
        let mut vacant = 0;
        for spot in spots_of(column) {
            let Some(piece) = self.board.get(&spot) else {
                vacant += 1;
                continue;
            };
            if vacant > 0 {
                field += &vacant.to_string();
            }
            vacant = 0;
            field.push(piece.letter());
        }
        if vacant > 0 {
            field += &vacant.to_string();
        }
        field
    }

    /// Returns a player's part of the material that section 2 keeps constant: reserve and board, without lost pieces.
    pub fn material(&self, colour: Colour) -> i32 {
        let own = self.board.values().filter(|piece| piece.colour == colour);
        let worth = |piece: &Piece| match (self.rules.game, piece.kind) {
            (Game::PushOff, Kind::Gipf) => 0,
            _ => piece.kind.basic_pieces(),
        };
        self.reserve[colour.index()] + own.map(worth).sum::<i32>()
    }
}

fn spots_of(column: char) -> Vec<Point> {
    spots().into_iter().filter(|spot| spot.column() == column).collect()
}

fn read_board(field: &str) -> Option<BTreeMap<Point, Piece>> {
    let columns: Vec<&str> = field.split('/').collect();
    if columns.len() != 7 {
        return None;
    }
    let mut board = BTreeMap::new();
    for (column, text) in ('b'..='h').zip(columns) {
        let pieces = read_column(text)?;
        let spots = spots_of(column);
        if pieces.len() != spots.len() {
            return None;
        }
        board.extend(spots.into_iter().zip(pieces).filter_map(|(spot, piece)| Some((spot, piece?))));
    }
    Some(board)
}

/// Returns the piece on each spot of a column.
fn read_column(text: &str) -> Option<Vec<Option<Piece>>> {
    let mut pieces = Vec::new();
    for letter in text.chars() {
        match letter.to_digit(10) {
            Some(vacant) => pieces.extend((0..vacant).map(|_| None)),
            None => pieces.push(Some(Piece::from_letter(letter)?)),
        }
    }
    Some(pieces)
}

//! Which actions are legal, and how they are numbered (section 6).

use super::geometry::{DIRECTIONS, Point, entries, spots, walk};
use super::piece::{Colour, Kind, Piece};
use super::position::{Phase, SlowPosition};
use super::rule_set::Game;

/// The first number of the actions that choose a line.
pub const LINE: usize = 42;
/// Keep the piece in question.
pub const KEEP: usize = 63;
/// Take the piece in question.
pub const TAKE: usize = 64;
/// The first number of the pushes of GIPF-pieces.
pub const PUSH_GIPF: usize = 65;
/// The first number of the pushes of loaded pieces.
pub const PUSH_LOADED: usize = 107;
/// The first number of the jumps.
pub const JUMP: usize = 149;
/// Push-off: leave the pieces beside the row.
pub const LEAVE: usize = 371;
/// Push-off: remove the pieces beside the row.
pub const REMOVE: usize = 372;

impl SlowPosition {
    /// Returns the legal actions by their numbers, ascending; none when the game is over.
    pub fn legal_actions(&self) -> Vec<usize> {
        if self.end.is_some() {
            return Vec::new();
        }
        if self.evaluation.asks_about_sides {
            return vec![LEAVE, REMOVE];
        }
        if !self.pending.is_empty() {
            return vec![KEEP, TAKE];
        }
        match (self.rules.game, self.phase) {
            (Game::PushOff, _) => self.push_off_pushes(),
            (_, Phase::Push) => self.placements_possible(),
            _ => self.rows_to_handle().into_iter().map(|row| LINE + row.line).collect(),
        }
    }

    /// Returns the legal placements: pushes of each kind of piece, then jumps.
    pub fn placements_possible(&self) -> Vec<usize> {
        let entries = self.open_entries();
        let pushes = |kind, first: usize| {
            let allowed = if self.may_push(kind) { entries.as_slice() } else { &[] };
            allowed.iter().map(move |entry| first + entry)
        };
        let mut actions: Vec<usize> = pushes(Kind::Single, 0).collect();
        actions.extend(pushes(Kind::Gipf, PUSH_GIPF));
        actions.extend(pushes(Kind::Loaded, PUSH_LOADED));
        actions.extend(self.jumps());
        actions
    }

    /// Returns whether the player may bring in this kind of piece, at any entry.
    fn may_push(&self, kind: Kind) -> bool {
        let player = self.side.index();
        let reserve = self.reserve[player];
        let gipf_is_due = self.rules.game == Game::Tournament && !self.entered[player];
        match kind {
            Kind::Single => reserve >= 1 && !gipf_is_due,
            Kind::Gipf => reserve >= 2 && self.gipf_right[player],
            Kind::Loaded => reserve >= 1 && self.potentials[player] >= 1 && !gipf_is_due,
            Kind::Used => false,
        }
    }

    /// Returns the entries with a vacant spot on their line; of those onto the same vacant spot, only the first.
    fn open_entries(&self) -> Vec<usize> {
        let entries = entries();
        let is_vacant = |spot: &Point| !self.board.contains_key(spot);
        let is_open = |entry: &usize| {
            let first = entries[*entry][0];
            let is_same_move = |earlier: &Vec<Point>| earlier[0] == first && is_vacant(&first);
            entries[*entry].iter().any(is_vacant) && !entries[..*entry].iter().any(is_same_move)
        };
        (0..entries.len()).filter(is_open).collect()
    }

    fn jumps(&self) -> Vec<usize> {
        let jumper = Piece { colour: self.side, kind: Kind::Loaded };
        let mut jumps = Vec::new();
        for (index, spot) in spots().into_iter().enumerate() {
            for direction in 0..DIRECTIONS {
                if self.board.get(&spot) == Some(&jumper) && self.landing(spot, direction).is_some() {
                    jumps.push(JUMP + DIRECTIONS * index + direction);
                }
            }
        }
        jumps
    }

    /// Returns where a jump lands: on the first vacant spot behind at least one piece.
    pub fn landing(&self, from: Point, direction: usize) -> Option<Point> {
        let way = walk(from, direction);
        let jumped = way.iter().take_while(|spot| self.board.contains_key(spot)).count();
        if jumped == 0 { None } else { way.get(jumped).copied() }
    }

    /// Returns the pushes of push-off: no GIPF-piece may be on the far spot; of vacant lines onto one spot, only the first.
    pub fn push_off_pushes(&self) -> Vec<usize> {
        if self.reserve[self.side.index()] == 0 {
            return Vec::new();
        }
        let entries = entries();
        let is_empty = |line: &[Point]| line.iter().all(|spot| !self.board.contains_key(spot));
        let is_gipf = |colour, far| self.board.get(far) == Some(&Piece { colour, kind: Kind::Gipf });
        let is_legal = |entry: &usize| {
            let line = &entries[*entry];
            let far = line.last().unwrap();
            let is_same_move = |earlier: &Vec<Point>| earlier[0] == line[0] && is_empty(line) && is_empty(earlier);
            let blocked = is_gipf(Colour::White, far) || is_gipf(Colour::Black, far);
            !blocked && !entries[..*entry].iter().any(is_same_move)
        };
        (0..entries.len()).filter(is_legal).collect()
    }
}

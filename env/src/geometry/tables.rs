//! Tables of the board, computed at compile time from hexagonal coordinates.

use super::number::{DOTS, ENTRIES, LINES, SPOTS};
use super::point::{Direction, Point};
use super::spot::SPOT_BITS;
use crate::bitboard::Bitboard;

/// The facts about an entry.
#[derive(Clone, Copy)]
pub(super) struct EntryRow {
    pub(super) dot: u8,
    pub(super) direction: Direction,
    pub(super) line: u8,
    pub(super) first_spot: u8,
}

pub(super) const DOT_POINTS: [Point; DOTS] = {
    let mut dots = [Point { q: 0, r: 0 }; DOTS];
    let (mut q, mut dot) = (-4, 0);
    while q <= 4 {
        let mut number = 1;
        while number <= 9 {
            let point = Point::from_column(q, number);
            if point.radius() == 4 {
                dots[dot] = point;
                dot += 1;
            }
            number += 1;
        }
        q += 1;
    }
    dots
};

/// The dots at which the lines begin: 0..7 of the N lines, 7..14 of the NE lines, 14..21 of the SE lines.
const LINE_STARTS: [Point; LINES] = {
    let mut starts = [Point { q: 0, r: 0 }; LINES];
    let mut axis = 0;
    let mut line = 0;
    while axis < 3 {
        let mut dot = 0;
        while dot < DOTS {
            let point = DOT_POINTS[dot];
            // A line begins at the dot whose step in the axis's direction is a spot.
            if point.neighbour(Direction::ALL[axis]).radius() <= 3 {
                starts[line] = point;
                line += 1;
            }
            dot += 1;
        }
        axis += 1;
    }
    starts
};

pub(super) const LINE_SPOTS: [Bitboard; LINES] = {
    let mut lines = [Bitboard::EMPTY; LINES];
    let mut line = 0;
    while line < LINES {
        let direction = Direction::ALL[line / 7];
        let mut point = LINE_STARTS[line].neighbour(direction);
        while point.radius() <= 3 {
            lines[line] = Bitboard(lines[line].0 | 1 << point.bit());
            point = point.neighbour(direction);
        }
        line += 1;
    }
    lines
};

pub(super) const LINE_THROUGH: [[u8; SPOTS]; 3] = {
    let mut through = [[0; SPOTS]; 3];
    let mut line = 0;
    while line < LINES {
        let mut spot = 0;
        while spot < SPOTS {
            if LINE_SPOTS[line].0 >> SPOT_BITS[spot] & 1 == 1 {
                through[line / 7][spot] = line as u8;
            }
            spot += 1;
        }
        line += 1;
    }
    through
};

pub(super) const ENTRY_TABLE: [EntryRow; ENTRIES] = {
    let mut entries = [EntryRow { dot: 0, direction: Direction::N, line: 0, first_spot: 0 }; ENTRIES];
    let (mut dot, mut entry) = (0, 0);
    while dot < DOTS {
        let mut index = 0;
        while index < 6 {
            let direction = Direction::ALL[index];
            if let Some(spot) = DOT_POINTS[dot].neighbour(direction).spot() {
                let line = LINE_THROUGH[index % 3][spot.0 as usize];
                entries[entry] = EntryRow { dot: dot as u8, direction, line, first_spot: spot.0 };
                entry += 1;
            }
            index += 1;
        }
        dot += 1;
    }
    entries
};

pub(super) const LINE_ENTRIES: [[u8; 2]; LINES] = {
    let mut lines = [[0; 2]; LINES];
    let mut entry = 0;
    while entry < ENTRIES {
        let row = ENTRY_TABLE[entry];
        lines[row.line as usize][row.direction as usize / 3] = entry as u8;
        entry += 1;
    }
    lines
};

/// What is precomputed for a push at an entry: the pieces that move are a stretch of a line.
pub(crate) struct Track {
    /// The spots of the entry's line.
    pub(crate) line: u64,
    /// The spot next to the dot.
    pub(crate) first: u64,
    /// All ones where a step leads to a lower bit, else 0: it chooses between two words without a branch.
    pub(crate) downward: u64,
    /// The rotation of a word that moves a piece one step on.
    pub(crate) rotation: u32,
}

pub(super) static TRACKS: [Track; ENTRIES] = {
    let mut tracks = [const { Track { line: 0, first: 0, downward: 0, rotation: 0 } }; ENTRIES];
    let mut entry = 0;
    while entry < ENTRIES {
        let row = ENTRY_TABLE[entry];
        let shift = row.direction.shift();
        tracks[entry] = Track {
            line: LINE_SPOTS[row.line as usize].0,
            first: 1 << SPOT_BITS[row.first_spot as usize],
            downward: if shift < 0 { u64::MAX } else { 0 },
            rotation: (shift & 63) as u32,
        };
        entry += 1;
    }
    tracks
};

/// For each spot and direction: the spots that lie there on the line, up to the edge.
pub(super) static RAYS: [[Bitboard; 6]; SPOTS] = {
    let mut rays = [[Bitboard::EMPTY; 6]; SPOTS];
    let mut at = 0;
    while at < 6 * SPOTS {
        let (spot, direction) = (at / 6, Direction::ALL[at % 6]);
        let bit = SPOT_BITS[spot] as i8;
        let mut point = Point { q: bit / 8 - 3, r: bit % 8 - 3 }.neighbour(direction);
        while point.radius() <= 3 {
            rays[spot][at % 6] = Bitboard(rays[spot][at % 6].0 | 1 << point.bit());
            point = point.neighbour(direction);
        }
        at += 1;
    }
    rays
};

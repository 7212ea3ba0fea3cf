//! The 12 symmetries of the board: six rotations, each with or without a mirror image (section 6 of the rules).
//!
//! Symmetry number s turns the board clockwise by 60°·(s mod 6); from 6 on the board is first mirrored in column e.
//! Six of them keep the colours of the starting pieces, the others exchange them. For training, each of the 12 gives a
//! position of the game, as seen by the same player.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::geometry::{Direction, ENTRIES, Entry, LINES, Line, Point, SPOTS, Spot};
use crate::rules::GipfPosition;

/// The number of symmetries, identity included.
pub const SYMMETRIES: usize = 12;

/// One of the 12 symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that changes nothing.
    pub const IDENTITY: Self = Self(0);

    /// Returns the symmetry with this number.
    ///
    /// # Panics
    /// Unless `index < 12`.
    pub const fn from_index(index: usize) -> Self {
        assert!(index < SYMMETRIES);
        Self(index as u8)
    }

    /// Iterates over all 12.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..SYMMETRIES as u8).map(Self)
    }

    /// Returns the number of the symmetry.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns whether it exchanges the colours of the six starting pieces.
    pub const fn exchanges_colours(self) -> bool {
        self.0 % 2 == 1
    }

    /// Returns the symmetry that undoes this one.
    pub const fn inverse(self) -> Self {
        if self.0 < 6 { Self((6 - self.0) % 6) } else { self }
    }

    /// Returns where a point goes.
    pub const fn point(self, point: Point) -> Point {
        let mut image = point;
        if self.0 >= 6 {
            image = Point { q: -image.q, r: image.r - image.q };
        }
        let mut turns = self.0 % 6;
        while turns > 0 {
            image = Point { q: image.r, r: image.r - image.q };
            turns -= 1;
        }
        image
    }

    /// Returns where a spot goes.
    #[inline]
    pub const fn spot(self, spot: Spot) -> Spot {
        Spot::from_index(TABLES[self.0 as usize].spots[spot.index()] as usize)
    }

    /// Returns what a direction becomes.
    pub const fn direction(self, direction: Direction) -> Direction {
        let (q, r) = direction.step();
        let image = self.point(Point { q, r });
        let mut index = 0;
        loop {
            let (q, r) = Direction::from_index(index).step();
            if q == image.q && r == image.r {
                return Direction::from_index(index);
            }
            index += 1;
        }
    }

    /// Returns where an entry goes: its dot and direction, whatever stands on the board.
    #[inline]
    pub const fn entry(self, entry: Entry) -> Entry {
        Entry::from_index(TABLES[self.0 as usize].entries[entry.index()] as usize)
    }

    /// Returns where a line goes.
    #[inline]
    pub const fn line(self, line: Line) -> Line {
        Line::from_index(TABLES[self.0 as usize].lines[line.index()] as usize)
    }

    /// Returns where a set of spots goes.
    #[inline]
    pub fn spots(self, spots: Bitboard) -> Bitboard {
        if spots.is_empty() {
            return spots;
        }
        let columns = spots.bits().to_le_bytes();
        let images = COLUMN_IMAGES[self.index()].iter().zip(columns);
        Bitboard(images.fold(0, |set, (images, column)| set | images[usize::from(column & 0x7f)]))
    }

    /// Returns the position with everything on the board moved; the player to move and the pending decision stay the same.
    ///
    /// The history of earlier positions is dropped. In a removal phase the piece in question moves along, so the image
    /// may ask about pieces in an order that play never produces.
    pub fn position(self, position: &GipfPosition) -> GipfPosition {
        position.mapped(|spots| self.spots(spots), |line| self.line(line))
    }

    /// Returns the legal action of the image of `position` that corresponds to a legal action of `position`.
    pub fn action(self, position: &GipfPosition, action: Action) -> Action {
        match action {
            Action::Push(pushed, entry) => Action::Push(pushed, self.legal_entry(position, entry)),
            Action::TakeRow(line) => Action::TakeRow(self.line(line)),
            Action::Jump(spot, direction) => Action::Jump(self.spot(spot), self.direction(direction)),
            Action::Keep | Action::Take | Action::Leave | Action::Remove => action,
        }
    }

    /// Entries at which a push is the same move are counted under the lowest of them only, and that choice is not symmetric.
    fn legal_entry(self, position: &GipfPosition, entry: Entry) -> Entry {
        let back = self.inverse();
        self.entry(entry).lowest_same(|image| position.is_interchangeable(back.entry(image)))
    }
}

#[derive(Clone, Copy)]
struct Table {
    spots: [u8; SPOTS],
    entries: [u8; ENTRIES],
    lines: [u8; LINES],
}

const TABLES: [Table; SYMMETRIES] = {
    let mut tables = [Table { spots: [0; SPOTS], entries: [0; ENTRIES], lines: [0; LINES] }; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        tables[symmetry] = table(Symmetry(symmetry as u8));
        symmetry += 1;
    }
    tables
};

/// For each symmetry, column and set of spots in it: where they go.
static COLUMN_IMAGES: [[[u64; 128]; 7]; SYMMETRIES] = {
    let mut images = [[[0; 128]; 7]; SYMMETRIES];
    let mut at = 0;
    while at < SYMMETRIES * 7 * 128 {
        let (symmetry, column, set): (usize, usize, usize) = (at / (7 * 128), at / 128 % 7, at % 128);
        if set > 0 {
            let bit = 8 * column as u32 + set.trailing_zeros();
            let is_spot = Bitboard::BOARD.bits() >> bit & 1 == 1;
            let image = if is_spot { 1 << Symmetry(symmetry as u8).spot(Spot::from_bit(bit)).bit() } else { 0 };
            images[symmetry][column][set] = images[symmetry][column][set & (set - 1)] | image;
        }
        at += 1;
    }
    images
};

const fn table(symmetry: Symmetry) -> Table {
    let mut table = Table { spots: [0; SPOTS], entries: [0; ENTRIES], lines: [0; LINES] };
    let mut spot = 0;
    while spot < SPOTS {
        table.spots[spot] = image_of(symmetry, Spot::from_index(spot)).index() as u8;
        spot += 1;
    }
    let mut entry = 0;
    while entry < ENTRIES {
        let from = Entry::from_index(entry);
        let spot = image_of(symmetry, from.first_spot());
        let direction = symmetry.direction(from.direction());
        let mut image = 0;
        while image < ENTRIES {
            let to = Entry::from_index(image);
            if to.first_spot().index() == spot.index() && to.direction() as u8 == direction as u8 {
                table.entries[entry] = image as u8;
                table.lines[from.line().index()] = to.line().index() as u8;
            }
            image += 1;
        }
        entry += 1;
    }
    table
}

const fn image_of(symmetry: Symmetry, spot: Spot) -> Spot {
    symmetry.point(spot.point()).spot().expect("symmetries map spots to spots")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_permutations_that_keep_lines_and_steps() {
        for symmetry in Symmetry::all() {
            assert_eq!(symmetry.spots(Bitboard::BOARD), Bitboard::BOARD);
            let entries: std::collections::HashSet<_> = Entry::all().map(|entry| symmetry.entry(entry)).collect();
            assert_eq!(entries.len(), ENTRIES);
            for line in Line::all() {
                assert_eq!(symmetry.spots(line.spots()), symmetry.line(line).spots());
            }
            for (spot, direction) in Spot::all().flat_map(|spot| Direction::ALL.map(|d| (spot, d))) {
                let image = spot.neighbour(direction).map(|next| symmetry.spot(next));
                assert_eq!(image, symmetry.spot(spot).neighbour(symmetry.direction(direction)));
            }
            for spot in Spot::all() {
                assert_eq!(symmetry.spots(Bitboard::of(spot)), Bitboard::of(symmetry.spot(spot)));
                assert_eq!(symmetry.inverse().spot(symmetry.spot(spot)), spot);
            }
        }
    }

    #[test]
    fn six_symmetries_keep_the_colours_of_the_start() {
        let start = GipfPosition::start(crate::rules::Variant::STANDARD);
        for symmetry in Symmetry::all() {
            let [white, black] = crate::position::Player::BOTH.map(|player| start.board().pieces_of(player));
            let image = symmetry.spots(white);
            assert_eq!(image, if symmetry.exchanges_colours() { black } else { white });
        }
    }
}

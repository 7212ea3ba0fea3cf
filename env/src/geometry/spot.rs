//! Places where a piece can stand.

use std::fmt;

use super::number::{SPOTS, numbered};
use super::point::{Direction, Point};

numbered!(
    /// A place where a piece can stand: 0..37, by column, then number (b2 = 0, e5 = 18, h5 = 36).
    Spot,
    SPOTS
);

impl Spot {
    /// Returns the bit number of the spot on a bitboard.
    #[inline]
    pub const fn bit(self) -> u32 {
        SPOT_BITS[self.0 as usize] as u32
    }

    /// Returns the spot with this bit number.
    ///
    /// # Panics
    /// If no spot has it.
    #[inline]
    pub const fn from_bit(bit: u32) -> Self {
        let spot = SPOT_OF_BIT[bit as usize];
        assert!(spot < SPOTS as u8);
        Self(spot)
    }

    /// Returns the coordinates of the spot.
    pub const fn point(self) -> Point {
        let bit = SPOT_BITS[self.0 as usize] as i8;
        Point { q: bit / 8 - 3, r: bit % 8 - 3 }
    }

    /// Returns the cell of the spot in a 7×7 plane: 7·(q + 3) + (r + 3), a row for each column b..h.
    #[inline]
    pub const fn cell(self) -> usize {
        let bit = SPOT_BITS[self.0 as usize] as usize;
        7 * (bit / 8) + bit % 8
    }

    /// Returns the ring of the spot: 0 for the centre, 3 for the edge.
    pub const fn ring(self) -> u8 {
        self.point().radius() as u8
    }

    /// Returns the neighbouring spot in a direction, if that is a spot.
    pub const fn neighbour(self, direction: Direction) -> Option<Self> {
        self.point().neighbour(direction).spot()
    }
}

impl Point {
    /// Returns the spot at this point, if it is one.
    pub const fn spot(self) -> Option<Spot> {
        if self.radius() > 3 {
            return None;
        }
        Some(Spot(SPOT_OF_BIT[self.bit() as usize]))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.point().fmt(f)
    }
}

const NO_SPOT: u8 = u8::MAX;

/// The bit number of each spot. Ascending bits are ascending spots.
pub(super) const SPOT_BITS: [u8; SPOTS] = {
    let mut bits = [0; SPOTS];
    let (mut bit, mut spot) = (0, 0);
    while bit < 56 {
        let point = Point { q: bit / 8 - 3, r: bit % 8 - 3 };
        if point.radius() <= 3 {
            bits[spot] = bit as u8;
            spot += 1;
        }
        bit += 1;
    }
    bits
};

const SPOT_OF_BIT: [u8; 64] = {
    let mut spots = [NO_SPOT; 64];
    let mut spot = 0;
    while spot < SPOTS {
        spots[SPOT_BITS[spot] as usize] = spot as u8;
        spot += 1;
    }
    spots
};

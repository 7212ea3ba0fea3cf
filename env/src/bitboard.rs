//! A set of spots in one machine word; see [`crate::geometry`] for the order of the bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::geometry::Spot;

/// A set of spots. Only the 37 bits of [`Bitboard::BOARD`] are ever set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Bitboard(pub(crate) u64);

/// Some of these bits are not spots of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a set of spots with the bits {0:#x}: expected those of the board only")]
pub struct NoSpots(pub u64);

impl TryFrom<u64> for Bitboard {
    type Error = NoSpots;

    fn try_from(bits: u64) -> Result<Self, NoSpots> {
        Self::from_bits(bits).ok_or(NoSpots(bits))
    }
}

impl From<Bitboard> for u64 {
    fn from(set: Bitboard) -> Self {
        set.0
    }
}

impl Bitboard {
    /// No spot.
    pub const EMPTY: Self = Self(0);

    /// All 37 spots.
    pub const BOARD: Self = {
        let mut bits = 0;
        let mut spot = 0;
        while spot < crate::geometry::SPOTS {
            bits |= 1 << Spot(spot as u8).bit();
            spot += 1;
        }
        Self(bits)
    };

    /// Returns the set of one spot.
    #[inline]
    pub const fn of(spot: Spot) -> Self {
        Self(1 << spot.bit())
    }

    /// Returns the raw bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the set with these raw bits, if they are all spots.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if bits & !Self::BOARD.0 == 0 { Some(Self(bits)) } else { None }
    }

    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of spots.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether a spot is in the set.
    #[inline]
    pub const fn contains(self, spot: Spot) -> bool {
        self.0 >> spot.bit() & 1 == 1
    }

    /// Returns whether both sets share a spot.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the spots of this set that are not in the other.
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Moves the pieces on a stretch of a line by one rotation; the others stay.
    #[inline]
    pub(crate) const fn move_on(&mut self, stretch: u64, rotation: u32) {
        self.0 = self.0 & !stretch | (self.0 & stretch).rotate_left(rotation);
    }

    /// Returns the spot of lowest index, if any.
    #[inline]
    pub const fn first(self) -> Option<Spot> {
        if self.0 == 0 { None } else { Some(Spot::from_bit(self.0.trailing_zeros())) }
    }

    /// Returns the spot of highest index, if any.
    #[inline]
    pub const fn last(self) -> Option<Spot> {
        if self.0 == 0 { None } else { Some(Spot::from_bit(self.0.ilog2())) }
    }
}

macro_rules! bitwise {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt),*) => {$(
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}
bitwise!(BitAnd bitand BitAndAssign bitand_assign &, BitOr bitor BitOrAssign bitor_assign |, BitXor bitxor BitXorAssign bitxor_assign ^);

/// The spots of the board that are not in the set.
impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::BOARD.0)
    }
}

/// Iterates over the spots in ascending order.
impl IntoIterator for Bitboard {
    type Item = Spot;
    type IntoIter = Spots;
    #[inline]
    fn into_iter(self) -> Spots {
        Spots(self)
    }
}

/// The spots of a [`Bitboard`] in ascending order.
#[derive(Clone, Debug)]
pub struct Spots(Bitboard);

impl Iterator for Spots {
    type Item = Spot;
    #[inline]
    fn next(&mut self) -> Option<Spot> {
        let spot = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(spot)
    }
}

impl FromIterator<Spot> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Spot>>(spots: I) -> Self {
        spots.into_iter().fold(Self::EMPTY, |set, spot| set | Self::of(spot))
    }
}

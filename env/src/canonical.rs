//! The canonical image, the one of a position's 12 images that stands for all of them, found without computing them all.
//!
//! Each piece pulls from the centre of the board towards its spot, with a weight that distinguishes kinds of pieces and
//! rings of spots. The pulls add up to an arrow, which is turned and mirrored with the board: in one of the 12 images
//! it points into the wedge between north and half-way to north-east, and that is the canonical image. Where the arrow
//! lies on the border of the wedge, or the pulls cancel out, several images qualify, and the view key decides.

use crate::bitboard::Bitboard;
use crate::geometry::Spot;
use crate::rules::GipfPosition;
use crate::symmetry::Symmetry;

impl GipfPosition {
    /// Returns the symmetry that maps the position to its canonical image. All images of a position have the same
    /// canonical image, up to the colours.
    pub fn canonical_symmetry(&self) -> Symmetry {
        let candidates = into_wedge(self.arrow());
        let lowest = candidates.trailing_zeros() as usize;
        if candidates.is_power_of_two() { Symmetry::from_index(lowest) } else { self.of_smallest_key(candidates) }
    }

    /// If the position itself is symmetric, several symmetries lead to the same image; the first is as good as any.
    #[cold]
    fn of_smallest_key(&self, candidates: u16) -> Symmetry {
        let candidates = Symmetry::all().filter(|symmetry| candidates >> symmetry.index() & 1 == 1);
        let smallest = candidates.min_by_key(|symmetry| symmetry.position(self).view_key());
        smallest.expect("the wedge and its images fill the plane")
    }

    /// Returns the sum of the pulls, as seen by the player to move.
    fn arrow(&self) -> (i64, i64) {
        let (board, me) = (self.board(), self.to_move());
        let sets = [board.pieces_of(me), board.pieces_of(me.other()), board.gipfs(), board.loaded(), board.used()];
        let pulls = sets.into_iter().zip(WEIGHTS_OF_SETS).filter(|(set, _)| !set.is_empty());
        let sum: i64 = pulls.map(|(set, weight)| weight * pull(set)).sum();
        let r = i64::from(sum as i32);
        ((sum - r) >> 32, r)
    }
}

/// Returns the symmetries that bring an arrow into the wedge, as a set of bits: all 12 if it has no length.
fn into_wedge(arrow: (i64, i64)) -> u16 {
    let (q, r) = arrow;
    let mut set = 0;
    for (first, (mut q, mut r)) in [(0, (q, r)), (6, (-q, r - q))] {
        for turns in 0..6 {
            set |= u16::from(q >= 0 && r >= 2 * q) << (first + turns);
            (q, r) = (r, r - q);
        }
    }
    set
}

/// Returns the sum of the pulls of pieces of one kind: q in the upper half of the word, r in the lower.
fn pull(set: Bitboard) -> i64 {
    let columns = set.bits().to_le_bytes();
    PULLS.iter().zip(columns).map(|(pulls, column)| pulls[usize::from(column & 0x7f)]).sum()
}

/// The weight of a piece in each set, own and opposing pieces first. Numbers without common factors make it rare that
/// pulls cancel out by chance. All sums stay below 2³¹.
const WEIGHTS_OF_SETS: [i64; 5] = [4513, 2749, 1277, 587, 251];

/// The weights of the rings of spots, by the square of the straight-line distance from the centre.
const fn weight_of_ring(square: i64) -> i64 {
    match square {
        1 => 1009,
        3 => 641,
        4 => 467,
        7 => 389,
        _ => 277,
    }
}

/// For each column and each set of spots in it: the sum of their pulls.
static PULLS: [[i64; 128]; 7] = {
    let mut pulls = [[0; 128]; 7];
    let mut at = 0;
    while at < 7 * 128 {
        let (column, set): (usize, usize) = (at / 128, at % 128);
        if set > 0 {
            let bit = 8 * column as u32 + set.trailing_zeros();
            let piece = if Bitboard::BOARD.bits() >> bit & 1 == 1 { pull_of(Spot::from_bit(bit)) } else { 0 };
            pulls[column][set] = pulls[column][set & (set - 1)] + piece;
        }
        at += 1;
    }
    pulls
};

const fn pull_of(spot: Spot) -> i64 {
    let (q, r) = (spot.point().q as i64, spot.point().r as i64);
    let weight = weight_of_ring(q * q - q * r + r * r);
    ((weight * q) << 32) + weight * r
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Point;

    #[test]
    fn the_wedge_and_its_images_fill_the_plane() {
        for (q, r) in (-20..=20).flat_map(|q| (-20..=20).map(move |r| (q, r))) {
            let set = into_wedge((q, r));
            let into = Symmetry::all().filter(|symmetry| {
                let image = symmetry.point(Point { q: q as i8, r: r as i8 });
                image.q >= 0 && image.r >= 2 * image.q
            });
            assert_eq!(set, into.fold(0, |set, symmetry| set | 1 << symmetry.index()), "({q}, {r})");
            assert!([1, 2, 12].contains(&set.count_ones()) && (set.count_ones() == 12) == ((q, r) == (0, 0)));
        }
    }

    #[test]
    fn pulls_are_those_of_the_spots() {
        for spot in Spot::all() {
            assert_eq!(pull(Bitboard::of(spot)), pull_of(spot), "{spot}");
        }
        assert_eq!(pull(Bitboard::BOARD), 0);
        assert_eq!(pull(Bitboard::BOARD.without(Bitboard::of(Spot::from_index(5)))), -pull_of(Spot::from_index(5)));
    }
}

//! The same observation in binary planes: zeros and ones, with the scalars separately.
//!
//! | group | binary planes | weight in the plane of [`observation`](crate::observation) |
//! |---|---|---|
//! | pieces | one for each plane | 1 |
//! | marks | lines handled: N, NE, SE | 1/7, 2/7, 4/7 |
//! | | in push-off instead: own rows to be evaluated, then the opponent's: N, NE, SE each | 1/7, 2/7, 4/7, then the same negative |
//! | | \[pieces still to be asked about: those in question, the others\] | 1, 1/2 |
//!
//! The scalars are numbers of their own, in the order of their planes. Nothing is lost: [`unpack`] returns the floats,
//! to the last bit.

use super::{CELLS, Shape, Writer, write_pieces, write_scalars};
use crate::bitboard::Bitboard;
use crate::rules::{GipfPosition, Phase, Variant, bits_of};

/// How zeros and ones are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// A byte for each.
    Bytes,
    /// A bit for each, the first one in the lowest bit of a byte. A byte holds a row of a plane, with its highest bit
    /// unused, or eight entries of a mask.
    Bits,
}

impl Packing {
    /// Returns the number of bytes of a plane.
    #[inline]
    pub const fn plane(self) -> usize {
        match self {
            Self::Bytes => CELLS,
            Self::Bits => ROWS,
        }
    }

    /// Returns the number of bytes of a mask of this many actions.
    #[inline]
    pub const fn mask(self, actions: usize) -> usize {
        match self {
            Self::Bytes => actions,
            Self::Bits => actions.div_ceil(8),
        }
    }
}

/// The rows of a plane.
const ROWS: usize = 7;
const AXES: usize = 3;
/// The weight of a line by its axis, N, NE and SE.
const LINE_WEIGHTS: [f32; AXES] = [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0];

/// Returns, for each binary plane, the plane that it belongs to and its weight there.
///
/// ```
/// use gipf_env::{Variant, binary_planes};
///
/// let weights = binary_planes::weights(Variant::BASIC);
/// assert_eq!(weights, [(0, 1.0), (1, 1.0), (2, 1.0 / 7.0), (2, 2.0 / 7.0), (2, 4.0 / 7.0)]);
/// ```
pub fn weights(variant: Variant) -> Vec<(usize, f32)> {
    let pieces = Shape::of(variant).pieces;
    let mut weights: Vec<_> = (0..pieces).map(|plane| (plane, 1.0)).collect();
    weights.extend(LINE_WEIGHTS.map(|weight| (pieces, weight)));
    if variant.is_push_off() {
        weights.extend(LINE_WEIGHTS.map(|weight| (pieces, -weight)));
    }
    if variant.has_spared_pieces() {
        weights.extend([(pieces + 1, 1.0), (pieces + 1, 0.5)]);
    }
    weights
}

/// Returns the number of binary planes of a rule set.
#[inline]
pub const fn count(variant: Variant) -> usize {
    let Shape { pieces, marks, .. } = Shape::of(variant);
    // All marks but the lines are the pieces to be asked about.
    pieces + AXES * (1 + variant.is_push_off() as usize) + 2 * (marks - 1)
}

/// Returns the number of scalars of a rule set.
#[inline]
pub const fn scalars(variant: Variant) -> usize {
    Shape::of(variant).scalars
}

/// Writes the binary planes and the scalars of a position; both are overwritten completely.
///
/// # Panics
/// If `planes` is shorter than [`count`] planes, or `scalars` is shorter than their number.
pub fn observe(position: &GipfPosition, packing: Packing, planes: &mut [u8], scalars: &mut [f32]) {
    let mut writer = Binary { packing, planes, scalars: scalars.iter_mut() };
    write_pieces(position, position.to_move(), &mut writer);
    write_marks(position, &mut writer);
    write_scalars(position, position.to_move(), &mut writer);
}

fn write_marks(position: &GipfPosition, writer: &mut Binary<'_>) {
    let variant = position.variant();
    let mut lines = [Bitboard::EMPTY; 2 * AXES];
    let (mut now, mut later) = (Bitboard::EMPTY, Bitboard::EMPTY);
    if position.phase() != Phase::Push {
        for line in position.handled_lines().filter(|_| !variant.is_push_off()) {
            lines[line.direction().index()] |= line.spots();
        }
        for (owner, line, row) in position.rows_in_evaluation().filter(|_| variant.is_push_off()) {
            lines[AXES * usize::from(owner != position.to_move()) + line.direction().index()] |= row;
        }
        let pending = position.pending();
        now = position.question().map_or(pending, Bitboard::of);
        later = pending.without(now);
    }
    let kinds = if variant.is_push_off() { 2 * AXES } else { AXES };
    for &spots in &lines[..kinds] {
        writer.spots(spots);
    }
    if variant.has_spared_pieces() {
        writer.spots(now);
        writer.spots(later);
    }
}

/// Writes the mask of a position, 1 where an action is legal.
///
/// # Panics
/// If `mask` is shorter than [`Packing::mask`].
pub fn write_mask(position: &GipfPosition, packing: Packing, mask: &mut [u8]) {
    let mask = &mut mask[..packing.mask(position.variant().num_actions())];
    let legal = position.action_set();
    match packing {
        Packing::Bits => {
            for (bytes, word) in mask.chunks_mut(8).zip(legal.words()) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
        }
        Packing::Bytes => legal.write_entries(mask),
    }
}

/// Writes the observation in floats, given its binary planes and scalars.
///
/// # Panics
/// If a slice is shorter than those of [`observe`] and of the layout of the observation.
pub fn unpack(variant: Variant, packing: Packing, planes: &[u8], scalars: &[f32], observation: &mut [f32]) {
    let (shape, weights) = (Shape::of(variant), weights(variant));
    let planes = &planes[..weights.len() * packing.plane()];
    let observation = &mut observation[..(shape.pieces + shape.marks + shape.scalars) * CELLS];
    let (cells, filled) = observation.split_at_mut((shape.pieces + shape.marks) * CELLS);
    cells.fill(0.0);
    let mut planes: Vec<_> = weights.into_iter().zip(planes.chunks_exact(packing.plane())).collect();
    if variant.is_push_off() && scalars[shape.scalars - 1] < 0.0 {
        // In the opponent's turn their rows come first, as in the floats: the last bit of a sum depends on its order.
        planes.sort_by_key(|&((plane, weight), _)| (plane, weight > 0.0));
    }
    for ((plane, weight), binary) in planes {
        for (cell, value) in cells[plane * CELLS..][..CELLS].iter_mut().enumerate() {
            let is_set = match packing {
                Packing::Bytes => binary[cell] == 1,
                Packing::Bits => binary[cell / ROWS] >> (cell % ROWS) & 1 == 1,
            };
            *value += if is_set { weight } else { 0.0 };
        }
    }
    for (plane, &scalar) in filled.chunks_exact_mut(CELLS).zip(&scalars[..shape.scalars]) {
        plane.fill(scalar);
    }
}

/// Writes plane after plane, scalar after scalar.
struct Binary<'a> {
    packing: Packing,
    planes: &'a mut [u8],
    scalars: std::slice::IterMut<'a, f32>,
}

impl Writer for Binary<'_> {
    #[inline]
    fn spots(&mut self, spots: Bitboard) {
        let rows = spots.bits().to_le_bytes();
        match self.packing {
            Packing::Bits => *self.plane() = *rows.first_chunk::<ROWS>().expect("a bitboard has eight bytes"),
            Packing::Bytes => {
                let plane: &mut [u8; CELLS] = self.plane();
                // Eight bytes at once, of which the next row overwrites the last; nothing may be written past the last row.
                for (place, row) in rows[..ROWS - 1].iter().enumerate() {
                    plane[ROWS * place..][..8].copy_from_slice(&bits_of(*row));
                }
                plane[CELLS - ROWS..].copy_from_slice(&bits_of(rows[ROWS - 1])[..ROWS]);
            }
        }
    }

    #[inline]
    fn fill(&mut self, value: f32) {
        *self.scalars.next().expect("the slice has a place for each scalar") = value;
    }
}

impl<'a> Binary<'a> {
    /// Returns the bytes of the plane, and advances to the next one.
    #[inline]
    fn plane<const BYTES: usize>(&mut self) -> &'a mut [u8; BYTES] {
        let (plane, rest) =
            std::mem::take(&mut self.planes).split_first_chunk_mut().expect("the slice has the binary planes");
        self.planes = rest;
        plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows that cross on a spot are so rare that random games may lack them.
    #[test]
    fn the_rows_of_whose_turn_it_is_are_added_first() {
        let variant = Variant::PUSH_OFF;
        let Shape { pieces, marks, scalars } = Shape::of(variant);
        for (turn, expected) in [(1.0, 2.0 / 7.0 - 1.0 / 7.0 - 4.0 / 7.0), (-1.0, -1.0 / 7.0 - 4.0 / 7.0 + 2.0 / 7.0)] {
            let expected: f32 = expected;
            let mut planes = vec![0; count(variant) * Packing::Bytes.plane()];
            for binary in [pieces + 1, pieces + AXES, pieces + AXES + 2] {
                planes[binary * CELLS] = 1;
            }
            let mut values = vec![0.0; scalars];
            values[scalars - 1] = turn;
            let mut observation = vec![f32::NAN; (pieces + marks + scalars) * CELLS];
            unpack(variant, Packing::Bytes, &planes, &values, &mut observation);
            assert_eq!(observation[pieces * CELLS].to_bits(), expected.to_bits(), "turn {turn}");
        }
    }
}

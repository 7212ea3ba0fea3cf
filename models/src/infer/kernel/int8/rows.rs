//! Products of the inputs that are not zero: a quarter of them, where a rectifier has passed.
//!
//! Four inputs that happen not to be zero are multiplied at once, so the weights are kept input by input, and those of
//! the four are brought together in registers.

use super::{FOUR, PackedInt8, RowScales, Scaled};
use crate::infer::kernel::tiles::finish;
use crate::infer::kernel::{Instructions, MOST_SHARE, Target, Vector, Work, dispatch};
use crate::infer::lanes::{Int8Lane, LANE};

/// The number of lanes of outputs in a [`Row`].
const PAIR: usize = 2;
/// The most inputs that a term can tell apart.
pub const MOST_INPUTS: usize = 1 << u16::BITS;
/// The number of fours in a lane.
const FOURS: usize = LANE / FOUR;

/// The weights from one input to two lanes of outputs, in the order of [`place`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Row(pub [i8; PAIR * LANE]);

/// Returns where the weight to an output stands: such that, when the registers of AVX2 interleave four rows half by half,
/// eight consecutive outputs come together.
pub const fn place(output: usize) -> usize {
    let (eight, rest) = (output / 8, output % 8);
    LANE * (rest / FOUR) + FOUR * eight + rest % FOUR
}

/// Packs the weights of `[segment, input, output]`, each segment padded to whole lanes, and outputs to whole pairs of
/// lanes. They are cut into panels of two pairs (the last may have one); a panel holds its rows input by input.
pub fn pack(segments: usize, input_lanes: usize, lanes: usize, weight: impl Fn(usize, usize, usize) -> i8) -> Vec<Row> {
    let (pairs, inputs) = (lanes.div_ceil(PAIR), input_lanes * LANE);
    let mut packed = Vec::with_capacity(segments * inputs * pairs);
    for first in (0..pairs).step_by(2) {
        for (segment, input) in (0..segments).flat_map(|segment| (0..inputs).map(move |input| (segment, input))) {
            for pair in first..(first + 2).min(pairs) {
                let mut row = Row([0; PAIR * LANE]);
                for output in 0..PAIR * LANE {
                    row.0[place(output)] = weight(segment, input, pair * PAIR * LANE + output);
                }
                packed.push(row);
            }
        }
    }
    packed
}

/// The bytes of some rows that are not zero, each with the number of its input, four by four.
#[derive(Debug, Default)]
pub struct ByteTerms {
    /// For each lane in which a row begins, how many fours it has; 0 for the others.
    counts: Vec<u16>,
    /// Room for four fours for each lane; those of a row stand together, the last filled up with zeros.
    bytes: Vec<[u8; FOUR]>,
    /// The inputs of each four, the first in the lowest sixteen bits.
    inputs: Vec<u64>,
    /// The lanes of a row.
    row: usize,
}

impl ByteTerms {
    /// Returns whether the terms of these lanes are so few that products of them are faster than those of all bytes.
    pub fn are_few(lanes: &[Int8Lane]) -> bool {
        // Adding 127 sets the highest bit of a byte that is not zero, and carries nothing into the next one, since all are
        // below 128.
        const EACH: u128 = u128::from_ne_bytes([127; LANE]);
        let count_of = |lane: &Int8Lane| (u128::from_ne_bytes(lane.0).wrapping_add(EACH) & !EACH).count_ones();
        let count: u32 = lanes.iter().map(count_of).sum();
        (count as f32) < MOST_SHARE * (lanes.len() * LANE) as f32
    }

    /// Collects those of consecutive rows of `row` lanes; what is left over has none.
    ///
    /// # Panics
    /// If a row has more inputs than terms can tell apart.
    pub fn fill(&mut self, set: Instructions, lanes: &[Int8Lane], row: usize) {
        assert!(row * LANE <= MOST_INPUTS, "inputs are told apart");
        self.row = row;
        self.counts.clear();
        self.counts.resize(lanes.len(), 0);
        // One more: every row is ended by zeros, and the next one is written over them.
        self.bytes.resize(FOURS * lanes.len() + 1, [0; FOUR]);
        self.inputs.resize(FOURS * lanes.len() + 1, 0);
        dispatch(set, Fill { terms: self, lanes, row });
    }

    /// Iterates over the terms of the row that begins in a lane, and the zeros after them: the input, and its byte.
    #[cfg(test)]
    pub fn of_row(&self, first: usize) -> impl Iterator<Item = (usize, u8)> {
        let fours = FOURS * first..FOURS * first + usize::from(self.counts[first]);
        let of_four = |four: usize| std::iter::zip(0..FOUR, self.bytes[four]).map(move |term| (four, term));
        fours.flat_map(of_four).map(|(four, (number, byte))| {
            (usize::from((u64::from_le(self.inputs[four]) >> (16 * number)) as u16), byte)
        })
    }
}

struct Fill<'a> {
    terms: &'a mut ByteTerms,
    lanes: &'a [Int8Lane],
    row: usize,
}

impl Work for Fill<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let Self { terms, lanes, row } = self;
        for (first, lanes) in (0..).step_by(row).zip(lanes.chunks_exact(row)) {
            // SAFETY: `fill` has made room for as many terms as there are bytes, and for a four after the last; the caller
            // guarantees the instructions.
            unsafe {
                let bytes = terms.bytes.as_mut_ptr().add(FOURS * first).cast::<u8>();
                let inputs = terms.inputs.as_mut_ptr().add(FOURS * first).cast::<u16>();
                let mut count = 0;
                for (lane, from) in lanes.iter().enumerate() {
                    count += V::terms(from, (lane * LANE) as u16, bytes.add(count), inputs.add(count));
                }
                bytes.add(count).cast::<[u8; FOUR]>().write([0; FOUR]);
                inputs.add(count).cast::<[u16; FOUR]>().write([0; FOUR]);
                terms.counts[first] = count.div_ceil(FOUR) as u16;
            }
        }
    }
}

/// Arguments that have passed [`check`](super::check).
pub struct Product<'a, 'b> {
    matrix: &'a PackedInt8,
    weights: &'a [Row],
    rows: Scaled<'a>,
    terms: &'a ByteTerms,
    target: &'a mut Target<'b>,
}

impl<'a, 'b> Product<'a, 'b> {
    /// # Panics
    /// If the outputs reach beyond the target, or the terms are those of another source, or of rows that are not as long as
    /// segments.
    pub fn new(
        matrix: &'a PackedInt8,
        weights: &'a [Row],
        (rows, terms): (Scaled<'a>, &'a ByteTerms),
        target: &'a mut Target<'b>,
    ) -> Self {
        target.check(matrix.lanes());
        assert_eq!(terms.counts.len(), rows.rows.source.len(), "the terms of the source");
        assert_eq!(terms.row, matrix.inputs.div_ceil(LANE), "rows as long as segments");
        Self { matrix, weights, rows, terms, target }
    }
}

impl Work for Product<'_, '_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(mut self) {
        let pairs = self.matrix.lanes().div_ceil(PAIR);
        for first in (0..pairs).step_by(2) {
            // SAFETY: the pairs exist; the caller guarantees the instructions.
            unsafe {
                if first + 2 <= pairs {
                    self.panel::<V, 2>(first);
                } else {
                    self.panel::<V, 1>(first);
                }
            }
        }
    }
}

impl Product<'_, '_> {
    /// Computes the outputs of a panel of `PAIRS` pairs of lanes, row by row.
    ///
    /// # Safety
    /// The panel must exist, and the processor must have the instructions.
    #[inline(always)]
    unsafe fn panel<V: Vector, const PAIRS: usize>(&mut self, first: usize) {
        let Self { matrix, rows: scaled, terms, .. } = *self;
        let inputs = matrix.inputs.div_ceil(LANE) * LANE;
        let panel = self.weights[first * matrix.segments * inputs..].as_ptr();
        let mut scales = RowScales::from(0, scaled);
        for row in 0..self.target.offsets.len() {
            // SAFETY: `check` has compared taps, offsets and scales with the lengths of the slices; terms name inputs of
            // their row, of which each segment of the panel has `PAIRS` rows of weights.
            unsafe {
                let mut sums = [[V::nothing(); PAIR]; PAIRS];
                for (number, &tap) in scaled.rows.taps.iter().enumerate() {
                    let start = scaled.rows.offsets.nth(row * scaled.rows.taps.len() + number);
                    add::<V, PAIRS>(&mut sums, terms, start, panel.add(tap * inputs * PAIRS));
                }
                let scale = scales.of(row);
                let to = self.target.lanes.as_mut_ptr().add(self.target.offsets.nth(row));
                for (lane, &sums) in (first * PAIR..matrix.lanes()).zip(sums.as_flattened()) {
                    finish(&[matrix.floats::<V>(lane, sums, scale)], to.add(lane), self.target.finish);
                }
            }
        }
    }
}

/// Adds the products of the row that begins in a lane.
///
/// # Safety
/// The lane must exist, and `weights` must have `PAIRS` rows for each of the row's inputs.
#[inline(always)]
unsafe fn add<V: Vector, const PAIRS: usize>(
    sums: &mut [[V::Whole; PAIR]; PAIRS],
    terms: &ByteTerms,
    start: usize,
    weights: *const Row,
) {
    // SAFETY: as required of the caller; there is room for the fours of each row.
    unsafe {
        for four in FOURS * start..FOURS * start + usize::from(*terms.counts.get_unchecked(start)) {
            let bytes = *terms.bytes.get_unchecked(four);
            // Taken apart as one number: as four, the compiler would load them into a vector, which is slow to take apart.
            let inputs = u64::from_le(*terms.inputs.get_unchecked(four));
            let rows = std::array::from_fn(|i| weights.add((inputs >> (16 * i) & 0xffff) as usize * PAIRS));
            for (pair, sums) in sums.iter_mut().enumerate() {
                *sums = V::dot_rows(*sums, bytes, rows.map(|row| row.add(pair)));
            }
        }
    }
}

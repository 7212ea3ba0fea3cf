//! Products in integers of seven and eight bits: four at a time where 32-bit numbers go one at a time.
//!
//! Integer sums are exact, so neither their order nor what is left out because it is zero matters, and all instructions
//! give the same bits.

#[cfg(target_arch = "x86_64")]
mod amx;
mod fours;
mod quantise;
mod rows;
#[cfg(test)]
mod tests;

use super::tiles::PANEL;
use super::{Gather, Instructions, LEAST_NUMBERS, Target, Vector, Weights, dispatch};
use crate::infer::lanes::{Int8Lane, LANE, Lane, padded};

#[cfg(target_arch = "x86_64")]
pub use self::amx::is_available as has_amx;
pub use self::quantise::quantise;
pub use self::rows::{ByteTerms, Row, place};

/// The number of inputs that are multiplied at once.
const FOUR: usize = 4;
/// The largest weight.
const MOST_WEIGHT: f32 = 127.0;

/// A matrix `[segments · inputs, outputs]` with a bias, each output's weights rounded to multiples of its own scale.
#[derive(Clone, Debug)]
pub struct PackedInt8 {
    segments: usize,
    inputs: usize,
    /// For all inputs, by [`fours::pack`].
    fours: Vec<Weights>,
    /// The same weights for inputs that are mostly zero, by [`rows::pack`], where that is faster.
    rows: Option<Vec<Row>>,
    scales: Vec<Lane>,
    bias: Vec<Lane>,
}

impl PackedInt8 {
    /// Packs a matrix given in row-major order, and its bias, for some instructions.
    ///
    /// # Panics
    /// If the matrix does not have as many values as `bias` for each input of each segment.
    pub fn new(set: Instructions, segments: usize, inputs: usize, weights: &[f32], bias: &[f32]) -> Self {
        let outputs = bias.len();
        assert_eq!(weights.len(), segments * inputs * outputs, "the size of a matrix");
        let scales: Vec<_> = (0..outputs).map(|output| scale(weights.iter().skip(output).step_by(outputs))).collect();
        let weight = |segment: usize, input: usize, output: usize| {
            let inside = input < inputs && output < outputs;
            let value = |scale| weights[(segment * inputs + input) * outputs + output] / scale;
            if inside { value(scales[output]).round_ties_even() as i8 } else { 0 }
        };
        let lanes = outputs.div_ceil(LANE);
        let fours = fours::pack(segments, inputs.div_ceil(FOUR), lanes, weight);
        let by_rows = set.leaves_out_zeros()
            && (LEAST_NUMBERS..=rows::MOST_INPUTS).contains(&inputs)
            && lanes > 1
            && segments > 1;
        let rows = by_rows.then(|| rows::pack(segments, inputs.div_ceil(LANE), lanes, weight));
        Self { segments, inputs, fours, rows, scales: padded(&scales), bias: padded(bias) }
    }

    /// Returns the number of inputs in a segment.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of outputs in lanes.
    pub fn lanes(&self) -> usize {
        self.bias.len()
    }

    /// Returns whether products are faster if they know the [`ByteTerms`] of their rows, and those are few.
    pub fn takes_terms(&self) -> bool {
        self.rows.is_some()
    }
}

/// Returns the number that a weight of 1 stands for, such that the largest is 127; 1 if all are zero.
fn scale<'a>(weights: impl Iterator<Item = &'a f32>) -> f32 {
    let most = weights.fold(0.0_f32, |most, weight| most.max(weight.abs()));
    if most > 0.0 { most / MOST_WEIGHT } else { 1.0 }
}

/// Rows of bytes, with the scale of each position that they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Scaled<'a> {
    /// The rows; their segment is counted in bytes.
    pub rows: Gather<'a, Int8Lane>,
    /// The terms of the rows' source, if the matrix takes them and they are few.
    pub terms: Option<&'a ByteTerms>,
    /// The number that a byte of 1 stands for, position by position.
    pub scales: &'a [f32],
    /// How many rows a position has, one after the other.
    pub rows_each: usize,
}

/// Multiplies rows of bytes with a matrix, turns the sums back into floats, and adds the bias.
///
/// # Panics
/// If a row's segments reach beyond the source, its outputs beyond the target, or a tap beyond the matrix, or if a row
/// has no scale, or terms are those of another source or of rows that are not as long as segments.
pub fn product_int8(set: Instructions, matrix: &PackedInt8, rows: Scaled, target: &mut Target) {
    check(matrix, rows, target.offsets.len());
    match (&matrix.rows, rows.terms) {
        (Some(weights), Some(terms)) => dispatch(set, rows::Product::new(matrix, weights, (rows, terms), target)),
        _ => fours::Product { matrix, rows }.write(set, target),
    }
}

fn check(matrix: &PackedInt8, Scaled { rows, scales, rows_each, .. }: Scaled, count: usize) {
    assert!(rows.taps.iter().all(|&tap| tap < matrix.segments), "taps lie within the matrix");
    assert_eq!(rows.segment, matrix.inputs, "segments are as long as the matrix's");
    assert_eq!(rows.offsets.len(), count * rows.taps.len(), "a segment for each row and tap");
    assert!(rows_each > 0 && count <= scales.len() * rows_each, "a scale for each row");
    assert!(rows.are_within_source(), "segments lie within the source");
}

/// The scale of one row after the other: that of its position.
struct RowScales<'a> {
    scales: &'a [f32],
    rows_each: usize,
    position: usize,
    /// The first row of the next position.
    next: usize,
}

impl<'a> RowScales<'a> {
    /// Starts at a row: with a division, since one for each row would be slow.
    #[inline(always)]
    fn from(row: usize, Scaled { scales, rows_each, .. }: Scaled<'a>) -> Self {
        let position = row / rows_each;
        Self { scales, rows_each, position, next: (position + 1) * rows_each }
    }

    /// Returns the scale of a row, the same as before or the next one.
    ///
    /// # Safety
    /// The row must have a scale.
    #[inline(always)]
    unsafe fn of(&mut self, row: usize) -> f32 {
        if row == self.next {
            self.position += 1;
            self.next += self.rows_each;
        }
        // SAFETY: as required of the caller.
        unsafe { *self.scales.get_unchecked(self.position) }
    }
}

impl PackedInt8 {
    /// Turns the sums of a lane of outputs back into floats, and adds the bias.
    ///
    /// # Safety
    /// The lane must exist, and the processor must have the instructions.
    #[inline(always)]
    unsafe fn floats<V: Vector>(&self, lane: usize, sums: V::Whole, scale: f32) -> V {
        // SAFETY: as required of the caller.
        unsafe {
            let factor = V::splat(0.0).fused(V::splat(scale), V::load(self.scales.as_ptr().add(lane)));
            V::load(self.bias.as_ptr().add(lane)).fused(V::numbers(sums), factor)
        }
    }
}

const _: () = assert!(PANEL == 2, "a row of weights has two lanes of outputs");

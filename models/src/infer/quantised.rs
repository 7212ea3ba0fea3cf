//! The numbers of positions as small integers.

use gipf_env::geometry::SPOTS;

use crate::infer::kernel::{
    ByteTerms, Finish, Gather, Instructions, Offsets, PackedInt8, Scaled, Target, product_int8, quantise,
};
use crate::infer::lanes::{Int8Lane, LANE, Lane};

/// The numbers of some positions in bytes, with a scale for each position.
#[derive(Debug, Default)]
pub struct Quantised {
    /// The bytes of the positions, followed by zeros.
    bytes: Vec<Int8Lane>,
    scales: Vec<f32>,
    /// The bytes that are not zero, if the matrix takes them.
    terms: ByteTerms,
    /// Whether these are few enough to multiply only them.
    few: bool,
}

impl Quantised {
    /// Quantises the numbers of n positions, none of them negative, for products with a matrix.
    pub fn fill(&mut self, set: Instructions, matrix: &PackedInt8, lanes: &[Lane], n: usize) {
        let each = lanes.len() / n;
        self.bytes.resize(lanes.len() + each.div_ceil(SPOTS), Int8Lane::ZERO);
        self.bytes[lanes.len()..].fill(Int8Lane::ZERO);
        let positions = lanes.chunks_exact(each).zip(self.bytes.chunks_exact_mut(each));
        self.scales.clear();
        self.scales.extend(positions.map(|(lanes, bytes)| quantise(set, lanes, bytes)));
        self.few = matrix.takes_terms() && ByteTerms::are_few(&self.bytes);
        if self.few {
            self.terms.fill(set, &self.bytes, matrix.inputs().div_ceil(LANE));
        }
    }

    /// Returns the bytes, all positions one after the other, followed by zeros for one more spot.
    pub fn bytes(&self) -> &[Int8Lane] {
        &self.bytes
    }

    /// Returns rows of these bytes with their scales, so many for each position.
    pub fn scaled<'a>(&'a self, rows: Gather<'a, Int8Lane>, rows_each: usize) -> Scaled<'a> {
        Scaled { rows, terms: self.few.then_some(&self.terms), scales: &self.scales, rows_each }
    }

    /// Multiplies consecutive rows with a matrix.
    pub fn dense(&self, set: Instructions, layer: &PackedInt8, to: &mut [Lane], finish: Finish) {
        let count = to.len() / layer.lanes();
        let every = |lanes| Offsets::Every { lanes, count };
        let offsets = every(layer.inputs().div_ceil(LANE));
        let rows = Gather { source: &self.bytes[..], segment: layer.inputs(), taps: &[0], offsets };
        let rows = self.scaled(rows, count / self.scales.len());
        product_int8(set, layer, rows, &mut Target { lanes: to, offsets: every(layer.lanes()), finish });
    }
}

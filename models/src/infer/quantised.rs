//! The numbers of positions as small integers.

use gipf_env::geometry::SPOTS;

use crate::infer::kernel::{Finish, Gather, Instructions, Offsets, PackedInt8, Scaled, Target, product_int8, quantise};
use crate::infer::lanes::{Int8Lane, LANE, Lane};

/// The numbers of some positions in bytes, with a scale for each position.
#[derive(Debug, Default)]
pub struct Quantised {
    /// The bytes of the positions, followed by zeros.
    bytes: Vec<Int8Lane>,
    scales: Vec<f32>,
}

impl Quantised {
    /// Quantises the numbers of n positions, none of them negative.
    pub fn fill(&mut self, set: Instructions, lanes: &[Lane], n: usize) {
        let each = lanes.len() / n;
        self.bytes.resize(lanes.len() + each.div_ceil(SPOTS), Int8Lane::ZERO);
        self.bytes[lanes.len()..].fill(Int8Lane::ZERO);
        let positions = lanes.chunks_exact(each).zip(self.bytes.chunks_exact_mut(each));
        self.scales.clear();
        self.scales.extend(positions.map(|(lanes, bytes)| quantise(set, lanes, bytes)));
    }

    /// Returns the bytes, all positions one after the other, followed by zeros for one more spot.
    pub fn bytes(&self) -> &[Int8Lane] {
        &self.bytes
    }

    /// Returns the number that a byte of 1 stands for, position by position.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Multiplies consecutive rows with a matrix.
    pub fn dense(&self, set: Instructions, layer: &PackedInt8, to: &mut [Lane], finish: Finish) {
        let count = to.len() / layer.lanes();
        let every = |lanes| Offsets::Every { lanes, count };
        let offsets = every(layer.inputs().div_ceil(LANE));
        let rows = Gather { source: &self.bytes[..], segment: layer.inputs(), taps: &[0], offsets };
        let rows = Scaled { rows, scales: &self.scales, rows_each: count / self.scales.len() };
        product_int8(set, layer, rows, &mut Target { lanes: to, offsets: every(layer.lanes()), finish });
    }
}

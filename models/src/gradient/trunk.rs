//! The backward pass through the terms of the features of spots, except the lines.

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::encoder_of;
use crate::gradient::dense::plain;
use crate::gradient::line_encoder::{Reading, TrainableEncoder};
use crate::infer::kernel::add_rows;
use crate::infer::lanes::Lane;
use crate::infer::trunk::Trunk;
use crate::names::TensorName;
use crate::patterns::Patterns;
use crate::weights::Array;

/// Some positions of a batch: the patterns of the whole batch, and the number of the first position in it.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    pub patterns: &'a Patterns,
    pub first: usize,
}

impl Positions<'_> {
    /// Returns the positions from another one on.
    pub fn from(self, position: usize) -> Self {
        Self { first: self.first + position, ..self }
    }

    /// Returns the encoder of a line, and the lanes of the line's pattern in the rows of that encoder.
    fn row(self, encoders: &[TrainableEncoder], line: Line, position: usize) -> (usize, std::ops::Range<usize>) {
        let (encoder, place) = (encoder_of(line), self.patterns.on(line)[self.first + position]);
        let lanes = encoders[encoder].row_lanes();
        let start = place.row() * lanes;
        (encoder, start..start + lanes)
    }

    /// Returns the row of each line of a position.
    pub fn rows<'b>(
        self,
        encoders: &[TrainableEncoder],
        readings: &'b [Reading],
        position: usize,
    ) -> [&'b [Lane]; LINES] {
        std::array::from_fn(|line| {
            let (encoder, range) = self.row(encoders, Line::from_index(line), position);
            &readings[encoder].rows[range]
        })
    }
}

/// The gradients of the other terms of the features of a spot.
#[derive(Debug)]
pub struct TrunkGradient {
    spot_bias: Vec<Lane>,
    conditions: Vec<Lane>,
}

impl TrunkGradient {
    /// Returns gradients of zeros.
    pub fn of(trunk: &Trunk) -> Self {
        let [spot_bias, conditions] = [&trunk.spot_bias, &trunk.conditions].map(|rows| vec![Lane::ZERO; rows.len()]);
        Self { spot_bias, conditions }
    }

    /// Adds the gradients of these terms, given those of the features, which have passed the rectifier.
    pub fn learn(&mut self, trunk: &Trunk, planes: &[f32], deltas: &[Lane]) {
        let (observed, width) = (&trunk.observed, trunk.width);
        add_rows(trunk.instructions, deltas, &mut self.spot_bias);
        for (planes, deltas) in planes.chunks_exact(observed.size()).zip(deltas.chunks_exact(SPOTS * width)) {
            for mark in (0..observed.marks()).filter(|&mark| observed.is_marked(planes, mark)) {
                for (spot, deltas) in deltas.chunks_exact(width).enumerate() {
                    add_times(&mut self.conditions[mark * width..][..width], deltas, observed.mark(planes, mark, spot));
                }
            }
            let mut everywhere = vec![Lane::ZERO; width];
            add_rows(trunk.instructions, deltas, &mut everywhere);
            let scalars = self.conditions[observed.marks() * width..].chunks_exact_mut(width);
            for (to, scalar) in scalars.zip(observed.scalars(planes)) {
                add_times(to, &everywhere, scalar);
            }
        }
    }

    /// Returns the gradients by name, for this many features.
    pub fn named(&self, features: usize) -> [(String, Array); 2] {
        let parts = [(TensorName::SpotBias, &self.spot_bias), (TensorName::Conditions, &self.conditions)];
        parts.map(|(name, rows)| {
            let values = plain(rows, features);
            (name.to_string(), Array { shape: vec![values.len() / features, features], values })
        })
    }
}

fn add_times(to: &mut [Lane], row: &[Lane], factor: f32) {
    for (to, lane) in to.iter_mut().zip(row) {
        to.0.iter_mut().zip(lane.0).for_each(|(to, value)| *to += factor * value);
    }
}

//! The perceptron that reads the lines of one length: many patterns at once, forward and backward.

use rayon::prelude::*;

use crate::config::{LineConfig, NetConfig};
use crate::gradient::dense::{DenseGradient, named, plain};
use crate::infer::kernel::{Finish, Instructions, Packed, add_rows, pass_rectifier};
use crate::infer::lanes::{LANE, Lane, add};
use crate::infer::line_encoder::{self, Hidden};
use crate::infer::mixing::dense;
use crate::infer::sparse::{Sparse, Terms};
use crate::names::LayerName;
use crate::observed::turned;
use crate::patterns::Patterns;
use crate::weights::{Array, Weights};

/// The perceptron of one length, and its transpose.
#[derive(Debug)]
pub struct TrainableEncoder {
    index: usize,
    features: usize,
    /// The number of outputs of a hidden layer.
    width: usize,
    forward: line_encoder::LineEncoder,
    /// The transposed hidden layer; its gradients are mostly zeros, since rectifiers let few pass.
    hidden_back: Sparse,
    /// The transposed last layers.
    output_back: Packed,
}

/// The intermediate results of U patterns on their way through an encoder.
#[derive(Debug)]
pub struct Reading {
    /// The patterns in parts, which are read in parallel.
    parts: Vec<Part>,
    /// A row for each pattern and each mirror image, one after the other: the features of each spot, then a lane for the
    /// line. `[U, 2, row]`.
    pub rows: Vec<Lane>,
}

#[derive(Debug)]
struct Part {
    patterns: Vec<u32>,
    hidden: Hidden,
}

/// The gradients of the layers of an encoder.
struct EncoderGradient {
    input: DenseGradient,
    hidden: DenseGradient,
    output: DenseGradient,
}

impl TrainableEncoder {
    /// Packs encoder number `index`.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, index: usize, set: Instructions) -> Self {
        let forward = line_encoder::LineEncoder::new(weights, config, sizes, index, set);
        let no_bias = vec![0.0; sizes.hidden];
        Self {
            index,
            features: sizes.features,
            width: sizes.hidden,
            hidden_back: Sparse::new(&forward.hidden.turned(), &no_bias),
            output_back: Packed::new(LANE * forward.row_lanes(), &forward.output.turned(), &no_bias),
            forward,
        }
    }

    /// Returns the number of lanes of a row.
    pub fn row_lanes(&self) -> usize {
        self.forward.row_lanes()
    }

    /// Reads patterns, at most this many parts of them in parallel.
    pub fn read(&self, patterns: &Patterns, parts: usize) -> Reading {
        let unique = patterns.unique(self.index);
        let each = unique.len().div_ceil(parts).max(1);
        let mut rows = vec![Lane::ZERO; 2 * unique.len() * self.row_lanes()];
        let tasks = unique.par_chunks(each).zip(rows.par_chunks_mut(2 * each * self.row_lanes()));
        let parts = tasks.map(|(patterns, rows)| {
            let mut hidden = Hidden::default();
            self.forward.read_with_images(patterns, &mut hidden, rows);
            Part { patterns: patterns.to_vec(), hidden }
        });
        Reading { parts: parts.collect(), rows }
    }

    /// Returns the gradients of the encoder's weights by name, given those of the rows of a reading: `gather` writes
    /// them, starting at a row.
    pub fn learn(&self, reading: &Reading, gather: impl Fn(usize, &mut [Lane]) + Sync) -> Vec<(String, Array)> {
        let most = reading.parts.first().map_or(1, |part| part.patterns.len());
        let parts = reading.parts.par_iter().enumerate().map(|(number, part)| {
            let mut deltas = vec![Lane::ZERO; 2 * part.patterns.len() * self.row_lanes()];
            gather(2 * number * most, &mut deltas);
            self.learn_part(part, &mut deltas)
        });
        let mut parts: Vec<_> = parts.collect();
        let (sum, others) = parts.split_first_mut().expect("a batch has patterns of each length");
        for part in others {
            sum.add(part);
        }
        self.named(sum)
    }

    fn learn_part(&self, part: &Part, deltas: &mut [Lane]) -> EncoderGradient {
        let (set, Hidden { first, second, .. }) = (self.forward.instructions, &part.hidden);
        for pair in deltas.chunks_exact_mut(2 * self.row_lanes()) {
            let (row, image) = pair.split_at_mut(pair.len() / 2);
            self.forward.unfold(row, image);
        }
        let mut output = DenseGradient::zeros(self.width, self.row_lanes());
        output.learn_sparse(set, second, deltas);
        let mut of_second = vec![Lane::ZERO; second.len()];
        dense(set, &self.output_back, deltas, &mut of_second, Finish::Store);
        pass_rectifier(set, second, &mut of_second);
        let mut hidden = DenseGradient::zeros(self.width, self.width.div_ceil(LANE));
        hidden.learn_sparse(set, first, &of_second);
        let mut of_first = vec![Lane::ZERO; first.len()];
        self.hidden_back.product(set, &of_second, &mut Terms::new(), &mut of_first);
        pass_rectifier(set, first, &mut of_first);
        EncoderGradient { input: self.learn_inputs(&part.patterns, &of_first), hidden, output }
    }

    fn learn_inputs(&self, patterns: &[u32], deltas: &[Lane]) -> DenseGradient {
        let line_encoder::LineEncoder { length, states, input, input_bias, .. } = &self.forward;
        let width = input_bias.len();
        let mut gradient = DenseGradient::zeros(input.len() / width, width);
        let readings = patterns.iter().flat_map(|&pattern| [pattern, turned(pattern, *length, *states)]);
        for (pattern, deltas) in readings.zip(deltas.chunks_exact(width)) {
            for input in self.forward.inputs(pattern) {
                add(&mut gradient.weight[input * width..][..width], deltas);
            }
        }
        add_rows(self.forward.instructions, deltas, &mut gradient.bias);
        gradient
    }

    /// Returns the gradients of all layers by name.
    fn named(&self, EncoderGradient { input, hidden, output }: &EncoderGradient) -> Vec<(String, Array)> {
        let (index, width, line_outputs) = (self.index, self.width, self.forward.kinds + 1);
        let line = self.row_lanes() - 1;
        let rows = [&output.weight, &output.bias].map(|rows| rows.chunks_exact(self.row_lanes()));
        let spots = rows.clone().map(|rows| rows.flat_map(|row| plain(&row[..line], self.features)).collect());
        let lines = rows.map(|rows| rows.flat_map(|row| plain(&row[line..], line_outputs)).collect());
        let outputs = self.forward.length * self.features;
        let first = input.named(LayerName::EncoderInput(index), width);
        let second = hidden.named(LayerName::EncoderHidden(index), width);
        let spots = named(LayerName::EncoderSpots(index), spots, outputs);
        let lines = named(LayerName::EncoderLine(index), lines, line_outputs);
        [first, second, spots, lines].into_iter().flatten().collect()
    }
}

impl EncoderGradient {
    /// Adds another gradient.
    fn add(&mut self, other: &Self) {
        self.input.add(&other.input);
        self.hidden.add(&other.hidden);
        self.output.add(&other.output);
    }
}

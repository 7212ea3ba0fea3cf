//! The backward pass through a dense layer.

use crate::infer::kernel::{
    Finish, Instructions, Offsets, Packed, Pairs, add_outer, add_rows, add_scaled, nonzero_terms,
};
use crate::infer::lanes::{LANE, Lane, add, copy_floats};
use crate::infer::mixing::dense;
use crate::infer::sparse::Terms;
use crate::names::{LayerName, TensorName};
use crate::weights::Array;

/// A transposed layer, to pass gradients back.
#[derive(Debug)]
pub struct Back {
    pub instructions: Instructions,
    inputs: usize,
    outputs: usize,
    turned: Packed,
}

/// The gradient of a layer's weights, `[inputs, lanes of outputs]`, and of its bias.
#[derive(Debug)]
pub struct DenseGradient {
    pub weight: Vec<Lane>,
    pub bias: Vec<Lane>,
}

impl Back {
    /// Transposes a layer.
    pub fn of(layer: &Packed, instructions: Instructions) -> Self {
        Self { instructions, inputs: layer.inputs(), outputs: layer.outputs(), turned: layer.turned() }
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns the number of outputs in lanes.
    pub fn lanes(&self) -> usize {
        self.outputs.div_ceil(LANE)
    }

    /// Returns the number of inputs in lanes.
    pub fn input_lanes(&self) -> usize {
        self.turned.lanes()
    }

    /// Returns gradients of zeros.
    pub fn no_gradient(&self) -> DenseGradient {
        DenseGradient::zeros(self.inputs, self.lanes())
    }

    /// Passes the gradients of rows of outputs back to their inputs.
    pub fn pass(&self, deltas: &[Lane], inputs: &mut [Lane], finish: Finish) {
        dense(self.instructions, &self.turned, deltas, inputs, finish);
    }

    /// Adds the gradient of the weights, given rows of inputs and the gradients of their outputs.
    pub fn learn(&self, inputs: &[Lane], deltas: &[Lane], gradient: &mut DenseGradient) {
        let every = |lanes| Offsets::Every { lanes, count: deltas.len() / self.lanes() };
        let pairs = Pairs {
            source: inputs,
            sources: every(self.input_lanes()),
            inputs: self.inputs,
            deltas,
            targets: every(self.lanes()),
            lanes: self.lanes(),
        };
        add_outer(self.instructions, pairs, &mut gradient.weight);
        add_rows(self.instructions, deltas, &mut gradient.bias);
    }
}

impl DenseGradient {
    /// Returns a gradient of zeros.
    pub fn zeros(inputs: usize, lanes: usize) -> Self {
        Self { weight: vec![Lane::ZERO; inputs * lanes], bias: vec![Lane::ZERO; lanes] }
    }

    /// Adds what [`Back::learn`] adds, bit for bit, for inputs that are mostly zero: only the others contribute.
    pub fn learn_sparse(&mut self, set: Instructions, inputs: &[Lane], deltas: &[Lane]) {
        let lanes = self.bias.len();
        let of_input = terms_by_input(set, inputs, self.weight.len() / lanes);
        for (terms, to) in of_input.iter().zip(self.weight.chunks_exact_mut(lanes)) {
            add_scaled(set, deltas, terms, to);
        }
        add_rows(set, deltas, &mut self.bias);
    }

    /// Adds another gradient of the same layer.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.weight, &other.weight);
        add(&mut self.bias, &other.bias);
    }

    /// Returns the gradients of a layer whose inputs come in parts, each of which begins a new lane; like [`Self::named`].
    pub fn named_in_parts(&self, name: LayerName, parts: &[usize], outputs: usize) -> [(String, Array); 2] {
        let [(weight, array), bias] = self.named(name, outputs);
        let values = unpadded_rows(&array.values, parts, outputs);
        [(weight, Array { shape: vec![values.len() / outputs, outputs], values }), bias]
    }

    /// Returns the gradients of the weights and bias of a layer with this many outputs, by name.
    pub fn named(&self, name: LayerName, outputs: usize) -> [(String, Array); 2] {
        named(name, [&self.weight, &self.bias].map(|rows| plain(rows, outputs)), outputs)
    }
}

/// Returns for each input of a layer the rows in which it is not zero, each with its value there.
pub fn terms_by_input(set: Instructions, inputs: &[Lane], count: usize) -> Vec<Terms> {
    let (mut of_row, mut of_input) = (Terms::new(), vec![Terms::new(); count]);
    for (row, inputs) in inputs.chunks_exact(count.div_ceil(LANE)).enumerate() {
        nonzero_terms(set, inputs, &mut of_row);
        for &(input, value) in &of_row {
            of_input[input].push((row, value));
        }
    }
    of_input
}

/// Returns the gradients of a layer's weights and bias by name.
pub fn named(name: LayerName, [weight, bias]: [Vec<f32>; 2], outputs: usize) -> [(String, Array); 2] {
    [
        (TensorName::Weight(name).to_string(), Array { shape: vec![weight.len() / outputs, outputs], values: weight }),
        (TensorName::Bias(name).to_string(), Array { shape: vec![outputs], values: bias }),
    ]
}

/// Removes the padding that [`padded_rows`](crate::infer::heads::padded_rows) has added.
fn unpadded_rows(rows: &[f32], parts: &[usize], width: usize) -> Vec<f32> {
    let mut rest = rows;
    let mut rows = Vec::new();
    for inputs in parts {
        let (part, others) = rest.split_at(inputs.next_multiple_of(LANE) * width);
        rows.extend_from_slice(&part[..inputs * width]);
        rest = others;
    }
    rows
}

/// Returns the first `width` numbers of each row of lanes.
pub fn plain(rows: &[Lane], width: usize) -> Vec<f32> {
    let lanes = width.div_ceil(LANE);
    let mut values = vec![0.0; rows.len() / lanes * width];
    for (row, values) in rows.chunks_exact(lanes).zip(values.chunks_exact_mut(width)) {
        copy_floats(row, values);
    }
    values
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::infer::kernel::pass_rectifier;
    use crate::infer::lanes::padded;

    #[test]
    fn what_zeros_say_changes_no_bit() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (inputs, outputs, rows) in [(1, 1, 1), (17, 40, 3), (128, 240, 70), (33, 16, 9)] {
            let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
            let layer = Packed::new(inputs, &numbers(inputs * outputs), &numbers(outputs));
            let back = Back::of(&layer, Instructions::detect());
            let in_rows = |numbers: Vec<f32>, width| numbers.chunks(width).flat_map(padded).collect::<Vec<_>>();
            let mut from = in_rows(numbers(inputs * rows), inputs);
            let passing = in_rows(numbers(inputs * rows), inputs);
            pass_rectifier(back.instructions, &passing, &mut from);
            let deltas = in_rows(numbers(outputs * rows), outputs);
            let learned = |learn: &dyn Fn(&mut DenseGradient)| {
                let mut gradient = back.no_gradient();
                learn(&mut gradient);
                [gradient.weight, gradient.bias]
                    .concat()
                    .iter()
                    .flat_map(|lane| lane.0.map(f32::to_bits))
                    .collect::<Vec<_>>()
            };
            let sparse = learned(&|gradient| gradient.learn_sparse(back.instructions, &from, &deltas));
            let all = learned(&|gradient| back.learn(&from, &deltas, gradient));
            assert_eq!(sparse, all, "{inputs} {outputs} {rows}");
        }
    }
}

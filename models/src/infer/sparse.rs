//! Products with rows that are mostly zeros, as rectifiers leave them.

use crate::infer::kernel::{Instructions, add_scaled, nonzero_terms};
use crate::infer::lanes::{LANE, Lane, padded};

/// A matrix `[inputs, outputs]` with a bias, for rows of numbers that are mostly zero: only the others are multiplied.
///
/// They are added up in the same order as by [`dense`](crate::infer::mixing::dense), so the sums have the same bits.
#[derive(Debug)]
pub struct Sparse {
    /// A row of lanes for each input.
    rows: Vec<Lane>,
    bias: Vec<Lane>,
}

/// Numbers other than zero, each with its place.
pub type Terms = Vec<(usize, f32)>;

impl Sparse {
    /// Takes a matrix in row-major order, and its bias.
    pub fn new(weights: &[f32], bias: &[f32]) -> Self {
        Self { rows: weights.chunks_exact(bias.len()).flat_map(padded).collect(), bias: padded(bias) }
    }

    /// Returns the transposed matrix in row-major order, from the outputs, padded to whole lanes, to the inputs.
    #[cfg(feature = "learn")]
    pub fn turned(&self) -> Vec<f32> {
        let lanes = self.bias.len();
        let column =
            |output: usize| self.rows[output / LANE..].iter().step_by(lanes).map(move |row| row.0[output % LANE]);
        (0..lanes * LANE).flat_map(column).collect()
    }

    /// Multiplies consecutive rows with the matrix.
    pub fn product(&self, set: Instructions, from: &[Lane], terms: &mut Terms, to: &mut [Lane]) {
        let outputs = self.bias.len();
        let inputs = (self.rows.len() / outputs).div_ceil(LANE);
        assert_eq!(from.len() * outputs, to.len() * inputs, "a row of outputs for each of inputs");
        for (from, to) in from.chunks_exact(inputs).zip(to.chunks_exact_mut(outputs)) {
            to.copy_from_slice(&self.bias);
            nonzero_terms(set, from, terms);
            add_scaled(set, &self.rows, terms, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::infer::kernel::{Finish, Packed};
    use crate::infer::mixing::dense;

    #[test]
    fn bits_are_those_of_the_dense_product() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in 1..40 {
            let (inputs, outputs, rows) = (1 + 7 * size % 130, 1 + 11 * size % 300, size % 5);
            let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
            let (weights, bias) = (numbers(inputs * outputs), numbers(outputs));
            let rectified: Vec<_> = numbers(inputs * rows).iter().map(|value| value.max(0.0)).collect();
            let from: Vec<_> = rectified.chunks(inputs).flat_map(padded).collect();
            let mut expected = vec![Lane::ZERO; rows * outputs.div_ceil(LANE)];
            let set = Instructions::detect();
            dense(set, &Packed::new(inputs, &weights, &bias), &from, &mut expected, Finish::Store);
            for set in Instructions::available() {
                let mut to = vec![Lane::ZERO; expected.len()];
                Sparse::new(&weights, &bias).product(set, &from, &mut Terms::new(), &mut to);
                assert_eq!(to, expected, "{set:?} {inputs} {outputs}");
            }
        }
    }
}

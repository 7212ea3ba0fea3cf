//! What learning needs besides products: sums of outer products, and the backward pass through rectifiers.

use super::product::Offsets;
use super::tiles::{PANEL, within};
use super::{Instructions, Vector, Work, dispatch};
use crate::infer::lanes::{LANE, Lane};

/// Pairs of rows: inputs of a layer, and the gradients of the outputs that they led to.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// The lanes that inputs are read from.
    pub source: &'a [Lane],
    /// The first lane of each row of inputs.
    pub sources: Offsets<'a>,
    /// The number of inputs of a row.
    pub inputs: usize,
    /// The gradients of the outputs.
    pub deltas: &'a [Lane],
    /// The first lane of each row of gradients.
    pub targets: Offsets<'a>,
    /// The number of outputs of a row, in lanes.
    pub lanes: usize,
}

/// Adds the outer product of each pair of rows: the gradient of a layer's weights, `[inputs, lanes]`.
///
/// # Panics
/// If rows reach beyond their lanes, or `to` has another size.
pub fn add_outer(set: Instructions, pairs: Pairs, to: &mut [Lane]) {
    assert_eq!(pairs.sources.len(), pairs.targets.len(), "pairs of rows");
    assert_eq!(to.len(), pairs.inputs * pairs.lanes, "a lane for each input and lane of outputs");
    let inside = |lanes: &[Lane], width: usize| lanes.len().checked_sub(width);
    let inputs = inside(pairs.source, pairs.inputs.div_ceil(LANE));
    assert!(within(pairs.sources, inputs), "inputs lie within the source");
    assert!(within(pairs.targets, inside(pairs.deltas, pairs.lanes)), "gradients lie within theirs");
    dispatch(set, AddOuter { pairs, to });
}

struct AddOuter<'a> {
    pairs: Pairs<'a>,
    to: &'a mut [Lane],
}

impl Work for AddOuter<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let Self { pairs, to } = self;
        for first in (0..pairs.lanes).step_by(PANEL) {
            // SAFETY: the panel exists; the caller guarantees the instructions.
            unsafe {
                if first + PANEL <= pairs.lanes {
                    panel::<V, ROWS, PANEL>(pairs, first, to);
                } else {
                    panel::<V, ROWS, 1>(pairs, first, to);
                }
            }
        }
    }
}

/// Adds the products of all inputs with `LANES` lanes of outputs from lane `first` on, `INPUTS` inputs at a time.
///
/// # Safety
/// The lanes must exist, and the processor must have the instructions.
#[inline(always)]
unsafe fn panel<V: Vector, const INPUTS: usize, const LANES: usize>(pairs: Pairs, first: usize, to: &mut [Lane]) {
    let mut input = 0;
    // SAFETY: as required of the caller; the inputs of each tile are there.
    unsafe {
        while input + INPUTS <= pairs.inputs {
            tile::<V, INPUTS, LANES>(pairs, input, first, to);
            input += INPUTS;
        }
        while input < pairs.inputs {
            tile::<V, 1, LANES>(pairs, input, first, to);
            input += 1;
        }
    }
}

/// Adds the products of `INPUTS` inputs with `LANES` lanes of outputs over all pairs, with the sums held in registers
/// meanwhile.
///
/// # Safety
/// As for [`panel`].
#[inline(always)]
unsafe fn tile<V: Vector, const INPUTS: usize, const LANES: usize>(
    pairs: Pairs,
    input: usize,
    first: usize,
    to: &mut [Lane],
) {
    // SAFETY: as required of the caller; `add_outer` has compared all places with the lengths of the slices.
    unsafe {
        let to = to.as_mut_ptr().add(input * pairs.lanes + first);
        let mut sums = [[V::splat(0.0); LANES]; INPUTS];
        for (index, sum) in sums.iter_mut().enumerate() {
            for (lane, sum) in sum.iter_mut().enumerate() {
                *sum = V::load(to.add(index * pairs.lanes + lane));
            }
        }
        for row in 0..pairs.sources.len() {
            let source = pairs.source.as_ptr().add(pairs.sources.nth(row)).cast::<f32>().add(input);
            let deltas = pairs.deltas.as_ptr().add(pairs.targets.nth(row) + first);
            let mut factors = [V::splat(0.0); LANES];
            for (lane, factor) in factors.iter_mut().enumerate() {
                *factor = V::load(deltas.add(lane));
            }
            for (index, sum) in sums.iter_mut().enumerate() {
                let value = V::splat(*source.add(index));
                for (sum, &factor) in sum.iter_mut().zip(&factors) {
                    *sum = sum.fused(value, factor);
                }
            }
        }
        for (index, sum) in sums.iter().enumerate() {
            for (lane, sum) in sum.iter().enumerate() {
                sum.store(to.add(index * pairs.lanes + lane));
            }
        }
    }
}

/// Replaces gradients with zero where a rectifier let nothing pass: where its output is not positive.
///
/// # Panics
/// If there are not as many outputs as gradients.
pub fn pass_rectifier(set: Instructions, outputs: &[Lane], deltas: &mut [Lane]) {
    assert_eq!(outputs.len(), deltas.len(), "a gradient for each output");
    dispatch(set, PassRectifier { outputs, deltas });
}

struct PassRectifier<'a> {
    outputs: &'a [Lane],
    deltas: &'a mut [Lane],
}

impl Work for PassRectifier<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        for (output, delta) in self.outputs.iter().zip(self.deltas) {
            for (output, delta) in output.0.iter().zip(&mut delta.0) {
                // By their bits, without a branch, which would be mispredicted half of the time.
                let passes = u32::from(*output > 0.0).wrapping_neg();
                *delta = f32::from_bits(delta.to_bits() & passes);
            }
        }
    }
}

/// Adds consecutive rows to one row.
///
/// # Panics
/// If lanes are left over.
pub fn add_rows(set: Instructions, rows: &[Lane], to: &mut [Lane]) {
    assert!(rows.len().is_multiple_of(to.len()), "whole rows");
    dispatch(set, AddRows { rows, to });
}

struct AddRows<'a> {
    rows: &'a [Lane],
    to: &'a mut [Lane],
}

impl Work for AddRows<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let width = self.to.len();
        for (lane, to) in self.to.iter_mut().enumerate() {
            // SAFETY: the lanes are references; the caller guarantees the instructions.
            unsafe {
                let mut sum = V::load(to);
                for row in self.rows.chunks_exact(width) {
                    sum = sum.add(V::load(&raw const row[lane]));
                }
                sum.store(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::Listed;
    use super::*;
    use crate::infer::lanes::{at, padded};

    fn lanes(rng: &mut ChaCha8Rng, count: usize) -> Vec<Lane> {
        padded(&(0..count * LANE).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>())
    }

    #[test]
    fn outer_products_are_those_of_plain_loops_with_all_instructions() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for rows in 0..30 {
            let (inputs, width): (usize, usize) = (1 + 5 * rows % 37, 1 + rows % 5);
            let (source, deltas) = (lanes(rng, 40), lanes(rng, 40));
            let sources: Vec<_> = (0..rows).map(|_| rng.random_range(0..=40 - inputs.div_ceil(LANE) as u32)).collect();
            let targets: Vec<_> = (0..rows).map(|_| rng.random_range(0..=40 - width as u32)).collect();
            let start = lanes(rng, inputs * width);
            let pairs = Pairs {
                source: &source,
                sources: Offsets::Listed(Listed::new(&sources)),
                inputs,
                deltas: &deltas,
                targets: Offsets::Listed(Listed::new(&targets)),
                lanes: width,
            };
            let results = Instructions::available().map(|set| {
                let mut to = start.clone();
                add_outer(set, pairs, &mut to);
                to
            });
            let found = results.reduce(|one, other| if one == other { one } else { panic!("{rows}") }).unwrap();
            for (input, output) in (0..inputs).flat_map(|input| (0..width * LANE).map(move |output| (input, output))) {
                let products = sources.iter().zip(&targets).map(|(from, to)| {
                    let (from, to) = (*from as usize * LANE, *to as usize * LANE);
                    f64::from(at(&source, from + input)) * f64::from(at(&deltas, to + output))
                });
                let place = input * width * LANE + output;
                let expected = f64::from(at(&start, place)) + products.sum::<f64>();
                assert!((f64::from(at(&found, place)) - expected).abs() < 1e-5, "{rows}");
            }
        }
    }

    #[test]
    fn gradients_pass_where_outputs_are_positive() {
        let rng = &mut ChaCha8Rng::seed_from_u64(2);
        let (outputs, start) = (lanes(rng, 9), lanes(rng, 9));
        for set in Instructions::available() {
            let mut deltas = start.clone();
            pass_rectifier(set, &outputs, &mut deltas);
            for place in 0..9 * LANE {
                let expected = if at(&outputs, place) > 0.0 { at(&start, place) } else { 0.0 };
                assert_eq!(at(&deltas, place), expected);
            }
        }
    }

    #[test]
    fn rows_add_up() {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        for width in 1..4 {
            let (rows, start) = (lanes(rng, 7 * width), lanes(rng, width));
            for set in Instructions::available() {
                let mut to = start.clone();
                add_rows(set, &rows, &mut to);
                for place in 0..width * LANE {
                    let sum: f32 = (0..7).map(|row| at(&rows[row * width..], place)).sum();
                    assert!((at(&to, place) - at(&start, place) - sum).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "inputs lie within the source")]
    fn rows_beyond_their_lanes_are_refused() {
        let lanes = [Lane::ZERO; 4];
        let every = Offsets::Every { lanes: 1, count: 5 };
        let pairs = Pairs { source: &lanes, sources: every, inputs: 3, deltas: &lanes, targets: every, lanes: 1 };
        add_outer(Instructions::detect(), pairs, &mut [Lane::ZERO; 3]);
    }
}

//! Products in integers of seven and eight bits: four at a time where 32-bit numbers go one at a time.
//!
//! Integer sums are exact, so their order does not matter, and all instructions give the same bits.

use super::tiles::{PANEL, Tiled, Tiles, finish, lane_of_panels, lanes_of_panel};
use super::{Gather, Instructions, Target, Vector, Weights, Work, dispatch};
use crate::infer::lanes::{Int8Lane, LANE, Lane, MOST_BYTE, padded};

/// The number of inputs that are multiplied at once.
const FOUR: usize = 4;
/// The number of fours of inputs in a short segment: one lane.
const SHORT: usize = LANE / FOUR;
/// The largest weight.
const MOST_WEIGHT: f32 = 127.0;

/// A matrix `[segments · inputs, outputs]` with a bias, each output's weights rounded to multiples of its own scale.
///
/// Outputs are padded to whole lanes and cut into panels of two lanes (the last may have one); a panel holds its
/// weights by fours of inputs, each segment padded to whole fours.
#[derive(Clone, Debug)]
pub struct PackedInt8 {
    segments: usize,
    inputs: usize,
    /// The number of fours of inputs in a segment.
    fours: usize,
    weights: Vec<Weights>,
    scales: Vec<Lane>,
    bias: Vec<Lane>,
}

impl PackedInt8 {
    /// Packs a matrix given in row-major order, and its bias.
    ///
    /// # Panics
    /// If the matrix does not have as many values as `bias` for each input of each segment.
    pub fn new(segments: usize, inputs: usize, weights: &[f32], bias: &[f32]) -> Self {
        let outputs = bias.len();
        assert_eq!(weights.len(), segments * inputs * outputs, "the size of a matrix");
        let scales: Vec<_> = (0..outputs).map(|output| scale(weights.iter().skip(output).step_by(outputs))).collect();
        let (fours, lanes) = (inputs.div_ceil(FOUR), outputs.div_ceil(LANE));
        let weight = |segment: usize, input: usize, output: usize| {
            let inside = input < inputs && output < outputs;
            let value = |scale| weights[(segment * inputs + input) * outputs + output] / scale;
            if inside { value(scales[output]).round_ties_even() as i8 } else { 0 }
        };
        let mut packed = Vec::with_capacity(segments * fours * lanes);
        for first in (0..lanes).step_by(PANEL) {
            for (segment, four) in (0..segments).flat_map(|segment| (0..fours).map(move |four| (segment, four))) {
                for lane in first..(first + PANEL).min(lanes) {
                    packed.push(Weights(std::array::from_fn(|output| {
                        std::array::from_fn(|input| weight(segment, FOUR * four + input, LANE * lane + output))
                    })));
                }
            }
        }
        Self { segments, inputs, fours, weights: packed, scales: padded(&scales), bias: padded(bias) }
    }

    /// Returns the number of inputs in a segment.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of outputs in lanes.
    pub fn lanes(&self) -> usize {
        self.bias.len()
    }
}

/// Returns the number that a weight of 1 stands for, such that the largest is 127; 1 if all are zero.
fn scale<'a>(weights: impl Iterator<Item = &'a f32>) -> f32 {
    let most = weights.fold(0.0_f32, |most, weight| most.max(weight.abs()));
    if most > 0.0 { most / MOST_WEIGHT } else { 1.0 }
}

/// Writes lanes of numbers, none negative, as bytes, and returns the number that a byte of 1 stands for: the largest
/// becomes 127.
///
/// # Panics
/// If there is not a place for each lane.
pub fn quantise(set: Instructions, lanes: &[Lane], bytes: &mut [Int8Lane]) -> f32 {
    assert_eq!(lanes.len(), bytes.len(), "a place for each lane");
    let mut scale = 0.0;
    dispatch(set, Quantise { lanes, bytes, scale: &mut scale });
    scale
}

struct Quantise<'a> {
    lanes: &'a [Lane],
    bytes: &'a mut [Int8Lane],
    scale: &'a mut f32,
}

impl Work for Quantise<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let mut most = Lane::ZERO;
        // SAFETY: the lanes are references; the caller guarantees the instructions.
        unsafe {
            // The order does not matter, and several chains at once spend less time waiting.
            let mut largest = [V::splat(0.0); 4];
            let (fours, rest) = self.lanes.as_chunks::<4>();
            for lanes in fours {
                for (largest, lane) in largest.iter_mut().zip(lanes) {
                    *largest = largest.larger(V::load(lane));
                }
            }
            for lane in rest {
                largest[0] = largest[0].larger(V::load(lane));
            }
            let [a, b, c, d] = largest;
            a.larger(b).larger(c.larger(d)).store(&raw mut most);
        }
        let most = largest(most);
        // If the largest number is too small to divide by, all become 0, as if it were 0.
        let factor = Some(MOST_BYTE / most).filter(|factor| factor.is_finite()).unwrap_or(0.0);
        *self.scale = most / MOST_BYTE;
        // SAFETY: as above; the products lie between 0 and 127, up to rounding.
        unsafe {
            for (lane, bytes) in self.lanes.iter().zip(self.bytes) {
                V::splat(0.0).fused(V::load(lane), V::splat(factor)).store_int8(bytes);
            }
        }
    }
}

/// Returns the largest number of a lane: halves are compared, then halves of those.
#[inline(always)]
fn largest(Lane(mut numbers): Lane) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            numbers[i] = if numbers[i + half] > numbers[i] { numbers[i + half] } else { numbers[i] };
        }
    }
    numbers[0]
}

/// Rows of bytes, with the scale of each position that they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Scaled<'a> {
    /// The rows; their segment is counted in bytes.
    pub rows: Gather<'a, Int8Lane>,
    /// The number that a byte of 1 stands for, position by position.
    pub scales: &'a [f32],
    /// How many rows a position has, one after the other.
    pub rows_each: usize,
}

/// Multiplies rows of bytes with a matrix, turns the sums back into floats, and adds the bias.
///
/// # Panics
/// If a row's segments reach beyond the source, its outputs beyond the target, or a tap beyond the matrix, or if a row
/// has no scale.
pub fn product_int8(set: Instructions, matrix: &PackedInt8, rows: Scaled, target: &mut Target) {
    check(matrix, rows, target.offsets.len());
    dispatch(set, Tiles::new(Product { matrix, rows }, target));
}

/// Arguments that have passed [`check`].
#[derive(Clone, Copy)]
struct Product<'a> {
    matrix: &'a PackedInt8,
    rows: Scaled<'a>,
}

fn check(matrix: &PackedInt8, Scaled { rows, scales, rows_each }: Scaled, count: usize) {
    assert!(rows.taps.iter().all(|&tap| tap < matrix.segments), "taps lie within the matrix");
    assert_eq!(rows.segment, matrix.inputs, "segments are as long as the matrix's");
    assert_eq!(rows.offsets.len(), count * rows.taps.len(), "a segment for each row and tap");
    assert!(rows_each > 0 && count <= scales.len() * rows_each, "a scale for each row");
    assert!(rows.are_within_source(), "segments lie within the source");
}

impl Tiled for Product<'_> {
    fn lanes(self) -> usize {
        self.matrix.lanes()
    }

    #[inline(always)]
    unsafe fn tile<V: Vector, const ROWS: usize, const LANES: usize>(
        self,
        first: usize,
        row: usize,
        target: &mut Target,
    ) {
        let Self { matrix, rows: Scaled { rows, scales, rows_each } } = self;
        // SAFETY: each panel has its lanes for every four of inputs, and the panels before it have `first` lanes in all;
        // `check` has compared taps, offsets and scales with the lengths of the slices, and a lane of bytes has four fours.
        unsafe {
            let length = matrix.segments * matrix.fours;
            let panel = matrix.weights.as_ptr().add(first * length);
            let mut sums = [[V::nothing(); LANES]; ROWS];
            for (number, &tap) in rows.taps.iter().enumerate() {
                let weights = panel.add(tap * matrix.fours * lanes_of_panel(LANES));
                let mut sources = [rows.source.as_ptr().cast::<[u8; FOUR]>(); ROWS];
                for (index, source) in sources.iter_mut().enumerate() {
                    let offset = rows.offsets.nth((row + index) * rows.taps.len() + number);
                    *source = source.add(offset * (LANE / FOUR));
                }
                let panels = Panels { weights, length };
                // Segments of 16 inputs are so short that a loop of unknown length would cost as much as their products.
                match matrix.fours {
                    SHORT => accumulate::<V, ROWS, LANES>(&mut sums, sources, panels, SHORT),
                    fours => accumulate::<V, ROWS, LANES>(&mut sums, sources, panels, fours),
                }
            }
            // A division for the first row only, since divisions are slow.
            let mut position = row / rows_each;
            let mut next = (position + 1) * rows_each;
            for (index, whole) in sums.iter().enumerate() {
                if row + index == next {
                    position += 1;
                    next += rows_each;
                }
                let scale = V::splat(*scales.get_unchecked(position));
                let mut sums = [V::splat(0.0); LANES];
                for (lane, sum) in sums.iter_mut().enumerate() {
                    let factor = V::splat(0.0).fused(scale, V::load(matrix.scales.as_ptr().add(first + lane)));
                    let bias = V::load(matrix.bias.as_ptr().add(first + lane));
                    *sum = bias.fused(V::numbers(whole[lane]), factor);
                }
                let offset = target.offsets.nth(row + index);
                finish(&sums, target.lanes.as_mut_ptr().add(offset + first), target.finish);
            }
        }
    }
}

/// The weights of a segment in the first panel of a tile, and how many fours of inputs a panel has.
#[derive(Clone, Copy)]
struct Panels {
    weights: *const Weights,
    length: usize,
}

/// Adds the products of one segment of each row.
///
/// # Safety
/// As many fours of numbers must be readable at each source as the segment has, and as many weights in each panel.
#[inline(always)]
unsafe fn accumulate<V: Vector, const ROWS: usize, const LANES: usize>(
    sums: &mut [[V::Whole; LANES]; ROWS],
    sources: [*const [u8; FOUR]; ROWS],
    panels: Panels,
    fours: usize,
) {
    for four in 0..fours {
        for (sums, source) in sums.iter_mut().zip(sources) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let place = lane_of_panels(lane, panels.length) + four * lanes_of_panel(LANES);
                // SAFETY: as required of the caller.
                unsafe { *sum = V::dot(*sum, *source.add(four), panels.weights.add(place)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Finish, Listed, Offsets};
    use super::*;
    use crate::infer::lanes::at;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Rows of three positions, each of some segments from random places.
    struct Case {
        segments: usize,
        inputs: usize,
        weights: Vec<f32>,
        bias: Vec<f32>,
        lanes: Vec<Lane>,
        from: Vec<u32>,
        rows: usize,
    }

    const POSITIONS: usize = 3;

    fn case(rng: &mut ChaCha8Rng, size: usize) -> Case {
        let (segments, inputs, outputs, rows) = (1 + size % 3, 1 + 3 * size % 40, 1 + 7 * size % 75, 1 + size % 20);
        let width = inputs.div_ceil(LANE);
        let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
        let (weights, bias) = (numbers(segments * inputs * outputs), numbers(outputs));
        // Lanes are zero beyond the inputs of a segment, as in features of odd sizes.
        let segment = |_| padded(&numbers(inputs).iter().map(|value| value.max(0.0) * 4.0).collect::<Vec<_>>());
        let lanes: Vec<_> = (0..5 * POSITIONS).flat_map(segment).collect();
        let places = (0..POSITIONS * rows).flat_map(|row| (0..segments).map(move |_| row / rows));
        let from = places.map(|position| ((5 * position + rng.random_range(0..5)) * width) as u32).collect();
        Case { segments, inputs, weights, bias, lanes, from, rows }
    }

    fn run_case(case: &Case, set: Instructions, finish: Finish) -> Vec<Lane> {
        let matrix = PackedInt8::new(case.segments, case.inputs, &case.weights, &case.bias);
        let mut bytes = vec![Int8Lane::ZERO; case.lanes.len()];
        let each = case.lanes.len() / POSITIONS;
        let parts = case.lanes.chunks_exact(each).zip(bytes.chunks_exact_mut(each));
        let scales: Vec<_> = parts.map(|(lanes, bytes)| quantise(set, lanes, bytes)).collect();
        let taps: Vec<_> = (0..case.segments).collect();
        let offsets = Offsets::Listed(Listed::new(&case.from));
        let rows = Gather { source: &bytes[..], segment: case.inputs, taps: &taps, offsets };
        let mut lanes = vec![Lane([0.25; LANE]); POSITIONS * case.rows * matrix.lanes()];
        let offsets = Offsets::Every { lanes: matrix.lanes(), count: POSITIONS * case.rows };
        let rows = Scaled { rows, scales: &scales, rows_each: case.rows };
        product_int8(set, &matrix, rows, &mut Target { lanes: &mut lanes, offsets, finish });
        lanes
    }

    #[test]
    fn products_are_nearly_those_of_plain_loops() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in 0..60 {
            let case = case(&mut rng, size);
            let lanes = run_case(&case, Instructions::detect(), Finish::Store);
            let width = case.bias.len().div_ceil(LANE);
            for row in 0..POSITIONS * case.rows {
                for output in 0..case.bias.len() {
                    let mut expected = case.bias[output];
                    for segment in 0..case.segments {
                        for input in 0..case.inputs {
                            let weight = case.weights[(segment * case.inputs + input) * case.bias.len() + output];
                            expected +=
                                weight * at(&case.lanes[case.from[row * case.segments + segment] as usize..], input);
                        }
                    }
                    let found = at(&lanes[row * width..], output);
                    // Half a step of each of the two roundings: 2 · 0.5 / 254 and 0.5 · 2 / 254 per product.
                    let bound = 0.008 * (case.segments * case.inputs) as f32;
                    assert!((found - expected).abs() < bound, "{size}, {row}, {output}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for size in 0..60 {
            let case = case(&mut rng, size);
            for finish in [Finish::Store, Finish::Rectify, Finish::Add, Finish::AddRectified] {
                let plain = run_case(&case, Instructions::Scalar, finish);
                for set in Instructions::available() {
                    assert_eq!(run_case(&case, set, finish), plain, "{set:?} {finish:?} {size}");
                }
            }
        }
    }

    #[test]
    fn extreme_weights_and_inputs_do_not_saturate() {
        let (weights, lanes) = (vec![1.0; 64 * 16], vec![Lane([3.0; LANE]); 4]);
        let extreme = Case { segments: 1, inputs: 64, weights, bias: vec![0.0; 16], lanes, from: vec![0], rows: 1 };
        for set in Instructions::available() {
            let matrix = PackedInt8::new(1, 64, &extreme.weights, &extreme.bias);
            let mut bytes = [Int8Lane::ZERO; 4];
            let scales = [quantise(set, &extreme.lanes, &mut bytes)];
            let offsets = Offsets::Listed(Listed::new(&extreme.from));
            let rows = Gather { source: &bytes[..], segment: 64, taps: &[0], offsets };
            let mut lanes = [Lane::ZERO];
            let offsets = Offsets::Listed(Listed::new(&[0]));
            let target = &mut Target { lanes: &mut lanes, offsets, finish: Finish::Store };
            product_int8(set, &matrix, Scaled { rows, scales: &scales, rows_each: extreme.rows }, target);
            assert!(lanes[0].0.iter().all(|sum| (sum - 192.0).abs() < 1e-3), "{set:?} {lanes:?}");
        }
    }

    #[test]
    fn nothing_stays_nothing() {
        let mut bytes = [Int8Lane([1; LANE]); 2];
        assert_eq!(quantise(Instructions::detect(), &[Lane::ZERO; 2], &mut bytes), 0.0);
        assert_eq!(bytes, [Int8Lane::ZERO; 2]);
    }
}

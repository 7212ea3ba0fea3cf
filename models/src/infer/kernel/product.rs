//! Products of packed matrices with rows of numbers.

use super::tiles::{Finish, PANEL, Tiled, Tiles, finish, lane_of_panels, lanes_of_panel, within};
use super::{Instructions, Vector, dispatch};
use crate::infer::lanes::{LANE, Lane, padded};

/// A matrix `[inputs, outputs]` with a bias, packed for the kernels.
///
/// Outputs are padded with zeros to whole lanes and cut into panels of two lanes (the last may have one); a panel holds
/// its lanes input by input.
#[derive(Clone, Debug)]
pub struct Packed {
    inputs: usize,
    #[cfg(feature = "learn")]
    outputs: usize,
    bias: Vec<Lane>,
    weights: Vec<Lane>,
}

impl Packed {
    /// Packs a matrix given in row-major order, and its bias.
    ///
    /// # Panics
    /// If the matrix does not have as many values as `bias` for each input.
    pub fn new(inputs: usize, weights: &[f32], bias: &[f32]) -> Self {
        let outputs = bias.len();
        assert_eq!(weights.len(), inputs * outputs, "the size of a matrix");
        let mut packed = Vec::with_capacity(inputs * outputs.div_ceil(LANE));
        for first in (0..outputs).step_by(PANEL * LANE) {
            let last = (first + PANEL * LANE).min(outputs);
            for row in weights.chunks_exact(outputs) {
                packed.extend(row[first..last].chunks(LANE).map(Lane::padded));
            }
        }
        Self {
            inputs,
            #[cfg(feature = "learn")]
            outputs,
            bias: padded(bias),
            weights: packed,
        }
    }

    /// Returns the number of outputs.
    #[cfg(feature = "learn")]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Returns one number of the matrix.
    #[cfg(feature = "learn")]
    pub fn at(&self, input: usize, output: usize) -> f32 {
        let first = output / (PANEL * LANE) * PANEL;
        let lanes = (self.lanes() - first).min(PANEL);
        self.weights[first * self.inputs + input * lanes + output / LANE - first].0[output % LANE]
    }

    /// Returns the transposed matrix, from the outputs to the inputs, without a bias.
    #[cfg(feature = "learn")]
    pub fn turned(&self) -> Self {
        let mut values = vec![0.0; self.inputs * self.outputs];
        for first in (0..self.lanes()).step_by(PANEL) {
            let lanes = (self.lanes() - first).min(PANEL);
            let panel = &self.weights[first * self.inputs..][..self.inputs * lanes];
            for (place, lane) in panel.iter().enumerate() {
                let (input, output) = (place / lanes, (first + place % lanes) * LANE);
                for (output, value) in (output..self.outputs).zip(lane.0) {
                    values[output * self.inputs + input] = value;
                }
            }
        }
        Self::new(self.outputs, &values, &vec![0.0; self.inputs])
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of outputs in lanes.
    pub fn lanes(&self) -> usize {
        self.bias.len()
    }

    /// Returns the panels of the weights, one after the other.
    pub(super) fn weights(&self) -> &[Lane] {
        &self.weights
    }

    /// Returns what is added to the outputs.
    pub(super) fn bias(&self) -> &[Lane] {
        &self.bias
    }
}

/// A list of places in a slice of lanes.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// The places in a list.
    Listed(Listed<'a>),
    /// A number of places at equal distances.
    Every {
        /// The lanes from one to the next.
        lanes: usize,
        /// How many there are.
        count: usize,
    },
}

impl Offsets<'_> {
    pub fn len(self) -> usize {
        match self {
            Self::Listed(listed) => listed.offsets.len(),
            Self::Every { count, .. } => count,
        }
    }

    /// Returns the last place, if there is one.
    pub fn most(self) -> Option<usize> {
        match self {
            Self::Listed(listed) => (!listed.offsets.is_empty()).then_some(listed.most as usize),
            Self::Every { lanes, count } => count.checked_sub(1).map(|last| last * lanes),
        }
    }

    /// Returns the n-th place.
    ///
    /// # Safety
    /// There must be more than n places.
    #[inline(always)]
    pub unsafe fn nth(self, n: usize) -> usize {
        match self {
            // SAFETY: as required of the caller.
            Self::Listed(listed) => unsafe { *listed.offsets.get_unchecked(n) as usize },
            Self::Every { lanes, .. } => n * lanes,
        }
    }
}

/// Places one by one; the numbers are small, since long lists are read along with every product.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    offsets: &'a [u32],
    /// The largest of them, 0 if there are none.
    most: u32,
}

#[cfg(test)]
impl<'a> Listed<'a> {
    /// Returns these places.
    pub fn new(offsets: &'a [u32]) -> Self {
        Self { offsets, most: most(offsets) }
    }
}

/// Places for some positions, equally many for each. Products take those of the first few positions; how far these
/// reach is stored, so that it need not be computed before every product.
#[derive(Debug)]
pub struct OffsetList {
    offsets: Vec<u32>,
    /// The number of places of a position.
    each: usize,
    /// For each position the largest of its places and of all before them.
    most: Vec<u32>,
}

impl OffsetList {
    /// Returns a list of these places, at least one, repeated for this many positions, each `lanes` lanes further on.
    pub fn repeated(places: &[u32], lanes: usize, positions: usize) -> Self {
        let shifts = || (0..positions).map(|position| (position * lanes) as u32);
        let last = most(places);
        Self {
            offsets: shifts().flat_map(|shift| places.iter().map(move |place| place + shift)).collect(),
            each: places.len(),
            most: shifts().map(|shift| last + shift).collect(),
        }
    }

    /// Returns the places of the first position.
    #[cfg(test)]
    pub fn of_first(&self) -> &[u32] {
        &self.offsets[..self.each]
    }

    /// Returns the places of the first n positions.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn first(&self, n: usize) -> Offsets<'_> {
        let most = n.checked_sub(1).map_or(0, |last| self.most[last]);
        Offsets::Listed(Listed { offsets: &self.offsets[..n * self.each], most })
    }
}

/// Returns the largest number, or 0.
fn most(offsets: &[u32]) -> u32 {
    offsets.iter().fold(0, |most, &offset| most.max(offset))
}

/// Where the inputs of a row lie: one or several segments of equal length within a slice.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a, T = Lane> {
    /// The lanes that inputs are read from.
    pub source: &'a [T],
    /// The length of a segment.
    pub segment: usize,
    /// Which segments of the matrix's inputs are present; the others count as zeros.
    pub taps: &'a [usize],
    /// The first lane of each segment in the source: as many for each row as there are taps.
    pub offsets: Offsets<'a>,
}

impl<T> Gather<'_, T> {
    /// Returns whether all segments end within the source.
    pub fn are_within_source(&self) -> bool {
        within(self.offsets, self.source.len().checked_sub(self.segment.div_ceil(LANE)))
    }
}

/// Where the outputs of rows go.
#[derive(Debug)]
pub struct Target<'a> {
    /// The lanes that are written.
    pub lanes: &'a mut [Lane],
    /// The first lane of each row.
    pub offsets: Offsets<'a>,
    /// How they are written.
    pub finish: Finish,
}

impl Target<'_> {
    /// Panics unless there is room for this many lanes of outputs of each row.
    pub(super) fn check(&self, lanes: usize) {
        assert!(within(self.offsets, self.lanes.len().checked_sub(lanes)), "outputs lie within the target");
    }
}

/// Multiplies rows with a matrix and adds its bias.
///
/// # Panics
/// If a row's segments reach beyond the source, its outputs beyond the target, or a tap beyond the matrix.
pub fn product(set: Instructions, matrix: &Packed, rows: Gather, target: &mut Target) {
    check(matrix, rows, target.offsets.len());
    dispatch(set, Tiles::new(Product { matrix, rows }, target));
}

/// Arguments that have passed [`check`].
#[derive(Clone, Copy)]
struct Product<'a> {
    matrix: &'a Packed,
    rows: Gather<'a>,
}

/// Panics unless the rows lie within their source, and their taps within the matrix.
pub(super) fn check(matrix: &Packed, rows: Gather, count: usize) {
    let taps = rows.taps.len();
    assert!(rows.taps.iter().all(|&tap| (tap + 1) * rows.segment <= matrix.inputs), "taps lie within the matrix");
    assert_eq!(rows.offsets.len(), count * taps, "a segment for each row and tap");
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
        let Self { matrix, rows } = self;
        let taps = rows.taps.len();
        // SAFETY: each panel has its lanes for every input, and the panels before it have `first` lanes in all; `check`
        // has compared taps and offsets with the lengths of the slices.
        unsafe {
            let bias = matrix.bias.as_ptr().add(first);
            let panel = matrix.weights.as_ptr().add(first * matrix.inputs);
            let mut sums = [[V::splat(0.0); LANES]; ROWS];
            for sum in &mut sums {
                for (lane, sum) in sum.iter_mut().enumerate() {
                    *sum = V::load(bias.add(lane));
                }
            }
            for (number, &tap) in rows.taps.iter().enumerate() {
                let weights = panel.add(tap * rows.segment * lanes_of_panel(LANES));
                let mut sources = [rows.source.as_ptr().cast::<f32>(); ROWS];
                for (index, source) in sources.iter_mut().enumerate() {
                    let offset = rows.offsets.nth((row + index) * taps + number);
                    *source = source.add(offset * LANE);
                }
                accumulate(&mut sums, sources, Panels { weights, length: matrix.inputs }, rows.segment);
            }
            for (index, sum) in sums.iter().enumerate() {
                let offset = target.offsets.nth(row + index);
                finish(sum, target.lanes.as_mut_ptr().add(offset + first), target.finish);
            }
        }
    }
}

/// The weights of a segment in the first panel of a tile, and how many inputs a panel has.
#[derive(Clone, Copy)]
struct Panels {
    weights: *const Lane,
    length: usize,
}

/// Adds the products of one segment of each row.
///
/// # Safety
/// As many numbers must be readable at each source as the segment is long, and as many lanes in each panel.
#[inline(always)]
unsafe fn accumulate<V: Vector, const ROWS: usize, const LANES: usize>(
    sums: &mut [[V; LANES]; ROWS],
    sources: [*const f32; ROWS],
    panels: Panels,
    segment: usize,
) {
    for input in 0..segment {
        // SAFETY: as required of the caller.
        unsafe {
            let mut factors = [V::splat(0.0); LANES];
            for (lane, factor) in factors.iter_mut().enumerate() {
                let place = lane_of_panels(lane, panels.length) + input * lanes_of_panel(LANES);
                *factor = V::load(panels.weights.add(place));
            }
            for (sum, source) in sums.iter_mut().zip(sources) {
                let value = V::splat(*source.add(input));
                for (sum, &factor) in sum.iter_mut().zip(&factors) {
                    *sum = sum.fused(value, factor);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::lanes::at;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    struct Case {
        matrix: Packed,
        weights: Vec<f32>,
        bias: Vec<f32>,
        source: Vec<Lane>,
        taps: Vec<usize>,
        segment: usize,
        from: Vec<u32>,
        to: Vec<u32>,
    }

    /// Draws a product of random sizes, with rows that share segments and with taps left out.
    fn case(rng: &mut ChaCha8Rng, rows: usize) -> Case {
        let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
        let (segment, all_taps, outputs) = (1 + rows % 21, 1 + rows % 3, 1 + 7 * rows % 75);
        let bias = numbers(outputs);
        let weights = numbers(segment * all_taps * outputs);
        let source = padded(&numbers(40 * LANE));
        let taps: Vec<_> = (0..all_taps).filter(|tap| tap + 1 == all_taps || (tap + rows).is_multiple_of(2)).collect();
        let from = (0..rows * taps.len()).map(|_| rng.random_range(0..=40 - segment.div_ceil(LANE) as u32)).collect();
        let to = (0..rows as u32).rev().map(|row| row * 5).collect();
        Case {
            matrix: Packed::new(segment * all_taps, &weights, &bias),
            weights,
            bias,
            source,
            taps,
            segment,
            from,
            to,
        }
    }

    fn run_case(case: &Case, set: Instructions, finish: Finish) -> Vec<Lane> {
        let mut lanes = vec![Lane([0.25; LANE]); 5 * case.to.len()];
        let rows = Gather {
            source: &case.source,
            segment: case.segment,
            taps: &case.taps,
            offsets: Offsets::Listed(Listed::new(&case.from)),
        };
        let offsets = Offsets::Listed(Listed::new(&case.to));
        product(set, &case.matrix, rows, &mut Target { lanes: &mut lanes, offsets, finish });
        lanes
    }

    fn expected(case: &Case, row: usize, output: usize) -> f64 {
        let mut sum = f64::from(case.bias[output]);
        for (number, tap) in case.taps.iter().enumerate() {
            let offset = case.from[row * case.taps.len() + number] as usize * LANE;
            for input in 0..case.segment {
                let weight = case.weights[(tap * case.segment + input) * case.bias.len() + output];
                sum += f64::from(at(&case.source, offset + input)) * f64::from(weight);
            }
        }
        sum
    }

    #[test]
    fn products_are_those_of_plain_loops() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for rows in 0..40 {
            let case = case(&mut rng, rows);
            let lanes = run_case(&case, Instructions::detect(), Finish::Store);
            for row in 0..rows {
                for output in 0..case.bias.len() {
                    let found = f64::from(at(&lanes[case.to[row] as usize..], output));
                    let expected = expected(&case, row, output);
                    assert!((found - expected).abs() < 1e-5, "{rows} rows, {row}, {output}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for rows in 0..40 {
            let case = case(&mut rng, rows);
            for finish in [Finish::Store, Finish::Rectify, Finish::Add, Finish::AddRectified] {
                let plain = run_case(&case, Instructions::Scalar, finish);
                for set in Instructions::available() {
                    assert_eq!(run_case(&case, set, finish), plain, "{set:?} {finish:?} {rows}");
                }
            }
        }
    }

    #[test]
    fn rows_are_rectified_or_added_as_asked() {
        let case = case(&mut ChaCha8Rng::seed_from_u64(3), 11);
        let set = Instructions::detect();
        let [stored, rectified, added, both] = [Finish::Store, Finish::Rectify, Finish::Add, Finish::AddRectified]
            .map(|finish| run_case(&case, set, finish));
        for row in case.to.iter().map(|&row| row as usize) {
            for output in 0..case.matrix.lanes() * LANE {
                let value = at(&stored[row..], output);
                assert_eq!(at(&rectified[row..], output), value.max(0.0));
                assert_eq!(at(&added[row..], output), 0.25 + value);
                assert_eq!(at(&both[row..], output), (0.25 + value).max(0.0));
            }
        }
    }

    #[test]
    #[should_panic(expected = "segments lie within the source")]
    fn segments_beyond_the_source_are_refused() {
        let mut case = case(&mut ChaCha8Rng::seed_from_u64(4), 9);
        case.from[3] = 40;
        run_case(&case, Instructions::detect(), Finish::Store);
    }

    #[test]
    #[should_panic(expected = "outputs lie within the target")]
    fn outputs_beyond_the_target_are_refused() {
        let mut case = case(&mut ChaCha8Rng::seed_from_u64(5), 9);
        case.to[3] = 1000;
        run_case(&case, Instructions::detect(), Finish::Store);
    }
}

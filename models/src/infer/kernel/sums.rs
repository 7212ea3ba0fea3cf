//! Sums of rows of lanes.

use super::{Instructions, Vector, Work, dispatch};
use crate::infer::lanes::{LANE, Lane};

/// Adds multiples of rows to a row: for each term the row with this number, times this factor.
///
/// # Panics
/// If there is no such row.
pub fn add_scaled(set: Instructions, rows: &[Lane], terms: &[(usize, f32)], to: &mut [Lane]) {
    add_terms::<true>(set, rows, terms, to);
}

/// As [`add_scaled`], to the same bits, where all factors are 1: without multiplying, which is slow where nothing multiplies and
/// adds at once.
///
/// # Panics
/// If there is no such row.
pub fn add_whole(set: Instructions, rows: &[Lane], terms: &[(usize, f32)], to: &mut [Lane]) {
    add_terms::<false>(set, rows, terms, to);
}

fn add_terms<const SCALED: bool>(set: Instructions, rows: &[Lane], terms: &[(usize, f32)], to: &mut [Lane]) {
    let count = rows.len() / to.len();
    assert!(terms.iter().all(|&(row, _)| row < count), "the rows exist");
    dispatch(set, AddTerms::<SCALED> { rows, terms, to });
}

struct AddTerms<'a, const SCALED: bool> {
    rows: &'a [Lane],
    terms: &'a [(usize, f32)],
    to: &'a mut [Lane],
}

impl<const SCALED: bool> Work for AddTerms<'_, SCALED> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let Self { rows, terms, to } = self;
        // As many lanes side by side as there are registers for their sums, since each addition has to wait for the one before.
        let mut first = 0;
        // SAFETY: the rows exist, and each has as many lanes as `to`; the caller answers for the instructions.
        unsafe {
            if ROWS >= 8 {
                first = add_blocks::<V, 8, SCALED>(rows, terms, to, first);
            }
            first = add_blocks::<V, 4, SCALED>(rows, terms, to, first);
            first = add_blocks::<V, 2, SCALED>(rows, terms, to, first);
            add_blocks::<V, 1, SCALED>(rows, terms, to, first);
        }
    }
}

/// Adds up lanes from `first` on, `LANES` at once, and returns the first of those that are too few.
///
/// # Safety
/// As for [`add_block`].
#[inline(always)]
unsafe fn add_blocks<V: Vector, const LANES: usize, const SCALED: bool>(
    rows: &[Lane],
    terms: &[(usize, f32)],
    to: &mut [Lane],
    mut first: usize,
) -> usize {
    while first + LANES <= to.len() {
        // SAFETY: as the caller's.
        unsafe { add_block::<V, LANES, SCALED>(rows, terms, to, first) }
        first += LANES;
    }
    first
}

/// Adds up `LANES` lanes from `first` on.
///
/// # Safety
/// All terms must name rows, the lanes must exist, and the processor must have the instructions.
#[inline(always)]
unsafe fn add_block<V: Vector, const LANES: usize, const SCALED: bool>(
    rows: &[Lane],
    terms: &[(usize, f32)],
    to: &mut [Lane],
    first: usize,
) {
    let width = to.len();
    // SAFETY: as the caller's.
    unsafe {
        let to = to.as_mut_ptr().add(first);
        let mut sums = [V::splat(0.0); LANES];
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = V::load(to.add(lane));
        }
        for &(row, factor) in terms {
            let row = rows.as_ptr().add(row * width + first);
            for (lane, sum) in sums.iter_mut().enumerate() {
                let row = V::load(row.add(lane));
                *sum = if SCALED { sum.fused(V::splat(factor), row) } else { sum.add(row) };
            }
        }
        for (lane, sum) in sums.iter().enumerate() {
            sum.store(to.add(lane));
        }
    }
}

/// Adds a row to each of many rows, then replaces negative numbers by zero.
///
/// # Panics
/// If a row is left over.
pub fn add_everywhere(set: Instructions, row: &[Lane], to: &mut [Lane]) {
    assert!(to.len().is_multiple_of(row.len()), "whole rows");
    dispatch(set, AddEverywhere { row, to });
}

struct AddEverywhere<'a> {
    row: &'a [Lane],
    to: &'a mut [Lane],
}

impl Work for AddEverywhere<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        for to in self.to.chunks_exact_mut(self.row.len()) {
            for (to, lane) in to.iter_mut().zip(self.row) {
                // SAFETY: the lanes are references; the caller answers for the instructions.
                unsafe { V::load(to).add(V::load(lane)).larger(V::splat(0.0)).store(to) }
            }
        }
    }
}

/// Replaces negative numbers by zero.
pub fn rectify(set: Instructions, lanes: &mut [Lane]) {
    dispatch(set, Rectify(lanes));
}

struct Rectify<'a>(&'a mut [Lane]);

impl Work for Rectify<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        for lane in self.0 {
            // SAFETY: the lane is a reference; the caller answers for the instructions.
            unsafe { V::load(lane).larger(V::splat(0.0)).store(lane) }
        }
    }
}

/// Writes a bit for each number, sixteen of them together: whether it is not zero.
///
/// # Panics
/// If `bits` has not a place for each sixteen numbers.
pub fn nonzero(set: Instructions, numbers: &[f32], bits: &mut [u16]) {
    assert_eq!(bits.len(), numbers.len().div_ceil(LANE), "a place for each sixteen numbers");
    dispatch(set, Nonzero { numbers, bits });
}

struct Nonzero<'a> {
    numbers: &'a [f32],
    bits: &'a mut [u16],
}

impl Work for Nonzero<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let (whole, rest) = self.numbers.as_chunks::<LANE>();
        let mut last = [0.0; LANE];
        last[..rest.len()].copy_from_slice(rest);
        for (bits, numbers) in self.bits.iter_mut().zip(whole.iter().chain([&last])) {
            // SAFETY: sixteen numbers are readable; the caller answers for the instructions.
            *bits = unsafe { V::nonzero(numbers.as_ptr()) };
        }
    }
}

/// Replaces terms by the numbers of a row that are not zero, each behind its place.
pub fn nonzero_terms(set: Instructions, row: &[Lane], terms: &mut Vec<(usize, f32)>) {
    terms.clear();
    dispatch(set, NonzeroTerms { row, terms });
}

struct NonzeroTerms<'a> {
    row: &'a [Lane],
    terms: &'a mut Vec<(usize, f32)>,
}

impl Work for NonzeroTerms<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        // Four lanes together: the processor guesses wrong where the numbers of a word end.
        for (first, lanes) in (0..).step_by(4 * LANE).zip(self.row.chunks(4)) {
            let mut bits = 0;
            for (shift, Lane(numbers)) in (0..).step_by(LANE).zip(lanes) {
                // SAFETY: sixteen numbers are readable; the caller answers for the instructions.
                bits |= u64::from(unsafe { V::nonzero(numbers.as_ptr()) }) << shift;
            }
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                self.terms.push((first + place, lanes[place / LANE].0[place % LANE]));
                bits &= bits - 1;
            }
        }
    }
}

/// What adds up to the features of all spots of one position.
#[derive(Clone, Copy, Debug)]
pub struct SpotSums<'a> {
    /// A row of lanes for each spot.
    pub spots: &'a [Lane],
    /// A row of lanes that every spot gets.
    pub everywhere: &'a [Lane],
    /// The rows of the lines.
    pub rows: &'a [&'a [Lane]],
    /// Where each spot lies on its lines.
    pub through: &'a Through,
}

/// For each spot its three lines, and the first lane of the spot in their rows.
#[derive(Debug)]
pub struct Through {
    spots: Vec<[(usize, usize); 3]>,
    /// For each line the last of those lanes, if a spot lies on it.
    last: Vec<Option<usize>>,
}

impl Through {
    /// Returns where spots lie.
    pub fn new(spots: Vec<[(usize, usize); 3]>) -> Self {
        let lines = spots.as_flattened().iter().map(|&(line, _)| line + 1).max().unwrap_or(0);
        let mut last = vec![None; lines];
        for &(line, first) in spots.as_flattened() {
            last[line] = last[line].max(Some(first));
        }
        Self { spots, last }
    }

    /// Returns whether rows have lanes for all spots that lie on them.
    fn fits(&self, rows: &[&[Lane]], width: usize) -> bool {
        let inside = |(last, row): (&Option<usize>, &&[Lane])| last.is_none_or(|last| last + width <= row.len());
        rows.len() >= self.last.len() && self.last.iter().zip(rows).all(inside)
    }
}

/// Writes for each spot what it has, what it gets everywhere and from its three lines, negative numbers replaced by zero.
///
/// # Panics
/// If `to` has not a row for each spot, or a line's row is too short.
pub fn sum_spots(set: Instructions, sums: SpotSums, to: &mut [Lane]) {
    let width = sums.everywhere.len();
    assert_eq!(to.len(), sums.through.spots.len() * width, "a row for each spot");
    assert_eq!(to.len(), sums.spots.len(), "a row of each spot");
    assert!(sums.through.fits(sums.rows, width), "lines have lanes for their spots");
    dispatch(set, SumSpots { sums, to });
}

struct SumSpots<'a> {
    sums: SpotSums<'a>,
    to: &'a mut [Lane],
}

impl Work for SumSpots<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let SpotSums { spots, everywhere, rows, through } = self.sums;
        let width = everywhere.len();
        let to = self.to.chunks_exact_mut(width).zip(spots.chunks_exact(width));
        for ((to, spot), lines) in to.zip(&through.spots) {
            // SAFETY: `sum_spots` has compared all places with the lengths of their rows.
            let parts = lines.map(|(line, first)| unsafe { rows.get_unchecked(line).as_ptr().add(first) });
            for (lane, (to, spot)) in to.iter_mut().zip(spot).enumerate() {
                // SAFETY: each part has `width` lanes; the caller answers for the instructions.
                unsafe {
                    let mut sum = V::load(spot).add(V::load(everywhere.as_ptr().add(lane)));
                    for part in parts {
                        sum = sum.add(V::load(part.add(lane)));
                    }
                    sum.larger(V::splat(0.0)).store(to);
                }
            }
        }
    }
}

/// Writes the mean of rows into the first half of `to` and their largest numbers into the second.
///
/// # Panics
/// If there is no row, or one is left over.
pub fn pool(set: Instructions, rows: &[Lane], to: &mut [Lane]) {
    let width = to.len() / 2;
    assert!(!rows.is_empty() && rows.len().is_multiple_of(width) && to.len() == 2 * width, "whole rows");
    dispatch(set, Pool { rows, to });
}

struct Pool<'a> {
    rows: &'a [Lane],
    to: &'a mut [Lane],
}

impl Work for Pool<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let width = self.to.len() / 2;
        let mut first = 0;
        // SAFETY: the lanes exist; the caller answers for the instructions.
        unsafe {
            while first + 2 <= width {
                pool_lanes::<V, 2>(self.rows, self.to, first);
                first += 2;
            }
            if first < width {
                pool_lanes::<V, 1>(self.rows, self.to, first);
            }
        }
    }
}

/// Pools the `LANES` lanes from `first` on: side by side, since each addition has to wait for the one before.
///
/// # Safety
/// The rows must have the lanes, `to` those for means and maxima, and the processor must have the instructions.
#[inline(always)]
unsafe fn pool_lanes<V: Vector, const LANES: usize>(rows: &[Lane], to: &mut [Lane], first: usize) {
    let width = to.len() / 2;
    let share = 1.0 / (rows.len() / width) as f32;
    // SAFETY: as the caller's.
    unsafe {
        let mut sums = [V::splat(0.0); LANES];
        let mut largest = [V::splat(0.0); LANES];
        for (lane, largest) in largest.iter_mut().enumerate() {
            *largest = V::load(rows.as_ptr().add(first + lane));
        }
        for row in rows.chunks_exact(width) {
            for lane in 0..LANES {
                let value = V::load(row.as_ptr().add(first + lane));
                sums[lane] = sums[lane].add(value);
                largest[lane] = largest[lane].larger(value);
            }
        }
        for lane in 0..LANES {
            V::splat(0.0).fused(sums[lane], V::splat(share)).store(to.as_mut_ptr().add(first + lane));
            largest[lane].store(to.as_mut_ptr().add(width + first + lane));
        }
    }
}

/// Tells the processor that lanes will be read soon.
#[inline]
pub fn prefetch(lanes: &[Lane]) {
    #[cfg(target_arch = "x86_64")]
    for lane in lanes {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it is only a hint.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(lane).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = lanes;
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::infer::lanes::padded;

    fn lanes(rng: &mut ChaCha8Rng, count: usize) -> Vec<Lane> {
        padded(&(0..count * LANE).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>())
    }

    fn close(found: &[Lane], expected: impl Fn(usize, usize) -> f64) {
        for (number, lane) in found.iter().enumerate() {
            for (place, &value) in lane.0.iter().enumerate() {
                let expected = expected(number, place);
                assert!((f64::from(value) - expected).abs() < 1e-5, "{number}, {place}: {value} {expected}");
            }
        }
    }

    /// Runs a kernel with all instructions, and returns the result, which must be the same bits.
    fn with_all(start: &[Lane], run: impl Fn(Instructions, &mut [Lane])) -> Vec<Lane> {
        let results = Instructions::available().map(|set| {
            let mut lanes = start.to_vec();
            run(set, &mut lanes);
            lanes
        });
        results.reduce(|one, other| if one == other { one } else { panic!("instructions differ") }).unwrap()
    }

    #[test]
    fn scaled_rows_add_up() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for width in 1..20 {
            let (rows, start) = (lanes(rng, 9 * width), lanes(rng, width));
            let terms: Vec<_> = (0..12).map(|_| (rng.random_range(0..9), rng.random::<f32>())).collect();
            let found = with_all(&start, |set, to| add_scaled(set, &rows, &terms, to));
            close(&found, |lane, place| {
                let parts = terms.iter().map(|&(row, factor)| (rows[row * width + lane].0[place], factor));
                let sum: f64 = parts.map(|(value, factor)| f64::from(value) * f64::from(factor)).sum();
                f64::from(start[lane].0[place]) + sum
            });
            let ones: Vec<_> = terms.iter().map(|&(row, _)| (row, 1.0)).collect();
            let whole = with_all(&start, |set, to| add_whole(set, &rows, &ones, to));
            assert_eq!(whole, with_all(&start, |set, to| add_scaled(set, &rows, &ones, to)));
        }
    }

    #[test]
    fn negative_numbers_become_zero() {
        let start = lanes(&mut ChaCha8Rng::seed_from_u64(4), 5);
        let found = with_all(&start, rectify);
        close(&found, |lane, place| f64::from(start[lane].0[place]).max(0.0));
    }

    #[test]
    fn a_row_is_added_to_every_row() {
        let rng = &mut ChaCha8Rng::seed_from_u64(5);
        for width in 1..4 {
            let (row, start) = (lanes(rng, width), lanes(rng, 37 * width));
            let found = with_all(&start, |set, to| add_everywhere(set, &row, to));
            close(&found, |lane, place| {
                (f64::from(start[lane].0[place]) + f64::from(row[lane % width].0[place])).max(0.0)
            });
        }
    }

    #[test]
    fn numbers_other_than_zero_are_found() {
        let mut numbers = [0.0, 1.0, -0.0, -2.5, f32::MIN_POSITIVE / 2.0, f32::NAN, f32::INFINITY, 0.0, 3.0].repeat(5);
        while let Some(dropped) = numbers.pop() {
            numbers.reverse();
            for set in Instructions::available() {
                let mut bits = vec![u16::MAX; numbers.len().div_ceil(LANE)];
                nonzero(set, &numbers, &mut bits);
                let found: Vec<_> = (0..LANE * bits.len()).map(|i| bits[i / LANE] >> (i % LANE) & 1 == 1).collect();
                let expected = numbers.iter().map(|&number| number != 0.0).chain(std::iter::repeat(false));
                assert!(found.iter().copied().eq(expected.take(found.len())), "{set:?} {numbers:?} {dropped}");
            }
        }
    }

    #[test]
    fn terms_are_the_numbers_other_than_zero() {
        let mut row = lanes(&mut ChaCha8Rng::seed_from_u64(6), 5);
        rectify(Instructions::detect(), &mut row);
        let numbers = || row.iter().flat_map(|lane| lane.0).enumerate();
        let expected: Vec<_> = numbers().filter(|&(_, number)| number != 0.0).collect();
        assert!((20..60).contains(&expected.len()), "{} of {}", expected.len(), numbers().count());
        for set in Instructions::available() {
            let mut terms = vec![(7, 7.0)];
            nonzero_terms(set, &row, &mut terms);
            assert_eq!(terms, expected, "{set:?}");
        }
    }

    #[test]
    fn spots_get_what_their_lines_have_for_them() {
        let rng = &mut ChaCha8Rng::seed_from_u64(2);
        for width in 1..4 {
            let lines: Vec<_> = (0..5).map(|_| lanes(rng, 7 * width)).collect();
            let rows: Vec<_> = lines.iter().map(Vec::as_slice).collect();
            let through: Vec<_> =
                (0..37).map(|_| [0; 3].map(|_| (rng.random_range(0..5), rng.random_range(0..=6 * width)))).collect();
            let (everywhere, start) = (lanes(rng, width), lanes(rng, 37 * width));
            let placed = Through::new(through.clone());
            let sums = SpotSums { spots: &start, everywhere: &everywhere, rows: &rows, through: &placed };
            let found = with_all(&start, |set, to| sum_spots(set, sums, to));
            close(&found, |lane, place| {
                let (spot, lane_of_spot) = (lane / width, lane % width);
                let parts = through[spot].iter().map(|&(line, first)| lines[line][first + lane_of_spot].0[place]);
                let parts = parts.chain([start[lane].0[place], everywhere[lane_of_spot].0[place]]);
                parts.map(f64::from).sum::<f64>().max(0.0)
            });
        }
    }

    #[test]
    fn pooling_gives_the_mean_and_the_maximum() {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        for width in 1..4 {
            let rows = lanes(rng, 37 * width);
            let found = with_all(&vec![Lane::ZERO; 2 * width], |set, to| pool(set, &rows, to));
            close(&found, |lane, place| {
                let values = || rows.iter().skip(lane % width).step_by(width).map(|row| f64::from(row.0[place]));
                if lane < width { values().sum::<f64>() / 37.0 } else { values().fold(f64::MIN, f64::max) }
            });
        }
    }

    #[test]
    #[should_panic(expected = "the rows exist")]
    fn rows_that_do_not_exist_are_refused() {
        add_scaled(Instructions::detect(), &[Lane::ZERO; 4], &[(2, 1.0)], &mut [Lane::ZERO; 2]);
    }

    #[test]
    #[should_panic(expected = "lines have lanes for their spots")]
    fn rows_too_short_are_refused() {
        let through = Through::new(vec![[(0, 0), (0, 1), (0, 0)]]);
        let (spots, everywhere, rows) = (&[Lane::ZERO], &[Lane::ZERO], &[&[Lane::ZERO][..]]);
        let sums = SpotSums { spots, everywhere, rows, through: &through };
        sum_spots(Instructions::detect(), sums, &mut [Lane::ZERO]);
    }
}

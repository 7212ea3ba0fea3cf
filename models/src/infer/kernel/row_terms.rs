//! Products of rows that are mostly zeros, as rectifiers leave them: only the other numbers are multiplied.
//!
//! They are added up in the same order as by [`product`], so the sums have the same bits.

use super::product::{check, product};
use super::terms::append_nonzero_terms;
use super::tiles::{PANEL, finish, lane_of_panels, lanes_of_panel};
use super::{Gather, Instructions, LEAST_NUMBERS, MOST_SHARE, Packed, Target, Vector, Work, dispatch};
use crate::infer::lanes::{LANE, Lane};

/// The numbers of consecutive rows that are not zero, each with its place in its row.
#[derive(Debug, Default)]
pub struct RowTerms {
    terms: Vec<(usize, f32)>,
    /// For each lane in which a row begins, where its terms begin and end; for the others, nothing.
    ranges: Vec<[usize; 2]>,
    /// The lanes of a row.
    row: usize,
    few: bool,
}

impl RowTerms {
    /// Takes those of consecutive rows of so many numbers, if multiplying only them is faster.
    pub fn fill(&mut self, set: Instructions, lanes: &[Lane], numbers: usize) {
        let wide = numbers >= LEAST_NUMBERS && numbers.is_multiple_of(LANE);
        self.few = set.leaves_out_zeros() && wide && are_few(lanes);
        if self.few {
            self.take(set, lanes, numbers / LANE);
        }
    }

    /// Returns the terms if multiplying only them is faster.
    pub fn few(&self) -> Option<&Self> {
        self.few.then_some(self)
    }

    fn take(&mut self, set: Instructions, lanes: &[Lane], row: usize) {
        self.row = row;
        self.terms.clear();
        self.ranges.clear();
        self.ranges.resize(lanes.len(), [0; 2]);
        for (first, numbers) in (0..).step_by(row).zip(lanes.chunks_exact(row)) {
            let start = self.terms.len();
            append_nonzero_terms(set, numbers, &mut self.terms);
            self.ranges[first] = [start, self.terms.len()];
        }
    }
}

fn are_few(lanes: &[Lane]) -> bool {
    let mut counts = [0_u32; LANE];
    for lane in lanes {
        counts.iter_mut().zip(lane.0).for_each(|(count, number)| *count += u32::from(number != 0.0));
    }
    (counts.iter().sum::<u32>() as f32) < MOST_SHARE * (lanes.len() * LANE) as f32
}

/// Multiplies rows with a matrix and adds its bias, given the terms of their source if they are few.
///
/// # Panics
/// As for [`product`] and [`product_of_terms`].
pub fn product_of_few(
    set: Instructions,
    matrix: &Packed,
    (rows, terms): (Gather, Option<&RowTerms>),
    target: &mut Target,
) {
    match terms {
        Some(terms) => product_of_terms(set, matrix, (rows, terms), target),
        None => product(set, matrix, rows, target),
    }
}

/// Multiplies rows with a matrix and adds its bias, given the terms of their source; segments begin where rows of the
/// terms do.
///
/// # Panics
/// As for [`product`], or if the terms are those of another source, or of rows that are not as long as
/// segments.
fn product_of_terms(set: Instructions, matrix: &Packed, (rows, terms): (Gather, &RowTerms), target: &mut Target) {
    check(matrix, rows, target.offsets.len());
    assert_eq!(terms.ranges.len(), rows.source.len(), "the terms of the source");
    assert_eq!(terms.row * LANE, rows.segment, "rows as long as segments");
    target.check(matrix.lanes());
    dispatch(set, Product { matrix, rows, terms, target });
}

/// Arguments that have passed the checks of [`product_of_terms`].
struct Product<'a, 'b> {
    matrix: &'a Packed,
    rows: Gather<'a>,
    terms: &'a RowTerms,
    target: &'a mut Target<'b>,
}

impl Work for Product<'_, '_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(mut self) {
        let (lanes, mut first) = (self.matrix.lanes(), 0);
        // SAFETY: the lanes exist, whole panels of them; the caller guarantees the instructions.
        unsafe {
            while first + 2 * PANEL <= lanes {
                self.panels::<V, { 2 * PANEL }>(first);
                first += 2 * PANEL;
            }
            if first + PANEL <= lanes {
                self.panels::<V, PANEL>(first);
                first += PANEL;
            }
            if first < lanes {
                self.panels::<V, 1>(first);
            }
        }
    }
}

impl Product<'_, '_> {
    /// Computes `LANES` lanes of outputs from lane `first` on, row by row.
    ///
    /// # Safety
    /// They must be whole panels, and the processor must have the instructions.
    #[inline(always)]
    unsafe fn panels<V: Vector, const LANES: usize>(&mut self, first: usize) {
        let Self { matrix, rows, terms, .. } = *self;
        let taps = rows.taps.len();
        for row in 0..self.target.offsets.len() {
            // SAFETY: `check` has compared taps and offsets with the lengths of the slices, of which `ranges` has one; terms
            // name numbers of their row, which is as long as a segment.
            unsafe {
                let mut sums = [V::splat(0.0); LANES];
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(matrix.bias().as_ptr().add(first + lane));
                }
                let panel = matrix.weights().as_ptr().add(first * matrix.inputs());
                for (number, &tap) in rows.taps.iter().enumerate() {
                    let weights = panel.add(tap * rows.segment * lanes_of_panel(LANES));
                    let [start, end] = *terms.ranges.get_unchecked(rows.offsets.nth(row * taps + number));
                    for &(place, value) in terms.terms.get_unchecked(start..end) {
                        let weights = weights.add(place * lanes_of_panel(LANES));
                        for (lane, sum) in sums.iter_mut().enumerate() {
                            let weight = V::load(weights.add(lane_of_panels(lane, matrix.inputs())));
                            *sum = sum.fused(V::splat(value), weight);
                        }
                    }
                }
                let to = self.target.lanes.as_mut_ptr().add(self.target.offsets.nth(row) + first);
                finish(&sums, to, self.target.finish);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::sums::tests::lanes;
    use super::super::{Finish, Listed, Offsets, rectify};
    use super::*;

    #[test]
    fn bits_are_those_of_all_products() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        for size in 1..30 {
            let (width, all_taps, outputs, count) = (1 + size % 5, 1 + size % 3, 1 + 13 * size % 130, size % 9);
            let segment = width * LANE;
            let mut numbers = |count: usize| (0..count).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>();
            let matrix = Packed::new(all_taps * segment, &numbers(all_taps * segment * outputs), &numbers(outputs));
            let mut source = lanes(rng, 6 * width);
            rectify(Instructions::detect(), &mut source);
            let taps: Vec<_> =
                (0..all_taps).filter(|tap| tap + 1 == all_taps || (tap + size).is_multiple_of(2)).collect();
            let from: Vec<_> = (0..count * taps.len()).map(|_| (rng.random_range(0..6) * width) as u32).collect();
            let rows = Gather { source: &source, segment, taps: &taps, offsets: Offsets::Listed(Listed::new(&from)) };
            let run = |with: &dyn Fn(&mut Target)| {
                let mut lanes = vec![Lane([0.25; LANE]); count * matrix.lanes()];
                let offsets = Offsets::Every { lanes: matrix.lanes(), count };
                with(&mut Target { lanes: &mut lanes, offsets, finish: Finish::AddRectified });
                lanes
            };
            let expected = run(&|target| product(Instructions::Scalar, &matrix, rows, target));
            for set in Instructions::available() {
                let mut terms = RowTerms::default();
                terms.take(set, &source, width);
                let found = run(&|target| product_of_terms(set, &matrix, (rows, &terms), target));
                assert_eq!(found, expected, "{set:?} {size}");
            }
        }
    }

    #[test]
    fn few_are_less_than_two_fifths_of_wide_rows() {
        for count in 0..=LANE {
            let lane = Lane(std::array::from_fn(|place| f32::from(u8::from(place < count))));
            for set in Instructions::available() {
                let mut terms = RowTerms::default();
                terms.fill(set, &[lane; 8], 64);
                assert_eq!(terms.few().is_some(), count <= 6 && set == Instructions::Avx2, "{set:?} {count}");
                for narrow_or_odd in [32, 63] {
                    terms.fill(set, &[lane; 8], narrow_or_odd);
                    assert!(terms.few().is_none(), "{set:?} {count} {narrow_or_odd}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "the terms of the source")]
    fn terms_of_other_rows_are_refused() {
        let matrix = Packed::new(LANE, &[1.0; LANE], &[0.0]);
        let offsets = Offsets::Every { lanes: 1, count: 1 };
        let rows = Gather { source: &[Lane::ZERO], segment: LANE, taps: &[0], offsets };
        let target = &mut Target { lanes: &mut [Lane::ZERO], offsets, finish: Finish::Store };
        product_of_terms(Instructions::detect(), &matrix, (rows, &RowTerms::default()), target);
    }
}

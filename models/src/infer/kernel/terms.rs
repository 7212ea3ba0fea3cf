//! Terms: the numbers of a row that are not zero, each with its place, and the sums of rows that they name.

use super::{Instructions, Vector, Work, dispatch};
use crate::infer::lanes::{LANE, Lane};

/// Adds multiples of rows to a row: for each term, the row with its number times its factor.
///
/// # Panics
/// If there is no such row.
pub fn add_scaled(set: Instructions, rows: &[Lane], terms: &[(usize, f32)], to: &mut [Lane]) {
    add_terms::<true>(set, rows, terms, to);
}

/// Like [`add_scaled`], bit for bit, where all factors are 1: without multiplying, which is slow without a fused
/// multiply-add.
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
        // As many lanes at once as there are registers for their sums, since each addition has to wait for the one before.
        let mut first = 0;
        // SAFETY: the rows exist, and each has as many lanes as `to`; the caller guarantees the instructions.
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

/// Adds up lanes from `first` on, `LANES` at once, and returns the first of those left over.
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
        // SAFETY: as required of the caller.
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
    // SAFETY: as required of the caller.
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

/// Writes a bit for each number, sixteen of them together: whether it is not zero.
///
/// # Panics
/// If `bits` does not have a place for each sixteen numbers.
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
            // SAFETY: sixteen numbers are readable; the caller guarantees the instructions.
            *bits = unsafe { V::nonzero(numbers.as_ptr()) };
        }
    }
}

/// Replaces terms with the numbers of a row that are not zero, each with its place.
pub fn nonzero_terms(set: Instructions, row: &[Lane], terms: &mut Vec<(usize, f32)>) {
    terms.clear();
    append_nonzero_terms(set, row, terms);
}

/// Adds to terms the numbers of a row that are not zero, each with its place.
pub fn append_nonzero_terms(set: Instructions, row: &[Lane], terms: &mut Vec<(usize, f32)>) {
    dispatch(set, NonzeroTerms { row, terms });
}

struct NonzeroTerms<'a> {
    row: &'a [Lane],
    terms: &'a mut Vec<(usize, f32)>,
}

impl Work for NonzeroTerms<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        // Four lanes together, since the processor mispredicts where the numbers of a word end.
        for (first, lanes) in (0..).step_by(4 * LANE).zip(self.row.chunks(4)) {
            let mut bits = 0;
            for (shift, Lane(numbers)) in (0..).step_by(LANE).zip(lanes) {
                // SAFETY: sixteen numbers are readable; the caller guarantees the instructions.
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::rectify;
    use super::super::sums::tests::{close, lanes, with_all};
    use super::*;

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
    #[should_panic(expected = "the rows exist")]
    fn rows_that_do_not_exist_are_refused() {
        add_scaled(Instructions::detect(), &[Lane::ZERO; 4], &[(2, 1.0)], &mut [Lane::ZERO; 2]);
    }
}

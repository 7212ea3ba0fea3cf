//! Sums of rows of lanes.

use super::{Instructions, Vector, Work, dispatch};
use crate::infer::lanes::Lane;

/// Adds a row to each of many rows, then replaces negative numbers with zero.
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
                // SAFETY: the lanes are references; the caller guarantees the instructions.
                unsafe { V::load(to).add(V::load(lane)).larger(V::splat(0.0)).store(to) }
            }
        }
    }
}

/// Replaces negative numbers with zero.
pub fn rectify(set: Instructions, lanes: &mut [Lane]) {
    dispatch(set, Rectify(lanes));
}

struct Rectify<'a>(&'a mut [Lane]);

impl Work for Rectify<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        for lane in self.0 {
            // SAFETY: the lane is a reference; the caller guarantees the instructions.
            unsafe { V::load(lane).larger(V::splat(0.0)).store(lane) }
        }
    }
}

/// The terms of the features of all spots of one position.
#[derive(Clone, Copy, Debug)]
pub struct SpotSums<'a> {
    /// A row of lanes for each spot.
    pub spots: &'a [Lane],
    /// A row of lanes that is added to every spot.
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
    /// Returns where spots lie on their lines.
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

/// Writes, for each spot, the sum of its own row, the row added everywhere and its parts of the rows of its three
/// lines, with negative numbers replaced with zero.
///
/// # Panics
/// If `to` does not have a row for each spot, or a line's row is too short.
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
                // SAFETY: each part has `width` lanes; the caller guarantees the instructions.
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
        // SAFETY: the lanes exist; the caller guarantees the instructions.
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

/// Pools the `LANES` lanes from `first` on, all at once, since each addition has to wait for the one before.
///
/// # Safety
/// The rows must have the lanes, `to` those for means and maxima, and the processor must have the instructions.
#[inline(always)]
unsafe fn pool_lanes<V: Vector, const LANES: usize>(rows: &[Lane], to: &mut [Lane], first: usize) {
    let width = to.len() / 2;
    let share = 1.0 / (rows.len() / width) as f32;
    // SAFETY: as required of the caller.
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
pub(super) mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::infer::lanes::{LANE, padded};

    pub fn lanes(rng: &mut ChaCha8Rng, count: usize) -> Vec<Lane> {
        padded(&(0..count * LANE).map(|_| rng.random::<f32>() - 0.5).collect::<Vec<_>>())
    }

    pub fn close(found: &[Lane], expected: impl Fn(usize, usize) -> f64) {
        for (number, lane) in found.iter().enumerate() {
            for (place, &value) in lane.0.iter().enumerate() {
                let expected = expected(number, place);
                assert!((f64::from(value) - expected).abs() < 1e-5, "{number}, {place}: {value} {expected}");
            }
        }
    }

    /// Runs a kernel with all instructions, and returns the result, which must be the same bits.
    pub fn with_all(start: &[Lane], run: impl Fn(Instructions, &mut [Lane])) -> Vec<Lane> {
        let results = Instructions::available().map(|set| {
            let mut lanes = start.to_vec();
            run(set, &mut lanes);
            lanes
        });
        results.reduce(|one, other| if one == other { one } else { panic!("instructions differ") }).unwrap()
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
    #[should_panic(expected = "lines have lanes for their spots")]
    fn rows_too_short_are_refused() {
        let through = Through::new(vec![[(0, 0), (0, 1), (0, 0)]]);
        let (spots, everywhere, rows) = (&[Lane::ZERO], &[Lane::ZERO], &[&[Lane::ZERO][..]]);
        let sums = SpotSums { spots, everywhere, rows, through: &through };
        sum_spots(Instructions::detect(), sums, &mut [Lane::ZERO]);
    }
}

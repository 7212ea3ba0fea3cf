//! Products of all inputs, zero or not, four by four.

use super::{FOUR, PackedInt8, RowScales, Scaled};
use crate::infer::kernel::tiles::{PANEL, Tiled, Tiles, finish, lane_of_panels, lanes_of_panel};
use crate::infer::kernel::{Instructions, Target, Vector, Weights, dispatch};
use crate::infer::lanes::LANE;

/// The number of fours of inputs in a short segment: one lane.
const SHORT: usize = LANE / FOUR;

/// Packs the weights of `[segment, input, output]`, each segment padded to whole fours, and outputs to whole lanes. They
/// are cut into panels of two lanes (the last may have one); a panel holds its weights by fours of inputs.
pub fn pack(segments: usize, fours: usize, lanes: usize, weight: impl Fn(usize, usize, usize) -> i8) -> Vec<Weights> {
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
    packed
}

/// Arguments that have passed [`check`](super::check).
#[derive(Clone, Copy)]
pub struct Product<'a> {
    pub matrix: &'a PackedInt8,
    pub rows: Scaled<'a>,
}

impl Product<'_> {
    /// Multiplies, and writes the outputs.
    ///
    /// # Panics
    /// If they lie beyond the target.
    pub fn write(self, set: Instructions, target: &mut Target) {
        #[cfg(target_arch = "x86_64")]
        if set == Instructions::Amx && set.is_available() && self.suits_tiles(target.offsets.len()) {
            target.check(self.lanes());
            // SAFETY: all that it requires has just been checked.
            return unsafe { self.write_by_tiles(target) };
        }
        dispatch(set, Tiles::new(self, target));
    }
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
        let Self { matrix, rows: scaled } = self;
        let (rows, fours) = (scaled.rows, matrix.inputs.div_ceil(FOUR));
        // SAFETY: each panel has its lanes for every four of inputs, and the panels before it have `first` lanes in all;
        // `check` has compared taps, offsets and scales with the lengths of the slices, and a lane of bytes has four fours.
        unsafe {
            let length = matrix.segments * fours;
            let panel = matrix.fours.as_ptr().add(first * length);
            let mut sums = [[V::nothing(); LANES]; ROWS];
            for (number, &tap) in rows.taps.iter().enumerate() {
                let weights = panel.add(tap * fours * lanes_of_panel(LANES));
                let mut sources = [rows.source.as_ptr().cast::<[u8; FOUR]>(); ROWS];
                for (index, source) in sources.iter_mut().enumerate() {
                    let offset = rows.offsets.nth((row + index) * rows.taps.len() + number);
                    *source = source.add(offset * (LANE / FOUR));
                }
                let panels = Panels { weights, length };
                // Segments of 16 inputs are so short that a loop of unknown length would cost as much as their products.
                match fours {
                    SHORT => accumulate::<V, ROWS, LANES>(&mut sums, sources, panels, SHORT),
                    fours => accumulate::<V, ROWS, LANES>(&mut sums, sources, panels, fours),
                }
            }
            let mut scales = RowScales::from(row, scaled);
            for (row, sums) in (row..).zip(&sums) {
                let scale = scales.of(row);
                let mut floats = [V::splat(0.0); LANES];
                for (lane, float) in floats.iter_mut().enumerate() {
                    *float = matrix.floats(first + lane, sums[lane], scale);
                }
                let offset = target.offsets.nth(row);
                finish(&floats, target.lanes.as_mut_ptr().add(offset + first), target.finish);
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

//! How products go through their outputs: panel by panel of lanes, and within each panel tile by tile of rows.

use super::{Lane, Offsets, Target, Vector, Work};

/// The number of lanes of a panel; the last may have one.
pub const PANEL: usize = 2;

/// The number of lanes whose sums are kept at once where there is only one row: its sums are few, and each addition has
/// to wait for the one before.
const LANES_OF_ONE_ROW: usize = 2 * PANEL;

/// The number of rows of a board that tiles of eight leave over.
const LAST_ROWS: usize = 5;

/// Returns the number of lanes of each panel of a tile of this many lanes.
pub const fn lanes_of_panel(lanes: usize) -> usize {
    if lanes < PANEL { lanes } else { PANEL }
}

/// Returns where the lane of a tile begins in panels of this many inputs.
#[inline(always)]
pub const fn lane_of_panels(lane: usize, inputs: usize) -> usize {
    lane / PANEL * PANEL * inputs + lane % PANEL
}

/// A product that has passed its checks, so that each of its tiles can be computed.
pub trait Tiled: Copy {
    /// Returns the number of outputs in lanes.
    fn lanes(self) -> usize;

    /// Computes the outputs of the `LANES` lanes from lane `first` on, a panel or several whole ones, for `ROWS` rows from
    /// `row` on, and writes them to the target.
    ///
    /// # Safety
    /// The panels and the rows must exist, and the processor must have the vector's instructions.
    unsafe fn tile<V: Vector, const ROWS: usize, const LANES: usize>(
        self,
        first: usize,
        row: usize,
        target: &mut Target,
    );
}

/// All tiles of a product.
pub struct Tiles<'a, 'b, T> {
    product: T,
    target: &'a mut Target<'b>,
}

impl<'a, 'b, T: Tiled> Tiles<'a, 'b, T> {
    /// Returns the tiles of a product whose sources have been checked.
    ///
    /// # Panics
    /// If its outputs reach beyond the target.
    pub fn new(product: T, target: &'a mut Target<'b>) -> Self {
        target.check(product.lanes());
        Self { product, target }
    }
}

/// Returns whether all places are at most this one.
pub fn within(offsets: Offsets, reach: Option<usize>) -> bool {
    offsets.most().is_none_or(|most| reach >= Some(most))
}

impl<T: Tiled> Work for Tiles<'_, '_, T> {
    #[inline(always)]
    unsafe fn run<V: Vector, const ROWS: usize>(self) {
        let Self { product, target } = self;
        let mut first = 0;
        // SAFETY: the panels exist; the caller guarantees the instructions.
        unsafe {
            while target.offsets.len() == 1 && first + LANES_OF_ONE_ROW <= product.lanes() {
                product.tile::<V, 1, LANES_OF_ONE_ROW>(first, 0, target);
                first += LANES_OF_ONE_ROW;
            }
            while first < product.lanes() {
                if first + PANEL <= product.lanes() {
                    panel::<V, T, ROWS, PANEL>(product, first, target);
                } else {
                    panel::<V, T, ROWS, 1>(product, first, target);
                }
                first += PANEL;
            }
        }
    }
}

/// Computes the outputs of one panel for all rows. The rows left over after the full tiles go into ever smaller ones.
///
/// # Safety
/// The panel must exist, and the processor must have the instructions.
#[inline(always)]
unsafe fn panel<V: Vector, T: Tiled, const ROWS: usize, const LANES: usize>(
    product: T,
    first: usize,
    target: &mut Target,
) {
    let count = target.offsets.len();
    let mut row = 0;
    // SAFETY: as required of the caller; the rows of each tile are below `count`.
    unsafe {
        while row + ROWS <= count {
            product.tile::<V, ROWS, LANES>(first, row, target);
            row += ROWS;
        }
        // The 37 spots of a board are four tiles of eight rows and this one.
        if ROWS > LAST_ROWS && row + LAST_ROWS == count {
            return product.tile::<V, LAST_ROWS, LANES>(first, row, target);
        }
        while row + 2 <= count {
            product.tile::<V, 2, LANES>(first, row, target);
            row += 2;
        }
        if row < count {
            product.tile::<V, 1, LANES>(first, row, target);
        }
    }
}

/// What is done with a row's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// They replace what was there.
    Store,
    /// They replace what was there, negative ones set to zero.
    Rectify,
    /// They are added to what was there.
    Add,
    /// They are added to what was there, and negative sums are set to zero.
    AddRectified,
}

/// Writes the outputs of one row.
///
/// # Safety
/// `LANES` lanes must be writable at `to`, and the processor must have the instructions.
#[inline(always)]
pub unsafe fn finish<V: Vector, const LANES: usize>(sums: &[V; LANES], to: *mut Lane, finish: Finish) {
    for (lane, &sum) in sums.iter().enumerate() {
        // SAFETY: as required of the caller.
        unsafe {
            let to = to.add(lane);
            match finish {
                Finish::Store => sum.store(to),
                Finish::Rectify => sum.larger(V::splat(0.0)).store(to),
                Finish::Add => V::load(to).add(sum).store(to),
                Finish::AddRectified => V::load(to).add(sum).larger(V::splat(0.0)).store(to),
            }
        }
    }
}

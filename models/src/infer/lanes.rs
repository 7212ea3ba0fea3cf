//! Numbers in aligned groups of sixteen: one cache line, one AVX-512 register.

/// The number of floats of a [`Lane`].
pub const LANE: usize = 16;

/// Sixteen floats that share a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lane(pub [f32; LANE]);

impl Lane {
    /// Sixteen zeros.
    pub const ZERO: Self = Self([0.0; LANE]);

    /// Returns up to sixteen values, and zeros after them.
    #[inline]
    pub fn padded(values: &[f32]) -> Self {
        let mut lane = Self::ZERO;
        lane.0[..values.len()].copy_from_slice(values);
        lane
    }

    /// Adds another lane to this one.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        // All sums before the first is written: the compiler cannot always see that the lanes are two, and then would add
        // number by number.
        self.0 = std::array::from_fn(|number| self.0[number] + other.0[number]);
    }
}

/// Sixteen small integers, the numbers of a [`Lane`] divided by a scale and rounded: 0 to [`MOST_BYTE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Int8Lane(pub [u8; LANE]);

impl Int8Lane {
    /// Sixteen zeros.
    pub const ZERO: Self = Self([0; LANE]);
}

/// The largest number of an [`Int8Lane`]: with seven bits, the sum of two products with eight bits fits into sixteen,
/// on any machine.
pub const MOST_BYTE: f32 = 127.0;

/// Returns values as lanes, the last one filled up with zeros.
pub fn padded(values: &[f32]) -> Vec<Lane> {
    values.chunks(LANE).map(Lane::padded).collect()
}

/// Adds a row of lanes to another.
#[cfg(feature = "learn")]
#[inline]
pub fn add(to: &mut [Lane], row: &[Lane]) {
    to.iter_mut().zip(row).for_each(|(sum, lane)| sum.add(lane));
}

/// Returns one of the floats of a row of lanes.
#[inline(always)]
pub fn at(lanes: &[Lane], index: usize) -> f32 {
    lanes[index / LANE].0[index % LANE]
}

/// Copies the first floats of a row of lanes.
#[inline]
pub fn copy_floats(lanes: &[Lane], to: &mut [f32]) {
    for (lane, to) in lanes.iter().zip(to.chunks_mut(LANE)) {
        to.copy_from_slice(&lane.0[..to.len()]);
    }
}

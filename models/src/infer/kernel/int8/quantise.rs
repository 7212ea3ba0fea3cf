//! Rounding to bytes.

use crate::infer::kernel::{Instructions, Vector, Work, dispatch};
use crate::infer::lanes::{Int8Lane, Lane, MOST_BYTE};

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

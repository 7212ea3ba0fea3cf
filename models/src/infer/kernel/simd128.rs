//! The kernels with the vector instructions of WebAssembly, for a browser.
//!
//! They have no fused multiply-add. A product of two 32-bit floats is exact in 64 bits, so it remains to round the sum once
//! instead of twice. Rounding it to 64 bits first does no harm unless the result lies exactly between two 32-bit floats;
//! such lanes are computed again, by the standard library. (Results below 2⁻¹²⁶ have fewer bits, and are not considered.)

#![expect(clippy::undocumented_unsafe_blocks, reason = "a comment above says so for all functions")]

use std::arch::wasm32::{
    f32x4_add, f32x4_convert_i32x4, f32x4_demote_f64x2_zero, f32x4_ne, f32x4_nearest, f32x4_pmax, f32x4_splat,
    f64x2_add, f64x2_mul, f64x2_promote_low_f32x4, i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i16x8_narrow_i32x4,
    i32x4_add, i32x4_bitmask, i32x4_dot_i16x8, i32x4_shuffle, i32x4_splat, i32x4_trunc_sat_f32x4, i64x2_eq,
    i64x2_splat, u8x16_narrow_i16x8, v128, v128_and, v128_any_true, v128_load, v128_or, v128_store,
};
use std::array::from_fn;

use super::{Int8Lane, LANE, Lane, Vector, Weights, Work};

/// Does work with these instructions: a module that has them runs only where they exist.
pub fn with_simd128(work: impl Work) {
    // SAFETY: the module was compiled with the instructions.
    unsafe { work.run::<Quarters, 2>() }
}

/// The number of registers of a lane.
const QUARTERS: usize = 4;
/// The number of floats in a register.
const NUMBERS: usize = 4;
/// The bits of a 64-bit float that a 32-bit float lacks, and their value in the middle between two 32-bit floats.
const LACKING: [i64; 2] = [(1 << 29) - 1, 1 << 28];

#[derive(Clone, Copy)]
struct Quarters([v128; QUARTERS]);

/// Returns the upper half of a register, in the lower one.
#[inline(always)]
fn upper(numbers: v128) -> v128 {
    i32x4_shuffle::<2, 3, 0, 1>(numbers, numbers)
}

/// Returns `sum + a · b` of the lower halves, rounded to 64 bits, and which of them lie in the middle.
#[inline(always)]
fn summed([sum, a, b]: [v128; 3]) -> [v128; 2] {
    let product = f64x2_mul(f64x2_promote_low_f32x4(a), f64x2_promote_low_f32x4(b));
    let sum = f64x2_add(product, f64x2_promote_low_f32x4(sum));
    let [mask, middle] = LACKING.map(|bits| i64x2_splat(bits));
    [sum, i64x2_eq(v128_and(sum, mask), middle)]
}

#[cold]
#[inline(never)]
fn fused_each(sum: Quarters, a: Quarters, b: Quarters) -> Quarters {
    let [sum, a, b] = [sum, a, b].map(numbers_of);
    let fused = Lane(from_fn(|i| a.0[i].mul_add(b.0[i], sum.0[i])));
    // SAFETY: the lane is readable.
    unsafe { Quarters::load(&raw const fused) }
}

fn numbers_of(quarters: Quarters) -> Lane {
    let mut lane = Lane::ZERO;
    // SAFETY: the lane is writable.
    unsafe { quarters.store(&raw mut lane) };
    lane
}

// SAFETY (all functions): called only within `with_simd128`, with pointers to whole lanes.
impl Vector for Quarters {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([f32x4_splat(value); QUARTERS])
    }

    #[inline(always)]
    unsafe fn load(from: *const Lane) -> Self {
        let from = from.cast::<v128>();
        Self(from_fn(|i| unsafe { v128_load(from.add(i)) }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Lane) {
        let to = to.cast::<v128>();
        for (i, quarter) in self.0.into_iter().enumerate() {
            unsafe { v128_store(to.add(i), quarter) }
        }
    }

    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        let mut middle = i64x2_splat(0);
        let fused = from_fn(|i| {
            let three = [self.0[i], a.0[i], b.0[i]];
            let [[low, low_middle], [high, high_middle]] = [three, three.map(upper)].map(summed);
            middle = v128_or(middle, v128_or(low_middle, high_middle));
            i32x4_shuffle::<0, 1, 4, 5>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high))
        });
        if v128_any_true(middle) { fused_each(self, a, b) } else { Self(fused) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(from_fn(|i| f32x4_add(self.0[i], other.0[i])))
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        Self(from_fn(|i| f32x4_pmax(other.0[i], self.0[i])))
    }

    #[inline(always)]
    unsafe fn store_int8(self, to: *mut Int8Lane) {
        let [a, b, c, d] = self.0.map(|quarter| i32x4_trunc_sat_f32x4(f32x4_nearest(quarter)));
        let bytes = u8x16_narrow_i16x8(i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d));
        unsafe { v128_store(to.cast(), bytes) }
    }

    #[inline(always)]
    unsafe fn nonzero(from: *const f32) -> u16 {
        let quarter = |i: usize| {
            let numbers = unsafe { v128_load(from.add(NUMBERS * i).cast()) };
            u16::from(i32x4_bitmask(f32x4_ne(numbers, f32x4_splat(0.0)))) << (NUMBERS * i)
        };
        (0..LANE / NUMBERS).fold(0, |bits, i| bits | quarter(i))
    }

    type Whole = [v128; QUARTERS];

    #[inline(always)]
    unsafe fn nothing() -> Self::Whole {
        [i32x4_splat(0); QUARTERS]
    }

    #[inline(always)]
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole {
        let weights = weights.cast::<v128>();
        // Numbers below 128 are the same as signed numbers.
        let four = i16x8_extend_low_i8x16(i32x4_splat(i32::from_le_bytes(four)));
        from_fn(|i| {
            let weights = unsafe { v128_load(weights.add(i)) };
            let low = i32x4_dot_i16x8(four, i16x8_extend_low_i8x16(weights));
            let high = i32x4_dot_i16x8(four, i16x8_extend_high_i8x16(weights));
            let halves = i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high));
            i32x4_add(sums[i], halves)
        })
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        Self(whole.map(|quarter| f32x4_convert_i32x4(quarter)))
    }
}

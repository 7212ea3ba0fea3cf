//! The kernels with the vector instructions of 64-bit ARM.

#![expect(clippy::undocumented_unsafe_blocks, reason = "a comment above says so for all functions")]

use std::arch::aarch64::{
    float32x4_t, int32x4_t, vaddq_f32, vaddvq_u32, vbicq_u32, vbslq_f32, vceqzq_f32, vcgtq_f32, vcombine_u8,
    vcombine_u16, vcvtnq_u32_f32, vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vfmaq_f32, vget_low_s8, vld1q_f32, vld1q_s8,
    vld1q_u32, vmovn_u16, vmovn_u32, vmull_high_s8, vmull_s8, vpadalq_s16, vpaddq_s16, vreinterpretq_s8_s32, vst1q_f32,
    vst1q_u8,
};
use std::array::from_fn;

use super::{Int8Lane, Lane, Vector, Weights, Work};

/// Does work with NEON: two rows of two lanes keep sixteen of the thirty-two registers busy with sums.
#[target_feature(enable = "neon")]
pub unsafe fn with_neon(work: impl Work) {
    // SAFETY: the caller has detected the instructions.
    unsafe { work.run::<Quarters, 2>() }
}

/// The number of registers of a lane.
const QUARTERS: usize = 4;
/// The number of floats in a register.
const NUMBERS: usize = 4;

#[derive(Clone, Copy)]
struct Quarters([float32x4_t; QUARTERS]);

// SAFETY (all functions): called only within `with_neon`, with pointers to whole lanes.
impl Vector for Quarters {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([unsafe { vdupq_n_f32(value) }; QUARTERS])
    }

    #[inline(always)]
    unsafe fn load(from: *const Lane) -> Self {
        let from = from.cast::<f32>();
        Self(from_fn(|i| unsafe { vld1q_f32(from.add(NUMBERS * i)) }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Lane) {
        let to = to.cast::<f32>();
        for (i, quarter) in self.0.into_iter().enumerate() {
            unsafe { vst1q_f32(to.add(NUMBERS * i), quarter) }
        }
    }

    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        Self(from_fn(|i| unsafe { vfmaq_f32(self.0[i], a.0[i], b.0[i]) }))
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(from_fn(|i| unsafe { vaddq_f32(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // The maximum of NEON treats NaN and zeros of both signs differently.
        Self(from_fn(|i| unsafe { vbslq_f32(vcgtq_f32(self.0[i], other.0[i]), self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    unsafe fn store_int8(self, to: *mut Int8Lane) {
        unsafe {
            let [a, b, c, d] = self.0.map(|quarter| vmovn_u32(vcvtnq_u32_f32(quarter)));
            let [low, high] = [vcombine_u16(a, b), vcombine_u16(c, d)].map(|half| vmovn_u16(half));
            vst1q_u8(to.cast(), vcombine_u8(low, high));
        }
    }

    #[inline(always)]
    unsafe fn nonzero(from: *const f32) -> u16 {
        unsafe {
            let bits = vld1q_u32([1, 2, 4, 8].as_ptr());
            let quarter = |i: usize| {
                let zero = vceqzq_f32(vld1q_f32(from.add(NUMBERS * i)));
                vaddvq_u32(vbicq_u32(bits, zero)) << (NUMBERS * i)
            };
            (quarter(0) | quarter(1) | quarter(2) | quarter(3)) as u16
        }
    }

    type Whole = [int32x4_t; QUARTERS];

    #[inline(always)]
    unsafe fn nothing() -> Self::Whole {
        [unsafe { vdupq_n_s32(0) }; QUARTERS]
    }

    #[inline(always)]
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole {
        let weights = weights.cast::<i8>();
        unsafe {
            // Numbers below 128 are the same as signed numbers.
            let four = vreinterpretq_s8_s32(vdupq_n_s32(i32::from_le_bytes(four)));
            from_fn(|i| {
                let weights = vld1q_s8(weights.add(4 * NUMBERS * i));
                let low = vmull_s8(vget_low_s8(four), vget_low_s8(weights));
                // 2 · 127 · 127 fits into sixteen bits, so nothing wraps round.
                vpadalq_s16(sums[i], vpaddq_s16(low, vmull_high_s8(four, weights)))
            })
        }
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        Self(whole.map(|quarter| unsafe { vcvtq_f32_s32(quarter) }))
    }
}

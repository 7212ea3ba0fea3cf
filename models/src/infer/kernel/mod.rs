//! Sums and products of lanes with the widest vector instructions that the machine has.
//!
//! Every kernel is one generic loop, compiled for each set of instructions: AVX-512, AVX2 with FMA, NEON, those of
//! WebAssembly, and plain code. Each output is one chain of fused multiply-adds in the order of the inputs, whatever
//! the instructions and whatever rows are computed next to it. So all instructions give the same bits, and a row's
//! result does not depend on its batch. Only products of bytes have other loops too, whose sums are exact: for rows that
//! are mostly zeros, and for AMX.

use std::array::from_fn;

use self::int8::{Row, place};
use crate::infer::lanes::{Int8Lane, LANE, Lane};

mod int8;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(feature = "learn")]
mod outer;
mod product;
mod row_terms;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod sums;
mod terms;
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use int8::{ByteTerms, PackedInt8, Scaled, product_int8, quantise};
#[cfg(feature = "learn")]
pub use outer::{Pairs, add_outer, add_rows, pass_rectifier};
#[cfg(test)]
pub use product::Listed;
pub use product::{Gather, OffsetList, Offsets, Packed, Target};
pub use row_terms::{RowTerms, product_of_few};
pub use sums::{SpotSums, Through, add_everywhere, pool, prefetch, rectify, sum_spots};
pub use terms::{add_scaled, add_whole, nonzero, nonzero_terms};
pub use tiles::Finish;

/// The least numbers of a row among which zeros are left out: of 32 too few are saved.
const LEAST_NUMBERS: usize = 64;
/// The share of all numbers that may be other than zero, for products of those to be faster.
const MOST_SHARE: f32 = 0.4;

/// Which instructions the kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// AMX for products of bytes, AVX-512 otherwise.
    Amx,
    /// AVX-512 with F, BW and VNNI: sixteen numbers at once.
    Avx512,
    /// AVX2 and FMA: eight numbers at once.
    Avx2,
    /// NEON of 64-bit ARM: four numbers at once.
    Neon,
    /// Those of WebAssembly: four numbers at once.
    Simd128,
    /// One number at a time, on any machine.
    Scalar,
}

impl Instructions {
    /// Returns the best that this machine has.
    pub fn detect() -> Self {
        Self::available().next().expect("scalar code runs anywhere")
    }

    /// Returns whether it is faster to leave out zeros among many numbers: where a product of one takes several
    /// instructions, or half as many lanes fit into the registers.
    fn leaves_out_zeros(self) -> bool {
        self == Self::Avx2
    }

    /// Iterates over all that this machine has, the best first.
    pub fn available() -> impl Iterator<Item = Self> {
        let all = [Self::Amx, Self::Avx512, Self::Avx2, Self::Neon, Self::Simd128, Self::Scalar];
        all.into_iter().filter(|set| set.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Self::Amx => int8::has_amx(),
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
                    && Self::Avx2.is_available()
            }
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Self::Neon | Self::Simd128 => false,
            Self::Scalar => true,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn is_available(self) -> bool {
        match self {
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Self::Amx | Self::Avx512 | Self::Avx2 | Self::Simd128 => false,
            Self::Scalar => true,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn is_available(self) -> bool {
        self == if cfg!(target_feature = "simd128") { Self::Simd128 } else { Self::Scalar }
    }
}

/// One lane in the registers of a processor.
trait Vector: Copy {
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const Lane) -> Self;
    unsafe fn store(self, to: *mut Lane);
    /// Returns `self + a · b`, rounded once.
    unsafe fn fused(self, a: Self, b: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// Returns the larger number of each pair, the other's if they are equal or one is NaN.
    unsafe fn larger(self, other: Self) -> Self;
    /// Rounds numbers from 0 to 127 to integers, ties to even.
    unsafe fn store_int8(self, to: *mut Int8Lane);

    /// Returns a bit for each of sixteen numbers, anywhere in memory: whether it is not zero.
    unsafe fn nonzero(from: *const f32) -> u16;

    /// Sixteen integers of 32 bits.
    type Whole: Copy;
    unsafe fn nothing() -> Self::Whole;
    /// Adds to each number the products of four numbers below 128 with four of its own weights.
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole;
    unsafe fn numbers(whole: Self::Whole) -> Self;

    /// Adds to the numbers of two lanes the products of four numbers below 128 with the weights in four rows.
    #[inline(always)]
    unsafe fn dot_rows(sums: [Self::Whole; 2], four: [u8; 4], rows: [*const Row; 4]) -> [Self::Whole; 2] {
        // SAFETY: the caller's rows are readable.
        let weight = |output, input: usize| unsafe { (*rows[input]).0[place(output)] };
        let lane = |lane: usize| Weights(from_fn(|output| from_fn(|input| weight(lane * LANE + output, input))));
        // SAFETY: the caller guarantees the instructions.
        unsafe { [Self::dot(sums[0], four, &lane(0)), Self::dot(sums[1], four, &lane(1))] }
    }

    /// Writes the bytes of a lane that are not zero one after the other, and next to them their numbers, counted from
    /// `first`, as 16 bits with the lowest byte first. Returns how many there are; up to sixteen places may be written.
    #[inline(always)]
    unsafe fn terms(from: *const Int8Lane, first: u16, bytes: *mut u8, inputs: *mut u16) -> usize {
        // SAFETY: the caller's lane is readable, and sixteen places are writable.
        unsafe {
            let mut count = 0;
            for (input, &byte) in (first..).zip((*from).0.iter()).filter(|&(_, &byte)| byte != 0) {
                bytes.add(count).write(byte);
                inputs.add(count).write(input.to_le());
                count += 1;
            }
            count
        }
    }
}

/// Four weights for each of sixteen outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Weights([[i8; 4]; LANE]);

/// A kernel: a loop over lanes that knows its arguments.
trait Work {
    /// Does the work, `ROWS` rows at a time where that matters.
    ///
    /// # Safety
    /// The processor must have the vector's instructions.
    unsafe fn run<V: Vector, const ROWS: usize>(self);
}

/// Does work with some instructions, or without any if the machine lacks them.
fn dispatch(set: Instructions, work: impl Work) {
    match set {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Instructions::Amx | Instructions::Avx512 if set.is_available() => unsafe { x86::with_avx512(work) },
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 if set.is_available() => unsafe { x86::with_avx2(work) },
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "aarch64")]
        Instructions::Neon if set.is_available() => unsafe { neon::with_neon(work) },
        // In a module that a page fetches, one of the two is enough.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        _ => simd128::with_simd128(work),
        // SAFETY: plain code needs no special instructions.
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        _ => unsafe { work.run::<Plain, 2>() },
    }
}

/// A lane without vector instructions: the twin that the others are tested against.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), expect(dead_code, reason = "never the best"))]
#[derive(Clone, Copy)]
struct Plain([f32; LANE]);

impl Vector for Plain {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; LANE])
    }

    #[inline(always)]
    unsafe fn load(from: *const Lane) -> Self {
        // SAFETY: the caller's lane is readable.
        Self(unsafe { (*from).0 })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Lane) {
        // SAFETY: the caller's lane is writable.
        unsafe { (*to).0 = self.0 }
    }

    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        Self(from_fn(|i| a.0[i].mul_add(b.0[i], self.0[i])))
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[inline(always)]
    unsafe fn store_int8(self, to: *mut Int8Lane) {
        // SAFETY: the caller's place is writable.
        unsafe { *to = Int8Lane(self.0.map(|value| value.round_ties_even() as u8)) }
    }

    #[inline(always)]
    unsafe fn nonzero(from: *const f32) -> u16 {
        // SAFETY: the caller's numbers are readable.
        (0..LANE).fold(0, |bits, i| bits | u16::from(unsafe { *from.add(i) } != 0.0) << i)
    }

    type Whole = [i32; LANE];

    #[inline(always)]
    unsafe fn nothing() -> Self::Whole {
        [0; LANE]
    }

    #[inline(always)]
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole {
        // SAFETY: the caller's weights are readable.
        let weights = unsafe { (*weights).0 };
        let dot = |weights: [i8; 4]| (0..4).map(|i| i32::from(four[i]) * i32::from(weights[i])).sum::<i32>();
        from_fn(|output| sums[output] + dot(weights[output]))
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        Self(whole.map(|value| value as f32))
    }
}

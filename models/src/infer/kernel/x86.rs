//! The kernels with the vector instructions of x86-64.

#![expect(clippy::undocumented_unsafe_blocks, reason = "a comment above says so for all functions")]

use std::arch::x86_64::{
    __m256, __m256i, __m512, __m512i, _CMP_NEQ_UQ, _mm_packus_epi16, _mm_store_si128, _mm256_add_epi32, _mm256_add_ps,
    _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_extracti128_si256,
    _mm256_fmadd_ps, _mm256_load_ps, _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_max_ps, _mm256_movemask_ps, _mm256_packs_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_store_ps, _mm512_add_ps,
    _mm512_cmp_ps_mask, _mm512_cvtepi32_epi8, _mm512_cvtepi32_ps, _mm512_cvtps_epi32, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_load_ps, _mm512_load_si512, _mm512_loadu_ps, _mm512_max_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_store_ps,
};

use super::{Int8Lane, Lane, Vector, Weights, Work};

/// Does work with AVX-512: eight rows of two lanes keep sixteen sums in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
pub unsafe fn with_avx512(work: impl Work) {
    // SAFETY: the caller has detected the instructions.
    unsafe { work.run::<Wide, 8>() }
}

/// Does work with AVX2: two rows of two lanes keep eight sums in registers; three would spill.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn with_avx2(work: impl Work) {
    // SAFETY: the caller has detected the instructions.
    unsafe { work.run::<Halves, 2>() }
}

#[derive(Clone, Copy)]
struct Wide(__m512);

// SAFETY (all functions): called only within `with_avx512`, with pointers to whole, aligned lanes.
impl Vector for Wide {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(_mm512_set1_ps(value)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Lane) -> Self {
        unsafe { Self(_mm512_load_ps(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Lane) {
        unsafe { _mm512_store_ps(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        unsafe { Self(_mm512_fmadd_ps(a.0, b.0, self.0)) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm512_add_ps(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        unsafe { Self(_mm512_max_ps(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn store_int8(self, to: *mut Int8Lane) {
        unsafe { _mm_store_si128(to.cast(), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(self.0))) }
    }

    #[inline(always)]
    unsafe fn nonzero(from: *const f32) -> u16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(_mm512_loadu_ps(from), _mm512_setzero_ps()) }
    }

    type Whole = __m512i;

    #[inline(always)]
    unsafe fn nothing() -> Self::Whole {
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole {
        unsafe {
            let four = _mm512_set1_epi32(i32::from_le_bytes(four));
            _mm512_dpbusd_epi32(sums, four, _mm512_load_si512(weights.cast()))
        }
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        unsafe { Self(_mm512_cvtepi32_ps(whole)) }
    }
}

#[derive(Clone, Copy)]
struct Halves(__m256, __m256);

// SAFETY (all functions): called only within `with_avx2`, with pointers to whole, aligned lanes.
impl Vector for Halves {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        let value = unsafe { _mm256_set1_ps(value) };
        Self(value, value)
    }

    #[inline(always)]
    unsafe fn load(from: *const Lane) -> Self {
        let from = from.cast::<f32>();
        unsafe { Self(_mm256_load_ps(from), _mm256_load_ps(from.add(8))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Lane) {
        let to = to.cast::<f32>();
        unsafe {
            _mm256_store_ps(to, self.0);
            _mm256_store_ps(to.add(8), self.1);
        }
    }

    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        unsafe { Self(_mm256_fmadd_ps(a.0, b.0, self.0), _mm256_fmadd_ps(a.1, b.1, self.1)) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn store_int8(self, to: *mut Int8Lane) {
        unsafe {
            // Packing works on halves of a register; the permutation restores the order.
            let sixteen_bits = _mm256_packs_epi32(_mm256_cvtps_epi32(self.0), _mm256_cvtps_epi32(self.1));
            let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(sixteen_bits);
            let [low, high] = [_mm256_castsi256_si128(ordered), _mm256_extracti128_si256::<1>(ordered)];
            _mm_store_si128(to.cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn nonzero(from: *const f32) -> u16 {
        unsafe {
            let halves = [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))];
            let bits = halves.map(|half| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(half, _mm256_setzero_ps())));
            (bits[0] | bits[1] << 8) as u16
        }
    }

    type Whole = [__m256i; 2];

    #[inline(always)]
    unsafe fn nothing() -> Self::Whole {
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    unsafe fn dot(sums: Self::Whole, four: [u8; 4], weights: *const Weights) -> Self::Whole {
        let weights = weights.cast::<__m256i>();
        unsafe {
            let four = _mm256_set1_epi32(i32::from_le_bytes(four));
            let halves = [_mm256_load_si256(weights), _mm256_load_si256(weights.add(1))];
            // 2 · 127 · 127 fits into sixteen bits, so nothing saturates.
            let pairs = halves.map(|weights| _mm256_maddubs_epi16(four, weights));
            let fours = pairs.map(|pairs| _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
            [_mm256_add_epi32(sums[0], fours[0]), _mm256_add_epi32(sums[1], fours[1])]
        }
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        unsafe { Self(_mm256_cvtepi32_ps(whole[0]), _mm256_cvtepi32_ps(whole[1])) }
    }
}

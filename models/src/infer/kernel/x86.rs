//! The kernels with the vector instructions of x86-64.

#![expect(clippy::undocumented_unsafe_blocks, reason = "a comment above says so for all functions")]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, __m512, __m512i, _CMP_NEQ_UQ, _mm_add_epi16, _mm_cmpeq_epi8, _mm_cvtepu8_epi16,
    _mm_load_si128, _mm_loadl_epi64, _mm_movemask_epi8, _mm_packus_epi16, _mm_set1_epi16, _mm_setzero_si128,
    _mm_shuffle_epi8, _mm_srli_si128, _mm_store_si128, _mm_storel_epi64, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_add_ps, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvtps_epi32,
    _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_load_ps, _mm256_load_si256, _mm256_loadu_ps, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_max_ps, _mm256_movemask_ps, _mm256_packs_epi32, _mm256_permute4x64_epi64,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_store_ps,
    _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm512_add_ps,
    _mm512_cmp_ps_mask, _mm512_cvtepi32_epi8, _mm512_cvtepi32_ps, _mm512_cvtps_epi32, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_load_ps, _mm512_load_si512, _mm512_loadu_ps, _mm512_max_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_store_ps,
};

use super::{Int8Lane, Lane, Row, Vector, Weights, Work};

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

/// One lane in a register of AVX-512.
#[derive(Clone, Copy)]
pub struct Wide(__m512);

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
            [dot(sums[0], four, halves[0]), dot(sums[1], four, halves[1])]
        }
    }

    #[inline(always)]
    unsafe fn numbers(whole: Self::Whole) -> Self {
        unsafe { Self(_mm256_cvtepi32_ps(whole[0]), _mm256_cvtepi32_ps(whole[1])) }
    }

    #[inline(always)]
    unsafe fn dot_rows(sums: [Self::Whole; 2], four: [u8; 4], rows: [*const Row; 4]) -> [Self::Whole; 2] {
        unsafe {
            let [a, b, c, d] = rows.map(|row| _mm256_load_si256(row.cast()));
            let [low, high] = [_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)];
            let [next_low, next_high] = [_mm256_unpacklo_epi8(c, d), _mm256_unpackhi_epi8(c, d)];
            let four = _mm256_set1_epi32(i32::from_le_bytes(four));
            let [[first, second], [third, fourth]] = sums;
            [
                [
                    dot(first, four, _mm256_unpacklo_epi16(low, next_low)),
                    dot(second, four, _mm256_unpackhi_epi16(low, next_low)),
                ],
                [
                    dot(third, four, _mm256_unpacklo_epi16(high, next_high)),
                    dot(fourth, four, _mm256_unpackhi_epi16(high, next_high)),
                ],
            ]
        }
    }

    #[inline(always)]
    unsafe fn terms(from: *const Int8Lane, first: u16, bytes: *mut u8, inputs: *mut u16) -> usize {
        unsafe {
            let lane = _mm_load_si128(from.cast());
            let zero = _mm_movemask_epi8(_mm_cmpeq_epi8(lane, _mm_setzero_si128()));
            let [low, high] = [!zero & 0xff, !zero >> 8 & 0xff].map(|bits| bits as usize);
            write_terms(lane, low, first, bytes, inputs);
            let count = low.count_ones() as usize;
            write_terms(_mm_srli_si128::<8>(lane), high, first + 8, bytes.add(count), inputs.add(count));
            count + high.count_ones() as usize
        }
    }
}

/// Adds to each number the products of four bytes below 128 with its four weights.
#[inline(always)]
unsafe fn dot(sums: __m256i, four: __m256i, weights: __m256i) -> __m256i {
    unsafe {
        // 2 · 127 · 127 fits into sixteen bits, so nothing saturates.
        let pairs = _mm256_maddubs_epi16(four, weights);
        _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
}

/// Writes those of the first eight bytes whose bits are set, and their numbers counted from `first`.
#[inline(always)]
unsafe fn write_terms(eight: __m128i, bits: usize, first: u16, bytes: *mut u8, inputs: *mut u16) {
    unsafe {
        let places = _mm_loadl_epi64(PLACES[bits].as_ptr().cast());
        _mm_storel_epi64(bytes.cast(), _mm_shuffle_epi8(eight, places));
        let numbers = _mm_add_epi16(_mm_cvtepu8_epi16(places), _mm_set1_epi16(first as i16));
        _mm_storeu_si128(inputs.cast(), numbers);
    }
}

/// For each set of eight bits, the places of those that are set.
static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if bits >> bit & 1 == 1 {
                places[bits][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        bits += 1;
    }
    places
};

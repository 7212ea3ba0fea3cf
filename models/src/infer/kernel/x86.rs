//! The kernels with the vector instructions of x86-64.

use std::arch::x86_64::{
    __m256, __m512, _mm256_add_ps, _mm256_fmadd_ps, _mm256_load_ps, _mm256_max_ps, _mm256_set1_ps, _mm256_store_ps,
    _mm512_add_ps, _mm512_fmadd_ps, _mm512_load_ps, _mm512_max_ps, _mm512_set1_ps, _mm512_store_ps,
};

use super::{Lane, Vector, Work};

/// Does work with AVX-512: eight rows of two lanes keep sixteen sums in registers.
#[target_feature(enable = "avx512f,avx2,fma")]
pub unsafe fn with_avx512(work: impl Work) {
    // SAFETY: the caller has found the instructions.
    unsafe { work.run::<Wide, 8>() }
}

/// Does work with AVX2: two rows of two lanes keep eight sums in registers; three would spill.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn with_avx2(work: impl Work) {
    // SAFETY: the caller has found the instructions.
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
}

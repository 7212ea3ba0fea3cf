//! Planes and masks written with AVX-512, if the machine has it: sixteen values of a plane, or 64 of a mask, at once.

use crate::position::Player;
use crate::rules::{GipfPosition, MaskEntry};

/// Writes the planes of a position as [`observation::write`](crate::observation::write) does, and returns true; or does
/// nothing and returns false.
#[inline]
pub(crate) fn write(position: &GipfPosition, viewer: Player, planes: &mut [f32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has the instructions.
        #[expect(unsafe_code, reason = "the compiler may not use them everywhere")]
        unsafe {
            x86::write(position, viewer, planes);
        }
        return true;
    }
    _ = (position, viewer, planes);
    false
}

/// Writes the bits of a word to a part of a mask, and returns true; or does nothing and returns false.
#[inline]
pub(crate) fn write_bits<E: MaskEntry>(word: u64, mask: &mut [E; 64]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the machine has the instructions.
        #[expect(unsafe_code, reason = "the compiler may not use them everywhere")]
        unsafe {
            x86::write_bits(word, mask);
        }
        return true;
    }
    _ = (word, mask);
    false
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "kernels")]
mod x86 {
    use std::arch::x86_64::{
        __m512, _mm512_maskz_mov_ps, _mm512_maskz_set1_epi8, _mm512_set1_ps, _mm512_storeu_ps, _mm512_storeu_si512,
        _pext_u64,
    };
    use std::slice::IterMut;

    use crate::bitboard::Bitboard;
    use crate::observation::{self, CELLS, Writer};
    use crate::position::Player;
    use crate::rules::{GipfPosition, MaskEntry};

    /// The number of values in a register.
    const LANES: usize = 16;
    /// The bits of a bitboard that are cells of a plane.
    const COLUMNS: u64 = 0x007f_7f7f_7f7f_7f7f;

    #[target_feature(enable = "avx512f,bmi2")]
    pub fn write(position: &GipfPosition, viewer: Player, planes: &mut [f32]) {
        observation::write(position, viewer, &mut Wide(planes.as_chunks_mut().0.iter_mut()));
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn write_bits<E: MaskEntry>(word: u64, mask: &mut [E; 64]) {
        const { assert!(size_of::<E>() == 1) }
        // SAFETY: the mask has 64 bytes, and the zeros and ones written to it are valid entries.
        unsafe { _mm512_storeu_si512(mask.as_mut_ptr().cast(), _mm512_maskz_set1_epi8(word, 1)) }
    }

    /// Writes plane after plane; constructed only within `write`.
    struct Wide<'a>(IterMut<'a, [f32; CELLS]>);

    impl Writer for Wide<'_> {
        #[inline(always)]
        fn spots(&mut self, spots: Bitboard) {
            // SAFETY: `write` has the instructions.
            unsafe {
                let cells = _pext_u64(spots.bits(), COLUMNS);
                let part = |number| _mm512_maskz_mov_ps((cells >> (number * LANES)) as u16, _mm512_set1_ps(1.0));
                self.plane([part(0), part(1), part(2)], f32::from((cells >> (3 * LANES)) as u8));
            }
        }

        #[inline(always)]
        fn fill(&mut self, value: f32) {
            // SAFETY: `write` has the instructions.
            unsafe { self.plane([_mm512_set1_ps(value); 3], value) }
        }
    }

    impl Wide<'_> {
        /// Writes the first 48 values and the last one.
        #[inline(always)]
        unsafe fn plane(&mut self, parts: [__m512; 3], last: f32) {
            let plane = self.0.next().expect("the slice has the layout's planes");
            let (places, rest) = plane.as_chunks_mut::<LANES>();
            for (place, part) in places.iter_mut().zip(parts) {
                // SAFETY: the caller has the instructions, and the place is as large as a register.
                unsafe { _mm512_storeu_ps(place.as_mut_ptr(), part) }
            }
            rest[0] = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::observation::{self, layout};
    use crate::rules::Variant;

    /// The instructions write what plain code writes; checks nothing on a machine that lacks them.
    #[test]
    fn planes_and_masks_are_those_of_plain_code() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for variant in Variant::ALL {
            let mut position = GipfPosition::start(variant);
            let size = layout(variant).size();
            for place in 0..300 {
                let (mut wide, mut plain) = (vec![f32::NAN; size + 16], vec![f32::NAN; size]);
                let wide = &mut wide[place % 16..][..size];
                let viewer = [Player::White, Player::Black][place % 2];
                observation::write_plain(&position, viewer, &mut plain);
                assert!(!write(&position, viewer, wide) || wide == plain, "{position:?}");
                let legal = position.action_set();
                let Some(action) = legal.nth(rng.random_range(0..legal.len().max(1))) else { break };
                position.play_unchecked(action);
            }
        }
        for word in [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef] {
            let mut mask = [word % 2 == 0; 64];
            let plain: [bool; 64] = std::array::from_fn(|bit| word >> bit & 1 == 1);
            assert!(!write_bits(word, &mut mask) || mask == plain, "{word:x}");
        }
    }
}

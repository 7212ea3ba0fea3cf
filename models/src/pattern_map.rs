//! Maps from the patterns on lines.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from patterns. Nobody chooses them to make it slow, so a simple hash is enough.
pub(crate) type PatternMap<T> = HashMap<u32, T, BuildHasherDefault<PatternHasher>>;

/// Multiplies, and mixes the upper half into the lower.
#[derive(Debug, Default)]
pub(crate) struct PatternHasher(u64);

impl Hasher for PatternHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        let product = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

//! The number that stands for a position in histories and tables.

use std::hash::{Hash, Hasher};

use super::{GipfPosition, Phase};

impl GipfPosition {
    /// Returns a number that stands for board, side to move, reserves, entry rights and the state of the turn.
    ///
    /// Equal positions have equal keys; that different ones do is a chance of 2⁻⁶⁴.
    pub fn key(&self) -> u64 {
        let [white, black] = self.board.colours;
        let mut hasher = Mix(0);
        for word in [white, black, self.board.gipfs, self.board.loaded, self.board.used] {
            hasher.write_u64(word.0);
        }
        let bytes = [
            self.reserves[0],
            self.reserves[1],
            self.potentials[0],
            self.potentials[1],
            u8::from(self.gipf_rights[0]) | u8::from(self.gipf_rights[1]) << 1,
            self.to_move as u8,
            self.phase as u8,
            self.turn_of as u8,
        ];
        hasher.write_u64(u64::from_le_bytes(bytes));
        if self.phase != Phase::Push {
            hasher.write_u64(u64::from(self.handled.0) | u64::from(self.choices.0) << 32);
            hasher.write_u64(self.pending.0);
            hasher.write_u64(self.question.0);
            if self.variant.is_push_off() {
                self.evaluation.words().into_iter().for_each(|word| hasher.write_u64(word));
            }
        }
        hasher.finish()
    }
}

/// Hashes the key: what tells positions apart in nearly all tables.
impl Hash for GipfPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// Folds words by a multiplication whose high and low halves are combined.
struct Mix(u64);

impl Mix {
    /// An odd number with bits all over: the fractional part of the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
}

impl Hasher for Mix {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from((self.0 ^ word).wrapping_add(Self::FACTOR)) * u128::from(Self::FACTOR);
        self.0 = (self.0.rotate_left(23) ^ product as u64).wrapping_add((product >> 64) as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(Self::FACTOR);
        mixed ^ mixed >> 29
    }
}

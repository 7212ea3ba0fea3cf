//! The number that stands for a position in histories and tables.

use std::hash::{Hash, Hasher};

use super::{GipfPosition, Hands, Phase};

impl GipfPosition {
    /// Returns a number that stands for board, side to move, reserves, entry rights and the state of the turn.
    ///
    /// Equal positions have equal keys; that different ones do is a chance of 2⁻⁶⁴.
    pub fn key(&self) -> u64 {
        let [white, black] = self.board.colours;
        let Hands { reserves, potentials, gipf_rights, entered } = self.hands;
        let bytes = [
            reserves[0],
            reserves[1],
            potentials[0],
            potentials[1],
            u8::from(gipf_rights[0]),
            u8::from(gipf_rights[1]),
            u8::from(entered[0]),
            u8::from(entered[1]),
        ];
        // No spot has a bit in the highest byte.
        let turn = (self.to_move as u64 | (self.phase as u64) << 1 | (self.turn_of as u64) << 3) << 56;
        let key = folded(white.0 ^ SALTS[0], black.0 ^ SALTS[1]);
        let mut key = folded(key ^ self.board.gipfs.0 ^ turn, u64::from_le_bytes(bytes) ^ SALTS[2]);
        if self.variant.has_zertz() {
            key = folded(key ^ self.board.loaded.0, self.board.used.0 ^ SALTS[3]);
        }
        if self.phase != Phase::Push {
            key = folded(key ^ u64::from(self.removal.handled.0) << 32, u64::from(self.removal.choices.0) ^ SALTS[4]);
            key = folded(key ^ self.removal.pending.0, self.removal.question.0 ^ SALTS[5]);
            key = self.removal.evaluation.words().into_iter().fold(key, |key, word| folded(key ^ word, SALTS[6]));
        }
        key
    }
}

/// Hashes the key: what tells positions apart in nearly all tables.
impl Hash for GipfPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// Odd words without pattern: the square roots of 2, 3, 5, 7, 11, 13 and 17, after the point, with the
/// lowest bit set.
const SALTS: [u64; 7] = [
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
];

/// Multiplies two words and folds the product, so that every bit of both bears on every bit of the result (as in wyhash).
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

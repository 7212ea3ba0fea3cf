//! The number that stands for a position in histories and tables.

use std::hash::{Hash, Hasher};

use crate::bitboard::Bitboard;
use crate::position::Player;

use super::{GipfPosition, Phase};

impl GipfPosition {
    /// Returns a number that stands for board, side to move, reserves, entry rights, potentials and the state of the turn.
    ///
    /// Positions that agree in these have equal keys; others have equal keys with probability 2⁻⁶⁴.
    #[inline]
    pub fn key(&self) -> u64 {
        let [white, black] = self.now.board.colours;
        // No spot has a bit in the highest byte.
        let turn = (self.now.to_move as u64 | (self.now.phase as u64) << 1 | (self.now.turn_of as u64) << 3) << 56;
        let key = folded(white.0 ^ SALTS[0], black.0 ^ SALTS[1]);
        let mut key = folded(key ^ self.now.board.gipfs.0 ^ turn, self.now.hands.word() ^ SALTS[2]);
        if self.now.variant.has_zertz() {
            key = folded(key ^ self.now.board.loaded.0, self.now.board.used.0 ^ SALTS[3]);
        }
        if self.now.phase == Phase::Push { key } else { self.with_removal(key) }
    }

    /// Returns a number that stands for what the player to move is shown, and for their legal actions: two positions
    /// of one rule set with the same number differ at most in earlier positions and in the player's colour.
    ///
    /// Two positions that differ otherwise have the same number with probability 2⁻¹²⁸.
    pub fn view_key(&self) -> u128 {
        let (words, count) = self.view_words();
        let half = |first: usize| {
            let pairs = words[..count].chunks_exact(2).enumerate();
            pairs.fold(SALTS[first], |key, (at, pair)| {
                folded(key ^ pair[first], pair[1 - first] ^ SALTS[(2 + 3 * first + at) % SALTS.len()])
            })
        };
        u128::from(half(0)) << 64 | u128::from(half(1))
    }

    /// Returns the words of the view key and their number; those of the removal come last, where there is one.
    fn view_words(&self) -> ([u64; 12], usize) {
        let (now, me) = (&self.now, self.now.to_move);
        let hands = if me == Player::White { now.hands } else { now.hands.swapped() };
        let earlier = if now.phase == Phase::Push { now.occurrences } else { 0 };
        let turn = now.phase as u64 | u64::from(now.turn_of == me) << 2 | u64::from(earlier) << 3;
        // As in the observation: past the limit, one placement counts as left.
        let left = now.placement_limit.map_or(0, |limit| limit.saturating_sub(now.placements).max(1));
        let [low, high] = left.to_le_bytes();
        let mut words = [0; 12];
        let board = [now.board.pieces_of(me), now.board.pieces_of(me.other()), now.board.gipfs];
        words[..3].copy_from_slice(&board.map(Bitboard::bits));
        // No spot has a bit in the highest byte.
        words[2] |= turn << 56;
        words[3] = hands.word();
        words[4] = now.board.loaded.0 | u64::from(low) << 56;
        words[5] = now.board.used.0 | u64::from(high) << 56;
        if now.phase == Phase::Push {
            return (words, 6);
        }
        let evaluation = now.removal.evaluation;
        let evaluation = if me == Player::White { evaluation } else { evaluation.with_players_exchanged() };
        words[6] = u64::from(now.removal.handled.0) << 32 | u64::from(now.removal.choices.0);
        words[7] = now.removal.pending.0;
        words[8] = now.removal.question.0;
        words[9..].copy_from_slice(&evaluation.words());
        (words, 12)
    }

    /// Returns the key with the state of the removal mixed in.
    fn with_removal(&self, key: u64) -> u64 {
        let key =
            folded(key ^ u64::from(self.now.removal.handled.0) << 32, u64::from(self.now.removal.choices.0) ^ SALTS[4]);
        let key = folded(key ^ self.now.removal.pending.0, self.now.removal.question.0 ^ SALTS[5]);
        self.now.removal.evaluation.words().into_iter().fold(key, |key, word| folded(key ^ word, SALTS[6]))
    }
}

/// Hashes the key, which distinguishes all positions in nearly every table.
impl Hash for GipfPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// Odd words without a pattern: the fractional parts of the square roots of 2, 3, 5, 7, 11, 13 and 17, with the lowest
/// bit set.
const SALTS: [u64; 7] = [
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
];

/// Multiplies two words and folds the product, so that every bit of both affects every bit of the result (as in
/// wyhash).
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hash;

    use super::*;
    use crate::rules::board::Board;
    use crate::rules::rows::Lines;
    use crate::rules::variant::Variant;

    type Change = fn(&mut GipfPosition);

    const SPOT: Bitboard = Bitboard(1);
    const LINE: Lines = Lines(1);
    /// Changes of one thing that both keys stand for. Random games do not lead to positions that differ in one thing alone.
    const CHANGES: [Change; 14] = [
        |_| (),
        |position| position.now.turn_of = Player::Black,
        |position| position.now.phase = Phase::Pre,
        |position| position.now.hands.give_back(Player::White, 1),
        |position| position.now.board.colours[0] = SPOT,
        |position| position.now.board.colours[1] = SPOT,
        |position| position.now.board.gipfs = SPOT,
        |position| position.now.board.loaded = SPOT,
        |position| position.now.board.used = SPOT,
        |position| position.now.removal.handled = LINE,
        |position| position.now.removal.choices = LINE,
        |position| position.now.removal.pending = SPOT,
        |position| position.now.removal.question = SPOT,
        |position| position.now.removal.evaluation.hand = LINE,
    ];
    /// A view does not show the colour of the player to move, and it has the placement limit in two bytes.
    const OF_KEYS: [Change; 1] = [|position| position.now.to_move = Player::Black];
    const OF_VIEWS: [Change; 2] =
        [|position| position.now.placement_limit = Some(44), |position| position.now.placement_limit = Some(300)];

    fn all_differ<T: Eq + Hash>(key: fn(&GipfPosition) -> T, also: &[Change]) -> bool {
        let mut removal = GipfPosition::start(Variant::BASIC.with_zertz());
        (removal.now.phase, removal.now.board) = (Phase::Post, Board::default());
        let changed = |change: &Change| {
            let mut position = removal.clone();
            change(&mut position);
            key(&position)
        };
        let changes = CHANGES.iter().chain(also);
        changes.clone().map(changed).collect::<HashSet<_>>().len() == changes.count()
    }

    #[test]
    fn keys_stand_for_each_thing_alone() {
        assert!(all_differ(GipfPosition::key, &OF_KEYS));
        assert!(all_differ(GipfPosition::view_key, &OF_VIEWS));
    }
}

//! Sets of legal actions as bits, in the numbering of section 6.

use crate::action::{ACTIONS, Action, JUMPS, KEEP, LEAVE, PUSH_GIPF, PUSH_LOADED, REMOVE, ROWS, TAKE};
use crate::geometry::{Direction, Spot};
use crate::observation::wide_planes;
use crate::position::ActionIndex;

use super::rows::Lines;

const WORDS: usize = ACTIONS.div_ceil(64);
const _: () = assert!(PUSH_GIPF / 64 == 1 && PUSH_LOADED / 64 == 1, "both begin in the second word");

/// A set of actions: one bit for each action index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActionSet([u64; WORDS]);

/// An entry of a mask in one byte: a bool, or 1 where an action is legal and 0 elsewhere.
pub(crate) trait MaskEntry: Copy + From<bool> {}
impl MaskEntry for bool {}
impl MaskEntry for u8 {}

/// For each byte, which of its bits are set: masks and planes are written eight entries at a time.
static BITS: [[bool; 8]; 256] = {
    let mut bits = [[false; 8]; 256];
    let mut at = 0;
    while at < 8 * 256 {
        bits[at / 8][at % 8] = (at / 8) >> (at % 8) & 1 == 1;
        at += 1;
    }
    bits
};

/// Returns the bits of a byte, the lowest first.
#[inline]
pub(crate) fn bits_of<E: MaskEntry>(byte: u8) -> [E; 8] {
    BITS[usize::from(byte)].map(E::from)
}

impl ActionSet {
    /// Returns the number of actions in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Returns whether an action is in the set.
    #[inline]
    pub fn contains(&self, action: Action) -> bool {
        let index = action.index().get();
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Iterates over the indices in the set, ascending.
    #[inline]
    pub fn indices(self) -> impl Iterator<Item = ActionIndex> {
        let (mut number, mut word) = (0, self.0[0]);
        std::iter::from_fn(move || {
            while word == 0 {
                number += 1;
                word = *self.0.get(number)?;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(ActionIndex((64 * number + bit) as u16))
        })
    }

    /// Returns the action with the n-th lowest index, counted from 0, if there are enough.
    #[inline]
    pub fn nth(&self, n: usize) -> Option<Action> {
        let mut rest = n;
        for (number, &word) in self.0.iter().enumerate() {
            let count = word.count_ones() as usize;
            if rest < count {
                let index = 64 * number as u32 + nth_bit(word, rest as u32);
                return Action::from_index(ActionIndex(index as u16));
            }
            rest -= count;
        }
        None
    }

    /// Writes the set as a mask, true where an action is in it.
    #[inline]
    pub fn write_mask(&self, mask: &mut [bool]) {
        self.write_entries(mask);
    }

    #[inline]
    pub(crate) fn write_entries<E: MaskEntry>(&self, mask: &mut [E]) {
        let (parts, last) = mask.as_chunks_mut::<64>();
        let mut words = self.0.iter().copied().chain(std::iter::repeat(0));
        for (part, word) in parts.iter_mut().zip(&mut words) {
            if !wide_planes::write_bits(word, part) {
                write_bits(word, part);
            }
        }
        write_bits(words.next().unwrap_or(0), last);
    }

    /// Returns the set as words of 64 bits, lowest index first.
    #[inline]
    pub const fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the pushes of singles, GIPF-pieces and loaded pieces at these entries.
    ///
    /// The words are built at once: written one by one and then read as a whole, they would make the read stall.
    #[inline]
    pub(super) const fn pushes(singles: u64, gipfs: u64, loaded: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = singles;
        words[PUSH_GIPF / 64] = gipfs << (PUSH_GIPF % 64) | loaded << (PUSH_LOADED % 64);
        words[PUSH_LOADED / 64 + 1] = loaded >> (64 - PUSH_LOADED % 64);
        Self(words)
    }

    pub(super) fn add_jump(&mut self, spot: Spot, direction: Direction) {
        let index = JUMPS + 6 * spot.index() + direction.index();
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub(super) fn rows(lines: Lines) -> Self {
        let mut set = Self::default();
        set.0[0] = u64::from(lines.0) << ROWS;
        set
    }

    #[inline]
    pub(super) fn keep_or_take() -> Self {
        let mut set = Self::default();
        set.0[KEEP / 64] |= 1 << (KEEP % 64);
        set.0[TAKE / 64] |= 1 << (TAKE % 64);
        set
    }

    pub(super) fn leave_or_remove() -> Self {
        let mut set = Self::default();
        set.0[LEAVE / 64] |= 1 << (LEAVE % 64);
        set.0[REMOVE / 64] |= 1 << (REMOVE % 64);
        set
    }
}

/// Writes the bits of a word to a part of a mask, 64 entries or fewer.
#[inline]
fn write_bits<E: MaskEntry>(word: u64, part: &mut [E]) {
    let bytes = word.to_le_bytes();
    let (eights, rest) = part.as_chunks_mut();
    for (eight, byte) in eights.iter_mut().zip(bytes) {
        *eight = bits_of(byte);
    }
    for (place, entry) in rest.iter_mut().enumerate() {
        *entry = E::from(word >> (8 * eights.len() + place) & 1 == 1);
    }
}

/// Returns the place of the n-th lowest set bit of a word that has more than n (Vigna, "Broadword implementation of
/// rank/select queries", 2008, algorithm 2): the byte from running counts of the bytes, then the bit from a table.
#[inline]
fn nth_bit(word: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let running = bytes.wrapping_mul(ONES);
    // The high bit of a byte is set where the bytes up to it have no more than n.
    let passed = ((((u64::from(n) * ONES) | HIGH) - running) & HIGH).count_ones();
    let before = running << 8 >> (8 * passed) & 0xff;
    let byte = word >> (8 * passed) & 0xff;
    8 * passed + u32::from(NTH_BIT_OF_BYTE[byte as usize][(n - before as u32) as usize & 7])
}

const NTH_BIT_OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][found] = bit as u8;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn bits_are_numbered_from_the_lowest() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let words = (0..1000).map(|number| rng.next_u64() & if number % 2 == 0 { rng.next_u64() } else { u64::MAX });
        for word in words.chain([u64::MAX, 1, 1 << 63]) {
            let places = (0..64).filter(|place| word >> place & 1 == 1);
            assert!(places.enumerate().all(|(n, place)| nth_bit(word, n as u32) == place), "{word:x}");
        }
    }

    #[test]
    fn actions_are_numbered_from_the_lowest() {
        let set = ActionSet([5, 0, 1 << 63, 0, 0, 7]);
        let listed: Vec<_> = set.indices().filter_map(Action::from_index).collect();
        assert_eq!(listed, (0..set.len()).filter_map(|n| set.nth(n)).collect::<Vec<_>>());
        assert!([set.len(), 1 << 32, usize::MAX].iter().all(|&n| set.nth(n).is_none()));
    }

    #[test]
    fn a_mask_of_any_length_is_written_whole() {
        let mut set = ActionSet::pushes(0x155, 0x3ff, 1 << 41 | 1);
        set.add_jump(Spot::from_index(36), Direction::NW);
        let members: Vec<_> = set.indices().map(ActionIndex::get).collect();
        assert_eq!(members.len(), set.len());
        for length in 0..500 {
            let (mut mask, mut bytes) = (vec![true; length], vec![7_u8; length]);
            set.write_mask(&mut mask);
            set.write_entries(&mut bytes);
            let expected: Vec<_> = (0..length).map(|index| members.contains(&index)).collect();
            assert_eq!(mask, expected, "{length}");
            assert!(bytes.into_iter().eq(expected.into_iter().map(u8::from)), "{length}");
        }
    }
}

//! The transposition table: the results of the search for positions that occur again.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use gipf_env::ActionIndex;

use super::evaluation::Score;

/// The relation of a stored score to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The score is exact.
    Exact,
    /// The true score is this or more.
    AtLeast,
    /// The true score is this or less.
    AtMost,
}

/// The result for one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The score for the player to move.
    pub score: Score,
    /// The relation of the score to the true one.
    pub bound: Bound,
    /// The number of turns that the search looked ahead, including those of captures only.
    pub turns: u8,
    /// The best action found, or the one that was too good.
    pub action: ActionIndex,
}

impl Entry {
    /// Returns the score if it decides a search of this many turns within this window.
    #[inline]
    pub fn cutoff(self, turns: usize, alpha: Score, beta: Score) -> Option<Score> {
        let settles = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => self.score >= beta,
            Bound::AtMost => self.score <= alpha,
        };
        (settles && usize::from(self.turns) >= turns).then_some(self.score)
    }
}

/// A hash table of fixed size, in which new entries replace old ones. Several threads may use it at once, without locks.
///
/// A slot is two words, of which the first is the key of the position xor the second. A slot that two threads have written
/// at once has a key of no position, or of one that is not asked for, and counts as empty (Hyatt and Mann, A lockless
/// transposition table implementation for parallel search, ICGA Journal 25, 2002).
#[derive(Debug)]
pub struct Table {
    slots: Arc<[Slot]>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The key of the position, xor `entry`.
    check: AtomicU64,
    /// The packed entry; 0 if there is none.
    entry: AtomicU64,
}

impl Table {
    /// Creates a table of 2^`bits` entries, 16 bytes each.
    pub fn new(bits: u32) -> Self {
        Self { slots: (0..1_usize << bits).map(|_| Slot::default()).collect() }
    }

    /// Returns the binary logarithm of the number of entries.
    pub fn bits(&self) -> u32 {
        self.slots.len().ilog2()
    }

    /// Returns the same table, for another thread.
    pub fn shared(&self) -> Self {
        Self { slots: Arc::clone(&self.slots) }
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        for slot in &*self.slots {
            slot.set(0, 0);
        }
    }

    /// Returns what is known about the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.slot(key).get(key)
    }

    /// Stores an entry, unless there is a deeper one about the same position.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
        let slot = self.slot(key);
        if slot.get(key).is_none_or(|old| old.turns <= entry.turns) {
            slot.set(key, packed(entry));
        }
    }

    #[inline]
    fn slot(&self, key: u64) -> &Slot {
        &self.slots[key as usize & (self.slots.len() - 1)]
    }
}

impl Slot {
    #[inline]
    fn get(&self, key: u64) -> Option<Entry> {
        let entry = self.entry.load(Relaxed);
        (entry != 0 && self.check.load(Relaxed) == key ^ entry).then(|| unpacked(entry))
    }

    #[inline]
    fn set(&self, key: u64, entry: u64) {
        self.check.store(key ^ entry, Relaxed);
        self.entry.store(entry, Relaxed);
    }
}

const ACTION: u32 = 32;
const TURNS: u32 = 48;
const BOUND: u32 = 56;
/// Set in every packed entry, so that none is 0.
const FULL: u64 = 1 << 63;

#[inline]
const fn packed(entry: Entry) -> u64 {
    let Entry { score, bound, turns, action } = entry;
    let word = score.cast_unsigned() as u64 | (action.0 as u64) << ACTION | (turns as u64) << TURNS;
    FULL | word | (bound as u64) << BOUND
}

#[inline]
const fn unpacked(word: u64) -> Entry {
    let bound = match (word >> BOUND) & 3 {
        0 => Bound::Exact,
        1 => Bound::AtLeast,
        _ => Bound::AtMost,
    };
    let (turns, action) = ((word >> TURNS) as u8, ActionIndex((word >> ACTION) as u16));
    Entry { score: (word as u32).cast_signed(), bound, turns, action }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_until_displaced() {
        let entry = |turns| Entry { score: 7, bound: Bound::AtLeast, turns, action: ActionIndex(3) };
        let mut table = Table::new(4);
        table.put(5, entry(3));
        assert_eq!(table.get(5), Some(entry(3)));
        assert_eq!(table.get(5 + 16), None, "another position in the same slot");
        table.put(5, entry(2));
        assert_eq!(table.get(5), Some(entry(3)), "the deeper entry stays");
        table.put(5 + 16, entry(0));
        assert_eq!(table.get(5), None);
        table.clear();
        assert_eq!(table.get(5 + 16), None);
    }

    #[test]
    fn entries_are_small() {
        assert_eq!(size_of::<Slot>(), 16);
    }

    #[test]
    fn entries_survive_packing() {
        for bound in [Bound::Exact, Bound::AtLeast, Bound::AtMost] {
            for (score, turns, action) in [(0, 0, 0), (-1, 255, u16::MAX), (1_000_000, 7, 372), (Score::MIN, 64, 1)] {
                let entry = Entry { score, bound, turns, action: ActionIndex(action) };
                assert_eq!(unpacked(packed(entry)), entry);
                assert_ne!(packed(entry), 0);
            }
        }
    }

    /// Each entry says which key it belongs to; an entry found under another key was torn.
    #[test]
    fn what_threads_write_at_once_is_never_mixed() {
        let table = Table::new(3);
        let entry =
            |key: u64| Entry { score: key as Score, bound: Bound::Exact, turns: 1, action: ActionIndex(key as u16) };
        let found = std::thread::scope(|scope| {
            let work = |first: u64| {
                let table = table.shared();
                move || {
                    let keys = (0..400_000_u64).map(|step| 1 + (first + 7 * step) % 61);
                    keys.filter(|&key| {
                        table.put(key, entry(key));
                        let other = 1 + (key * 5) % 61;
                        let found = table.get(other);
                        assert!(found.is_none_or(|found| found == entry(other)), "{other}: {found:?}");
                        found.is_some()
                    })
                    .count()
                }
            };
            let threads: Vec<_> = (0..4).map(|first| scope.spawn(work(first))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_bound_settles_only_windows_on_its_side() {
        let entry = |bound| Entry { score: 7, bound, turns: 2, action: ActionIndex(0) };
        assert_eq!(entry(Bound::Exact).cutoff(2, 0, 100), Some(7));
        assert_eq!(entry(Bound::Exact).cutoff(3, 0, 100), None, "not deep enough");
        assert_eq!(entry(Bound::AtLeast).cutoff(1, 0, 7), Some(7));
        assert_eq!(entry(Bound::AtLeast).cutoff(1, 0, 8), None);
        assert_eq!(entry(Bound::AtMost).cutoff(1, 7, 100), Some(7));
        assert_eq!(entry(Bound::AtMost).cutoff(1, 6, 100), None);
    }
}

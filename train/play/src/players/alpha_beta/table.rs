//! The transposition table: what the search found out about positions, to be used when they come up again.

use gipf_env::ActionIndex;

use super::evaluation::Score;

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The score is true.
    Exact,
    /// The true score is this or more.
    AtLeast,
    /// The true score is this or less.
    AtMost,
}

/// What was found out about one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The score for the player to move.
    pub score: Score,
    /// How the score relates to the true one.
    pub bound: Bound,
    /// How many turns the search looked ahead, those of captures only included.
    pub turns: u8,
    /// The best action found, or the one that was too good.
    pub action: ActionIndex,
}

impl Entry {
    /// Returns the score if it settles what a search of so many turns within this window would find.
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

/// A hash table of fixed size, in which new entries displace old ones.
#[derive(Clone, Debug)]
pub struct Table {
    slots: Vec<Option<Slot>>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    entry: Entry,
}

impl Table {
    /// Creates a table of 2^`bits` entries, 16 bytes each.
    pub fn new(bits: u32) -> Self {
        Self { slots: vec![None; 1 << bits] }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }

    /// Returns what is known about the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.slots[self.index(key)].filter(|slot| slot.key == key).map(|slot| slot.entry)
    }

    /// Remembers an entry, unless there is a deeper one about the same position.
    #[inline]
    pub fn put(&mut self, key: u64, entry: Entry) {
        let index = self.index(key);
        let slot = &mut self.slots[index];
        if slot.is_none_or(|old| old.key != key || old.entry.turns <= entry.turns) {
            *slot = Some(Slot { key, entry });
        }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }
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
        assert_eq!(size_of::<Option<Slot>>(), 16);
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

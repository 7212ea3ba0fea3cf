//! The results of a search, for positions that occur again.

/// A hash table that grows up to a limit; then entries that took little work are replaced.
#[derive(Debug)]
pub(super) struct Table<T> {
    slots: Vec<Slot<T>>,
    used: usize,
    most_slots: usize,
    most_bytes: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot<T> {
    /// 0 in a vacant slot.
    key: u64,
    /// The number of positions visited to find this.
    work: u32,
    known: T,
}

/// The number of slots in which an entry may lie.
const BUCKET: usize = 4;
const LEAST_SLOTS: usize = 1 << 12;

impl<T: Copy + Default> Table<T> {
    /// Creates a table of at most this many bytes, but never fewer than some hundred thousand.
    pub fn new(bytes: usize) -> Self {
        // While it grows, the old slots and the new ones, twice as many, exist together.
        let affordable = (bytes / size_of::<Slot<T>>() * 2 / 3).max(LEAST_SLOTS);
        let most_slots = 1 << affordable.ilog2();
        let slots = vec![Slot::default(); LEAST_SLOTS];
        Self { slots, used: 0, most_slots, most_bytes: LEAST_SLOTS * size_of::<Slot<T>>() }
    }

    /// Returns the most bytes that the table has taken.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Returns what is known under a key, which is not 0.
    #[inline]
    pub fn get(&self, key: u64) -> Option<T> {
        let first = self.bucket(key);
        self.slots[first..first + BUCKET].iter().find(|slot| slot.key == key).map(|slot| slot.known)
    }

    /// Stores what is known under a key, and how many positions it took.
    pub fn put(&mut self, key: u64, known: T, work: u64) {
        if 2 * self.used > self.slots.len() && 2 * self.slots.len() <= self.most_slots {
            self.grow();
        }
        self.insert(Slot { key, work: work.min(u64::from(u32::MAX)) as u32, known });
    }

    fn insert(&mut self, slot: Slot<T>) {
        let first = self.bucket(slot.key);
        let bucket = &mut self.slots[first..first + BUCKET];
        let same = bucket.iter().position(|old| old.key == slot.key);
        let least = || (0..BUCKET).min_by_key(|&place| bucket[place].work).expect("a bucket has slots");
        let place = same.unwrap_or_else(least);
        self.used += usize::from(bucket[place].key == 0);
        bucket[place] = slot;
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); 2 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        self.most_bytes = (old.len() + self.slots.len()) * size_of::<Slot<T>>();
        self.used = 0;
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            self.insert(slot);
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20 & (self.slots.len() - 1) & !(BUCKET - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_while_there_is_room_and_the_limit_is_kept() {
        let mut table = Table::new(1 << 20);
        for key in 1..=10_000_u64 {
            table.put(key, key, 1);
        }
        let lost = (1..=10_000).filter(|&key| table.get(key) != Some(key)).count();
        assert!(lost < 500, "{lost} of 10000");
        table.put(77, 5, 1 << 40);
        for key in 1..=1_000_000 {
            table.put(key << 20 | 1, key, 1);
        }
        assert_eq!(table.get(77), Some(5), "much work stays");
        assert!((1 << 18..=1 << 20).contains(&table.most_bytes()), "{}", table.most_bytes());
    }
}

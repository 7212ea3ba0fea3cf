//! Keys in the order in which they were found, and their numbers.

/// The marker of a slot without a key.
const FREE: u32 = u32::MAX;

/// A set of keys that numbers them from 0: 8 bytes a key, and 5 to 12 for its slot.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyIndex {
    keys: Vec<u64>,
    /// The numbers of the keys, each in the first free slot at or after that of its hash; their count is a power of
    /// two.
    slots: Vec<u32>,
}

impl KeyIndex {
    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the bytes that the keys and their slots take.
    pub fn bytes(&self) -> usize {
        size_of::<u64>() * self.keys.capacity() + size_of::<u32>() * self.slots.capacity()
    }

    /// Iterates over the keys in the order of their numbers.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().copied()
    }

    /// Returns the number of a key.
    pub fn get(&self, key: u64) -> Option<u32> {
        let slot = self.slots.get(self.slot_of(key))?;
        (*slot != FREE).then_some(*slot)
    }

    /// Returns the number of a key, and whether it is new.
    ///
    /// # Panics
    /// If it would be the 2³¹st.
    pub fn insert(&mut self, key: u64) -> (u32, bool) {
        if self.keys.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot_of(key);
        if self.slots[slot] != FREE {
            return (self.slots[slot], false);
        }
        assert!(self.keys.len() < 1 << 31, "a table numbers its positions with 31 bits");
        let number = self.keys.len() as u32;
        self.slots[slot] = number;
        self.keys.push(key);
        (number, true)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (2 * self.slots.len()).max(16)];
        for number in 0..self.keys.len() {
            let slot = self.slot_of(self.keys[number]);
            self.slots[slot] = number as u32;
        }
    }

    /// Returns the slot of a key, or the free one in which it belongs; 0 where there are no slots.
    fn slot_of(&self, key: u64) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        // The golden ratio spreads keys that differ in few bits; the highest bits of the product depend on all of them.
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots.get(slot).is_some_and(|&number| number != FREE && self.keys[number as usize] != key) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_the_order_in_which_they_come() {
        let mut index = KeyIndex::default();
        assert_eq!(index.get(0), None);
        let keys: Vec<_> = (0..5000_u64).map(|number| (number * number) << 20).collect();
        for (number, &key) in keys.iter().enumerate() {
            assert_eq!(index.insert(key), (number as u32, true));
            assert_eq!(index.insert(key), (number as u32, false));
        }
        for (number, &key) in keys.iter().enumerate() {
            assert_eq!(index.get(key), Some(number as u32));
            assert_eq!(index.get(key + 1), None);
        }
        assert!(index.keys().eq(keys) && index.len() == 5000);
    }
}

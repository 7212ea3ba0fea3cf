//! Evaluations kept for positions that occur again.
//!
//! A log of fixed length holds the evaluations one after the other and wraps round when it is full, so that the oldest
//! go first. Buckets of four slots, a cache line each, say where in the log the evaluation of a key lies: a position
//! that is not there costs a look at one line, and a new evaluation is written where the last one ended.

use serde::{Deserialize, Serialize};

/// How evaluations are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CacheConfig {
    /// The size of the cache on each thread, in megabytes (2²⁰ bytes); 0 for no cache.
    pub megabytes: usize,
}

impl CacheConfig {
    /// The most megabytes on one thread.
    pub const MOST_MEGABYTES: usize = 65_536;

    /// Returns the memory in bytes.
    pub const fn bytes(self) -> usize {
        self.megabytes << 20
    }
}

/// The evaluations of one thread and one network.
#[derive(Clone, Debug)]
pub struct Cache {
    buckets: Vec<Bucket>,
    log: Vec<u32>,
    /// Words written to the log; the count goes on when the log wraps round.
    written: u64,
}

/// An evaluation as it is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept<'a> {
    /// The value.
    pub value: f32,
    /// The bits of the logits, in the order in which they were put.
    pub logits: &'a [u32],
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// Where an evaluation lies. A slot at 0 is empty: the count of words begins at twice the length of the log.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The lower half of the key.
    tag: u64,
    /// The words that had been written before it.
    at: u64,
}

/// Words in front of the logits: the upper half of the key, the value, the number of logits.
const HEAD: usize = 4;

impl Cache {
    /// Returns an empty cache that never takes more than this many bytes.
    ///
    /// # Panics
    /// If there is no room for an evaluation: below 1 KiB.
    pub fn new(bytes: usize) -> Self {
        assert!(bytes >= 1024, "a cache of {bytes} bytes: expected 1024 or more");
        // At most an eighth of the memory: enough slots for evaluations of about 30 actions, and few enough to stay
        // near the core.
        let buckets = 1 << (bytes / (8 * size_of::<Bucket>())).ilog2();
        let words = (bytes - buckets * size_of::<Bucket>()) / size_of::<u32>();
        Self { buckets: vec![Bucket::default(); buckets], log: vec![0; words], written: 2 * words as u64 }
    }

    /// Returns the bytes that the cache takes, full or empty.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.buckets) + size_of_val(&*self.log)
    }

    /// Returns the evaluation that was put under this key, if it is still there.
    pub fn get(&self, key: u128) -> Option<Kept<'_>> {
        let tag = key as u64;
        let slot = self.buckets[self.bucket(key)].0.iter().find(|slot| slot.tag == tag && self.holds(slot.at))?;
        let words = &self.log[self.place(slot.at)..];
        let (&[low, high, value, count], logits) = words.split_first_chunk::<HEAD>()?;
        let is_same = key >> 64 == u128::from(high) << 32 | u128::from(low);
        is_same.then(|| Kept { value: f32::from_bits(value), logits: &logits[..count as usize] })
    }

    /// Keeps an evaluation, in the place of the oldest ones. One that is too long is not kept.
    pub fn put(&mut self, key: u128, value: f32, logits: &[u32]) {
        let length = HEAD + logits.len();
        if length > self.log.len() / 2 {
            return;
        }
        let at = self.room_for(length);
        let place = self.place(at);
        let (head, rest) = self.log[place..place + length].split_at_mut(HEAD);
        head.copy_from_slice(&[(key >> 64) as u32, (key >> 96) as u32, value.to_bits(), logits.len() as u32]);
        rest.copy_from_slice(logits);
        let (tag, bucket) = (key as u64, self.bucket(key));
        let slots = self.buckets[bucket].0.iter_mut();
        let slot = slots.min_by_key(|slot| if slot.tag == tag { 0 } else { slot.at });
        *slot.expect("a bucket has slots") = Slot { tag, at };
    }

    /// Returns where this many words may be written, and counts them. Words that would run past the end go to the
    /// start.
    fn room_for(&mut self, length: usize) -> u64 {
        let left = self.log.len() - self.place(self.written);
        if left < length {
            self.written += left as u64;
        }
        let at = self.written;
        self.written += length as u64;
        at
    }

    fn bucket(&self, key: u128) -> usize {
        (key >> 64) as usize & (self.buckets.len() - 1)
    }

    fn place(&self, at: u64) -> usize {
        (at % self.log.len() as u64) as usize
    }

    /// Returns whether the evaluation that begins here has not been overwritten.
    fn holds(&self, at: u64) -> bool {
        at + self.log.len() as u64 >= self.written
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Returns what is kept under a key in the tests.
    fn evaluation(key: u128) -> (f32, Vec<u32>) {
        let count = (key >> 7) as usize % 60;
        (key as u32 as f32, (0..count as u32).map(|place| place ^ key as u32).collect())
    }

    #[test]
    fn what_is_found_is_what_was_put() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for bytes in [1024, 5000, 1 << 16, 3 << 20] {
            let mut cache = Cache::new(bytes);
            assert!(cache.bytes() <= bytes && cache.bytes() > bytes - 64);
            let (mut found, mut put) = (0, Vec::new());
            for turn in 0..20_000 {
                let again = turn % 2 == 1;
                let recent = put.len().saturating_sub(rng.random_range(1..300));
                let key =
                    if again { put[recent] } else { u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()) };
                let (value, logits) = evaluation(key);
                match cache.get(key) {
                    Some(kept) => assert_eq!(kept, Kept { value, logits: &logits }),
                    None => cache.put(key, value, &logits),
                }
                found += u32::from(cache.get(key).is_some());
                put.push(key);
            }
            assert_eq!(found, 20_000, "what was put last is there");
            assert_eq!(cache.log.capacity() * 4 + cache.buckets.capacity() * 64, cache.bytes(), "it has not grown");
        }
    }

    #[test]
    fn the_oldest_go_first_and_few_before_the_log_is_full() {
        let mut cache = Cache::new(1 << 20);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let keys: Vec<_> = (0..20_000).map(|_| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())).collect();
        for &key in &keys {
            cache.put(key, 0.0, &[0; 30]);
        }
        let is_kept = |key: &&u128| cache.get(**key).is_some();
        let fit = cache.log.len() / 34;
        let recent = keys[20_000 - fit + 1..].iter().filter(is_kept).count();
        assert!(fit > 5000 && recent * 100 > fit * 80, "{recent} of {fit}");
        assert_eq!(keys[..20_000 - fit].iter().filter(is_kept).count(), 0);
    }

    #[test]
    fn keys_that_share_a_half_are_told_apart() {
        let mut cache = Cache::new(1 << 16);
        let halves = [1_u128, 2, 3];
        let keys: HashMap<u128, f32> =
            halves.iter().flat_map(|&a| halves.map(|b| (a << 64 | b, (10 * a + b) as f32))).collect();
        for (&key, &value) in &keys {
            cache.put(key, value, &[]);
            assert_eq!(cache.get(key).unwrap().value, value);
        }
        for (&key, &value) in &keys {
            assert!(cache.get(key).is_none_or(|kept| kept.value == value));
        }
        assert_eq!(cache.get(9 << 64 | 1), None);
    }

    #[test]
    fn what_is_too_long_is_not_kept() {
        let mut cache = Cache::new(1024);
        cache.put(7, 1.0, &[0; 1000]);
        assert_eq!(cache.get(7), None);
    }
}

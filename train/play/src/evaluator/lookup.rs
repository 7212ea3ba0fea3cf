//! Looks positions up in a cache, and puts the network's evaluations of the others there.

use gipf_env::Learnable;
use gipf_models::Asked;

use super::legal::Legal;
use super::{Cache, CacheConfig};
use crate::search::Evaluation;

/// A cache, and what is needed to look up a batch of positions in it.
#[derive(Debug)]
pub struct Lookup {
    cache: Cache,
    /// The positions of the batch looked up so far.
    asked: usize,
    /// The positions of the batch that were not found.
    missed: Vec<Missed>,
    /// The legal actions of those positions.
    legal: Legal,
    logits: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Missed {
    /// The number in the batch.
    number: usize,
    /// None if the position has no key: it is evaluated, but not kept.
    key: Option<u128>,
}

impl Lookup {
    /// Returns a lookup in an empty cache, which must have some memory.
    pub fn new(config: CacheConfig) -> Self {
        let (missed, legal, logits) = (Vec::new(), Legal::default(), Vec::new());
        Self { cache: Cache::new(config.bytes()), asked: 0, missed, legal, logits }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.asked = 0;
        self.missed.clear();
        self.legal.clear();
    }

    /// Returns how many positions of the batch were not found so far.
    pub const fn missed(&self) -> usize {
        self.missed.len()
    }

    /// Returns which logits are needed for those.
    pub fn asked(&self) -> Asked<'_> {
        self.legal.asked()
    }

    /// Writes the evaluation of the batch's next position if it is kept; else its observation, to be evaluated.
    pub fn look<P: Learnable>(&mut self, position: &P, planes: &mut [f32], evaluation: &mut Evaluation) {
        let (number, key) = (self.asked, position.view_key());
        self.asked += 1;
        if let Some(kept) = key.and_then(|key| self.cache.get(key)) {
            write(kept.value, kept.logits, evaluation);
            return;
        }
        position.observe(planes);
        self.legal.push(position);
        self.missed.push(Missed { number, key });
    }

    /// Keeps the network's answer for a missed position, `[actions]` logits and a value, and writes its evaluation.
    pub fn keep(&mut self, row: usize, logits: &[f32], value: f32, out: &mut [Evaluation]) {
        let missed = &self.missed[row];
        self.logits.clear();
        let actions = self.legal.of(row);
        self.logits.extend(actions.iter().map(|&action| logits[usize::from(action)].to_bits()));
        if let Some(key) = missed.key {
            self.cache.put(key, value, &self.logits);
        }
        write(value, &self.logits, &mut out[missed.number]);
    }
}

/// Writes a value, and logits from their bits.
fn write(value: f32, bits: &[u32], evaluation: &mut Evaluation) {
    evaluation.value = value;
    evaluation.logits.clear();
    evaluation.logits.extend(bits.iter().map(|&bits| f32::from_bits(bits)));
}

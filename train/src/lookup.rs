//! Positions looked up in a cache, and what the network says about the others put there.

use std::ops::Range;

use gipf_env::Position;

use crate::cache::{Cache, CacheConfig, Form};
use crate::search::Evaluation;

/// A cache with what it takes to ask it about a batch of positions.
#[derive(Debug)]
pub struct Lookup {
    cache: Cache,
    form: Form,
    /// The positions of the batch looked up so far.
    asked: usize,
    /// The positions of the batch that were not found.
    missed: Vec<Missed>,
    /// The legal actions of the images of those positions.
    actions: Vec<u16>,
    /// For each legal action of those positions: the place of its image among the image's. Nothing for a position that is
    /// its own image.
    places: Vec<u16>,
    logits: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Missed {
    /// The number in the batch.
    number: usize,
    /// None if the position has no key: it is evaluated, but not kept.
    key: Option<u128>,
    actions: Range<usize>,
    places: Range<usize>,
}

impl Lookup {
    /// Returns a lookup in an empty cache, which must have some memory.
    pub fn new(config: CacheConfig) -> Self {
        let (missed, actions, places, logits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { cache: Cache::new(config.bytes()), form: config.form, asked: 0, missed, actions, places, logits }
    }

    /// Begins a batch.
    pub fn begin(&mut self) {
        self.asked = 0;
        self.missed.clear();
        self.actions.clear();
        self.places.clear();
    }

    /// Returns how many positions of the batch were not found so far.
    pub const fn missed(&self) -> usize {
        self.missed.len()
    }

    /// Writes the evaluation of the batch's next position if it is kept; else the observation of what has to be evaluated.
    pub fn look<P: Position>(&mut self, position: &P, planes: &mut [f32], evaluation: &mut Evaluation) {
        let (first_action, first_place) = (self.actions.len(), self.places.len());
        let image = self.image(position);
        let seen = image.as_ref().unwrap_or(position);
        let (number, key) = (self.asked, seen.view_key());
        self.asked += 1;
        if let Some(kept) = key.and_then(|key| self.cache.get(key)) {
            evaluation.value = kept.value;
            write_logits(kept.logits, &self.places[first_place..], &mut evaluation.logits);
            self.places.truncate(first_place);
            return;
        }
        seen.observe(planes);
        self.actions.extend(seen.legal_actions().map(|action| seen.action_index(action).0));
        let (actions, places) = (first_action..self.actions.len(), first_place..self.places.len());
        self.missed.push(Missed { number, key, actions, places });
    }

    /// Keeps what the network says of a missed position's image, `[actions]` logits and a value, and writes its evaluation.
    pub fn keep(&mut self, row: usize, logits: &[f32], value: f32, out: &mut [Evaluation]) {
        let missed = &self.missed[row];
        self.logits.clear();
        let actions = &self.actions[missed.actions.clone()];
        self.logits.extend(actions.iter().map(|&action| logits[usize::from(action)].to_bits()));
        if let Some(key) = missed.key {
            self.cache.put(key, value, &self.logits);
        }
        let evaluation = &mut out[missed.number];
        evaluation.value = value;
        write_logits(&self.logits, &self.places[missed.places.clone()], &mut evaluation.logits);
    }

    /// Returns the image in which a position is evaluated, and appends its places; none if it is the position itself.
    fn image<P: Position>(&mut self, position: &P) -> Option<P> {
        let symmetry = match self.form {
            Form::Exact => 0,
            Form::Canonical => position.canonical_symmetry(),
        };
        (symmetry != 0).then(|| {
            let image = position.transformed(symmetry);
            position.append_image_places(symmetry, &image, &mut self.places);
            image
        })
    }
}

/// Writes logits in the order of their places, or as they are if there are none.
fn write_logits(bits: &[u32], places: &[u16], logits: &mut Vec<f32>) {
    logits.clear();
    if places.is_empty() {
        logits.extend(bits.iter().map(|&bits| f32::from_bits(bits)));
    } else {
        logits.extend(places.iter().map(|&place| f32::from_bits(bits[usize::from(place)])));
    }
}

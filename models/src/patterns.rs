//! The patterns on the lines of a batch, each read only once.

use gipf_env::geometry::{LINES, Line};
use rayon::prelude::*;

use crate::board::{LENGTHS, encoder_of, line_spots};
use crate::observed::turned;
use crate::pattern_map::PatternMap;

/// The patterns of a batch. A pattern and its mirror image count as one: their readings are the same from opposite
/// ends.
#[derive(Debug)]
pub(crate) struct Patterns {
    #[cfg(feature = "burn")]
    states: usize,
    /// The distinct patterns of each encoder's lines, in order of first occurrence.
    unique: Vec<Vec<u32>>,
    /// The pattern on each line of each position, `[lines][B]`.
    places: Vec<Vec<Place>>,
    /// The spots of each line.
    spots: Vec<Vec<usize>>,
}

/// The pattern on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of its pattern among those of its encoder.
    pub pattern: usize,
    /// Whether the line holds the pattern's mirror image.
    pub mirrored: bool,
}

impl Place {
    /// Returns the number of its row in a table that has a row for each pattern, followed by one for its mirror image.
    pub fn row(self) -> usize {
        2 * self.pattern + usize::from(self.mirrored)
    }
}

impl Patterns {
    /// Collects the patterns of positions with this many states per spot, all encoders in parallel.
    pub fn new(states: usize, batch: &[[u32; LINES]]) -> Self {
        let of_encoders = (0..LENGTHS.len()).into_par_iter().map(|encoder| OfEncoder::new(states, batch, encoder));
        let mut places = vec![Vec::new(); LINES];
        let mut unique = Vec::new();
        for found in of_encoders.collect::<Vec<_>>() {
            unique.push(found.unique);
            for (line, on_line) in found.places {
                places[line.index()] = on_line;
            }
        }
        Self {
            #[cfg(feature = "burn")]
            states,
            places,
            unique,
            spots: Line::all().map(line_spots).collect(),
        }
    }

    /// Returns the distinct patterns of an encoder.
    pub fn unique(&self, encoder: usize) -> &[u32] {
        &self.unique[encoder]
    }

    /// Returns the pattern on a line in each position.
    pub fn on(&self, line: Line) -> &[Place] {
        &self.places[line.index()]
    }

    /// Returns the spots of a line, from its first dot on.
    pub fn spots(&self, line: Line) -> &[usize] {
        &self.spots[line.index()]
    }

    /// Iterates over the inputs of an encoder that are set by one of its patterns, from its first spot to its last: the
    /// state of each spot, numbered after the states of all spots before it.
    #[cfg(feature = "burn")]
    pub fn inputs(&self, encoder: usize, pattern: u32) -> impl DoubleEndedIterator<Item = usize> {
        let states = self.states as u32;
        let last = LENGTHS[encoder] - 1;
        (0..=last).map(move |place| {
            let state = pattern / states.pow((last - place) as u32) % states;
            place * states as usize + state as usize
        })
    }
}

/// The patterns on the lines of one length.
#[derive(Default)]
struct OfEncoder {
    unique: Vec<u32>,
    known: PatternMap<Place>,
    places: Vec<(Line, Vec<Place>)>,
}

impl OfEncoder {
    fn new(states: usize, batch: &[[u32; LINES]], encoder: usize) -> Self {
        let mut all = Self::default();
        for line in Line::all().filter(|&line| encoder_of(line) == encoder) {
            let on_line = batch.iter().map(|patterns| all.place(patterns[line.index()], LENGTHS[encoder], states));
            let on_line = on_line.collect();
            all.places.push((line, on_line));
        }
        all
    }

    fn place(&mut self, pattern: u32, length: usize, states: usize) -> Place {
        if let Some(&place) = self.known.get(&pattern) {
            return place;
        }
        let place = Place { pattern: self.unique.len(), mirrored: false };
        self.unique.push(pattern);
        self.known.insert(turned(pattern, length, states), Place { mirrored: true, ..place });
        // Inserted last, since a pattern that is its own mirror image counts as not mirrored.
        self.known.insert(pattern, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn every_line_finds_its_pattern_or_the_mirror_image() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for states in [3, 5, 9_usize] {
            let pattern = |line: Line, rng: &mut ChaCha8Rng| rng.random_range(0..states.pow(line.len() as u32) as u32);
            let batch: Vec<[u32; LINES]> =
                (0..200).map(|_| std::array::from_fn(|line| pattern(Line::from_index(line), &mut rng))).collect();
            let patterns = Patterns::new(states, &batch);
            for line in Line::all() {
                let encoder = encoder_of(line);
                for (place, on_lines) in patterns.on(line).iter().zip(&batch) {
                    let pattern = patterns.unique(encoder)[place.pattern];
                    let seen = if place.mirrored { turned(pattern, line.len(), states) } else { pattern };
                    assert_eq!(seen, on_lines[line.index()]);
                }
            }
            for (encoder, length) in LENGTHS.into_iter().enumerate() {
                let unique = patterns.unique(encoder);
                let canonical = unique.iter().map(|&pattern| pattern.min(turned(pattern, length, states)));
                let mut canonical: Vec<_> = canonical.collect();
                canonical.sort_unstable();
                canonical.dedup();
                assert_eq!(canonical.len(), unique.len(), "each once");
            }
        }
    }

    #[cfg(feature = "burn")]
    #[test]
    fn the_inputs_of_a_turned_pattern_are_those_of_its_spots_from_the_other_end() {
        let patterns = Patterns::new(5, &[]);
        for (encoder, length) in LENGTHS.into_iter().enumerate() {
            for pattern in (0..5_u32.pow(length as u32)).step_by(7) {
                let states = |pattern| patterns.inputs(encoder, pattern).map(|input| input % 5).collect::<Vec<_>>();
                let mut other = states(turned(pattern, length, 5));
                other.reverse();
                assert_eq!(other, states(pattern));
                assert!(patterns.inputs(encoder, pattern).enumerate().all(|(place, input)| input / 5 == place));
            }
        }
    }
}

//! Rows of lines that have too many patterns for a table, made as the patterns occur.

use crate::infer::lanes::Lane;
use crate::infer::line_encoder::{Hidden, LineEncoder};
use crate::observed::turned;
use crate::pattern_map::PatternMap;

/// The most pairs of a pattern and its mirror image that half of a memory keeps, apart from those of its last chunk.
const MOST_PAIRS: usize = 1 << 13;

/// The rows of the patterns that occurred last, in two halves: when the recent one is full it becomes the older one, and the
/// rows of the older one are forgotten, unless they occurred again meanwhile. So rows that occur often are made once.
#[derive(Debug, Default)]
pub struct Memory {
    recent: Rows,
    older: Rows,
    missing: Missing,
}

/// Rows in pairs: that of a pattern, and that of its mirror image, which is made with it.
#[derive(Debug, Default)]
struct Rows {
    /// The number of the row of each pattern.
    numbers: PatternMap<u32>,
    lanes: Vec<Lane>,
}

/// Patterns whose rows are yet to be made, and room to make them.
#[derive(Debug, Default)]
struct Missing {
    patterns: Vec<u32>,
    hidden: Hidden,
    made: Vec<Lane>,
}

impl Memory {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.recent.clear();
        self.older.clear();
    }

    /// Returns all rows, numbered as in the last call of [`Self::find_rows`].
    #[inline]
    pub fn rows(&self) -> &[Lane] {
        &self.recent.lanes
    }

    /// Replaces the patterns of a chunk with the numbers of their rows, and makes the rows that are missing.
    pub fn find_rows<'a>(&mut self, encoder: &LineEncoder, patterns: impl Iterator<Item = &'a mut u32>) {
        if self.recent.numbers.len() >= 2 * MOST_PAIRS {
            std::mem::swap(&mut self.recent, &mut self.older);
            self.recent.clear();
        }
        for pattern in patterns {
            let known = self.recent.numbers.get(pattern).copied();
            *pattern = known.unwrap_or_else(|| self.add(encoder, *pattern));
        }
        self.make_missing(encoder);
    }

    /// Returns the number of a new row: copied from the older half, or still to be made.
    fn add(&mut self, encoder: &LineEncoder, pattern: u32) -> u32 {
        let Self { recent, older, missing } = self;
        let image = turned(pattern, encoder.length, encoder.states);
        let first = (recent.lanes.len() / encoder.row_lanes()) as u32;
        let number = if let Some(&number) = older.numbers.get(&pattern) {
            recent.lanes.extend_from_slice(older.pair(encoder, number & !1));
            first + number % 2
        } else {
            missing.patterns.push(pattern);
            recent.lanes.resize(recent.lanes.len() + 2 * encoder.row_lanes(), Lane::ZERO);
            first
        };
        recent.numbers.insert(image, number ^ 1);
        // Inserted last, since a pattern may be its own mirror image.
        recent.numbers.insert(pattern, number);
        number
    }

    fn make_missing(&mut self, encoder: &LineEncoder) {
        let (Rows { numbers, lanes }, Missing { patterns, hidden, made }) = (&mut self.recent, &mut self.missing);
        let pair = 2 * encoder.row_lanes();
        made.resize(patterns.len() * pair, Lane::ZERO);
        encoder.read_with_images(patterns, hidden, made);
        for (pattern, made) in patterns.drain(..).zip(made.chunks_exact(pair)) {
            lanes[numbers[&pattern] as usize * encoder.row_lanes()..][..pair].copy_from_slice(made);
        }
    }
}

impl Rows {
    fn clear(&mut self) {
        self.numbers.clear();
        self.lanes.clear();
    }

    /// Returns the pair of rows that begins with this one.
    fn pair(&self, encoder: &LineEncoder, first: u32) -> &[Lane] {
        &self.lanes[first as usize * encoder.row_lanes()..][..2 * encoder.row_lanes()]
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::board::LENGTHS;
    use crate::config::NetKind;
    use crate::config::tests::small_configs;
    use crate::infer::Instructions;
    use crate::weights::Weights;

    const CHUNK: usize = 96;

    #[test]
    fn rows_are_those_of_the_table_and_what_occurs_often_stays() {
        let config = &small_configs()[1];
        let NetKind::Line(sizes) = &config.net else { panic!("{config:?} is no line network") };
        let weights = Weights::initial(config, 1);
        let new = || LineEncoder::new(&weights, config, sizes, LENGTHS.len() - 1, Instructions::detect());
        let (encoder, table) = (new(), new().tabulated());
        let (mut memory, mut rng) = (Memory::default(), ChaCha8Rng::seed_from_u64(4));
        let most = (encoder.states as u32).pow(encoder.length as u32);
        let mut halves = 0;
        for _ in 0..1000 {
            // Every other pattern is one of the first twenty.
            let draw = |place: usize| rng.random_range(0..if place.is_multiple_of(2) { 20 } else { most });
            let patterns: Vec<_> = (0..CHUNK).map(draw).collect();
            let (mut numbers, before) = (patterns.clone(), memory.recent.numbers.len());
            memory.find_rows(&encoder, numbers.iter_mut());
            for (&pattern, &number) in patterns.iter().zip(&numbers) {
                assert_eq!(encoder.row(&memory, number), table.row(&Memory::default(), pattern), "{pattern}");
            }
            let now = memory.recent.numbers.len();
            assert!(now < 2 * (MOST_PAIRS + CHUNK), "{now}");
            halves += usize::from(now < before);
        }
        assert!(halves > 2, "{halves}");
        assert!((0..20).all(|pattern| memory.recent.numbers.contains_key(&pattern)));
    }
}

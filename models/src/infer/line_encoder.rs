//! The perceptrons that read lines, folded into one row of numbers for each pattern.
//!
//! The row of a pattern of length k holds k groups of lanes, the features that both readings together give each spot, and
//! one lane with the line's outputs: each kind pushed at its first entry, each kind at its last, and the row.

#[cfg(not(target_family = "wasm"))]
use rayon::prelude::*;

use crate::board::LENGTHS;
use crate::config::{LineConfig, NetConfig};
use crate::infer::kernel::{Instructions, add_whole, rectify};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::infer::line_memory::Memory;
use crate::infer::sparse::{Sparse, Terms};
use crate::names::LayerName;
use crate::observed::turned;
use crate::weights::Weights;

/// The most patterns that are tabulated beforehand; for longer lines with more states, rows are made as patterns occur.
/// A page cannot wait seconds for a table.
const MOST_TABULATED: usize = if cfg!(target_family = "wasm") { 1000 } else { 100_000 };
/// The most bytes of a table: enough for 64 features.
const MOST_TABLE: usize = 160 << 20;
/// How many patterns go through the perceptron together.
const CHUNK: usize = 64;

/// The encoder of lines of one length.
#[derive(Debug)]
pub struct LineEncoder {
    pub length: usize,
    pub states: usize,
    pub kinds: usize,
    pub feature_lanes: usize,
    pub instructions: Instructions,
    /// The first layer: a row of lanes for each state of each spot, and the bias.
    pub input: Vec<Lane>,
    pub input_bias: Vec<Lane>,
    pub hidden: Sparse,
    pub output: Sparse,
    /// A row for each pattern; empty if there are too many.
    table: Vec<Lane>,
}

/// The outputs of both hidden layers for some patterns.
#[derive(Debug, Default)]
pub struct Hidden {
    pub first: Vec<Lane>,
    pub second: Vec<Lane>,
    terms: Terms,
}

impl LineEncoder {
    /// Packs encoder number `index` (of lines of `LENGTHS[index]`) without a table.
    pub fn new(
        weights: &Weights,
        config: &NetConfig,
        sizes: &LineConfig,
        index: usize,
        instructions: Instructions,
    ) -> Self {
        let [input, input_bias] = weights.layer(LayerName::EncoderInput(index));
        let [hidden, hidden_bias] = weights.layer(LayerName::EncoderHidden(index));
        let policy = config.policy_layout();
        Self {
            length: LENGTHS[index],
            states: 1 + config.layout.pieces,
            kinds: policy.kinds(),
            feature_lanes: sizes.features.div_ceil(LANE),
            instructions,
            input: input.chunks_exact(sizes.hidden).flat_map(padded).collect(),
            input_bias: padded(input_bias),
            hidden: Sparse::new(hidden, hidden_bias),
            output: output_layer(weights, sizes, index, policy.reading_outputs()),
            table: Vec::new(),
        }
    }

    /// Makes a row for each pattern, if there are not too many.
    pub fn tabulated(mut self) -> Self {
        let bytes = self.patterns() * self.row_lanes() * size_of::<Lane>();
        if self.patterns() <= MOST_TABULATED && bytes <= MOST_TABLE {
            self.tabulate();
        }
        self
    }

    /// Returns the number of lanes of a row.
    pub fn row_lanes(&self) -> usize {
        self.length * self.feature_lanes + 1
    }

    /// Returns whether rows must be made as their patterns occur.
    pub fn needs_memory(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the row with this number: of the table, where the number is the pattern, or of the memory.
    #[inline]
    pub fn row<'a>(&'a self, memory: &'a Memory, number: u32) -> &'a [Lane] {
        let rows = if self.needs_memory() { memory.rows() } else { &self.table };
        let start = number as usize * self.row_lanes();
        &rows[start..start + self.row_lanes()]
    }

    fn patterns(&self) -> usize {
        self.states.pow(self.length as u32)
    }

    fn tabulate(&mut self) {
        let lanes = self.row_lanes();
        let mut table = vec![Lane::ZERO; self.patterns() * lanes];
        #[cfg(not(target_family = "wasm"))]
        let chunks = table.par_chunks_mut(CHUNK * lanes);
        // A page has one thread.
        #[cfg(target_family = "wasm")]
        let chunks = table.chunks_mut(CHUNK * lanes);
        chunks.enumerate().for_each(|(chunk, rows)| {
            let first = (chunk * CHUNK) as u32;
            self.read(first..first + (rows.len() / lanes) as u32, &mut Hidden::default(), rows);
        });
        for pattern in 0..self.patterns() {
            let reversed = turned(pattern as u32, self.length, self.states) as usize;
            if pattern < reversed {
                let (low, high) = table.split_at_mut(reversed * lanes);
                self.fold(&mut low[pattern * lanes..][..lanes], &mut high[..lanes]);
            } else if pattern == reversed {
                let row = &mut table[pattern * lanes..][..lanes];
                let mut same = row.to_vec();
                self.fold(row, &mut same);
            }
        }
        self.table = table;
    }

    /// Writes the rows of patterns, each followed by that of its mirror image.
    pub fn read_with_images(&self, patterns: &[u32], hidden: &mut Hidden, rows: &mut [Lane]) {
        let image = |pattern| turned(pattern, self.length, self.states);
        self.read(patterns.iter().flat_map(|&pattern| [pattern, image(pattern)]), hidden, rows);
        for pair in rows.chunks_exact_mut(2 * self.row_lanes()) {
            let (row, image) = pair.split_at_mut(pair.len() / 2);
            self.fold(row, image);
        }
    }

    /// Writes the single readings of patterns from their first spots.
    fn read(&self, patterns: impl Iterator<Item = u32>, hidden: &mut Hidden, rows: &mut [Lane]) {
        let Hidden { first, second, terms } = hidden;
        first.clear();
        patterns.for_each(|pattern| self.first_layer(pattern, terms, first));
        second.resize(first.len(), Lane::ZERO);
        self.hidden.product(self.instructions, first, terms, second);
        rectify(self.instructions, second);
        self.output.product(self.instructions, second, terms, rows);
    }

    /// Iterates over the inputs that a pattern sets, from its last spot to its first.
    pub fn inputs(&self, pattern: u32) -> impl Iterator<Item = usize> {
        let (states, mut rest) = (self.states as u32, pattern);
        (0..self.length).rev().map(move |place| {
            let state = rest % states;
            rest /= states;
            place * self.states + state as usize
        })
    }

    fn first_layer(&self, pattern: u32, terms: &mut Terms, to: &mut Vec<Lane>) {
        let start = to.len();
        to.extend_from_slice(&self.input_bias);
        terms.clear();
        terms.extend(self.inputs(pattern).map(|input| (input, 1.0)));
        add_whole(self.instructions, &self.input, terms, &mut to[start..]);
        rectify(self.instructions, &mut to[start..]);
    }

    /// Turns the single readings of a pattern and of its reverse into their rows.
    fn fold(&self, row: &mut [Lane], reversed: &mut [Lane]) {
        self.fold_spots(row, reversed);
        let line = self.length * self.feature_lanes;
        let (mine, theirs) = (row[line], reversed[line]);
        row[line] = self.fold_line(&mine, &theirs);
        reversed[line] = self.fold_line(&theirs, &mine);
    }

    /// Turns the gradients of the rows of a pattern and of its reverse into those of their single readings.
    #[cfg(feature = "learn")]
    pub fn unfold(&self, row: &mut [Lane], reversed: &mut [Lane]) {
        self.fold_spots(row, reversed);
        let line = self.length * self.feature_lanes;
        let (mine, theirs) = (row[line], reversed[line]);
        row[line] = self.unfold_line(&mine, &theirs);
        reversed[line] = self.unfold_line(&theirs, &mine);
    }

    /// Adds up both readings of each spot, for both rows.
    fn fold_spots(&self, row: &mut [Lane], reversed: &mut [Lane]) {
        let width = self.feature_lanes;
        for place in 0..self.length {
            let other = self.length - 1 - place;
            for lane in 0..width {
                let (mine, theirs) = (&mut row[place * width + lane], &mut reversed[other * width + lane]);
                mine.add(theirs);
                *theirs = *mine;
            }
        }
    }

    #[cfg(feature = "learn")]
    fn unfold_line(&self, own: &Lane, other: &Lane) -> Lane {
        let (mut lane, kinds) = (Lane::ZERO, self.kinds);
        for kind in 0..kinds {
            lane.0[kind] = own.0[kind] + other.0[kinds + kind];
        }
        lane.0[kinds] = own.0[2 * kinds] + other.0[2 * kinds];
        lane
    }

    fn fold_line(&self, from_first: &Lane, from_last: &Lane) -> Lane {
        let mut lane = Lane::ZERO;
        let kinds = self.kinds;
        lane.0[..kinds].copy_from_slice(&from_first.0[..kinds]);
        lane.0[kinds..2 * kinds].copy_from_slice(&from_last.0[..kinds]);
        lane.0[2 * kinds] = from_first.0[kinds] + from_last.0[kinds];
        lane
    }
}

/// Returns the last layers of an encoder as one: each spot's features begin a new lane, and so do the line's outputs.
fn output_layer(weights: &Weights, sizes: &LineConfig, index: usize, line_outputs: usize) -> Sparse {
    let [[spots, spots_bias], [line, line_bias]] =
        [LayerName::EncoderSpots(index), LayerName::EncoderLine(index)].map(|name| weights.layer(name));
    let groups = sizes.features.next_multiple_of(LANE);
    let outputs = LENGTHS[index] * groups + LANE;
    let spread = |spots: &[f32], line: &[f32]| {
        let mut weight = vec![0.0; spots.len() / (LENGTHS[index] * sizes.features) * outputs];
        let rows = spots.chunks_exact(LENGTHS[index] * sizes.features).zip(line.chunks_exact(line_outputs));
        for (to, (spots, line)) in weight.chunks_exact_mut(outputs).zip(rows) {
            for (to, spot) in to.chunks_exact_mut(groups).zip(spots.chunks_exact(sizes.features)) {
                to[..spot.len()].copy_from_slice(spot);
            }
            to[outputs - LANE..][..line_outputs].copy_from_slice(line);
        }
        weight
    };
    Sparse::new(&spread(spots, line), &spread(spots_bias, line_bias))
}

//! The perceptrons that read lines, folded into one row of numbers for each pattern.
//!
//! The row of a pattern of length k holds k groups of lanes, the features that both readings together give each spot, and
//! one lane with the line's outputs: each kind pushed at its first entry, each kind at its last, and the row.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::board::LENGTHS;
use crate::config::{LineConfig, NetConfig};
use crate::infer::kernel::{Finish, Instructions, Packed, rectify};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::infer::mixing::dense;
use crate::names::LayerName;
use crate::observed::turned;
use crate::weights::Weights;

/// The most patterns that are tabulated beforehand; of longer lines with more states rows are made as they occur.
const MOST_TABULATED: usize = 100_000;
/// The most rows of one reader that a memory keeps.
const MOST_REMEMBERED: usize = 1 << 14;
/// How many patterns go through the perceptron together.
const CHUNK: usize = 64;

/// The reader of lines of one length.
#[derive(Debug)]
pub struct Reader {
    length: usize,
    states: usize,
    kinds: usize,
    feature_lanes: usize,
    instructions: Instructions,
    /// The first layer: a row of lanes for each state of each spot, and the bias.
    input: Vec<Lane>,
    input_bias: Vec<Lane>,
    hidden: Packed,
    output: Packed,
    /// A row for each pattern, or nothing if there are too many.
    table: Vec<Lane>,
}

/// Rows that were made as their patterns occurred.
#[derive(Debug, Default)]
pub struct Memory {
    slots: HashMap<u32, u32>,
    rows: Vec<Lane>,
}

impl Reader {
    /// Packs reader number `index` (of lines of `LENGTHS[index]`) and tabulates it if that is feasible.
    pub fn new(
        weights: &Weights,
        config: &NetConfig,
        sizes: &LineConfig,
        index: usize,
        instructions: Instructions,
    ) -> Self {
        let [input, input_bias] = weights.layer(LayerName::ReaderInput(index));
        let [hidden, hidden_bias] = weights.layer(LayerName::ReaderHidden(index));
        let policy = config.policy_layout();
        let mut reader = Self {
            length: LENGTHS[index],
            states: 1 + config.layout.pieces,
            kinds: policy.kinds(),
            feature_lanes: sizes.features.div_ceil(LANE),
            instructions,
            input: input.chunks_exact(sizes.hidden).flat_map(padded).collect(),
            input_bias: padded(input_bias),
            hidden: Packed::new(sizes.hidden, hidden, hidden_bias),
            output: pack_outputs(weights, sizes, index, policy.reading_outputs()),
            table: Vec::new(),
        };
        if reader.patterns() <= MOST_TABULATED {
            reader.tabulate();
        }
        reader
    }

    /// Returns the number of lanes of a row.
    pub fn row_lanes(&self) -> usize {
        self.length * self.feature_lanes + 1
    }

    /// Returns whether rows must be made as their patterns occur.
    pub fn needs_memory(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the row of a pattern: of the table, or of the memory, which must hold it.
    #[inline]
    pub fn row<'a>(&'a self, memory: &'a Memory, pattern: u32) -> &'a [Lane] {
        let (rows, number) =
            if self.needs_memory() { (&memory.rows, memory.slots[&pattern]) } else { (&self.table, pattern) };
        let start = number as usize * self.row_lanes();
        &rows[start..start + self.row_lanes()]
    }

    /// Makes the rows of patterns that the memory lacks.
    pub fn remember(&self, memory: &mut Memory, patterns: impl Iterator<Item = u32> + Clone) {
        if memory.slots.len() + patterns.clone().count() > MOST_REMEMBERED {
            memory.slots.clear();
            memory.rows.clear();
        }
        let mut missing = Vec::new();
        for pattern in patterns {
            let next = memory.slots.len() as u32;
            memory.slots.entry(pattern).or_insert_with(|| {
                missing.push(pattern);
                next
            });
        }
        let start = memory.rows.len();
        memory.rows.resize(start + missing.len() * self.row_lanes(), Lane::ZERO);
        self.read_both_ways(&missing, &mut memory.rows[start..]);
    }

    fn patterns(&self) -> usize {
        self.states.pow(self.length as u32)
    }

    fn tabulate(&mut self) {
        let lanes = self.row_lanes();
        let mut table = vec![Lane::ZERO; self.patterns() * lanes];
        table.par_chunks_mut(CHUNK * lanes).enumerate().for_each(|(chunk, rows)| {
            let first = chunk * CHUNK;
            self.read(first..first + rows.len() / lanes, rows);
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

    fn read_both_ways(&self, patterns: &[u32], rows: &mut [Lane]) {
        let lanes = self.row_lanes();
        let mut reversed = vec![Lane::ZERO; rows.len()];
        self.read(patterns.iter().map(|&pattern| pattern as usize), rows);
        let from_last = patterns.iter().map(|&pattern| turned(pattern, self.length, self.states) as usize);
        self.read(from_last, &mut reversed);
        for (row, other) in rows.chunks_exact_mut(lanes).zip(reversed.chunks_exact_mut(lanes)) {
            self.fold(row, other);
        }
    }

    /// Writes the single readings of patterns from their first spots.
    fn read(&self, patterns: impl Iterator<Item = usize>, rows: &mut [Lane]) {
        let mut patterns = patterns.peekable();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for rows in rows.chunks_mut(CHUNK * self.row_lanes()) {
            let count = rows.len() / self.row_lanes();
            first.clear();
            patterns.by_ref().take(count).for_each(|pattern| self.first_layer(pattern, &mut first));
            second.resize(first.len(), Lane::ZERO);
            dense(self.instructions, &self.hidden, &first, &mut second, Finish::Rectify);
            dense(self.instructions, &self.output, &second, rows, Finish::Store);
        }
    }

    fn first_layer(&self, pattern: usize, to: &mut Vec<Lane>) {
        let (start, width) = (to.len(), self.input_bias.len());
        to.extend_from_slice(&self.input_bias);
        let sums = &mut to[start..];
        let mut rest = pattern;
        for place in (0..self.length).rev() {
            let input = place * self.states + rest % self.states;
            rest /= self.states;
            let row = &self.input[input * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, lane)| sum.add(lane));
        }
        rectify(self.instructions, sums);
    }

    /// Turns the single readings of a pattern and of its reverse into their rows.
    fn fold(&self, row: &mut [Lane], reversed: &mut [Lane]) {
        let (width, line) = (self.feature_lanes, self.length * self.feature_lanes);
        for place in 0..self.length {
            let other = self.length - 1 - place;
            for lane in 0..width {
                let (mine, theirs) = (&mut row[place * width + lane], &mut reversed[other * width + lane]);
                mine.add(theirs);
                *theirs = *mine;
            }
        }
        let (mine, theirs) = (row[line], reversed[line]);
        row[line] = self.fold_line(&mine, &theirs);
        reversed[line] = self.fold_line(&theirs, &mine);
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

/// Packs the last layers of a reader as one: each spot's features begin a new lane, and so do the line's outputs.
fn pack_outputs(weights: &Weights, sizes: &LineConfig, index: usize, line_outputs: usize) -> Packed {
    let [[spots, spots_bias], [line, line_bias]] =
        [LayerName::ReaderSpots(index), LayerName::ReaderLine(index)].map(|name| weights.layer(name));
    let spread = |spots: &[f32], line: &[f32]| -> Vec<f32> {
        let lanes = spots.chunks_exact(sizes.features).chain([line]).flat_map(padded);
        lanes.flat_map(|lane| lane.0).collect()
    };
    let rows = spots.chunks_exact(LENGTHS[index] * sizes.features).zip(line.chunks_exact(line_outputs));
    let weight: Vec<f32> = rows.flat_map(|(spots, line)| spread(spots, line)).collect();
    Packed::new(sizes.hidden, &weight, &spread(spots_bias, line_bias))
}

//! The line network: 21 rows of the readers' tables are summed at the spots, mixed with their neighbours, and read by the
//! heads.

use std::sync::Arc;

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::{LENGTHS, lines_through, reader_of};
use crate::config::{LineConfig, NetConfig};
use crate::infer::global::{GlobalPooling, GlobalScratch};
use crate::infer::heads::{Heads, HeadsScratch, terms};
use crate::infer::kernel::{Instructions, SpotSums, add_scaled, prefetch, sum_spots};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::infer::mixing::{Mixing, MixingScratch};
use crate::infer::reader::{Memory, Reader};
use crate::infer::{CHUNK, EngineOptions};
use crate::names::TensorName;
use crate::observed::Observed;
use crate::weights::Weights;

/// A line network with packed weights and tables.
#[derive(Debug)]
pub struct LineEngine {
    instructions: Instructions,
    /// Tells this engine from others in a scratch.
    identity: Arc<()>,
    observed: Observed,
    readers: Vec<Reader>,
    /// The reader of each line.
    reader_of: Vec<usize>,
    /// For each spot and axis: the line, and the first lane of the spot in its row.
    through: Vec<[(usize, usize); 3]>,
    feature_lanes: usize,
    spot_bias: Vec<Lane>,
    /// Lanes for each mark and scalar.
    conditions: Vec<Lane>,
    global: Option<GlobalPooling>,
    mixing: Vec<Mixing>,
    heads: Heads,
    /// For each policy logit the line that is part of it, and the place in the lane of its outputs.
    logits_of_lines: Vec<Option<(usize, usize)>>,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct LineScratch {
    /// The engine whose rows are remembered.
    owner: Option<Arc<()>>,
    memories: [Memory; LENGTHS.len()],
    patterns: Vec<[u32; LINES]>,
    everywhere: Vec<Lane>,
    terms: Vec<(usize, f32)>,
    features: Vec<Lane>,
    global: GlobalScratch,
    mixing: MixingScratch,
    heads: HeadsScratch,
}

impl LineEngine {
    /// Packs the weights, which must be those of the network, and tabulates its readers.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let EngineOptions { instructions, .. } = options;
        let rows = |name| weights.values(name).chunks_exact(sizes.features).flat_map(padded).collect();
        let (readers, width) = (0..LENGTHS.len(), sizes.features.div_ceil(LANE));
        let mixing = sizes.mixing.iter().enumerate();
        Self {
            instructions,
            identity: Arc::default(),
            observed: Observed::new(config),
            readers: readers.map(|index| Reader::new(weights, config, sizes, index, instructions)).collect(),
            reader_of: Line::all().map(reader_of).collect(),
            through: lines_through()
                .into_iter()
                .map(|lines| lines.map(|(line, place)| (line, place * width)))
                .collect(),
            feature_lanes: width,
            spot_bias: rows(TensorName::SpotBias),
            conditions: rows(TensorName::Conditions),
            global: sizes.global_pooling.then(|| GlobalPooling::new(weights, sizes.features, instructions)),
            mixing: mixing.map(|(step, _)| Mixing::new(weights, sizes, step, options)).collect(),
            heads: Heads::new(weights, config, (sizes.features, sizes.value_hidden), instructions),
            logits_of_lines: terms(config).map(|terms| terms.line).collect(),
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut LineScratch, planes: &[f32], logits: &mut [f32], wdl: &mut [f32]) {
        self.take_over(scratch);
        let planes = planes.chunks(CHUNK * self.observed.size());
        let logits = logits.chunks_mut(CHUNK * self.logits_of_lines.len());
        for ((planes, logits), wdl) in planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3)) {
            self.read_lines(scratch, planes);
            self.sum_lines(scratch, planes);
            if let Some(global) = &self.global {
                global.add(&mut scratch.features, &mut scratch.global);
            }
            for step in &self.mixing {
                step.mix(&mut scratch.features, &mut scratch.mixing, wdl.len() / 3);
            }
            self.write_logits(scratch, planes, logits);
            self.heads.write_values(&mut scratch.heads, &scratch.features, planes, wdl);
        }
    }

    /// Forgets what another engine has left.
    fn take_over(&self, scratch: &mut LineScratch) {
        if !scratch.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &self.identity)) {
            scratch.owner = Some(self.identity.clone());
            scratch.memories = <[Memory; LENGTHS.len()]>::default();
        }
    }

    /// Finds the pattern on each line of each position, and makes rows for those that have none.
    fn read_lines(&self, scratch: &mut LineScratch, planes: &[f32]) {
        scratch.patterns.clear();
        for planes in planes.chunks_exact(self.observed.size()) {
            scratch.patterns.push(self.observed.patterns(planes));
        }
        for (index, reader) in self.readers.iter().enumerate().filter(|(_, reader)| reader.needs_memory()) {
            let lines = (0..LINES).filter(|&line| self.reader_of[line] == index);
            let patterns = lines.flat_map(|line| scratch.patterns.iter().map(move |patterns| patterns[line]));
            reader.remember(&mut scratch.memories[index], patterns);
        }
    }

    /// Writes the features of each spot: what its three lines, its place, and the conditions add up to, rectified.
    fn sum_lines(&self, scratch: &mut LineScratch, planes: &[f32]) {
        let LineScratch { memories, patterns, features, everywhere, terms, .. } = scratch;
        features.resize(patterns.len() * SPOTS * self.feature_lanes, Lane::ZERO);
        everywhere.resize(self.feature_lanes, Lane::ZERO);
        let mut rows = patterns.iter().map(|patterns| {
            let rows = self.rows(memories, patterns);
            for row in rows {
                prefetch(row);
            }
            rows
        });
        // While one position is summed up, the rows of the next are on their way from memory.
        let mut next = rows.next();
        let features = features.chunks_exact_mut(SPOTS * self.feature_lanes);
        for (features, planes) in features.zip(planes.chunks_exact(self.observed.size())) {
            let now = std::mem::replace(&mut next, rows.next()).expect("each position has patterns");
            features.copy_from_slice(&self.spot_bias);
            self.add_marks(planes, features);
            terms.clear();
            terms.extend((self.observed.marks()..).zip(self.observed.scalars(planes)));
            everywhere.fill(Lane::ZERO);
            add_scaled(self.instructions, &self.conditions, terms, everywhere);
            sum_spots(self.instructions, SpotSums { everywhere, rows: &now, through: &self.through }, features);
        }
    }

    fn add_marks(&self, planes: &[f32], features: &mut [Lane]) {
        for mark in (0..self.observed.marks()).filter(|&mark| self.observed.is_marked(planes, mark)) {
            for (spot, features) in features.chunks_exact_mut(self.feature_lanes).enumerate() {
                let value = self.observed.mark(planes, mark, spot);
                add_scaled(self.instructions, &self.conditions, &[(mark, value)], features);
            }
        }
    }

    fn rows<'a>(&'a self, memories: &'a [Memory; LENGTHS.len()], patterns: &[u32; LINES]) -> [&'a [Lane]; LINES] {
        std::array::from_fn(|line| {
            let reader = self.reader_of[line];
            self.readers[reader].row(&memories[reader], patterns[line])
        })
    }

    fn write_logits(&self, scratch: &mut LineScratch, planes: &[f32], logits: &mut [f32]) {
        self.heads.write_logits(&mut scratch.heads, &scratch.features, planes, logits);
        for (logits, patterns) in logits.chunks_exact_mut(self.logits_of_lines.len()).zip(&scratch.patterns) {
            let rows = self.rows(&scratch.memories, patterns);
            for (logit, part) in logits.iter_mut().zip(&self.logits_of_lines) {
                if let Some((line, output)) = *part {
                    *logit += rows[line].last().expect("a row has a lane for its line").0[output];
                }
            }
        }
    }
}

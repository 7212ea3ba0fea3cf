//! The line network: 21 rows of the readers' tables are summed at the spots, mixed with their neighbours, and read by the
//! heads.

use std::sync::Arc;

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::{LENGTHS, PolicyLayout, Terms, lines_through, reader_of};
use crate::config::{LineConfig, NetConfig};
use crate::infer::kernel::{Finish, Instructions, Packed, SpotSums, add_scaled, pool, prefetch, sum_spots};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::infer::mixing::{CHUNK, Mixing, MixingScratch, dense};
use crate::infer::reader::{Memory, Reader};
use crate::infer::{EngineOptions, write_wdl};
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
    mixing: Vec<Mixing>,
    heads: Packed,
    policy: Vec<Logit>,
    /// The actions that are asked about a piece, with the lane of its spot's heads and the place in it.
    questions: Vec<(usize, (usize, usize))>,
    value: [Packed; 2],
}

/// Where the parts of a policy logit lie.
#[derive(Debug)]
struct Logit {
    /// Lanes of a position's heads, and the places in them.
    spots: Vec<(usize, usize)>,
    /// A line, and the place in the lane of its outputs.
    line: Option<(usize, usize)>,
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
    mixing: MixingScratch,
    heads: Vec<Lane>,
    pooled: Vec<Lane>,
    value_hidden: Vec<Lane>,
    value: Vec<Lane>,
}

impl LineEngine {
    /// Packs the weights, which must be those of the network, and tabulates its readers.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let EngineOptions { instructions, .. } = options;
        let values = |name: &str| weights.get(name).values.as_slice();
        let rows = |name: &str| values(name).chunks_exact(sizes.features).flat_map(padded).collect();
        let (readers, width) = (0..LENGTHS.len(), sizes.features.div_ceil(LANE));
        let mixing = sizes.mixing.iter().enumerate();
        let heads = Packed::new(sizes.features, values("spot_heads.weight"), values("spot_heads.bias"));
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
            spot_bias: rows("spot_bias"),
            conditions: rows("conditions"),
            mixing: mixing.map(|(step, &width)| Mixing::new(weights, sizes.features, (step, width), options)).collect(),
            policy: logits(config.num_actions, heads.lanes()),
            questions: questions(config.num_actions),
            heads,
            value: pack_value(weights, config, sizes),
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut LineScratch, planes: &[f32], logits: &mut [f32], wdl: &mut [f32]) {
        self.take_over(scratch);
        let planes = planes.chunks(CHUNK * self.observed.size());
        let logits = logits.chunks_mut(CHUNK * self.policy.len());
        for ((planes, logits), wdl) in planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3)) {
            self.read_lines(scratch, planes);
            self.sum_lines(scratch, planes);
            for step in &self.mixing {
                step.mix(&mut scratch.features, &mut scratch.mixing, wdl.len() / 3);
            }
            self.write_logits(scratch, planes, logits);
            self.write_values(scratch, planes, wdl);
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
        let (n, width) = (scratch.patterns.len(), self.heads.lanes());
        scratch.heads.resize(n * SPOTS * width, Lane::ZERO);
        dense(self.instructions, &self.heads, &scratch.features, &mut scratch.heads, Finish::Store);
        let logits = logits.chunks_exact_mut(self.policy.len());
        let heads = scratch.heads.chunks_exact(SPOTS * width);
        let positions = planes.chunks_exact(self.observed.size()).zip(&scratch.patterns);
        for ((logits, heads), (planes, patterns)) in logits.zip(heads).zip(positions) {
            let rows = self.rows(&scratch.memories, patterns);
            for (logit, parts) in logits.iter_mut().zip(&self.policy) {
                *logit = parts.spots.iter().map(|&(lane, place)| heads[lane].0[place]).sum();
                if let Some((line, output)) = parts.line {
                    *logit += rows[line].last().expect("a row has a lane for its line").0[output];
                }
            }
            for spot in self.observed.in_question(planes) {
                for &(action, (lane, place)) in &self.questions {
                    logits[action] += heads[spot * width + lane].0[place];
                }
            }
        }
    }

    fn write_values(&self, scratch: &mut LineScratch, planes: &[f32], wdl: &mut [f32]) {
        let LineScratch { features, pooled, .. } = scratch;
        let (width, scalars) = (self.feature_lanes, self.value[0].inputs() / LANE - 2 * self.feature_lanes);
        let positions = planes.chunks_exact(self.observed.size()).zip(features.chunks_exact(SPOTS * width));
        pooled.clear();
        for (planes, features) in positions {
            let start = pooled.len();
            pooled.resize(start + 2 * width + scalars, Lane::ZERO);
            let (spots, rest) = pooled[start..].split_at_mut(2 * width);
            pool(self.instructions, features, spots);
            for (index, value) in self.observed.scalars(planes).enumerate() {
                rest[index / LANE].0[index % LANE] = value;
            }
        }
        let n = wdl.len() / 3;
        scratch.value_hidden.resize(n * self.value[0].lanes(), Lane::ZERO);
        dense(self.instructions, &self.value[0], &scratch.pooled, &mut scratch.value_hidden, Finish::Rectify);
        scratch.value.resize(n, Lane::ZERO);
        dense(self.instructions, &self.value[1], &scratch.value_hidden, &mut scratch.value, Finish::Store);
        for (wdl, outputs) in wdl.chunks_exact_mut(3).zip(&scratch.value) {
            write_wdl([0, 1, 2].map(|output| outputs.0[output]), wdl);
        }
    }
}

fn logits(num_actions: usize, head_lanes: usize) -> Vec<Logit> {
    let logit = |terms: Terms| {
        let place = |&(spot, output): &(usize, usize)| (spot * head_lanes + output / LANE, output % LANE);
        Logit { spots: terms.spots.iter().map(place).collect(), line: terms.line }
    };
    terms(num_actions).map(logit).collect()
}

fn questions(num_actions: usize) -> Vec<(usize, (usize, usize))> {
    let output = |(action, terms): (usize, Terms)| Some((action, terms.question?));
    let outputs = terms(num_actions).enumerate().filter_map(output);
    outputs.map(|(action, output)| (action, (output / LANE, output % LANE))).collect()
}

fn terms(num_actions: usize) -> impl Iterator<Item = Terms> {
    let policy = PolicyLayout::new(num_actions).expect("a valid line network has an action space of GIPF");
    (0..num_actions).map(move |action| policy.terms(action))
}

/// Packs the value head for pooled rows whose three parts begin new lanes.
fn pack_value(weights: &Weights, config: &NetConfig, sizes: &LineConfig) -> [Packed; 2] {
    let values = |name: &str| weights.get(name).values.as_slice();
    let outputs = sizes.value_hidden;
    let mut rest = values("value.0.weight");
    let mut spread = Vec::new();
    for inputs in [sizes.features, sizes.features, config.layout.scalars] {
        let (part, others) = rest.split_at(inputs * outputs);
        spread.extend_from_slice(part);
        spread.resize(spread.len() + (inputs.next_multiple_of(LANE) - inputs) * outputs, 0.0);
        rest = others;
    }
    let first = Packed::new(spread.len() / outputs, &spread, values("value.0.bias"));
    [first, Packed::new(outputs, values("value.1.weight"), values("value.1.bias"))]
}

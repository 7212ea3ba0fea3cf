//! The line network: 21 rows of the readers' tables are summed at the spots, mixed with their neighbours, and read by the
//! heads.

use std::sync::Arc;

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::{LENGTHS, PolicyLayout, lines_through};
use crate::config::{LineConfig, NetConfig};
use crate::infer::kernel::{Finish, Instructions, Packed};
use crate::infer::lanes::{LANE, Lane, at, padded};
use crate::infer::mixing::{CHUNK, Mixing, dense};
use crate::infer::reader::{Memory, Reader};
use crate::infer::write_wdl;
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
    /// For each spot and axis: the line, and the place of the spot on it.
    through: Vec<[(usize, usize); 3]>,
    feature_lanes: usize,
    spot_bias: Vec<Lane>,
    /// Lanes for each mark and scalar.
    conditions: Vec<Lane>,
    mixing: Vec<Mixing>,
    heads: Packed,
    policy: Vec<Logit>,
    value: [Packed; 2],
}

/// Where the parts of a policy logit lie.
#[derive(Debug)]
struct Logit {
    /// Floats of a position's heads.
    spots: Vec<usize>,
    /// A line and a float of its line outputs.
    line: Option<(usize, usize)>,
    /// A float of the heads of each spot in question.
    question: Option<usize>,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct LineScratch {
    /// The engine whose rows are remembered.
    owner: Option<Arc<()>>,
    memories: [Memory; LENGTHS.len()],
    patterns: Vec<[u32; LINES]>,
    features: Vec<Lane>,
    hidden: Vec<Lane>,
    heads: Vec<Lane>,
    pooled: Vec<Lane>,
    value_hidden: Vec<Lane>,
    value: Vec<Lane>,
}

impl LineEngine {
    /// Packs the weights, which must be those of the network, and tabulates its readers.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, instructions: Instructions) -> Self {
        let values = |name: &str| weights.get(name).values.as_slice();
        let rows = |name: &str| values(name).chunks_exact(sizes.features).flat_map(padded).collect();
        let readers = 0..LENGTHS.len();
        let mixing = sizes.mixing.iter().enumerate();
        let heads = Packed::new(sizes.features, values("spot_heads.weight"), values("spot_heads.bias"));
        Self {
            instructions,
            identity: Arc::default(),
            observed: Observed::new(config),
            readers: readers.map(|index| Reader::new(weights, config, sizes, index, instructions)).collect(),
            reader_of: Line::all().map(|line| line.len() - LENGTHS[0]).collect(),
            through: lines_through(),
            feature_lanes: sizes.features.div_ceil(LANE),
            spot_bias: rows("spot_bias"),
            conditions: rows("conditions"),
            mixing: mixing.map(|(step, &width)| Mixing::new(weights, sizes.features, step, width)).collect(),
            policy: logits(config.num_actions, heads.lanes()),
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
                step.mix(self.instructions, &mut scratch.features, &mut scratch.hidden, wdl.len() / 3);
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
        let width = self.feature_lanes;
        scratch.features.resize(scratch.patterns.len() * SPOTS * width, Lane::ZERO);
        let features = scratch.features.chunks_exact_mut(SPOTS * width);
        let positions = planes.chunks_exact(self.observed.size()).zip(&scratch.patterns);
        for (features, (planes, patterns)) in features.zip(positions) {
            let rows = self.rows(&scratch.memories, patterns);
            let everywhere = self.scalar_sum(planes);
            for (spot, features) in features.chunks_exact_mut(width).enumerate() {
                features.copy_from_slice(&self.spot_bias[spot * width..][..width]);
                features.iter_mut().zip(&everywhere).for_each(|(sum, lane)| sum.add(lane));
                for (line, place) in self.through[spot] {
                    let part = &rows[line][place * width..][..width];
                    features.iter_mut().zip(part).for_each(|(sum, lane)| sum.add(lane));
                }
                self.add_marks(planes, spot, features);
                features.iter_mut().for_each(Lane::rectify);
            }
        }
    }

    fn rows<'a>(&'a self, memories: &'a [Memory; LENGTHS.len()], patterns: &[u32; LINES]) -> [&'a [Lane]; LINES] {
        std::array::from_fn(|line| {
            let reader = self.reader_of[line];
            self.readers[reader].row(&memories[reader], patterns[line])
        })
    }

    /// Returns what the scalars add to the features of every spot.
    fn scalar_sum(&self, planes: &[f32]) -> Vec<Lane> {
        let mut sums = vec![Lane::ZERO; self.feature_lanes];
        let weights = self.conditions.chunks_exact(self.feature_lanes).skip(self.observed.marks());
        for (value, weights) in self.observed.scalars(planes).zip(weights) {
            sums.iter_mut().zip(weights).for_each(|(sum, lane)| sum.add_scaled(value, lane));
        }
        sums
    }

    fn add_marks(&self, planes: &[f32], spot: usize, features: &mut [Lane]) {
        for mark in 0..self.observed.marks() {
            let value = self.observed.mark(planes, mark, spot);
            if value != 0.0 {
                let weights = &self.conditions[mark * self.feature_lanes..][..self.feature_lanes];
                features.iter_mut().zip(weights).for_each(|(sum, lane)| sum.add_scaled(value, lane));
            }
        }
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
                *logit = parts.spots.iter().map(|&index| at(heads, index)).sum();
                if let Some((line, output)) = parts.line {
                    *logit += rows[line].last().expect("a row has a lane for its line").0[output];
                }
                if let Some(output) = parts.question {
                    let spots = (0..SPOTS).filter(|&spot| self.observed.in_question(planes, spot));
                    *logit += spots.map(|spot| at(heads, spot * width * LANE + output)).sum::<f32>();
                }
            }
        }
    }

    fn write_values(&self, scratch: &mut LineScratch, planes: &[f32], wdl: &mut [f32]) {
        scratch.pooled.clear();
        let positions = planes.chunks_exact(self.observed.size());
        for (planes, features) in positions.zip(scratch.features.chunks_exact(SPOTS * self.feature_lanes)) {
            self.pool(features, &mut scratch.pooled);
            let scalars: Vec<_> = self.observed.scalars(planes).collect();
            scratch.pooled.extend(padded(&scalars));
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

    /// Appends the mean and the maximum of each feature over the spots.
    fn pool(&self, features: &[Lane], to: &mut Vec<Lane>) {
        let width = self.feature_lanes;
        let mut spots = features.chunks_exact(width);
        let first = spots.next().expect("the board has spots");
        let (mut sum, mut most) = (first.to_vec(), first.to_vec());
        for spot in spots {
            sum.iter_mut().zip(spot).for_each(|(sum, lane)| sum.add(lane));
            most.iter_mut().zip(spot).for_each(|(most, lane)| most.maximize(lane));
        }
        sum.iter_mut().flat_map(|lane| &mut lane.0).for_each(|value| *value /= SPOTS as f32);
        to.extend(sum);
        to.extend(most);
    }
}

fn logits(num_actions: usize, head_lanes: usize) -> Vec<Logit> {
    let policy = PolicyLayout::new(num_actions).expect("a valid line network has an action space of GIPF");
    let logit = |action| {
        let terms = policy.terms(action);
        let place = |&(spot, output): &(usize, usize)| spot * head_lanes * LANE + output;
        Logit { spots: terms.spots.iter().map(place).collect(), line: terms.line, question: terms.question }
    };
    (0..num_actions).map(logit).collect()
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

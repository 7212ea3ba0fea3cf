//! From the features of spots to policy logits and to the value.

use gipf_env::geometry::SPOTS;

use crate::board::Terms;
use crate::config::NetConfig;
use crate::infer::asked::Asked;
use crate::infer::kernel::{Finish, Instructions, Packed, pool};
use crate::infer::lanes::{LANE, Lane};
use crate::infer::mixing::dense;
use crate::infer::write_wdl;
use crate::names::LayerName;
use crate::observed::Observed;
use crate::weights::Weights;

/// The heads of a network of spots.
#[derive(Debug)]
pub struct Heads {
    pub instructions: Instructions,
    pub observed: Observed,
    /// The number of lanes of a spot's features.
    pub width: usize,
    pub spots: Packed,
    /// Which of a position's outputs each policy logit sums up.
    pub policy: PolicySums,
    /// The actions that answer questions about a piece, with the lane of its spot's outputs and the place in it.
    pub questions: Vec<(usize, (usize, usize))>,
    pub value: [Packed; 2],
}

/// For each policy logit: the lanes of a position's outputs that it sums up, and the places in them.
#[derive(Debug)]
pub struct PolicySums {
    /// All of them, one logit after the other.
    places: Vec<(u16, u16)>,
    /// Where those of each logit begin, and where the last ones end.
    starts: Vec<usize>,
}

impl PolicySums {
    fn new(logits: impl Iterator<Item = Vec<(u16, u16)>>) -> Self {
        let mut sums = Self { places: Vec::new(), starts: vec![0] };
        for places in logits {
            sums.places.extend(places);
            sums.starts.push(sums.places.len());
        }
        sums
    }

    /// Returns the number of logits.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns what one logit sums up.
    #[inline]
    pub fn of(&self, logit: usize) -> &[(u16, u16)] {
        &self.places[self.starts[logit]..self.starts[logit + 1]]
    }
}

/// Working memory.
#[derive(Debug, Default)]
pub struct HeadsScratch {
    /// The outputs at the spots.
    pub outputs: Vec<Lane>,
    pub pooled: Vec<Lane>,
    pub hidden: Vec<Lane>,
    /// The logits of the value, a lane for each position.
    pub value: Vec<Lane>,
}

impl Heads {
    /// Packs the heads of a network with this many features per spot and this hidden width of the value head.
    pub fn new(
        weights: &Weights,
        config: &NetConfig,
        features: usize,
        value_hidden: usize,
        instructions: Instructions,
    ) -> Self {
        let [weight, bias] = weights.layer(LayerName::SpotHeads);
        let spots = Packed::new(features, weight, bias);
        Self {
            instructions,
            observed: Observed::new(config),
            width: features.div_ceil(LANE),
            policy: logits(config, spots.lanes()),
            questions: questions(config),
            spots,
            value: pack_value(weights, config, features, value_hidden),
        }
    }

    /// Writes what the spots contribute to each policy logit that is asked for.
    pub fn write_logits(
        &self,
        (scratch, asked): (&mut HeadsScratch, Asked),
        features: &[Lane],
        planes: &[f32],
        logits: &mut [f32],
    ) {
        let width = self.spots.lanes();
        scratch.outputs.resize(features.len() / self.width * width, Lane::ZERO);
        dense(self.instructions, &self.spots, features, &mut scratch.outputs, Finish::Store);
        let logits = logits.chunks_exact_mut(self.policy.len());
        let outputs = scratch.outputs.chunks_exact(SPOTS * width);
        let positions = logits.zip(outputs).zip(planes.chunks_exact(self.observed.size()));
        for (position, ((logits, outputs), planes)) in positions.enumerate() {
            let value = |&(lane, place): &(u16, u16)| outputs[usize::from(lane)].0[usize::from(place) % LANE];
            asked.for_each(position, self.policy.len(), |action| {
                logits[action] = self.policy.of(action).iter().map(value).sum();
            });
            for spot in self.observed.in_question(planes) {
                for &(action, (lane, place)) in &self.questions {
                    logits[action] += outputs[spot * width + lane].0[place];
                }
            }
        }
    }

    /// Writes the value, computed from the mean and the maximum of the features over the spots, and the scalars.
    pub fn write_values(&self, scratch: &mut HeadsScratch, features: &[Lane], planes: &[f32], wdl: &mut [f32]) {
        let HeadsScratch { pooled, hidden, value, .. } = scratch;
        let scalars = self.value[0].inputs() / LANE - 2 * self.width;
        pooled.clear();
        let positions = planes.chunks_exact(self.observed.size()).zip(features.chunks_exact(SPOTS * self.width));
        for (planes, features) in positions {
            let start = pooled.len();
            pooled.resize(start + 2 * self.width + scalars, Lane::ZERO);
            let (spots, rest) = pooled[start..].split_at_mut(2 * self.width);
            pool(self.instructions, features, spots);
            for (index, value) in self.observed.scalars(planes).enumerate() {
                rest[index / LANE].0[index % LANE] = value;
            }
        }
        let n = wdl.len() / 3;
        hidden.resize(n * self.value[0].lanes(), Lane::ZERO);
        dense(self.instructions, &self.value[0], pooled, hidden, Finish::Rectify);
        value.resize(n, Lane::ZERO);
        dense(self.instructions, &self.value[1], hidden, value, Finish::Store);
        for (wdl, outputs) in wdl.chunks_exact_mut(3).zip(value) {
            write_wdl([0, 1, 2].map(|output| outputs.0[output]), wdl);
        }
    }
}

/// Returns what makes up each policy logit.
pub fn terms(config: &NetConfig) -> impl Iterator<Item = Terms> + use<> {
    let policy = config.policy_layout();
    (0..config.actions.size()).map(move |action| policy.terms(action))
}

fn logits(config: &NetConfig, head_lanes: usize) -> PolicySums {
    let place = |&(spot, output): &(usize, usize)| ((spot * head_lanes + output / LANE) as u16, (output % LANE) as u16);
    PolicySums::new(terms(config).map(|terms| terms.spots.iter().map(place).collect()))
}

fn questions(config: &NetConfig) -> Vec<(usize, (usize, usize))> {
    let output = |(action, terms): (usize, Terms)| Some((action, terms.question?));
    let outputs = terms(config).enumerate().filter_map(output);
    outputs.map(|(action, output)| (action, (output / LANE, output % LANE))).collect()
}

/// Pads the rows of a matrix with this many outputs, so that each part of its inputs begins a new lane.
pub fn padded_rows(rows: &[f32], parts: &[usize], outputs: usize) -> Vec<f32> {
    let mut rest = rows;
    let mut padded = Vec::new();
    for inputs in parts {
        let (part, others) = rest.split_at(inputs * outputs);
        padded.extend_from_slice(part);
        padded.resize(padded.len() + (inputs.next_multiple_of(LANE) - inputs) * outputs, 0.0);
        rest = others;
    }
    padded
}

/// Packs the value head for pooled rows whose three parts begin new lanes.
fn pack_value(weights: &Weights, config: &NetConfig, features: usize, outputs: usize) -> [Packed; 2] {
    let [[first, first_bias], [second, second_bias]] =
        [LayerName::ValueHidden, LayerName::ValueOutput].map(|name| weights.layer(name));
    let rows = padded_rows(first, &[features, features, config.layout.scalars], outputs);
    [Packed::new(rows.len() / outputs, &rows, first_bias), Packed::new(outputs, second, second_bias)]
}

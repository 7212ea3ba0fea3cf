//! The perceptron: a sum of rows for what is set in the observation, then dense layers.

use crate::config::{MlpConfig, NetConfig};
use crate::infer::kernel::{Finish, Instructions, Packed, add_scaled};
use crate::infer::lanes::{Lane, at, copy_floats, padded};
use crate::infer::mixing::dense;
use crate::infer::write_wdl;
use crate::parameters::mlp_input_places;
use crate::weights::Weights;

/// How many positions go through the layers together.
const CHUNK: usize = 32;

/// A perceptron with packed weights.
#[derive(Debug)]
pub struct MlpEngine {
    instructions: Instructions,
    num_actions: usize,
    observation: usize,
    /// Where each input of the first layer lies in an observation.
    inputs: Vec<usize>,
    /// The first layer: a row of lanes for each input, and the bias.
    rows: Vec<Lane>,
    bias: Vec<Lane>,
    hidden: Vec<Packed>,
    /// The policy's outputs, then the value's.
    heads: Packed,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct MlpScratch {
    now: Vec<Lane>,
    next: Vec<Lane>,
    /// The inputs that are not zero.
    terms: Vec<(usize, f32)>,
}

impl MlpEngine {
    /// Packs the weights, which must be those of the network.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &MlpConfig, instructions: Instructions) -> Self {
        let values = |name: &str| weights.get(name).values.as_slice();
        let first = values("hidden.0.weight").chunks_exact(sizes.hidden[0]);
        let hidden = (1..sizes.hidden.len()).map(|layer| {
            let [weight, bias] = ["weight", "bias"].map(|part| values(&format!("hidden.{layer}.{part}")));
            Packed::new(sizes.hidden[layer - 1], weight, bias)
        });
        let last = *sizes.hidden.last().expect("a valid perceptron has a hidden layer");
        Self {
            instructions,
            num_actions: config.num_actions,
            observation: config.layout.size(),
            inputs: mlp_input_places(config),
            rows: first.flat_map(padded).collect(),
            bias: padded(values("hidden.0.bias")),
            hidden: hidden.collect(),
            heads: pack_heads(weights, last, config.num_actions),
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut MlpScratch, planes: &[f32], logits: &mut [f32], wdl: &mut [f32]) {
        let planes = planes.chunks(CHUNK * self.observation);
        let logits = logits.chunks_mut(CHUNK * self.num_actions);
        for ((planes, logits), wdl) in planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3)) {
            self.forward_chunk(scratch, planes, logits, wdl);
        }
    }

    fn forward_chunk(&self, scratch: &mut MlpScratch, planes: &[f32], logits: &mut [f32], wdl: &mut [f32]) {
        scratch.now.clear();
        for planes in planes.chunks_exact(self.observation) {
            self.first_layer(planes, scratch);
        }
        for layer in &self.hidden {
            self.dense(layer, Finish::Rectify, scratch, wdl.len() / 3);
        }
        self.dense(&self.heads, Finish::Store, scratch, wdl.len() / 3);
        let rows = scratch.now.chunks_exact(self.heads.lanes());
        for ((row, logits), wdl) in rows.zip(logits.chunks_exact_mut(self.num_actions)).zip(wdl.chunks_exact_mut(3)) {
            copy_floats(row, logits);
            write_wdl([0, 1, 2].map(|output| at(row, self.num_actions + output)), wdl);
        }
    }

    /// Appends the first hidden layer of one position: the bias and the rows of all inputs that are not zero.
    fn first_layer(&self, planes: &[f32], scratch: &mut MlpScratch) {
        let MlpScratch { now, terms, .. } = scratch;
        terms.clear();
        let inputs = self.inputs.iter().map(|&place| planes[place]).enumerate();
        terms.extend(inputs.filter(|&(_, value)| value != 0.0));
        let start = now.len();
        now.extend_from_slice(&self.bias);
        add_scaled(self.instructions, &self.rows, terms, &mut now[start..]);
        now[start..].iter_mut().for_each(Lane::rectify);
    }

    fn dense(&self, layer: &Packed, finish: Finish, scratch: &mut MlpScratch, n: usize) {
        scratch.next.resize(n * layer.lanes(), Lane::ZERO);
        dense(self.instructions, layer, &scratch.now, &mut scratch.next, finish);
        std::mem::swap(&mut scratch.now, &mut scratch.next);
    }
}

fn pack_heads(weights: &Weights, inputs: usize, num_actions: usize) -> Packed {
    let values = |name: &str| weights.get(name).values.as_slice();
    let policy = values("policy.weight").chunks_exact(num_actions);
    let rows = policy.zip(values("value.weight").chunks_exact(3));
    let weight: Vec<f32> = rows.flat_map(|(policy, value)| [policy, value].concat()).collect();
    Packed::new(inputs, &weight, &[values("policy.bias"), values("value.bias")].concat())
}

//! The perceptron: a sum of rows for the values set in the observation, then dense layers.

use crate::config::{MlpConfig, NetConfig};
use crate::infer::kernel::{Finish, Instructions, Packed, PackedInt8, add_scaled, nonzero, rectify};
use crate::infer::lanes::{LANE, Lane, at, copy_floats, padded};
use crate::infer::mixing::dense;
use crate::infer::quantised::Quantised;
use crate::infer::{EngineOptions, Precision, write_wdl};
use crate::names::LayerName;
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
    /// The number of values of an observation that belong to cells; scalars follow.
    shaped: usize,
    /// The input of each of those values, if it is one.
    input_of: Vec<Option<usize>>,
    /// The inputs that are scalars, and where they lie in an observation.
    scalars: Vec<(usize, usize)>,
    /// The first layer: a row of lanes for each input, and the bias.
    rows: Vec<Lane>,
    bias: Vec<Lane>,
    hidden: Vec<Layer>,
    /// The policy's outputs, then the value's.
    heads: Layer,
}

/// A layer whose inputs are never negative, since they have been rectified.
#[derive(Debug)]
enum Layer {
    F32(Packed),
    Int8(PackedInt8),
}

/// Working memory.
#[derive(Debug, Default)]
pub struct MlpScratch {
    now: Vec<Lane>,
    next: Vec<Lane>,
    quantised: Quantised,
    /// Which values of the observation are not zero, a bit for each.
    set: Vec<u16>,
    /// The inputs that are not zero.
    terms: Vec<(usize, f32)>,
}

impl MlpEngine {
    /// Packs the weights, which must be those of the network.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &MlpConfig, options: EngineOptions) -> Self {
        let [first, bias] = weights.layer(LayerName::Hidden(0));
        let hidden = (1..sizes.hidden.len())
            .map(|layer| Layer::new(sizes.hidden[layer - 1], weights.layer(LayerName::Hidden(layer)), options));
        let last = *sizes.hidden.last().expect("a valid perceptron has a hidden layer");
        let shaped = (config.layout.pieces + config.layout.marks) * config.layout.rows * config.layout.columns;
        let places = mlp_input_places(config);
        let mut input_of = vec![None; shaped];
        for (input, &place) in places.iter().enumerate().filter(|&(_, &place)| place < shaped) {
            input_of[place] = Some(input);
        }
        Self {
            instructions: options.instructions,
            num_actions: config.actions.size(),
            observation: config.layout.size(),
            shaped,
            input_of,
            scalars: places.iter().copied().enumerate().filter(|&(_, place)| place >= shaped).collect(),
            rows: first.chunks_exact(sizes.hidden[0]).flat_map(padded).collect(),
            bias: padded(bias),
            hidden: hidden.collect(),
            heads: pack_heads(weights, last, config.actions.size(), options),
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
        let MlpScratch { now, set, terms, .. } = scratch;
        terms.clear();
        let (shaped, _) = planes.split_at(self.shaped);
        set.resize(shaped.len().div_ceil(LANE), 0);
        nonzero(self.instructions, shaped, set);
        for (first, &set) in (0..).step_by(LANE).zip(&*set) {
            let mut set = set;
            // Few values are set.
            while set != 0 {
                let place = first + set.trailing_zeros() as usize;
                terms.extend(self.input_of[place].map(|input| (input, shaped[place])));
                set &= set - 1;
            }
        }
        let scalars = self.scalars.iter().map(|&(input, place)| (input, planes[place]));
        terms.extend(scalars.filter(|&(_, value)| value != 0.0));
        let start = now.len();
        now.extend_from_slice(&self.bias);
        add_scaled(self.instructions, &self.rows, terms, &mut now[start..]);
        rectify(self.instructions, &mut now[start..]);
    }

    fn dense(&self, layer: &Layer, finish: Finish, scratch: &mut MlpScratch, n: usize) {
        let MlpScratch { now, next, quantised, .. } = scratch;
        next.resize(n * layer.lanes(), Lane::ZERO);
        match layer {
            Layer::F32(layer) => dense(self.instructions, layer, now, next, finish),
            Layer::Int8(layer) => {
                quantised.fill(self.instructions, layer, now, n);
                quantised.dense(self.instructions, layer, next, finish);
            }
        }
        std::mem::swap(now, next);
    }
}

impl Layer {
    fn new(inputs: usize, [weight, bias]: [&[f32]; 2], options: EngineOptions) -> Self {
        match options.precision {
            Precision::F32 => Self::F32(Packed::new(inputs, weight, bias)),
            Precision::Int8 => Self::Int8(PackedInt8::new(options.instructions, 1, inputs, weight, bias)),
        }
    }

    fn lanes(&self) -> usize {
        match self {
            Self::F32(layer) => layer.lanes(),
            Self::Int8(layer) => layer.lanes(),
        }
    }
}

fn pack_heads(weights: &Weights, inputs: usize, num_actions: usize, options: EngineOptions) -> Layer {
    let [[policy, policy_bias], [value, value_bias]] =
        [LayerName::Policy, LayerName::Value].map(|name| weights.layer(name));
    let rows = policy.chunks_exact(num_actions).zip(value.chunks_exact(3));
    let weight: Vec<f32> = rows.flat_map(|(policy, value)| [policy, value].concat()).collect();
    Layer::new(inputs, [&weight, &[policy_bias, value_bias].concat()], options)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use gipf_env::{ActionSpace, ObservationLayout};

    use crate::config::{MlpConfig, NetConfig, NetKind};
    use crate::infer::Engine;
    use crate::weights::Weights;

    /// A file of 2 MB may hold such a network.
    #[test]
    fn a_perceptron_for_the_largest_board_is_ready_at_once() {
        let (pieces, marks, cells) = (64, 64, (0..4096).collect());
        let layout = ObservationLayout { pieces, marks, scalars: 1, rows: 64, columns: 64, cells };
        let net = NetKind::Mlp(MlpConfig { hidden: vec![1] });
        let config = NetConfig { net, layout, actions: ActionSpace::of_size(9) };
        let weights = Weights::initial(&config, 1);
        let began = Instant::now();
        Engine::new(&weights, &config).unwrap();
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

//! A step that mixes each spot with its neighbours, forward and back.

use std::sync::Arc;

use gipf_env::geometry::{Direction, SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::gradient::dense::{Dense, DenseGradient, transposed};
use crate::infer::CHUNK;
use crate::infer::groups::{Groups, Outputs};
use crate::infer::kernel::{Finish, Instructions, Offsets, Packed, Pairs, add_outer, add_rows, pass_rectifier};
use crate::infer::lanes::{LANE, Lane};
use crate::infer::mixing::finish;
use crate::names::LayerName;
use crate::weights::{Array, Weights};

/// One step, packed: x + W₂ · relu(W₁ · \[x, neighbours\]), rectified before another step.
#[derive(Debug)]
pub struct Mixing {
    instructions: Instructions,
    step: usize,
    features: usize,
    width: usize,
    finish: Finish,
    gather: Packed,
    spread: Dense,
    /// From the hidden outputs of a spot and its neighbours back to its features: a neighbour sees the spot in the opposite
    /// direction.
    back: Packed,
    around: Arc<Around>,
}

/// Where spots and their neighbours lie, for one width of features and of hidden outputs.
#[derive(Debug)]
pub struct Around {
    groups: Groups,
    back_groups: Groups,
    /// For each tap the spots that have it: the first lane of what lies there and of the spot's hidden outputs, for a full
    /// chunk of positions.
    pairs: Vec<[Vec<u32>; 2]>,
}

impl Around {
    /// Returns the places for so many features and hidden outputs of a spot.
    pub fn new(features: usize, width: usize) -> Self {
        let (feature_lanes, hidden_lanes) = (features.div_ceil(LANE), width.div_ceil(LANE));
        Self {
            groups: Groups::new(feature_lanes, hidden_lanes),
            back_groups: Groups::new(hidden_lanes, feature_lanes),
            pairs: (0..TAPS).map(|tap| pairs(tap, feature_lanes, hidden_lanes)).collect(),
        }
    }
}

/// The gradients of a step's weights.
#[derive(Debug)]
pub struct MixingGradient {
    gather: DenseGradient,
    spread: DenseGradient,
}

impl Mixing {
    /// Packs step number `step`.
    pub fn new(
        weights: &Weights,
        (step, around): (usize, &[Arc<Around>]),
        features: usize,
        instructions: Instructions,
    ) -> Self {
        let [[gather, gather_bias], [spread, spread_bias]] =
            [LayerName::Gather(step), LayerName::Spread(step)].map(|name| weights.layer(name));
        let width = gather_bias.len();
        let back = turned_back(gather, features, width);
        Self {
            instructions,
            step,
            features,
            width,
            finish: finish(step, around.len()),
            gather: Packed::new(TAPS * features, gather, gather_bias),
            spread: Dense::new(instructions, spread, spread_bias),
            back: Packed::new(TAPS * width, &back, &vec![0.0; features]),
            around: around[step].clone(),
        }
    }

    /// Mixes the features of positions; returns the hidden outputs.
    pub fn mix(&self, features: &mut [Lane]) -> Vec<Lane> {
        let positions = features.len() / (SPOTS * self.spread.lanes());
        let mut hidden = vec![Lane::ZERO; positions * self.hidden_lanes()];
        let chunks = features.chunks_mut(CHUNK * SPOTS * self.spread.lanes());
        for (features, hidden) in chunks.zip(hidden.chunks_mut(CHUNK * self.hidden_lanes())) {
            let to = Outputs { lanes: hidden, finish: Finish::Rectify };
            self.around.groups.product(self.instructions, &self.gather, features, to);
            self.spread.forward(hidden, features, self.finish);
        }
        hidden
    }

    /// Returns gradients of zeros.
    pub fn no_gradient(&self) -> MixingGradient {
        let lanes = self.gather.lanes();
        let weight = vec![Lane::ZERO; self.gather.inputs() * lanes];
        let gather = DenseGradient { weight, bias: vec![Lane::ZERO; lanes] };
        MixingGradient { gather, spread: self.spread.no_gradient() }
    }

    /// Passes the gradients of mixed features back to those before, and adds what they say about the weights.
    pub fn learn(&self, (before, hidden): (&[Lane], &[Lane]), deltas: &mut [Lane], gradient: &mut MixingGradient) {
        let width = SPOTS * self.spread.lanes();
        let chunks = before.chunks(CHUNK * width).zip(hidden.chunks(CHUNK * self.hidden_lanes()));
        let mut back = Vec::new();
        for ((before, hidden), deltas) in chunks.zip(deltas.chunks_mut(CHUNK * width)) {
            back.resize(hidden.len(), Lane::ZERO);
            self.spread.learn(hidden, deltas, &mut gradient.spread);
            self.spread.backward(deltas, &mut back, Finish::Store);
            pass_rectifier(self.instructions, hidden, &mut back);
            self.learn_gather(before, &back, &mut gradient.gather);
            let to = Outputs { lanes: deltas, finish: Finish::Add };
            self.around.back_groups.product(self.instructions, &self.back, &back, to);
        }
    }

    fn hidden_lanes(&self) -> usize {
        SPOTS * self.gather.lanes()
    }

    fn learn_gather(&self, before: &[Lane], deltas: &[Lane], gradient: &mut DenseGradient) {
        let lanes = self.gather.lanes();
        let n = deltas.len() / (SPOTS * lanes);
        let taps = gradient.weight.chunks_exact_mut(self.features * lanes);
        for (to, [sources, targets]) in taps.zip(&self.around.pairs) {
            let listed = |offsets: &[u32]| offsets.len() / CHUNK * n;
            let pairs = Pairs {
                source: before,
                sources: Offsets::Listed(&sources[..listed(sources)]),
                inputs: self.features,
                deltas,
                targets: Offsets::Listed(&targets[..listed(targets)]),
                lanes,
            };
            add_outer(self.instructions, pairs, to);
        }
        add_rows(self.instructions, deltas, &mut gradient.bias);
    }
}

impl MixingGradient {
    /// Returns the gradients of the weights of a step by name.
    pub fn named(&self, of: &Mixing) -> impl Iterator<Item = (String, Array)> {
        let gather = self.gather.named(LayerName::Gather(of.step), of.width);
        gather.into_iter().chain(self.spread.named(LayerName::Spread(of.step), of.features))
    }
}

/// Returns the matrix from the hidden outputs around a spot back to its features.
fn turned_back(gather: &[f32], features: usize, width: usize) -> Vec<f32> {
    let mut opposite = [0; TAPS];
    for direction in Direction::ALL {
        opposite[1 + direction.index()] = 1 + direction.opposite().index();
    }
    let tap = |tap: usize| transposed(&gather[tap * features * width..][..features * width], width);
    opposite.into_iter().flat_map(tap).collect()
}

fn pairs(tap: usize, feature_lanes: usize, hidden_lanes: usize) -> [Vec<u32>; 2] {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for position in 0..CHUNK {
        for spot in Spot::all() {
            let Some(neighbour) = taps(spot)[tap] else { continue };
            sources.push(((position * SPOTS + neighbour) * feature_lanes) as u32);
            targets.push(((position * SPOTS + spot.index()) * hidden_lanes) as u32);
        }
    }
    [sources, targets]
}

//! The residual network: layers over each spot and its neighbours, and the heads.

use gipf_env::geometry::SPOTS;

use crate::board::TAPS;
use crate::config::{HexConfig, NetConfig};
use crate::infer::groups::{Groups, Outputs};
use crate::infer::heads::{Heads, HeadsScratch};
use crate::infer::kernel::{Finish, Instructions, Packed, PackedInt8, add_scaled};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::infer::layers::Answers;
use crate::infer::quantised::Quantised;
use crate::infer::{CHUNK, EngineOptions, Precision};
use crate::names::{LayerName, TensorName};
use crate::observed::Observed;
use crate::weights::Weights;

/// A residual network with packed weights.
#[derive(Debug)]
pub struct HexEngine {
    instructions: Instructions,
    observed: Observed,
    num_actions: usize,
    stem: Packed,
    stem_groups: Groups,
    spot_bias: Vec<Lane>,
    /// Lanes for each scalar.
    conditions: Vec<Lane>,
    blocks: Blocks,
    block_groups: Groups,
    heads: Heads,
}

/// The two layers of each block. The inputs of these layers are never negative, so they can be bytes in all of them.
#[derive(Debug)]
enum Blocks {
    F32(Vec<[Packed; 2]>),
    Int8(Vec<[PackedInt8; 2]>),
}

/// Working memory.
#[derive(Debug, Default)]
pub struct HexScratch {
    /// Pieces and marks at the spots.
    spots: Vec<Lane>,
    everywhere: Vec<Lane>,
    terms: Vec<(usize, f32)>,
    features: Vec<Lane>,
    hidden: Vec<Lane>,
    quantised: Quantised,
    heads: HeadsScratch,
}

impl HexEngine {
    /// Packs the weights, which must be those of the network.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &HexConfig, options: EngineOptions) -> Self {
        let (observed, channels) = (Observed::new(config), sizes.channels);
        let rows = |name| weights.values(name).chunks_exact(channels).flat_map(padded).collect();
        let lanes = channels.div_ceil(LANE);
        Self {
            instructions: options.instructions,
            num_actions: config.actions.size(),
            stem: Packed::new(TAPS * observed.values(), weights.values(TensorName::Stem), &vec![0.0; channels]),
            stem_groups: Groups::new(observed.values().div_ceil(LANE), lanes),
            spot_bias: rows(TensorName::SpotBias),
            conditions: rows(TensorName::Conditions),
            blocks: Blocks::new(weights, sizes, options),
            block_groups: Groups::new(lanes, lanes),
            heads: Heads::new(weights, config, channels, sizes.value_hidden, options.instructions),
            observed,
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut HexScratch, planes: &[f32], Answers { logits, asked, wdl }: Answers) {
        let planes = planes.chunks(CHUNK * self.observed.size());
        let logits = logits.chunks_mut(CHUNK * self.num_actions);
        let parts = planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3));
        for (first, ((planes, logits), wdl)) in (0..).step_by(CHUNK).zip(parts) {
            let asked = asked.part(first, wdl.len() / 3);
            self.enter(scratch, planes);
            self.pass_blocks(scratch, wdl.len() / 3);
            self.heads.write_logits((&mut scratch.heads, asked), &scratch.features, planes, logits);
            self.heads.write_values(&mut scratch.heads, &scratch.features, planes, wdl);
        }
    }

    /// Writes the features of each spot: what it and its neighbours hold, its place, and the scalars, rectified.
    fn enter(&self, scratch: &mut HexScratch, planes: &[f32]) {
        let HexScratch { spots, everywhere, terms, features, .. } = scratch;
        spots.clear();
        features.clear();
        everywhere.resize(self.stem.lanes(), Lane::ZERO);
        for planes in planes.chunks_exact(self.observed.size()) {
            self.push_spots(planes, spots);
            terms.clear();
            terms.extend(self.observed.scalars(planes).enumerate());
            everywhere.fill(Lane::ZERO);
            add_scaled(self.instructions, &self.conditions, terms, everywhere);
            for spot_bias in self.spot_bias.chunks_exact(everywhere.len()) {
                features.extend(spot_bias.iter().zip(everywhere.iter()).map(|(bias, everywhere)| {
                    let mut sum = *bias;
                    sum.add(everywhere);
                    sum
                }));
            }
        }
        let to = Outputs { lanes: features, finish: Finish::AddRectified };
        self.stem_groups.product(self.instructions, &self.stem, (spots, None), to);
    }

    /// Appends the pieces and marks of one position, spot by spot.
    fn push_spots(&self, planes: &[f32], spots: &mut Vec<Lane>) {
        let (start, width) = (spots.len(), self.observed.values().div_ceil(LANE));
        spots.resize(start + SPOTS * width, Lane::ZERO);
        for value in 0..self.observed.values() {
            for (spot, lanes) in spots[start..].chunks_exact_mut(width).enumerate() {
                lanes[value / LANE].0[value % LANE] = self.observed.value(planes, value, spot);
            }
        }
    }

    fn pass_blocks(&self, scratch: &mut HexScratch, n: usize) {
        let HexScratch { features, hidden, quantised, .. } = scratch;
        let (set, groups) = (self.instructions, &self.block_groups);
        hidden.resize(features.len(), Lane::ZERO);
        match &self.blocks {
            Blocks::F32(blocks) => {
                for [first, second] in blocks {
                    groups.product(set, first, (features, None), Outputs { lanes: hidden, finish: Finish::Rectify });
                    groups.product(
                        set,
                        second,
                        (hidden, None),
                        Outputs { lanes: features, finish: Finish::AddRectified },
                    );
                }
            }
            Blocks::Int8(blocks) => {
                for [first, second] in blocks {
                    quantised.fill(set, first, features, n);
                    let to = Outputs { lanes: hidden, finish: Finish::Rectify };
                    groups.product_int8(set, first, quantised, to);
                    quantised.fill(set, second, hidden, n);
                    let to = Outputs { lanes: features, finish: Finish::AddRectified };
                    groups.product_int8(set, second, quantised, to);
                }
            }
        }
    }
}

impl Blocks {
    fn new(weights: &Weights, sizes: &HexConfig, options: EngineOptions) -> Self {
        let layers = |block| [LayerName::BlockFirst(block), LayerName::BlockSecond(block)];
        let blocks = (0..sizes.blocks).map(|block| layers(block).map(|name| weights.layer(name)));
        match options.precision {
            Precision::F32 => {
                let pack = |[weight, bias]: [&[f32]; 2]| Packed::new(TAPS * sizes.channels, weight, bias);
                Self::F32(blocks.map(|layers| layers.map(pack)).collect())
            }
            Precision::Int8 => {
                let pack = |[weight, bias]: [&[f32]; 2]| {
                    PackedInt8::new(options.instructions, TAPS, sizes.channels, weight, bias)
                };
                Self::Int8(blocks.map(|layers| layers.map(pack)).collect())
            }
        }
    }
}

//! The residual network, whose layers see each spot with its six neighbours.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, IndexingUpdateOp, Int, Tensor};
use gipf_env::geometry::{SPOTS, Spot};

use super::heads::{PolicyHead, value};
use super::layers::{linear, param, parts};
use super::line_input::{each_spot, indices, question, scalars};
use super::{Output, matrix};
use crate::board::{TAPS, taps};
use crate::config::{HexConfig, NetConfig};
use crate::names::{LayerName, TensorName};
use crate::observed::Observed;
use crate::weights::Weights;

/// A residual network on the spots of the GIPF board.
///
/// C is the number of channels: the features of a spot in all layers.
#[derive(Module, Debug)]
pub struct HexNet {
    stem: Param<Tensor<2>>,
    conditions: Param<Tensor<2>>,
    spot_bias: Param<Tensor<2>>,
    blocks: Vec<Block>,
    spot_heads: Linear,
    value: Vec<Linear>,
    #[module(skip)]
    pairs: Pairs,
    #[module(skip)]
    policy: PolicyHead,
}

/// A batch of B observations.
#[derive(Clone, Debug)]
pub struct HexInput {
    /// Pieces and marks at each spot, `[spots · B, pieces + marks]`.
    pub spots: Tensor<2>,
    /// `[B, scalars]`.
    pub scalars: Tensor<2>,
    /// 1 where a piece is in question, `[spots, B, 1]`.
    pub question: Tensor<3>,
}

impl HexInput {
    /// Prepares observations.
    ///
    /// # Shapes
    /// - planes: `[B, planes · rows · columns]`.
    pub fn new(config: &NetConfig, planes: &[f32], device: &Device) -> Self {
        let observed = Observed::new(config);
        let batch: Vec<_> = planes.chunks_exact(observed.size()).collect();
        let all = each_spot(&batch, |planes, spot| {
            (0..observed.values()).map(|value| observed.value(planes, value, spot)).collect::<Vec<_>>()
        });
        Self {
            spots: matrix(all, [SPOTS * batch.len(), observed.values()], device),
            scalars: scalars(&observed, &batch, device),
            question: question(&observed, &batch, device),
        }
    }
}

impl HexNet {
    /// Builds the network from its weights.
    pub fn new(config: &NetConfig, sizes: &HexConfig, weights: &Weights, device: &Device) -> Self {
        let dense = |name| linear(weights, name, device);
        let block =
            |index| Block { first: dense(LayerName::BlockFirst(index)), second: dense(LayerName::BlockSecond(index)) };
        Self {
            stem: param(weights, TensorName::Stem, device),
            conditions: param(weights, TensorName::Conditions, device),
            spot_bias: param(weights, TensorName::SpotBias, device),
            blocks: (0..sizes.blocks).map(block).collect(),
            spot_heads: dense(LayerName::SpotHeads),
            value: [LayerName::ValueHidden, LayerName::ValueOutput].map(dense).into(),
            pairs: Pairs::new(device),
            policy: PolicyHead::of_spots(config, device),
        }
    }

    /// Evaluates prepared observations.
    pub fn forward(&self, input: &HexInput) -> Output {
        let x = self.blocks.iter().fold(self.features(input), |x, block| block.forward(x, &self.pairs));
        let heads = self.spot_heads.forward(x.clone());
        let policy = self.policy.forward(heads, None, input.question.clone());
        Output { policy, wdl: value(&self.value, x, input.scalars.clone()) }
    }

    /// Returns the rectified sum of the terms of each spot with its neighbours, its place and the scalars.
    ///
    /// # Shapes
    /// - output: `[spots · B, C]`.
    fn features(&self, input: &HexInput) -> Tensor<2> {
        let x = self.pairs.mix(input.spots.clone(), self.stem.val());
        let [rows, channels] = x.dims();
        let everywhere = input.scalars.clone().matmul(self.conditions.val());
        let x = x.reshape([SPOTS, rows / SPOTS, channels]);
        let x = x + self.spot_bias.val().unsqueeze_dim(1) + everywhere.unsqueeze_dim(0);
        relu(x).reshape([rows, channels])
    }
}

/// Two layers whose outputs are added to the features: relu(x + W₂ · relu(W₁ · x)), each with the neighbours of a spot.
#[derive(Module, Debug)]
pub struct Block {
    first: Linear,
    second: Linear,
}

impl Block {
    /// # Shapes
    /// - x, output: `[spots · B, C]`.
    fn forward(&self, x: Tensor<2>, pairs: &Pairs) -> Tensor<2> {
        let layer = |layer: &Linear, x| {
            let [weight, bias] = parts(layer);
            pairs.mix(x, weight) + bias
        };
        let hidden = relu(layer(&self.first, x.clone()));
        relu(x + layer(&self.second, hidden))
    }
}

/// The directions from a spot to its neighbours.
const DIRECTIONS: usize = TAPS - 1;

/// All pairs of a spot and its neighbour, direction by direction.
#[derive(Clone, Debug)]
struct Pairs {
    /// The neighbours, `[pairs]`.
    from: Tensor<1, Int>,
    /// The spots, `[pairs]`.
    to: Tensor<1, Int>,
}

impl Pairs {
    fn new(device: &Device) -> Self {
        let of_direction =
            |direction: usize| Spot::all().filter_map(move |spot| Some((taps(spot)[1 + direction]?, spot.index())));
        let pairs: Vec<_> = (0..DIRECTIONS).flat_map(of_direction).collect();
        // The board is a hexagon, so every direction has the same number: one batched product.
        assert!((0..DIRECTIONS).all(|direction| of_direction(direction).count() * DIRECTIONS == pairs.len()));
        let list = |part: fn(&(usize, usize)) -> usize| pairs.iter().map(|pair| part(pair) as i32).collect();
        Self { from: indices(list(|pair| pair.0), device), to: indices(list(|pair| pair.1), device) }
    }

    /// Multiplies each spot and its neighbours with a matrix. Directions without a neighbour add nothing and cost
    /// nothing; whole rows of a batch are gathered and added at once.
    ///
    /// # Shapes
    /// - x: `[spots · B, K]`;
    /// - weight: `[taps · K, F]`;
    /// - output: `[spots · B, F]`.
    fn mix(&self, x: Tensor<2>, weight: Tensor<2>) -> Tensor<2> {
        let ([rows, inputs], [_, outputs]) = (x.dims(), weight.dims());
        let (batch, count) = (rows / SPOTS, self.from.dims()[0]);
        let own = weight.clone().slice([0..inputs, 0..outputs]);
        let others = weight.slice([inputs..TAPS * inputs, 0..outputs]).reshape([DIRECTIONS, inputs, outputs]);
        let sums = x.clone().matmul(own).reshape([SPOTS, batch * outputs]);
        let neighbours = x.reshape([SPOTS, batch * inputs]).select(0, self.from.clone());
        let parts = neighbours.reshape([DIRECTIONS, count / DIRECTIONS * batch, inputs]).matmul(others);
        let parts = parts.reshape([count, batch * outputs]);
        sums.select_assign(0, self.to.clone(), parts, IndexingUpdateOp::Add).reshape([rows, outputs])
    }
}

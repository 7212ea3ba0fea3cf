//! The perceptron.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

use super::layers::linear;
use super::{Output, matrix};
use crate::config::{MlpConfig, NetConfig};
use crate::names::LayerName;
use crate::parameters::mlp_input_places;
use crate::weights::Weights;

/// A perceptron over the whole observation.
#[derive(Module, Debug)]
pub struct MlpNet {
    hidden: Vec<Linear>,
    policy: Linear,
    value: Linear,
}

impl MlpNet {
    /// Builds the network from its weights.
    pub fn new(sizes: &MlpConfig, weights: &Weights, device: &Device) -> Self {
        let hidden = (0..sizes.hidden.len()).map(|layer| linear(weights, LayerName::Hidden(layer), device));
        Self {
            hidden: hidden.collect(),
            policy: linear(weights, LayerName::Policy, device),
            value: linear(weights, LayerName::Value, device),
        }
    }

    /// Evaluates prepared observations.
    ///
    /// # Shapes
    /// - input: `[B, inputs]`, from [`prepare`].
    pub fn forward(&self, input: Tensor<2>) -> Output {
        let hidden = self.hidden.iter().fold(input, |x, layer| relu(layer.forward(x)));
        Output { policy: self.policy.forward(hidden.clone()), wdl: self.value.forward(hidden) }
    }
}

/// Returns the network's input: pieces and marks plane by plane at the board's cells, then each scalar once.
///
/// # Shapes
/// - planes: `[B, planes · rows · columns]`;
/// - output: `[B, (pieces + marks) · cells + scalars]`.
pub fn prepare(config: &NetConfig, planes: &[f32], device: &Device) -> Tensor<2> {
    let places = mlp_input_places(config);
    let batch = planes.len() / config.layout.size();
    let values = planes.chunks_exact(config.layout.size()).flat_map(|planes| places.iter().map(|&place| planes[place]));
    matrix(values.collect(), [batch, places.len()], device)
}

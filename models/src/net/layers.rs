//! Parts of networks, filled from named weights.

use burn::module::{Param, ParamId};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};

use crate::names::{LayerName, TensorName};
use crate::weights::Weights;

/// Returns a tensor of the network, tracked if the device tracks tensors. Its number is its place among the weights.
pub fn param<const D: usize>(weights: &Weights, name: TensorName, device: &Device) -> Param<Tensor<D>> {
    let array = weights.get(name);
    let number = weights.0.keys().position(|key| *key == name.to_string()).expect("the tensor is there");
    let shape: [usize; D] = array.shape.as_slice().try_into().expect("shapes were checked");
    let tensor = Tensor::from_data(TensorData::new(array.values.clone(), shape), device);
    let tensor = if device.is_autodiff() { tensor.require_grad() } else { tensor };
    Param::initialized(ParamId::from(number as u64), tensor)
}

/// Returns a dense layer of the network, `[inputs, outputs]`.
pub fn linear(weights: &Weights, name: LayerName, device: &Device) -> Linear {
    Linear {
        weight: param(weights, TensorName::Weight(name), device),
        bias: Some(param(weights, TensorName::Bias(name), device)),
    }
}

/// Returns the weight `[inputs, outputs]` and the bias `[1, outputs]` of a dense layer.
pub fn parts(layer: &Linear) -> [Tensor<2>; 2] {
    let bias = layer.bias.as_ref().expect("all layers have a bias").val();
    [layer.weight.val(), bias.unsqueeze_dim(0)]
}

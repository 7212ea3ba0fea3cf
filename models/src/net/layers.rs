//! Parts of networks, filled from named weights.

use burn::module::{Param, ParamId};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};

use crate::weights::Weights;

/// Returns a tensor of the network, tracked where the device does so.
pub fn param<const D: usize>(weights: &Weights, name: &str, device: &Device) -> Param<Tensor<D>> {
    let array = weights.get(name);
    let shape: [usize; D] = array.shape.as_slice().try_into().expect("shapes were checked");
    let tensor = Tensor::from_data(TensorData::new(array.values.clone(), shape), device);
    let tensor = if device.is_autodiff() { tensor.require_grad() } else { tensor };
    Param::initialized(ParamId::new(), tensor)
}

/// Returns a dense layer of the network, `[inputs, outputs]`.
pub fn linear(weights: &Weights, name: &str, device: &Device) -> Linear {
    Linear {
        weight: param(weights, &format!("{name}.weight"), device),
        bias: Some(param(weights, &format!("{name}.bias"), device)),
    }
}

/// Returns the weight `[inputs, outputs]` and the bias `[1, outputs]` of a dense layer.
pub fn parts(layer: &Linear) -> [Tensor<2>; 2] {
    let bias = layer.bias.as_ref().expect("all layers have a bias").val();
    [layer.weight.val(), bias.unsqueeze_dim(0)]
}

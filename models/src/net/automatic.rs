//! Gradients of any network on any device, by automatic differentiation.

use burn::tensor::{Device, Tensor};

use super::Net;
use crate::DeviceKind;
use crate::batch::Batch;
use crate::config::NetConfig;
use crate::device::DeviceMissing;
use crate::gradient::{self, GradientConfig};
use crate::losses::Losses;
use crate::weights::Weights;

/// Computes gradients of one network on a device.
#[derive(Clone, Debug)]
pub struct AutoGradient {
    config: NetConfig,
    device: Device,
}

impl AutoGradient {
    /// Prepares for a valid network.
    ///
    /// # Errors
    /// If the program was built without the device.
    pub fn new(config: &NetConfig, device: DeviceKind) -> Result<Self, DeviceMissing> {
        Ok(Self { config: config.clone(), device: device.device()? })
    }

    /// Returns the losses of the weights on a batch, and the gradient of its policy's cross-entropy plus `value_weight` times
    /// its value's.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch is empty or has other shapes.
    pub fn gradient(&self, weights: &Weights, batch: &Batch, how: GradientConfig) -> gradient::Answer {
        let net = self.network(weights, &self.device.clone().autodiff());
        let super::Answer { policy, wdl, gradient } = net.answer(batch, how);
        let losses = Losses::measure(batch, &policy, &wdl);
        gradient::Answer { losses, gradient: net.with_vector(&gradient).weights() }
    }

    /// Returns the losses of the weights on a batch.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch is empty or has other shapes.
    pub fn losses(&self, weights: &Weights, batch: &Batch) -> Losses {
        let net = self.network(weights, &self.device);
        let output = net.forward(&net.prepare(&batch.planes));
        Losses::measure(batch, &to_vec(output.policy), &to_vec(output.wdl))
    }

    fn network(&self, weights: &Weights, device: &Device) -> Net {
        Net::new(&self.config, weights, device).expect("the weights are those of the network")
    }
}

fn to_vec(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("networks hold f32")
}

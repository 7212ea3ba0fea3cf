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
    /// Prepares the gradients of a valid network.
    ///
    /// # Errors
    /// If the program was built without the device, or the system does not have it.
    pub fn new(config: &NetConfig, device: DeviceKind) -> Result<Self, DeviceMissing> {
        Ok(Self { config: config.clone(), device: device.device()? })
    }

    /// Returns the losses of the weights on a batch, and the gradient of its policy's cross-entropy plus `value_weight`
    /// times that of its value.
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

#[cfg(all(test, any(feature = "cuda", feature = "wgpu")))]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;
    use crate::config::{HexConfig, NetKind};
    use crate::testing::{close, random_batch, uneven_weights};

    /// The share of the largest number by which a GPU may differ: its exponentials are not the processor's.
    const NEAR: f32 = 1e-3;

    /// The GPUs that were built in.
    const GPUS: &[DeviceKind] = &[
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda,
        #[cfg(feature = "wgpu")]
        DeviceKind::Wgpu,
    ];

    /// Small networks, and one of a size for which people use a GPU.
    fn configs() -> Vec<NetConfig> {
        let mut configs = small_configs();
        let net = NetKind::Hex(HexConfig { blocks: 6, channels: 64, ..HexConfig::default() });
        configs.push(NetConfig { net, ..configs[configs.len() - 1].clone() });
        configs
    }

    // Kernels are chosen by shape and speed, and are fused differently after that: one size is tried again.
    #[test]
    fn a_gpu_says_and_learns_what_the_processor_does() {
        for config in &configs() {
            let weights = uneven_weights(config);
            let processor = AutoGradient::new(config, DeviceKind::Cpu).unwrap();
            for gpu in GPUS.iter().map(|&kind| AutoGradient::new(config, kind).unwrap()) {
                for size in [1, 70, 70, 256] {
                    let batch = random_batch(config, size, size as u64);
                    let how = GradientConfig { shards: 1, value_weight: 1.5 };
                    let [found, expected] = [&gpu, &processor].map(|device| device.gradient(&weights, &batch, how));
                    let what = format!("{size} samples, {config:?}");
                    for losses in [found.losses, gpu.losses(&weights, &batch)] {
                        let numbers = |losses: &Losses| [losses.policy, losses.value, losses.policy_entropy];
                        close(&what, &numbers(&losses), &numbers(&expected.losses), NEAR);
                    }
                    for (name, array) in &found.gradient.0 {
                        let (values, what) = (&expected.gradient.0[name].values, format!("{name}, {what}"));
                        close(&what, &array.values, values, NEAR);
                    }
                }
            }
        }
    }
}

//! How the gradient of a network is computed: by hand-written code where there is any, otherwise by automatic
//! differentiation.

use super::{Answer, GradientConfig, LineGradient};
use crate::DeviceKind;
use crate::batch::Batch;
use crate::config::NetConfig;
use crate::device::DeviceMissing;
use crate::losses::Losses;
#[cfg(feature = "burn")]
use crate::net::AutoGradient;
use crate::weights::Weights;

/// The program was built without what a network needs to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MethodMissing {
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceMissing),
    /// Automatic differentiation.
    #[error(
        "this program was built without automatic differentiation, by which a {0} network learns: expected a line \
         network, or a build with `--features burn`"
    )]
    Differentiation(&'static str),
}

/// Computes gradients of one network.
#[derive(Clone, Debug)]
pub enum Method {
    /// By hand: line networks on the processor.
    ByHand(LineGradient),
    /// By automatic differentiation: all networks on all devices.
    #[cfg(feature = "burn")]
    Automatic(AutoGradient),
}

impl Method {
    /// Returns the fastest method for a valid network on a device.
    ///
    /// # Errors
    /// If the program was built without what that needs.
    pub fn of(config: &NetConfig, device: DeviceKind) -> Result<Self, MethodMissing> {
        match LineGradient::of(config).filter(|_| device == DeviceKind::Cpu) {
            Some(by_hand) => Ok(Self::ByHand(by_hand)),
            None => Self::automatic(config, device),
        }
    }

    #[cfg(feature = "burn")]
    fn automatic(config: &NetConfig, device: DeviceKind) -> Result<Self, MethodMissing> {
        Ok(Self::Automatic(AutoGradient::new(config, device)?))
    }

    #[cfg(not(feature = "burn"))]
    fn automatic(config: &NetConfig, device: DeviceKind) -> Result<Self, MethodMissing> {
        Err(match device {
            DeviceKind::Cpu => MethodMissing::Differentiation(config.net.kind()),
            DeviceKind::Cuda => DeviceMissing::NotBuilt("cuda").into(),
            DeviceKind::Wgpu => DeviceMissing::NotBuilt("wgpu").into(),
        })
    }

    /// Returns the losses of the weights on a batch, and the gradient of its policy's cross-entropy plus `value_weight`
    /// times that of its value. Shards of the batch are computed in parallel; their gradients are added up in order.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch is empty or has other shapes.
    pub fn gradient(&self, weights: &Weights, batch: &Batch, how: GradientConfig) -> Answer {
        match self {
            Self::ByHand(by_hand) => by_hand.gradient(weights, batch, how),
            #[cfg(feature = "burn")]
            Self::Automatic(automatic) => automatic.gradient(weights, batch, how),
        }
    }

    /// Returns the losses of the weights on a batch.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch is empty or has other shapes.
    pub fn losses(&self, weights: &Weights, batch: &Batch) -> Losses {
        match self {
            // The backward pass costs less than maintaining a second forward pass.
            Self::ByHand(by_hand) => {
                by_hand.gradient(weights, batch, GradientConfig { shards: LOSS_SHARDS, value_weight: 1.0 }).losses
            }
            #[cfg(feature = "burn")]
            Self::Automatic(automatic) => automatic.losses(weights, batch),
        }
    }
}

/// The number of shards where only losses are computed by hand: fixed, so that the losses are the same on any machine.
const LOSS_SHARDS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;

    #[test]
    fn what_a_build_lacks_is_named_in_one_line() {
        for config in small_configs() {
            let by_hand = LineGradient::of(&config).is_some();
            match Method::of(&config, DeviceKind::Cpu) {
                Ok(method) => assert_eq!(matches!(method, Method::ByHand(_)), by_hand),
                Err(missing) => {
                    assert!(!by_hand && cfg!(not(feature = "burn")), "{missing}");
                    let text = missing.to_string();
                    assert!(text.contains(config.net.kind()) && text.contains("--features burn"), "{text}");
                    assert!(!text.contains('\n'));
                }
            }
            #[cfg(not(feature = "cuda"))]
            assert!(Method::of(&config, DeviceKind::Cuda).unwrap_err().to_string().contains("--features cuda"));
            #[cfg(not(feature = "wgpu"))]
            assert!(Method::of(&config, DeviceKind::Wgpu).unwrap_err().to_string().contains("--features wgpu"));
        }
    }
}

//! Where a network is trained.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

/// A kind of device to train on. Which of them can be used was chosen when the program was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// The processor, with burn's backend `flex`. The default.
    #[default]
    Cpu,
    /// The first NVIDIA GPU; needs the feature `cuda`.
    Cuda,
    /// The default GPU of the system's graphics interface; needs the feature `wgpu`.
    Wgpu,
}

/// The program was built without this kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this program was built without the device `{0}`: build it with `--features {0}`")]
pub struct DeviceMissing(&'static str);

impl DeviceKind {
    /// Returns the device, without automatic differentiation.
    ///
    /// The choice is explicit: burn's own default prefers a GPU as soon as one is built in.
    ///
    /// # Errors
    /// If the program was built without it.
    pub fn device(self) -> Result<Device, DeviceMissing> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(Device::cuda(0usize)),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => Err(DeviceMissing("cuda")),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err(DeviceMissing("wgpu")),
        }
    }
}

//! Devices of the backends that were built in.

use burn::tensor::Device;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use burn::tensor::DeviceType;

use crate::device::{DeviceKind, DeviceMissing};

impl DeviceKind {
    /// Returns the device, without automatic differentiation.
    ///
    /// The choice is explicit: burn's own default prefers a GPU as soon as one is built in.
    ///
    /// # Errors
    /// If the program was built without it, or the system has none.
    pub fn device(self) -> Result<Device, DeviceMissing> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            #[cfg(feature = "cuda")]
            Self::Cuda => found("cuda", DeviceType::Cuda, Device::cuda(0usize)),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => Err(DeviceMissing::NotBuilt("cuda")),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => found("wgpu", DeviceType::Wgpu, Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err(DeviceMissing::NotBuilt("wgpu")),
        }
    }
}

/// Returns a device if the system has any of its kind: on a missing one the first tensor would panic.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn found(name: &'static str, kind: DeviceType, device: Device) -> Result<Device, DeviceMissing> {
    let any = !Device::enumerate(kind).into_vec().is_empty();
    any.then_some(device).ok_or(DeviceMissing::NotFound(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_always_there_and_a_missing_device_is_named() {
        assert!(DeviceKind::Cpu.device().is_ok());
        #[cfg(not(feature = "cuda"))]
        assert!(DeviceKind::Cuda.device().unwrap_err().to_string().contains("--features cuda"));
        #[cfg(not(feature = "wgpu"))]
        assert!(DeviceKind::Wgpu.device().unwrap_err().to_string().contains("--features wgpu"));
    }
}

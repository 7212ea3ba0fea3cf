//! The device on which a network is trained.

use serde::{Deserialize, Serialize};

/// There is no such device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceMissing {
    /// The program was built without this kind of device.
    #[error("this program was built without the device `{0}`: expected `cpu`, or a build with `--features {0}`")]
    NotBuilt(&'static str),
    /// This system has no device of this kind.
    #[error("this system has no GPU for the device `{0}`: expected one and its driver, or the device `cpu`")]
    NotFound(&'static str),
}

/// A kind of device to train on. The build chooses which of them can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// The processor: line networks by a gradient written by hand, others by burn's backend `flex`. The default.
    #[default]
    Cpu,
    /// The first NVIDIA GPU; needs the feature `cuda`.
    Cuda,
    /// The default GPU of the system's graphics interface; needs the feature `wgpu`.
    Wgpu,
}

//! The device on which a network is trained.

use serde::{Deserialize, Serialize};

/// The program was built without this kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this program was built without the device `{0}`: expected `cpu`, or a build with `--features {0}`")]
pub struct DeviceMissing(pub(crate) &'static str);

/// A kind of device to train on. The build chooses which of them can be used.
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

//! Where a network is trained.

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

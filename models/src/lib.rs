//! Policy-value networks for GIPF: their architecture, storage and evaluation.
//!
//! * [`NetConfig`] names a network and its sizes; [`parameters`] lists its tensors.
//! * [`Weights`] holds the weights, [`Checkpoint`] stores them in a file with everything needed to read it.
//! * [`Engine`] evaluates batches of observations on the CPU without any tensor library.
//! * [`Export`] (feature `export`) writes networks for other programs: as ONNX models and as folders for the Hugging
//!   Face Hub.
//! * `gradient` (feature `learn`) computes what networks learn from: for line networks by gradients written by hand,
//!   for others through `net`.
//! * `net` (feature `burn`) holds the same networks as burn modules, with their losses.
//!
//! ```
//! use gipf_env::{GipfPosition, Position, Variant};
//! use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Scratch, Weights};
//!
//! let position = GipfPosition::start(Variant::BASIC);
//! let config = NetConfig::of(NetKind::Line(LineConfig::default()), &position)?;
//! let engine = Engine::new(&Weights::initial(&config, 1), &config)?;
//!
//! let mut planes = vec![0.0; config.layout.size()];
//! position.observe(&mut planes);
//! let (mut logits, mut wdl) = (vec![0.0; config.actions.size()], vec![0.0; 3]);
//! engine.forward(&mut Scratch::default(), &planes, 1, &mut logits, &mut wdl);
//! assert!((wdl.iter().sum::<f32>() - 1.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

mod batch;
mod board;
mod checkpoint;
mod config;
mod device;
#[cfg(feature = "export")]
mod export;
#[expect(clippy::disallowed_methods, reason = "the one place that writes files")]
mod files;
#[cfg(feature = "learn")]
pub mod gradient;
mod growth;
pub mod infer;
mod losses;
mod names;

#[cfg(feature = "burn")]
pub mod net;
mod observed;
mod parameters;
mod pattern_map;
#[cfg(feature = "learn")]
mod patterns;
mod pretrained;
mod probe;
mod sealed;
mod shipped;
mod tensor_file;
#[cfg(test)]
mod testing;
mod weights;

pub use batch::Batch;
pub use checkpoint::{Checkpoint, CheckpointError, FORMAT_VERSION, Metadata};
pub use config::{ConfigError, HexConfig, LineConfig, MlpConfig, NetConfig, NetKind};

pub use device::{DeviceKind, DeviceMissing};
#[cfg(feature = "export")]
pub use export::{Export, ExportError, FILES, License, UnknownLicense};
pub use files::{
    FolderLock, LockError, WholeFile, check_regular, copy_whole, create_folders, create_new_folder, folder_of,
    is_special, leads_to, open_own, read_limited, read_regular, read_text, remove_if_there, sweep, sync_folder,
    temporary_in, try_lock, write_whole,
};
pub use infer::{
    Answers, Asked, Engine, EngineError, EngineOptions, Instructions, Precision, Scratch, UnknownPrecision,
};
pub use losses::Losses;
pub use names::{LayerName, TensorName};
pub use parameters::{Parameter, parameters};
pub use pretrained::{PRETRAINED, Pretrained};
pub use shipped::Shipped;
#[cfg(target_family = "wasm")]
pub use shipped::give;
pub use tensor_file::{TensorFile, TensorFileError};
pub use weights::{Array, Weights, WeightsError};

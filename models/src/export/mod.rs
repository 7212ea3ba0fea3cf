//! Networks for other programs: ONNX models, and folders as the Hugging Face Hub reads them.
//!
//! Both hold the network as it was trained, in 32-bit floats: the line network reads its lines with perceptrons, not from
//! tables of patterns. The board is included as lists of indices, so evaluating the network needs no rules.

mod card;
mod description;
mod graph;
mod model;
mod nets;
mod proto;
mod tables;

use std::path::Path;

use gipf_env::rules::UnknownVariant;
use gipf_env::{GipfPosition, Variant};

use crate::checkpoint::{Checkpoint, CheckpointError};

pub use card::{FILES, License, UnknownLicense};

/// A checkpoint on its way to another program.
///
/// ```
/// use gipf_models::{Export, Pretrained};
///
/// let checkpoint = Pretrained::of("standard").expect("it comes along").checkpoint();
/// let export = Export::of(&checkpoint)?;
/// let model = export.onnx();
/// // The weights and lists of indices: no more than a tenth larger than the checkpoint.
/// assert!(model.len() < export.checkpoint_bytes().len() * 11 / 10);
/// # Ok::<(), gipf_models::ExportError>(())
/// ```
#[derive(Debug)]
pub struct Export<'a> {
    checkpoint: &'a Checkpoint,
    variant: Variant,
    bytes: Vec<u8>,
}

/// Why a checkpoint cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Its game is not a rule set of GIPF.
    #[error("a network for another game: {0}")]
    Game(#[from] UnknownVariant),
    /// Its planes or actions are not those of its rule set.
    #[error("the network's inputs and outputs are not those of {0}")]
    Shape(Variant),
    /// Its weights are not those of its network.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl<'a> Export<'a> {
    /// Prepares a checkpoint.
    ///
    /// # Errors
    /// If it is not for a rule set of GIPF, its planes or actions are not those of the rule set, or its weights are not
    /// those of its network.
    pub fn of(checkpoint: &'a Checkpoint) -> Result<Self, ExportError> {
        let variant: Variant = checkpoint.metadata.game.parse()?;
        let bytes = checkpoint.to_bytes(Path::new("the checkpoint"))?;
        let fits = checkpoint.config.fits(&GipfPosition::start(variant));
        if fits { Ok(Self { checkpoint, variant, bytes }) } else { Err(ExportError::Shape(variant)) }
    }

    /// Returns the content of the checkpoint's file.
    pub fn checkpoint_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of the network's weights.
    pub fn weights(&self) -> usize {
        self.checkpoint.weights.count()
    }

    /// Returns the network as an ONNX model: opset 17, 32-bit floats, for any number of positions at once.
    ///
    /// Its input is `observation`, `[N, planes, 7, 7]`; its outputs are `logits`, `[N, A]`, `value`, `[N]`, and `wdl`,
    /// `[N, 3]`, from the view of the player to move. It does not know which actions are legal. Its metadata says what
    /// each plane and each action is. The bytes depend on the checkpoint alone.
    pub fn onnx(&self) -> Vec<u8> {
        model::encoded(self)
    }

    /// Returns the files of a folder as the Hugging Face Hub reads it, in the order of [`FILES`].
    pub fn folder(&self, license: Option<&License>) -> [Vec<u8>; 4] {
        card::files(self, license)
    }

    /// Returns the BLAKE3 hash of the checkpoint's file, in hexadecimal digits.
    fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex().to_string()
    }
}

//! Global pooling: what each spot sees of the whole board.

use gipf_env::geometry::SPOTS;

use crate::infer::heads::padded_rows;
use crate::infer::kernel::{Finish, Instructions, Packed, add_everywhere, pool};
use crate::infer::lanes::Lane;
use crate::infer::mixing::dense;
use crate::names::{LayerName, TensorName};
use crate::weights::Weights;

/// A layer over the mean and the maximum of the features of a board, whose outputs are added to every spot.
#[derive(Debug)]
pub struct GlobalPooling {
    instructions: Instructions,
    layer: Packed,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct GlobalScratch {
    pooled: Vec<Lane>,
    outputs: Vec<Lane>,
}

impl GlobalPooling {
    /// Packs the layer.
    pub fn new(weights: &Weights, features: usize, instructions: Instructions) -> Self {
        let rows = pooled_rows(weights, features);
        let layer = Packed::new(rows.len() / features, &rows, weights.values(TensorName::Bias(LayerName::Global)));
        Self { instructions, layer }
    }

    /// Adds to the features of all spots what the layer says of their boards, and rectifies them.
    pub fn add(&self, features: &mut [Lane], scratch: &mut GlobalScratch) {
        let (set, GlobalScratch { pooled, outputs }) = (self.instructions, scratch);
        pooled.resize(features.len() / SPOTS * 2, Lane::ZERO);
        pool_boards(set, features, pooled, self.layer.lanes());
        outputs.resize(features.len() / SPOTS, Lane::ZERO);
        dense(set, &self.layer, pooled, outputs, Finish::Store);
        add_to_boards(set, outputs, features, self.layer.lanes());
    }
}

/// Returns the rows of the layer for inputs whose two parts, means and maxima, begin new lanes.
pub fn pooled_rows(weights: &Weights, features: usize) -> Vec<f32> {
    padded_rows(weights.values(TensorName::Weight(LayerName::Global)), &[features, features], features)
}

/// Writes means and maxima over each board of features, which have `width` lanes.
pub fn pool_boards(set: Instructions, features: &[Lane], pooled: &mut [Lane], width: usize) {
    for (features, pooled) in features.chunks_exact(SPOTS * width).zip(pooled.chunks_exact_mut(2 * width)) {
        pool(set, features, pooled);
    }
}

/// Adds its outputs to all spots of each board, and rectifies them.
pub fn add_to_boards(set: Instructions, outputs: &[Lane], features: &mut [Lane], width: usize) {
    for (features, outputs) in features.chunks_exact_mut(SPOTS * width).zip(outputs.chunks_exact(width)) {
        add_everywhere(set, outputs, features);
    }
}

//! Global pooling: what each spot sees of the whole board.

use gipf_env::geometry::SPOTS;

#[cfg(feature = "learn")]
use crate::gradient::{GlobalBack, spots::SpotBack};
use crate::infer::heads::padded_rows;
use crate::infer::kernel::{Finish, Instructions, Packed, add_everywhere, pool};
use crate::infer::lanes::Lane;
use crate::infer::mixing::dense;
use crate::infer::spots::{SpotLayer, SpotScratch};
use crate::names::LayerName;
use crate::weights::Weights;

/// A layer over the mean and the maximum of the features of a board, whose outputs are added to every spot and rectified.
#[derive(Debug)]
pub struct GlobalPooling {
    pub instructions: Instructions,
    /// Its inputs are rows whose two parts, means and maxima, begin new lanes.
    pub layer: Packed,
}

impl GlobalPooling {
    /// Packs the layer.
    pub fn new(weights: &Weights, features: usize, instructions: Instructions) -> Self {
        let [weight, bias] = weights.layer(LayerName::Global);
        let rows = padded_rows(weight, &[features, features], features);
        Self { instructions, layer: Packed::new(rows.len() / features, &rows, bias) }
    }
}

impl SpotLayer for GlobalPooling {
    fn pass(&self, features: &mut [Lane], scratch: &mut SpotScratch, n: usize) {
        let (set, width, SpotScratch { hidden, outputs, .. }) = (self.instructions, self.layer.lanes(), scratch);
        hidden.resize(n * 2 * width, Lane::ZERO);
        for (features, pooled) in features.chunks_exact(SPOTS * width).zip(hidden.chunks_exact_mut(2 * width)) {
            pool(set, features, pooled);
        }
        outputs.resize(n * width, Lane::ZERO);
        dense(set, &self.layer, hidden, outputs, Finish::Store);
        for (features, outputs) in features.chunks_exact_mut(SPOTS * width).zip(outputs.chunks_exact(width)) {
            add_everywhere(set, outputs, features);
        }
    }

    #[cfg(feature = "learn")]
    fn back(&self) -> Box<dyn SpotBack> {
        Box::new(GlobalBack::of(self))
    }
}

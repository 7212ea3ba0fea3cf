//! The backward pass through global pooling.

use gipf_env::geometry::SPOTS;

use crate::gradient::dense::{Back, DenseGradient};
use crate::gradient::pooling::unpool;
use crate::gradient::spots::SpotBack;
use crate::infer::global::GlobalPooling;
use crate::infer::kernel::{Finish, add_rows, pass_rectifier};
use crate::infer::lanes::Lane;
use crate::infer::spots::SpotScratch;
use crate::names::LayerName;
use crate::weights::Array;

/// The transposed layer.
#[derive(Debug)]
pub struct GlobalBack(Back);

impl GlobalBack {
    /// Transposes the layer.
    pub fn of(pooling: &GlobalPooling) -> Self {
        Self(Back::of(&pooling.layer, pooling.instructions))
    }
}

impl SpotBack for GlobalBack {
    fn no_gradient(&self) -> Vec<DenseGradient> {
        vec![self.0.no_gradient()]
    }

    fn learn(&self, scratch: &SpotScratch, after: &[Lane], deltas: &mut [Lane], gradient: &mut [DenseGradient]) {
        let (layer, width) = (&self.0, self.0.lanes());
        pass_rectifier(layer.instructions, after, deltas);
        let mut outputs = vec![Lane::ZERO; deltas.len() / SPOTS];
        for (outputs, deltas) in outputs.chunks_exact_mut(width).zip(deltas.chunks_exact(SPOTS * width)) {
            add_rows(layer.instructions, deltas, outputs);
        }
        layer.learn(&scratch.hidden, &outputs, &mut gradient[0]);
        let mut inputs = vec![Lane::ZERO; scratch.hidden.len()];
        layer.pass(&outputs, &mut inputs, Finish::Store);
        unpool(&inputs, 2 * width, &scratch.before, deltas, width);
    }

    fn named(&self, gradient: &[DenseGradient]) -> Vec<(String, Array)> {
        let features = self.0.outputs();
        gradient[0].named_in_parts(LayerName::Global, &[features; 2], features).into()
    }
}

//! Global pooling, forward and back.

use gipf_env::geometry::SPOTS;

use crate::gradient::dense::Dense;
use crate::gradient::pooling::unpool;
use crate::infer::global::{add_to_boards, pool_boards, pooled_rows};
use crate::infer::kernel::{Finish, Instructions, add_rows, pass_rectifier};
use crate::infer::lanes::Lane;
use crate::names::{LayerName, TensorName};
use crate::weights::{Array, Weights};

/// The layer over the mean and the maximum of the features of a board, whose outputs are added to every spot.
#[derive(Debug)]
pub struct GlobalPooling {
    instructions: Instructions,
    features: usize,
    layer: Dense,
}

/// What became of positions on their way through the layer.
#[derive(Debug)]
pub struct Pooled {
    /// The features before.
    pub before: Vec<Lane>,
    inputs: Vec<Lane>,
}

impl GlobalPooling {
    /// Packs the layer.
    pub fn new(weights: &Weights, features: usize, instructions: Instructions) -> Self {
        let rows = pooled_rows(weights, features);
        let layer = Dense::new(instructions, &rows, weights.values(TensorName::Bias(LayerName::Global)));
        Self { instructions, features, layer }
    }

    /// Adds to the features of all spots what the layer says of their boards, and rectifies them.
    pub fn add(&self, features: &mut [Lane]) -> Pooled {
        let (set, before) = (self.instructions, features.to_vec());
        let mut inputs = vec![Lane::ZERO; features.len() / SPOTS * 2];
        pool_boards(set, features, &mut inputs, self.layer.lanes());
        let mut outputs = vec![Lane::ZERO; features.len() / SPOTS];
        self.layer.forward(&inputs, &mut outputs, Finish::Store);
        add_to_boards(set, &outputs, features, self.layer.lanes());
        Pooled { before, inputs }
    }

    /// Passes the gradients of the features after it back to those before, and returns those of the weights by name.
    pub fn learn(&self, pooled: &Pooled, after: &[Lane], deltas: &mut [Lane]) -> [(String, Array); 2] {
        let width = self.layer.lanes();
        pass_rectifier(self.instructions, after, deltas);
        let mut outputs = vec![Lane::ZERO; deltas.len() / SPOTS];
        for (outputs, deltas) in outputs.chunks_exact_mut(width).zip(deltas.chunks_exact(SPOTS * width)) {
            add_rows(self.instructions, deltas, outputs);
        }
        let mut gradient = self.layer.no_gradient();
        self.layer.learn(&pooled.inputs, &outputs, &mut gradient);
        let mut inputs = vec![Lane::ZERO; pooled.inputs.len()];
        self.layer.backward(&outputs, &mut inputs, Finish::Store);
        unpool((&inputs, 2 * width), &pooled.before, deltas, width);
        gradient.named_in_parts(LayerName::Global, &[self.features; 2], self.features)
    }
}

//! The layers between the lines and the heads: each changes the features of all spots.

use std::fmt::Debug;

use crate::config::LineConfig;
#[cfg(feature = "learn")]
use crate::gradient::spots::SpotBack;
use crate::infer::EngineOptions;
use crate::infer::global::GlobalPooling;
use crate::infer::kernel::RowTerms;
use crate::infer::lanes::Lane;
use crate::infer::mixing::Mixing;
use crate::infer::quantised::Quantised;
use crate::weights::Weights;

/// A packed layer that changes the features of spots.
pub trait SpotLayer: Debug + Send + Sync {
    /// Changes the features of n positions, at most a chunk.
    fn pass(&self, features: &mut [Lane], scratch: &mut SpotScratch, n: usize);

    /// Returns the backward pass through it.
    #[cfg(feature = "learn")]
    fn back(&self) -> Box<dyn SpotBack>;
}

/// Working memory of one layer: its intermediate results for a chunk of positions.
#[derive(Debug, Default)]
pub struct SpotScratch {
    /// The features before, where they are kept.
    pub before: Vec<Lane>,
    /// What it computes from them first.
    pub hidden: Vec<Lane>,
    /// What is not zero of its inputs, and of what it computes from them first, if that is few.
    pub terms: [RowTerms; 2],
    /// What it adds to all spots of a board, if it does.
    pub outputs: Vec<Lane>,
    /// Its inputs in bytes.
    pub quantised: Quantised,
}

/// Packs all layers of a network, in their order.
pub fn pack_all(weights: &Weights, sizes: &LineConfig, options: EngineOptions) -> Vec<Box<dyn SpotLayer>> {
    let mut layers: Vec<Box<dyn SpotLayer>> = Vec::new();
    if sizes.global_pooling {
        layers.push(Box::new(GlobalPooling::new(weights, sizes.features, options.instructions)));
    }
    for step in 0..sizes.mixing.len() {
        layers.push(Box::new(Mixing::new(weights, sizes, step, options)));
    }
    layers
}

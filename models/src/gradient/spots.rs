//! The backward pass through the layers between the lines and the heads.

use std::fmt::Debug;

use crate::gradient::dense::DenseGradient;
use crate::infer::lanes::Lane;
use crate::infer::spots::SpotScratch;
use crate::weights::Array;

/// The backward pass through a [`SpotLayer`](crate::infer::spots::SpotLayer).
pub trait SpotBack: Debug + Send + Sync {
    /// Returns gradients of zeros, for each of its dense layers.
    fn no_gradient(&self) -> Vec<DenseGradient>;

    /// Passes the gradients of the features after the layer, `deltas`, back to those before, and adds the gradients of
    /// its weights. The scratch is that of the forward pass, with the features before the layer.
    fn learn(&self, scratch: &SpotScratch, after: &[Lane], deltas: &mut [Lane], gradient: &mut [DenseGradient]);

    /// Returns the gradients of its weights by name.
    fn named(&self, gradient: &[DenseGradient]) -> Vec<(String, Array)>;
}

//! The way back through the layers between the lines and the heads.

use std::fmt::Debug;

use crate::gradient::dense::DenseGradient;
use crate::infer::lanes::Lane;
use crate::infer::spots::SpotScratch;
use crate::weights::Array;

/// The way back through a [`SpotLayer`](crate::infer::spots::SpotLayer).
pub trait SpotBack: Debug + Send + Sync {
    /// Returns gradients of zeros, of each of its dense layers.
    fn no_gradient(&self) -> Vec<DenseGradient>;

    /// Passes the gradients of the features after the layer, `deltas`, back to those before, and adds what they say about
    /// its weights. The scratch is that of the way forward, with the features before.
    fn learn(&self, scratch: &SpotScratch, after: &[Lane], deltas: &mut [Lane], gradient: &mut [DenseGradient]);

    /// Returns the gradients of its weights by name.
    fn named(&self, gradient: &[DenseGradient]) -> Vec<(String, Array)>;
}

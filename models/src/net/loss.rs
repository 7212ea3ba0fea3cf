//! Losses on masked logits.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Tensor, TensorData};

use super::{Output, matrix};
use crate::batch::Batch;

/// The logit of an illegal action: finite, since infinities make gradients that are no numbers, and so low that its
/// probability is exactly 0.
const ILLEGAL: f32 = -1e9;

/// The targets of a batch, on a device.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Where an action is illegal, `[B, A]`.
    illegal: Tensor<2, Bool>,
    /// Policy targets times their share of the batch's weight, `[B, A]`.
    policy: Tensor<2>,
    /// Value targets times their share of the batch's weight, `[B, 3]`.
    wdl: Tensor<2>,
}

impl Targets {
    /// Puts the targets of a batch on a device. Each weight is divided by the sum of its kind: losses are weighted means.
    ///
    /// # Shapes
    /// - as [`Batch`] states them.
    pub fn new(batch: &Batch, device: &Device) -> Self {
        let actions = batch.legal.len() / batch.size;
        let illegal = batch.legal.iter().map(|legal| !legal).collect();
        Self {
            illegal: Tensor::from_data(TensorData::new::<bool, _>(illegal, [batch.size, actions]), device),
            policy: matrix(weighted(&batch.policy, &batch.policy_weight), [batch.size, actions], device),
            wdl: matrix(weighted(&batch.wdl, &batch.value_weight), [batch.size, 3], device),
        }
    }

    /// Returns the policy's and the value's cross-entropy, each the weighted mean over the batch.
    ///
    /// # Shapes
    /// - output: as [`Output`] states;
    /// - returns: `[1]` each.
    pub fn losses(&self, output: &Output) -> [Tensor<1>; 2] {
        let policy = masked(output.policy.clone(), self.illegal.clone());
        [cross_entropy(policy, self.policy.clone()), cross_entropy(output.wdl.clone(), self.wdl.clone())]
    }
}

/// Returns logits with those of illegal actions lowered so far that their probability is 0.
///
/// # Shapes
/// - logits, illegal, output: `[B, A]`.
pub fn masked(logits: Tensor<2>, illegal: Tensor<2, Bool>) -> Tensor<2> {
    logits.mask_fill(illegal, ILLEGAL)
}

/// Returns the cross-entropy -Σ target · log softmax(logits), summed over the batch.
///
/// # Shapes
/// - logits, targets: `[B, K]`; rows of targets already carry their weights;
/// - output: `[1]`.
pub fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    (log_softmax(logits, 1) * targets).sum().neg()
}

/// Returns rows times their share of the weights.
fn weighted(rows: &[f32], weights: &[f32]) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
    let width = rows.len() / weights.len();
    let rows = rows.chunks_exact(width).zip(weights);
    rows.flat_map(|(row, weight)| row.iter().map(move |value| value * weight * scale)).collect()
}

//! Losses on masked logits.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Tensor, TensorData};

use super::{Output, matrix};
use crate::batch::BatchPart;

/// The logit of an illegal action: finite, since infinities make the gradient NaN, and so low that its
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
    /// Puts the targets of one part of a batch on a device. Its weights are shares of those of the whole batch: its
    /// losses are its part of the weighted means over the batch.
    ///
    /// # Shapes
    /// - as [`Batch`](crate::Batch) states them.
    pub(crate) fn of_part(batch: &BatchPart, device: &Device) -> Self {
        let actions = batch.legal.len() / batch.size;
        let illegal = batch.legal.iter().map(|legal| !legal).collect();
        Self {
            illegal: Tensor::from_data(TensorData::new::<bool, _>(illegal, [batch.size, actions]), device),
            policy: matrix(weighted(batch.policy, &batch.policy_weight), [batch.size, actions], device),
            wdl: matrix(weighted(batch.wdl, &batch.value_weight), [batch.size, 3], device),
        }
    }

    /// Returns the policy's and the value's cross-entropy, each the part's share of the weighted mean over the batch.
    ///
    /// # Shapes
    /// - output: as [`Output`] states;
    /// - returns: `[1]` each.
    pub fn losses(&self, output: &Output) -> [Tensor<1>; 2] {
        let policy = masked(output.policy.clone(), self.illegal.clone());
        [cross_entropy(policy, self.policy.clone()), cross_entropy(output.wdl.clone(), self.wdl.clone())]
    }
}

/// Returns logits with those of illegal actions so low that their probability is 0.
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

/// Returns rows times their weights.
fn weighted(rows: &[f32], weights: &[f32]) -> Vec<f32> {
    let width = rows.len() / weights.len();
    let rows = rows.chunks_exact(width).zip(weights);
    rows.flat_map(|(row, weight)| row.iter().map(move |value| value * weight)).collect()
}

#[cfg(test)]
mod tests {
    use burn::tensor::activation::softmax;

    use super::*;
    use crate::Batch;
    use crate::DeviceKind;
    use crate::losses::Losses;

    fn to_vec<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec().unwrap()
    }

    fn batch() -> Batch {
        Batch {
            size: 3,
            planes: vec![],
            policy: vec![0.25, 0.0, 0.75, 0.0, 1.0, 0.0, 0.2, 0.3, 0.5],
            legal: vec![true, false, true, false, true, false, true, true, true],
            policy_weight: vec![1.0, 0.5, 0.0],
            wdl: vec![1.0, 0.0, 0.0, 0.5, 0.25, 0.25, 0.0, 0.0, 1.0],
            value_weight: vec![0.0, 2.0, 1.0],
        }
    }

    fn output(device: &Device) -> Output {
        let policy = vec![0.3, 40.0, -1.0, 1e4, -200.0, 3.0, 0.0, 1.0, 2.0];
        let wdl = vec![0.0, 1.0, 2.0, 0.1, 0.2, 0.3, 3.0, -3.0, 0.0];
        Output { policy: matrix(policy, [3, 3], device), wdl: matrix(wdl, [3, 3], device) }
    }

    #[test]
    fn illegal_actions_have_exactly_no_probability() {
        let device = DeviceKind::Cpu.device().unwrap();
        let (batch, output) = (batch(), output(&device));
        let probabilities =
            to_vec(softmax(masked(output.policy, Targets::of_part(&batch.parts(1)[0], &device).illegal), 1));
        for (row, legal) in probabilities.chunks(3).zip(batch.legal.chunks(3)) {
            assert!(row.iter().zip(legal).all(|(&p, &legal)| legal || p == 0.0), "{row:?}");
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn losses_are_those_of_plain_numbers() {
        let device = DeviceKind::Cpu.device().unwrap();
        let (batch, output) = (batch(), output(&device));
        let [policy, value] = Targets::of_part(&batch.parts(1)[0], &device).losses(&output).map(|loss| to_vec(loss)[0]);
        let expected = Losses::measure(&batch, &to_vec(output.policy), &to_vec(output.wdl));
        assert!((policy - expected.policy).abs() < 1e-5, "{policy} {expected:?}");
        assert!((value - expected.value).abs() < 1e-5, "{value} {expected:?}");
    }

    #[test]
    fn gradients_are_finite_and_leave_illegal_actions_alone() {
        let device = DeviceKind::Cpu.device().unwrap().autodiff();
        let (batch, output) = (batch(), output(&device));
        let logits = output.policy.require_grad();
        let output = Output { policy: logits.clone(), wdl: output.wdl };
        let [policy, _] = Targets::of_part(&batch.parts(1)[0], &device).losses(&output);
        let gradient = to_vec(logits.grad(&policy.backward()).unwrap());
        assert!(gradient.iter().all(|value| value.is_finite()));
        for (index, legal) in batch.legal.iter().enumerate() {
            assert!(*legal || gradient[index] == 0.0, "{gradient:?}");
        }
        assert!(gradient[0] != 0.0 && gradient[6..].iter().all(|&value| value == 0.0), "{gradient:?}");
    }

    #[test]
    fn a_batch_without_weights_costs_nothing() {
        let device = DeviceKind::Cpu.device().unwrap();
        let batch = Batch { policy_weight: vec![0.0; 3], value_weight: vec![0.0; 3], ..batch() };
        assert_eq!(Targets::of_part(&batch.parts(1)[0], &device).losses(&output(&device)).map(to_vec), [[0.0], [0.0]]);
    }
}

//! The gradients of both cross-entropies for each logit.

use gipf_env::math;

use crate::batch::Batch;

/// Returns the gradient of the policy's cross-entropy over legal actions for each logit, of positions from one on.
pub fn policy_deltas(part: &Batch, first: usize, logits: &[f32]) -> Vec<f32> {
    let actions = part.policy.len() / part.size;
    let mut deltas = vec![0.0; logits.len()];
    let rows = logits.chunks_exact(actions).zip(deltas.chunks_exact_mut(actions));
    for (position, (logits, to)) in (first..).zip(rows) {
        let row = position * actions..(position + 1) * actions;
        let (legal, target) = (&part.legal[row.clone()], &part.policy[row]);
        write_deltas(logits, legal, target, part.policy_weight[position], to);
    }
    deltas
}

/// Returns the gradient of the value's cross-entropy for each logit, of positions from one on.
pub fn value_deltas(part: &Batch, first: usize, logits: &[f32], value_weight: f32) -> Vec<f32> {
    let mut deltas = vec![0.0; logits.len()];
    let targets = part.wdl[3 * first..].chunks_exact(3).zip(&part.value_weight[first..]);
    let rows = logits.chunks_exact(3).zip(targets).map(|(logits, (target, weight))| ((logits, target), weight));
    for (to, ((logits, target), weight)) in deltas.chunks_exact_mut(3).zip(rows) {
        write_deltas(logits, &[true; 3], target, weight * value_weight, to);
    }
    deltas
}

/// Writes weight · (Σ target · softmax(logits) - target) where it is legal.
fn write_deltas(logits: &[f32], legal: &[bool], target: &[f32], weight: f32, to: &mut [f32]) {
    if weight == 0.0 {
        return;
    }
    let masked = logits.iter().zip(legal).map(|(&logit, &legal)| if legal { logit } else { f32::NEG_INFINITY });
    let most = masked.clone().fold(f32::NEG_INFINITY, f32::max);
    for (to, logit) in to.iter_mut().zip(masked) {
        *to = math::exp(logit - most);
    }
    let scale = target.iter().sum::<f32>() / to.iter().sum::<f32>();
    for (to, target) in to.iter_mut().zip(target) {
        *to = weight * (*to * scale - target);
    }
}

//! The losses, and the gradients of both cross-entropies with respect to each logit.

use crate::batch::BatchPart;
use crate::losses::{Losses, Row};

/// Writes the gradients of the policy's cross-entropy over legal actions with respect to each logit, for positions from
/// `first` on, and adds their losses.
pub fn write_policy_deltas(part: &BatchPart, first: usize, logits: &[f32], losses: &mut Losses, deltas: &mut [f32]) {
    let actions = part.policy.len() / part.size;
    let rows = logits.chunks_exact(actions).zip(deltas.chunks_exact_mut(actions));
    for (position, (logits, deltas)) in (first..).zip(rows) {
        let row = position * actions..(position + 1) * actions;
        let row = Row { logits, legal: &part.legal[row.clone()], target: &part.policy[row] };
        let weight = part.policy_weight[position];
        let compared = row.compare(deltas);
        losses.add_policy(weight, &compared);
        turn_into_deltas(deltas, compared.sum, row.target, weight);
    }
}

/// Writes the gradients of the value's cross-entropy with respect to each logit, for positions from `first` on, and
/// adds their losses.
pub fn write_value_deltas(
    part: &BatchPart,
    (first, value_weight): (usize, f32),
    logits: &[[f32; 3]],
    losses: &mut Losses,
    deltas: &mut [[f32; 3]],
) {
    for (position, (logits, deltas)) in (first..).zip(logits.iter().zip(deltas)) {
        let (target, weight) = (&part.wdl[3 * position..][..3], part.value_weight[position]);
        let compared = Row { logits, legal: &[true; 3], target }.compare(deltas);
        losses.add_value(weight, &compared, *deltas, target);
        turn_into_deltas(deltas, compared.sum, target, weight * value_weight);
    }
}

/// Turns shares with this sum into weight · (Σ target · probability - target).
fn turn_into_deltas(shares: &mut [f32], sum: f32, target: &[f32], weight: f32) {
    let scale = target.iter().sum::<f32>() / sum;
    for (share, target) in shares.iter_mut().zip(target) {
        *share = weight * (*share * scale - target);
    }
}

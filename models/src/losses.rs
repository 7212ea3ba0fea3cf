//! The losses of a network, as plain numbers.

use gipf_env::math;

use crate::batch::Batch;

/// The losses of a network on a batch: weighted means over its samples, in nats unless stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the policy to its target.
    pub policy: f32,
    /// Cross-entropy of win, draw and loss to their target.
    pub value: f32,
    /// Entropy of the network's policy over legal actions.
    pub policy_entropy: f32,
    /// Entropy of the policy targets: the lower bound of the policy's loss.
    pub target_entropy: f32,
    /// The mean squared difference between the expected result, -1 to 1, and that of the target.
    pub value_error: f32,
    /// The share of samples whose likeliest action in the network's policy is the likeliest of the target.
    pub accuracy: f32,
    /// The Euclidean norm of the gradient before it was clipped; 0 where none was computed.
    pub gradient_norm: f32,
}

impl Losses {
    /// Compares outputs with the targets of a batch.
    ///
    /// # Shapes
    /// - policy: logits `[B, A]`; wdl: logits `[B, 3]`.
    pub fn measure(batch: &Batch, policy: &[f32], wdl: &[f32]) -> Self {
        let actions = policy.len() / batch.size;
        let mut sums = Self::default();
        let rows = policy.chunks_exact(actions).zip(batch.legal.chunks_exact(actions));
        let targets = batch.policy.chunks_exact(actions).zip(&batch.policy_weight);
        for ((logits, legal), (target, weight)) in rows.zip(targets) {
            sums.add_policy(&log_softmax(logits, legal), target, *weight);
        }
        let targets = batch.wdl.chunks_exact(3).zip(&batch.value_weight);
        for (logits, (target, weight)) in wdl.chunks_exact(3).zip(targets) {
            let log_wdl = log_softmax(logits, &[true; 3]);
            sums.value += weight * cross_entropy(&log_wdl, target);
            sums.value_error += weight * square(math::exp(log_wdl[0]) - math::exp(log_wdl[2]) - target[0] + target[2]);
        }
        sums.divided(total(&batch.policy_weight), total(&batch.value_weight))
    }

    fn add_policy(&mut self, log_policy: &[f32], target: &[f32], weight: f32) {
        let policy: Vec<_> = log_policy.iter().map(|&log| math::exp(log)).collect();
        let log_target: Vec<_> = target.iter().map(|&p| math::ln(p)).collect();
        self.policy += weight * cross_entropy(log_policy, target);
        self.policy_entropy += weight * cross_entropy(log_policy, &policy);
        self.target_entropy += weight * cross_entropy(&log_target, target);
        self.accuracy += if likeliest(log_policy) == likeliest(target) { weight } else { 0.0 };
    }

    fn divided(self, policy_weight: f32, value_weight: f32) -> Self {
        Self {
            policy: self.policy / policy_weight,
            value: self.value / value_weight,
            value_error: self.value_error / value_weight,
            policy_entropy: self.policy_entropy / policy_weight,
            target_entropy: self.target_entropy / policy_weight,
            accuracy: self.accuracy / policy_weight,
            gradient_norm: self.gradient_norm,
        }
    }
}

/// Returns the sum of weights, or 1 if there is none to divide by.
fn total(weights: &[f32]) -> f32 {
    let sum: f32 = weights.iter().sum();
    if sum > 0.0 { sum } else { 1.0 }
}

/// Returns the logarithms of the probabilities of legal actions, and minus infinity for the others.
fn log_softmax(logits: &[f32], legal: &[bool]) -> Vec<f32> {
    let masked = || logits.iter().zip(legal).map(|(&logit, &legal)| if legal { logit } else { f32::NEG_INFINITY });
    let most = masked().fold(f32::NEG_INFINITY, f32::max);
    let log_sum = math::ln(masked().map(|logit| math::exp(logit - most)).sum());
    masked().map(|logit| logit - most - log_sum).collect()
}

/// Returns -Σ target · log policy, where 0 times anything is 0.
fn cross_entropy(log_policy: &[f32], target: &[f32]) -> f32 {
    log_policy.iter().zip(target).map(|(log, &target)| if target > 0.0 { -target * log } else { 0.0 }).sum()
}

fn square(value: f32) -> f32 {
    value * value
}

fn likeliest(values: &[f32]) -> Option<usize> {
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        Batch {
            size: 2,
            planes: vec![],
            policy: vec![0.5, 0.5, 0.0, 1.0, 0.0, 0.0],
            legal: vec![true, true, false, true, true, true],
            policy_weight: vec![3.0, 1.0],
            wdl: vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            value_weight: vec![1.0, 0.0],
        }
    }

    #[test]
    fn even_logits_cost_the_logarithm_of_the_number_of_choices() {
        let losses = Losses::measure(&batch(), &[0.0, 0.0, 9.0, 1.0, 1.0, 1.0], &[2.0; 6]);
        let (two, three) = (math::ln(2.0), math::ln(3.0));
        let expected = (3.0 * two + three) / 4.0;
        assert!((losses.policy - expected).abs() < 1e-6 && (losses.policy_entropy - expected).abs() < 1e-6);
        assert!((losses.target_entropy - 0.75 * two).abs() < 1e-6);
        assert!((losses.value - three).abs() < 1e-6);
        assert!((losses.value_error - 1.0).abs() < 1e-6, "an even value is 1 from a win");
        assert_eq!(losses.accuracy, 1.0);
    }

    #[test]
    fn a_batch_without_weights_costs_nothing() {
        let batch = Batch { policy_weight: vec![0.0; 2], value_weight: vec![0.0; 2], ..batch() };
        assert_eq!(Losses::measure(&batch, &[1.0; 6], &[1.0; 6]), Losses::default());
    }
}

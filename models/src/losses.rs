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
        let [policy_weights, value_weights] =
            [&batch.policy_weight, &batch.value_weight].map(|weights| shares(weights));
        let (mut sums, mut shares) = (Self::default(), vec![0.0; actions]);
        let rows = policy.chunks_exact(actions).zip(batch.legal.chunks_exact(actions));
        let targets = batch.policy.chunks_exact(actions).zip(policy_weights);
        for ((logits, legal), (target, weight)) in rows.zip(targets) {
            sums.add_policy(weight, &Row { logits, legal, target }.compare(&mut shares));
        }
        let targets = batch.wdl.chunks_exact(3).zip(value_weights);
        for (logits, (target, weight)) in wdl.chunks_exact(3).zip(targets) {
            let mut wdl = [0.0; 3];
            let compared = Row { logits, legal: &[true; 3], target }.compare(&mut wdl);
            sums.add_value(weight, &compared, wdl, target);
        }
        sums
    }

    /// Adds the losses of a policy, with this weight.
    pub(crate) fn add_policy(&mut self, weight: f32, compared: &Compared) {
        self.policy += weight * compared.cross_entropy;
        self.policy_entropy += weight * compared.entropy;
        self.target_entropy += weight * compared.target_entropy;
        self.accuracy += if compared.agrees { weight } else { 0.0 };
    }

    /// Adds the losses of the probabilities of win, draw and loss, not yet divided by their sum, with this weight.
    pub(crate) fn add_value(&mut self, weight: f32, compared: &Compared, wdl: [f32; 3], target: &[f32]) {
        let error = (wdl[0] - wdl[2]) / compared.sum - target[0] + target[2];
        self.value += weight * compared.cross_entropy;
        self.value_error += weight * error * error;
    }

    /// Adds the losses of another part of the batch.
    #[cfg(feature = "learn")]
    pub(crate) fn add(&mut self, part: &Self) {
        self.policy += part.policy;
        self.value += part.value;
        self.policy_entropy += part.policy_entropy;
        self.target_entropy += part.target_entropy;
        self.value_error += part.value_error;
        self.accuracy += part.accuracy;
    }
}

/// The logits of one distribution over choices, and its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub logits: &'a [f32],
    pub legal: &'a [bool],
    /// The probabilities, 0 for illegal choices.
    pub target: &'a [f32],
}

/// How a distribution differs from its target, in nats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    /// What the shares must be divided by to be probabilities.
    pub sum: f32,
    cross_entropy: f32,
    entropy: f32,
    target_entropy: f32,
    /// Whether the likeliest choices are the same.
    agrees: bool,
}

impl Row<'_> {
    /// Compares both, and writes shares in proportion to the probabilities of the choices: 1 for the likeliest.
    pub(crate) fn compare(self, shares: &mut [f32]) -> Compared {
        let masked =
            self.logits.iter().zip(self.legal).map(|(&logit, &legal)| if legal { logit } else { f32::NEG_INFINITY });
        let most = masked.clone().fold(f32::NEG_INFINITY, f32::max);
        for (share, logit) in shares.iter_mut().zip(masked) {
            *share = math::exp(logit - most);
        }
        let sum: f32 = shares.iter().sum();
        let log_sum = math::ln(sum);
        let (mut cross, mut own, mut target_entropy) = (0.0, 0.0, 0.0);
        for ((logit, &share), &target) in self.logits.iter().zip(&*shares).zip(self.target) {
            // 0 times anything is 0: for illegal choices, and for those without a share in either distribution.
            let log = if share > 0.0 || target > 0.0 { logit - most - log_sum } else { 0.0 };
            cross -= target * log;
            own -= share * log;
            target_entropy -= if target > 0.0 { target * math::ln(target) } else { 0.0 };
        }
        let agrees = likeliest(shares) == likeliest(self.target);
        Compared { sum, cross_entropy: cross, entropy: own / sum, target_entropy, agrees }
    }
}

/// Returns weights divided by their sum; zeros if that is zero.
pub(crate) fn shares(weights: &[f32]) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
    weights.iter().map(|weight| weight * scale).collect()
}

/// Returns the index of the first of the largest values.
fn likeliest(values: &[f32]) -> usize {
    let larger =
        |best: (usize, f32), (index, &value): (usize, &f32)| if value > best.1 { (index, value) } else { best };
    values.iter().enumerate().fold((0, f32::NEG_INFINITY), larger).0
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

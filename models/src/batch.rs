//! The input of the learner, as plain numbers.

#[cfg(feature = "learn")]
use crate::losses::shares;

/// A batch of training samples for one network.
///
/// B is the number of samples, A the number of actions, and `planes` holds B observations one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The number of samples, B.
    pub size: usize,
    /// The observations, `[B, planes · rows · columns]`.
    pub planes: Vec<f32>,
    /// The policy targets, `[B, A]`: probabilities that are 0 for illegal actions.
    pub policy: Vec<f32>,
    /// Whether each action is legal, `[B, A]`; at least one in each row.
    pub legal: Vec<bool>,
    /// The weight of each policy target, `[B]`; 0 for a sample without one.
    pub policy_weight: Vec<f32>,
    /// The value targets, `[B, 3]`: probabilities of win, draw and loss for the player to move.
    pub wdl: Vec<f32>,
    /// The weight of each value target, `[B]`; 0 for a sample without one.
    pub value_weight: Vec<f32>,
}

/// Some samples of a batch, laid out as in [`Batch`], with their shares of the weights of the whole batch.
#[cfg(feature = "learn")]
#[derive(Clone, Debug)]
pub(crate) struct BatchPart<'a> {
    pub size: usize,
    pub planes: &'a [f32],
    pub policy: &'a [f32],
    pub legal: &'a [bool],
    pub policy_weight: Vec<f32>,
    pub wdl: &'a [f32],
    pub value_weight: Vec<f32>,
}

impl Batch {
    /// Returns the samples in at most this many parts. Their weights are shares of those of the whole batch: sums over
    /// the parts add up to weighted means over the batch.
    #[cfg(feature = "learn")]
    pub(crate) fn parts(&self, most: usize) -> Vec<BatchPart<'_>> {
        let each = self.size.div_ceil(most.max(1)).max(1);
        let [policy_weight, value_weight] = [shares(&self.policy_weight), shares(&self.value_weight)];
        let (observation, actions) = (self.planes.len() / self.size, self.policy.len() / self.size);
        let part = |first: usize| {
            let size = each.min(self.size - first);
            let within = |width: usize| first * width..(first + size) * width;
            BatchPart {
                size,
                planes: &self.planes[within(observation)],
                policy: &self.policy[within(actions)],
                legal: &self.legal[within(actions)],
                policy_weight: policy_weight[within(1)].to_vec(),
                wdl: &self.wdl[within(3)],
                value_weight: value_weight[within(1)].to_vec(),
            }
        };
        (0..self.size).step_by(each).map(part).collect()
    }

    /// Asserts that all arrays have the lengths that `size` samples of a network need.
    ///
    /// # Panics
    /// If one of them has another length.
    pub fn assert_shape(&self, observation: usize, num_actions: usize) {
        let lengths = [
            ("planes", self.planes.len(), observation),
            ("policy", self.policy.len(), num_actions),
            ("legal", self.legal.len(), num_actions),
            ("policy_weight", self.policy_weight.len(), 1),
            ("wdl", self.wdl.len(), 3),
            ("value_weight", self.value_weight.len(), 1),
        ];
        for (name, length, each) in lengths {
            assert_eq!(length, self.size * each, "the length of {name} in a batch of {}", self.size);
        }
    }
}

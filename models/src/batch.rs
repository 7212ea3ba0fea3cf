//! What the learner learns from, as plain numbers.

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
    /// Which actions are legal, `[B, A]`; at least one in each row.
    pub legal: Vec<bool>,
    /// The weight of each policy target, `[B]`; 0 for a sample without one.
    pub policy_weight: Vec<f32>,
    /// The value targets, `[B, 3]`: probabilities of win, draw and loss for the player to move.
    pub wdl: Vec<f32>,
    /// The weight of each value target, `[B]`; 0 for a sample without one.
    pub value_weight: Vec<f32>,
}

impl Batch {
    /// Asserts that all parts have the lengths that `size` samples of a network need.
    ///
    /// # Panics
    /// If one of them has not.
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

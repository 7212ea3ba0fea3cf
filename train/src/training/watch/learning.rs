//! What the learner did in one iteration.

use gipf_models::{Array, Weights};

use super::finding::{Fault, Finding};
use crate::training::metrics::LearningMetrics;

/// A learner before or after the steps of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerState {
    /// The steps that it has taken.
    pub steps: u64,
    /// Its newest weights.
    pub weights: Weights,
    /// The largest of the optimiser's means of squared gradients.
    pub moment: f32,
    /// The share of a weight without gradients that weight decay has left.
    pub left: f64,
}

/// The fewest steps after which every weight of a sound network has moved.
const STEPS: u64 = 5;
/// The fewest units of a layer for which a share means something.
const UNITS: usize = 8;
/// The share of a layer's units that may be dead. At the default learning rate many die while the network learns
/// well: up to half of a layer of 64, and 13 of 16.
const DEAD: f64 = 0.9;

/// Looks at what the steps of an iteration did to the learner.
pub fn of_learning(before: &LearnerState, after: &LearnerState, learned: Option<&LearningMetrics>) -> Vec<Finding> {
    let mut found = Vec::from_iter(optimizer(before));
    if let Some(learned) = learned.filter(|learned| learned.steps >= STEPS && learned.learning_rate > 0.0) {
        found.extend(weights(before, after, learned));
    }
    found
}

fn optimizer(before: &LearnerState) -> Option<Finding> {
    (before.steps > 0 && before.moment == 0.0).then(|| {
        let found = format!("its means of gradients are all 0 after {} steps", before.steps);
        Finding::new(Fault::Optimizer, found, "those of the steps before")
    })
}

fn weights(before: &LearnerState, after: &LearnerState, learned: &LearningMetrics) -> Option<Finding> {
    let LearningMetrics { steps, learning_rate, .. } = *learned;
    let pairs = || {
        let pairs = after.weights.0.iter().filter_map(|(name, array)| Some((name, before.weights.0.get(name)?, array)));
        pairs.filter(|(_, before, _)| !before.values.is_empty())
    };
    let still = Still { left: after.left / before.left, rounding: 1e-6 + 1e-7 * steps as f64 };
    let resting: Vec<_> = pairs().filter(|(_, before, after)| still.share(before, after) == 1.0).collect();
    let tensors = pairs().count();
    if tensors > 0 && resting.len() == tensors {
        let found = format!("no weight moved in {steps} steps at learning rate {learning_rate:.1e}");
        return Some(Finding::new(Fault::LearningRate, found, "every tensor to move"));
    }
    if let Some((name, ..)) = resting.first() {
        let found = format!("{} of {tensors} tensors did not move in {steps} steps, `{name}` first", resting.len());
        return Some(Finding::new(Fault::StillWeights, found, "every tensor to move"));
    }
    // A layer has one bias for each unit, and a unit that never fires gives its bias no gradient.
    let biases = pairs().filter(|(_, _, after)| after.shape.len() == 1 && after.values.len() >= UNITS);
    let dead = biases.map(|(name, before, after)| (still.share(before, after), name));
    let (share, name) = dead.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (share > DEAD).then(|| {
        let found = format!("{:.0} % of `{name}` did not move in {steps} steps", 100.0 * share);
        Finding::new(Fault::DeadUnits, found, format!("at most {:.0} %", 100.0 * DEAD))
    })
}

/// What happens to a weight without a gradient: nothing, or decay, which is the same share for all weights.
struct Still {
    left: f64,
    /// The share of itself by which a weight may deviate.
    rounding: f64,
}

impl Still {
    /// Returns the share of weights that have not moved.
    fn share(&self, before: &Array, after: &Array) -> f64 {
        let pairs = before.values.iter().zip(&after.values);
        let rests = |&(&a, &b): &(&f32, &f32)| {
            let (a, b) = (f64::from(a), f64::from(b));
            [1.0, self.left].iter().any(|left| (a * left - b).abs() <= self.rounding * a.abs())
        };
        pairs.filter(rests).count() as f64 / before.values.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn state(values: [&[f32]; 2]) -> LearnerState {
        let array = |values: &[f32]| Array { shape: vec![values.len()], values: values.to_vec() };
        let tensors = BTreeMap::from([("a".to_owned(), array(values[0])), ("b".to_owned(), array(values[1]))]);
        LearnerState { steps: 9, weights: Weights(tensors), moment: 1e-9, left: 1.0 }
    }

    fn faults(before: &LearnerState, after: &LearnerState) -> Vec<Fault> {
        let learned = LearningMetrics { steps: 20, learning_rate: 1e-3, ..LearningMetrics::default() };
        let found = of_learning(before, after, Some(&learned));
        found.into_iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn weights_that_only_decay_are_still() {
        let before = state([&[0.5, -0.5], &[0.25; 16]]);
        let after = |values: [&[f32]; 2]| LearnerState { left: 0.75, ..state(values) };
        let decayed = [0.5 * 0.75, -0.5 * 0.75];
        let moved = [0.25 + 1e-4; 16];
        let moving = |units: usize| std::array::from_fn::<f32, 16, _>(|unit| if unit < units { 0.26 } else { 0.25 });
        assert_eq!(faults(&before, &after([&[0.501, -0.5], &moved])), []);
        // Moved, though by less than decay would move it.
        assert_eq!(faults(&before, &after([&[0.45, -0.45], &moved])), []);
        assert_eq!(faults(&before, &after([&decayed, &moved])), [Fault::StillWeights]);
        assert_eq!(faults(&before, &after([&decayed, &[0.25; 16]])), [Fault::LearningRate]);
        assert_eq!(faults(&before, &after([&[0.6, 0.6], &moving(2)])), []);
        assert_eq!(faults(&before, &after([&[0.6, 0.6], &moving(1)])), [Fault::DeadUnits]);
    }

    #[test]
    fn an_optimiser_without_state_is_told_only_after_steps() {
        let mut before = state([&[0.5, -0.5], &[0.25; 16]]);
        before.moment = 0.0;
        let told = |state: &LearnerState| of_learning(state, state, None);
        assert_eq!(told(&before)[0].fault, Fault::Optimizer);
        before.steps = 0;
        assert_eq!(told(&before), []);
    }
}

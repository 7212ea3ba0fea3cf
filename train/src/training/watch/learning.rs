//! What the learner did in one iteration.

use gipf_models::{Array, LayerName, TensorName, Weights};

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
    let tensors = tensors(before, after, learned.steps);
    still_weights(&tensors, learned).or_else(|| dead_units(&tensors, learned.steps))
}

/// A tensor after the steps of an iteration.
struct Tensor<'a> {
    name: &'a str,
    /// The share of its weights that have not moved.
    still: f64,
    /// The units whose biases it holds; 0 if it holds other weights.
    units: usize,
}

impl Tensor<'_> {
    /// Returns whether it belongs to one of these layers.
    fn is_of(&self, mut layers: impl Iterator<Item = LayerName>) -> bool {
        let names = |layer| [TensorName::Weight(layer), TensorName::Bias(layer)];
        layers.any(|layer| names(layer).iter().any(|name| name.to_string() == self.name))
    }

    fn is_of_lines(&self) -> bool {
        self.is_of(LayerName::outputs().filter(|layer| matches!(layer, LayerName::EncoderLine(_))))
    }
}

/// Returns the tensors that were there before the steps, too.
fn tensors<'a>(before: &LearnerState, after: &'a LearnerState, steps: u64) -> Vec<Tensor<'a>> {
    let still = Still { left: after.left / before.left, rounding: 1e-6 + 1e-7 * steps as f64 };
    let found = |(name, array): (&'a String, &Array)| {
        let before = before.weights.0.get(name).filter(|before| !before.values.is_empty())?;
        let units = if array.shape.len() == 1 { array.values.len() } else { 0 };
        Some(Tensor { name, still: still.share(before, array), units })
    };
    after.weights.0.iter().filter_map(found).collect()
}

fn still_weights(tensors: &[Tensor<'_>], learned: &LearningMetrics) -> Option<Finding> {
    let LearningMetrics { steps, learning_rate, .. } = *learned;
    let (mut resting, moving): (Vec<_>, Vec<_>) = tensors.iter().partition(|tensor| tensor.still == 1.0);
    if moving.is_empty() && !resting.is_empty() {
        let found = format!("no weight moved in {steps} steps at learning rate {learning_rate:.1e}");
        return Some(Finding::new(Fault::LearningRate, found, "every tensor to move"));
    }
    // The outputs of the lines of one length rest if no action along those lines occurs.
    if moving.iter().any(|tensor| tensor.is_of_lines()) {
        resting.retain(|tensor| !tensor.is_of_lines());
    }
    let first = resting.first()?.name;
    let found =
        format!("{} of {} tensors did not move in {steps} steps, `{first}` first", resting.len(), tensors.len());
    Some(Finding::new(Fault::StillWeights, found, "every tensor to move"))
}

/// A layer has one bias for each unit, and a unit that never fires gives its bias no gradient. Outputs do not fire:
/// theirs have no gradient if their actions do not occur.
fn dead_units(tensors: &[Tensor<'_>], steps: u64) -> Option<Finding> {
    let layers = tensors.iter().filter(|tensor| tensor.units >= UNITS && !tensor.is_of(LayerName::outputs()));
    let Tensor { name, still, .. } = layers.max_by(|a, b| a.still.total_cmp(&b.still))?;
    (*still > DEAD).then(|| {
        let found = format!("{:.0} % of `{name}` did not move in {steps} steps", 100.0 * still);
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
    use super::*;

    fn named(tensors: &[(&str, &[f32])]) -> LearnerState {
        let array = |values: &[f32]| Array { shape: vec![values.len()], values: values.to_vec() };
        let tensors = tensors.iter().map(|(name, values)| ((*name).to_owned(), array(values)));
        LearnerState { steps: 9, weights: Weights(tensors.collect()), moment: 1e-9, left: 1.0 }
    }

    fn state([a, b]: [&[f32]; 2]) -> LearnerState {
        named(&[("a", a), ("b", b)])
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

    /// As in push-off, which does not use most numbers of actions.
    #[test]
    fn outputs_of_actions_that_never_occur_are_neither_dead_nor_still() {
        let (still, moved) = ([0.25; 16], [0.26; 16]);
        let mostly: [f32; 16] = std::array::from_fn(|unit| if unit == 0 { 0.26 } else { 0.25 });
        let after = |name: &'static str, values: &[f32; 16]| {
            let before = named(&[("hidden.0.bias", &still), (name, &still), ("readers.1.line.bias", &still)]);
            let after = named(&[("hidden.0.bias", &moved), (name, values), ("readers.1.line.bias", &moved)]);
            faults(&before, &after)
        };
        for output in ["policy.bias", "spot_heads.bias", "readers.0.line.bias"] {
            assert_eq!(after(output, &mostly), [], "{output}");
        }
        assert_eq!(after("value.0.bias", &mostly), [Fault::DeadUnits]);
        assert_eq!(after("readers.0.line.bias", &still), []);
        // Some action always occurs.
        for part in ["policy.bias", "spot_heads.bias", "value.0.bias"] {
            assert_eq!(after(part, &still), [Fault::StillWeights], "{part}");
        }
        let lines = |hidden: &[f32; 16]| {
            named(&[("hidden.0.bias", hidden), ("readers.0.line.bias", &still), ("readers.1.line.bias", &still)])
        };
        assert_eq!(faults(&lines(&still), &lines(&moved)), [Fault::StillWeights]);
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

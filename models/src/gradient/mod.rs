//! Learning on the CPU without a tensor library: the gradient of the line network's loss, layer by layer.
//!
//! The same vector kernels as in [`crate::infer`] compute it, so it is the same bits on any machine. `net` holds the same
//! network for automatic differentiation; tests hold the two together.

mod dense;
mod heads;
mod mixing;
mod readers;
mod trunk;

use std::collections::BTreeMap;
use std::sync::Arc;

use gipf_env::geometry::LINES;
use rayon::prelude::*;

use crate::batch::Batch;
use crate::board::LENGTHS;
use crate::config::{LineConfig, NetConfig, NetKind};
use crate::infer::Instructions;
use crate::infer::kernel::pass_rectifier;
use crate::infer::lanes::{Lane, add};
use crate::observed::Observed;
use crate::patterns::Patterns;
use crate::weights::{Array, Weights};
use heads::{PolicyHead, Seen, ValueHead, Valued};
use mixing::{Around, Mixing};
use readers::{Reader, Reading};
use trunk::{Positions, Trunk};

/// Computes gradients of one line network.
#[derive(Clone, Debug)]
pub struct LineGradient {
    observed: Observed,
    sizes: LineConfig,
    /// For each mixing step.
    around: Vec<Arc<Around>>,
    scalars: usize,
    num_actions: usize,
    instructions: Instructions,
}

/// What a network said about a batch, and how its weights should change.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The policy logits, `[B, A]`.
    pub policy: Vec<f32>,
    /// The logits of win, draw and loss, `[B, 3]`.
    pub wdl: Vec<f32>,
    /// The gradient of the loss for each weight.
    pub gradient: Weights,
}

impl LineGradient {
    /// Returns what computes the gradients of a valid network, if it is a line network.
    pub fn of(config: &NetConfig) -> Option<Self> {
        let NetKind::Line(sizes) = &config.net else { return None };
        Some(Self {
            observed: Observed::new(config),
            around: sizes.mixing.iter().map(|&width| Arc::new(Around::new(sizes.features, width))).collect(),
            sizes: sizes.clone(),
            scalars: config.layout.scalars,
            num_actions: config.num_actions,
            instructions: Instructions::detect(),
        })
    }

    /// Returns what the weights say about a batch, and the gradient of its policy's cross-entropy plus `value_weight` times
    /// its value's. So many parts of the batch are computed side by side; their gradients are added up in order.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch has other shapes.
    pub fn gradient(&self, weights: &Weights, batch: &Batch, (parts, value_weight): (usize, f32)) -> Answer {
        batch.assert_shape(self.observed.size(), self.num_actions);
        let layers = Layers::new(self, weights);
        let planes = batch.planes.chunks_exact(self.observed.size());
        let on_lines: Vec<_> = planes.map(|planes| self.observed.patterns(planes)).collect();
        let patterns = Patterns::new(self.observed.states(), &on_lines);
        let readings: Vec<_> = layers.readers.iter().map(|reader| reader.read(&patterns, parts)).collect();
        let parts = batch.parts(parts);
        let each = parts[0].size;
        let answer = |(number, part): (usize, &Batch)| {
            let positions = Positions::new(&self.observed, &part.planes, (&patterns, number * each));
            layers.answer(&readings, &positions, (part, value_weight))
        };
        let answers: Vec<_> = parts.par_iter().enumerate().map(answer).collect();
        let mut sum = answers.into_iter().reduce(PartAnswer::followed_by).expect("a batch has a part");
        for ((reader, reading), deltas) in layers.readers.iter().zip(&readings).zip(&sum.rows) {
            sum.gradient.extend(reader.learn(reading, deltas));
        }
        Answer { policy: sum.policy, wdl: sum.wdl, gradient: Weights(sum.gradient) }
    }
}

/// What a network said about a part of a batch.
struct PartAnswer {
    policy: Vec<f32>,
    wdl: Vec<f32>,
    /// The gradients of all weights behind the readers, by name.
    gradient: BTreeMap<String, Array>,
    /// The gradients of the rows of each reader.
    rows: Vec<Vec<Lane>>,
}

impl PartAnswer {
    /// Puts the answers of the next part behind these, and adds its gradients up with these.
    fn followed_by(mut self, next: Self) -> Self {
        self.policy.extend(next.policy);
        self.wdl.extend(next.wdl);
        for (sum, gradient) in self.gradient.values_mut().zip(next.gradient.values()) {
            sum.values.iter_mut().zip(&gradient.values).for_each(|(sum, value)| *sum += value);
        }
        self.rows.iter_mut().zip(&next.rows).for_each(|(sum, rows)| add(sum, rows));
        self
    }
}

/// The layers of a network, packed.
struct Layers {
    instructions: Instructions,
    readers: Vec<Reader>,
    trunk: Trunk,
    mixing: Vec<Mixing>,
    policy: PolicyHead,
    value: ValueHead,
}

/// What became of a batch on its way through the network.
struct Pass {
    /// The features before each mixing step, and after the last.
    features: Vec<Vec<Lane>>,
    /// The hidden outputs of each mixing step.
    hidden: Vec<Vec<Lane>>,
    /// The policy head's outputs at the spots.
    outputs: Vec<Lane>,
    valued: Valued,
    /// The spots in question in each position.
    asked: Vec<Vec<usize>>,
}

impl Layers {
    fn new(of: &LineGradient, weights: &Weights) -> Self {
        let (features, set) = (of.sizes.features, of.instructions);
        Self {
            instructions: set,
            readers: (0..LENGTHS.len()).map(|index| Reader::new(weights, index, features, set)).collect(),
            trunk: Trunk::new(weights, features, set),
            mixing: of.around.iter().enumerate().map(|step| Mixing::new(weights, step, features, set)).collect(),
            policy: PolicyHead::new(weights, of.num_actions, set),
            value: ValueHead::new(weights, (features, of.scalars), set),
        }
    }

    fn answer(&self, readings: &[Reading], positions: &Positions, (part, value_weight): (&Batch, f32)) -> PartAnswer {
        let pass = self.forward(readings, positions);
        let policy = self.policy(readings, &pass, positions);
        let wdl: Vec<f32> = pass.valued.logits.iter().flat_map(|lane| [lane.0[0], lane.0[1], lane.0[2]]).collect();
        let deltas = [policy_deltas(part, &policy), value_deltas(part, &wdl, value_weight)];
        let mut rows: Vec<_> = readings.iter().map(|reading| vec![Lane::ZERO; reading.rows.len()]).collect();
        let gradient = self.backward(&pass, positions, deltas, &mut rows).into_iter().collect();
        PartAnswer { policy, wdl, gradient, rows }
    }

    fn forward(&self, readings: &[Reading], positions: &Positions) -> Pass {
        let mut features = vec![self.trunk.features(positions, &self.readers, readings)];
        let mut hidden = Vec::new();
        for step in &self.mixing {
            let mut mixed = features.last().expect("the trunk's are there").clone();
            hidden.push(step.mix(&mut mixed));
            features.push(mixed);
        }
        let last = features.last().expect("the trunk's are there");
        let (outputs, valued) = (self.policy.outputs(last), self.value.forward(last, &positions.scalars));
        let asked = positions.planes.iter().map(|planes| positions.observed.in_question(planes).collect());
        Pass { hidden, outputs, valued, asked: asked.collect(), features }
    }

    fn policy(&self, readings: &[Reading], pass: &Pass, positions: &Positions) -> Vec<f32> {
        let mut logits = Vec::new();
        for (position, outputs) in self.policy.each(&pass.outputs).enumerate() {
            let rows = positions.rows(&self.readers, readings, position);
            let lines = rows.map(|row| *row.last().expect("a row has a lane for its line"));
            self.policy.append_logits(outputs, Seen { lines: &lines, asked: &pass.asked[position] }, &mut logits);
        }
        logits
    }

    /// Returns the gradients of all weights behind the readers by name, given those of the logits, and adds those of the
    /// readers' rows.
    fn backward(
        &self,
        pass: &Pass,
        positions: &Positions,
        [policy, wdl]: [Vec<f32>; 2],
        rows: &mut [Vec<Lane>],
    ) -> Vec<(String, Array)> {
        let last = pass.features.last().expect("the trunk's are there");
        let mut deltas = vec![Lane::ZERO; last.len()];
        let (outputs, lines) = self.pass_policy(pass, &policy);
        let mut named = Vec::from(self.policy.learn(last, &outputs, &mut deltas));
        let wdl: Vec<_> = wdl.chunks_exact(3).map(Lane::padded).collect();
        named.extend(self.value.learn(&pass.valued, &wdl, last, &mut deltas));
        for (index, step) in self.mixing.iter().enumerate().rev() {
            let mut gradient = step.no_gradient();
            step.learn((&pass.features[index], &pass.hidden[index]), &mut deltas, &mut gradient);
            named.extend(gradient.named(step));
        }
        pass_rectifier(self.instructions, &pass.features[0], &mut deltas);
        named.extend(self.trunk.learn(positions, &deltas));
        self.trunk.pass((positions, &self.readers), &deltas, &lines, rows);
        named
    }

    /// Returns the gradients of the outputs at the spots and of the lines.
    fn pass_policy(&self, pass: &Pass, deltas: &[f32]) -> (Vec<Lane>, Vec<[Lane; LINES]>) {
        let mut outputs = vec![Lane::ZERO; pass.outputs.len()];
        let mut lines = vec![[Lane::ZERO; LINES]; pass.asked.len()];
        let deltas = deltas.chunks_exact(self.policy.num_actions());
        let places = self.policy.each_mut(&mut outputs).zip(&mut lines);
        for ((deltas, asked), places) in deltas.zip(&pass.asked).zip(places) {
            self.policy.pass(deltas, asked, places);
        }
        (outputs, lines)
    }
}

/// Returns the gradient of the policy's cross-entropy over legal actions for each logit.
fn policy_deltas(part: &Batch, logits: &[f32]) -> Vec<f32> {
    let actions = logits.len() / part.size;
    let mut deltas = vec![0.0; logits.len()];
    for (position, to) in deltas.chunks_exact_mut(actions).enumerate() {
        let row = position * actions..(position + 1) * actions;
        let legal = &part.legal[row.clone()];
        write_deltas(&logits[row.clone()], (legal, &part.policy[row]), part.policy_weight[position], to);
    }
    deltas
}

/// Returns the gradient of the value's cross-entropy for each logit.
fn value_deltas(part: &Batch, logits: &[f32], value_weight: f32) -> Vec<f32> {
    let mut deltas = vec![0.0; logits.len()];
    let rows = logits.chunks_exact(3).zip(part.wdl.chunks_exact(3)).zip(&part.value_weight);
    for (to, ((logits, target), weight)) in deltas.chunks_exact_mut(3).zip(rows) {
        write_deltas(logits, (&[true; 3], target), weight * value_weight, to);
    }
    deltas
}

/// Writes weight · (Σ target · softmax(logits) - target) where it is legal.
fn write_deltas(logits: &[f32], (legal, target): (&[bool], &[f32]), weight: f32, to: &mut [f32]) {
    if weight == 0.0 {
        return;
    }
    let masked = logits.iter().zip(legal).map(|(&logit, &legal)| if legal { logit } else { f32::NEG_INFINITY });
    let most = masked.clone().fold(f32::NEG_INFINITY, f32::max);
    for (to, logit) in to.iter_mut().zip(masked) {
        *to = (logit - most).exp();
    }
    let scale = target.iter().sum::<f32>() / to.iter().sum::<f32>();
    for (to, target) in to.iter_mut().zip(target) {
        *to = weight * (*to * scale - target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceKind;
    use crate::config::tests::small_configs;
    use crate::net::{self, Net};
    use crate::testing::random_batch;

    /// Returns weights larger than at the start, so that all parts of the network matter, and biases that differ, so that no
    /// two spots have the same features but for rounding: the gradient of a maximum goes to one of them.
    fn weights(config: &NetConfig) -> Weights {
        let mut weights = Weights::initial(config, 4);
        for array in weights.0.values_mut() {
            for (number, value) in array.values.iter_mut().enumerate() {
                *value = *value * 1.7 + (number % 89) as f32 * 2e-4;
            }
        }
        weights
    }

    fn by_differentiation(config: &NetConfig, batch: &Batch, value_weight: f32) -> Answer {
        let net = Net::new(config, &weights(config), &DeviceKind::Cpu.device().unwrap().autodiff()).unwrap();
        let net::Answer { policy, wdl, gradient } = net.answer(batch, (1, value_weight));
        Answer { policy, wdl, gradient: net.with_vector(&gradient).weights() }
    }

    fn close(name: &str, found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len(), "{name}");
        let scale = expected.iter().fold(0.0, |most: f32, value| most.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-4 * scale, "{name}: {found} {expected} of {scale}");
        }
    }

    fn line_configs() -> Vec<NetConfig> {
        small_configs().into_iter().filter(|config| LineGradient::of(config).is_some()).collect()
    }

    #[test]
    fn gradients_are_those_of_automatic_differentiation() {
        for config in line_configs() {
            let batch = random_batch(&config, 70, 3);
            let expected = by_differentiation(&config, &batch, 1.5);
            for parts in [1, 2, 3] {
                let found = LineGradient::of(&config).unwrap().gradient(&weights(&config), &batch, (parts, 1.5));
                close("policy", &found.policy, &expected.policy);
                close("wdl", &found.wdl, &expected.wdl);
                assert!(found.gradient.0.keys().eq(expected.gradient.0.keys()));
                for (name, array) in &found.gradient.0 {
                    assert_eq!(array.shape, expected.gradient.0[name].shape, "{name}");
                    close(name, &array.values, &expected.gradient.0[name].values);
                }
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        for config in line_configs() {
            let batch = random_batch(&config, 20, 5);
            let answers = Instructions::available().map(|instructions| {
                let gradient = LineGradient { instructions, ..LineGradient::of(&config).unwrap() };
                gradient.gradient(&weights(&config), &batch, (2, 1.0))
            });
            answers.reduce(|one, other| if one == other { one } else { panic!("{config:?}") });
        }
    }
}

//! The network behind its readers, forward and back.

use std::collections::BTreeMap;

use gipf_env::geometry::LINES;

use crate::batch::Batch;
use crate::board::LENGTHS;
use crate::gradient::LineGradient;
use crate::gradient::global::{GlobalPooling, Pooled};
use crate::gradient::heads::{PolicyHead, Seen, ValueHead, Valued};
use crate::gradient::loss::{policy_deltas, value_deltas};
use crate::gradient::mixing::Mixing;
use crate::gradient::readers::{Reader, Reading};
use crate::gradient::trunk::{Positions, Trunk};
use crate::infer::Instructions;
use crate::infer::kernel::pass_rectifier;
use crate::infer::lanes::{Lane, add};
use crate::weights::{Array, Weights};

/// What a network said about a part of a batch.
#[derive(Debug)]
pub struct PartAnswer {
    /// The policy logits, `[B, A]`.
    pub policy: Vec<f32>,
    /// The logits of win, draw and loss, `[B, 3]`.
    pub wdl: Vec<f32>,
    /// The gradients of all weights behind the readers, by name.
    pub gradient: BTreeMap<String, Array>,
    /// The gradients of the rows of each reader.
    pub rows: Vec<Vec<Lane>>,
}

impl PartAnswer {
    /// Puts the answers of the next part behind these, and adds its gradients up with these.
    pub fn followed_by(mut self, next: Self) -> Self {
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
#[derive(Debug)]
pub struct Layers {
    instructions: Instructions,
    /// The reader of each length.
    pub readers: Vec<Reader>,
    trunk: Trunk,
    global: Option<GlobalPooling>,
    mixing: Vec<Mixing>,
    policy: PolicyHead,
    value: ValueHead,
}

/// What became of a batch on its way through the network.
struct Pass {
    pooled: Option<Pooled>,
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
    /// Packs the weights.
    pub fn new(of: &LineGradient, weights: &Weights) -> Self {
        let (features, set) = (of.sizes.features, of.instructions);
        Self {
            instructions: set,
            readers: (0..LENGTHS.len()).map(|index| Reader::new(weights, index, features, set)).collect(),
            trunk: Trunk::new(weights, features, set),
            global: of.sizes.global_pooling.then(|| GlobalPooling::new(weights, features, set)),
            mixing: (0..of.around.len()).map(|step| Mixing::new(weights, (step, &of.around), features, set)).collect(),
            policy: PolicyHead::new(weights, of.policy, set),
            value: ValueHead::new(weights, (features, of.scalars), set),
        }
    }

    /// Sends the positions of a part through the network and the gradients of their losses back, up to the rows of the
    /// readers.
    pub fn answer(
        &self,
        readings: &[Reading],
        positions: &Positions,
        (part, value_weight): (&Batch, f32),
    ) -> PartAnswer {
        let pass = self.forward(readings, positions);
        let policy = self.policy(readings, &pass, positions);
        let wdl: Vec<f32> = pass.valued.logits.iter().flat_map(|lane| [lane.0[0], lane.0[1], lane.0[2]]).collect();
        let deltas = [policy_deltas(part, &policy), value_deltas(part, &wdl, value_weight)];
        let mut rows: Vec<_> = readings.iter().map(|reading| vec![Lane::ZERO; reading.rows.len()]).collect();
        let gradient = self.backward(&pass, positions, deltas, &mut rows).into_iter().collect();
        PartAnswer { policy, wdl, gradient, rows }
    }

    fn forward(&self, readings: &[Reading], positions: &Positions) -> Pass {
        let mut first = self.trunk.features(positions, &self.readers, readings);
        let pooled = self.global.as_ref().map(|global| global.add(&mut first));
        let mut features = vec![first];
        let mut hidden = Vec::new();
        for step in &self.mixing {
            let mut mixed = features.last().expect("the trunk's are there").clone();
            hidden.push(step.mix(&mut mixed));
            features.push(mixed);
        }
        let last = features.last().expect("the trunk's are there");
        let (outputs, valued) = (self.policy.outputs(last), self.value.forward(last, &positions.scalars));
        let asked = positions.planes.iter().map(|planes| positions.observed.in_question(planes).collect());
        Pass { pooled, hidden, outputs, valued, asked: asked.collect(), features }
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
            if index > 0 {
                pass_rectifier(self.instructions, &pass.features[index], &mut deltas);
            }
        }
        let trunk = match (&self.global, &pass.pooled) {
            (Some(global), Some(pooled)) => {
                named.extend(global.learn(pooled, &pass.features[0], &mut deltas));
                &pooled.before
            }
            _ => &pass.features[0],
        };
        pass_rectifier(self.instructions, trunk, &mut deltas);
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

//! The network behind its encoders, forward and back.

use std::collections::BTreeMap;

use crate::batch::Batch;
use crate::board::LENGTHS;
use crate::config::{LineConfig, NetConfig};
use crate::gradient::dense::DenseGradient;
use crate::gradient::heads::{HeadsBack, Passed as Heads};
use crate::gradient::line_encoder::{Reading, TrainableEncoder};
use crate::gradient::loss::{policy_deltas, value_deltas};
use crate::gradient::spots::SpotBack;
use crate::gradient::trunk::{Positions, TrunkGradient};
use crate::infer::asked::Asked;
use crate::infer::kernel::pass_rectifier;
use crate::infer::lanes::{Lane, add};
use crate::infer::layers::{Answers, LayersScratch, LineLayers, Passed};
use crate::infer::{CHUNK, EngineOptions};
use crate::weights::{Array, Weights};

/// What a network said about a part of a batch.
#[derive(Debug)]
pub struct PartAnswer {
    /// The policy logits, `[B, A]`.
    pub policy: Vec<f32>,
    /// The logits of win, draw and loss, `[B, 3]`.
    pub wdl: Vec<f32>,
    /// The gradients of all weights behind the encoders, by name.
    pub gradient: BTreeMap<String, Array>,
    /// The gradients of the rows of each encoder.
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

/// The layers of a network, and the same turned round.
#[derive(Debug)]
pub struct Layers {
    /// The encoder of each length.
    pub encoders: Vec<TrainableEncoder>,
    features: usize,
    forward: LineLayers,
    spots: Vec<Box<dyn SpotBack>>,
    heads: HeadsBack,
}

/// The gradients of all weights behind the encoders, and of the rows of each encoder.
struct Gradient {
    rows: Vec<Vec<Lane>>,
    trunk: TrunkGradient,
    spots: Vec<Vec<DenseGradient>>,
    heads: [DenseGradient; 3],
}

impl Layers {
    /// Packs the weights.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let forward = LineLayers::new(weights, config, sizes, options);
        let encoder = |index| TrainableEncoder::new(weights, config, sizes, index, options.instructions);
        Self {
            encoders: (0..LENGTHS.len()).map(encoder).collect(),
            features: sizes.features,
            spots: forward.spots.iter().map(|layer| layer.back()).collect(),
            heads: HeadsBack::of(&forward, sizes.features, config.layout.scalars),
            forward,
        }
    }

    /// Sends the positions of a part through the network and the gradients of their losses back, up to the rows of the
    /// encoders, chunk by chunk.
    pub fn answer(&self, readings: &[Reading], positions: Positions, part: &Batch, value_weight: f32) -> PartAnswer {
        let (mut scratch, mut gradient) = (LayersScratch::default(), self.no_gradient(readings));
        let (mut policy, mut wdl) = (vec![0.0; part.policy.len()], Vec::with_capacity(part.wdl.len()));
        let planes = part.planes.chunks(CHUNK * self.forward.trunk.observed.size());
        let logits = policy.chunks_mut(CHUNK * self.forward.logits_of_lines.len());
        for (first, (planes, logits)) in (0..).step_by(CHUNK).zip(planes.zip(logits)) {
            let positions = positions.from(first);
            let rows = |position: usize| positions.rows(&self.encoders, readings, position);
            let mut shares = vec![0.0; logits.len() / self.forward.logits_of_lines.len() * 3];
            let answers = Answers { logits, asked: Asked::All, wdl: &mut shares };
            self.forward.forward(&mut scratch, Passed::Kept, planes, rows, answers);
            let values: Vec<f32> = scratch.heads.value.iter().flat_map(|lane| lane.0[..3].iter().copied()).collect();
            let deltas = [policy_deltas(part, first, logits), value_deltas(part, first, &values, value_weight)];
            self.backward(&scratch, planes, positions, deltas, &mut gradient);
            wdl.extend(values);
        }
        PartAnswer { policy, wdl, gradient: self.named(&gradient), rows: gradient.rows }
    }

    fn no_gradient(&self, readings: &[Reading]) -> Gradient {
        Gradient {
            rows: readings.iter().map(|reading| vec![Lane::ZERO; reading.rows.len()]).collect(),
            trunk: TrunkGradient::of(&self.forward.trunk),
            spots: self.spots.iter().map(|layer| layer.no_gradient()).collect(),
            heads: self.heads.no_gradient(),
        }
    }

    /// Passes the gradients of the logits of a chunk back to the rows of the encoders, and adds what they say about all
    /// weights in between.
    fn backward(
        &self,
        scratch: &LayersScratch,
        planes: &[f32],
        positions: Positions,
        [policy, wdl]: [Vec<f32>; 2],
        gradient: &mut Gradient,
    ) {
        let (trunk, LayersScratch { features, spots, heads, .. }) = (&self.forward.trunk, scratch);
        let passed = Heads { layers: &self.forward, scratch: heads, planes, features, policy: &policy, wdl: &wdl };
        let (mut deltas, lines) = self.heads.learn(passed, &mut gradient.heads);
        // What a layer leaves behind is what the next one finds.
        let found = |layer: usize| spots.get(layer).map_or(features, |scratch| &scratch.before);
        for (index, layer) in self.spots.iter().enumerate().rev() {
            layer.learn(&spots[index], found(index + 1), &mut deltas, &mut gradient.spots[index]);
        }
        pass_rectifier(trunk.instructions, found(0), &mut deltas);
        gradient.trunk.learn(trunk, planes, &deltas);
        positions.pass(&self.encoders, &deltas, &lines, &mut gradient.rows);
    }

    fn named(&self, gradient: &Gradient) -> BTreeMap<String, Array> {
        let spots = self.spots.iter().zip(&gradient.spots).flat_map(|(layer, gradient)| layer.named(gradient));
        self.heads.named(&gradient.heads).chain(spots).chain(gradient.trunk.named(self.features)).collect()
    }
}

//! The network after its encoders, forward and backward.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::batch::BatchPart;
use crate::board::LENGTHS;
use crate::config::{LineConfig, NetConfig};
use crate::gradient::dense::DenseGradient;
use crate::gradient::heads::{HeadsBack, Passed as Heads};
use crate::gradient::line_encoder::{Reading, TrainableEncoder};
use crate::gradient::loss::{write_policy_deltas, write_value_deltas};
use crate::gradient::occurrences::SpotDeltas;
use crate::gradient::spots::SpotBack;
use crate::gradient::trunk::{Positions, TrunkGradient};
use crate::infer::asked::Asked;
use crate::infer::kernel::pass_rectifier;
use crate::infer::layers::{Answers, LayersScratch, LineLayers, Passed};
use crate::infer::{CHUNK, EngineOptions};
use crate::losses::Losses;
use crate::weights::{Array, Weights};

/// The losses and gradients of a network on a part of a batch.
#[derive(Debug)]
pub struct PartAnswer {
    /// The part's share of the losses.
    pub losses: Losses,
    /// The gradients of all weights after the encoders, by name.
    pub gradient: BTreeMap<String, Array>,
    /// The gradients of the sums of the rows of lines.
    pub deltas: SpotDeltas,
}

impl PartAnswer {
    /// Adds the losses of the next part, and its gradients of the weights after the encoders.
    pub fn add(&mut self, next: &Self) {
        self.losses.add(&next.losses);
        for (sum, gradient) in self.gradient.values_mut().zip(next.gradient.values()) {
            sum.values.iter_mut().zip(&gradient.values).for_each(|(sum, value)| *sum += value);
        }
    }
}

/// The layers of a network, and their transposes.
#[derive(Debug)]
pub struct Layers {
    /// The encoder of each length.
    pub encoders: Vec<TrainableEncoder>,
    features: usize,
    forward: LineLayers,
    spots: Vec<Box<dyn SpotBack>>,
    heads: HeadsBack,
}

/// The gradients of all weights after the encoders.
struct Gradient {
    trunk: TrunkGradient,
    spots: Vec<Vec<DenseGradient>>,
    heads: [DenseGradient; 3],
}

impl Layers {
    /// Packs the weights.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let encoder = |index| TrainableEncoder::new(weights, config, sizes, index, options.instructions);
        let (forward, encoders) = rayon::join(
            || LineLayers::new(weights, config, sizes, options),
            || (0..LENGTHS.len()).into_par_iter().map(encoder).collect(),
        );
        Self {
            encoders,
            features: sizes.features,
            spots: forward.spots.iter().map(|layer| layer.back()).collect(),
            heads: HeadsBack::of(&forward, sizes.features, config.layout.scalars),
            forward,
        }
    }

    /// Sends the positions of a part through the network and the gradients of their losses back, up to the rows of the
    /// encoders, chunk by chunk.
    pub fn answer(
        &self,
        readings: &[Reading],
        positions: Positions,
        part: &BatchPart,
        value_weight: f32,
    ) -> PartAnswer {
        let (mut scratch, mut gradient) = (LayersScratch::default(), self.no_gradient());
        let (mut losses, mut deltas) = (Losses::default(), SpotDeltas::default());
        let actions = self.forward.logits_of_lines.len();
        let (mut policy, mut policy_deltas) = (vec![0.0; CHUNK * actions], vec![0.0; CHUNK * actions]);
        let (mut shares, mut value_deltas) = ([0.0; 3 * CHUNK], [[0.0; 3]; CHUNK]);
        let planes = part.planes.chunks(CHUNK * self.forward.trunk.observed.size());
        for (first, planes) in (0..).step_by(CHUNK).zip(planes) {
            let n = CHUNK.min(part.size - first);
            let positions = positions.from(first);
            let rows = |position: usize| positions.rows(&self.encoders, readings, position);
            let logits = &mut policy[..n * actions];
            let answers = Answers { logits, asked: Asked::All, wdl: &mut shares[..3 * n] };
            self.forward.forward(&mut scratch, Passed::Kept, planes, rows, answers);
            let values: Vec<[f32; 3]> =
                scratch.heads.value.iter().map(|lane| [lane.0[0], lane.0[1], lane.0[2]]).collect();
            let (policy_deltas, value_deltas) = (&mut policy_deltas[..n * actions], &mut value_deltas[..n]);
            write_policy_deltas(part, first, logits, &mut losses, policy_deltas);
            write_value_deltas(part, (first, value_weight), &values, &mut losses, value_deltas);
            let logits = (&*policy_deltas, value_deltas.as_flattened());
            self.backward(&scratch, planes, logits, &mut gradient, &mut deltas);
        }
        PartAnswer { losses, gradient: self.named(&gradient), deltas }
    }

    fn no_gradient(&self) -> Gradient {
        Gradient {
            trunk: TrunkGradient::of(&self.forward.trunk),
            spots: self.spots.iter().map(|layer| layer.no_gradient()).collect(),
            heads: self.heads.no_gradient(),
        }
    }

    /// Passes the gradients of the logits of a chunk back to the features of its spots, appends those to the ones of
    /// earlier chunks, and adds the gradients of all weights in between.
    fn backward(
        &self,
        scratch: &LayersScratch,
        planes: &[f32],
        (policy, wdl): (&[f32], &[f32]),
        gradient: &mut Gradient,
        all: &mut SpotDeltas,
    ) {
        let (trunk, LayersScratch { features, spots, heads, .. }) = (&self.forward.trunk, scratch);
        let passed = Heads { layers: &self.forward, scratch: heads, planes, features, policy, wdl };
        let (mut deltas, lines) = self.heads.learn(passed, &mut gradient.heads);
        // The features after a layer are those before the next one.
        let found = |layer: usize| spots.get(layer).map_or(features, |scratch| &scratch.before);
        for (index, layer) in self.spots.iter().enumerate().rev() {
            layer.learn(&spots[index], found(index + 1), &mut deltas, &mut gradient.spots[index]);
        }
        pass_rectifier(trunk.instructions, found(0), &mut deltas);
        gradient.trunk.learn(trunk, planes, &deltas);
        all.features.extend_from_slice(&deltas);
        all.lines.extend(lines);
    }

    fn named(&self, gradient: &Gradient) -> BTreeMap<String, Array> {
        let spots = self.spots.iter().zip(&gradient.spots).flat_map(|(layer, gradient)| layer.named(gradient));
        self.heads.named(&gradient.heads).chain(spots).chain(gradient.trunk.named(self.features)).collect()
    }
}

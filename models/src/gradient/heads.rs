//! The backward pass through the heads.

use gipf_env::geometry::{LINES, SPOTS};

use crate::gradient::dense::{Back, DenseGradient};
use crate::gradient::pooling::unpool;
use crate::infer::heads::HeadsScratch;
use crate::infer::kernel::{Finish, pass_rectifier};
use crate::infer::lanes::Lane;
use crate::infer::layers::LineLayers;
use crate::names::LayerName;
use crate::weights::Array;

/// The transposed layers of the heads.
#[derive(Debug)]
pub struct HeadsBack {
    spots: Back,
    value: [Back; 2],
    /// The inputs of the value: the means of the features, their maxima, the scalars. Each begins a new lane.
    parts: [usize; 3],
}

impl HeadsBack {
    /// Transposes the heads of a network with this many features per spot.
    pub fn of(layers: &LineLayers, features: usize, scalars: usize) -> Self {
        let heads = &layers.heads;
        let back = |layer| Back::of(layer, heads.instructions);
        Self {
            spots: back(&heads.spots),
            value: heads.value.each_ref().map(back),
            parts: [features, features, scalars],
        }
    }

    /// Returns gradients of zeros: for the outputs at the spots, and for both layers of the value.
    pub fn no_gradient(&self) -> [DenseGradient; 3] {
        [self.spots.no_gradient(), self.value[0].no_gradient(), self.value[1].no_gradient()]
    }

    /// Passes the gradients of all logits, policy and value, back to the features and to the lanes of the lines, and
    /// adds the gradients of the weights.
    pub fn learn(&self, passed: Passed, gradient: &mut [DenseGradient; 3]) -> (Vec<Lane>, Vec<[Lane; LINES]>) {
        let (features, scratch) = (passed.features, passed.scratch);
        let (outputs, lines) = pass_policy(&passed);
        let mut back = vec![Lane::ZERO; features.len()];
        self.spots.learn(features, &outputs, &mut gradient[0]);
        self.spots.pass(&outputs, &mut back, Finish::Store);
        let (set, [first, second]) = (self.spots.instructions, &self.value);
        let deltas: Vec<_> = passed.wdl.chunks_exact(3).map(Lane::padded).collect();
        second.learn(&scratch.hidden, &deltas, &mut gradient[2]);
        let mut hidden = vec![Lane::ZERO; scratch.hidden.len()];
        second.pass(&deltas, &mut hidden, Finish::Store);
        pass_rectifier(set, &scratch.hidden, &mut hidden);
        first.learn(&scratch.pooled, &hidden, &mut gradient[1]);
        let mut pooled = vec![Lane::ZERO; scratch.pooled.len()];
        first.pass(&hidden, &mut pooled, Finish::Store);
        unpool(&pooled, first.input_lanes(), features, &mut back, passed.layers.trunk.width);
        (back, lines)
    }

    /// Returns the gradients of the weights by name.
    pub fn named(&self, gradient: &[DenseGradient; 3]) -> impl Iterator<Item = (String, Array)> {
        let [spots, first, second] = gradient;
        let spots = spots.named(LayerName::SpotHeads, self.spots.outputs());
        let first = first.named_in_parts(LayerName::ValueHidden, &self.parts, self.value[0].outputs());
        let second = second.named(LayerName::ValueOutput, self.value[1].outputs());
        spots.into_iter().chain(first).chain(second)
    }
}

/// A chunk of positions as the heads saw it, and the gradients of its logits.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'a> {
    pub layers: &'a LineLayers,
    pub scratch: &'a HeadsScratch,
    pub planes: &'a [f32],
    pub features: &'a [Lane],
    pub policy: &'a [f32],
    pub wdl: &'a [f32],
}

/// Returns the gradients of the outputs at the spots and of the lines.
fn pass_policy(passed: &Passed) -> (Vec<Lane>, Vec<[Lane; LINES]>) {
    let (heads, logits_of_lines) = (&passed.layers.heads, &passed.layers.logits_of_lines);
    let (width, actions) = (heads.spots.lanes(), heads.policy.len());
    let mut all = vec![Lane::ZERO; passed.scratch.outputs.len()];
    let mut all_lines = vec![[Lane::ZERO; LINES]; passed.policy.len() / actions];
    let positions = passed.policy.chunks_exact(actions).zip(passed.planes.chunks_exact(heads.observed.size()));
    let places = all.chunks_exact_mut(SPOTS * width).zip(&mut all_lines);
    for ((deltas, planes), (outputs, lines)) in positions.zip(places) {
        let parts = deltas.iter().zip(logits_of_lines).enumerate().filter(|(_, (delta, _))| **delta != 0.0);
        for (action, (delta, line)) in parts {
            for &(lane, place) in heads.policy.of(action) {
                outputs[usize::from(lane)].0[usize::from(place)] += delta;
            }
            if let Some((line, output)) = *line {
                lines[line].0[output] += delta;
            }
        }
        for spot in heads.observed.in_question(planes) {
            for &(action, (lane, place)) in &heads.questions {
                outputs[spot * width + lane].0[place] += deltas[action];
            }
        }
    }
    (all, all_lines)
}

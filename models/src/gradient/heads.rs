//! What the features say about policy and value, forward and back.

use gipf_env::geometry::{LINES, SPOTS};

use crate::board::{PolicyLayout, Terms};
use crate::gradient::dense::Dense;
use crate::gradient::pooling::unpool;
use crate::infer::heads::padded_rows;
use crate::infer::kernel::{Finish, Instructions, pass_rectifier, pool};
use crate::infer::lanes::{LANE, Lane};
use crate::names::LayerName;
use crate::weights::{Array, Weights};

/// The policy head.
#[derive(Debug)]
pub struct PolicyHead {
    spots: Dense,
    outputs: usize,
    /// What makes up each logit.
    logits: Vec<Logit>,
}

/// Where the parts of a logit lie, each a lane and a place in it.
#[derive(Debug)]
struct Logit {
    /// Among a position's outputs.
    spots: Vec<(usize, usize)>,
    /// Among those of its lines.
    line: Option<(usize, usize)>,
    /// At each spot in question.
    question: Option<(usize, usize)>,
}

/// One position as the policy head sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The lane of outputs of each line.
    pub lines: &'a [Lane; LINES],
    /// The spots whose piece is in question.
    pub asked: &'a [usize],
}

impl PolicyHead {
    /// Packs the head.
    pub fn new(weights: &Weights, layout: PolicyLayout, instructions: Instructions) -> Self {
        let [weight, bias] = weights.layer(LayerName::SpotHeads);
        let spots = Dense::new(instructions, weight, bias);
        let logits = (0..layout.actions.size()).map(|action| logit(&layout.terms(action), spots.lanes()));
        Self { outputs: layout.spot_outputs(), logits: logits.collect(), spots }
    }

    /// Returns the outputs at all spots of all positions.
    pub fn outputs(&self, features: &[Lane]) -> Vec<Lane> {
        let mut outputs = vec![Lane::ZERO; features.len() / self.spots.input_lanes() * self.spots.lanes()];
        self.spots.forward(features, &mut outputs, Finish::Store);
        outputs
    }

    /// Iterates over the outputs of each position.
    pub fn each<'a>(&self, outputs: &'a [Lane]) -> std::slice::ChunksExact<'a, Lane> {
        outputs.chunks_exact(SPOTS * self.spots.lanes())
    }

    /// Iterates over the outputs of each position.
    pub fn each_mut<'a>(&self, outputs: &'a mut [Lane]) -> std::slice::ChunksExactMut<'a, Lane> {
        outputs.chunks_exact_mut(SPOTS * self.spots.lanes())
    }

    /// Returns the number of logits of a position.
    pub fn num_actions(&self) -> usize {
        self.logits.len()
    }

    /// Appends the logits of one position.
    pub fn append_logits(&self, outputs: &[Lane], seen: Seen, to: &mut Vec<f32>) {
        for logit in &self.logits {
            let mut sum: f32 = logit.spots.iter().map(|&(lane, place)| outputs[lane].0[place]).sum();
            if let Some((line, output)) = logit.line {
                sum += seen.lines[line].0[output];
            }
            if let Some((lane, place)) = logit.question {
                sum += seen.asked.iter().map(|spot| outputs[spot * self.spots.lanes() + lane].0[place]).sum::<f32>();
            }
            to.push(sum);
        }
    }

    /// Passes the gradients of the logits of one position back to the outputs at its spots and of its lines.
    pub fn pass(&self, deltas: &[f32], asked: &[usize], (outputs, lines): (&mut [Lane], &mut [Lane; LINES])) {
        for (logit, delta) in self.logits.iter().zip(deltas).filter(|(_, delta)| **delta != 0.0) {
            for &(lane, place) in &logit.spots {
                outputs[lane].0[place] += delta;
            }
            if let Some((line, output)) = logit.line {
                lines[line].0[output] += delta;
            }
            if let Some((lane, place)) = logit.question {
                for spot in asked {
                    outputs[spot * self.spots.lanes() + lane].0[place] += delta;
                }
            }
        }
    }

    /// Passes the gradients of outputs back to the features, and returns those of the weights by name.
    pub fn learn(&self, features: &[Lane], deltas: &[Lane], back: &mut [Lane]) -> [(String, Array); 2] {
        let mut gradient = self.spots.no_gradient();
        self.spots.learn(features, deltas, &mut gradient);
        self.spots.backward(deltas, back, Finish::Store);
        gradient.named(LayerName::SpotHeads, self.outputs)
    }
}

fn logit(terms: &Terms, lanes: usize) -> Logit {
    let within = |output: usize| (output / LANE, output % LANE);
    let at_spot = |&(spot, output): &(usize, usize)| (spot * lanes + output / LANE, output % LANE);
    Logit { spots: terms.spots.iter().map(at_spot).collect(), line: terms.line, question: terms.question.map(within) }
}

/// The value head.
#[derive(Debug)]
pub struct ValueHead {
    instructions: Instructions,
    /// The inputs: the means of the features, their maxima, the scalars. Each begins a new lane.
    parts: [usize; 3],
    layers: [Dense; 2],
    width: usize,
}

/// What became of positions on their way through the value head.
#[derive(Debug)]
pub struct Valued {
    pooled: Vec<Lane>,
    hidden: Vec<Lane>,
    /// The logits, a lane for each position.
    pub logits: Vec<Lane>,
}

impl ValueHead {
    /// Packs the head.
    pub fn new(weights: &Weights, (features, scalars): (usize, usize), instructions: Instructions) -> Self {
        let [[first, first_bias], [second, second_bias]] =
            [LayerName::ValueHidden, LayerName::ValueOutput].map(|name| weights.layer(name));
        let (parts, width) = ([features, features, scalars], first_bias.len());
        let first = padded_rows(first, &parts, width);
        let layers = [Dense::new(instructions, &first, first_bias), Dense::new(instructions, second, second_bias)];
        Self { instructions, parts, layers, width }
    }

    /// Returns the logits of positions, given the features of their spots and their scalars.
    pub fn forward(&self, features: &[Lane], scalars: &[Vec<f32>]) -> Valued {
        let width = self.parts[0].div_ceil(LANE);
        let mut pooled = vec![Lane::ZERO; scalars.len() * self.layers[0].input_lanes()];
        let positions = features.chunks_exact(SPOTS * width).zip(scalars);
        for (to, (features, scalars)) in pooled.chunks_exact_mut(self.layers[0].input_lanes()).zip(positions) {
            let (spots, rest) = to.split_at_mut(2 * width);
            pool(self.instructions, features, spots);
            for (index, &scalar) in scalars.iter().enumerate() {
                rest[index / LANE].0[index % LANE] = scalar;
            }
        }
        let mut hidden = vec![Lane::ZERO; scalars.len() * self.layers[0].lanes()];
        self.layers[0].forward(&pooled, &mut hidden, Finish::Rectify);
        let mut logits = vec![Lane::ZERO; scalars.len()];
        self.layers[1].forward(&hidden, &mut logits, Finish::Store);
        Valued { pooled, hidden, logits }
    }

    /// Adds the gradients of the logits, a lane for each position, to those of the features; returns those of the weights
    /// by name.
    pub fn learn(
        &self,
        valued: &Valued,
        deltas: &[Lane],
        features: &[Lane],
        back: &mut [Lane],
    ) -> Vec<(String, Array)> {
        let [first, second] = &self.layers;
        let (mut of_first, mut of_second) = (first.no_gradient(), second.no_gradient());
        second.learn(&valued.hidden, deltas, &mut of_second);
        let mut hidden = vec![Lane::ZERO; valued.hidden.len()];
        second.backward(deltas, &mut hidden, Finish::Store);
        pass_rectifier(self.instructions, &valued.hidden, &mut hidden);
        first.learn(&valued.pooled, &hidden, &mut of_first);
        let mut pooled = vec![Lane::ZERO; valued.pooled.len()];
        first.backward(&hidden, &mut pooled, Finish::Store);
        unpool((&pooled, self.layers[0].input_lanes()), features, back, self.parts[0].div_ceil(LANE));
        let mut named = Vec::from(of_first.named_in_parts(LayerName::ValueHidden, &self.parts, self.width));
        named.extend(of_second.named(LayerName::ValueOutput, 3));
        named
    }
}

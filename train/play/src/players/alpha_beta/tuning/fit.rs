//! Logistic regression of results on patterns.

use gipf_env::math::{self, wide};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::super::evaluation::{Layout, View};
use crate::Stop;

/// A position to learn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The evaluation's view of the position.
    pub view: View,
    /// The expected result, for the player to move: 0 for a loss, 1 for a win.
    pub target: f32,
}

/// The settings of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// The number of passes over all examples.
    pub rounds: u32,
    /// The length of the steps, in logits.
    pub rate: f32,
    /// The strength with which weights are drawn to 0 at each example they take part in.
    pub decay: f32,
    /// The seed of the order of the examples.
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self { rounds: 12, rate: 0.05, decay: 1e-5, seed: 1 }
    }
}

/// Weights in logits, and the scale of their steps.
#[derive(Clone, Debug)]
pub struct EvaluationFit {
    layout: Layout,
    weights: Vec<f32>,
    /// The sums of squared gradients (Duchi, Hazan, Singer 2011).
    squares: Vec<f32>,
}

impl EvaluationFit {
    /// Creates an empty fit of the weights of a layout.
    pub fn new(layout: Layout) -> Self {
        let count = layout.count();
        Self { layout, weights: vec![0.0; count], squares: vec![1e-3; count] }
    }

    /// Learns from the examples, each round in another order, and returns whether all rounds are done: none begins once a
    /// stop is requested.
    pub fn learn(&mut self, examples: &[Example], settings: &FitSettings, stop: &Stop) -> bool {
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        let mut order: Vec<u32> = (0..examples.len() as u32).collect();
        let mut numbers = Vec::with_capacity(64);
        for round in 0..settings.rounds {
            if stop.requested() {
                return false;
            }
            order.shuffle(&mut rng);
            // Steps that grow shorter, so that the last examples do not weigh more than the first.
            let rate = settings.rate * (1.0 - round as f32 / settings.rounds as f32);
            for &number in &order {
                self.step(&examples[number as usize], rate, settings.decay, &mut numbers);
            }
        }
        true
    }

    fn step(&mut self, example: &Example, rate: f32, decay: f32, numbers: &mut Vec<u32>) {
        numbers.clear();
        self.layout.for_each(&example.view, |number| numbers.push(number));
        let logit: f32 = numbers.iter().map(|&number| self.weights[number as usize]).sum();
        let error = expected(logit) - example.target;
        for &number in &*numbers {
            let (weight, squares) = (&mut self.weights[number as usize], &mut self.squares[number as usize]);
            let gradient = error + decay * *weight;
            *squares += gradient * gradient;
            *weight -= rate * gradient / squares.sqrt();
        }
    }

    /// Returns the mean cross-entropy of the targets, in nats.
    pub fn loss(&self, examples: &[Example]) -> f64 {
        let loss = |example: &Example| {
            let mut logit = 0.0;
            self.layout.for_each(&example.view, |number| logit += self.weights[number as usize]);
            let (p, target) = (f64::from(expected(logit)).clamp(1e-6, 1.0 - 1e-6), f64::from(example.target));
            -target * wide::ln(p) - (1.0 - target) * wide::ln(1.0 - p)
        };
        examples.iter().map(loss).sum::<f64>() / examples.len().max(1) as f64
    }

    /// Returns the weights in steps of 1/`scale` logits.
    pub fn weights(&self, scale: f32) -> Vec<i16> {
        // The cast from f32 to an integer saturates.
        self.weights.iter().map(|weight| (weight * scale).round() as i16).collect()
    }
}

fn expected(logit: f32) -> f32 {
    1.0 / (1.0 + math::exp(-logit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::bitboard::Bitboard;
    use gipf_env::geometry::Spot;
    use rand::RngExt;

    /// Random boards of single pieces, and results that depend on the centre and the reserves.
    fn examples(count: usize) -> Vec<Example> {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let centre = Bitboard::of(Spot::from_index(18)).bits();
        let mut example = || {
            let mut sets = [0; 3];
            for spot in Spot::all() {
                if let colour @ 0..2 = rng.random_range(0..4) {
                    sets[colour] |= Bitboard::of(spot).bits();
                }
            }
            let reserves = [rng.random_range(0..8), rng.random_range(0..8)];
            let has = |set: u64| f32::from(u8::from(set & centre != 0));
            let logit = 2.0 * (has(sets[0]) - has(sets[1])) + 0.5 * (f32::from(reserves[0]) - f32::from(reserves[1]));
            Example {
                view: View { sets, reserves, rights: [false; 2], potentials: [[0; 2]; 2] },
                target: expected(logit),
            }
        };
        (0..count).map(|_| example()).collect()
    }

    /// The least possible loss: that of exact predictions of every target.
    fn entropy(examples: &[Example]) -> f64 {
        let of = |p: f64| -p * wide::ln(p) - (1.0 - p) * wide::ln(1.0 - p);
        examples.iter().map(|example| of(f64::from(example.target))).sum::<f64>() / examples.len() as f64
    }

    #[test]
    fn what_decides_is_learned_and_equally_from_equal_seeds() {
        let all = examples(24_000);
        let (others, learned) = all.split_at(4_000);
        let (mut fit, mut again) = (EvaluationFit::new(Layout::new()), EvaluationFit::new(Layout::new()));
        let (nothing, least) = (fit.loss(others), entropy(others));
        let stop = Stop::default();
        assert!(fit.learn(learned, &FitSettings::default(), &stop));
        assert!(again.learn(learned, &FitSettings::default(), &stop));
        let found = fit.loss(others);
        assert!(found - least < 0.25 * (nothing - least), "{nothing} to {found}, at least {least}");
        assert_eq!(fit.weights(100.0), again.weights(100.0));
        again.learn(learned, &FitSettings { seed: 2, ..FitSettings::default() }, &stop);
        assert_ne!(fit.weights(100.0), again.weights(100.0));
        let before = again.weights(100.0);
        stop.request();
        assert!(!again.learn(learned, &FitSettings::default(), &stop));
        assert_eq!(again.weights(100.0), before);
    }
}

//! The optimiser: `AdamW` (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019).

use gipf_models::Weights;
use rayon::prelude::*;

use crate::training::settings::OptimizerConfig;

/// The running means of the gradients and of their squares, for each weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    pub first: Weights,
    pub second: Weights,
}

/// One step: the means are corrected for their start at zero, as after `time` steps.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The number of the step, from 1.
    pub time: u64,
    /// The factor by which the gradient is scaled.
    pub scale: f32,
    pub learning_rate: f64,
}

impl Moments {
    /// Returns the moments of weights before the first step.
    pub fn of(weights: &Weights) -> Self {
        let mut zeros = weights.clone();
        zeros.0.values_mut().for_each(|array| array.values.fill(0.0));
        Self { first: zeros.clone(), second: zeros }
    }

    /// Returns the largest mean of squared gradients; 0 before the first step.
    pub fn largest(&self) -> f32 {
        self.second.0.values().flat_map(|array| &array.values).fold(0.0, |most, value| most.max(*value))
    }

    /// Moves weights against a gradient.
    pub fn step(&mut self, config: &OptimizerConfig, step: Step, weights: &mut Weights, gradient: &Weights) {
        let numbers = Numbers::of(config, step);
        let moments = self.first.0.values_mut().zip(self.second.0.values_mut());
        let arrays: Vec<_> = moments.zip(weights.0.values_mut().zip(gradient.0.values())).collect();
        arrays.into_par_iter().for_each(|((first, second), (weights, gradient))| {
            let moments = first.values.iter_mut().zip(&mut second.values);
            let weights = weights.values.iter_mut().zip(&gradient.values);
            for ((first, second), (weight, gradient)) in moments.zip(weights) {
                numbers.step(first, second, weight, *gradient);
            }
        });
    }
}

/// The numbers that are the same for all weights.
struct Numbers {
    scale: f32,
    betas: [f32; 2],
    corrections: [f32; 2],
    epsilon: f32,
    kept: f32,
    learning_rate: f32,
}

impl Numbers {
    fn of(config: &OptimizerConfig, Step { time, scale, learning_rate }: Step) -> Self {
        let betas = [config.beta_1, config.beta_2];
        Self {
            scale,
            betas,
            corrections: betas.map(|beta| 1.0 - power(beta, time)),
            epsilon: config.epsilon,
            kept: (1.0 - learning_rate * f64::from(config.weight_decay)) as f32,
            learning_rate: learning_rate as f32,
        }
    }

    #[inline]
    fn step(&self, first: &mut f32, second: &mut f32, weight: &mut f32, gradient: f32) {
        let gradient = gradient * self.scale;
        let [beta_1, beta_2] = self.betas;
        *first = *first * beta_1 + gradient * (1.0 - beta_1);
        *second = *second * beta_2 + gradient * gradient * (1.0 - beta_2);
        let [first, second] = [*first / self.corrections[0], *second / self.corrections[1]];
        let delta = first / (second.sqrt() + self.epsilon);
        *weight = *weight * self.kept - delta * self.learning_rate;
    }
}

/// Moves an average of weights towards the weights; the share `kept` of the average remains.
pub fn average(average: &mut Weights, weights: &Weights, kept: f32) {
    for (average, weights) in average.0.values_mut().zip(weights.0.values()) {
        for (average, weight) in average.values.iter_mut().zip(&weights.values) {
            *average = *average * kept + weight * (1.0 - kept);
        }
    }
}

/// Returns the Euclidean norm of all numbers.
pub fn norm(numbers: &Weights) -> f32 {
    let squares = |values: &[f32]| values.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>();
    numbers.0.values().map(|array| squares(&array.values)).sum::<f64>().sqrt() as f32
}

/// Returns the power of a number, the same on every machine.
fn power(mut base: f32, mut times: u64) -> f32 {
    let mut result = 1.0;
    while times > 0 {
        result *= if times % 2 == 1 { base } else { 1.0 };
        base *= base;
        times /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gipf_models::Array;

    use super::*;

    fn named(values: &[f32]) -> Weights {
        let array = Array { shape: vec![values.len()], values: values.to_vec() };
        Weights(BTreeMap::from([("weights".to_owned(), array)]))
    }

    /// Algorithm 2 of the paper, in f64.
    #[test]
    fn weights_move_as_the_paper_says() {
        let config = OptimizerConfig { weight_decay: 0.01, ..OptimizerConfig::default() };
        let (rate, scale, start) = (0.003, 0.5, [0.5, -1.5, 2.0, 0.0]);
        let mut weights = named(&start);
        let mut moments = Moments::of(&weights);
        let (mut expected, mut means) = (start.map(f64::from), [[0.0_f64; 2]; 4]);
        for time in 1..=200_u8 {
            let gradient = [0.3, -0.01 * f32::from(time), 1e-6, if time % 3 == 0 { 2.0 } else { -1.0 }];
            moments.step(
                &config,
                Step { time: time.into(), scale, learning_rate: rate },
                &mut weights,
                &named(&gradient),
            );
            for ((weight, [first, second]), gradient) in expected.iter_mut().zip(&mut means).zip(gradient) {
                let gradient = f64::from(gradient * scale);
                *first = 0.9 * *first + 0.1 * gradient;
                *second = 0.999 * *second + 0.001 * gradient * gradient;
                let [one, two] =
                    [(*first, 0.9_f64), (*second, 0.999)].map(|(mean, beta)| mean / (1.0 - beta.powi(time.into())));
                *weight -= rate * (one / (two.sqrt() + 1e-5) + 0.01 * *weight);
            }
        }
        for (found, expected) in weights.0["weights"].values.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() <= 1e-4 * expected.abs() + 1e-5, "{found} {expected}");
        }
    }

    #[test]
    fn an_average_forgets_what_it_does_not_keep() {
        let mut mean = named(&[1.0, 2.0]);
        average(&mut mean, &named(&[3.0, 2.0]), 0.75);
        assert_eq!(mean, named(&[1.5, 2.0]));
        assert_eq!(norm(&named(&[3.0, -4.0])), 5.0);
    }
}

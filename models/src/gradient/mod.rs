//! Learning on the CPU without a tensor library: the gradient of the line network's loss, layer by layer. [`Method`] is
//! this gradient, or automatic differentiation for networks and devices without one.
//!
//! The forward pass is that of the engines in [`crate::infer`], with all intermediate results kept; here is the
//! backward pass, with a counterpart for each of their layers. It uses the same vector kernels, so its bits are the
//! same with any instructions. `net` holds the same network for automatic differentiation; tests check that both agree.

mod dense;
mod global;
mod heads;
mod layers;
mod line_encoder;
mod loss;
mod method;
mod mixing;
mod occurrences;
mod pooling;
pub(crate) mod spots;
mod trunk;

use rayon::prelude::*;

use crate::batch::Batch;
use crate::config::{LineConfig, NetConfig, NetKind};
use crate::infer::{EngineOptions, Instructions, Precision};
use crate::losses::Losses;
use crate::observed::Observed;
use crate::patterns::Patterns;
use crate::weights::Weights;
use layers::Layers;
use occurrences::{Occurrences, SpotDeltas};
use trunk::Positions;

pub use method::{Method, MethodMissing};

pub(crate) use global::GlobalBack;
pub(crate) use mixing::MixingBack;

/// Computes gradients of one line network.
#[derive(Clone, Debug)]
pub struct LineGradient {
    observed: Observed,
    config: NetConfig,
    sizes: LineConfig,
    instructions: Instructions,
}

/// How the gradient of a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientConfig {
    /// The number of shards of the batch that are computed in parallel, at least 1; their gradients are added up in
    /// order, so another number of them rounds differently.
    pub shards: usize,
    /// The weight of the value's cross-entropy beside the policy's.
    pub value_weight: f32,
}

/// The losses of a network on a batch, and how its weights should change.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The losses; the norm of the gradient is not measured.
    pub losses: Losses,
    /// The gradient of the loss with respect to each weight.
    pub gradient: Weights,
}

/// The fewest positions whose patterns are worth a task of their own.
const SIDE_BY_SIDE: usize = 32;

impl LineGradient {
    /// Returns what computes the gradients of a valid network, if it is a line network.
    pub fn of(config: &NetConfig) -> Option<Self> {
        let NetKind::Line(sizes) = &config.net else { return None };
        Some(Self {
            observed: Observed::new(config),
            config: config.clone(),
            sizes: sizes.clone(),
            instructions: Instructions::detect(),
        })
    }

    /// Returns the losses of the weights on a batch, and the gradient of its policy's cross-entropy plus `value_weight`
    /// times that of its value. Shards of the batch are computed in parallel, and so are the patterns on its lines;
    /// their gradients are added up in order.
    ///
    /// # Panics
    /// If the weights are not those of the network, or the batch is empty or has other shapes.
    pub fn gradient(&self, weights: &Weights, batch: &Batch, how: GradientConfig) -> Answer {
        let GradientConfig { shards, value_weight } = how;
        batch.assert_shape(self.observed.size(), self.config.actions.size());
        let options = EngineOptions { instructions: self.instructions, precision: Precision::F32 };
        let (layers, patterns) =
            rayon::join(|| Layers::new(weights, &self.config, &self.sizes, options), || self.patterns(&batch.planes));
        let readings: Vec<_> = layers.encoders.par_iter().map(|encoder| encoder.read(&patterns, shards)).collect();
        let parts = batch.parts(shards);
        let each = parts[0].size;
        let answers = parts.par_iter().enumerate().map(|(number, part)| {
            let positions = Positions { patterns: &patterns, first: number * each };
            layers.answer(&readings, positions, part, value_weight)
        });
        let mut answers: Vec<_> = answers.collect();
        let deltas: Vec<SpotDeltas> = answers.iter_mut().map(|answer| std::mem::take(&mut answer.deltas)).collect();
        let of_encoders = layers.encoders.par_iter().zip(&readings).enumerate().map(|(number, (encoder, reading))| {
            let (occurrences, lanes) = (Occurrences::of(&patterns, number), encoder.row_lanes());
            encoder.learn(reading, |first, rows| occurrences.gather(&deltas, each, first, rows, lanes))
        });
        let of_encoders: Vec<_> = of_encoders.collect();
        let (sum, others) = answers.split_first_mut().expect("a batch has a part");
        for other in others {
            sum.add(other);
        }
        let mut gradient = std::mem::take(&mut sum.gradient);
        gradient.extend(of_encoders.into_iter().flatten());
        Answer { losses: sum.losses, gradient: Weights(gradient) }
    }

    fn patterns(&self, planes: &[f32]) -> Patterns {
        let planes = planes.par_chunks_exact(self.observed.size()).with_min_len(SIDE_BY_SIDE);
        let on_lines: Vec<_> = planes.map(|planes| self.observed.patterns(self.instructions, planes)).collect();
        Patterns::new(self.observed.states(), &on_lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;
    #[cfg(feature = "burn")]
    use crate::testing::close;
    use crate::testing::{random_batch, uneven_weights};

    #[cfg(feature = "burn")]
    fn by_differentiation(config: &NetConfig, batch: &Batch, value_weight: f32) -> Answer {
        let automatic = crate::net::AutoGradient::new(config, crate::DeviceKind::Cpu).unwrap();
        automatic.gradient(&uneven_weights(config), batch, GradientConfig { shards: 1, value_weight })
    }

    #[cfg(feature = "burn")]
    fn numbers(losses: &Losses) -> [f32; 6] {
        let Losses { policy, value, policy_entropy, target_entropy, value_error, accuracy, .. } = *losses;
        [policy, value, policy_entropy, target_entropy, value_error, accuracy]
    }

    fn line_configs() -> Vec<NetConfig> {
        small_configs().into_iter().filter(|config| LineGradient::of(config).is_some()).collect()
    }

    #[cfg(feature = "burn")]
    #[test]
    fn gradients_are_those_of_automatic_differentiation() {
        for config in line_configs() {
            let batch = random_batch(&config, 70, 3);
            let expected = by_differentiation(&config, &batch, 1.5);
            for parts in [1, 2, 3] {
                let found = LineGradient::of(&config).unwrap().gradient(
                    &uneven_weights(&config),
                    &batch,
                    GradientConfig { shards: parts, value_weight: 1.5 },
                );
                close("losses", &numbers(&found.losses), &numbers(&expected.losses), 1e-4);
                assert!(found.gradient.0.keys().eq(expected.gradient.0.keys()));
                for (name, array) in &found.gradient.0 {
                    assert_eq!(array.shape, expected.gradient.0[name].shape, "{name}");
                    close(name, &array.values, &expected.gradient.0[name].values, 1e-4);
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
                gradient.gradient(&uneven_weights(&config), &batch, GradientConfig { shards: 2, value_weight: 1.0 })
            });
            answers.reduce(|one, other| if one == other { one } else { panic!("{config:?}") });
        }
    }
}

//! Random observations and samples for tests.

#[cfg(feature = "learn")]
use rand::{RngExt, SeedableRng};
#[cfg(feature = "learn")]
use rand_chacha::ChaCha8Rng;

#[cfg(feature = "learn")]
use crate::batch::Batch;
#[cfg(feature = "learn")]
use crate::config::NetConfig;
pub use crate::probe::random_planes;
#[cfg(feature = "learn")]
use crate::weights::Weights;

/// Draws n samples with soft targets, some of them without weight.
#[cfg(feature = "learn")]
pub fn random_batch(config: &NetConfig, n: usize, seed: u64) -> Batch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut batch = Batch { size: n, planes: random_planes(config, n, &mut rng), ..Batch::default() };
    for _ in 0..n {
        let legal: Vec<bool> = (0..config.actions.size()).map(|action| action == 0 || rng.random()).collect();
        let policy: Vec<f32> =
            legal.iter().map(|&legal| if legal { rng.random::<f32>().powi(4) } else { 0.0 }).collect();
        let wdl: Vec<f32> = (0..3).map(|_| rng.random::<f32>()).collect();
        batch.legal.extend(legal);
        for (to, row) in [(&mut batch.policy, policy), (&mut batch.wdl, wdl)] {
            let sum: f32 = row.iter().sum();
            to.extend(row.iter().map(|value| value / sum));
        }
        batch.policy_weight.push(if rng.random() { 1.0 } else { 0.0 });
        batch.value_weight.push(rng.random());
    }
    batch.policy_weight[0] = 1.0;
    batch
}

/// Returns weights larger than at the start, so that all parts of the network matter, and biases that differ, so that
/// no two spots have features that are equal up to rounding: the gradient of a maximum goes to only one of them.
#[cfg(feature = "learn")]
pub fn uneven_weights(config: &NetConfig) -> Weights {
    let mut weights = Weights::initial(config, 4);
    for array in weights.0.values_mut() {
        for (number, value) in array.values.iter_mut().enumerate() {
            *value = *value * 1.7 + (number % 89) as f32 * 2e-4;
        }
    }
    weights
}

/// Asserts that numbers differ by no more than this share of the largest expected one.
#[cfg(feature = "burn")]
pub fn close(what: &str, found: &[f32], expected: &[f32], share: f32) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0, |most: f32, value| most.max(value.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= share * scale, "{what}: {found} {expected} of {scale}");
    }
}

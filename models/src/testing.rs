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

//! Random observations and samples for tests.

use rand::RngExt;
#[cfg(feature = "learn")]
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[cfg(feature = "learn")]
use crate::batch::Batch;
use crate::config::NetConfig;

/// Draws n observations: at most one piece on a cell, few marks, at most one question, any scalars.
pub fn random_planes(config: &NetConfig, n: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let layout = &config.layout;
    let area = layout.rows * layout.columns;
    let mut all = vec![0.0; n * layout.size()];
    for planes in all.chunks_exact_mut(layout.size()) {
        let filled = rng.random::<f32>();
        for &cell in &layout.cells {
            if layout.pieces > 0 && rng.random::<f32>() < filled {
                planes[rng.random_range(0..layout.pieces) * area + cell] = 1.0;
            }
            for mark in layout.pieces..layout.pieces + layout.marks {
                planes[mark * area + cell] = if rng.random::<f32>() < 0.1 { 0.5 } else { 0.0 };
            }
        }
        if layout.marks > 0 && rng.random() {
            let cell = layout.cells[rng.random_range(0..layout.cells.len())];
            planes[(layout.pieces + layout.marks - 1) * area + cell] = 1.0;
        }
        for plane in planes.chunks_exact_mut(area).skip(layout.pieces + layout.marks) {
            plane.fill(rng.random::<f32>() - 0.5);
        }
    }
    all
}

/// Draws n samples with soft targets, some of them without weight.
#[cfg(feature = "learn")]
pub fn random_batch(config: &NetConfig, n: usize, seed: u64) -> Batch {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut batch = Batch { size: n, planes: random_planes(config, n, &mut rng), ..Batch::default() };
    for _ in 0..n {
        let legal: Vec<bool> = (0..config.num_actions).map(|action| action == 0 || rng.random()).collect();
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

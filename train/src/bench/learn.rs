//! How many samples a network learns from per second.

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Batch, DeviceKind, NetConfig};
use serde::Serialize;

use super::positions::{planes, random_positions};
use super::{Measurement, in_rounds, timed};
use crate::training::{Learner, LearnerError, OptimizerConfig};

/// A network whose samples are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its name.
    pub network: String,
    /// The rule set.
    pub variant: Variant,
    /// Samples of a step.
    pub batch: usize,
    /// The device on which it learns.
    pub device: DeviceKind,
}

/// Steps of a round.
const STEPS: usize = 8;

/// Takes steps on positions of random games with even targets, on this many threads.
///
/// # Errors
/// If the device is missing, or the loss is not finite.
pub fn measure(
    subject: Subject,
    config: &NetConfig,
    threads: usize,
    rounds: usize,
) -> Result<Measurement<Subject>, LearnerError> {
    let positions = random_positions(subject.variant, STEPS * subject.batch);
    let batches: Vec<_> = positions.chunks_exact(subject.batch).map(|positions| batch(config, positions)).collect();
    let processor = OptimizerConfig::default();
    // A GPU computes one gradient at a time.
    let gradient_shards = if subject.device == DeviceKind::Cpu { processor.gradient_shards } else { 1 };
    let optimizer = OptimizerConfig { device: subject.device, gradient_shards, ..processor };
    let start = Learner::new(config, &optimizer, 1)?;
    let mut failure = None;
    let rounds = in_rounds(threads, rounds + 1, || {
        let mut learner = start.clone();
        timed(|| {
            let mut fingerprint = 0_u64;
            for batch in &batches {
                match learner.train_step(batch, 1e-3) {
                    Ok(losses) => {
                        fingerprint = fingerprint.wrapping_mul(3).wrapping_add(losses.policy.to_bits().into());
                    }
                    Err(error) => failure = Some(error),
                }
            }
            ((STEPS * subject.batch) as u64, fingerprint)
        })
    });
    // The first round is left out: it also allocates what later rounds reuse.
    match failure {
        Some(error) => Err(error),
        None => Ok(Measurement::of(subject, threads, "samples", &rounds[1..])),
    }
}

fn batch(config: &NetConfig, positions: &[GipfPosition]) -> Batch {
    let (size, actions) = (positions.len(), config.actions.size());
    let mut batch = Batch {
        size,
        planes: planes(positions),
        legal: vec![false; size * actions],
        policy_weight: vec![1.0; size],
        value_weight: vec![1.0; size],
        ..Batch::default()
    };
    for (position, legal) in positions.iter().zip(batch.legal.chunks_exact_mut(actions)) {
        position.action_mask(legal);
        let even = 1.0 / position.num_legal_actions() as f32;
        batch.policy.extend(legal.iter().map(|&legal| if legal { even } else { 0.0 }));
        batch.wdl.extend([0.5, 0.2, 0.3]);
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::super::positions::network;
    use super::*;

    #[test]
    fn a_network_is_measured() {
        let config = network("line", Variant::STANDARD).unwrap();
        let subject =
            Subject { network: "line".to_owned(), variant: Variant::STANDARD, batch: 16, device: DeviceKind::Cpu };
        let measured = measure(subject, &config, 1, 2).unwrap();
        assert!(measured.count == 128 && measured.per_core > 0.0, "{measured:?}");
    }
}

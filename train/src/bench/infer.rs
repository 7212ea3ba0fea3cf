//! How many positions a network evaluates per second, without burn.

use std::hint::black_box;

use gipf_env::Variant;
use gipf_models::{Engine, EngineOptions, NetConfig, Precision, Scratch, Weights};
use serde::Serialize;

use super::positions::{planes, random_positions};
use super::{Measurement, Round, in_rounds, timed};

/// A network whose evaluations are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its name.
    pub network: String,
    /// The rule set.
    pub variant: Variant,
    /// The precision with which it computes.
    pub precision: Precision,
    /// Positions evaluated together.
    pub batch: usize,
}

/// The positions of a round: few enough for their planes to stay in the caches, as do those of a search, which have
/// just been written.
pub(super) const POSITIONS: usize = 1024;
/// The seed of the weights.
pub(super) const SEED: u64 = 1;

/// Evaluates positions of random games, batch by batch, on one thread, with the initial weights of a network.
///
/// # Panics
/// If the batch does not divide the 1024 positions of a round, or the network is not for the rule set.
pub fn measure(subject: Subject, config: &NetConfig, rounds: usize) -> Measurement<Subject> {
    let options = EngineOptions { precision: subject.precision, ..EngineOptions::default() };
    let engine = Engine::with_options(&Weights::initial(config, SEED), config, options);
    let engine = engine.expect("the weights are the network's");
    let planes = planes(&random_positions(subject.variant, POSITIONS));
    let (mut scratch, batch) = (Scratch::default(), subject.batch);
    let (mut logits, mut wdl) = (vec![0.0; batch * config.actions.size()], vec![0.0; batch * 3]);
    let mut round = || {
        timed(|| {
            let (mut count, mut fingerprint) = (0, 0_u64);
            for planes in planes.chunks_exact(batch * config.layout.size()) {
                engine.forward(&mut scratch, planes, batch, &mut logits, black_box(&mut wdl));
                count += batch as u64;
                fingerprint = fingerprint.wrapping_mul(3).wrapping_add(u64::from(wdl[0].to_bits()));
            }
            (count, fingerprint)
        })
    };
    round();
    let rounds: Vec<Round> = in_rounds(1, rounds, round);
    Measurement::of(subject, 1, "evaluations", &rounds)
}

#[cfg(test)]
mod tests {
    use super::super::positions::{NETWORKS, network};
    use super::*;

    #[test]
    fn every_network_is_measured() {
        for name in NETWORKS {
            let config = network(name, Variant::BASIC).unwrap();
            for precision in [Precision::F32, Precision::Int8] {
                let subject = Subject { network: name.to_owned(), variant: Variant::BASIC, precision, batch: 64 };
                let measured = measure(subject, &config, 2);
                assert!(measured.count == POSITIONS as u64 && measured.per_core > 0.0, "{measured:?}");
            }
        }
    }
}

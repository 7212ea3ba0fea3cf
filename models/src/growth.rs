//! Networks that grow: larger ones that begin with what a smaller one has learned.

use crate::config::{LineConfig, NetConfig, NetKind};
use crate::weights::{Array, Weights};

impl Weights {
    /// Returns weights with which the network `to` answers exactly as `from` does with these, bit for bit.
    ///
    /// A line network grows by global pooling, by the paths of pushes, and by mixing steps before those that it has. What they
    /// add is nothing at first, and features are not negative there, so that the rectifiers behind them change nothing (Chen,
    /// Goodfellow, Shlens, *Accelerating learning via knowledge transfer*, 2016). All else that is new comes from the seed.
    ///
    /// # Panics
    /// If `from` does not grow to `to` ([`NetConfig::grows_to`]).
    pub fn grown(&self, from: &NetConfig, to: &NetConfig, seed: u64) -> Self {
        let new_steps = new_steps(from, to).expect("one network grows to the other");
        let mut grown = Self::initial(to, seed);
        for (name, array) in &self.0 {
            let place = grown.0.get_mut(&shifted(name, new_steps)).expect("what is there stays");
            *place = widened(array, &place.shape);
        }
        let is_new = |name: &str| !self.0.contains_key(name);
        let silent = (0..new_steps).map(|step| format!("mixing.{step}.spread"));
        let silent = silent.chain(is_new("global.bias").then(|| "global".to_owned()));
        for layer in silent {
            for part in ["weight", "bias"] {
                if let Some(array) = grown.0.get_mut(&format!("{layer}.{part}")) {
                    array.values.fill(0.0);
                }
            }
        }
        grown
    }
}

impl NetConfig {
    /// Returns whether another network can begin with what this one has learned: itself, or a line network with more mixing
    /// steps, global pooling or the paths of pushes.
    pub fn grows_to(&self, to: &Self) -> bool {
        self == to || new_steps(self, to).is_some()
    }
}

/// Returns how many mixing steps one network has before those of another; none if it differs in anything but what networks
/// grow by.
fn new_steps(from: &NetConfig, to: &NetConfig) -> Option<usize> {
    let (NetKind::Line(small), NetKind::Line(large)) = (&from.net, &to.net) else { return None };
    let new_steps = large.mixing.len().checked_sub(small.mixing.len())?;
    let kept = LineConfig {
        global_pooling: small.global_pooling,
        push_paths: small.push_paths,
        mixing: large.mixing[new_steps..].to_vec(),
        ..large.clone()
    };
    let same_game = (&from.layout, from.num_actions) == (&to.layout, to.num_actions);
    let keeps = small.global_pooling <= large.global_pooling && small.push_paths <= large.push_paths;
    (same_game && kept == *small && keeps).then_some(new_steps)
}

/// Returns an array with as many columns as a shape says, the new ones at the end and zero.
fn widened(array: &Array, shape: &[usize]) -> Array {
    let [old, new] = [&array.shape[..], shape].map(|shape| *shape.last().expect("weights have columns"));
    let row = |row: &[f32]| row.iter().copied().chain(std::iter::repeat_n(0.0, new - old)).collect::<Vec<_>>();
    Array { shape: shape.to_vec(), values: array.values.chunks_exact(old).flat_map(row).collect() }
}

/// Returns the name of a tensor behind so many more mixing steps.
fn shifted(name: &str, steps: usize) -> String {
    let Some((step, layer)) = name.strip_prefix("mixing.").and_then(|rest| rest.split_once('.')) else {
        return name.to_owned();
    };
    let step: usize = step.parse().expect("mixing steps are numbered");
    format!("mixing.{}.{layer}", step + steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{gipf_layout, small_configs};
    use crate::infer::{Engine, EngineOptions, Precision, Scratch};
    use crate::testing::random_batch;

    fn line(global_pooling: bool, mixing: &[usize]) -> NetConfig {
        let (mixing, push_paths) = (mixing.to_vec(), mixing.len() >= 2);
        let line = LineConfig { features: 20, hidden: 24, global_pooling, mixing, value_hidden: 20, push_paths };
        NetConfig { net: NetKind::Line(line), layout: gipf_layout(4, 2, 5), num_actions: 65 }
    }

    fn answers(config: &NetConfig, weights: &Weights, precision: Precision) -> (Vec<f32>, Vec<f32>) {
        let options = EngineOptions { precision, ..EngineOptions::default() };
        let engine = Engine::with_options(weights, config, options).unwrap();
        let batch = random_batch(config, 30, 8);
        let (mut logits, mut wdl) = (vec![0.0; 30 * config.num_actions], vec![0.0; 90]);
        engine.forward(&mut Scratch::default(), &batch.planes, 30, &mut logits, &mut wdl);
        (logits, wdl)
    }

    #[test]
    fn grown_networks_answer_as_before_bit_for_bit() {
        for (from, to) in [
            (line(false, &[12]), line(true, &[12])),
            (line(false, &[12]), line(false, &[40, 12])),
            (line(false, &[]), line(true, &[7, 9])),
            (line(true, &[12, 16]), line(true, &[8, 12, 16])),
        ] {
            let small = Weights::initial(&from, 3);
            let large = small.grown(&from, &to, 4);
            assert_eq!(large.check(&to), Ok(()));
            for precision in [Precision::Bytes, Precision::Floats] {
                assert_eq!(answers(&from, &small, precision), answers(&to, &large, precision), "{to:?}");
            }
            let learnable = |name: &str| large.0[name].values.iter().any(|&value| value != 0.0);
            assert!((0..to_steps(&to)).all(|step| learnable(&format!("mixing.{step}.gather.weight"))));
        }
    }

    fn to_steps(config: &NetConfig) -> usize {
        let NetKind::Line(line) = &config.net else { unreachable!("a line network") };
        line.mixing.len()
    }

    #[test]
    fn networks_do_not_grow_to_smaller_or_other_ones() {
        let from = line(true, &[12, 16]);
        let weights = Weights::initial(&from, 3);
        for to in [line(false, &[12, 16]), line(true, &[16]), line(true, &[12, 16, 8]), line(true, &[12, 20])] {
            assert!(!from.grows_to(&to), "{to:?}");
        }
        let others = small_configs();
        assert!(others.iter().all(|to| !from.grows_to(to) && to.grows_to(to)));
        assert_eq!(weights.grown(&from, &from, 4), weights);
    }
}

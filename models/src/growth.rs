//! Networks that grow: larger ones that start from a smaller one's weights.

use crate::config::{LineConfig, NetConfig, NetKind};
use crate::names::{LayerName, TensorName};
use crate::parameters::{Parameter, parameters};
use crate::weights::{Array, Weights, WeightsError};

/// The seed of the new layers that do not start with zeros.
const SEED: u64 = 1;

impl NetConfig {
    /// Returns whether another network can start from this one's weights: itself, or a line network with more mixing
    /// steps, global pooling or push paths.
    pub fn grows_to(&self, to: &Self) -> bool {
        self == to || new_steps(self, to).is_some()
    }
}

impl Weights {
    /// Returns weights with which the network `to` gives the same outputs as `from` with these, bit for bit.
    ///
    /// A line network grows by global pooling, by push paths, and by mixing steps before those that it has. They add
    /// nothing at first, and features are not negative there, so that the rectifiers after them change nothing (Chen,
    /// Goodfellow, Shlens, *Accelerating learning via knowledge transfer*, 2016).
    ///
    /// # Errors
    /// If these are not weights of `from`.
    ///
    /// # Panics
    /// If `from` does not grow to `to` ([`NetConfig::grows_to`]).
    pub fn grown(&self, from: &NetConfig, to: &NetConfig) -> Result<Self, WeightsError> {
        self.check(from)?;
        if from == to {
            return Ok(self.clone());
        }
        let new_steps = new_steps(from, to).expect("one network grows to the other");
        let mut grown = Self::initial(to, SEED);
        for Parameter { name, .. } in
            parameters(to).into_iter().filter(|parameter| is_silent(parameter.name, new_steps))
        {
            grown.get_mut(name).values.fill(0.0);
        }
        for Parameter { name, .. } in parameters(from) {
            let place = grown.get_mut(name.behind(new_steps));
            *place = widened(self.get(name), &place.shape);
        }
        Ok(grown)
    }
}

/// Returns whether a tensor must be zero at first if it is new, so that its layer adds nothing.
fn is_silent(name: TensorName, new_steps: usize) -> bool {
    let (TensorName::Weight(layer) | TensorName::Bias(layer)) = name else { return false };
    layer == LayerName::Global || matches!(layer, LayerName::Spread(step) if step < new_steps)
}

/// Returns how many mixing steps one network has before those of another; none if it differs in anything by which
/// networks do not grow.
fn new_steps(from: &NetConfig, to: &NetConfig) -> Option<usize> {
    let (NetKind::Line(small), NetKind::Line(large)) = (&from.net, &to.net) else { return None };
    let new_steps = large.mixing.len().checked_sub(small.mixing.len())?;
    let kept = LineConfig {
        global_pooling: small.global_pooling,
        push_paths: small.push_paths,
        mixing: large.mixing[new_steps..].to_vec(),
        ..large.clone()
    };
    let same_game = (&from.layout, from.actions) == (&to.layout, to.actions);
    let keeps = small.global_pooling <= large.global_pooling && small.push_paths <= large.push_paths;
    (same_game && kept == *small && keeps).then_some(new_steps)
}

/// Returns an array with as many columns as a shape says, the new ones at the end and zero.
fn widened(array: &Array, shape: &[usize]) -> Array {
    let [old, new] = [&array.shape[..], shape].map(|shape| *shape.last().expect("weights have columns"));
    let row = |row: &[f32]| row.iter().copied().chain(std::iter::repeat_n(0.0, new - old)).collect::<Vec<_>>();
    Array { shape: shape.to_vec(), values: array.values.chunks_exact(old).flat_map(row).collect() }
}

#[cfg(test)]
mod tests {
    use gipf_env::ActionSpace;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::config::tests::{gipf_layout, small_configs};
    use crate::infer::{Engine, EngineOptions, Precision, Scratch};
    use crate::testing::random_planes;

    fn line(actions: ActionSpace, (global_pooling, push_paths): (bool, bool), mixing: &[usize]) -> NetConfig {
        let mixing = mixing.to_vec();
        let line = LineConfig { features: 20, hidden: 24, global_pooling, mixing, push_paths, ..LineConfig::default() };
        NetConfig { net: NetKind::Line(line), layout: gipf_layout(2, 1, 5), actions }
    }

    fn answers(config: &NetConfig, weights: &Weights, precision: Precision) -> (Vec<f32>, Vec<f32>) {
        let options = EngineOptions { precision, ..EngineOptions::default() };
        let engine = Engine::with_options(weights, config, options).unwrap();
        let planes = random_planes(config, 30, &mut ChaCha8Rng::seed_from_u64(8));
        let (mut logits, mut wdl) = (vec![0.0; 30 * config.actions.size()], vec![0.0; 90]);
        engine.forward(&mut Scratch::default(), &planes, 30, &mut logits, &mut wdl);
        (logits, wdl)
    }

    #[test]
    fn grown_networks_answer_as_before_bit_for_bit() {
        const NONE: (bool, bool) = (false, false);
        for actions in ActionSpace::ALL {
            for ((from, from_steps), (to, to_steps)) in [
                ((NONE, &[12][..]), ((true, false), &[12][..])),
                ((NONE, &[12]), ((false, true), &[12])),
                ((NONE, &[12]), (NONE, &[40, 12])),
                ((NONE, &[]), ((true, true), &[7, 9])),
                (((true, false), &[12, 16]), ((true, true), &[8, 12, 16])),
            ] {
                let [from, to] =
                    [(from, from_steps), (to, to_steps)].map(|(additions, mixing)| line(actions, additions, mixing));
                let small = Weights::initial(&from, 3);
                let large = small.grown(&from, &to).unwrap();
                assert_eq!(large.check(&to), Ok(()));
                for precision in [Precision::Int8, Precision::F32] {
                    assert_eq!(answers(&from, &small, precision), answers(&to, &large, precision), "{to:?}");
                }
                // A layer with zero inputs and zero outputs would never learn.
                let hears = |step| large.layer(LayerName::Gather(step))[0].iter().any(|&w| w != 0.0);
                assert!((0..to_steps.len()).all(hears));
            }
        }
    }

    #[test]
    fn networks_do_not_grow_to_smaller_or_other_ones() {
        let from = line(ActionSpace::STANDARD, (true, true), &[12, 16]);
        for to in [
            line(ActionSpace::STANDARD, (false, true), &[12, 16]),
            line(ActionSpace::STANDARD, (true, false), &[12, 16]),
            line(ActionSpace::STANDARD, (true, true), &[16]),
            line(ActionSpace::STANDARD, (true, true), &[12, 16, 8]),
            line(ActionSpace::STANDARD, (true, true), &[12, 20]),
            line(ActionSpace::TOURNAMENT, (true, true), &[12, 16]),
        ] {
            assert!(!from.grows_to(&to), "{to:?}");
        }
        for config in small_configs() {
            assert!(!from.grows_to(&config) && config.grows_to(&config));
            let weights = Weights::initial(&config, 3);
            assert_eq!(weights.grown(&config, &config), Ok(weights));
        }
    }

    #[test]
    fn weights_of_another_network_are_refused() {
        let [from, to] =
            [false, true].map(|global_pooling| line(ActionSpace::STANDARD, (global_pooling, false), &[12]));
        let mut weights = Weights::initial(&from, 3);
        weights.0.remove("value.0.bias");
        assert_eq!(weights.grown(&from, &to), Err(WeightsError::Missing("value.0.bias".to_owned())));
    }
}

//! Networks that grow: larger ones that start from a smaller one's weights.

use crate::board::{LENGTHS, TAPS};
use crate::config::{LineConfig, NetConfig, NetKind};
use crate::names::{LayerName, TensorName};
use crate::parameters::{Parameter, parameters};
use crate::weights::{Array, Weights, WeightsError};

impl NetConfig {
    /// Returns whether another network can start from this one's weights: itself, or a line network with wider layers, more
    /// mixing steps, global pooling or push paths.
    pub fn grows_to(&self, to: &Self) -> bool {
        self == to || new_steps(self, to).is_some()
    }
}

impl Weights {
    /// Returns weights with which the network `to` gives the same outputs as `from` with these, bit for bit. With more
    /// features or wider mixing steps, outputs at `Precision::Int8`, which rounds by the largest number of a layer, are
    /// the same within that rounding.
    ///
    /// A line network grows by wider layers, by global pooling, by push paths, and by mixing steps before those that it has.
    /// New units, whose weights are drawn with the seed, read the existing ones, but no existing unit reads them at
    /// first (as in Chen, Goodfellow, Shlens, *Accelerating learning via knowledge transfer*, 2016, but with zeros
    /// where the paper divides the weights of copies). New steps add nothing at first, and features are not negative
    /// there, so that the rectifiers after them change nothing.
    ///
    /// # Errors
    /// If these are not weights of `from`.
    ///
    /// # Panics
    /// If a line network `from` does not grow to `to` ([`NetConfig::grows_to`]); the weights of others are returned as
    /// they are.
    pub fn grown(&self, from: &NetConfig, to: &NetConfig, seed: u64) -> Result<Self, WeightsError> {
        self.check(from)?;
        let (NetKind::Line(small), NetKind::Line(large)) = (&from.net, &to.net) else { return Ok(self.clone()) };
        let new_steps = new_steps(from, to).expect("one network grows to the other");
        let mut grown = Self::initial(to, seed);
        for Parameter { name, .. } in
            parameters(to).into_iter().filter(|parameter| is_silent(parameter.name, new_steps))
        {
            grown.get_mut(name).values.fill(0.0);
        }
        for Parameter { name, .. } in parameters(from) {
            let place = grown.get_mut(name.behind(new_steps));
            let blocks = [blocks(name, small), blocks(name.behind(new_steps), large)];
            put_into(place, self.get(name), blocks, is_output(name));
        }
        Ok(grown)
    }
}

/// Returns whether a tensor must be zero at first if it is new, so that its layer adds nothing.
fn is_silent(name: TensorName, new_steps: usize) -> bool {
    let (TensorName::Weight(layer) | TensorName::Bias(layer)) = name else { return false };
    layer == LayerName::Global || matches!(layer, LayerName::Spread(step) if step < new_steps)
}

/// Returns whether the columns of a tensor are outputs of the network, where new ones must be zero at first.
fn is_output(name: TensorName) -> bool {
    let (TensorName::Weight(layer) | TensorName::Bias(layer)) = name else { return false };
    LayerName::outputs().any(|output| output == layer)
}

/// Returns how many mixing steps the larger network has before those of the smaller one; `None` if they differ in
/// anything that growth does not change.
fn new_steps(from: &NetConfig, to: &NetConfig) -> Option<usize> {
    let (NetKind::Line(small), NetKind::Line(large)) = (&from.net, &to.net) else { return None };
    let LineConfig { features, hidden, global_pooling, mixing, value_hidden, push_paths } = small;
    let new_steps = large.mixing.len().checked_sub(mixing.len())?;
    let widths = [(features, &large.features), (hidden, &large.hidden), (value_hidden, &large.value_hidden)];
    let mut widths = widths.into_iter().chain(mixing.iter().zip(&large.mixing[new_steps..]));
    let additions = [(global_pooling, &large.global_pooling), (push_paths, &large.push_paths)];
    let same_game = (&from.layout, from.actions) == (&to.layout, to.actions);
    let grows = same_game && widths.all(|(old, new)| old <= new) && additions.iter().all(|(old, new)| old <= new);
    grows.then_some(new_steps)
}

/// The lengths of the blocks of units that the rows or columns of a tensor belong to. A block can become longer, and so
/// can what comes after all of them.
type Blocks = Vec<usize>;

/// Returns the blocks of a tensor's rows and of its columns.
fn blocks(name: TensorName, line: &LineConfig) -> [Blocks; 2] {
    let LineConfig { features, hidden, value_hidden, .. } = *line;
    let width = |step: usize| line.mixing[step];
    let (layer, is_weight) = match name {
        TensorName::Weight(layer) => (layer, true),
        TensorName::Bias(layer) => (layer, false),
        TensorName::Conditions | TensorName::SpotBias | TensorName::Stem => return [vec![], vec![features]],
    };
    let [rows, columns] = match layer {
        LayerName::EncoderInput(_) => [vec![], vec![hidden]],
        LayerName::EncoderHidden(_) => [vec![hidden], vec![hidden]],
        LayerName::EncoderSpots(encoder) => [vec![hidden], vec![features; LENGTHS[encoder]]],
        LayerName::EncoderLine(_) => [vec![hidden], vec![]],
        LayerName::Global => [vec![features; 2], vec![features]],
        LayerName::Gather(step) => [vec![features; TAPS], vec![width(step)]],
        LayerName::Spread(step) => [vec![width(step)], vec![features]],
        LayerName::SpotHeads => [vec![features], vec![]],
        // The mean and the maximum of the features, then the scalars.
        LayerName::ValueHidden => [vec![features; 2], vec![value_hidden]],
        LayerName::ValueOutput => [vec![value_hidden], vec![]],
        _ => unreachable!("a line network has no other layers"),
    };
    [if is_weight { rows } else { vec![] }, columns]
}

/// Copies an array into a larger one. Old units do not read new ones; new columns keep their initial values, or are zero.
fn put_into(large: &mut Array, small: &Array, [old, new]: [[Blocks; 2]; 2], zero_columns: bool) {
    let [(from_rows, from_columns), (to_rows, to_columns)] = [extent(small), extent(large)];
    let rows = places(&old[0], &new[0], from_rows);
    let columns = places(&old[1], &new[1], from_columns);
    if zero_columns {
        large.values.fill(0.0);
    }
    for (row, &column) in (0..to_rows).flat_map(|row| columns.iter().map(move |column| (row, column))) {
        large.values[row * to_columns + column] = 0.0;
    }
    for (values, row) in small.values.chunks_exact(from_columns).zip(rows) {
        for (value, column) in values.iter().zip(&columns) {
            large.values[row * to_columns + column] = *value;
        }
    }
}

/// Returns the rows and columns of an array.
fn extent(array: &Array) -> (usize, usize) {
    let columns = *array.shape.last().expect("weights have columns");
    (array.values.len() / columns, columns)
}

/// Returns the new place of each of `count` rows or columns when blocks become longer.
fn places(old: &[usize], new: &[usize], count: usize) -> Vec<usize> {
    let mut starts = 0;
    let mut places: Vec<usize> = Vec::with_capacity(count);
    for (&old, &new) in old.iter().zip(new) {
        places.extend(starts..starts + old);
        starts += new;
    }
    places.extend((starts..).take(count - places.len()));
    places
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
                let large = small.grown(&from, &to, 1).unwrap();
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

    /// Returns the sizes of a small network, in which no two are equal, with some of them made larger.
    fn widened(actions: ActionSpace, widen: impl Fn(&mut LineConfig)) -> NetConfig {
        let mixing = vec![12, 7];
        let mut line = LineConfig { features: 20, hidden: 24, mixing, value_hidden: 9, ..LineConfig::default() };
        widen(&mut line);
        NetConfig { net: NetKind::Line(line), layout: gipf_layout(2, 1, 5), actions }
    }

    const WIDER: [fn(&mut LineConfig); 6] = [
        |line| line.features = 33,
        |line| line.hidden = 40,
        |line| line.mixing = vec![12, 16],
        |line| line.mixing = vec![5, 13, 7],
        |line| line.value_hidden = 16,
        |line| {
            let mixing = vec![6, 16, 16];
            *line = LineConfig {
                features: 32,
                hidden: 32,
                global_pooling: true,
                mixing,
                value_hidden: 24,
                push_paths: true,
            };
        },
    ];

    /// Returns whether a layer that reads integers has become wider.
    fn rounds_otherwise(from: &NetConfig, to: &NetConfig) -> bool {
        let (NetKind::Line(small), NetKind::Line(large)) = (&from.net, &to.net) else { unreachable!() };
        large.features > small.features || !large.mixing.ends_with(&small.mixing)
    }

    #[test]
    fn wider_networks_answer_as_before() {
        for (actions, widen) in ActionSpace::ALL.iter().flat_map(|actions| WIDER.map(|widen| (*actions, widen))) {
            let (from, to) = (widened(actions, |_| ()), widened(actions, widen));
            let small = Weights::initial(&from, 3);
            let large = small.grown(&from, &to, 1).unwrap();
            assert_eq!(large.check(&to), Ok(()));
            assert_eq!(answers(&from, &small, Precision::F32), answers(&to, &large, Precision::F32), "{to:?}");
            let [old, new] =
                [(&from, &small), (&to, &large)].map(|(net, weights)| answers(net, weights, Precision::Int8));
            let apart = |(a, b): (&f32, &f32)| (a - b).abs();
            let furthest = old.0.iter().zip(&new.0).chain(old.1.iter().zip(&new.1)).map(apart).fold(0.0, f32::max);
            assert!(furthest < 0.01, "{furthest} in {to:?}");
            assert!(old == new || rounds_otherwise(&from, &to), "{to:?}");
            assert_ne!(small.grown(&from, &to, 2).unwrap(), large, "the seed draws what is new");
        }
    }

    #[test]
    fn new_units_read_and_nothing_old_listens_to_them() {
        let (from, to) = (widened(ActionSpace::STANDARD, |_| ()), widened(ActionSpace::STANDARD, WIDER[5]));
        let large = Weights::initial(&from, 3).grown(&from, &to, 1).unwrap();
        // The last step had 7 units that read 20 features of each spot; it has 16 that read 32.
        for (row, values) in large.layer(LayerName::Gather(2))[0].chunks_exact(16).enumerate() {
            let (is_old, (old, new)) = (row % 32 < 20, values.split_at(7));
            assert_eq!(old.iter().any(|&weight| weight != 0.0), is_old, "row {row}");
            assert!(new.iter().all(|&weight| weight != 0.0), "row {row}");
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
            line(ActionSpace::STANDARD, (true, true), &[12, 15]),
            line(ActionSpace::TOURNAMENT, (true, true), &[12, 16]),
        ] {
            assert!(!from.grows_to(&to), "{to:?}");
        }
        for config in small_configs() {
            assert!(!from.grows_to(&config) && config.grows_to(&config));
            let weights = Weights::initial(&config, 3);
            assert_eq!(weights.grown(&config, &config, 1), Ok(weights));
        }
    }

    #[test]
    fn weights_of_another_network_are_refused() {
        let [from, to] =
            [false, true].map(|global_pooling| line(ActionSpace::STANDARD, (global_pooling, false), &[12]));
        let mut weights = Weights::initial(&from, 3);
        weights.0.remove("value.0.bias");
        assert_eq!(weights.grown(&from, &to, 1), Err(WeightsError::Missing("value.0.bias".to_owned())));
    }
}

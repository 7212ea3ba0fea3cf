//! The tensors of each network: names, shapes, and deviations when learning starts.

use gipf_env::geometry::SPOTS;

use crate::board::{LENGTHS, TAPS};
use crate::config::{HexConfig, LineConfig, MlpConfig, NetConfig, NetKind};
use crate::names::{LayerName, TensorName};

/// One tensor of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: TensorName,
    /// The shape; a layer's weight is `[inputs, outputs]`.
    pub shape: Vec<usize>,
    /// The standard deviation of its values when learning starts.
    pub deviation: f32,
}

/// Returns the tensors of a network.
///
/// Layers before a rectifier begin with deviation √(2 / inputs) (He et al. 2015). Layers that end in a logit, and the
/// last layer of each residual step, begin much smaller: the first policy is nearly uniform, and the first steps add
/// almost nothing.
///
/// # Panics
/// If the network is not valid ([`NetConfig::validate`]).
pub fn parameters(config: &NetConfig) -> Vec<Parameter> {
    match &config.net {
        NetKind::Line(line) => line_parameters(config, line),
        NetKind::Hex(hex) => hex_parameters(config, hex),
        NetKind::Mlp(mlp) => mlp_parameters(config, mlp),
    }
}

impl NetConfig {
    /// Returns the number of weights.
    ///
    /// # Panics
    /// If the network is not valid ([`NetConfig::validate`]).
    pub fn num_weights(&self) -> usize {
        parameters(self).iter().map(|parameter| parameter.shape.iter().product::<usize>()).sum()
    }
}

/// Returns where the perceptron's inputs lie in an observation: pieces and marks plane by plane at the cells, then each
/// scalar once.
pub(crate) fn mlp_input_places(config: &NetConfig) -> Vec<usize> {
    let layout = &config.layout;
    let area = layout.rows * layout.columns;
    let shaped = layout.pieces + layout.marks;
    let spots = (0..shaped).flat_map(|plane| layout.cells.iter().map(move |cell| plane * area + cell));
    let scalars = (shaped..layout.planes()).map(|plane| plane * area + layout.cells[0]);
    spots.chain(scalars).collect()
}

/// The factor that makes layers start small if they should do almost nothing at first.
const SMALL: f32 = 0.1;

fn he(inputs: usize) -> f32 {
    (2.0 / inputs as f32).sqrt()
}

fn plain(inputs: usize) -> f32 {
    (1.0 / inputs as f32).sqrt()
}

fn dense(layer: LayerName, [inputs, outputs]: [usize; 2], deviation: f32) -> [Parameter; 2] {
    [
        Parameter { name: TensorName::Weight(layer), shape: vec![inputs, outputs], deviation },
        Parameter { name: TensorName::Bias(layer), shape: vec![outputs], deviation: 0.0 },
    ]
}

fn line_parameters(config: &NetConfig, line: &LineConfig) -> Vec<Parameter> {
    let (features, layout) = (line.features, &config.layout);
    let mut list = Vec::new();
    for (encoder, length) in LENGTHS.into_iter().enumerate() {
        list.extend(encoder_parameters(encoder, length, config, line));
    }
    let conditions = layout.marks + layout.scalars;
    list.push(Parameter { name: TensorName::Conditions, shape: vec![conditions, features], deviation: 0.3 });
    list.push(Parameter { name: TensorName::SpotBias, shape: vec![SPOTS, features], deviation: 0.0 });
    if line.global_pooling {
        list.extend(dense(LayerName::Global, [2 * features, features], SMALL * plain(2 * features)));
    }
    for (step, &width) in line.mixing.iter().enumerate() {
        let inputs = TAPS * features;
        list.extend(dense(LayerName::Gather(step), [inputs, width], he(inputs)));
        list.extend(dense(LayerName::Spread(step), [width, features], SMALL * plain(width)));
    }
    list.extend(head_parameters(config, features, line.value_hidden));
    list
}

/// Returns the tensors of the heads that read the features of spots.
fn head_parameters(config: &NetConfig, features: usize, value_hidden: usize) -> Vec<Parameter> {
    let policy = config.policy_layout();
    let pooled = 2 * features + config.layout.scalars;
    let mut list = Vec::from(dense(LayerName::SpotHeads, [features, policy.spot_outputs()], SMALL * plain(features)));
    list.extend(dense(LayerName::ValueHidden, [pooled, value_hidden], he(pooled)));
    list.extend(dense(LayerName::ValueOutput, [value_hidden, 3], SMALL * plain(value_hidden)));
    list
}

fn hex_parameters(config: &NetConfig, hex: &HexConfig) -> Vec<Parameter> {
    let (channels, layout) = (hex.channels, &config.layout);
    let shaped = TAPS * (layout.pieces + layout.marks);
    // At most one piece is on each spot, and marks are rare.
    let mut list = vec![
        Parameter { name: TensorName::Stem, shape: vec![shaped, channels], deviation: he(TAPS) },
        Parameter { name: TensorName::Conditions, shape: vec![layout.scalars, channels], deviation: 0.3 },
        Parameter { name: TensorName::SpotBias, shape: vec![SPOTS, channels], deviation: 0.0 },
    ];
    let inputs = TAPS * channels;
    for block in 0..hex.blocks {
        list.extend(dense(LayerName::BlockFirst(block), [inputs, channels], he(inputs)));
        list.extend(dense(LayerName::BlockSecond(block), [inputs, channels], SMALL * plain(inputs)));
    }
    list.extend(head_parameters(config, channels, hex.value_hidden));
    list
}

fn encoder_parameters(encoder: usize, length: usize, config: &NetConfig, line: &LineConfig) -> Vec<Parameter> {
    let policy = config.policy_layout();
    let states = 1 + config.layout.pieces;
    let hidden = line.hidden;
    // One state of each spot is set, so `length` inputs are set; six readings add up at a spot.
    let mut list = Vec::from(dense(LayerName::EncoderInput(encoder), [states * length, hidden], he(length)));
    list.extend(dense(LayerName::EncoderHidden(encoder), [hidden, hidden], he(hidden)));
    list.extend(dense(LayerName::EncoderSpots(encoder), [hidden, length * line.features], plain(6 * hidden)));
    list.extend(dense(LayerName::EncoderLine(encoder), [hidden, policy.reading_outputs()], SMALL * plain(2 * hidden)));
    list
}

fn mlp_parameters(config: &NetConfig, mlp: &MlpConfig) -> Vec<Parameter> {
    let mut list = Vec::new();
    let mut inputs = mlp_input_places(config).len();
    // At most one of the pieces' inputs on each cell is set.
    let mut active = config.layout.cells.len() + config.layout.scalars;
    for (layer, &width) in mlp.hidden.iter().enumerate() {
        list.extend(dense(LayerName::Hidden(layer), [inputs, width], he(active)));
        (inputs, active) = (width, width);
    }
    list.extend(dense(LayerName::Policy, [inputs, config.actions.size()], SMALL * plain(inputs)));
    list.extend(dense(LayerName::Value, [inputs, 3], SMALL * plain(inputs)));
    list
}

#[cfg(test)]
mod tests {
    use gipf_env::ActionSpace;

    use super::*;
    use crate::config::tests::gipf_layout;

    #[test]
    fn the_default_line_network_has_about_52_000_numbers() {
        let net = NetKind::Line(LineConfig::default());
        let config = NetConfig { net, layout: gipf_layout(4, 2, 5), actions: ActionSpace::STANDARD };
        assert!((51_000..53_000).contains(&config.num_weights()), "{}", config.num_weights());
    }

    #[test]
    fn the_default_hex_network_has_about_65_000_numbers() {
        let config = NetConfig {
            net: NetKind::Hex(HexConfig::default()),
            layout: gipf_layout(4, 2, 5),
            actions: ActionSpace::STANDARD,
        };
        assert!((64_000..66_000).contains(&config.num_weights()), "{}", config.num_weights());
    }
}

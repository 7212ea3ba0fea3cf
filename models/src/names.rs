//! The names of tensors, as they are written in files. They are spelled nowhere else.

use std::fmt;

use crate::board::LENGTHS;

/// A layer with a weight and a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerName {
    /// The first layer of the line network's encoder with this number.
    EncoderInput(usize),
    /// Its second layer.
    EncoderHidden(usize),
    /// The part of its last layer for the spots.
    EncoderSpots(usize),
    /// The part of its last layer for the line.
    EncoderLine(usize),
    /// Global pooling.
    Global,
    /// The first layer of the mixing step with this number.
    Gather(usize),
    /// Its second layer.
    Spread(usize),
    /// The first layer of the residual network's block with this number.
    BlockFirst(usize),
    /// Its second layer.
    BlockSecond(usize),
    /// The outputs of a network of spots at each spot.
    SpotHeads,
    /// The hidden layer of its value head.
    ValueHidden,
    /// The last layer of its value head.
    ValueOutput,
    /// The perceptron's hidden layer with this number.
    Hidden(usize),
    /// The perceptron's policy.
    Policy,
    /// The perceptron's value.
    Value,
}

/// A tensor of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorName {
    /// The weight of a layer, `[inputs, outputs]`.
    Weight(LayerName),
    /// Its bias, `[outputs]`.
    Bias(LayerName),
    /// What marks and scalars add to the features of a spot.
    Conditions,
    /// What the place of a spot on the board adds to its features.
    SpotBias,
    /// The first layer of the residual network.
    Stem,
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EncoderInput(encoder) => write!(f, "readers.{encoder}.input"),
            Self::EncoderHidden(encoder) => write!(f, "readers.{encoder}.hidden"),
            Self::EncoderSpots(encoder) => write!(f, "readers.{encoder}.spots"),
            Self::EncoderLine(encoder) => write!(f, "readers.{encoder}.line"),
            Self::Global => f.write_str("global"),
            Self::Gather(step) => write!(f, "mixing.{step}.gather"),
            Self::Spread(step) => write!(f, "mixing.{step}.spread"),
            Self::BlockFirst(block) => write!(f, "blocks.{block}.first"),
            Self::BlockSecond(block) => write!(f, "blocks.{block}.second"),
            Self::SpotHeads => f.write_str("spot_heads"),
            Self::ValueHidden => f.write_str("value.0"),
            Self::ValueOutput => f.write_str("value.1"),
            Self::Hidden(layer) => write!(f, "hidden.{layer}"),
            Self::Policy => f.write_str("policy"),
            Self::Value => f.write_str("value"),
        }
    }
}

impl fmt::Display for TensorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weight(layer) => write!(f, "{layer}.weight"),
            Self::Bias(layer) => write!(f, "{layer}.bias"),
            Self::Conditions => f.write_str("conditions"),
            Self::SpotBias => f.write_str("spot_bias"),
            Self::Stem => f.write_str("stem"),
        }
    }
}

impl LayerName {
    /// Returns the layers whose units are outputs of a network, of any kind.
    pub fn outputs() -> impl Iterator<Item = Self> {
        let lines = (0..LENGTHS.len()).map(Self::EncoderLine);
        lines.chain([Self::SpotHeads, Self::ValueOutput, Self::Policy, Self::Value])
    }
}

impl TensorName {
    /// Returns the tensor that this one becomes behind this many new mixing steps.
    pub(crate) fn behind(self, steps: usize) -> Self {
        let moved = |layer| match layer {
            LayerName::Gather(step) => LayerName::Gather(step + steps),
            LayerName::Spread(step) => LayerName::Spread(step + steps),
            other => other,
        };
        match self {
            Self::Weight(layer) => Self::Weight(moved(layer)),
            Self::Bias(layer) => Self::Bias(moved(layer)),
            other => other,
        }
    }
}

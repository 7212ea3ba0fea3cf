//! The line network.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor};
use gipf_env::geometry::{SPOTS, Spot};

use super::Output;
use super::heads::{PolicyHead, pooled, value};
use super::layers::{linear, param, parts};
use super::line_input::{LineInput, indices};
use crate::board::{LENGTHS, TAPS, taps};
use crate::config::{LineConfig, NetConfig};
use crate::names::{LayerName, TensorName};
use crate::weights::Weights;

/// A network that reads the 21 lines of the GIPF board.
///
/// F is the number of features of a spot, H the hidden width of the encoders.
#[derive(Module, Debug)]
pub struct LineNet {
    encoders: Vec<LineEncoder>,
    conditions: Param<Tensor<2>>,
    spot_bias: Param<Tensor<2>>,
    global: Option<Linear>,
    mixing: Vec<Mixing>,
    spot_heads: Linear,
    value: Vec<Linear>,
    #[module(skip)]
    policy: PolicyHead,
}

impl LineNet {
    /// Builds the network from its weights.
    pub fn new(config: &NetConfig, sizes: &LineConfig, weights: &Weights, device: &Device) -> Self {
        let encoders = LENGTHS.into_iter().enumerate();
        let mixing = 0..sizes.mixing.len();
        Self {
            encoders: encoders.map(|(index, length)| LineEncoder::new(index, length, weights, device)).collect(),
            conditions: param(weights, TensorName::Conditions, device),
            spot_bias: param(weights, TensorName::SpotBias, device),
            global: sizes.global_pooling.then(|| linear(weights, LayerName::Global, device)),
            mixing: mixing.map(|step| Mixing::new(step, weights, device)).collect(),
            spot_heads: linear(weights, LayerName::SpotHeads, device),
            value: [LayerName::ValueHidden, LayerName::ValueOutput].map(|name| linear(weights, name, device)).into(),
            policy: PolicyHead::of_lines(config, device),
        }
    }

    /// Evaluates prepared observations.
    pub fn forward(&self, input: &LineInput) -> Output {
        let (spots, lines) = self.read(input);
        let x = self.mix(self.with_global(self.features(input, spots)));
        let heads = self.spot_heads.forward(x.clone());
        let policy = self.policy.forward(heads, Some(lines), input.question.clone());
        Output { policy, wdl: value(&self.value, x, input.scalars.clone()) }
    }

    /// Lets each spot see the mean and the maximum of the features over the board; `[spots · B, F]` in and out.
    fn with_global(&self, x: Tensor<2>) -> Tensor<2> {
        let Some(global) = &self.global else { return x };
        let [rows, features] = x.dims();
        let outputs = global.forward(Tensor::cat(pooled(x.clone()).to_vec(), 1)).unsqueeze_dim(0);
        relu(x.reshape([SPOTS, rows / SPOTS, features]) + outputs).reshape([rows, features])
    }

    /// Mixes the features of spots, `[spots · B, F]`, step by step, with a rectifier between steps.
    fn mix(&self, x: Tensor<2>) -> Tensor<2> {
        let steps = self.mixing.iter().enumerate();
        steps.fold(x, |x, (step, mixing)| mixing.forward(if step == 0 { x } else { relu(x) }))
    }

    /// Reads all lines.
    ///
    /// # Shapes
    /// - output: the sums over the three lines of each spot, `[spots · B, F]`, and the outputs of each line,
    ///   `[lines · B, line outputs]`.
    fn read(&self, input: &LineInput) -> (Tensor<2>, Tensor<2>) {
        let readings =
            self.encoders.iter().zip(&input.patterns).map(|(encoder, patterns)| encoder.forward(patterns.clone()));
        let (spots, lines): (Vec<_>, Vec<_>) = readings.unzip();
        let spots = Tensor::cat(spots, 0).select(0, input.spots.clone());
        let [rows, features] = spots.dims();
        let spots = spots.reshape([3, rows / 3 * features]).sum_dim(0).reshape([rows / 3, features]);
        let lines = Tensor::cat(lines, 0);
        let both = Tensor::cat(vec![lines.clone(), mirrored(&lines)], 0);
        (spots, both.select(0, input.lines.clone()))
    }

    /// Returns the features of each spot, `[spots · B, F]`.
    fn features(&self, input: &LineInput, spots: Tensor<2>) -> Tensor<2> {
        let [rows, features] = spots.dims();
        let x = spots + input.conditions.clone().matmul(self.conditions.val());
        let x = x.reshape([SPOTS, rows / SPOTS, features]) + self.spot_bias.val().unsqueeze_dim(1);
        relu(x).reshape([rows, features])
    }
}

/// The perceptron that reads the lines of one length k, from both ends.
#[derive(Module, Debug)]
pub struct LineEncoder {
    input: Linear,
    hidden: Linear,
    spots: Linear,
    line: Linear,
    length: usize,
}

impl LineEncoder {
    fn new(index: usize, length: usize, weights: &Weights, device: &Device) -> Self {
        let layer = |name: fn(usize) -> LayerName| linear(weights, name(index), device);
        Self {
            input: layer(LayerName::EncoderInput),
            hidden: layer(LayerName::EncoderHidden),
            spots: layer(LayerName::EncoderSpots),
            line: layer(LayerName::EncoderLine),
            length,
        }
    }

    /// Reads patterns from both ends and adds up the readings.
    ///
    /// The reading from the last spot uses the same perceptron with its inputs and outputs reversed. The reversal is
    /// applied to the weights, so one product adds both readings.
    ///
    /// # Shapes
    /// - patterns: `[U, k · states]`, one-hot;
    /// - output: features of the spots `[U · k, F]`, and outputs of the line `[U, 2 · kinds + 1]`.
    fn forward(&self, patterns: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let [count, _] = patterns.dims();
        let [weight, bias] = parts(&self.input);
        let [_, hidden] = weight.dims();
        let both_ways = Tensor::cat(vec![weight.clone(), self.turned_rows(weight)], 1);
        let x = relu(patterns.matmul(both_ways) + bias.repeat_dim(1, 2));
        let x = relu(self.hidden.forward(x.reshape([2 * count, hidden]))).reshape([count, 2 * hidden]);
        let [weight, bias] = self.output();
        let x = x.matmul(weight) + bias;
        let [_, outputs] = x.dims();
        let [_, spots] = self.spots.weight.dims();
        let features = x.clone().slice([0..count, 0..spots]).reshape([count * self.length, spots / self.length]);
        (features, x.slice([0..count, spots..outputs]))
    }

    /// Returns the weight and bias of the last layer for both readings side by side.
    ///
    /// # Shapes
    /// - output: `[2 · H, k · F + 2 · kinds + 1]` and `[1, k · F + 2 · kinds + 1]`.
    fn output(&self) -> [Tensor<2>; 2] {
        let [spots, spots_bias] = parts(&self.spots);
        let [line, line_bias] = parts(&self.line);
        let [first, first_bias] = [(&spots, &line), (&spots_bias, &line_bias)].map(|(spots, line)| {
            let [entry, row] = split_last(line);
            let nothing = entry.zeros_like();
            Tensor::cat(vec![spots.clone(), entry, nothing, row], 1)
        });
        let [last, last_bias] = [(&spots, &line), (&spots_bias, &line_bias)].map(|(spots, line)| {
            let [entry, row] = split_last(line);
            let nothing = entry.zeros_like();
            Tensor::cat(vec![self.turned_columns(spots.clone()), nothing, entry, row], 1)
        });
        [Tensor::cat(vec![first, last], 0), first_bias + last_bias]
    }

    /// Reverses the order of the spots in the rows of a matrix, `[k · states, H]`.
    fn turned_rows(&self, weight: Tensor<2>) -> Tensor<2> {
        let [rows, columns] = weight.dims();
        weight.reshape([self.length, rows / self.length, columns]).flip([0]).reshape([rows, columns])
    }

    /// Reverses the order of the spots in the columns of a matrix, `[H, k · F]`.
    fn turned_columns(&self, weight: Tensor<2>) -> Tensor<2> {
        let [rows, columns] = weight.dims();
        weight.reshape([rows, self.length, columns / self.length]).flip([1]).reshape([rows, columns])
    }
}

/// Returns the outputs of lines as they are for the mirror images: those of the two ends are swapped.
fn mirrored(lines: &Tensor<2>) -> Tensor<2> {
    let [rows, outputs] = lines.dims();
    let kinds = outputs / 2;
    let columns = [kinds..2 * kinds, 0..kinds, 2 * kinds..outputs];
    Tensor::cat(columns.map(|columns| lines.clone().slice([0..rows, columns])).to_vec(), 1)
}

/// Returns all columns but the last, and the last.
fn split_last(matrix: &Tensor<2>) -> [Tensor<2>; 2] {
    let [rows, columns] = matrix.dims();
    [0..columns - 1, columns - 1..columns].map(|range| matrix.clone().slice([0..rows, range]))
}

/// A step that mixes each spot with its six neighbours: x + W₂ · relu(W₁ · \[x, neighbours\]).
#[derive(Module, Debug)]
pub struct Mixing {
    gather: Linear,
    spread: Linear,
}

impl Mixing {
    fn new(step: usize, weights: &Weights, device: &Device) -> Self {
        let [gather, spread] = [LayerName::Gather(step), LayerName::Spread(step)];
        Self { gather: linear(weights, gather, device), spread: linear(weights, spread, device) }
    }

    /// # Shapes
    /// - x, output: `[spots · B, F]`.
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let [rows, features] = x.dims();
        let batch = rows / SPOTS;
        let nothing = Tensor::zeros([1, batch * features], &x.device());
        let spots = Tensor::cat(vec![x.clone().reshape([SPOTS, batch * features]), nothing], 0);
        // Rows of a whole batch: a GPU adds up their gradients in parallel, column by column.
        let taps = spots.select(0, tap_spots(&x.device())).reshape([SPOTS, TAPS, batch, features]);
        let hidden = relu(self.gather.forward(taps.swap_dims(1, 2).reshape([rows, TAPS * features])));
        x + self.spread.forward(hidden)
    }
}

/// Returns the spot of each tap of each spot; one past the last spot for places off the board, `[spots · taps]`.
fn tap_spots(device: &Device) -> Tensor<1, Int> {
    let spots = Spot::all().flat_map(taps).map(|tap| tap.unwrap_or(SPOTS) as i32);
    indices(spots.collect(), device)
}

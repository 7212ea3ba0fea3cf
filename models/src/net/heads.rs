//! From outputs at spots and of lines to a logit for each action.

use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use gipf_env::geometry::{LINES, SPOTS};

use super::matrix;
use crate::config::NetConfig;

/// Adds up the parts of each policy logit, by a product with a constant matrix of zeros and ones.
#[derive(Clone, Debug)]
pub struct PolicyHead {
    /// `[spots · spot outputs + lines · line outputs + questions, A]`; no line outputs where the network reads no
    /// lines.
    assembly: Tensor<2>,
    /// The first spot output that is read where a piece is in question, and the number of such outputs.
    questions: (usize, usize),
}

impl PolicyHead {
    /// Returns the head of a network that reads lines, for an action space of GIPF.
    pub fn of_lines(config: &NetConfig, device: &Device) -> Self {
        Self::new(config, LINES, device)
    }

    /// Returns the head of a network that reads only spots, for an action space of GIPF.
    pub fn of_spots(config: &NetConfig, device: &Device) -> Self {
        Self::new(config, 0, device)
    }

    fn new(config: &NetConfig, lines: usize, device: &Device) -> Self {
        let (policy, num_actions) = (config.policy_layout(), config.actions.size());
        let (first, count) = policy.questions();
        let lines_start = SPOTS * policy.spot_outputs();
        let questions_start = lines_start + lines * policy.line_outputs();
        let rows = questions_start + count;
        let mut values = vec![0.0; rows * num_actions];
        for action in 0..num_actions {
            let terms = policy.terms(action);
            let spots = terms.spots.iter().map(|(spot, output)| spot * policy.spot_outputs() + output);
            let line = terms
                .line
                .filter(|&(line, _)| line < lines)
                .map(|(line, output)| lines_start + line * policy.line_outputs() + output);
            let question = terms.question.map(|output| questions_start + output - first);
            spots.chain(line).chain(question).for_each(|row| values[row * num_actions + action] = 1.0);
        }
        Self { assembly: matrix(values, [rows, num_actions], device), questions: (first, count) }
    }

    /// Returns the policy logits.
    ///
    /// # Shapes
    /// - spots: `[spots · B, spot outputs]`;
    /// - lines: `[lines · B, line outputs]`, if the network reads lines;
    /// - question: `[spots, B, 1]`, 1 where a piece is in question;
    /// - output: `[B, A]`.
    pub fn forward(&self, spots: Tensor<2>, lines: Option<Tensor<2>>, question: Tensor<3>) -> Tensor<2> {
        let [_, batch, _] = question.dims();
        let spots = unstack(spots, SPOTS);
        let mut parts = vec![beside(spots.clone())];
        parts.extend(lines.map(|lines| beside(unstack(lines, LINES))));
        let (first, count) = self.questions;
        if count > 0 {
            let asked = spots.slice([0..SPOTS, 0..batch, first..first + count]) * question;
            parts.push(asked.sum_dim(0).reshape([batch, count]));
        }
        Tensor::cat(parts, 1).matmul(self.assembly.clone())
    }
}

/// Returns the value's logits from the mean and the maximum of the features over the spots, and the scalars.
///
/// # Shapes
/// - x: `[spots · B, F]`;
/// - scalars: `[B, scalars]`;
/// - output: `[B, 3]`.
pub fn value(layers: &[Linear], x: Tensor<2>, scalars: Tensor<2>) -> Tensor<2> {
    let [mean, most] = pooled(x);
    let x = Tensor::cat(vec![mean, most, scalars], 1);
    layers[1].forward(relu(layers[0].forward(x)))
}

/// Returns the mean and the maximum of features over the spots, `[B, F]` each; `x` is `[spots · B, F]`.
pub fn pooled(x: Tensor<2>) -> [Tensor<2>; 2] {
    let [rows, features] = x.dims();
    let batch = rows / SPOTS;
    let x = x.reshape([SPOTS, batch * features]);
    [x.clone().mean_dim(0), x.max_dim(0)].map(|x| x.reshape([batch, features]))
}

/// Turns `[P · B, K]` into `[P, B, K]`.
fn unstack(x: Tensor<2>, places: usize) -> Tensor<3> {
    let [rows, outputs] = x.dims();
    x.reshape([places, rows / places, outputs])
}

/// Puts the outputs of all places side by side: `[P, B, K]` becomes `[B, P · K]`.
fn beside(x: Tensor<3>) -> Tensor<2> {
    let [places, batch, outputs] = x.dims();
    x.swap_dims(0, 1).reshape([batch, places * outputs])
}

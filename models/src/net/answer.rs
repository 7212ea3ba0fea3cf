//! The outputs of a network on a batch, and the gradient by automatic differentiation.

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::{Net, Targets};
use crate::batch::{Batch, BatchPart};
use crate::gradient::GradientConfig;

/// The outputs of a network on a batch or a part of it, and the gradient of its loss.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The policy logits, `[B, A]`.
    pub policy: Vec<f32>,
    /// The logits of win, draw and loss, `[B, 3]`.
    pub wdl: Vec<f32>,
    /// The gradient of the loss, `[N]`, in the order of [`Net::to_vector`].
    pub gradient: Tensor<1>,
}

impl Net {
    /// Returns the network's outputs on a batch, and the gradient of the policy's cross-entropy plus `value_weight`
    /// times the value's. Shards of the batch are computed in parallel; their gradients are added up in order.
    ///
    /// # Panics
    /// If the batch is empty or has other shapes than the network.
    pub fn answer(&self, batch: &Batch, how: GradientConfig) -> Answer {
        let GradientConfig { shards, value_weight } = how;
        let weights = self.to_vector();
        // Graphs that share weights wait for each other, so each part has its own.
        let part = |part| (self.clone().with_vector(&weights), part);
        let parts: Vec<_> = batch.parts(shards).into_iter().map(part).collect();
        let answers: Vec<_> = parts.into_par_iter().map(|(net, part)| net.answer_part(&part, value_weight)).collect();
        answers.into_iter().reduce(Answer::followed_by).expect("a batch has a part")
    }

    fn answer_part(&self, part: &BatchPart, value_weight: f32) -> Answer {
        let output = self.forward(&self.prepare(part.planes));
        let [policy, value] = Targets::of_part(part, &self.device).losses(&output);
        let gradients = (policy + value.mul_scalar(value_weight)).backward();
        let [policy, wdl] = [output.policy, output.wdl].map(|logits| {
            let data = logits.inner().into_data();
            data.try_to_vec().expect("networks hold f32")
        });
        Answer { policy, wdl, gradient: self.gradient_vector(&gradients) }
    }
}

impl Answer {
    /// Appends the outputs of the next part, and adds its gradient.
    fn followed_by(mut self, next: Self) -> Self {
        self.policy.extend(next.policy);
        self.wdl.extend(next.wdl);
        Self { gradient: self.gradient + next.gradient, ..self }
    }
}

//! Evaluation on the CPU without a tensor library: weights are packed once, batches go through hand-written kernels.

mod kernel;
mod lanes;
mod line;
mod mixing;
mod mlp;
mod reader;

use crate::config::{ConfigError, NetConfig, NetKind};
use crate::weights::{Weights, WeightsError};
use line::{LineEngine, LineScratch};
use mlp::{MlpEngine, MlpScratch};

pub use kernel::Instructions;

/// A network ready to evaluate observations. It never changes, and threads may share it.
///
/// The line network is folded into tables: one row for each pattern of pieces on a line.
#[derive(Debug)]
pub struct Engine {
    config: NetConfig,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Line(Box<LineEngine>),
    Mlp(MlpEngine),
}

/// The working memory of one thread; it grows to what its engine needs. Any scratch serves any engine.
#[derive(Debug, Default)]
pub struct Scratch {
    line: LineScratch,
    mlp: MlpScratch,
}

/// Weights that make no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The network's settings are impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The weights are not those of the network.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl Engine {
    /// Prepares a network for evaluation, with the best instructions that the machine has.
    ///
    /// # Errors
    /// If the network is impossible or the weights are not its own.
    pub fn new(weights: &Weights, config: &NetConfig) -> Result<Self, EngineError> {
        Self::with_instructions(weights, config, Instructions::detect())
    }

    /// Prepares a network for evaluation with certain instructions; results are the same bits with all of them.
    ///
    /// # Errors
    /// If the network is impossible or the weights are not its own.
    pub fn with_instructions(
        weights: &Weights,
        config: &NetConfig,
        instructions: Instructions,
    ) -> Result<Self, EngineError> {
        config.validate()?;
        weights.check(config)?;
        let kind = match &config.net {
            NetKind::Line(sizes) => Kind::Line(Box::new(LineEngine::new(weights, config, sizes, instructions))),
            NetKind::Mlp(sizes) => Kind::Mlp(MlpEngine::new(weights, config, sizes, instructions)),
        };
        Ok(Self { config: config.clone(), kind })
    }

    /// Returns the network's settings.
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Evaluates n observations. A position's results do not depend on the others in its batch, bit for bit.
    ///
    /// # Shapes
    /// - planes: `[n, planes · rows · columns]`, as `Position::observe` writes them;
    /// - logits: `[n, num_actions]`, written for all actions, legal or not;
    /// - wdl: `[n, 3]`, written: probabilities of win, draw and loss for the player to move, which sum to one.
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn forward(&self, scratch: &mut Scratch, planes: &[f32], n: usize, logits: &mut [f32], wdl: &mut [f32]) {
        assert_eq!(planes.len(), n * self.config.layout.size(), "the length of planes for {n} positions");
        assert_eq!(logits.len(), n * self.config.num_actions, "the length of logits for {n} positions");
        assert_eq!(wdl.len(), n * 3, "the length of wdl for {n} positions");
        match &self.kind {
            Kind::Line(engine) => engine.forward(&mut scratch.line, planes, logits, wdl),
            Kind::Mlp(engine) => engine.forward(&mut scratch.mlp, planes, logits, wdl),
        }
    }
}

/// Writes the softmax of three logits.
fn write_wdl(logits: [f32; 3], wdl: &mut [f32]) {
    let most = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for (value, logit) in wdl.iter_mut().zip(logits) {
        *value = (logit - most).exp();
    }
    let sum: f32 = wdl.iter().sum();
    wdl.iter_mut().for_each(|value| *value /= sum);
}

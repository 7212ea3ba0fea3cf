//! Evaluation on the CPU without a tensor library: weights are packed once, batches go through hand-written kernels.

pub(crate) mod asked;
pub(crate) mod global;
pub(crate) mod groups;
pub(crate) mod heads;
mod hex;
#[expect(unsafe_code, reason = "vector instructions")]
pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod layers;
mod line;
pub(crate) mod line_encoder;
pub(crate) mod line_memory;
pub(crate) mod mixing;
mod mlp;
mod quantised;
pub(crate) mod sparse;
pub(crate) mod spots;
pub(crate) mod trunk;

use std::fmt;
use std::str::FromStr;

use gipf_env::math;
use gipf_env::text::truncate_escaped;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, NetConfig, NetKind};
use crate::probe::probes;
use crate::weights::{Weights, WeightsError};
use hex::{HexEngine, HexScratch};
use line::{LineEngine, LineScratch};
use mlp::{MlpEngine, MlpScratch};

pub use asked::Asked;
pub use kernel::Instructions;
pub use layers::Answers;

/// How many positions go through the layers of spots together: their features stay in the second-level cache.
pub(crate) const CHUNK: usize = 16;

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
    Hex(Box<HexEngine>),
    Mlp(Box<MlpEngine>),
}

/// How exactly an engine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// In 32-bit floats throughout: as the network learned, except for the order of sums.
    F32,
    /// The mixing steps of a line network, the layers of a hex network and all layers of a perceptron but the first in
    /// integers of seven and eight bits, with a scale for each position and each output. Faster, and slightly less exact.
    Int8,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::F32, Self::Int8];
}

/// The text names no precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown precision `{0}`: expected f32 or int8")]
pub struct UnknownPrecision(String);

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        })
    }
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        match text {
            // The names before 0.1.0 are still read.
            "f32" | "floats" => Ok(Self::F32),
            "int8" | "bytes" => Ok(Self::Int8),
            _ => Err(UnknownPrecision(truncate_escaped(text, 60))),
        }
    }
}

/// How an engine is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The instructions; results are the same bits with all of them. By default the best that the machine has.
    pub instructions: Instructions,
    /// How exactly it computes; by default in int8, which plays better in equal time (METHODS.md).
    pub precision: Precision,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self { instructions: Instructions::detect(), precision: Precision::Int8 }
    }
}

/// The working memory of one thread; it grows to what its engine needs. Any scratch serves any engine.
#[derive(Debug, Default)]
pub struct Scratch {
    line: LineScratch,
    hex: HexScratch,
    mlp: MlpScratch,
}

/// Weights that do not make a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The network's settings are impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The weights are not those of the network.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The weights are so large that sums over them are not finite.
    #[error("its weights are too large to compute with: expected finite answers, found others in {0}")]
    NotFinite(Precision),
}

impl Engine {
    /// Prepares a network for evaluation in the default way.
    ///
    /// # Errors
    /// As for [`with_options`](Self::with_options).
    pub fn new(weights: &Weights, config: &NetConfig) -> Result<Self, EngineError> {
        Self::with_options(weights, config, EngineOptions::default())
    }

    /// Prepares a network for evaluation.
    ///
    /// Everything that plays uses an engine, so the network is tried here on some observations, and its answers must be
    /// finite.
    ///
    /// # Errors
    /// If the network is impossible, the weights are not its own, or so large that its answers are not finite.
    pub fn with_options(weights: &Weights, config: &NetConfig, options: EngineOptions) -> Result<Self, EngineError> {
        config.validate()?;
        weights.check(config)?;
        let kind = match &config.net {
            NetKind::Line(sizes) => Kind::Line(Box::new(LineEngine::new(weights, config, sizes, options))),
            NetKind::Hex(sizes) => Kind::Hex(Box::new(HexEngine::new(weights, config, sizes, options))),
            NetKind::Mlp(sizes) => Kind::Mlp(Box::new(MlpEngine::new(weights, config, sizes, options))),
        };
        let engine = Self { config: config.clone(), kind };
        if engine.is_finite() { Ok(engine) } else { Err(EngineError::NotFinite(options.precision)) }
    }

    /// Checks that a network can be evaluated in each of these precisions.
    ///
    /// # Errors
    /// As [`with_options`](Self::with_options).
    pub fn check(weights: &Weights, config: &NetConfig, precisions: &[Precision]) -> Result<(), EngineError> {
        precisions.iter().try_for_each(|&precision| {
            Self::with_options(weights, config, EngineOptions { precision, ..EngineOptions::default() }).map(drop)
        })
    }

    /// Returns whether all answers to the probes are finite.
    fn is_finite(&self) -> bool {
        let planes = probes(&self.config);
        let n = planes.len() / self.config.layout.size();
        let (mut logits, mut wdl) = (vec![0.0; n * self.config.actions.size()], vec![0.0; n * 3]);
        self.forward(&mut Scratch::default(), &planes, n, &mut logits, &mut wdl);
        logits.iter().chain(&wdl).all(|answer| answer.is_finite())
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
        assert_eq!(wdl.len(), n * 3, "the length of wdl for {n} positions");
        self.answer(scratch, planes, Answers { logits, asked: Asked::All, wdl });
    }

    /// Evaluates as many observations as `wdl` has values for, as [`forward`](Self::forward) does, but writes only the
    /// policy logits that are asked for; the others may hold anything.
    ///
    /// # Panics
    /// If a slice has another length, or an action is asked for that does not exist.
    pub fn answer(&self, scratch: &mut Scratch, planes: &[f32], answers: Answers) {
        let (n, actions) = (answers.wdl.len() / 3, self.config.actions.size());
        assert_eq!(answers.wdl.len(), n * 3, "the length of wdl");
        assert!(answers.asked.fits(n, actions), "a list of existing actions for each of {n} positions");
        assert_eq!(planes.len(), n * self.config.layout.size(), "the length of planes for {n} positions");
        assert_eq!(answers.logits.len(), n * actions, "the length of logits for {n} positions");
        match &self.kind {
            Kind::Line(engine) => engine.forward(&mut scratch.line, planes, answers),
            Kind::Hex(engine) => engine.forward(&mut scratch.hex, planes, answers),
            Kind::Mlp(engine) => engine.forward(&mut scratch.mlp, planes, answers.logits, answers.wdl),
        }
    }
}

/// Writes the softmax of three logits.
fn write_wdl(logits: [f32; 3], wdl: &mut [f32]) {
    let most = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for (value, logit) in wdl.iter_mut().zip(logits) {
        *value = math::exp(logit - most);
    }
    let sum: f32 = wdl.iter().sum();
    for value in wdl {
        *value /= sum;
    }
}

#[cfg(test)]
mod tests {
    use gipf_env::ActionSpace;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::config::tests::{gipf_layout, small_configs};
    use crate::config::{HexConfig, MlpConfig};
    use crate::names::{LayerName, TensorName};
    use crate::testing::random_planes;

    /// Returns the logits and values of observations, `batch` of them at a time.
    fn evaluate(engine: &Engine, scratch: &mut Scratch, planes: &[f32], batch: usize) -> (Vec<f32>, Vec<f32>) {
        let (size, actions) = (engine.config().layout.size(), engine.config().actions.size());
        let n = planes.len() / size;
        let (mut logits, mut wdl) = (vec![f32::NAN; n * actions], vec![f32::NAN; n * 3]);
        let outputs = logits.chunks_mut(batch * actions).zip(wdl.chunks_mut(batch * 3));
        for (planes, (logits, wdl)) in planes.chunks(batch * size).zip(outputs) {
            engine.forward(scratch, planes, planes.len() / size, logits, wdl);
        }
        (logits, wdl)
    }

    fn engine(config: &NetConfig, seed: u64) -> Engine {
        Engine::new(&Weights::initial(config, seed), config).unwrap()
    }

    fn engine_of(config: &NetConfig, precision: Precision) -> Engine {
        let options = EngineOptions { precision, ..EngineOptions::default() };
        Engine::with_options(&Weights::initial(config, 1), config, options).unwrap()
    }

    /// Returns the largest error of int8, as a share of the largest logit.
    fn off(config: &NetConfig, weights: &Weights) -> f32 {
        let planes = random_planes(config, 50, &mut ChaCha8Rng::seed_from_u64(4));
        let [floats, bytes] = [Precision::F32, Precision::Int8].map(|precision| {
            let options = EngineOptions { precision, ..EngineOptions::default() };
            let engine = Engine::with_options(weights, config, options).unwrap();
            evaluate(&engine, &mut Scratch::default(), &planes, 50).0
        });
        let most = floats.iter().fold(0.0_f32, |most, logit| most.max(logit.abs()));
        floats.iter().zip(&bytes).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs())) / most
    }

    #[test]
    fn bytes_are_nearly_floats() {
        for config in small_configs() {
            let off = off(&config, &Weights::initial(&config, 1));
            assert!(off <= 0.02, "{config:?}: off by {off}");
        }
    }

    #[test]
    fn errors_of_bytes_add_up_over_blocks_no_faster_than_their_number() {
        for blocks in [1, 2, 4, 8, 16] {
            let net = NetKind::Hex(HexConfig { blocks, channels: 32, value_hidden: 8 });
            let config = NetConfig { net, layout: gipf_layout(4, 2, 5), actions: ActionSpace::STANDARD };
            let mut weights = Weights::initial(&config, 1);
            // Blocks begin with hardly any effect; here they have their full effect.
            let second = weights.0.iter_mut().filter(|(name, _)| name.ends_with("second.weight"));
            second.flat_map(|(_, array)| &mut array.values).for_each(|value| *value *= 10.0);
            let off = off(&config, &weights);
            assert!(off <= 0.01 + 0.004 * blocks as f32, "{blocks} blocks: off by {off}");
        }
    }

    #[test]
    fn a_result_does_not_depend_on_its_batch() {
        let precisions = [Precision::F32, Precision::Int8];
        for (config, precision) in
            small_configs().into_iter().flat_map(|config| precisions.map(|p| (config.clone(), p)))
        {
            let planes = random_planes(&config, 70, &mut ChaCha8Rng::seed_from_u64(1));
            let engine = engine_of(&config, precision);
            let alone = evaluate(&engine, &mut Scratch::default(), &planes, 1);
            for batch in [2, 7, 16, 33, 70] {
                assert_eq!(evaluate(&engine, &mut Scratch::default(), &planes, batch), alone, "{config:?} {batch}");
            }
            assert!(alone.0.iter().all(|logit| logit.is_finite()));
            for wdl in alone.1.chunks_exact(3) {
                assert!(wdl.iter().all(|&p| p > 0.0) && (wdl.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{wdl:?}");
            }
        }
    }

    #[test]
    fn what_is_asked_for_is_answered_as_ever() {
        for config in small_configs() {
            let planes = random_planes(&config, 40, &mut ChaCha8Rng::seed_from_u64(5));
            let (engine, size) = (engine(&config, 1), config.actions.size());
            let (all, expected) = evaluate(&engine, &mut Scratch::default(), &planes, 40);
            let listed: Vec<Vec<u16>> = (0..40).map(|n| (0..size as u16).filter(|i| i % 7 < n % 9).collect()).collect();
            let starts = [0].into_iter().chain(listed.iter().scan(0, |sum, list| {
                *sum += list.len();
                Some(*sum)
            }));
            let (actions, starts) = (listed.concat(), starts.collect::<Vec<_>>());
            let (mut logits, mut wdl) = (vec![f32::NAN; 40 * size], vec![f32::NAN; 120]);
            let asked = Asked::Listed { actions: &actions, starts: &starts };
            engine.answer(&mut Scratch::default(), &planes, Answers { logits: &mut logits, asked, wdl: &mut wdl });
            assert_eq!(wdl, expected);
            for (n, list) in listed.iter().enumerate() {
                let of = |logits: &[f32]| list.iter().map(|&i| logits[n * size + usize::from(i)]).collect::<Vec<_>>();
                assert_eq!(of(&logits), of(&all), "{config:?}");
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        for config in small_configs() {
            let planes = random_planes(&config, 20, &mut ChaCha8Rng::seed_from_u64(2));
            let weights = Weights::initial(&config, 2);
            for precision in [Precision::F32, Precision::Int8] {
                let results = Instructions::available().map(|instructions| {
                    let options = EngineOptions { instructions, precision };
                    let engine = Engine::with_options(&weights, &config, options).unwrap();
                    evaluate(&engine, &mut Scratch::default(), &planes, 20)
                });
                results.reduce(|one, other| if one == other { one } else { panic!("{config:?}") });
            }
        }
    }

    #[test]
    fn what_a_scratch_remembers_changes_nothing() {
        // More patterns than a memory keeps, and engines that take turns.
        let config = &small_configs()[3];
        let planes = random_planes(config, 4000, &mut ChaCha8Rng::seed_from_u64(3));
        let engines = [1, 2].map(|seed| engine(config, seed));
        let mut scratch = Scratch::default();
        let used = evaluate(&engines[0], &mut scratch, &planes, 32);
        let other = evaluate(&engines[1], &mut scratch, &planes[..32 * config.layout.size()], 32);
        let some = &planes[3000 * config.layout.size()..3032 * config.layout.size()];
        let (logits, wdl) = evaluate(&engines[0], &mut Scratch::default(), some, 32);
        let actions = config.actions.size();
        assert_eq!((&used.0[3000 * actions..3032 * actions], &used.1[9000..9096]), (&logits[..], &wdl[..]));
        assert_ne!(other.0, used.0[..32 * actions]);
        assert_eq!(evaluate(&engines[0], &mut scratch, some, 32), (logits, wdl));
    }

    #[test]
    fn weights_that_are_finite_but_too_large_are_refused() {
        for config in small_configs() {
            for precision in [Precision::F32, Precision::Int8] {
                let refused = |factor: f32| {
                    let mut weights = Weights::initial(&config, 1);
                    weights.0.values_mut().flat_map(|array| &mut array.values).for_each(|value| *value *= factor);
                    assert_eq!(weights.check(&config), Ok(()), "every number is finite");
                    Engine::with_options(&weights, &config, EngineOptions { precision, ..EngineOptions::default() })
                        .err()
                };
                assert_eq!(refused(1e3), None, "{config:?}");
                assert_eq!(refused(1e34), Some(EngineError::NotFinite(precision)), "{config:?}");
            }
        }
    }

    /// Rounded to integers, NaN becomes 0.
    #[test]
    fn weights_can_be_too_large_for_one_precision_alone() {
        for game in small_configs() {
            let config = NetConfig { net: NetKind::Mlp(MlpConfig { hidden: vec![8; 3] }), ..game };
            let mut weights = Weights::initial(&config, 1);
            for (layer, value) in [(1, f32::MAX), (2, 1e-6)] {
                weights.get_mut(TensorName::Weight(LayerName::Hidden(layer))).values.fill(value);
            }
            let refused = Precision::ALL.map(|precision| {
                let options = EngineOptions { precision, ..EngineOptions::default() };
                Engine::with_options(&weights, &config, options).err()
            });
            assert_eq!(refused, [Some(EngineError::NotFinite(Precision::F32)), None], "{config:?}");
        }
    }

    #[test]
    fn foreign_weights_are_refused() {
        let [one, other] = [&small_configs()[0], &small_configs()[1]];
        let error = Engine::new(&Weights::initial(one, 1), other).unwrap_err();
        assert!(matches!(error, EngineError::Weights(_)), "{error}");
    }

    #[test]
    #[should_panic(expected = "the length of logits for 2 positions")]
    fn slices_of_other_lengths_are_refused() {
        let config = &small_configs()[4];
        let planes = vec![0.0; 2 * config.layout.size()];
        engine(config, 1).forward(&mut Scratch::default(), &planes, 2, &mut [0.0; 17], &mut [0.0; 6]);
    }
}

//! The networks as burn modules, for learning.

mod answer;
mod automatic;
mod device;
mod heads;
mod hex;
mod layers;
mod line;
mod line_input;
mod loss;
mod mlp;
mod vector;

use burn::tensor::{Device, Tensor, TensorData};

use crate::config::{NetConfig, NetKind};
use crate::weights::{Weights, WeightsError};
use hex::{HexInput, HexNet};
use line::LineNet;
use line_input::LineInput;
use mlp::MlpNet;

pub use answer::Answer;
pub use automatic::AutoGradient;
pub use loss::{Targets, cross_entropy, masked};

/// A network on a device.
#[derive(Clone, Debug)]
pub struct Net {
    config: NetConfig,
    device: Device,
    body: Body,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a program holds a handful of networks")]
enum Body {
    Line(LineNet),
    Hex(HexNet),
    Mlp(MlpNet),
}

/// Observations prepared for one network, on its device.
#[derive(Clone, Debug)]
pub struct Input(Prepared);

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a program holds one batch at a time")]
enum Prepared {
    Line(LineInput),
    Hex(HexInput),
    Mlp(Tensor<2>),
}

/// The outputs of a network for B positions.
#[derive(Clone, Debug)]
pub struct Output {
    /// The policy logits of all actions, legal or not, `[B, A]`.
    pub policy: Tensor<2>,
    /// The logits of win, draw and loss for the player to move, `[B, 3]`.
    pub wdl: Tensor<2>,
}

impl Net {
    /// Puts a network on a device. With automatic differentiation, all its tensors are tracked.
    ///
    /// # Errors
    /// If the weights are not those of the network.
    ///
    /// # Panics
    /// If the network is not valid ([`NetConfig::validate`]).
    pub fn new(config: &NetConfig, weights: &Weights, device: &Device) -> Result<Self, WeightsError> {
        weights.check(config)?;
        let body = match &config.net {
            NetKind::Line(sizes) => Body::Line(LineNet::new(config, sizes, weights, device)),
            NetKind::Hex(sizes) => Body::Hex(HexNet::new(config, sizes, weights, device)),
            NetKind::Mlp(sizes) => Body::Mlp(MlpNet::new(sizes, weights, device)),
        };
        Ok(Self { config: config.clone(), device: device.clone(), body })
    }

    /// Returns the network's settings.
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Prepares observations.
    ///
    /// # Shapes
    /// - planes: `[B, planes · rows · columns]`.
    pub fn prepare(&self, planes: &[f32]) -> Input {
        Input(match &self.body {
            Body::Line(_) => Prepared::Line(LineInput::new(&self.config, planes, &self.device)),
            Body::Hex(_) => Prepared::Hex(HexInput::new(&self.config, planes, &self.device)),
            Body::Mlp(_) => Prepared::Mlp(mlp::prepare(&self.config, planes, &self.device)),
        })
    }

    /// Evaluates prepared observations.
    ///
    /// # Panics
    /// If they were prepared for a network of another kind.
    pub fn forward(&self, input: &Input) -> Output {
        match (&self.body, &input.0) {
            (Body::Line(net), Prepared::Line(input)) => net.forward(input),
            (Body::Hex(net), Prepared::Hex(input)) => net.forward(input),
            (Body::Mlp(net), Prepared::Mlp(input)) => net.forward(input.clone()),
            _ => panic!("observations prepared for another kind of network"),
        }
    }
}

/// Returns a matrix of plain numbers on a device.
fn matrix(values: Vec<f32>, shape: [usize; 2], device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Gradients;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::DeviceKind;
    use crate::batch::Batch;
    use crate::config::tests::small_configs;
    use crate::infer::{Engine, EngineOptions, Precision, Scratch};
    use crate::testing::{close, random_batch, random_planes};

    fn net(config: &NetConfig, seed: u64) -> Net {
        let device = DeviceKind::Cpu.device().unwrap().autodiff();
        Net::new(config, &Weights::initial(config, seed), &device).unwrap()
    }

    fn loss(net: &Net, batch: &Batch) -> Tensor<1> {
        let output = net.forward(&net.prepare(&batch.planes));
        let [policy, value] = Targets::of_part(&batch.parts(1)[0], &net.device).losses(&output);
        policy + value
    }

    fn to_vec<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_to_vec().unwrap()
    }

    #[test]
    fn weights_survive_the_module() {
        for config in small_configs() {
            let weights = Weights::initial(&config, 5);
            let net = net(&config, 5);
            assert_eq!(net.weights(), weights);
            assert_eq!(to_vec(net.to_vector()).len(), weights.count());
            let zeros = net.to_vector().zeros_like();
            let other = net.clone().with_vector(&zeros);
            assert!(other.weights().0.values().all(|array| array.values.iter().all(|&value| value == 0.0)));
            assert_eq!(other.with_vector(&net.to_vector()).weights(), weights);
            assert_eq!(
                weights.to_flat(&config),
                to_vec(net.to_vector()),
                "files hold the weights in the order of the module"
            );
        }
    }

    #[test]
    fn the_engine_says_what_the_module_says() {
        for (seed, config) in small_configs().iter().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
            // Larger weights than at the start, so that all parts of the network matter.
            let mut weights = Weights::initial(config, seed as u64);
            weights.0.values_mut().flat_map(|array| &mut array.values).for_each(|value| *value = *value * 1.7 + 0.01);
            let planes = random_planes(config, 70, &mut rng);
            let net = Net::new(config, &weights, &DeviceKind::Cpu.device().unwrap()).unwrap();
            let output = net.forward(&net.prepare(&planes));
            let wdl = burn::tensor::activation::softmax(output.wdl, 1);
            let (mut logits, mut values) = (vec![0.0; 70 * config.actions.size()], vec![0.0; 70 * 3]);
            let options = EngineOptions { precision: Precision::F32, ..EngineOptions::default() };
            let engine = Engine::with_options(&weights, config, options).unwrap();
            engine.forward(&mut Scratch::default(), &planes, 70, &mut logits, &mut values);
            for (found, expected) in [(logits, to_vec(output.policy)), (values, to_vec(wdl))] {
                close(&format!("{config:?}"), &found, &expected, 1e-4);
            }
        }
    }

    #[test]
    fn every_weight_learns() {
        for config in small_configs() {
            let net = net(&config, 2);
            let gradients: Gradients = loss(&net, &random_batch(&config, 200, 3)).backward();
            let gradient = net.gradient_vector(&gradients);
            let named = net.clone().with_vector(&gradient).weights();
            for (name, array) in named.0 {
                // Some hidden units are never active.
                let still = array.values.iter().filter(|&&value| value == 0.0).count();
                assert!(2 * still <= array.values.len(), "{name} of {config:?}: {still} of {}", array.values.len());
            }
        }
    }
}

//! The weights of a network: named arrays.

use std::collections::BTreeMap;

use gipf_env::text::truncate_escaped;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::config::NetConfig;
use crate::names::{LayerName, TensorName};
use crate::parameters::parameters;

/// An array of numbers in row-major order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array {
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The numbers; as many as the product of the shape.
    pub values: Vec<f32>,
}

/// The weights of a network, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(pub BTreeMap<String, Array>);

/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 80;

/// Why weights do not fit the network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// A tensor of the network is missing.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// The network has no such tensor.
    #[error("tensor `{}` is not part of the network", truncate_escaped(.0, SHOWN))]
    Unexpected(String),
    /// A tensor has another shape.
    #[error("tensor `{name}` has shape {}: expected {expected:?}", truncate_escaped(&format!("{found:?}"), SHOWN))]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that the network needs.
        expected: Vec<usize>,
    },
    /// A tensor holds infinities or NaN.
    #[error("tensor `{0}` holds values that are not finite")]
    NotFinite(String),
}

impl Weights {
    /// Returns the weights with which learning starts: the same for the same network and seed.
    ///
    /// Each tensor is drawn uniformly from an interval around 0 with the deviation that [`parameters`] states.
    pub fn initial(config: &NetConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arrays = parameters(config).into_iter().map(|parameter| {
            let bound = parameter.deviation * 3f32.sqrt();
            let count = parameter.shape.iter().product();
            let values = (0..count).map(|_| (2.0 * rng.random::<f32>() - 1.0) * bound).collect();
            (parameter.name.to_string(), Array { shape: parameter.shape, values })
        });
        Self(arrays.collect())
    }

    /// Returns the mean of the weights of networks, number by number.
    ///
    /// Networks from successive steps of one training lie around a valley of the loss, and their mean lies nearer to
    /// its floor (Izmailov et al., "Averaging weights leads to wider optima and better generalization", 2018).
    ///
    /// # Panics
    /// If there are none, or they are not of networks of one kind and size.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = all.into_iter();
        let mut mean = all.next().expect("a mean is of something").clone();
        for (others, weights) in (1..).zip(all) {
            assert!(mean.0.keys().eq(weights.0.keys()), "the networks are of one kind");
            for (array, other) in mean.0.values_mut().zip(weights.0.values()) {
                assert_eq!(array.shape, other.shape, "the networks are of one size");
                for (value, new) in array.values.iter_mut().zip(&other.values) {
                    *value += (new - *value) / (others + 1) as f32;
                }
            }
        }
        mean
    }

    /// Checks that these are weights of the network: all tensors, no others, of the right shapes, and finite.
    ///
    /// # Errors
    /// The first tensor that is wrong.
    pub fn check(&self, config: &NetConfig) -> Result<(), WeightsError> {
        check_shapes(config, self.0.iter().map(|(name, array)| (&**name, &array.shape[..])))?;
        self.check_values()
    }

    /// Checks that there are as many numbers as the shapes say, and that all are finite.
    ///
    /// # Errors
    /// The first tensor that is wrong.
    pub(crate) fn check_values(&self) -> Result<(), WeightsError> {
        for (name, array) in &self.0 {
            if array.values.len() != array.shape.iter().product::<usize>() {
                let (found, expected) = (vec![array.values.len()], array.shape.clone());
                return Err(WeightsError::Shape { name: name.clone(), found, expected });
            }
            if !array.values.iter().all(|value| value.is_finite()) {
                return Err(WeightsError::NotFinite(name.clone()));
            }
        }
        Ok(())
    }

    /// Returns a tensor that is known to exist.
    ///
    /// # Panics
    /// If it does not.
    pub fn get(&self, name: TensorName) -> &Array {
        self.0.get(&name.to_string()).unwrap_or_else(|| panic!("no tensor `{name}`"))
    }

    /// Returns a tensor that is known to exist, to be changed.
    pub(crate) fn get_mut(&mut self, name: TensorName) -> &mut Array {
        self.0.get_mut(&name.to_string()).unwrap_or_else(|| panic!("no tensor `{name}`"))
    }

    /// Returns the numbers of a tensor that is known to exist, row by row.
    ///
    /// # Panics
    /// If it does not.
    pub fn values(&self, name: TensorName) -> &[f32] {
        &self.get(name).values
    }

    /// Returns the weight and the bias of a layer that is known to exist.
    ///
    /// # Panics
    /// If it does not.
    pub fn layer(&self, name: LayerName) -> [&[f32]; 2] {
        [TensorName::Weight(name), TensorName::Bias(name)].map(|part| self.values(part))
    }

    /// Returns all numbers one after the other, tensor by tensor in the order of [`parameters`].
    ///
    /// # Panics
    /// If a tensor of the network is missing.
    pub fn to_flat(&self, config: &NetConfig) -> Vec<f32> {
        parameters(config).into_iter().flat_map(|parameter| self.values(parameter.name).to_vec()).collect()
    }

    /// Returns the weights whose numbers these are, as [`Self::to_flat`] returns them; `None` if their number is not
    /// that of the network.
    pub fn of_flat(config: &NetConfig, values: &[f32]) -> Option<Self> {
        let mut rest = values;
        let mut arrays = BTreeMap::new();
        for parameter in parameters(config) {
            let (values, others) = rest.split_at_checked(parameter.shape.iter().product())?;
            rest = others;
            arrays.insert(parameter.name.to_string(), Array { shape: parameter.shape, values: values.to_vec() });
        }
        rest.is_empty().then_some(Self(arrays))
    }

    /// Returns the number of weights.
    pub fn count(&self) -> usize {
        self.0.values().map(|array| array.values.len()).sum()
    }
}

/// Checks that these are the tensors of the network: all of them, no others, of the right shapes.
///
/// # Errors
/// The first tensor that is wrong.
pub(crate) fn check_shapes<'a>(
    config: &NetConfig,
    tensors: impl Iterator<Item = (&'a str, &'a [usize])>,
) -> Result<(), WeightsError> {
    let mut missing: BTreeMap<_, _> = parameters(config).into_iter().map(|p| (p.name.to_string(), p.shape)).collect();
    for (name, found) in tensors {
        let expected = missing.remove(name).ok_or_else(|| WeightsError::Unexpected(name.to_owned()))?;
        if found != expected {
            return Err(WeightsError::Shape { name: name.to_owned(), found: found.to_vec(), expected });
        }
    }
    missing.into_keys().next().map_or(Ok(()), |name| Err(WeightsError::Missing(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;

    #[test]
    fn initial_weights_depend_on_the_seed_alone() {
        for config in small_configs() {
            let weights = Weights::initial(&config, 7);
            assert_eq!(weights.check(&config), Ok(()));
            assert_eq!(weights, Weights::initial(&config, 7));
            assert_ne!(weights, Weights::initial(&config, 8));
        }
    }

    #[test]
    fn weights_survive_as_one_list() {
        for config in small_configs() {
            let weights = Weights::initial(&config, 7);
            let mut flat = weights.to_flat(&config);
            assert_eq!(flat.len(), weights.count());
            assert_eq!(Weights::of_flat(&config, &flat), Some(weights));
            flat.push(0.0);
            assert_eq!(Weights::of_flat(&config, &flat), None);
            assert_eq!(Weights::of_flat(&config, &flat[2..]), None);
        }
    }

    #[test]
    fn a_mean_is_that_of_every_number() {
        let config = &small_configs()[0];
        let all = [1, 2, 3].map(|seed| Weights::initial(config, seed));
        let mean = Weights::mean(&all);
        assert_eq!(mean.check(config), Ok(()));
        for (name, array) in &mean.0 {
            for (at, value) in array.values.iter().enumerate() {
                let expected = all.iter().map(|weights| weights.0[name].values[at]).sum::<f32>() / 3.0;
                assert!((value - expected).abs() < 1e-6, "{name}: {value} instead of {expected}");
            }
        }
        assert_eq!(Weights::mean([&all[0]; 4]), all[0]);
    }

    #[test]
    fn wrong_weights_are_named() {
        let config = &small_configs()[0];
        let weights = Weights::initial(config, 1);
        let refused = |change: fn(&mut BTreeMap<String, Array>)| {
            let mut weights = weights.clone();
            change(&mut weights.0);
            weights.check(config).unwrap_err()
        };
        let name = || "value.0.bias".to_owned();
        assert_eq!(refused(|w| drop(w.remove("value.0.bias"))), WeightsError::Missing(name()));
        assert_eq!(refused(|w| drop(w.insert("x".into(), Array::default()))), WeightsError::Unexpected("x".into()));
        let not_a_number = refused(|w| w.get_mut("value.0.bias").unwrap().values[0] = f32::NAN);
        assert_eq!(not_a_number, WeightsError::NotFinite(name()));
        let shape = refused(|w| w.get_mut("value.0.bias").unwrap().shape[0] += 1);
        assert!(matches!(shape, WeightsError::Shape { name: wrong, .. } if wrong == name()));
    }
}

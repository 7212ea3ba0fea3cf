//! A learner as a file: everything that determines further learning, except the settings.

use std::collections::BTreeMap;
use std::path::Path;

use gipf_models::gradient::Method;
use gipf_models::{Array, NetConfig, TensorFile, Weights};
use serde::{Deserialize, Serialize};

use super::{Learner, LearnerError};
use crate::training::learning::adamw::Moments;
use crate::training::settings::OptimizerConfig;

/// The version of the files that [`Learner::save_state`] writes.
const STATE_VERSION: u32 = 1;
/// More steps than any learner takes; beyond this the counter could overflow.
const MOST_STEPS: u64 = 1 << 48;
const WEIGHTS: &str = "weights";
const AVERAGE: &str = "average";
const MOMENT_1: &str = "moment_1";
const MOMENT_2: &str = "moment_2";

/// The metadata of a state file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    version: u32,
    net: NetConfig,
    steps: u64,
}

impl Learner {
    /// Writes everything that determines further learning, except the settings.
    ///
    /// # Errors
    /// If the file cannot be written; an existing file stays whole.
    pub fn save_state(&self, path: &Path) -> Result<(), LearnerError> {
        let mut numbers = vec![(WEIGHTS, &self.weights), (AVERAGE, &self.average)];
        if self.steps > 0 {
            numbers.extend([(MOMENT_1, &self.moments.first), (MOMENT_2, &self.moments.second)]);
        }
        // Each has shape `[N]`.
        let flat = |values: Vec<f32>| Array { shape: vec![values.len()], values };
        let tensors = numbers.into_iter().map(|(name, of)| (name.to_owned(), flat(of.to_flat(&self.net)))).collect();
        let body = State { version: STATE_VERSION, net: self.net.clone(), steps: self.steps };
        Ok(TensorFile { body, tensors }.save(path)?)
    }

    /// Returns the learner stored in a file: every later weight is the same, bit for bit, as if learning had never stopped.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is of another version, or the device was not built in.
    pub fn stored(path: &Path, config: &OptimizerConfig) -> Result<Self, LearnerError> {
        let TensorFile { body: State { net, steps, .. }, mut tensors } = read_state(path)?;
        let mut named = |name| shaped(&net, name, &mut tensors).map_err(|reason| foreign(path, reason));
        let (weights, average) = (named(WEIGHTS)?, named(AVERAGE)?);
        let moments = match steps {
            0 => Moments::of(&weights),
            _ => Moments { first: named(MOMENT_1)?, second: named(MOMENT_2)? },
        };
        if steps > MOST_STEPS || moments.second.to_flat(&net).iter().any(|&mean| mean < 0.0) {
            return Err(foreign(path, "its steps and means of squares are those of no learner".to_owned()));
        }
        let method = Method::of(&net, config.device)?;
        Ok(Self { config: config.clone(), net, method, weights, moments, average, steps, left: 1.0 })
    }
}

fn foreign(path: &Path, reason: String) -> LearnerError {
    LearnerError::Foreign { path: path.to_owned(), reason }
}

/// Reads the file of a learner, whose network must be one that can be built.
fn read_state(path: &Path) -> Result<TensorFile<State>, LearnerError> {
    let found = TensorFile::<State>::load(path)?;
    if found.body.version != STATE_VERSION {
        return Err(foreign(path, format!("its version is {}, expected {STATE_VERSION}", found.body.version)));
    }
    found.body.net.validate().map_err(|error| foreign(path, error.to_string()))?;
    Ok(found)
}

/// Returns the numbers of a tensor as the network's weights. A small file may name a huge network: nothing of that
/// size is allocated before the numbers are known to be there.
fn shaped(net: &NetConfig, name: &str, tensors: &mut BTreeMap<String, Array>) -> Result<Weights, String> {
    let count = net.num_weights();
    let Array { shape, values } = tensors.remove(name).ok_or_else(|| format!("expected a tensor `{name}`"))?;
    let weights = if shape == [count] { Weights::of_flat(net, &values) } else { None };
    let weights = weights.ok_or_else(|| format!("expected a tensor `{name}` of {count} numbers"))?;
    let is_finite = values.iter().all(|value| value.is_finite());
    is_finite.then_some(weights).ok_or_else(|| format!("its tensor `{name}` holds values that are not finite"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use gipf_models::{HexConfig, LineConfig, NetKind};

    use super::super::tests::{batch, configs, learner};
    use super::*;

    /// Writes the state of a learner after this many steps, and returns the learner.
    fn saved(path: &Path, config: &NetConfig, steps: u64) -> Learner {
        let mut learner = learner(config);
        for step in 0..steps {
            learner.train_step(&batch(config, 48, step), 1e-3).unwrap();
        }
        learner.save_state(path).unwrap();
        learner
    }

    #[test]
    fn a_stored_learner_goes_on_as_if_it_had_never_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learner");
        for (config, pause) in configs().into_iter().flat_map(|config| [0, 3].map(|pause| (config.clone(), pause))) {
            let mut without = saved(&path, &config, pause);
            let mut with = Learner::stored(&path, &OptimizerConfig::default()).unwrap();
            for step in pause..6 {
                let batch = batch(&config, 48, step);
                assert_eq!(with.train_step(&batch, 1e-3).unwrap(), without.train_step(&batch, 1e-3).unwrap());
            }
            assert_eq!((with.weights(), with.raw_weights()), (without.weights(), without.raw_weights()));
            assert_eq!(with.steps(), 6);
        }
    }

    /// The largest file that is read must hold the largest network that is trained.
    #[test]
    fn a_state_has_four_numbers_for_each_weight() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learner");
        for config in configs() {
            saved(&path, &config, 1);
            let tensors = TensorFile::<State>::load(&path).unwrap().tensors;
            assert_eq!(tensors.values().map(|of| of.values.len()).sum::<usize>(), 4 * config.num_weights());
        }
    }

    /// Saves a sound state with one change, and returns why it is refused.
    fn refused(change: impl FnOnce(&mut TensorFile<State>)) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learner");
        saved(&path, &configs()[0], 1);
        let mut file = TensorFile::load(&path).unwrap();
        change(&mut file);
        file.save(&path).unwrap();
        let began = Instant::now();
        let error = Learner::stored(&path, &OptimizerConfig::default()).err().expect("it is refused");
        assert!(began.elapsed() < Duration::from_secs(1), "{error} after {:?}", began.elapsed());
        assert!(matches!(error, LearnerError::Foreign { .. }), "{error}");
        error.to_string()
    }

    #[test]
    fn tensors_of_other_sizes_are_refused_before_anything_is_made_of_them() {
        for name in [WEIGHTS, AVERAGE, MOMENT_1, MOMENT_2] {
            let told = refused(|file| drop(file.tensors.remove(name)));
            assert!(told.ends_with(&format!("expected a tensor `{name}`")), "{told}");
            let told = refused(|file| file.tensors.get_mut(name).unwrap().shape.push(1));
            assert!(told.contains(&format!("expected a tensor `{name}` of ")), "{told}");
            let told = refused(|file| file.tensors.get_mut(name).unwrap().values[7] = f32::NAN);
            assert!(told.contains("not finite"), "{told}");
        }
        let hex = HexConfig { blocks: 64, channels: 256, ..HexConfig::default() };
        let told = refused(|file| file.body.net.net = NetKind::Hex(hex));
        assert!(told.contains("expected a tensor `weights` of 58"), "{told}");
    }

    #[test]
    fn what_is_no_file_or_no_network_is_refused() {
        let error = Learner::stored(tempfile::tempdir().unwrap().path(), &OptimizerConfig::default()).err();
        assert!(matches!(error, Some(LearnerError::File(_))), "{error:?}");
        let hollow = LineConfig { features: 0, ..LineConfig::default() };
        let told = refused(|file| file.body.net.net = NetKind::Line(hollow));
        assert!(told.contains("another learner") && told.contains("features"), "{told}");
    }
}

//! Networks without a search.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Engine, Export, Metadata, NetConfig, NetKind, Scratch, Weights};
use gipf_play::Stop;
use gipf_play::players::{CheckpointSpec, Network as Place};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};
use serde_json::Value;

use crate::argument::{self, Items, Name, Text, Whole, described};
use crate::error::{CheckpointError, GipfError, OrRaise, detached, guarded, one_line, variant};
use crate::planes;
use crate::waiting::interruptible;
use crate::workers::new_workers;

/// A network that was read, ready to be evaluated, and the checkpoint that it came from.
#[derive(Clone)]
pub struct Loaded {
    spec: CheckpointSpec,
    rules: Variant,
    checkpoint: Arc<Checkpoint>,
    engine: Arc<Engine>,
}

impl Loaded {
    /// Reads a network for the rule set asked for, or by default for its own.
    pub fn read(spec: &CheckpointSpec, asked: Option<Variant>) -> PyResult<Self> {
        let spec = CheckpointSpec { network: spec.network.resolved().or_raise()?, ..spec.clone() };
        let rules = match asked {
            Some(rules) => rules,
            // Of the networks that are shipped, that of the standard game.
            None => spec.network.variant().or_raise()?.unwrap_or(Variant::STANDARD),
        };
        let checkpoint = spec.network.checkpoint(rules).or_raise()?;
        Self::new(spec, rules, checkpoint)
    }

    /// Restores a network from its bytes, whatever path it once had.
    pub fn of_bytes(spec: CheckpointSpec, rules: Variant, bytes: &[u8]) -> PyResult<Self> {
        let place = spec.network.to_string();
        let checkpoint = Checkpoint::from_bytes(Path::new(&place), bytes).or_raise()?;
        let checkpoint = checkpoint.for_game(Path::new(&place), &rules.to_string()).or_raise()?;
        Self::new(spec, rules, checkpoint)
    }

    fn new(spec: CheckpointSpec, rules: Variant, checkpoint: Checkpoint) -> PyResult<Self> {
        // The shared threads may be busy for long, and some callers hold the interpreter.
        let engine = new_workers(None)?.install(|| spec.engine(&checkpoint, rules)).or_raise()?;
        Ok(Self { spec, rules, checkpoint: Arc::new(checkpoint), engine })
    }

    /// Returns the rule set that it plays.
    pub fn rules(&self) -> Variant {
        self.rules
    }

    /// Returns the engine that evaluates it.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Returns the bytes from which it can be restored.
    pub fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.checkpoint.to_bytes(Path::new(&self.spec.network.to_string()));
        Ok(PyBytes::new(py, &bytes.or_raise()?))
    }
}

/// A policy-value network without a search.
///
/// * `path`: "pretrained", or the path of a checkpoint or a run. A checkpoint knows its rule set. "mcts:PATH,precision=f32"
///   and "pretrained:precision=f32" evaluate entirely in 32-bit floats, as the network was trained, not partly in bytes.
/// * `variant`: the rule set of "pretrained" (standard by default); for a checkpoint, the expected rule set.
///
/// Raises `CheckpointError` if there is no sound checkpoint for this rule set at the path, `AgentError` if no network
/// for the rule set is shipped with the package, `PositionError` if there is no such rule set.
///
/// A pickled network includes its weights: it needs no file where it is restored.
#[pyclass(module = "gipf", frozen)]
pub struct Network {
    loaded: Loaded,
    scratch: Mutex<Scratch>,
}

/// Policies and values of n positions.
type Evaluations<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

/// The number of rows that are evaluated between two checks of the stop flag.
const ROWS: usize = 256;

impl From<Loaded> for Network {
    fn from(loaded: Loaded) -> Self {
        Self { loaded, scratch: Mutex::default() }
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (path = Name::from("pretrained"), *, variant = None))]
    #[pyo3(text_signature = "(path='pretrained', *, variant=None)")]
    fn new(py: Python<'_>, path: Name, variant: Option<Text>) -> PyResult<Self> {
        let asked = variant.map(|name| self::variant(&name)).transpose()?;
        let spec = path.checkpoint();
        detached(py, || Loaded::read(&spec, asked)).map(Self::from)
    }

    /// Restores a pickled network.
    #[classmethod]
    #[pyo3(signature = (name, variant, network, path = None))]
    fn _restore(
        _class: &Bound<'_, PyType>,
        name: Text,
        variant: Text,
        network: &[u8],
        path: Option<PathBuf>,
    ) -> PyResult<Self> {
        guarded(|| {
            let spec = Name::Text(name).checkpoint();
            let spec = path.into_iter().fold(spec, with_path);
            Loaded::of_bytes(spec, self::variant(&variant)?, network).map(Self::from)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let (name, path) = without_path(&self.loaded.spec);
        Ok((restore, (name, self.loaded.rules.to_string(), self.loaded.to_bytes(py)?, path).into_pyobject(py)?))
    }

    /// Returns a network with initial weights, before any learning.
    ///
    /// * `kind`: "line", "hex" or "mlp".
    /// * `variant`: the rule set.
    /// * `seed`: of its weights; the same seed gives the same weights.
    /// * `sizes`: the sizes of this kind of network, as in the settings `network` of a training, such as
    ///   `features=16, mixing=[16], push_paths=True` (line), `blocks=4, channels=32` (hex) or `hidden=[256, 256]`
    ///   (mlp); sizes that are left out have their defaults.
    ///
    /// Raises `PositionError` if there is no such rule set, `GipfError` if there is no such network.
    #[staticmethod]
    #[pyo3(signature = (kind = Text::from("line"), *, variant = Text::from("standard"), seed = Whole::of(0), **sizes))]
    #[pyo3(text_signature = "(kind='line', *, variant='standard', seed=0, **sizes)")]
    fn initial(kind: Text, variant: Text, seed: Whole, sizes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        guarded(|| {
            let (rules, seed) = (self::variant(&variant)?, argument::seed(seed)?);
            let config = NetConfig::of(net(&kind, sizes)?, &GipfPosition::start(rules));
            let config = config.map_err(|error| GipfError::new_err(one_line(&error)))?;
            let metadata = Metadata { game: rules.to_string(), step: 0, seed, commit: None };
            let checkpoint = Checkpoint { weights: Weights::initial(&config, seed), config, metadata };
            let spec = CheckpointSpec::new(Place::File("initial".into()));
            Loaded::new(spec, rules, checkpoint).map(Self::from)
        })
    }

    /// Returns the network as an ONNX model, as `gipf export --to onnx` writes it: its input is `observation`, its outputs
    /// are `logits`, `value` and `wdl`, in 32-bit floats. docs/export.md describes them.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let export = Export::of(&self.loaded.checkpoint).map_err(|error| CheckpointError::new_err(one_line(&error)))?;
        Ok(PyBytes::new(py, &export.onnx()))
    }

    /// Returns the network as the content of a checkpoint, which `gipf`, `Player` and `Network` read from a file.
    fn to_checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.loaded.to_bytes(py)
    }

    fn __copy__(&self) -> Self {
        self.loaded.clone().into()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    /// The rule set that it is for.
    #[getter]
    fn variant(&self) -> String {
        self.loaded.rules.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Network '{}' for {}>", self.loaded.spec.network, self.loaded.rules)
    }

    /// Evaluates observations `(n, planes, 7, 7)`, float32, as `State.observation` and `VecEnv` give them.
    ///
    /// Returns two new arrays of float32: the logits of the policy `(n, actions)`, for legal and illegal actions
    /// (mask them before a softmax), and the probabilities of win, draw and loss for the player to move `(n, 3)`. A
    /// row does not depend on the others.
    ///
    /// Raises `ArrayError` if the shape, type or values are not those of observations.
    fn evaluate<'py>(&self, py: Python<'py>, observations: &Bound<'py, PyAny>) -> PyResult<Evaluations<'py>> {
        guarded(|| {
            let config = self.loaded.engine.config();
            let observations = planes::observations(observations, &config.layout)?;
            let (n, planes) = (observations.shape()[0], observations.as_slice().expect("it is in one piece"));
            let (mut logits, mut wdl) = (Array2::zeros([n, config.actions.size()]), Array2::zeros([n, 3]));
            let outputs =
                [logits.as_slice_mut(), wdl.as_slice_mut()].map(|out| out.expect("new arrays are in one piece"));
            let stop = Stop::default();
            if n <= ROWS {
                // This few rows are evaluated faster than a thread is started.
                detached(py, || self.write_evaluations(planes, outputs, &stop))?;
            } else {
                interruptible(py, &stop, || self.write_evaluations(planes, outputs, &stop))?;
            }
            Ok((logits.into_pyarray(py), wdl.into_pyarray(py)))
        })
    }
}

/// Returns a network and its settings as a text, and its path separately: in one text, a part of the path could be
/// taken for a setting.
pub fn without_path(spec: &CheckpointSpec) -> (String, Option<PathBuf>) {
    match &spec.network {
        Place::File(path) => {
            (CheckpointSpec { network: Place::Pretrained, ..spec.clone() }.to_string(), Some(path.clone()))
        }
        Place::Pretrained => (spec.to_string(), None),
    }
}

/// Returns the network with these settings and its path, as it was before [`without_path`].
pub fn with_path(spec: CheckpointSpec, path: PathBuf) -> CheckpointSpec {
    CheckpointSpec { network: Place::File(path), ..spec }
}

/// Reads the kind of a network and its sizes.
fn net(kind: &str, sizes: Option<&Bound<'_, PyDict>>) -> PyResult<NetKind> {
    let sizes = sizes.into_iter().flat_map(PyDictMethods::iter).map(|(name, value)| {
        let name = name.cast::<PyString>()?.to_string_lossy().into_owned();
        size(&one_line(&name), &value).map(|size| (name, size))
    });
    let mut settings = sizes.collect::<PyResult<serde_json::Map<_, _>>>()?;
    settings.insert("kind".to_owned(), kind.into());
    serde_json::from_value(settings.into())
        .map_err(|error| GipfError::new_err(format!("network `{}`: {}", one_line(&kind), one_line(&error))))
}

/// Reads a size of a network: a truth value, an integer, or several integers; also those of `NumPy`.
fn size(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let whole = |given: Whole| given.checked(name, 0..=u64::MAX).map(Value::from);
    if let Ok(truth) = given.extract::<bool>() {
        Ok(truth.into())
    } else if let Ok(number) = given.extract::<Whole>() {
        whole(number)
    } else if let Ok(Items(numbers)) = given.extract::<Items<Whole>>() {
        numbers.into_iter().map(whole).collect()
    } else {
        let told = "expected an integer, a list of integers, or True or False";
        Err(GipfError::new_err(format!("{name} {}: {told}", described(given))))
    }
}

impl Network {
    /// Returns what was read.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Evaluates rows until a stop is requested.
    fn write_evaluations(&self, planes: &[f32], [logits, wdl]: [&mut [f32]; 2], stop: &Stop) -> PyResult<()> {
        let config = self.loaded.engine.config();
        let outputs = logits.chunks_mut(ROWS * config.actions.size()).zip(wdl.chunks_mut(ROWS * 3));
        for (chunk, (planes, (logits, wdl))) in planes.chunks(ROWS * config.layout.size()).zip(outputs).enumerate() {
            if stop.requested() {
                break;
            }
            // A copy: other threads of the caller may write to the array between the check and the evaluation.
            let planes = planes.to_vec();
            planes::check(&config.layout, &planes, chunk * ROWS)?;
            let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
            self.loaded.engine.forward(&mut scratch, &planes, wdl.len() / 3, logits, wdl);
        }
        Ok(())
    }
}

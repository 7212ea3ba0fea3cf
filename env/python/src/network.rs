//! Networks without a search.

use std::sync::{Arc, Mutex};

use gipf_models::{Engine, Scratch};
use gipf_train::players::AgentSpec;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray4, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::{AgentError, ArrayError, OrRaise, detached, variant};

/// A policy-value network without a search: `pretrained`, or the path of a checkpoint.
#[pyclass(module = "gipf", frozen)]
pub struct Network {
    engine: Arc<Engine>,
    scratch: Mutex<Scratch>,
    name: String,
    #[pyo3(get)]
    variant: String,
}

/// Policies and values of n positions.
type Evaluations<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (path = "pretrained", *, variant = "standard"))]
    fn new(py: Python<'_>, path: &str, variant: &str) -> PyResult<Self> {
        let rules = self::variant(variant)?;
        let name = if path == "pretrained" { path.to_owned() } else { format!("mcts:{path}") };
        let AgentSpec::Checkpoint(spec) = name.parse::<AgentSpec>().or_raise()? else {
            return Err(AgentError::new_err(format!("`{path}` is no checkpoint")));
        };
        let engine = detached(py, || spec.load(rules).or_raise())?;
        Ok(Self { engine, scratch: Mutex::default(), name: path.to_owned(), variant: variant.to_owned() })
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Network '{}' for {}>", self.name, self.variant)
    }

    /// Returns for observations `(n, planes, 7, 7)` the logits of the policy `(n, actions)`, legal or not, and the
    /// chances of win, draw and loss for the player to move `(n, 3)`.
    fn evaluate<'py>(&self, py: Python<'py>, observations: PyReadonlyArray4<'py, f32>) -> PyResult<Evaluations<'py>> {
        let config = self.engine.config();
        let [n, shape @ ..] = observations.shape() else { unreachable!("the array has four axes") };
        let (n, expected) = (*n, config.layout.shape());
        if shape != expected {
            let text = format!("observations of shape {:?}: expected (n, {expected:?})", observations.shape());
            return Err(ArrayError::new_err(text));
        }
        let planes = observations.as_slice().map_err(|_| ArrayError::new_err("observations: expected C order"))?;
        let mut logits = Array2::zeros([n, config.num_actions]);
        let mut wdl = Array2::zeros([n, 3]);
        detached(py, || {
            let mut scratch = self.scratch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let outputs = (logits.as_slice_mut(), wdl.as_slice_mut());
            let (Some(logits), Some(wdl)) = outputs else { unreachable!("new arrays are in C order") };
            self.engine.forward(&mut scratch, planes, n, logits, wdl);
            Ok(())
        })?;
        Ok((logits.into_pyarray(py), wdl.into_pyarray(py)))
    }
}

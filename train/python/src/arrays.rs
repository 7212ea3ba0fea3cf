//! The numpy arrays in which many games show themselves.

use gipf_env::Variant;
use numpy::{
    Element, PyArray1, PyArray2, PyArray4, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
    ndarray::Dimension,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{ArrayError, one_line};

/// The arrays of the caller.
pub struct Arrays {
    pub observations: Py<PyArray4<f32>>,
    /// As the caller knows it, and the same memory as truth values.
    pub action_masks: (Py<PyArray2<i8>>, Py<PyArray2<bool>>),
    pub to_move: Py<PyArray1<i8>>,
    pub rewards: Py<PyArray1<f32>>,
    pub terminated: Py<PyArray1<bool>>,
    pub truncated: Py<PyArray1<bool>>,
    pub final_observations: Py<PyArray4<f32>>,
}

/// The names of the arrays, as a caller may bring them along.
const NAMES: [&str; 7] =
    ["observations", "action_masks", "to_move", "rewards", "terminated", "truncated", "final_observations"];

impl Arrays {
    /// Returns arrays for `n` games: those that the caller has, and new ones.
    pub fn new(py: Python<'_>, out: Option<&Bound<'_, PyDict>>, n: usize, rules: Variant) -> PyResult<Self> {
        check_names(out)?;
        let [planes, rows, columns] = gipf_env::observation::layout(rules).shape();
        let observations = [n, planes, rows, columns];
        let masks = array::<i8, _>(py, out, "action_masks", [n, rules.num_actions()])?;
        // Whatever the caller left there, the bytes are truth values from here on.
        masks.try_readwrite().map_err(|_| in_use("action_masks"))?.as_array_mut().fill(0);
        let truths = masks.call_method1("view", ("bool",))?.cast_into::<PyArray2<bool>>()?;
        Ok(Self {
            observations: array(py, out, "observations", observations)?.unbind(),
            action_masks: (masks.unbind(), truths.unbind()),
            to_move: array(py, out, "to_move", [n])?.unbind(),
            rewards: array(py, out, "rewards", [n])?.unbind(),
            terminated: truth_values(py, out, "terminated", n)?.unbind(),
            truncated: truth_values(py, out, "truncated", n)?.unbind(),
            final_observations: array(py, out, "final_observations", observations)?.unbind(),
        })
    }

    /// Returns copies of what the positions of the games do not tell.
    pub fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kept = PyDict::new(py);
        kept.set_item("rewards", self.rewards.bind(py).call_method0("copy")?)?;
        kept.set_item("final_observations", self.final_observations.bind(py).call_method0("copy")?)?;
        Ok(kept)
    }
}

fn check_names(out: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for name in out.into_iter().flat_map(PyDictMethods::keys) {
        let name = one_line(&name.str()?.to_string_lossy());
        if !NAMES.contains(&name.as_str()) {
            return Err(ArrayError::new_err(format!("array `{name}`: expected one of {}", NAMES.join(", "))));
        }
    }
    Ok(())
}

/// Returns the caller's array of this name, or a new one.
fn array<'py, T: Element, D>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyDict>>,
    name: &'static str,
    shape: D,
) -> PyResult<Bound<'py, numpy::PyArray<T, D::Dim>>>
where
    D: numpy::ndarray::IntoDimension<Dim: Dimension>,
{
    let shape = shape.into_dimension();
    let Some(given) = out.map(|out| out.get_item(name)).transpose()?.flatten() else {
        return Ok(numpy::PyArray::zeros(py, shape, false));
    };
    let expected = || format!("expected {:?} of {}, in C order, that can be written", shape.slice(), T::get_dtype(py));
    let found = match given.cast::<PyUntypedArray>() {
        Ok(found) => found.clone(),
        Err(_) => return Err(ArrayError::new_err(format!("array `{name}` is not a NumPy array: {}", expected()))),
    };
    let refuse = || {
        let text = format!("array `{name}` is {:?} of {}: {}", found.shape(), found.dtype(), expected());
        ArrayError::new_err(text)
    };
    let fits = given.cast::<PyArrayDyn<T>>().is_ok() && found.shape() == shape.slice() && found.is_c_contiguous();
    let typed = given.cast::<numpy::PyArray<T, D::Dim>>().map_err(|_| refuse())?;
    let is_free = typed.try_readwrite().is_ok_and(|mut free| free.as_slice_mut().is_ok());
    if fits && is_free { Ok(typed.clone()) } else { Err(refuse()) }
}

/// Returns an array of truth values; whatever the caller left there, they are truth values from here on.
fn truth_values<'py>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyDict>>,
    name: &'static str,
    n: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let truths = array::<bool, _>(py, out, name, [n])?;
    truths.call_method1("fill", (false,))?;
    Ok(truths)
}

/// The array cannot be borrowed.
pub fn in_use(name: &str) -> PyErr {
    ArrayError::new_err(format!("array `{name}` is in use, or cannot be written"))
}

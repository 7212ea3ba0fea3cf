//! The numpy arrays that hold the observations and results of many games.

use gipf_env::Variant;
use gipf_env::binary_planes::{self, Packing};
use numpy::{
    Element, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods, ndarray::Dimension,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::argument::described;
use crate::error::{ArrayError, one_line};

/// The form of observations and masks: floats, or one of the packed forms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Floats,
    Packed(Packing),
}

impl Form {
    /// Returns the form of this name.
    pub fn named(name: &str) -> PyResult<Self> {
        match name {
            "f32" => Ok(Self::Floats),
            "u8" => Ok(Self::Packed(Packing::Bytes)),
            "bits" => Ok(Self::Packed(Packing::Bits)),
            _ => Err(ArrayError::new_err(format!("observations `{}`: expected f32, u8 or bits", one_line(&name)))),
        }
    }

    /// Returns the form of an array of observations.
    pub fn of(observations: &Bound<'_, PyUntypedArray>) -> Self {
        match (observations.dtype().kind(), observations.ndim()) {
            (b'u', 3) => Self::Packed(Packing::Bits),
            (b'u', _) => Self::Packed(Packing::Bytes),
            _ => Self::Floats,
        }
    }

    /// Returns the names of the arrays that a caller may provide.
    fn names(self) -> &'static [&'static str] {
        if self == Self::Floats { &NAMES[..7] } else { &NAMES }
    }

    /// Returns the size in bytes of all observations, masks and the like of one game.
    pub fn bytes(self, rules: Variant) -> usize {
        let actions = rules.num_actions();
        match self {
            Self::Floats => 2 * gipf_env::observation::layout(rules).size() * size_of::<f32>() + actions,
            Self::Packed(packing) => {
                let (planes, scalars) = (binary_planes::count(rules), binary_planes::scalars(rules));
                2 * (planes * packing.plane() + scalars * size_of::<f32>()) + packing.mask(actions)
            }
        }
    }
}

/// The arrays of the caller.
pub struct Arrays {
    pub looks: Looks,
    pub to_move: Py<PyArray1<i8>>,
    pub rewards: Py<PyArray1<f32>>,
    pub terminated: Py<PyArray1<bool>>,
    pub truncated: Py<PyArray1<bool>>,
}

/// The observations and masks.
pub enum Looks {
    Floats(Floats),
    Packed(Packed),
}

/// Observations in floats.
pub struct Floats {
    pub observations: Py<PyArray4<f32>>,
    /// As the caller knows it, and a boolean view of the same memory.
    pub action_masks: (Py<PyArray2<i8>>, Py<PyArray2<bool>>),
    pub final_observations: Py<PyArray4<f32>>,
}

/// Binary planes and scalars.
pub struct Packed {
    pub packing: Packing,
    pub observations: Py<PyArrayDyn<u8>>,
    pub scalars: Py<PyArray2<f32>>,
    pub action_masks: Py<PyArray2<u8>>,
    pub final_observations: Py<PyArrayDyn<u8>>,
    pub final_scalars: Py<PyArray2<f32>>,
}

/// The names of the arrays; the last two exist only in packed forms.
const NAMES: [&str; 9] = [
    "observations",
    "action_masks",
    "to_move",
    "rewards",
    "terminated",
    "truncated",
    "final_observations",
    "scalars",
    "final_scalars",
];

impl Arrays {
    /// Returns arrays for `n` games: those that the caller has provided, and new ones.
    pub fn new(
        py: Python<'_>,
        out: Option<&Bound<'_, PyDict>>,
        n: usize,
        rules: Variant,
        form: Form,
    ) -> PyResult<Self> {
        check_names(out, form.names())?;
        let looks = match form {
            Form::Floats => Looks::Floats(Floats::new(py, out, n, rules)?),
            Form::Packed(packing) => Looks::Packed(Packed::new(py, out, n, rules, packing)?),
        };
        let arrays = Self {
            looks,
            to_move: array(py, out, "to_move", [n])?.unbind(),
            rewards: array(py, out, "rewards", [n])?.unbind(),
            terminated: array(py, out, "terminated", [n])?.unbind(),
            truncated: array(py, out, "truncated", [n])?.unbind(),
        };
        arrays.clear_truths(py)?;
        Ok(arrays)
    }

    /// Makes the bytes of all booleans valid ones, whatever the caller left there: once all arrays have been accepted.
    fn clear_truths(&self, py: Python<'_>) -> PyResult<()> {
        for truths in [&self.terminated, &self.truncated] {
            truths.call_method1(py, "fill", (false,))?;
        }
        if let Looks::Floats(Floats { action_masks: (masks, _), .. }) = &self.looks {
            masks.call_method1(py, "fill", (0,))?;
        }
        Ok(())
    }

    /// Returns the form of the observations.
    pub const fn form(&self) -> Form {
        match &self.looks {
            Looks::Floats(_) => Form::Floats,
            Looks::Packed(looks) => Form::Packed(looks.packing),
        }
    }

    /// Returns copies of the arrays that cannot be restored from the positions of the games.
    pub fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let kept = PyDict::new(py);
        kept.set_item("rewards", self.rewards.bind(py).call_method0("copy")?)?;
        match &self.looks {
            Looks::Floats(looks) => {
                kept.set_item("final_observations", looks.final_observations.bind(py).call_method0("copy")?)?;
            }
            Looks::Packed(looks) => {
                kept.set_item("final_observations", looks.final_observations.bind(py).call_method0("copy")?)?;
                kept.set_item("final_scalars", looks.final_scalars.bind(py).call_method0("copy")?)?;
            }
        }
        Ok(kept)
    }
}

impl Floats {
    fn new(py: Python<'_>, out: Option<&Bound<'_, PyDict>>, n: usize, rules: Variant) -> PyResult<Self> {
        let [planes, rows, columns] = gipf_env::observation::layout(rules).shape();
        let observations = [n, planes, rows, columns];
        let masks = array::<i8, _>(py, out, "action_masks", [n, rules.num_actions()])?;
        let truths = masks.call_method1("view", ("bool",))?.cast_into::<PyArray2<bool>>()?;
        Ok(Self {
            observations: array(py, out, "observations", observations)?.unbind(),
            action_masks: (masks.unbind(), truths.unbind()),
            final_observations: array(py, out, "final_observations", observations)?.unbind(),
        })
    }
}

impl Packed {
    fn new(
        py: Python<'_>,
        out: Option<&Bound<'_, PyDict>>,
        n: usize,
        rules: Variant,
        packing: Packing,
    ) -> PyResult<Self> {
        let planes = binary_planes::count(rules);
        let shape: &[usize] = match packing {
            Packing::Bytes => &[n, planes, 7, 7],
            Packing::Bits => &[n, planes, 7],
        };
        let scalars = [n, binary_planes::scalars(rules)];
        Ok(Self {
            packing,
            observations: array(py, out, "observations", shape)?.unbind(),
            scalars: array(py, out, "scalars", scalars)?.unbind(),
            action_masks: array(py, out, "action_masks", [n, packing.mask(rules.num_actions())])?.unbind(),
            final_observations: array(py, out, "final_observations", shape)?.unbind(),
            final_scalars: array(py, out, "final_scalars", scalars)?.unbind(),
        })
    }
}

fn check_names(out: Option<&Bound<'_, PyDict>>, names: &[&str]) -> PyResult<()> {
    for name in out.into_iter().flat_map(PyDictMethods::keys) {
        // An object that only looks like a name would not be found by it.
        let told = match name.cast::<PyString>() {
            Ok(name) if names.contains(&&*name.to_string_lossy()) => continue,
            Ok(name) => format!("`{}`", one_line(&name.to_string_lossy())),
            Err(_) => described(&name),
        };
        return Err(ArrayError::new_err(format!("array {told}: expected one of {}", names.join(", "))));
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

/// Returns the error for an array that cannot be borrowed.
pub fn in_use(name: &str) -> PyErr {
    ArrayError::new_err(format!("array `{name}` is in use, or cannot be written"))
}

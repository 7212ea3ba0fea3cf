//! The answers of a Python evaluator: arrays of any library that keeps them in CPU memory, taken without a copy.

use gipf_play::search::Values;
use half::f16;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::argument::described;
use crate::error::{EvaluatorError, one_line};

/// Devices of `DLPack` whose memory `NumPy` can read: the CPU, and host memory managed by CUDA, `ROCm` or both.
const READABLE: [i64; 4] = [1, 3, 11, 13];

/// Logits `(k, A)`, in the type in which they came.
pub enum Logits<'py> {
    /// Of 32 bits.
    Single(PyReadonlyArrayDyn<'py, f32>),
    /// Of 16 bits.
    Half(PyReadonlyArrayDyn<'py, f16>),
}

impl<'py> Logits<'py> {
    /// Reads logits of this shape.
    pub fn read(given: &Bound<'py, PyAny>, shape: [usize; 2]) -> PyResult<Self> {
        let array = array(given, "logits")?;
        let expected = format!("expected {shape:?} of float32 or float16");
        if array.shape() != shape {
            return Err(refused("logits", &array, &expected));
        }
        if let Ok(single) = array.cast::<PyArrayDyn<f32>>() {
            return Ok(Self::Single(single.try_readonly().map_err(|_| refused("logits", &array, &expected))?));
        }
        let half = array.cast::<PyArrayDyn<f16>>().map_err(|_| refused("logits", &array, &expected))?;
        Ok(Self::Half(half.try_readonly().map_err(|_| refused("logits", &array, &expected))?))
    }
}

/// Values `(k,)`, or shares of win, draw and loss `(k, 3)`.
pub struct Outcomes {
    numbers: Vec<f32>,
    are_shares: bool,
}

impl Outcomes {
    /// Reads the values of this many leaves.
    pub fn read(given: &Bound<'_, PyAny>, leaves: usize) -> PyResult<Self> {
        let array = array(given, "values")?;
        let expected = format!("expected [{leaves}] or [{leaves}, 3] of float32 or float16");
        let are_shares = match array.shape() {
            [n] if *n == leaves => false,
            [n, 3] if *n == leaves => true,
            _ => return Err(refused("values", &array, &expected)),
        };
        let refuse = |_| refused("values", &array, &expected);
        let numbers = if let Ok(single) = array.cast::<PyArrayDyn<f32>>() {
            single.try_readonly().map_err(refuse)?.as_array().iter().copied().collect()
        } else {
            let half = array.cast::<PyArrayDyn<f16>>().map_err(|_| refused("values", &array, &expected))?;
            half.try_readonly().map_err(refuse)?.as_array().iter().map(|number| number.to_f32()).collect()
        };
        Ok(Self { numbers, are_shares })
    }

    /// Returns them for the searches.
    pub fn values(&self) -> Values<'_> {
        if self.are_shares { Values::Wdl(&self.numbers) } else { Values::Expected(&self.numbers) }
    }
}

/// Returns an array in one piece: the memory of the given one, unless that has gaps.
fn array<'py>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let numpy = given.py().import("numpy")?;
    let found = match given.cast::<PyUntypedArray>() {
        Ok(array) => array.clone().into_any(),
        Err(_) => numpy.call_method1("from_dlpack", (readable(given, name)?,)).map_err(|error| {
            let text = format!(
                "{name} of {} cannot be read, {error}: expected an array in CPU memory, as \
                 tensor.detach().cpu().float() gives",
                given.get_type()
            );
            EvaluatorError::new_err(one_line(&text))
        })?,
    };
    let found = found.cast::<PyUntypedArray>()?;
    if found.is_c_contiguous() {
        return Ok(found.clone());
    }
    Ok(numpy.call_method1("ascontiguousarray", (found,))?.cast_into::<PyUntypedArray>()?)
}

/// Returns an array of another library if its memory can be read.
fn readable<'a, 'py>(given: &'a Bound<'py, PyAny>, name: &str) -> PyResult<&'a Bound<'py, PyAny>> {
    if !given.hasattr("__dlpack__")? {
        let text = format!("{name} are {}: expected an array of NumPy, or one with __dlpack__", described(given));
        return Err(EvaluatorError::new_err(one_line(&text)));
    }
    let (device, _) = given.call_method0("__dlpack_device__")?.extract::<(i64, i64)>()?;
    if READABLE.contains(&device) {
        return Ok(given);
    }
    let text = format!(
        "{name} of {} are in the memory of a device (DLPack type {device}): expected an array in CPU memory, as \
         tensor.cpu() gives",
        given.get_type()
    );
    Err(EvaluatorError::new_err(one_line(&text)))
}

fn refused(name: &str, found: &Bound<'_, PyUntypedArray>, expected: &str) -> PyErr {
    EvaluatorError::new_err(format!("{name} are {:?} of {}: {expected}", found.shape(), found.dtype()))
}

//! Reports as JSON: how they are pickled, and how Python gets them.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{InternalError, MatchError, guarded};

/// Restores a report that was pickled.
pub fn restored<R: DeserializeOwned>(text: &str) -> PyResult<R> {
    let read = |error: serde_json::Error| MatchError::new_err(format!("no pickled report: {error}"));
    guarded(|| serde_json::from_str(text).map_err(read))
}

/// Returns the pickled form of a report, for a class with a method `_restore`.
pub fn reduced<'py, C: PyTypeInfo>(
    py: Python<'py>,
    report: &impl Serialize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    Ok((py.get_type::<C>().getattr("_restore")?, (to_json(report)?,).into_pyobject(py)?))
}

/// Returns the whole report, as `--json` prints it.
pub fn to_dict<'py>(py: Python<'py>, report: &impl Serialize) -> PyResult<Bound<'py, PyDict>> {
    Ok(py.import("json")?.call_method1("loads", (to_json(report)?,))?.cast_into()?)
}

fn to_json(report: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(report).map_err(|error| InternalError::new_err(error.to_string()))
}

//! Arguments from Python: numbers of any size, texts, names and paths, and sequences of them.

use std::fmt;
use std::ops::{Deref, RangeInclusive};
use std::path::PathBuf;

use gipf_play::players::{AgentSpec, CheckpointSpec, Network};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::{GipfError, OrRaise, one_line};

/// An integer, however large: the function that receives it states its range.
#[derive(Clone, Copy)]
pub enum Whole {
    /// An integer of at most 64 bits, signed or unsigned.
    Known(i128),
    /// Any other integer.
    Beyond,
}

impl Whole {
    /// Returns this number, as the default of a parameter.
    pub const fn of(number: u16) -> Self {
        Self::Known(number as i128)
    }

    /// Returns the number if it is in this range.
    pub fn within<T>(self, range: &RangeInclusive<T>) -> Option<T>
    where
        T: TryFrom<i128> + PartialOrd,
    {
        let Self::Known(number) = self else { return None };
        T::try_from(number).ok().filter(|number| range.contains(number))
    }

    /// Returns the number, or raises an error that names it and says what was expected.
    pub fn checked<T>(self, name: &str, range: RangeInclusive<T>) -> PyResult<T>
    where
        T: TryFrom<i128> + PartialOrd + fmt::Display,
    {
        let (low, high) = (range.start(), range.end());
        self.within(&range).ok_or_else(|| GipfError::new_err(format!("{name} {self}: expected {low} to {high}")))
    }
}

impl FromPyObject<'_, '_> for Whole {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let is_large = |error: &PyErr| error.is_instance_of::<PyOverflowError>(given.py());
        match given.extract::<i64>() {
            Ok(number) => Ok(Self::Known(number.into())),
            Err(error) if is_large(&error) => {
                Ok(given.extract::<u64>().map_or(Self::Beyond, |number| Self::Known(number.into())))
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(number) => number.fmt(f),
            Self::Beyond => f.write_str("of more than 64 bits"),
        }
    }
}

/// Reads the seed of a generator.
pub fn seed(given: Whole) -> PyResult<u64> {
    given.checked("seed", 0..=u64::MAX)
}

/// A number that may have a fraction.
#[derive(Clone, Copy)]
pub struct Real(pub f64);

impl Real {
    /// Returns the number, which has to be within these bounds.
    pub fn checked(self, name: &str, bounds: RangeInclusive<f64>) -> PyResult<f64> {
        if bounds.contains(&self.0) {
            return Ok(self.0);
        }
        Err(GipfError::new_err(format!("{name} {}: expected {} to {}", self.0, bounds.start(), bounds.end())))
    }
}

impl FromPyObject<'_, '_> for Real {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.extract::<f64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(Self(f64::INFINITY)),
            other => other.map(Self),
        }
    }
}

/// A text; anything that is not Unicode is replaced, since it would be rejected anyway.
pub struct Text(String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl FromPyObject<'_, '_> for Text {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<PyString>()?.to_string_lossy().into_owned()))
    }
}

/// Several items in order, at most `MOST`: a sequence such as a `range` can be larger than the memory.
///
/// They are counted as they come, since the length that a sequence claims may be wrong.
pub struct Items<T, const MOST: usize = MANY>(pub Vec<T>);

/// The most items, if nothing else limits them.
const MANY: usize = 1_000_000;

impl<T, const MOST: usize> Default for Items<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'py, T: FromPyObjectOwned<'py>, const MOST: usize> FromPyObject<'_, 'py> for Items<T, MOST> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            // Its letters would be texts too, but nobody means that.
            return Err(PyTypeError::new_err(format!("{}: expected a sequence, not a text", described(&given))));
        }
        let mut items = Vec::new();
        for item in given.try_iter()? {
            if items.len() == MOST {
                return Err(GipfError::new_err(format!("more than {MOST} items: expected at most so many")));
            }
            items.push(item?.extract().map_err(Into::into)?);
        }
        Ok(Self(items))
    }
}

impl Items<Text> {
    /// Returns the texts.
    pub fn texts(self) -> Vec<String> {
        self.0.into_iter().map(|Text(text)| text).collect()
    }
}

/// The name of a player or a network: a text, or the path of a checkpoint.
pub enum Name {
    /// As in the commands of `gipf`.
    Text(Text),
    /// A `pathlib.Path`, or anything like it.
    Path(PathBuf),
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl FromPyObject<'_, '_> for Name {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            // A path whose bytes are not Unicode has only a substitute text.
            let path = text.to_str().is_err().then(|| given.extract::<PathBuf>().ok()).flatten();
            return match path.filter(|path| path.exists()) {
                Some(path) => Ok(Self::Path(path)),
                None => given.extract().map(Self::Text),
            };
        }
        let wrong = |error: PyErr| {
            if error.is_instance_of::<PyTypeError>(given.py()) {
                return PyTypeError::new_err(format!("{}: expected a name or a path", described(&given)));
            }
            GipfError::new_err(format!("{}: expected a path that can be opened", described(&given)))
        };
        given.extract().map(Self::Path).map_err(wrong)
    }
}

impl Name {
    /// Returns the agent; a path is always that of a checkpoint.
    pub fn agent(&self) -> PyResult<AgentSpec> {
        match self {
            Self::Text(text) => text.parse().or_raise(),
            Self::Path(path) => Ok(AgentSpec::Checkpoint(CheckpointSpec::new(Network::File(path.clone())))),
        }
    }

    /// Returns the checkpoint; a text that does not name one is a path.
    pub fn checkpoint(&self) -> CheckpointSpec {
        match (self.agent(), self) {
            (Ok(AgentSpec::Checkpoint(spec)), _) => spec,
            (_, Self::Text(text)) => CheckpointSpec::new(Network::File((**text).into())),
            (other, Self::Path(_)) => unreachable!("a path is a checkpoint: {other:?}"),
        }
    }
}

/// Returns the representation of an object, or its type if it has none.
pub fn described(given: &Bound<'_, PyAny>) -> String {
    match given.repr() {
        Ok(text) => one_line(&text.to_string_lossy()),
        Err(_) => format!("an object of {}", given.get_type()),
    }
}

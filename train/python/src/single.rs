//! Content for one caller at a time.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::PyResult;

use crate::error::GipfError;

/// Content that one caller at a time may use: another one gets an exception instead of waiting.
pub struct Single<T>(Mutex<T>);

impl<T> Single<T> {
    /// Returns content that nobody uses yet.
    pub fn new(content: T) -> Self {
        Self(Mutex::new(content))
    }

    /// Returns the content, for as long as the guard lives; errors call it `name`.
    pub fn get(&self, name: &str) -> PyResult<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(content) => Ok(content),
            // A panic has already raised an exception in the caller at that time.
            Err(TryLockError::Poisoned(content)) => Ok(content.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(GipfError::new_err(format!("these {name} are in use: expected one caller at a time")))
            }
        }
    }
}

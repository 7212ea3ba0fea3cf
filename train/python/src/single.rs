//! What one caller at a time may use.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::PyResult;

use crate::error::GipfError;

/// What one caller at a time may use: another one gets an exception, and does not wait.
pub struct Single<T>(Mutex<T>);

impl<T> Single<T> {
    /// Returns what nobody uses yet.
    pub fn new(content: T) -> Self {
        Self(Mutex::new(content))
    }

    /// Returns the content, for as long as the guard lives; `name` is what somebody may be using.
    pub fn get(&self, name: &str) -> PyResult<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(content) => Ok(content),
            // A panic was an exception for whoever called then.
            Err(TryLockError::Poisoned(content)) => Ok(content.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(GipfError::new_err(format!("these {name} are in use: expected one caller at a time")))
            }
        }
    }
}

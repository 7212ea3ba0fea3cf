//! What an object of Python holds until it is closed.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;

use pyo3::prelude::*;

use crate::error::{GipfError, detached};
use crate::waiting::PAUSE;

/// Something that one call at a time may use, such as a run with the lock of its directory, until it is closed.
pub struct Held<T> {
    place: Mutex<Option<T>>,
    /// Its name, and what a caller can do to have it again.
    told: [&'static str; 2],
}

impl<T: Send> Held<T> {
    /// Holds a value; errors call it by this name, and say what a caller can do to have it again.
    pub const fn new(value: T, told: [&'static str; 2]) -> Self {
        Self { place: Mutex::new(Some(value)), told }
    }

    /// Returns it once no other call uses it.
    ///
    /// # Errors
    /// If it was closed, or a call that used it has failed in the middle.
    pub fn get(&self) -> PyResult<InUse<'_, T>> {
        let [name, again] = self.told;
        let gone = |how| GipfError::new_err(format!("the {name} {how}: {again}"));
        let place = self.place.lock().map_err(|_| gone("has failed before"))?;
        if place.is_some() { Ok(InUse(place)) } else { Err(gone("was closed")) }
    }

    /// Drops it once no other call uses it.
    ///
    /// # Errors
    /// If a signal ends the wait.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let held = loop {
            match self.place.try_lock() {
                Ok(mut place) => break place.take(),
                Err(TryLockError::Poisoned(place)) => break place.into_inner().take(),
                Err(TryLockError::WouldBlock) => {
                    py.check_signals()?;
                    py.detach(|| thread::sleep(PAUSE));
                }
            }
        };
        detached(py, || {
            drop(held);
            Ok(())
        })
    }
}

/// What is held, while a call uses it.
pub struct InUse<'a, T>(MutexGuard<'a, Option<T>>);

/// Why there is something: it is looked for before.
const OPEN: &str = "it was not closed";

impl<T> Deref for InUse<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect(OPEN)
    }
}

impl<T> DerefMut for InUse<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect(OPEN)
    }
}

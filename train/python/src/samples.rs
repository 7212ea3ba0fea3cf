//! Samples to learn from, as arrays.

use std::collections::VecDeque;
use std::path::PathBuf;

use gipf_env::Variant;
use gipf_models::Batch;
use gipf_play::Stop;
use gipf_train::dataset::{BatchPlan, SampleBatches};
use numpy::IntoPyArray;
use numpy::ndarray::{Array1, Array2, Array4};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{Real, Whole, seed};
use crate::error::{DatasetError, GipfError, OrRaise, guarded};
use crate::waiting::interruptible;
use crate::workers::workers;

/// The most samples in a batch.
const MOST_SAMPLES: usize = 1_000_000;
/// The number of samples that are made at once, since handing work to threads takes time.
const AT_ONCE: usize = 8192;
/// The most samples in a window.
const MOST_WINDOW: usize = 100_000_000;
/// The most parts of a dataset.
const MOST_PARTS: usize = 1_000_000;

/// Returns a batch as a dict of its arrays by name.
pub fn arrays(py: Python<'_>, rules: Variant, batch: Batch) -> PyResult<Bound<'_, PyDict>> {
    let Batch { size, planes, policy, legal, wdl, value_weight, .. } = batch;
    let [channels, rows, columns] = gipf_env::observation::layout(rules).shape();
    let actions = rules.num_actions();
    let fits = "a batch has a row for each sample";
    let values: Vec<f32> = wdl.chunks_exact(3).map(|wdl| wdl[0] - wdl[2]).collect();
    let arrays = PyDict::new(py);
    let observations = Array4::from_shape_vec([size, channels, rows, columns], planes).expect(fits);
    arrays.set_item("observations", observations.into_pyarray(py))?;
    arrays.set_item("masks", Array2::from_shape_vec([size, actions], legal).expect(fits).into_pyarray(py))?;
    arrays.set_item("policies", Array2::from_shape_vec([size, actions], policy).expect(fits).into_pyarray(py))?;
    arrays.set_item("values", Array1::from_vec(values).into_pyarray(py))?;
    arrays.set_item("wdl", Array2::from_shape_vec([size, 3], wdl).expect(fits).into_pyarray(py))?;
    arrays.set_item("weights", Array1::from_vec(value_weight).into_pyarray(py))?;
    Ok(arrays)
}

/// Reads the share of the search's value in a value target.
pub fn value_mix(given: Real) -> PyResult<f32> {
    given.checked("value_mix", 0.0..=1.0).map(|share| share as f32)
}

/// The batches of a dataset: what `gipf.data.batches` iterates over.
#[pyclass(module = "gipf", name = "_Batches")]
pub struct Batches {
    source: SampleBatches,
    /// The number of batches that are made at once.
    ahead: usize,
    ready: VecDeque<Batch>,
    stop: Stop,
    /// Whether batches were lost, for example by Ctrl-C: those that follow must not be taken for the complete rest.
    is_broken_off: bool,
}

#[pymethods]
impl Batches {
    #[new]
    #[pyo3(signature = (folder, batch, *, symmetries, shuffle, seed, value_mix, window, part))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        batch: Whole,
        symmetries: bool,
        shuffle: bool,
        seed: Whole,
        value_mix: Real,
        window: Whole,
        part: (Whole, Whole),
    ) -> PyResult<Self> {
        guarded(|| {
            let parts = part.1.checked("parts", 1..=MOST_PARTS)?;
            let plan = BatchPlan {
                batch: batch.checked("batch", 1..=MOST_SAMPLES)?,
                shuffle,
                window: window.checked("window", 1..=MOST_WINDOW)?,
                symmetries,
                value_mix: self::value_mix(value_mix)?,
                seed: self::seed(seed)?,
                part: (part.0.checked("part", 0..=parts - 1)?, parts),
            };
            let stop = Stop::default();
            let batches = interruptible(py, &stop, || SampleBatches::open(&folder, plan, stop.clone()).or_raise())?;
            let ahead = (AT_ONCE / plan.batch).max(1);
            Ok(Self { source: batches, ahead, ready: VecDeque::new(), stop, is_broken_off: false })
        })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyDict>>> {
        guarded(|| {
            let mut batches = slf
                .try_borrow_mut()
                .map_err(|_| GipfError::new_err("these batches are being made: expected one caller at a time"))?;
            if batches.ready.is_empty() {
                batches.fill(slf.py())?;
            }
            let (batch, rules) = (batches.ready.pop_front(), batches.source.variant());
            batch.map(|batch| arrays(slf.py(), rules, batch)).transpose()
        })
    }
}

impl Batches {
    /// Makes the next batches.
    fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.is_broken_off {
            let told = "the batches were interrupted: expected a new call of batches";
            return Err(DatasetError::new_err(told));
        }
        let (stop, batches, ahead) = (&self.stop, &mut self.source, self.ahead);
        let pool = workers()?;
        let next = || pool.install(|| batches.take(ahead).collect::<Result<_, _>>()).or_raise();
        // If this is interrupted before they are there, batches are lost.
        self.is_broken_off = true;
        self.ready = interruptible(py, stop, next)?;
        self.is_broken_off = false;
        Ok(())
    }
}

//! Trainings whose games are played by others: the basis of `gipf.ray`.

use std::path::PathBuf;

use gipf_env::GipfPosition;
use gipf_play::Stop;
use gipf_train::training::metrics::IterationMetrics;
use gipf_train::training::trainer::{Advance, Ended, Reporter, Stage, Trainer};
use gipf_train::training::{Baselines, Config, NewRun, RunDirectory, RunOrder, beaten, learning_curve, named_start};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::argument::{Items, Text, Whole};
use crate::error::{InternalError, OrRaise, detached, variant};
use crate::held::Held;
use crate::opening::{Opening, check_opponents};
use crate::shards::Shards;
use crate::waiting::interruptible;
use crate::workers::{divided, on_threads, workers};

/// A training run whose games are played by others: the loop of `gipf train` in parts.
///
/// `Training.create` begins a run and `Training.resume` continues one; the directory is that of `gipf train`, which
/// can continue it too. While `begin` returns True, hand out `next_shards`, give the results of `play_shard` to
/// `ingest`, in any order, until `is_complete`; then `learn`, `measure` and `save`. The weights, samples and metrics
/// are those of `gipf train`, bit for bit, except for the times.
///
/// `next_shards`, `ingest`, `reask`, `fail`, `checkpoint` and `counts` may be called from other threads while it
/// learns: with the setting `run.lag` there are games to play meanwhile.
#[pyclass(module = "gipf", frozen, extends = Shards)]
pub struct Training {
    trainer: Held<Trainer<GipfPosition>>,
    eval: Baselines,
    config: Config,
    path: PathBuf,
    remarks: Vec<String>,
}

#[pymethods]
impl Training {
    /// Begins a run in a new directory.
    ///
    /// * `run`: the directory, which is created.
    /// * `preset`, `settings`: as for `gipf train`: the name of a preset, and changes such as "run.games=200".
    /// * `variant`: the rule set; by default that of the settings.
    ///
    /// Raises `TrainingError` if the directory is not free or a setting is out of range.
    #[staticmethod]
    #[pyo3(signature = (run, *, preset = Text::from("quick"), settings = Items::default(), variant = None))]
    #[pyo3(text_signature = "(run, *, preset='quick', settings=(), variant=None)")]
    fn create(
        py: Python<'_>,
        run: PathBuf,
        preset: Text,
        settings: Items<Text>,
        variant: Option<Text>,
    ) -> PyResult<Py<Self>> {
        let (training, shards) = divided(py, || {
            let variant = variant.map(|name| self::variant(&name)).transpose()?;
            let (preset, settings) = (Some(preset.to_string()), settings.texts());
            let order = RunOrder { preset, settings, variant, ..RunOrder::default() };
            let (beginning, config) = order.beginning(variant, &mut |_, _, _| ()).or_raise()?;
            let eval = Baselines::new(&config).or_raise()?;
            check_opponents(&config)?;
            Ok(Self::of(beginning.begin(&NewRun::new(&run, &config)).or_raise()?, eval))
        })?;
        Py::new(py, PyClassInitializer::from(shards).add_subclass(training))
    }

    /// Begins a run, or continues the one in the directory, as `gipf train --run` does with the same options.
    ///
    /// The call that began a run may be repeated; another call that changes its settings is refused. It does not
    /// matter which of the two began the run: the program continues a run of this call, and the other way round.
    ///
    /// * `run`: the directory.
    /// * `preset`: the settings to begin with: quick, the default, hour, overnight or smoke.
    /// * `config`: a file of settings instead.
    /// * `settings`: changes, such as "run.games=200".
    /// * `variant`: the rule set; by default that of the settings, of the network or of the datasets.
    /// * `from_`: the run from whose state the new one begins; or a checkpoint, or "pretrained".
    /// * `from_data`: directories of datasets to which the network is first fitted.
    /// * `partial`: whether incomplete datasets are read too, with `from_data`.
    /// * `iterations`: the total number; an existing run is set to this length.
    /// * `allow_push_off`: begin a run of push-off although it cannot be learned.
    ///
    /// Raises `TrainingError` if the directory or a setting cannot be used, `CheckpointError` or `DatasetError` if
    /// the network or dataset that it begins from cannot be used.
    #[staticmethod]
    #[pyo3(signature = (run, *, preset = None, config = None, settings = Items::default(), variant = None,
        from_ = None, from_data = Items::default(), partial = false, iterations = None, allow_push_off = false))]
    #[pyo3(text_signature = "(run, *, preset=None, config=None, settings=(), variant=None, from_=None, from_data=(), \
        partial=False, iterations=None, allow_push_off=False)")]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn open(
        py: Python<'_>,
        run: PathBuf,
        preset: Option<Text>,
        config: Option<PathBuf>,
        settings: Items<Text>,
        variant: Option<Text>,
        from_: Option<PathBuf>,
        from_data: Items<PathBuf>,
        partial: bool,
        iterations: Option<Whole>,
        allow_push_off: bool,
    ) -> PyResult<Py<Self>> {
        let iterations = iterations.map(|given| given.checked("iterations", 1..=u32::MAX)).transpose()?;
        let variant = variant.map(|name| self::variant(&name)).transpose()?;
        let (preset, settings, Items(data)) = (preset.map(|name| name.to_string()), settings.texts(), from_data);
        let order = RunOrder { preset, config, settings, variant, from: from_, data, iterations };
        let stop = Stop::default();
        let open = || {
            let open = Opening { run: &run, order: &order, partial, allow_push_off };
            let trainer = if RunDirectory::is_run(&run) { open.again()? } else { open.anew(&stop)? };
            let eval = Baselines::new(trainer.config()).or_raise()?;
            Ok(Self::of(trainer, eval))
        };
        let (training, shards) = interruptible(py, &stop, || on_threads(None, open)?)?;
        Py::new(py, PyClassInitializer::from(shards).add_subclass(training))
    }

    /// Continues the run in a directory, after its last complete iteration.
    ///
    /// Raises `TrainingError` if there is no run, it is in use, or one of its files is damaged.
    #[staticmethod]
    fn resume(py: Python<'_>, run: PathBuf) -> PyResult<Py<Self>> {
        let (training, shards) = divided(py, || {
            let trainer = Trainer::resume(&run, named_start).or_raise()?;
            check_opponents(trainer.config())?;
            let eval = Baselines::new(trainer.config()).or_raise()?;
            Ok(Self::of(trainer, eval))
        })?;
        Py::new(py, PyClassInitializer::from(shards).add_subclass(training))
    }

    /// Returns whether a directory holds a run.
    #[staticmethod]
    fn exists(run: PathBuf) -> bool {
        RunDirectory::is_run(&run)
    }

    /// The directory of the run.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.path
    }

    /// The settings, as the text of config.toml.
    #[getter]
    fn config(&self) -> String {
        self.config.to_text()
    }

    /// The total number of iterations.
    #[getter]
    fn length(&self) -> u32 {
        self.config.run.iterations
    }

    /// The number of games in an iteration.
    #[getter]
    fn games(&self) -> u64 {
        self.config.run.games
    }

    /// The number of complete iterations.
    #[getter]
    fn iterations(&self, py: Python<'_>) -> PyResult<u32> {
        detached(py, || Ok(self.trainer.get()?.iterations()))
    }

    /// The names of the opponents that measure it, as the metrics have them, in the order of the settings.
    #[getter]
    fn opponents(&self) -> Vec<String> {
        self.eval.names().map(str::to_owned).collect()
    }

    /// Returns the names of the opponents that play only at the end of the run, since they have lost their last 80 games.
    ///
    /// Raises `TrainingError` if the metrics cannot be read.
    fn beaten(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.at_work(py, |trainer| Ok(beaten(&trainer.run().metrics().or_raise()?)))
    }

    /// Remarks about what was found when the run was opened, for example that its settings were changed.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    /// Begins the next iteration, unless it has begun; returns False when the run is complete.
    fn begin(&self, py: Python<'_>) -> PyResult<bool> {
        self.at_work(py, |trainer| trainer.begin().or_raise())
    }

    /// Lets the network learn from the games of the iteration, which must be complete, on all cores.
    ///
    /// Raises `TrainingError` if games are missing, or the network no longer computes finite numbers.
    fn learn(&self, py: Python<'_>) -> PyResult<()> {
        self.at_work(py, |trainer| trainer.learn(&mut Silent::default()).or_raise())
    }

    /// Measures the network that has learned, in the games that the settings name, on all cores.
    ///
    /// Raises `TrainingError` if it has not learned.
    fn measure(&self, py: Python<'_>) -> PyResult<()> {
        let stop = Stop::default();
        interruptible(py, &stop, || {
            let trainer = &mut *self.trainer.get()?;
            match workers()?.install(|| trainer.measure(&self.eval, &mut Silent::default(), &stop)).or_raise()? {
                Ended::Complete => Ok(()),
                Ended::Stopped => Err(PyKeyboardInterrupt::new_err(())),
            }
        })
    }

    /// Saves everything that the iteration made, and returns its metrics as JSON: the line of metrics.jsonl.
    ///
    /// Raises `TrainingError` if it has not been measured, or a file cannot be written.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        self.at_work(py, |trainer| {
            let mut reporter = Silent::default();
            trainer.save(&mut reporter).or_raise()?;
            let metrics = trainer.run().metrics().or_raise()?;
            let title =
                format!("{}: score at {} simulations", self.config.game.variant, self.config.evaluation.simulations);
            trainer.run().write_text("curve.svg", &learning_curve(&title, &metrics)).or_raise()?;
            reporter.line.ok_or_else(|| InternalError::new_err("an iteration was kept without its metrics"))
        })
    }

    /// Ends the work on the run, as soon as no other call is at work: its directory is then free for other programs, and
    /// for other objects of this one.
    ///
    /// An iteration that was not saved is played again by the object that continues the run.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.trainer.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Training {}>", self.path.display())
    }
}

impl Training {
    fn of(trainer: Trainer<GipfPosition>, eval: Baselines) -> (Self, Shards) {
        let remarks = trainer.run().remarks().iter().map(ToString::to_string).collect();
        let (shards, config) = (Shards::of(trainer.coordinator()), trainer.config().clone());
        let path = trainer.run().path().to_owned();
        let trainer = Held::new(trainer, ["training", "resume it from its directory"]);
        (Self { trainer, eval, config, path, remarks }, shards)
    }

    /// Works on the training on the shared threads; they do not wait for its lock, the caller does.
    fn at_work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Trainer<GipfPosition>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let trainer = &mut *self.trainer.get()?;
            workers()?.install(|| work(trainer))
        })
    }
}

/// Keeps the metrics, and reports nothing.
#[derive(Default)]
struct Silent {
    line: Option<String>,
}

impl Reporter for Silent {
    fn begin(&mut self, _: u32, _: Stage, _: u64) -> Advance {
        Box::new(|_| {})
    }

    fn complete(&mut self, metrics: &IterationMetrics) {
        self.line = serde_json::to_string(metrics).ok();
    }
}

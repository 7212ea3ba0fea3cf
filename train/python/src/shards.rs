//! Trainings whose games others play: what `gipf.ray` stands on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use gipf_env::GipfPosition;
use gipf_play::Stop;
use gipf_train::training::metrics::IterationMetrics;
use gipf_train::training::shard::{Coordinator, Ingested, ShardId, ShardSpec, play_shard as play};
use gipf_train::training::trainer::{Advance, Ended, NamedStart, Reporter, Stage, Trainer};
use gipf_train::training::{Baselines, Config, NewRun, RunDirectory, learning_curve};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::ThreadPoolBuilder;

use crate::argument::{Text, Whole};
use crate::error::{GipfError, InternalError, OrRaise, TrainingError, detached, variant};
use crate::waiting::interruptible;
use crate::workers::workers;

/// That of the main thread on most systems: a search goes deep.
const STACK_BYTES: usize = 8 << 20;
/// The most shards that are asked for at once.
const MOST_SHARDS: usize = 1_000_000;

/// Plays the games of a shard: a pure function of bytes, on any machine.
///
/// * `checkpoint`: the content of a checkpoint, as `Training.checkpoint` returns it.
/// * `spec`: a specification, as `Training.next_shards` returns it; it names the checkpoint by its checksum.
/// * `threads`: the threads that play; without a number, one for each core.
///
/// Returns the games, which `Training.ingest` takes: the same bytes wherever they are played, on any number of threads.
///
/// Raises `TrainingError` if the bytes are damaged or do not belong together.
#[pyfunction]
#[pyo3(signature = (checkpoint, spec, *, threads = None))]
pub fn play_shard<'py>(
    py: Python<'py>,
    checkpoint: &[u8],
    spec: &[u8],
    threads: Option<Whole>,
) -> PyResult<Bound<'py, PyBytes>> {
    let threads = threads.map(|threads| threads.checked("threads", 1..=1024_usize)).transpose()?;
    let stop = Stop::default();
    let bytes = interruptible(py, &stop, || {
        let played = || play::<GipfPosition>(checkpoint, spec, &stop).or_raise();
        match threads {
            Some(threads) => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build();
                pool.map_err(|error| InternalError::new_err(error.to_string()))?.install(played)
            }
            None => workers()?.install(played),
        }
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// A training run whose games are played by others: the loop of `gipf train` in parts.
///
/// `Training.create` begins a run and `Training.resume` goes on with one; the directory is that of `gipf train`, which may go
/// on with it too. While `begin` returns True, hand out `next_shards`, give what `play_shard` made of them to `ingest`, in
/// any order, until `is_complete`; then `learn`, `measure` and `save`. The weights, samples and metrics are those of
/// `gipf train`, bit for bit, but for the times.
///
/// `next_shards`, `ingest`, `reask`, `fail`, `checkpoint` and `counts` may be called from other threads while it learns: with
/// the setting `run.lag` there is something to play meanwhile.
#[pyclass(module = "gipf", frozen)]
pub struct Training {
    trainer: Mutex<Trainer<GipfPosition>>,
    coordinator: Arc<Coordinator<GipfPosition>>,
    eval: Baselines,
    config: Config,
    path: PathBuf,
}

#[pymethods]
impl Training {
    /// Begins a run in a new directory.
    ///
    /// * `run`: the directory, which is made.
    /// * `preset`, `settings`: as for `gipf train`: the name of a preset, and changes such as "run.games=200".
    /// * `variant`: the rule set; without one, that of the settings.
    ///
    /// Raises `TrainingError` if the directory is not free or a setting is out of range.
    #[staticmethod]
    #[pyo3(signature = (run, *, preset = Text::from("quick"), settings = Vec::new(), variant = None))]
    #[pyo3(text_signature = "(run, *, preset='quick', settings=(), variant=None)")]
    fn create(
        py: Python<'_>,
        run: PathBuf,
        preset: Text,
        settings: Vec<String>,
        variant: Option<Text>,
    ) -> PyResult<Self> {
        detached(py, || {
            let mut config = Config::preset(&preset).or_raise()?;
            if let Some(name) = variant {
                config.game.variant = self::variant(&name)?;
            }
            let config = settings.iter().try_fold(config, |config, setting| config.with(setting)).or_raise()?;
            let eval = Baselines::new(&config).or_raise()?;
            Ok(Self::of(Trainer::create(&NewRun::new(&run, &config), start(&config)).or_raise()?, eval))
        })
    }

    /// Goes on with the run in a directory, after its last complete iteration.
    ///
    /// Raises `TrainingError` if there is no run, it is in use, or one of its files is damaged.
    #[staticmethod]
    fn resume(py: Python<'_>, run: PathBuf) -> PyResult<Self> {
        detached(py, || {
            let trainer = Trainer::resume(&run, start).or_raise()?;
            let eval = Baselines::new(trainer.config()).or_raise()?;
            Ok(Self::of(trainer, eval))
        })
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

    /// The number of iterations in all.
    #[getter]
    fn length(&self) -> u32 {
        self.config.run.iterations
    }

    /// The games of an iteration.
    #[getter]
    fn games(&self) -> u64 {
        self.config.run.games
    }

    /// The number of complete iterations.
    #[getter]
    fn iterations(&self, py: Python<'_>) -> PyResult<u32> {
        detached(py, || Ok(self.trainer()?.iterations()))
    }

    /// Sets the most games of a shard, for the iterations that `begin` lets be played from now on.
    fn set_shard_games(&self, games: Whole) -> PyResult<()> {
        self.coordinator.set_shard_games(games.checked("games", 1..=u64::MAX)?);
        Ok(())
    }

    /// Begins the next iteration, unless it has begun; returns False when the run is complete.
    fn begin(&self, py: Python<'_>) -> PyResult<bool> {
        detached(py, || self.trainer()?.begin().or_raise())
    }

    /// Hands out at most so many shards: a list of (iteration, first game, number of games, specification).
    fn next_shards<'py>(&self, py: Python<'py>, most: Whole) -> PyResult<Vec<(u32, u64, u64, Bound<'py, PyBytes>)>> {
        let most = most.checked("most", 0..=MOST_SHARDS)?;
        let specs = detached(py, || Ok(self.coordinator.next_shards(most)))?;
        Ok(specs.iter().map(|spec| listed(py, spec)).collect())
    }

    /// Returns the content of the checkpoint that plays an iteration, which has begun and has not been learned.
    fn checkpoint<'py>(&self, py: Python<'py>, iteration: u32) -> PyResult<Bound<'py, PyBytes>> {
        let player = detached(py, || Ok(self.coordinator.player(iteration)))?;
        let player =
            player.ok_or_else(|| TrainingError::new_err(format!("iteration {iteration} is not being played")))?;
        Ok(PyBytes::new(py, &player.checkpoint))
    }

    /// Returns the specification of the first game of an iteration: what a worker plays to show how it computes.
    fn probe<'py>(&self, py: Python<'py>, iteration: u32) -> PyResult<Bound<'py, PyBytes>> {
        let probe = detached(py, || Ok(self.coordinator.probe(iteration).map(|spec| spec.to_bytes())))?;
        let probe =
            probe.ok_or_else(|| TrainingError::new_err(format!("iteration {iteration} is not being played")))?;
        Ok(PyBytes::new(py, &probe))
    }

    /// Takes the result of a shard after checking it: its checksum, that it belongs to the specification, and every decision
    /// by the rules. Returns whether it counts: False if it had been there before.
    ///
    /// * `core_seconds`: what the cores of whoever played have spent, for the metrics.
    ///
    /// Raises `TrainingError` if it cannot be: that is a failure of the shard, as by `fail`.
    #[pyo3(signature = (iteration, first, result, *, core_seconds = 0.0))]
    fn ingest(&self, py: Python<'_>, iteration: u32, first: u64, result: &[u8], core_seconds: f64) -> PyResult<bool> {
        detached(py, || {
            let taken = self.coordinator.ingest(ShardId { iteration, first }, result).or_raise()?;
            if taken == Ingested::Taken && core_seconds.is_finite() {
                self.coordinator.add_core_seconds(iteration, core_seconds);
            }
            Ok(taken == Ingested::Taken)
        })
    }

    /// Lets a shard be handed out again, since whoever has it may be gone or slow. A result that comes late still counts.
    fn reask(&self, iteration: u32, first: u64) {
        self.coordinator.reask(ShardId { iteration, first });
    }

    /// Counts a failure of a shard, and lets it be handed out again; returns whether it is given up instead, after three.
    fn fail(&self, iteration: u32, first: u64) -> bool {
        self.coordinator.fail(ShardId { iteration, first })
    }

    /// Returns the shards that were given up, as `next_shards` does.
    fn quarantined<'py>(&self, py: Python<'py>) -> Vec<(u32, u64, u64, Bound<'py, PyBytes>)> {
        self.coordinator.quarantined().iter().map(|spec| listed(py, spec)).collect()
    }

    /// Returns whether no shard of an iteration is waiting or handed out.
    fn is_complete(&self, iteration: u32) -> bool {
        self.coordinator.is_complete(iteration)
    }

    /// Returns how many shards are "waiting", "out", "done" and "quarantined" now, and how many were "reasked" and
    /// came "repeated" since the beginning.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.coordinator.counts();
        let dict = PyDict::new(py);
        dict.set_item("waiting", counts.waiting)?;
        dict.set_item("out", counts.out)?;
        dict.set_item("done", counts.done)?;
        dict.set_item("quarantined", counts.quarantined)?;
        dict.set_item("reasked", counts.reasked)?;
        dict.set_item("repeated", counts.repeated)?;
        Ok(dict)
    }

    /// Lets the network learn from the games of the iteration, which are complete, on all cores.
    ///
    /// Raises `TrainingError` if they are not, or the network computes no numbers any more.
    fn learn(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let mut guard = self.trainer()?;
            let trainer = &mut *guard;
            workers()?.install(|| trainer.learn(&mut Silent::default())).or_raise()
        })
    }

    /// Measures the network that has learned, by the games that the settings name, on all cores.
    ///
    /// Raises `TrainingError` if it has not learned.
    fn measure(&self, py: Python<'_>) -> PyResult<()> {
        let stop = Stop::default();
        interruptible(py, &stop, || {
            let mut guard = self.trainer()?;
            let trainer = &mut *guard;
            match workers()?.install(|| trainer.measure(&self.eval, &mut Silent::default(), &stop)).or_raise()? {
                Ended::Complete => Ok(()),
                Ended::Stopped => Err(PyKeyboardInterrupt::new_err(())),
            }
        })
    }

    /// Keeps everything that the iteration made, and returns its metrics as JSON: the line of metrics.jsonl.
    ///
    /// Raises `TrainingError` if it has not been measured, or a file cannot be written.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let (mut trainer, mut reporter) = (self.trainer()?, Silent::default());
            trainer.save(&mut reporter).or_raise()?;
            let metrics = trainer.run().metrics().or_raise()?;
            let title =
                format!("{}: score at {} simulations", self.config.game.variant, self.config.evaluation.simulations);
            trainer.run().write_text("curve.svg", &learning_curve(&title, &metrics)).or_raise()?;
            reporter.line.ok_or_else(|| InternalError::new_err("an iteration was kept without its metrics"))
        })
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Training {}>", self.path.display())
    }
}

impl Training {
    fn of(trainer: Trainer<GipfPosition>, eval: Baselines) -> Self {
        let (coordinator, config) = (trainer.coordinator(), trainer.config().clone());
        let path = trainer.run().path().to_owned();
        Self { trainer: Mutex::new(trainer), coordinator, eval, config, path }
    }

    fn trainer(&self) -> PyResult<MutexGuard<'_, Trainer<GipfPosition>>> {
        self.trainer
            .lock()
            .map_err(|_| GipfError::new_err("the training has failed before: resume it from its directory"))
    }
}

fn start(config: &Config) -> NamedStart<GipfPosition> {
    NamedStart::new(config.game.variant.to_string(), config.game.start())
}

fn listed<'py>(py: Python<'py>, spec: &ShardSpec<GipfPosition>) -> (u32, u64, u64, Bound<'py, PyBytes>) {
    (spec.iteration, spec.first, spec.games, PyBytes::new(py, &spec.to_bytes()))
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

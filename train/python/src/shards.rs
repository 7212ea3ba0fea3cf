//! Pieces of self-play that anybody may play: the basis of trainings and datasets on many machines.

use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_play::Stop;
use gipf_train::training::shard::{Coordinator, Ingested, ShardId, ShardSpec, play_shard as play};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::argument::{Real, Whole};
use crate::error::{OrRaise, TrainingError, detached, guarded};
use crate::own::Judge;
use crate::self_play::{MOST_AT_ONCE, SelfPlay};
use crate::waiting::interruptible;
use crate::workers::{on_threads, thread_count};

/// The most shards that can be asked for at once.
const MOST_SHARDS: usize = 1_000_000;

/// Plays the games of a shard: a pure function of bytes, on any machine.
///
/// * `checkpoint`: the content of a checkpoint, as `Training.checkpoint` returns it.
/// * `spec`: a specification, as `Training.next_shards` returns it; it names the checkpoint by its checksum.
/// * `threads`: the number of threads that play; by default one for each core.
///
/// Returns the games, which `Training.ingest` takes: the same bytes wherever they are played, on any number of threads,
/// except for the hits of `self_play.cache` (off by default), which are counted beside the games.
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
    let threads = thread_count(threads)?;
    let stop = Stop::default();
    let bytes =
        interruptible(py, &stop, || on_threads(threads, || play::<GipfPosition>(checkpoint, spec, &stop).or_raise())?)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Plays the games of a shard with your evaluator, many of them at once.
///
/// * `evaluate`: as for `self_play`.
/// * `spec`: a specification, as `SelfPlayRun.next_shards` returns it for an evaluator.
/// * `parallel`: the number of games at once, 1 to 100 000; the leaf of each is a row of the batch.
///
/// Returns the games, which `SelfPlayRun.ingest` takes. They depend only on the evaluator's answers: if its answers
/// for a position do not change, the bytes are the same wherever the games are played.
///
/// Raises `TrainingError` if the specification is damaged, `EvaluatorError` if an answer is not as expected, and any
/// exception of the evaluator.
#[pyfunction]
#[pyo3(signature = (evaluate, spec, *, parallel = Whole::of(256)))]
#[pyo3(text_signature = "(evaluate, spec, *, parallel=256)")]
pub fn play_shard_with<'py>(
    py: Python<'py>,
    evaluate: Bound<'py, PyAny>,
    spec: &[u8],
    parallel: Whole,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let parallel = parallel.checked("parallel", 1..=MOST_AT_ONCE)?;
        let spec = ShardSpec::<GipfPosition>::from_bytes(spec).or_raise()?;
        let judge = Judge::of(evaluate, None)?;
        let games = SelfPlay::of_shard(&spec, parallel, judge).all(py)?;
        Ok(PyBytes::new(py, &games.to_bytes(&spec)))
    })
}

/// A shard as Python gets it: iteration, first game, number of games, specification.
type Listed<'py> = (u32, u64, u64, Bound<'py, PyBytes>);

/// Games in pieces that others play: the common part of `Training` and `SelfPlayRun`.
///
/// Hand out `next_shards`, and give the results of `play_shard` to `ingest`, in any order. A shard counts once, even
/// if results come late, twice or damaged. All methods may be called from several threads.
#[pyclass(module = "gipf", frozen, subclass)]
pub struct Shards {
    coordinator: Arc<Coordinator<GipfPosition>>,
}

#[pymethods]
impl Shards {
    /// Sets the most games of a shard, for the iterations that `begin` releases from now on.
    fn set_shard_games(&self, games: Whole) -> PyResult<()> {
        self.coordinator.set_shard_games(games.checked("games", 1..=u64::MAX)?);
        Ok(())
    }

    /// Hands out at most this many shards: a list of (iteration, first game, number of games, specification).
    fn next_shards<'py>(&self, py: Python<'py>, most: Whole) -> PyResult<Vec<Listed<'py>>> {
        let most = most.checked("most", 0..=MOST_SHARDS)?;
        let specs = detached(py, || Ok(self.coordinator.next_shards(most)))?;
        Ok(specs.iter().map(|spec| listed(py, spec)).collect())
    }

    /// Returns the content of the checkpoint that plays an iteration, which has begun and has not been learned.
    fn checkpoint<'py>(&self, py: Python<'py>, iteration: Whole) -> PyResult<Bound<'py, PyBytes>> {
        let iteration = number(iteration)?;
        let player = detached(py, || Ok(self.coordinator.player(iteration)))?;
        let player =
            player.ok_or_else(|| TrainingError::new_err(format!("iteration {iteration} is not being played")))?;
        Ok(PyBytes::new(py, &player.checkpoint))
    }

    /// Returns the specification of the first game of an iteration: a worker plays it to show how it computes.
    fn probe<'py>(&self, py: Python<'py>, iteration: Whole) -> PyResult<Bound<'py, PyBytes>> {
        let iteration = number(iteration)?;
        let probe = detached(py, || Ok(self.coordinator.probe(iteration).map(|spec| spec.to_bytes())))?;
        let probe =
            probe.ok_or_else(|| TrainingError::new_err(format!("iteration {iteration} is not being played")))?;
        Ok(PyBytes::new(py, &probe))
    }

    /// Takes in the result of a shard after checking it: its checksum, that it belongs to the specification, and
    /// every decision by the rules. Returns whether it counts: False if it was there before.
    ///
    /// * `core_seconds`: the CPU seconds that the player has spent, for the metrics.
    ///
    /// Raises `TrainingError` if the result is wrong: this counts as a failure of the shard, as by `fail`.
    #[pyo3(signature = (iteration, first, result, *, core_seconds = Real(0.0)))]
    #[pyo3(text_signature = "($self, iteration, first, result, *, core_seconds=0.0)")]
    fn ingest(
        &self,
        py: Python<'_>,
        iteration: Whole,
        first: Whole,
        result: &[u8],
        core_seconds: Real,
    ) -> PyResult<bool> {
        let (id, Real(core_seconds)) = (shard(iteration, first)?, core_seconds);
        detached(py, || {
            let taken = self.coordinator.ingest(id, result).or_raise()?;
            if taken == Ingested::Taken && core_seconds.is_finite() {
                self.coordinator.add_core_seconds(id.iteration, core_seconds);
            }
            Ok(taken == Ingested::Taken)
        })
    }

    /// Lets a shard be handed out again, since its player may be gone or slow. A result that comes late still counts.
    fn reask(&self, iteration: Whole, first: Whole) -> PyResult<()> {
        self.coordinator.reask(shard(iteration, first)?);
        Ok(())
    }

    /// Counts a failure of a shard, and lets it be handed out again; returns whether it is given up instead, after
    /// three failures.
    fn fail(&self, iteration: Whole, first: Whole) -> PyResult<bool> {
        Ok(self.coordinator.fail(shard(iteration, first)?))
    }

    /// Returns the shards that were given up, as `next_shards` does.
    fn quarantined<'py>(&self, py: Python<'py>) -> Vec<Listed<'py>> {
        self.coordinator.quarantined().iter().map(|spec| listed(py, spec)).collect()
    }

    /// Returns whether no shard of an iteration is waiting or handed out.
    fn is_complete(&self, iteration: Whole) -> PyResult<bool> {
        Ok(self.coordinator.is_complete(number(iteration)?))
    }

    /// Returns how many shards are "waiting", "out", "done" and "quarantined" now, and how many were "reasked" and
    /// came "repeated" in total.
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
}

impl Shards {
    pub fn of(coordinator: Arc<Coordinator<GipfPosition>>) -> Self {
        Self { coordinator }
    }
}

/// Reads the number of an iteration.
fn number(iteration: Whole) -> PyResult<u32> {
    iteration.checked("iteration", 0..=u32::MAX)
}

/// Reads the name of a shard.
fn shard(iteration: Whole, first: Whole) -> PyResult<ShardId> {
    Ok(ShardId { iteration: number(iteration)?, first: first.checked("first", 0..=u64::MAX)? })
}

fn listed<'py>(py: Python<'py>, spec: &ShardSpec<GipfPosition>) -> Listed<'py> {
    (spec.iteration, spec.first, spec.games, PyBytes::new(py, &spec.to_bytes()))
}

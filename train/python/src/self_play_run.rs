//! Datasets whose games are played by others.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Variant};
use gipf_models::{Checkpoint, Engine};
use gipf_play::GameConfig;
use gipf_play::players::Network;
use gipf_play::search::SearchConfig;
use gipf_train::Existing;
use gipf_train::dataset::{DatasetWriter, OrderedWriter, Plan, Provenance, Summary};
use gipf_train::training::SelfPlayConfig;
use gipf_train::training::shard::{Coordinator, ReleasedNetwork, Terms};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{Real, Text, Whole, seed};
use crate::error::{GipfError, OrRaise, TrainingError, detached, one_line, variant};
use crate::searches::MOST_SIMULATIONS;
use crate::shards::Shards;
use crate::workers::{divided, workers};

/// The number of portions that are played at once: one is always open while another one ends.
const OPEN: usize = 2;
/// The most games in all.
const MOST_GAMES: u64 = 1_000_000_000_000;
/// The most portions.
const MOST_PORTIONS: u64 = 1_000_000;
/// The most games of a portion, which are kept in memory until it is written.
const MOST_PORTION: u64 = 1_000_000;
/// The most random decisions of an opening.
const MOST_PLIES: usize = 100;

/// A dataset of self-play whose games are played by others: `gipf self-play` in parts.
///
/// The games are played in portions, which are called iterations here, so that the code that drives a `Training` can
/// drive this too: while `begin` returns True, the shards of the next portion are handed out and taken in, until
/// `is_complete`; then `save` writes them. The files are the same as those of `gipf self-play` with the same
/// settings, byte for byte; the same call resumes an unfinished dataset.
///
/// * `checkpoint`: the network: a file, a run, or "pretrained"; None if an evaluator plays.
/// * `games`: the number of games.
/// * `out`: the directory of the dataset.
/// * `variant`: the rule set; by default that of the network.
/// * `simulations`, `cheap_simulations`, `full_share`: of a turn's searches; a share `full_share` of the turns is
///   searched fully.
/// * `random_plies`: the most random decisions that a game begins with, 0 to 100.
/// * `limit`, `potentials`: placements after which a game is cut off, and ZÈRTZ-potentials.
/// * `seed`: of the games.
///
/// What is not given is as in `gipf self-play`, and not as in `gipf.self_play`, which searches a quarter of the turns
/// fully and has the seed 0.
///
/// * `portion`: the number of games that are written together, up to 1 000 000; twice as many are played at once.
///   There are at most 1 000 000 portions. The last file of the dataset is written anew with each, until it is full,
///   which takes up to a second.
/// * `evaluator`: the name of your evaluator, if it plays instead of a checkpoint, by `play_shard_with`. Its results
///   are checked by the rules; whether the same games come out again depends on the evaluator. If you change it, give
///   it another name.
///
/// Raises `CheckpointError` if the network is not sound, `DatasetError` if the directory holds another dataset,
/// `GipfError` if a number is out of range.
#[pyclass(module = "gipf", frozen, extends = Shards)]
pub struct SelfPlayRun {
    path: PathBuf,
    games: u64,
    portion: u64,
    coordinator: Arc<Coordinator<GipfPosition>>,
    terms: Arc<Terms<GipfPosition>>,
    player: ReleasedNetwork,
    state: Mutex<State>,
}

struct State {
    /// None once the dataset is complete.
    writer: Option<OrderedWriter>,
    summary: Option<Summary>,
    /// The portions that are missing, each at the index of its number minus one; `None` before the first `begin`.
    portions: Option<Vec<Range<u64>>>,
    released: usize,
    written: usize,
}

#[pymethods]
impl SelfPlayRun {
    #[new]
    #[pyo3(signature = (checkpoint, games, out, *, variant = None, simulations = Whole::of(64),
        cheap_simulations = Whole::of(16), full_share = Real(1.0), random_plies = Whole::of(6),
        limit = Whole::of(PLACEMENT_LIMIT), potentials = None, seed = Whole::of(1), portion = Whole::of(1000),
        evaluator = None))]
    #[pyo3(
        text_signature = "(checkpoint, games, out, *, variant=None, simulations=64, cheap_simulations=16, full_share=1.0, \
        random_plies=6, limit=400, potentials=None, seed=1, portion=1000, evaluator=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        checkpoint: Option<PathBuf>,
        games: Whole,
        out: PathBuf,
        variant: Option<Text>,
        simulations: Whole,
        cheap_simulations: Whole,
        full_share: Real,
        random_plies: Whole,
        limit: Whole,
        potentials: Option<Whole>,
        seed: Whole,
        portion: Whole,
        evaluator: Option<Text>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let config = SelfPlayConfig {
            full_simulations: simulations.checked("simulations", 1..=MOST_SIMULATIONS)?,
            cheap_simulations: cheap_simulations.checked("cheap_simulations", 1..=MOST_SIMULATIONS)?,
            full_share: full_share.checked("full_share", 0.0..=1.0)?,
            random_plies: random_plies.checked("random_plies", 0..=MOST_PLIES)?,
            ..SelfPlayConfig::default()
        };
        let (games, seed) = (games.checked("games", 1..=MOST_GAMES)?, self::seed(seed)?);
        let portion = portion.checked("portion", 1..=MOST_PORTION)?;
        // Each is kept, and reported with its number.
        if games.div_ceil(portion) > MOST_PORTIONS {
            let text = format!("{games} games in portions of {portion}: expected at most {MOST_PORTIONS} portions");
            return Err(GipfError::new_err(text));
        }
        let limit = limit.checked("limit", 1..=u16::MAX)?;
        let potentials = potentials.map(|given| given.checked("potentials", 0..=u8::MAX)).transpose()?;
        let (run, shards) = divided(py, || {
            let named = variant.map(|name| self::variant(&name)).transpose()?;
            let (rules, player) = match (checkpoint, evaluator) {
                (Some(place), None) => by_network(&place, named)?,
                (None, Some(name)) => (named.unwrap_or(Variant::STANDARD), by_evaluator(&name)),
                _ => return Err(GipfError::new_err("expected either a checkpoint or the name of an evaluator")),
            };
            let game = GameConfig { variant: rules, placement_limit: limit, potentials };
            let start = GipfPosition::from_setup(&game.setup().or_raise()?).or_raise()?;
            let search = SearchConfig::self_play();
            let mut settings = serde_json::json!({
                "self_play": config, "search": search, "limit": limit, "potentials": potentials
            });
            let network = player.engine.is_some().then(|| blake3::Hash::from_bytes(player.hash).to_string());
            if network.is_none() {
                settings["evaluator"] = String::from_utf8_lossy(&player.checkpoint).into();
            }
            let parents = network.iter().cloned().collect();
            let provenance = Provenance { checkpoint: network, settings, ..Provenance::of(rules, seed) };
            let plan = Plan { games: Some(games), parents, ..Plan::new("self-play", provenance) };
            let writer = DatasetWriter::create(&out, plan, Existing::Refused).or_raise()?;
            let writer = Some(OrderedWriter::new(writer).or_raise()?);
            let terms = Terms { game: rules.to_string(), start, archive: Vec::new(), seed, config, search };
            let coordinator = Arc::new(Coordinator::new(portion));
            let shards = Shards::of(Arc::clone(&coordinator));
            let state = State { writer, summary: None, portions: None, released: 0, written: 0 };
            let terms = Arc::new(terms);
            let run = Self { path: out, games, portion, coordinator, terms, player, state: Mutex::new(state) };
            Ok((run, shards))
        })?;
        Ok(PyClassInitializer::from(shards).add_subclass(run))
    }

    /// The directory of the dataset.
    #[getter]
    fn path(&self) -> &PathBuf {
        &self.path
    }

    /// The total number of games.
    #[getter]
    fn games(&self) -> u64 {
        self.games
    }

    /// The number of portions, once the first has begun.
    #[getter]
    fn length(&self) -> PyResult<usize> {
        Ok(self.state()?.portions.as_ref().map_or(0, Vec::len))
    }

    /// The number of portions that have been written.
    #[getter]
    fn iterations(&self) -> PyResult<usize> {
        Ok(self.state()?.written)
    }

    /// Lets the next portions be played; returns False when all games are written.
    ///
    /// Raises `TrainingError` if the dataset was kept as a partial one.
    fn begin(&self, py: Python<'_>) -> PyResult<bool> {
        self.at_work(py, |state| {
            state.check_open()?;
            let Some(writer) = &state.writer else { return Ok(false) };
            let portions = state.portions.get_or_insert_with(|| portions(writer.missing(0..self.games), self.portion));
            while state.released < portions.len().min(state.written + OPEN) {
                let Range { start, end } = portions[state.released].clone();
                state.released += 1;
                let number = u32::try_from(state.released).map_err(|_| GipfError::new_err("too many games"))?;
                self.coordinator.release(number, (start, end - start), Arc::clone(&self.terms), self.player.clone());
            }
            if state.written < portions.len() {
                return Ok(true);
            }
            state.summary = state.writer.take().map(|writer| writer.finish().or_raise()).transpose()?;
            Ok(false)
        })
    }

    /// Writes the games of the first open portion, and returns how many games are written so far, as JSON. Even if this
    /// process is killed, the same call resumes the dataset after them.
    ///
    /// Raises `TrainingError` if games are missing or the dataset was kept as a partial one, `DatasetError` if a file
    /// cannot be written.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        self.at_work(py, |state| {
            // Checked before the games are taken, which could then not be written.
            state.check_open()?;
            let number = state.written + 1;
            // The games of an incomplete portion stay: the rest may still come.
            let whole = u32::try_from(number).ok().filter(|&number| self.coordinator.is_whole(number));
            let harvest = whole.and_then(|number| self.coordinator.take(number));
            let (Some(harvest), Some(writer)) = (harvest, &mut state.writer) else {
                return Err(TrainingError::new_err(format!(
                    "portion {number} cannot be written: its games are not there"
                )));
            };
            harvest.games.iter().try_for_each(|game| writer.add(game)).or_raise()?;
            // A portion counts as written once nothing can take it back, not even the end of this process.
            writer.keep().or_raise()?;
            state.written = number;
            Ok(serde_json::json!({ "games": writer.games(), "of": self.games }).to_string())
        })
    }

    /// Ends the work on the dataset, whose directory is then free: what was written stays, as a partial dataset that the
    /// same call resumes.
    fn keep(&self, py: Python<'_>) -> PyResult<()> {
        self.at_work(py, |state| match state.writer.take() {
            Some(mut writer) => writer.keep().or_raise().map(drop),
            None => Ok(()),
        })
    }

    /// Returns the content of the dataset once it is complete: "games", "rows" and "files".
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let state = self.state()?;
        let Some(summary) = &state.summary else { return Ok(None) };
        let report = PyDict::new(py);
        report.set_item("games", summary.games)?;
        report.set_item("rows", summary.rows)?;
        report.set_item("files", &summary.files)?;
        Ok(Some(report))
    }

    fn __repr__(&self) -> String {
        format!("<gipf.SelfPlayRun {}>", self.path.display())
    }
}

impl SelfPlayRun {
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| GipfError::new_err("the dataset has failed before: resume it by the same call"))
    }

    /// Works on the dataset on the shared threads; they do not wait for its lock, the caller does.
    fn at_work<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> PyResult<T> + Send) -> PyResult<T> {
        detached(py, || {
            let state = &mut *self.state()?;
            workers()?.install(|| work(state))
        })
    }
}

impl State {
    /// Refuses to go on with a dataset that was kept before it was complete.
    fn check_open(&self) -> PyResult<()> {
        if self.writer.is_some() || self.summary.is_some() {
            return Ok(());
        }
        Err(TrainingError::new_err("the dataset was kept as a partial one: resume it by the same call"))
    }
}

/// Reads a network, and finds the rule set that it plays.
fn by_network(place: &Path, named: Option<Variant>) -> PyResult<(Variant, ReleasedNetwork)> {
    let network = Network::named(place).resolved().or_raise()?;
    let rules = named.or(network.variant().or_raise()?).unwrap_or(Variant::STANDARD);
    let bytes = network.bytes(rules).or_raise()?;
    let Checkpoint { weights, config, .. } = network.checkpoint_of(&bytes, rules).or_raise()?;
    let engine = Arc::new(Engine::new(&weights, &config).or_raise()?);
    let hash = blake3::hash(&bytes).into();
    Ok((rules, ReleasedNetwork { engine: Some(engine), checkpoint: Arc::from(&*bytes), hash }))
}

/// Returns an external evaluator as a player: only its name is known.
fn by_evaluator(name: &str) -> ReleasedNetwork {
    let name = one_line(&name);
    ReleasedNetwork { engine: None, hash: blake3::hash(name.as_bytes()).into(), checkpoint: Arc::from(name.as_bytes()) }
}

/// Divides the missing games into portions, which are written as a whole.
fn portions(missing: Vec<Range<u64>>, size: u64) -> Vec<Range<u64>> {
    let divide = |range: Range<u64>| {
        let end = range.end;
        range.step_by(size as usize).map(move |first| first..end.min(first + size))
    };
    missing.into_iter().flat_map(divide).collect()
}

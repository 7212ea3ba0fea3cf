//! Self-play with a Python evaluator.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use gipf_env::{GipfPosition, Setup, Variant};
use gipf_play::search::{Answers, Leaves, SearchConfig, SearchesError};
use gipf_train::Existing;
use gipf_train::dataset::{DatasetWriter, OrderedWriter, Plan, Provenance, Summary};
use gipf_train::training::shard::{ShardGames, ShardSpec};
use gipf_train::training::{Assignment, ManyGames, PlayedGame as Played, SelfPlayConfig};
use numpy::{PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};
use pyo3::{PyTraverseError, PyVisit};

use crate::answers::{Logits, Outcomes};
use crate::argument::{Real, Text, Whole, seed};
use crate::arrays::in_use;
use crate::error::{GipfError, OrRaise, detached, guarded, variant};
use crate::own::Judge;
use crate::played_game::PlayedGame;
use crate::searches::MOST_SIMULATIONS;
use crate::workers::divided;

/// The most games at once.
pub const MOST_AT_ONCE: usize = 100_000;
/// The most games that are played by one thread alone.
const ALONE: usize = 16;
/// The most games in all.
const MOST_GAMES: u64 = 1_000_000_000_000;
/// The most random decisions of an opening, and noisy turns.
const MOST_PLIES: usize = 65_535;

/// Lets the search play against itself with your evaluator, many games at once.
///
/// * `evaluate`: a function from observations `(k, planes, 7, 7)`, float32, to logits `(k, actions)` and values
///   `(k,)` or `(k, 3)`, as `Searches.apply` takes them: for the player to move. It is called in the calling thread.
/// * `games`: the number of games.
/// * `variant`, `limit`, `potentials`: the rule set and its settings, as for `State`; the limit is 1 to 65535.
/// * `parallel`: the number of games at once, 1 to 100 000; the leaf of each is a row of the batch.
/// * `full_simulations`, `cheap_simulations`: of a turn's searches, 1 to 1 000 000. A share `full_share` of the turns
///   is searched fully: these are learned from, the others only move the game on.
/// * `random_plies`: the most random decisions that a game begins with; each game has a random number of them.
/// * `noisy_turns`: the number of turns at the beginning in which cheap searches are explored at random too.
/// * `seed`: of the games, an unsigned 64-bit integer. A game depends on the seed, its number and the evaluator's
///   answers for its leaves.
/// * `name`: of the evaluator in the dataset; by default the name of the function.
/// * `out`: the directory of a dataset, as `gipf self-play` writes it.
/// * `progress`: called with the number of games that have ended and the number of all games, whenever some have ended.
///
/// Without `out` the games come one by one, each as it ends: an iterator of `PlayedGame`. With `out` all of them are
/// played before the call returns a dict of "games", "rows" and "files". If the evaluator raises an exception or
/// Ctrl-C is pressed, the games that have ended are kept as a partial dataset, and the same call resumes it: if you
/// have changed the network, give it another name, and the call is refused.
///
/// Raises `EvaluatorError` if an answer is not as expected; then nothing was taken, and an iterator asks about the
/// same leaves again. Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range,
/// `DatasetError` if the directory holds another dataset or cannot be written to.
#[pyfunction]
#[pyo3(signature = (evaluate, games, *, variant = Text::from("standard"), parallel = Whole::of(256),
    full_simulations = Whole::of(64), cheap_simulations = Whole::of(16), full_share = Real(0.25),
    random_plies = Whole::of(6), noisy_turns = Whole::of(12), limit = Whole::of(400), potentials = None,
    seed = Whole::of(0), name = None, out = None, progress = None))]
#[pyo3(
    text_signature = "(evaluate, games, *, variant='standard', parallel=256, full_simulations=64, cheap_simulations=16, \
    full_share=0.25, random_plies=6, noisy_turns=12, limit=400, potentials=None, seed=0, name=None, out=None, \
    progress=None)"
)]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn self_play<'py>(
    py: Python<'py>,
    evaluate: Bound<'py, PyAny>,
    games: Whole,
    variant: Text,
    parallel: Whole,
    full_simulations: Whole,
    cheap_simulations: Whole,
    full_share: Real,
    random_plies: Whole,
    noisy_turns: Whole,
    limit: Whole,
    potentials: Option<Whole>,
    seed: Whole,
    name: Option<Text>,
    out: Option<PathBuf>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let config = SelfPlayConfig {
            full_simulations: full_simulations.checked("full_simulations", 1..=MOST_SIMULATIONS)?,
            cheap_simulations: cheap_simulations.checked("cheap_simulations", 1..=MOST_SIMULATIONS)?,
            full_share: full_share.checked("full_share", 0.0..=1.0)?,
            random_plies: random_plies.checked("random_plies", 0..=MOST_PLIES)?,
            noisy_turns: noisy_turns.checked("noisy_turns", 0..=MOST_PLIES)?,
            ..SelfPlayConfig::default()
        };
        let terms = Terms {
            rules: self::variant(&variant)?,
            limit: limit.checked("limit", 1..=u16::MAX)?,
            potentials: potentials.map(|given| given.checked("potentials", 0..=u8::MAX)).transpose()?,
            games: games.checked("games", 1..=MOST_GAMES)?,
            parallel: parallel.checked("parallel", 1..=MOST_AT_ONCE)?,
            seed: self::seed(seed)?,
            config,
        };
        let judge = Judge::of(evaluate, name.as_deref())?;
        let start = terms.start()?;
        let writer = out.map(|out| terms.writer(py, &out, &judge.name)).transpose()?;
        let begun = writer.as_ref().map_or_else(Begun::default, Begun::of);
        let mut play = SelfPlay::new(&terms, &start, begun, judge);
        play.progress = progress.map(Bound::unbind);
        match writer {
            Some(writer) => Ok(report(py, play.write(py, writer)?)?.into_any()),
            None => Ok(Bound::new(py, play)?.into_any()),
        }
    })
}

/// Which games are played.
struct Terms {
    rules: Variant,
    limit: u16,
    potentials: Option<u8>,
    games: u64,
    parallel: usize,
    seed: u64,
    config: SelfPlayConfig,
}

impl Terms {
    fn start(&self) -> PyResult<GipfPosition> {
        let mut setup = Setup::start(self.rules).with_placement_limit(Some(self.limit));
        if let Some(potentials) = self.potentials {
            setup = setup.with_potentials(potentials).or_raise()?;
        }
        GipfPosition::from_setup(&setup).or_raise()
    }

    /// Begins the dataset, or resumes it.
    fn writer(&self, py: Python<'_>, out: &Path, evaluator: &str) -> PyResult<OrderedWriter> {
        let settings = serde_json::json!({
            "evaluator": evaluator, "self_play": self.config, "search": SearchConfig::self_play(),
            "limit": self.limit, "potentials": self.potentials
        });
        let provenance = Provenance { settings, ..Provenance::of(self.rules, self.seed) };
        let plan = Plan { games: Some(self.games), ..Plan::new("self-play", provenance) };
        divided(py, || {
            let writer = DatasetWriter::create(out, plan, Existing::Refused).or_raise()?;
            OrderedWriter::new(writer).or_raise()
        })
    }
}

/// The games that were played by earlier calls.
#[derive(Default)]
struct Begun {
    /// The number of the first game that is missing.
    first: u64,
    /// The numbers of later games that are not missing.
    ahead: BTreeSet<u64>,
}

impl Begun {
    fn of(writer: &OrderedWriter) -> Self {
        Self { first: writer.next(), ahead: writer.ahead() }
    }
}

fn report(py: Python<'_>, summary: Summary) -> PyResult<Bound<'_, PyDict>> {
    let report = PyDict::new(py);
    report.set_item("games", summary.games)?;
    report.set_item("rows", summary.rows)?;
    report.set_item("files", summary.files)?;
    Ok(report)
}

/// Games of the search against itself, each as it ends: see `self_play`.
#[pyclass(module = "gipf")]
pub struct SelfPlay {
    many: ManyGames<GipfPosition>,
    judge: Judge,
    rules: Variant,
    observations: Option<Py<PyArray4<f32>>>,
    /// The number of leaves that wait for their evaluations, once games have begun.
    leaves: Option<usize>,
    masks: Vec<bool>,
    /// Games that have ended but were not returned yet.
    ready: VecDeque<Played<GipfPosition>>,
    ended: u64,
    /// The number of leaves that were evaluated.
    asked: u64,
    /// The number of ended games that were last reported.
    told: u64,
    games: u64,
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl SelfPlay {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Option<PlayedGame>> {
        guarded(|| {
            let mut play = slf.try_borrow_mut().map_err(|_| {
                GipfError::new_err("these games are being played: expected one caller at a time, and not the evaluator")
            })?;
            while play.ready.is_empty() {
                if !play.step(slf.py())? && play.ready.is_empty() {
                    return Ok(None);
                }
            }
            Ok(play.ready.pop_front().map(PlayedGame::of))
        })
    }

    /// The evaluator may hold its own games.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.judge.evaluate)?;
        visit.call(&self.progress)
    }

    fn __repr__(&self) -> String {
        format!("<gipf.SelfPlay of {}, {} of {} games>", self.rules, self.ended, self.games)
    }
}

impl SelfPlay {
    fn new(terms: &Terms, start: &GipfPosition, begun: Begun, judge: Judge) -> Self {
        let &Terms { rules, games, parallel, seed, ref config, .. } = terms;
        let (search, parallel) = (SearchConfig::self_play(), games.min(parallel as u64) as usize);
        let Begun { first, ahead } = begun;
        let missing =
            Assignment { start, archive: &[], first_id: first, games: games - first, seed, config, search: &search };
        let ended = first + ahead.len() as u64;
        let many = ManyGames::new(&missing, parallel).without(ahead);
        Self { ended, told: ended, games, ..Self::of(many, rules, judge) }
    }

    /// Returns the games of a shard, none of which has begun.
    pub fn of_shard(spec: &ShardSpec<GipfPosition>, parallel: usize, judge: Judge) -> Self {
        let parallel = spec.games.min(parallel as u64) as usize;
        let many = ManyGames::new(&spec.assignment(), parallel);
        Self { games: spec.games, ..Self::of(many, spec.terms.start.variant(), judge) }
    }

    fn of(many: ManyGames<GipfPosition>, rules: Variant, judge: Judge) -> Self {
        let masks = vec![false; many.parallel() * rules.num_actions()];
        Self {
            many,
            judge,
            rules,
            observations: None,
            leaves: None,
            masks,
            ready: VecDeque::new(),
            ended: 0,
            asked: 0,
            told: 0,
            games: 0,
            progress: None,
        }
    }

    /// Plays all games, and returns them in the order of their numbers.
    pub fn all(mut self, py: Python<'_>) -> PyResult<ShardGames<GipfPosition>> {
        while self.step(py)? {}
        let mut games = Vec::from(self.ready);
        games.sort_unstable_by_key(|game| game.id);
        Ok(ShardGames { games, asked: self.asked, found: 0 })
    }

    /// Plays all games into a dataset; if an error ends this early, the games that have ended are kept.
    fn write(&mut self, py: Python<'_>, mut writer: OrderedWriter) -> PyResult<Summary> {
        let played = self.write_all(py, &mut writer);
        if let Err(error) = played {
            // The exception that was raised matters more than a failure to keep the rest.
            divided(py, || writer.keep().or_raise()).ok();
            return Err(error);
        }
        divided(py, || writer.finish().or_raise())
    }

    fn write_all(&mut self, py: Python<'_>, writer: &mut OrderedWriter) -> PyResult<()> {
        loop {
            let stepped = self.step(py);
            let games = std::mem::take(&mut self.ready);
            if !games.is_empty() {
                divided(py, || games.iter().try_for_each(|game| writer.add(game)).or_raise())?;
                divided(py, || writer.keep_at_times().or_raise())?;
            }
            if !stepped? {
                return Ok(());
            }
        }
    }

    /// Evaluates one batch of leaves; returns whether games go on.
    fn step(&mut self, py: Python<'_>) -> PyResult<bool> {
        py.check_signals()?;
        if self.leaves.is_none() {
            self.advance(py, |_| Ok(()))?;
        }
        self.tell(py)?;
        // If anything fails from here on, the leaves are written again: somebody may have changed them.
        let leaves = self.leaves.take().expect("games were advanced");
        if leaves == 0 {
            return Ok(false);
        }
        let board = self.observations.as_ref().expect("leaves were written").bind(py);
        let rows = PySlice::new(py, 0, leaves.cast_signed(), 1);
        let (logits, outcomes) = self.judge.ask(board.get_item(rows)?, [leaves, self.rules.num_actions()])?;
        self.apply(py, &logits, &outcomes)?;
        self.asked += leaves as u64;
        Ok(true)
    }

    /// Lets the games take answers and go on to their next leaves: in one step, since handing work to threads takes time.
    fn advance(
        &mut self,
        py: Python<'_>,
        take: impl FnOnce(&mut ManyGames<GipfPosition>) -> Result<(), SearchesError> + Send,
    ) -> PyResult<()> {
        let board = self.board(py)?;
        let mut observations = board.try_readwrite().map_err(|_| in_use("observations"))?;
        let planes = observations.as_slice_mut().map_err(|_| in_use("observations"))?;
        let leaves = Leaves { planes, masks: &mut self.masks };
        let go_on = |many: &mut ManyGames<GipfPosition>| take(many).and_then(|()| many.gather(leaves)).or_raise();
        self.leaves = Some(on_workers(py, &mut self.many, go_on)?);
        let before = self.ready.len();
        self.ready.extend(self.many.take_ended());
        self.ended += (self.ready.len() - before) as u64;
        Ok(())
    }

    /// Returns the array for the leaves: a new one if somebody has kept the last one.
    fn board<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<f32>>> {
        if let Some(board) = self.observations.take() {
            let board = board.into_bound(py);
            let count: usize = py.import("sys")?.call_method1("getrefcount", (&board,))?.extract()?;
            // One reference is held here, and one by the call.
            if count <= 2 {
                self.observations = Some(board.clone().unbind());
                return Ok(board);
            }
        }
        let [planes, rows, columns] = gipf_env::observation::layout(self.rules).shape();
        let board = PyArray4::zeros(py, [self.many.parallel(), planes, rows, columns], false);
        self.observations = Some(board.clone().unbind());
        Ok(board)
    }

    fn apply(&mut self, py: Python<'_>, logits: &Logits<'_>, outcomes: &Outcomes) -> PyResult<()> {
        let values = outcomes.values();
        match logits {
            Logits::Single(logits) => {
                let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                self.advance(py, |many| many.apply(Answers { logits, values }))
            }
            Logits::Half(logits) => {
                let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                self.advance(py, |many| many.apply(Answers { logits, values }))
            }
        }
    }

    /// Reports how many games have ended, if there are more than last time.
    fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        if std::mem::replace(&mut self.told, self.ended) < self.ended
            && let Some(progress) = &self.progress
        {
            progress.call1(py, (self.ended, self.games))?;
        }
        Ok(())
    }
}

/// Works on games without the interpreter, on all threads if there are too many for one thread alone.
fn on_workers<T: Send>(
    py: Python<'_>,
    many: &mut ManyGames<GipfPosition>,
    work: impl FnOnce(&mut ManyGames<GipfPosition>) -> PyResult<T> + Send,
) -> PyResult<T> {
    if many.parallel() > ALONE { divided(py, || work(many)) } else { detached(py, || work(many)) }
}

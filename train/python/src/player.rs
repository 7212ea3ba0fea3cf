//! Players: the baseline AI, and the tree search with a network.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_play::players::{Agent, AgentSpec, Contender, TurnLimits};
use gipf_play::{Numbers, Stop, in_order};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::analysis::Analysis;
use crate::argument::{Name, Real, Text, Whole, seed};
use crate::error::{AgentError, IllegalAction, OrRaise, detached, guarded, one_line, variant};
use crate::mind::{Batch, Cost, Mind, States, check_end, cost, limits};
use crate::network::{Loaded, with_path, without_path};
use crate::own::{Asker, Bring, Desk, Judge, Leaves, Own, SIDE_BY_SIDE, Staffed, asking};
use crate::searches::{MOST_SIMULATIONS, config};
use crate::state::Shown;
use crate::waiting::{Calls, attended, interruptible};
use crate::who::Who;
use crate::workers::{on_threads, thread_count};

/// Any player, by name.
///
/// * `name`: "random", "greedy", "baseline:1" to "baseline:8" (the baseline AI at eight strengths), "alpha-beta:1" to
///   "alpha-beta:8" (the same by depth), "alpha-beta:time=50ms", "pretrained" (the network shipped with the package,
///   64 simulations), "pretrained:sims=400", "pretrained:time=50ms", "level:1" to "level:10" (strengths for people),
///   "mcts:PATH,sims=64", or the path of a checkpoint or a run, as text or `pathlib.Path`.
/// * `variant`: the rule set. By default a checkpoint plays the rule set that it was trained for, everything else
///   standard.
/// * `seed`: of its random numbers; an unsigned 64-bit integer.
///
/// Raises `AgentError` if there is no such player, `CheckpointError` if its file is not sound or is for another rule
/// set.
///
/// A player remembers its search from one decision of a game to the next. Asked again about the same position, a tree
/// search begins anew: what it finds does not depend on how often it was asked; others go on. A pickled or copied player
/// includes its network and begins its game as after `new_game` with the last seed. Ctrl-C ends a search at once.
#[pyclass(module = "gipf", frozen)]
pub struct Player {
    who: Who,
    rules: Variant,
    network: Option<Loaded>,
    seed: AtomicU64,
    mind: Mutex<Mind>,
}

/// The interval between two checks whether a player that is busy elsewhere is free.
const BUSY: Duration = Duration::from_millis(1);

impl Player {
    /// Reads everything that a player needs; if no rule set is given, the player determines it.
    pub fn of(spec: AgentSpec, asked: Option<Variant>) -> PyResult<Self> {
        let AgentSpec::Checkpoint(own) = &spec else {
            return Self::with_network(spec, asked.unwrap_or(Variant::STANDARD), None);
        };
        let network = Loaded::read(own, asked)?;
        Self::with_network(spec, network.rules(), Some(network))
    }

    /// Returns a player with the given network; if it needs one and none is given, with a shipped network.
    fn with_network(spec: AgentSpec, rules: Variant, network: Option<Loaded>) -> PyResult<Self> {
        // A strength for people is played by another player behind it.
        let network = match &*spec.behind(rules) {
            AgentSpec::Checkpoint(own) => Some(network.map_or_else(|| Loaded::read(own, Some(rules)), Ok)?),
            _ => None,
        };
        let mind = Mind::of(&spec, rules, network.as_ref())?;
        let player = Self { who: Who::Named(spec), rules, network, seed: AtomicU64::new(0), mind: Mutex::new(mind) };
        player.begin(0, &Stop::default())?;
        Ok(player)
    }

    /// Returns a player that searches with a Python evaluator.
    fn with_own(own: Own, rules: Variant) -> PyResult<Self> {
        let desk = Desk::default();
        let mind = Mind::Asking(Box::new(own.search(desk.asker())?), desk);
        let who = Who::Own(own);
        let player = Self { who, rules, network: None, seed: AtomicU64::new(0), mind: Mutex::new(mind) };
        player.begin(0, &Stop::default())?;
        Ok(player)
    }

    /// Returns its Python evaluator, if it has one.
    pub fn own(&self) -> Option<&Own> {
        self.who.own()
    }

    /// Returns the agent of the program, if it is one.
    pub fn spec(&self) -> Option<&AgentSpec> {
        self.who.spec()
    }

    /// Returns the same player at the beginning of its game.
    fn again(&self, py: Python<'_>) -> PyResult<Self> {
        let player = match &self.who {
            Who::Named(spec) => Self::with_network(spec.clone(), self.rules, self.network.clone())?,
            Who::Own(own) => Self::with_own(own.again(py), self.rules)?,
        };
        player.begin(self.seed.load(Ordering::SeqCst), &Stop::default())?;
        Ok(player)
    }

    /// Returns the rule set that it plays.
    pub fn rules(&self) -> Variant {
        self.rules
    }

    /// Returns the player as a contender in matches, which brings the leaves for a Python evaluator there.
    pub fn contender(&self, bring: &Bring) -> PyResult<Contender<GipfPosition>> {
        let spec = match &self.who {
            Who::Named(spec) => spec,
            Who::Own(own) => {
                let (config, simulations, bring) = (config(own.root)?, own.simulations, Arc::clone(bring));
                let build = move || Box::new(asking(config, simulations, Asker::of(&bring))) as Box<dyn Agent<_>>;
                return Ok(Contender { name: own.judge.name.clone(), build: Box::new(build) });
            }
        };
        let behind = &*spec.behind(self.rules);
        let (AgentSpec::Checkpoint(own), Some(network)) = (behind, &self.network) else {
            return spec.contender(self.rules).or_raise();
        };
        behind.check_memory().or_raise()?;
        let (own, engine) = (own.clone(), network.engine().clone());
        Ok(Contender { name: spec.to_string(), build: Box::new(move || Box::new(own.agent(engine.clone()))) })
    }

    /// Waits until it is no longer busy for another caller; returns nothing if a stop is requested.
    fn free(&self, stop: &Stop) -> Option<MutexGuard<'_, Mind>> {
        loop {
            match self.mind.try_lock() {
                Ok(mind) => return Some(mind),
                Err(TryLockError::Poisoned(mind)) => {
                    let mut mind = mind.into_inner();
                    // A panic has left a tree that must not be used again.
                    self.begin_anew(&mut mind);
                    self.mind.clear_poison();
                    return Some(mind);
                }
                Err(TryLockError::WouldBlock) if stop.requested() => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(BUSY),
            }
        }
    }

    fn begin(&self, seed: u64, stop: &Stop) -> PyResult<()> {
        let mut mind = self.free(stop).ok_or_else(stopped)?;
        self.seed.store(seed, Ordering::SeqCst);
        self.begin_anew(&mut mind);
        Ok(())
    }

    /// Forgets everything it found, as if the game had just begun.
    fn begin_anew(&self, mind: &mut Mind) {
        mind.begin(&GipfPosition::start(self.rules), self.seed.load(Ordering::SeqCst));
    }

    fn check(&self, Shown(position): &Shown) -> PyResult<()> {
        let found = position.variant();
        if found != self.rules {
            let text = format!("a position of {found}: expected {}, which {} plays", self.rules, self.who);
            return Err(AgentError::new_err(one_line(&text)));
        }
        match position.outcome() {
            Some(outcome) => Err(IllegalAction::new_err(format!("the game is over, {outcome}: nothing can be chosen"))),
            None => Ok(()),
        }
    }

    fn think(&self, py: Python<'_>, state: &Shown, cost: Cost) -> PyResult<Analysis> {
        self.think_of(py, state, cost, 1)
    }

    fn think_of(&self, py: Python<'_>, state: &Shown, cost: Cost, most: usize) -> PyResult<Analysis> {
        self.check(state)?;
        check_end(self.spec(), cost)?;
        let Shown(position) = state;
        let stop = Stop::default();
        let limits = limits(cost, &stop);
        let (leaves, inbox) = channel();
        match &self.who {
            Who::Named(AgentSpec::Random | AgentSpec::Greedy) => {
                // These decide faster than a thread is started.
                detached(py, || self.analyse_within(position, (&limits, most), leaves))
            }
            Who::Named(_) => interruptible(py, &stop, || self.analyse_within(position, (&limits, most), leaves)),
            Who::Own(own) => {
                let _answering = own.answering()?;
                let mut answer = |waiting| own.answer(py, waiting);
                let calls = Calls { inbox, answer: &mut answer };
                attended(py, &stop, calls, || self.analyse_within(position, (&limits, most), leaves))
            }
        }
    }

    /// Thinks; the leaves for a Python evaluator go to `leaves`.
    fn analyse_within(
        &self,
        position: &GipfPosition,
        (limits, most): (&TurnLimits, usize),
        leaves: Sender<Leaves>,
    ) -> PyResult<Analysis> {
        let mut mind = self.free(&limits.stop).ok_or_else(stopped)?;
        let desk = if let Mind::Asking(_, desk) = &*mind { Some(desk.clone()) } else { None };
        let _staffed = desk.as_ref().map(|desk| Staffed::with(desk, leaves));
        let found = mind.analyse(position, limits, most);
        if desk.as_ref().is_some_and(Desk::had_unanswered) {
            // Before a waiting thread can use results that nobody evaluated.
            self.begin_anew(&mut mind);
        }
        Ok(found)
    }

    /// Thinks about many positions in parallel, on this many threads; each as if its game had just begun.
    fn think_of_all(&self, py: Python<'_>, states: &[Shown], batch: &Batch) -> PyResult<Vec<Analysis>> {
        states.iter().try_for_each(|state| self.check(state))?;
        check_end(self.spec(), batch.cost)?;
        let (leaves, inbox) = channel();
        let _answering = self.own().map(Own::answering).transpose()?;
        let mut answer = |waiting| self.own().map_or(Ok(()), |own| own.answer(py, waiting));
        let side_by_side = self.own().map(|_| states.len().clamp(1, SIDE_BY_SIDE));
        let (stop, seed) = (Stop::default(), self.seed.load(Ordering::SeqCst));
        let limits = limits(batch.cost, &stop);
        attended(py, &stop, Calls { inbox, answer: &mut answer }, || {
            let bring: Bring = Arc::new(move |waiting| drop(leaves.send(waiting)));
            let thread = |numbers: Numbers<'_>| {
                let Ok(mut mind) = self.new_mind(&bring) else { return Vec::new() };
                let asked = numbers.take_while(|_| !stop.requested());
                let think = |number: u64| {
                    let Shown(position) = &states[number as usize];
                    mind.begin(position, seed);
                    (number, mind.analyse(position, &limits, batch.most))
                };
                asked.map(think).collect()
            };
            let work = || in_order(states.len() as u64, thread);
            let found = on_threads(batch.threads.or(side_by_side), work)?;
            if found.len() == states.len() { Ok(found) } else { self.new_mind(&bring).and(Err(stopped())) }
        })
    }

    /// Returns another search for the same player.
    fn new_mind(&self, bring: &Bring) -> PyResult<Mind> {
        match &self.who {
            Who::Named(spec) => Mind::of(spec, self.rules, self.network.as_ref()),
            Who::Own(own) => Ok(Mind::Asking(Box::new(own.search(Asker::of(bring))?), Desk::default())),
        }
    }
}

/// The most actions that are reported for a position.
const MOST_LINES: usize = 400;

/// Callers never see this error: a requested stop raises another exception.
fn stopped() -> PyErr {
    AgentError::new_err("the player was asked to stop")
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (name = Name::from("pretrained"), *, variant = None, seed = Whole::of(0)))]
    #[pyo3(text_signature = "(name='pretrained', *, variant=None, seed=0)")]
    fn new(py: Python<'_>, name: Name, variant: Option<Text>, seed: Whole) -> PyResult<Self> {
        let asked = variant.map(|name| self::variant(&name)).transpose()?;
        let (spec, seed) = (name.agent()?, self::seed(seed)?);
        let player = detached(py, || Self::of(spec, asked))?;
        player.begin(seed, &Stop::default())?;
        Ok(player)
    }

    /// Returns a player that searches with your evaluator: a network of `PyTorch`, JAX or `NumPy`, or any other.
    ///
    /// * `evaluate`: a function from observations `(k, planes, 7, 7)`, float32, to logits `(k, actions)` and values
    ///   `(k,)` or `(k, 3)`, as `Searches.apply` takes them: for the player to move.
    /// * `simulations`: per decision, 1 to 1 000 000.
    /// * `variant`: the rule set that it plays.
    /// * `root`: "puct" or "gumbel", as for `Searches`.
    /// * `name`: of the player in reports; by default the name of the function.
    ///
    /// It can play wherever a player is expected, such as in `play_match`. The function is called in the calling
    /// thread: for one position at a time while a single position is analysed, and for those of up to 32 searches in
    /// matches, ratings and `analyse` of a list. An exception in it is raised there, and ends the search or the
    /// match. It cannot call its own player, which is thinking: that raises `GipfError`.
    ///
    /// Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range; and while it
    /// thinks, `EvaluatorError` if an answer is not as expected.
    #[staticmethod]
    #[pyo3(signature = (evaluate, simulations = Whole::of(64), *, variant = Text::from("standard"),
        root = Text::from("puct"), name = None))]
    #[pyo3(text_signature = "(evaluate, simulations=64, *, variant='standard', root='puct', name=None)")]
    fn from_evaluator(
        evaluate: Bound<'_, PyAny>,
        simulations: Whole,
        variant: Text,
        root: Text,
        name: Option<Text>,
    ) -> PyResult<Self> {
        guarded(|| {
            let judge = Judge::of(evaluate, name.as_deref())?;
            config(&root)?;
            let root = if *root == *"puct" { "puct" } else { "gumbel" };
            let simulations = simulations.checked("simulations", 1..=MOST_SIMULATIONS)?;
            Self::with_own(Own::new(judge, simulations, root), self::variant(&variant)?)
        })
    }

    /// Restores a pickled player that searches with a Python evaluator.
    #[staticmethod]
    fn _restore_own(
        evaluate: Bound<'_, PyAny>,
        simulations: Whole,
        variant: Text,
        root: Text,
        name: Text,
        seed: Whole,
    ) -> PyResult<Self> {
        let player = Self::from_evaluator(evaluate, simulations, variant, root, Some(name))?;
        player.begin(self::seed(seed)?, &Stop::default())?;
        Ok(player)
    }

    /// Restores a pickled player.
    #[classmethod]
    #[pyo3(signature = (name, variant, seed, network, path = None))]
    fn _restore(
        _class: &Bound<'_, PyType>,
        name: Text,
        variant: Text,
        seed: Whole,
        network: Option<&[u8]>,
        path: Option<PathBuf>,
    ) -> PyResult<Self> {
        guarded(|| {
            let (rules, seed) = (self::variant(&variant)?, self::seed(seed)?);
            let spec = match (Name::Text(name).agent()?, path) {
                (AgentSpec::Checkpoint(spec), Some(path)) => AgentSpec::Checkpoint(with_path(spec, path)),
                (spec, _) => spec,
            };
            let behind = &*spec.behind(rules);
            let network = match (behind, network) {
                (AgentSpec::Checkpoint(own), Some(bytes)) => Some(Loaded::of_bytes(own.clone(), rules, bytes)?),
                _ => None,
            };
            let player = Self::with_network(spec, rules, network)?;
            player.begin(seed, &Stop::default())?;
            Ok(player)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        if let Who::Own(own) = &self.who {
            let restore = py.get_type::<Self>().getattr("_restore_own")?;
            let seed = self.seed.load(Ordering::SeqCst);
            let fields = (
                own.judge.evaluate.clone_ref(py),
                own.simulations,
                self.rules.to_string(),
                own.root,
                &own.judge.name,
                seed,
            );
            return Ok((restore, fields.into_pyobject(py)?));
        }
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let network: Option<Bound<'_, PyBytes>> = self.network.as_ref().map(|own| own.to_bytes(py)).transpose()?;
        let seed = self.seed.load(Ordering::SeqCst);
        let (name, path) = match self.spec() {
            Some(AgentSpec::Checkpoint(spec)) => without_path(spec),
            _ => (self.who.to_string(), None),
        };
        Ok((restore, (name, self.rules.to_string(), seed, network, path).into_pyobject(py)?))
    }

    /// The evaluator may hold its own player.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.own().map_or(Ok(()), |own| visit.call(&own.judge.evaluate))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| self.again(py))
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(memo.py())
    }

    /// The name of the player in reports.
    #[getter]
    pub fn name(&self) -> String {
        self.who.to_string()
    }

    /// The rule set that it plays.
    #[getter]
    fn variant(&self) -> String {
        self.rules.to_string()
    }

    /// Whether its thinking is limited by its own clock.
    #[getter]
    fn _is_timed(&self) -> bool {
        self.spec().is_some_and(|spec| spec.behind(self.rules).is_timed())
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Player '{}' of {}>", self.who, self.rules)
    }

    /// Forgets the last game and takes the seed of the next one.
    #[pyo3(signature = (seed = Whole::of(0)))]
    #[pyo3(text_signature = "($self, seed=0)")]
    fn new_game(&self, py: Python<'_>, seed: Whole) -> PyResult<()> {
        let (seed, stop) = (self::seed(seed)?, Stop::default());
        let _answering = self.own().map(Own::answering).transpose()?;
        interruptible(py, &stop, || self.begin(seed, &stop))
    }

    /// Thinks about a position and returns everything it found; for a list of positions, a list of results.
    ///
    /// `simulations` (for alpha-beta: positions) and `time` (seconds, up to a day) limit each decision instead of the
    /// limits in the name; with both, whichever is reached first. The other methods take the same limits and raise
    /// the same errors.
    ///
    /// A list is analysed in parallel on all cores, or on as many threads as `threads` says, each position as if its
    /// game had just begun: without a time limit the results depend neither on the threads nor on the rest of the
    /// list. A Python evaluator is called for the leaves of 32 searches at once.
    ///
    /// `multipv` is the number of actions in `Analysis.alternatives`, 1 to 400. A tree search knows them anyway;
    /// alpha-beta spends half of its limits on the best, and shares the rest among the others.
    ///
    /// Raises `AgentError` if a state is of another rule set or nothing limits the thinking, `IllegalAction` if its
    /// game is over, `GipfError` if a number is out of range.
    #[pyo3(signature = (state, *, simulations = None, time = None, threads = None, multipv = Whole::of(1)))]
    #[pyo3(text_signature = "($self, state, *, simulations=None, time=None, threads=None, multipv=1)")]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        state: States,
        simulations: Option<Whole>,
        time: Option<Real>,
        threads: Option<Whole>,
        multipv: Whole,
    ) -> PyResult<Bound<'py, PyAny>> {
        let most = multipv.checked("multipv", 1..=MOST_LINES)?;
        let threads = thread_count(threads)?;
        let cost = cost(simulations, time)?;
        match state {
            States::One(state) => Ok(Bound::new(py, self.think_of(py, &state, cost, most)?)?.into_any()),
            States::Many(states) => {
                let found = self.think_of_all(py, &states, &Batch { cost, threads, most })?;
                found.into_pyobject(py)
            }
        }
    }

    /// Returns the action that it would play, limited as in `analyse`.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn choose(&self, py: Python<'_>, state: Shown, simulations: Option<Whole>, time: Option<Real>) -> PyResult<u16> {
        Ok(self.think(py, &state, cost(simulations, time)?)?.action())
    }

    /// Returns the policy that it finds, limited as in `analyse`: see `Analysis.policy`.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn policy<'py>(
        &self,
        py: Python<'py>,
        state: Shown,
        simulations: Option<Whole>,
        time: Option<Real>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(self.think(py, &state, cost(simulations, time)?)?.policy(py))
    }

    /// Returns the value that it finds, limited as in `analyse`: see `Analysis.value`.
    #[pyo3(signature = (state, *, simulations = None, time = None))]
    fn value(
        &self,
        py: Python<'_>,
        state: Shown,
        simulations: Option<Whole>,
        time: Option<Real>,
    ) -> PyResult<Option<f32>> {
        Ok(self.think(py, &state, cost(simulations, time)?)?.value())
    }
}

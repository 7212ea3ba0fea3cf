//! Many tree searches, whose leaves Python evaluates.

use std::sync::MutexGuard;

use gipf_env::{GipfPosition, Setup, Variant};
use gipf_play::search::{Answers, Budget, Leaves, SearchConfig, Searches as Trees, SearchesError};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rayon::prelude::*;

use crate::analysis::Analysis;
use crate::answers::{Logits, Outcomes};
use crate::argument::{Items, Text, Whole, seed};
use crate::arrays::in_use;
use crate::error::{GipfError, OrRaise, PositionError, Raise, detached, guarded, one_line, variant};
use crate::single::Single;
use crate::state::Shown;
use crate::workers::divided;

/// n tree searches in parallel, whose leaves you evaluate: with a network of `PyTorch`, JAX or `NumPy`, or with
/// anything else.
///
/// * `variant`: the rule set.
/// * `n`: the number of trees, up to 100 000, each for its own game.
/// * `simulations`: per search, 0 to 1 000 000.
/// * `root`: "puct", with the settings of players, which plays best; or "gumbel", with those of self-play after its
///   first games: sequential halving, whose policies are the better targets when simulations are few, and PUCT below.
/// * `noise`: whether the root is explored at random, as self-play needs it.
/// * `slots`: 1, or 2 for two batches in flight: each slot has half of the trees, the first half or the second, so
///   that one batch can be evaluated while the other trees are walked.
/// * `limit`: the number of placements after which a game is cut off, 1 to 65535; it applies to the games at the start.
/// * `seed`: of the noise; an unsigned 64-bit integer.
///
/// All trees begin at the start of the game. `gather` and `apply` take turns until `gather` returns 0:
///
/// ```python
/// searches = gipf.Searches("standard", 256, simulations=64)
/// while searches.gather():
///     observations, masks = searches.leaves()
///     logits, values = model(observations)
///     searches.apply(logits, values)
/// found = searches.results()
/// ```
///
/// Trees are walked without the interpreter lock, on all cores (`RAYON_NUM_THREADS` limits them). What a tree finds
/// depends only on its position, its number, the seed and the evaluations. While one thread uses the searches, a call
/// from another thread raises `GipfError`.
///
/// Raises `PositionError` if there is no such rule set, `GipfError` if a number is out of range.
#[pyclass(module = "gipf", frozen)]
pub struct Searches {
    rules: Variant,
    n: usize,
    running: Single<Running>,
}

/// The state that a search changes.
struct Running {
    trees: Trees<GipfPosition>,
    budget: Budget,
    slots: Vec<Slot>,
}

/// The arrays of a slot, and how many of their rows are waiting leaves.
struct Slot {
    observations: Py<PyArray4<f32>>,
    masks: Py<PyArray2<bool>>,
    leaves: usize,
}

/// The most trees.
const MOST_TREES: usize = 100_000;
/// The most simulations.
pub const MOST_SIMULATIONS: u32 = 1_000_000;
/// The most trees that are walked by one thread alone.
const ALONE: usize = 16;

#[pymethods]
impl Searches {
    #[new]
    #[pyo3(signature = (variant = Text::from("standard"), n = Whole::of(1), *, simulations = Whole::of(64),
        root = Text::from("puct"), noise = false, slots = Whole::of(1), limit = Whole::of(400), seed = Whole::of(0)))]
    #[pyo3(
        text_signature = "(variant='standard', n=1, *, simulations=64, root='puct', noise=False, slots=1, limit=400, \
        seed=0)"
    )]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        variant: Text,
        n: Whole,
        simulations: Whole,
        root: Text,
        noise: bool,
        slots: Whole,
        limit: Whole,
        seed: Whole,
    ) -> PyResult<Self> {
        guarded(|| {
            let (rules, n) = (self::variant(&variant)?, n.checked("n", 1..=MOST_TREES)?);
            let slots = slots.checked("slots", 1..=n.min(2))?;
            let limit = limit.checked("limit", 1..=u16::MAX)?;
            let start = GipfPosition::from_setup(&Setup::start(rules).with_placement_limit(Some(limit))).or_raise()?;
            let trees = Trees::new(config(&root)?, &start, n, slots, self::seed(seed)?);
            let budget = Budget { simulations: simulations.checked("simulations", 0..=MOST_SIMULATIONS)?, noise };
            let arrays = (0..slots).map(|slot| Ok(Slot::new(py, rules, trees.slot(slot).or_raise()?.len())));
            let slots = arrays.collect::<PyResult<Vec<_>>>()?;
            let mut running = Running { trees, budget, slots };
            running.begin(py, &(0..n).map(|tree| (tree, start.clone())).collect::<Vec<_>>(), budget)?;
            Ok(Self { rules, n, running: Single::new(running) })
        })
    }

    /// Begins new searches: `states[i]` in tree i, or in tree `trees[i]` while the other trees go on.
    ///
    /// A tree keeps what it has found if the state is the one that it searched last, or follows from it: new visits
    /// are then added to the old ones. `simulations` and `noise` replace those of earlier searches. Leaves of the
    /// same slots that are waiting for their evaluations are withdrawn.
    ///
    /// Raises `GipfError` if there are not as many states as trees, if there is no such tree, or if a tree is named
    /// twice, `PositionError` if a state is of another rule set, `IllegalAction` if its game is over; then no search
    /// has begun.
    #[pyo3(signature = (states, trees = None, *, simulations = None, noise = None))]
    fn start(
        &self,
        py: Python<'_>,
        states: Items<Shown, MOST_TREES>,
        trees: Option<Items<Whole, MOST_TREES>>,
        simulations: Option<Whole>,
        noise: Option<bool>,
    ) -> PyResult<()> {
        guarded(|| {
            let (Items(states), numbers) = (states, self.numbers(trees)?);
            if numbers.len() != states.len() {
                let text = format!("{} states for {} trees: expected one for each", states.len(), numbers.len());
                return Err(GipfError::new_err(text));
            }
            if let Some(other) = states.iter().map(|Shown(position)| position.variant()).find(|&of| of != self.rules) {
                let text = format!("a position of {other}: expected {}, which is searched here", self.rules);
                return Err(PositionError::new_err(one_line(&text)));
            }
            let mut running = self.running()?;
            let simulations = match simulations {
                Some(simulations) => simulations.checked("simulations", 0..=MOST_SIMULATIONS)?,
                None => running.budget.simulations,
            };
            let budget = Budget { simulations, noise: noise.unwrap_or(running.budget.noise) };
            let starts = numbers.into_iter().zip(states).map(|(tree, Shown(position))| (tree, position));
            running.begin(py, &starts.collect::<Vec<_>>(), budget)
        })
    }

    /// Walks the trees of a slot to their next leaves and returns how many leaves there are, k; 0 when all its
    /// searches have ended. `leaves` shows them. Called again before `apply`, it finds the same leaves.
    ///
    /// Raises `GipfError` if there is no such slot, `ArrayError` if the arrays are borrowed elsewhere.
    #[pyo3(signature = (slot = Whole::of(0)))]
    #[pyo3(text_signature = "($self, slot=0)")]
    fn gather(&self, py: Python<'_>, slot: Whole) -> PyResult<usize> {
        guarded(|| {
            let Running { trees, slots, .. } = &mut *self.running()?;
            let slot = checked_slot(slots, slot)?;
            let arrays = &mut slots[slot];
            let mut observations = arrays.observations.bind(py).try_readwrite().map_err(|_| in_use("observations"))?;
            let mut masks = arrays.masks.bind(py).try_readwrite().map_err(|_| in_use("masks"))?;
            let leaves = Leaves {
                planes: observations.as_slice_mut().map_err(|_| in_use("observations"))?,
                masks: masks.as_slice_mut().map_err(|_| in_use("masks"))?,
            };
            arrays.leaves = on_workers(py, trees, |trees| trees.gather(slot, leaves).or_raise())?;
            Ok(arrays.leaves)
        })
    }

    /// Returns the waiting leaves of a slot: the observations `(k, planes, 7, 7)` of float32, each from the view of
    /// the player to move, and the legal masks `(k, actions)` of bool.
    ///
    /// Both are views of arrays that the next `gather` of the slot overwrites.
    ///
    /// Raises `GipfError` if there is no such slot.
    #[pyo3(signature = (slot = Whole::of(0)))]
    #[pyo3(text_signature = "($self, slot=0)")]
    fn leaves<'py>(&self, py: Python<'py>, slot: Whole) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let slots = &self.running()?.slots;
            let arrays = &slots[checked_slot(slots, slot)?];
            let rows = pyo3::types::PySlice::new(py, 0, arrays.leaves.cast_signed(), 1);
            let (observations, masks) = (arrays.observations.bind(py), arrays.masks.bind(py));
            PyTuple::new(py, [observations.get_item(&rows)?, masks.get_item(&rows)?])
        })
    }

    /// Takes the evaluations of the waiting leaves of a slot, row by row.
    ///
    /// * `logits`: `(k, actions)`, unnormalised log-priors. Those of illegal actions are ignored.
    /// * `values`: `(k,)`, the expected results from -1 to 1, or `(k, 3)`, the probabilities of win, draw and loss;
    ///   both from the view of the player to move, whoever moved before.
    ///
    /// Both are float32 or float16, and arrays of `NumPy` or of anything with `__dlpack__`, in CPU memory. They are
    /// read before the call returns; logits in one piece are not copied.
    ///
    /// Raises `EvaluatorError` if a shape, a type or a number is not as expected, or no leaves are waiting; then
    /// nothing was taken, and the leaves still wait. Raises `GipfError` if there is no such slot.
    #[pyo3(signature = (logits, values, slot = Whole::of(0)))]
    #[pyo3(text_signature = "($self, logits, values, slot=0)")]
    fn apply(&self, py: Python<'_>, logits: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>, slot: Whole) -> PyResult<()> {
        guarded(|| {
            let Running { trees, slots, .. } = &mut *self.running()?;
            let slot = checked_slot(slots, slot)?;
            let leaves = slots[slot].leaves;
            if leaves == 0 {
                return Err(SearchesError::NothingWaits { slot }.raise());
            }
            let logits = Logits::read(logits, [leaves, self.rules.num_actions()])?;
            let outcomes = Outcomes::read(values, leaves)?;
            let values = outcomes.values();
            match &logits {
                Logits::Single(logits) => {
                    let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                    on_workers(py, trees, |trees| trees.apply(slot, Answers { logits, values }).or_raise())?;
                }
                Logits::Half(logits) => {
                    let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                    on_workers(py, trees, |trees| trees.apply(slot, Answers { logits, values }).or_raise())?;
                }
            }
            slots[slot].leaves = 0;
            Ok(())
        })
    }

    /// Returns the trees whose searches have ended, ascending.
    fn ended(&self) -> PyResult<Vec<usize>> {
        Ok(self.running()?.trees.ended().collect())
    }

    /// Returns what all trees have found so far, in new arrays by name: "actions" `(n,)` int64, the ones to play;
    /// "policies" `(n, actions)` float32, the targets to learn; "values" `(n,)` float32, for the player to move;
    /// "visits" `(n, actions)` uint32, including reused ones.
    ///
    /// Raises `GipfError` if a tree has no evaluation of its root yet.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let trees = &self.running()?.trees;
            let found = divided(py, || {
                (0..self.n).into_par_iter().map(|tree| trees.result(tree).or_raise()).collect::<PyResult<Vec<_>>>()
            })?;
            let shape = [found.len(), self.rules.num_actions()];
            let (mut policies, mut visits) = (Array2::<f32>::zeros(shape), Array2::<u32>::zeros(shape));
            for (tree, result) in found.iter().enumerate() {
                for &(action, share) in &result.policy {
                    policies[[tree, action.get()]] = share;
                }
                for child in &result.children {
                    visits[[tree, child.action.index().get()]] = child.all_visits();
                }
            }
            let actions: Vec<i64> = found.iter().map(|result| result.action.index().0.into()).collect();
            let values: Vec<f32> = found.iter().map(|result| result.value).collect();
            let results = PyDict::new(py);
            results.set_item("actions", actions.into_pyarray(py))?;
            results.set_item("policies", policies.into_pyarray(py))?;
            results.set_item("values", values.into_pyarray(py))?;
            results.set_item("visits", visits.into_pyarray(py))?;
            Ok(results)
        })
    }

    /// Returns everything that a tree has found so far.
    ///
    /// Raises `GipfError` if there is no such tree, or it has no evaluation of its root yet.
    fn analysis(&self, tree: Whole) -> PyResult<Analysis> {
        guarded(|| {
            let (tree, trees) = (self.checked(tree)?, &self.running()?.trees);
            let (position, result) = (trees.root(tree).or_raise()?, trees.result(tree).or_raise()?);
            let line = result.principal_variation.clone();
            Ok(Analysis::of_search(position, result.action, result).with_line(&line))
        })
    }

    /// Drops all trees, as is necessary for new weights; `start` begins the next searches.
    fn forget(&self) -> PyResult<()> {
        let Running { trees, slots, .. } = &mut *self.running()?;
        trees.forget();
        for slot in slots {
            slot.leaves = 0;
        }
        Ok(())
    }

    /// The rule set.
    #[getter]
    fn variant(&self) -> String {
        self.rules.to_string()
    }

    fn __len__(&self) -> usize {
        self.n
    }

    fn __repr__(&self) -> String {
        format!("<gipf.Searches of {} trees, {}>", self.n, self.rules)
    }
}

impl Searches {
    fn running(&self) -> PyResult<MutexGuard<'_, Running>> {
        self.running.get("searches")
    }

    /// Returns the numbers of some trees, or of all; each may occur only once, since a tree searches one position at a time.
    fn numbers(&self, trees: Option<Items<Whole, MOST_TREES>>) -> PyResult<Vec<usize>> {
        let Some(Items(trees)) = trees else { return Ok((0..self.n).collect()) };
        let mut named = vec![false; self.n];
        let number = |tree| {
            let number = self.checked(tree)?;
            if std::mem::replace(&mut named[number], true) {
                return Err(GipfError::new_err(format!("tree {number} twice: expected each tree once")));
            }
            Ok(number)
        };
        trees.into_iter().map(number).collect()
    }

    fn checked(&self, tree: Whole) -> PyResult<usize> {
        tree.checked("tree", 0..=self.n - 1)
    }
}

fn checked_slot(slots: &[Slot], slot: Whole) -> PyResult<usize> {
    slot.checked("slot", 0..=slots.len() - 1)
}

impl Running {
    fn begin(&mut self, py: Python<'_>, starts: &[(usize, GipfPosition)], budget: Budget) -> PyResult<()> {
        on_workers(py, &mut self.trees, |trees| trees.start(starts, budget).or_raise())?;
        let first = self.trees.slot(0).or_raise()?.len();
        for (tree, _) in starts {
            self.slots[usize::from(*tree >= first)].leaves = 0;
        }
        self.budget = budget;
        Ok(())
    }
}

impl Slot {
    fn new(py: Python<'_>, rules: Variant, trees: usize) -> Self {
        let [planes, rows, columns] = gipf_env::observation::layout(rules).shape();
        let observations = PyArray4::zeros(py, [trees, planes, rows, columns], false).unbind();
        let masks = PyArray2::from_owned_array(py, Array2::from_elem([trees, rules.num_actions()], false)).unbind();
        Self { observations, masks, leaves: 0 }
    }
}

/// Reads the method of search at the root.
pub fn config(root: &str) -> PyResult<SearchConfig> {
    match root {
        "puct" => Ok(SearchConfig::play()),
        "gumbel" => Ok(SearchConfig::self_play()),
        other => Err(GipfError::new_err(format!("root `{}`: expected puct or gumbel", one_line(&other)))),
    }
}

/// Works on trees without the interpreter, on all threads if there are too many for one thread alone.
fn on_workers<T: Send>(
    py: Python<'_>,
    trees: &mut Trees<GipfPosition>,
    work: impl FnOnce(&mut Trees<GipfPosition>) -> PyResult<T> + Send,
) -> PyResult<T> {
    if trees.len() > ALONE { divided(py, || work(trees)) } else { detached(py, || work(trees)) }
}

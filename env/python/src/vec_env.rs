//! Many games stepped together, in numpy arrays of the caller.

use gipf_env::{ActionIndex, EnvOptions, Info, Player, ResetOptions, VecArrays, VecGames};
use numpy::{
    AllowTypeChange, Element, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods, PyArrayDyn, PyArrayLike1,
    PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, ndarray::Dimension,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{ArrayError, OrRaise, detached};
use crate::state::{State, setup};
use crate::workers::workers;

/// n games that are stepped together and show themselves in numpy arrays, which are written in place.
///
/// A game that ends is started over in the same step: `observations`, `action_masks` and `to_move` then show the next
/// game, while `rewards`, `terminated`, `truncated` and `final_observations` belong to the step that ended the old one.
///
/// `out` brings arrays along, by name; what is missing is made. Steps run without the interpreter lock, over all cores
/// (`RAYON_NUM_THREADS` limits them), and results do not depend on the number of cores.
#[pyclass(module = "gipf")]
pub struct VecEnv {
    games: VecGames,
    arrays: Arrays,
    /// What has no array of its own type.
    to_move: Vec<Player>,
    infos: Vec<Option<Info>>,
    actions: Vec<ActionIndex>,
    action_space: usize,
}

/// The arrays of the caller.
struct Arrays {
    observations: Py<PyArray4<f32>>,
    /// As the caller knows it, and the same memory as truth values.
    action_masks: (Py<PyArray2<i8>>, Py<PyArray2<bool>>),
    to_move: Py<PyArray1<i8>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    final_observations: Py<PyArray4<f32>>,
}

/// The most games that one thread steps alone.
const ALONE: usize = 64;

/// The names of the arrays, as a caller may bring them along.
const NAMES: [&str; 7] =
    ["observations", "action_masks", "to_move", "rewards", "terminated", "truncated", "final_observations"];

impl Arrays {
    fn new(py: Python<'_>, out: Option<&Bound<'_, PyDict>>, n: usize, row: &RowShape) -> PyResult<Self> {
        check_names(out)?;
        let [planes, rows, columns] = row.observation;
        let observations = [n, planes, rows, columns];
        let masks = array::<i8, _>(py, out, "action_masks", [n, row.actions])?;
        // Whatever the caller left there, the bytes are truth values from here on.
        masks.try_readwrite().map_err(|_| in_use("action_masks"))?.as_array_mut().fill(0);
        let truths = masks.call_method1("view", ("bool",))?.cast_into::<PyArray2<bool>>()?;
        Ok(Self {
            observations: array(py, out, "observations", observations)?.unbind(),
            action_masks: (masks.unbind(), truths.unbind()),
            to_move: array(py, out, "to_move", [n])?.unbind(),
            rewards: array(py, out, "rewards", [n])?.unbind(),
            terminated: array(py, out, "terminated", [n])?.unbind(),
            truncated: array(py, out, "truncated", [n])?.unbind(),
            final_observations: array(py, out, "final_observations", observations)?.unbind(),
        })
    }
}

/// What one game shows.
struct RowShape {
    observation: [usize; 3],
    actions: usize,
}

fn check_names(out: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for name in out.into_iter().flat_map(PyDictMethods::keys) {
        let name: String = name.extract()?;
        if !NAMES.contains(&name.as_str()) {
            return Err(ArrayError::new_err(format!("array `{name}`: expected one of {}", NAMES.join(", "))));
        }
    }
    Ok(())
}

/// Returns the caller's array of this name, or a new one.
fn array<'py, T: Element, D>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyDict>>,
    name: &'static str,
    shape: D,
) -> PyResult<Bound<'py, numpy::PyArray<T, D::Dim>>>
where
    D: numpy::ndarray::IntoDimension<Dim: Dimension>,
{
    let shape = shape.into_dimension();
    let Some(given) = out.map(|out| out.get_item(name)).transpose()?.flatten() else {
        return Ok(numpy::PyArray::zeros(py, shape, false));
    };
    let expected = || format!("expected {:?} of {}, in C order, that can be written", shape.slice(), T::get_dtype(py));
    let found = match given.cast::<PyUntypedArray>() {
        Ok(found) => found.clone(),
        Err(_) => return Err(ArrayError::new_err(format!("array `{name}` is no array of numpy: {}", expected()))),
    };
    let refuse = || {
        let text = format!("array `{name}` is {:?} of {}: {}", found.shape(), found.dtype(), expected());
        ArrayError::new_err(text)
    };
    let fits = given.cast::<PyArrayDyn<T>>().is_ok() && found.shape() == shape.slice() && found.is_c_contiguous();
    let typed = given.cast::<numpy::PyArray<T, D::Dim>>().map_err(|_| refuse())?;
    let is_free = typed.try_readwrite().is_ok();
    if fits && is_free { Ok(typed.clone()) } else { Err(refuse()) }
}

fn in_use(name: &str) -> PyErr {
    ArrayError::new_err(format!("array `{name}` is in use, or cannot be written"))
}

/// Borrows the arrays and does work on them without the interpreter.
macro_rules! with_arrays {
    ($self:ident, $py:ident, |$games:ident, $actions:ident, $arrays:ident| $work:expr) => {{
        let Self { games: $games, arrays, to_move, infos, actions: $actions, .. } = &mut *$self;
        macro_rules! borrowed {
            ($array:expr, $name:literal) => {
                $array.bind($py).try_readwrite().map_err(|_| in_use($name))?
            };
        }
        let mut observations = borrowed!(arrays.observations, "observations");
        let mut action_masks = borrowed!(arrays.action_masks.1, "action_masks");
        let mut players = borrowed!(arrays.to_move, "to_move");
        let mut rewards = borrowed!(arrays.rewards, "rewards");
        let mut terminated = borrowed!(arrays.terminated, "terminated");
        let mut truncated = borrowed!(arrays.truncated, "truncated");
        let mut final_observations = borrowed!(arrays.final_observations, "final_observations");
        let mut $arrays = VecArrays {
            observations: observations.as_slice_mut()?,
            action_masks: action_masks.as_slice_mut()?,
            to_move,
            rewards: rewards.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            final_infos: infos,
            final_observations: final_observations.as_slice_mut()?,
        };
        let players = players.as_slice_mut()?;
        // So few games are stepped faster than they are handed to other threads.
        let pool = if $games.len() > ALONE { Some(workers()?) } else { None };
        detached($py, move || {
            let work = move || {
                let result = $work;
                (result, $arrays)
            };
            let (result, $arrays) = match pool {
                Some(pool) => pool.install(work),
                None => work(),
            };
            result.or_raise()?;
            for (shown, player) in players.iter_mut().zip($arrays.to_move.iter()) {
                *shown = player.index() as i8;
            }
            Ok(())
        })
    }};
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (variant = "standard", n = 1, *, seed = 0, opening_plies = 0, gpn = None,
        limit = Some(400), potentials = None, out = None))]
    #[pyo3(text_signature = "(variant='standard', n=1, *, seed=0, opening_plies=0, gpn=None, limit=400, \
        potentials=None, out=None)")]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        variant: &str,
        n: usize,
        seed: u64,
        opening_plies: usize,
        gpn: Option<&str>,
        limit: Option<u16>,
        potentials: Option<u8>,
        out: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let setup = setup(variant, gpn, limit, potentials)?;
        let layout = gipf_env::observation::layout(setup.variant);
        let action_space = setup.variant.num_actions();
        let arrays = Arrays::new(py, out, n, &RowShape { observation: layout.shape(), actions: action_space })?;
        let options = EnvOptions { setup, opening_plies, seed };
        let games = VecGames::new(&options, n).or_raise()?;
        let (to_move, infos) = (vec![Player::White; n], vec![None; n]);
        let mut envs = Self { games, arrays, to_move, infos, actions: Vec::with_capacity(n), action_space };
        envs.reset(py, None, None)?;
        Ok(envs)
    }

    /// Starts the next game in every environment; with a seed, the first one of that seed.
    #[pyo3(signature = (*, seed = None, opening_plies = None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>, opening_plies: Option<usize>) -> PyResult<()> {
        let options = ResetOptions { seed, opening_plies };
        with_arrays!(self, py, |games, _actions, arrays| games.reset_into(options, &mut arrays))
    }

    /// Plays one action in each environment. Raises `IllegalAction`, and then none has been stepped.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = whole_numbers(actions)?;
        let space = self.action_space;
        let index = |(environment, &action): (usize, &i64)| match u16::try_from(action) {
            Ok(index) if usize::from(index) < space => Ok(ActionIndex(index)),
            _ => Err(refused(environment, action, space)),
        };
        let indices: PyResult<Vec<_>> = actions.as_array().iter().enumerate().map(index).collect();
        self.actions = indices?;
        with_arrays!(self, py, |games, actions, arrays| games.step_into(actions, &mut arrays))
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    fn __repr__(&self) -> String {
        format!("<gipf.VecEnv of {} games>", self.games.len())
    }

    /// Returns a copy of the position of an environment, without the game before.
    fn state(&self, index: usize) -> PyResult<State> {
        self.check(index)?;
        Ok(State::at(self.games.position(index).clone()))
    }

    /// Returns the winner and the reason, if the environment's game ended in the last step.
    fn ending(&self, index: usize) -> PyResult<Option<(Option<usize>, &'static str)>> {
        self.check(index)?;
        let outcome = self.infos[index].and_then(|info| info.outcome);
        Ok(outcome.map(|outcome| (outcome.winner.map(Player::index), outcome.reason.word())))
    }

    /// `(n, planes, 7, 7)`, from the view of the player to move.
    #[getter]
    fn observations(&self, py: Python<'_>) -> Py<PyArray4<f32>> {
        self.arrays.observations.clone_ref(py)
    }

    /// `(n, actions)`, 1 = legal.
    #[getter]
    fn action_masks(&self, py: Python<'_>) -> Py<PyArray2<i8>> {
        self.arrays.action_masks.0.clone_ref(py)
    }

    /// `(n,)`, who decides next: 0 or 1.
    #[getter]
    fn to_move(&self, py: Python<'_>) -> Py<PyArray1<i8>> {
        self.arrays.to_move.clone_ref(py)
    }

    /// `(n,)`, 1, 0 or -1 for the player who acted.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArray1<f32>> {
        self.arrays.rewards.clone_ref(py)
    }

    /// `(n,)`, whether the rules ended the game in this step.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.arrays.terminated.clone_ref(py)
    }

    /// `(n,)`, whether the limit cut the game off in this step.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.arrays.truncated.clone_ref(py)
    }

    /// `(n, planes, 7, 7)`, the last observation of the last game that ended.
    #[getter]
    fn final_observations(&self, py: Python<'_>) -> Py<PyArray4<f32>> {
        self.arrays.final_observations.clone_ref(py)
    }
}

impl VecEnv {
    fn check(&self, index: usize) -> PyResult<()> {
        let n = self.games.len();
        if index < n {
            Ok(())
        } else {
            Err(ArrayError::new_err(format!("environment {index}: expected one below {n}")))
        }
    }
}

/// Reads whole numbers of any type: an array of truth values or fractions is a mistake.
fn whole_numbers<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyArrayLike1<'py, i64, AllowTypeChange>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let array = array.cast::<PyUntypedArray>()?;
    if !matches!(array.dtype().kind(), b'i' | b'u') || array.ndim() != 1 {
        let text =
            format!("actions are {:?} of {}: expected one whole number for each game", array.shape(), array.dtype());
        return Err(ArrayError::new_err(text));
    }
    array.extract()
}

fn refused(environment: usize, action: i64, space: usize) -> PyErr {
    let text = format!("environment {environment}: action index {action}: expected a number below {space}");
    crate::error::IllegalAction::new_err(text)
}

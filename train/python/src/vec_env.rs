//! Many games stepped together, in numpy arrays of the caller.

use std::fmt;
use std::hint::black_box;
use std::sync::MutexGuard;

use gipf_env::{
    ActionIndex, EnvOptions, GipfPosition, Info, PLACEMENT_LIMIT, PackedArrays, Player, ResetOptions, Setup, VecArrays,
    VecGames,
};
use numpy::{
    AllowTypeChange, Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayLike1, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::argument::{Text, Whole, seed};
use crate::arrays::{Arrays, Form, Looks, in_use};
use crate::error::{ArrayError, GipfError, IllegalAction, InternalError, OrRaise, PositionError, detached, guarded};
use crate::single::Single;
use crate::state::{Beginning, State};
use crate::workers::divided;

/// n games that are stepped together, with their state in numpy arrays that are written in place.
///
/// A game that ends starts over in the same step: `observations`, `action_masks` and `to_move` then show the next
/// game, while `rewards`, `terminated`, `truncated` and `final_observations` belong to the step that ended the old
/// one. The first games have begun when the object is created: `reset` without a seed begins the second ones.
///
/// * `variant`, `gpn`, `limit`, `potentials`: as for `State`.
/// * `n`: the number of games, up to 1 000 000.
/// * `seed`: decides the random openings; an unsigned 64-bit integer.
/// * `opening_plies`: the number of random decisions that begin each game, 0 to 65535.
/// * `observations`: the form of observations and masks, "f32", "u8" or "bits".
/// * `out`: arrays to write to, by the names of the properties; missing ones are created.
///
/// In form "u8" the planes are zeros and ones, and numbers that fill a plane are in `scalars` instead; in form "bits"
/// eight zeros and ones are a byte, the first in its lowest bit: this takes a 24th of the memory, if you unpack it on
/// a GPU. `plane_weights` says what the binary planes mean. Bits become floats with `numpy`::
///
///     actions = gipf.action_space(variant)
///     planes = np.unpackbits(envs.observations[..., None], axis=-1, count=7, bitorder="little")
///     masks = np.unpackbits(envs.action_masks, axis=-1, count=actions, bitorder="little")
///     cells = np.einsum("pb,nbij->npij", gipf.plane_weights(variant), planes)
///     scalars = np.broadcast_to(envs.scalars[:, :, None, None], (*envs.scalars.shape, 7, 7))
///     observations = np.concatenate([cells, scalars], axis=1)  # those of form "f32"
///
/// On a device, with `torch`::
///
///     shifts = torch.arange(8, dtype=torch.uint8, device=device)
///     packed = torch.from_numpy(envs.observations).to(device)
///     planes = (packed[..., None] >> shifts[:7]) & 1
///     packed = torch.from_numpy(envs.action_masks).to(device)
///     masks = ((packed[..., None] >> shifts) & 1).flatten(1)[:, :actions]
///
/// Steps run without the interpreter lock, on all cores (`RAYON_NUM_THREADS` limits them). Results do not depend on
/// the number of cores. Pickled and copied environments continue as the original would, in arrays of their own. While
/// one thread uses them, a call from another thread raises `GipfError`.
///
/// Raises `PositionError` as `State` does, `ArrayError` if an array of `out` does not fit, `GipfError` if a number is
/// out of range or there is not enough memory.
#[pyclass(module = "gipf", frozen)]
pub struct VecEnv {
    arrays: Arrays,
    n: usize,
    action_space: usize,
    running: Single<Running>,
}

/// The state that a step changes, besides the arrays.
struct Running {
    games: VecGames,
    /// A copy in the type of the rules, for which there is no array.
    to_move: Vec<Player>,
    infos: Vec<Option<Info>>,
    actions: Vec<ActionIndex>,
}

/// The most games that are stepped by one thread alone.
const ALONE: usize = 64;
/// The most games: two gigabytes of observations of the standard game, twice.
const MOST_GAMES: usize = 1_000_000;

/// Borrows an array to write to.
macro_rules! borrowed {
    ($py:ident, $array:expr, $name:literal) => {
        $array.bind($py).try_readwrite().map_err(|_| in_use($name))?
    };
}

/// The values of a borrowed array.
macro_rules! slice {
    ($array:ident) => {
        $array.as_slice_mut().map_err(|_| in_use("of the caller"))?
    };
}

/// Borrows the arrays and does work on them without the interpreter.
macro_rules! with_arrays {
    ($self:ident, $running:ident, $py:ident, |$games:ident, $actions:ident, $arrays:ident| $work:expr) => {{
        let Running { games: $games, to_move, infos, actions: $actions } = &mut *$running;
        let arrays = &$self.arrays;
        let mut players = borrowed!($py, arrays.to_move, "to_move");
        let players = slice!(players);
        let mut rewards = borrowed!($py, arrays.rewards, "rewards");
        let mut terminated = borrowed!($py, arrays.terminated, "terminated");
        let mut truncated = borrowed!($py, arrays.truncated, "truncated");
        match &arrays.looks {
            Looks::Floats(looks) => {
                let mut observations = borrowed!($py, looks.observations, "observations");
                let mut action_masks = borrowed!($py, looks.action_masks.1, "action_masks");
                let mut final_observations = borrowed!($py, looks.final_observations, "final_observations");
                let mut $arrays = VecArrays {
                    observations: slice!(observations),
                    action_masks: slice!(action_masks),
                    to_move,
                    rewards: slice!(rewards),
                    terminated: slice!(terminated),
                    truncated: slice!(truncated),
                    final_infos: infos,
                    final_observations: slice!(final_observations),
                };
                spread($py, $games.len(), move || {
                    $work.or_raise()?;
                    show_players($arrays.to_move, players);
                    Ok(())
                })
            }
            Looks::Packed(looks) => {
                let mut planes = borrowed!($py, looks.observations, "observations");
                let mut scalars = borrowed!($py, looks.scalars, "scalars");
                let mut action_masks = borrowed!($py, looks.action_masks, "action_masks");
                let mut final_planes = borrowed!($py, looks.final_observations, "final_observations");
                let mut final_scalars = borrowed!($py, looks.final_scalars, "final_scalars");
                let mut $arrays = PackedArrays {
                    packing: looks.packing,
                    planes: slice!(planes),
                    scalars: slice!(scalars),
                    action_masks: slice!(action_masks),
                    to_move,
                    rewards: slice!(rewards),
                    terminated: slice!(terminated),
                    truncated: slice!(truncated),
                    final_infos: infos,
                    final_planes: slice!(final_planes),
                    final_scalars: slice!(final_scalars),
                };
                spread($py, $games.len(), move || {
                    $work.or_raise()?;
                    show_players($arrays.to_move, players);
                    Ok(())
                })
            }
        }
    }};
}

/// Does work without the interpreter, spread over the threads if there are many games.
fn spread(py: Python<'_>, games: usize, work: impl FnOnce() -> PyResult<()> + Send) -> PyResult<()> {
    // This few games are stepped faster than they are handed to other threads.
    if games > ALONE { divided(py, work) } else { detached(py, work) }
}

fn show_players(to_move: &[Player], shown: &mut [i8]) {
    for (shown, player) in shown.iter_mut().zip(to_move) {
        *shown = player.index() as i8;
    }
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (variant = None, n = Whole::of(1), *, seed = Whole::of(0),
        opening_plies = Whole::of(0), gpn = None, limit = Some(Whole::of(400)), potentials = None,
        observations = Text::from("f32"), out = None))]
    #[pyo3(text_signature = "(variant=None, n=1, *, seed=0, opening_plies=0, gpn=None, limit=400, \
        potentials=None, observations='f32', out=None)")]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        variant: Option<Text>,
        n: Whole,
        seed: Whole,
        opening_plies: Whole,
        gpn: Option<Text>,
        limit: Option<Whole>,
        potentials: Option<Whole>,
        observations: Text,
        out: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        guarded(|| {
            let form = Form::named(&observations)?;
            let n = n.checked("n", 1..=MOST_GAMES)?;
            let (seed, opening_plies) = (self::seed(seed)?, plies(opening_plies)?);
            let setup = Beginning { variant, gpn, limit, potentials }.setup()?;
            check_memory(&setup, n, form)?;
            let arrays = Arrays::new(py, out, n, setup.variant, form)?;
            let games = VecGames::new(&EnvOptions { setup, opening_plies, seed }, n).or_raise()?;
            let envs = Self::at_start(games, arrays);
            envs.restart(py, ResetOptions::default())?;
            Ok(envs)
        })
    }

    /// Restores pickled games, in new arrays.
    #[classmethod]
    fn _restore(class: &Bound<'_, PyType>, games: Text, arrays: &Bound<'_, PyDict>) -> PyResult<Self> {
        guarded(|| restored(class.py(), &games, arrays))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let running = self.running()?;
        let written = serde_json::to_string(&(&running.games, &running.infos));
        let written = written.map_err(|error| InternalError::new_err(error.to_string()))?;
        Ok((restore, (written, self.arrays.kept(py)?).into_pyobject(py)?))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        guarded(|| {
            let running = self.running()?;
            let (games, infos) = (running.games.clone(), running.infos.clone());
            Self::resumed(py, games, infos, &self.arrays.kept(py)?, self.arrays.form())
        })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(py)
    }

    /// Starts the next game in every environment; with a seed, the first game of that seed.
    ///
    /// `opening_plies` sets the number of random decisions that begin a game, from now on. Raises `GipfError` if a
    /// number is out of range.
    #[pyo3(signature = (*, seed = None, opening_plies = None))]
    fn reset(&self, py: Python<'_>, seed: Option<Whole>, opening_plies: Option<Whole>) -> PyResult<()> {
        let seed = seed.map(self::seed).transpose()?;
        let opening_plies = opening_plies.map(plies).transpose()?;
        guarded(|| self.restart(py, ResetOptions { seed, opening_plies }))
    }

    /// Plays one action in each environment; `actions` is `(n,)`, integers of any type.
    ///
    /// Raises `IllegalAction` if an action cannot be played, and names its environment, `ArrayError` if the shape or
    /// type does not fit. Then no environment was stepped.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let (actions, space) = (whole_numbers(actions)?, self.action_space);
            let indices = match actions.dtype().itemsize() {
                // All other types fit into a signed one.
                8 if actions.dtype().kind() == b'u' => indices::<u64>(&actions, space),
                _ => indices::<i64>(&actions, space),
            };
            let mut running = self.running()?;
            running.actions = indices?;
            with_arrays!(self, running, py, |games, actions, arrays| games.step_into(actions, &mut arrays))
        })
    }

    fn __len__(&self) -> usize {
        self.n
    }

    fn __repr__(&self) -> String {
        format!("<gipf.VecEnv of {} games>", self.n)
    }

    /// Returns a copy of the position of an environment, without its history.
    ///
    /// Raises `ArrayError` if there is no environment of this number.
    fn state(&self, index: Whole) -> PyResult<State> {
        let index = self.checked(index)?;
        guarded(|| Ok(State::at(self.running()?.games.position(index).clone())))
    }

    /// Returns the winner and the reason (see `State`) if the game of an environment ended in the last step,
    /// otherwise None.
    ///
    /// Raises `ArrayError` if there is no environment of this number.
    fn ending(&self, index: Whole) -> PyResult<Option<(Option<usize>, &'static str)>> {
        let outcome = self.running()?.infos[self.checked(index)?].and_then(|info| info.outcome);
        Ok(outcome.map(|outcome| (outcome.winner.map(Player::index), outcome.reason.word())))
    }

    /// `(n, planes, 7, 7)` float32: the observations, each from the view of the player to move. In form "u8" `(n, binary
    /// planes, 7, 7)` uint8, in form "bits" `(n, binary planes, 7)` uint8, a byte for each row.
    #[getter]
    fn observations(&self, py: Python<'_>) -> Py<PyAny> {
        match &self.arrays.looks {
            Looks::Floats(looks) => looks.observations.clone_ref(py).into_any(),
            Looks::Packed(looks) => looks.observations.clone_ref(py).into_any(),
        }
    }

    /// `(n, scalars)` float32: the numbers that each fill a plane in form "f32", the last planes there; None in that form.
    #[getter]
    fn scalars(&self, py: Python<'_>) -> Option<Py<PyArray2<f32>>> {
        match &self.arrays.looks {
            Looks::Floats(_) => None,
            Looks::Packed(looks) => Some(looks.scalars.clone_ref(py)),
        }
    }

    /// `(n, actions)` int8: 1 where an action is legal, else 0. In form "u8" uint8, in form "bits" `(n, actions / 8,
    /// rounded up)` uint8.
    #[getter]
    fn action_masks(&self, py: Python<'_>) -> Py<PyAny> {
        match &self.arrays.looks {
            Looks::Floats(looks) => looks.action_masks.0.clone_ref(py).into_any(),
            Looks::Packed(looks) => looks.action_masks.clone_ref(py).into_any(),
        }
    }

    /// `(n,)` int8: the player who decides next, 0 (White) or 1 (Black).
    #[getter]
    fn to_move(&self, py: Python<'_>) -> Py<PyArray1<i8>> {
        self.arrays.to_move.clone_ref(py)
    }

    /// `(n,)` float32: 1, 0 or -1 for the player who acted last; nonzero only if a game was won or lost.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArray1<f32>> {
        self.arrays.rewards.clone_ref(py)
    }

    /// `(n,)` bool: whether the rules ended the game in the last step.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.arrays.terminated.clone_ref(py)
    }

    /// `(n,)` bool: whether the limit cut the game off in the last step.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyArray1<bool>> {
        self.arrays.truncated.clone_ref(py)
    }

    /// Like `observations`: for each environment, the last observation of the last game that ended. If the limit cut
    /// it off, it has the view of the player who acted last, in push-off that of the player whose turn it was.
    #[getter]
    fn final_observations(&self, py: Python<'_>) -> Py<PyAny> {
        match &self.arrays.looks {
            Looks::Floats(looks) => looks.final_observations.clone_ref(py).into_any(),
            Looks::Packed(looks) => looks.final_observations.clone_ref(py).into_any(),
        }
    }

    /// Like `scalars`, for the same positions; None in form "f32".
    #[getter]
    fn final_scalars(&self, py: Python<'_>) -> Option<Py<PyArray2<f32>>> {
        match &self.arrays.looks {
            Looks::Floats(_) => None,
            Looks::Packed(looks) => Some(looks.final_scalars.clone_ref(py)),
        }
    }
}

impl VecEnv {
    fn at_start(games: VecGames, arrays: Arrays) -> Self {
        let n = games.len();
        let action_space = games.position(0).variant().num_actions();
        let (to_move, infos) = (vec![Player::White; n], vec![None; n]);
        let running = Running { games, to_move, infos, actions: Vec::with_capacity(n) };
        Self { arrays, n, action_space, running: Single::new(running) }
    }

    fn running(&self) -> PyResult<MutexGuard<'_, Running>> {
        self.running.get("environments")
    }

    /// Returns games that continue from the state of others, with the arrays kept by those.
    fn resumed(
        py: Python<'_>,
        games: VecGames,
        infos: Vec<Option<Info>>,
        kept: &Bound<'_, PyDict>,
        form: Form,
    ) -> PyResult<Self> {
        let rules = games.position(0).variant();
        let arrays = Arrays::new(py, Some(kept), games.len(), rules, form)?;
        let envs = Self::at_start(games, arrays);
        envs.running()?.infos = infos;
        envs.show(py)?;
        Ok(envs)
    }

    fn restart(&self, py: Python<'_>, options: ResetOptions) -> PyResult<()> {
        let mut running = self.running()?;
        with_arrays!(self, running, py, |games, _actions, arrays| games.reset_into(options, &mut arrays))
    }

    /// Writes the arrays that follow from the positions and from the ends of the last games.
    fn show(&self, py: Python<'_>) -> PyResult<()> {
        let mut running = self.running()?;
        with_arrays!(self, running, py, |games, _actions, arrays| {
            for (place, info) in arrays.final_infos.iter().enumerate() {
                arrays.terminated[place] = info.as_ref().is_some_and(Info::terminated);
                arrays.truncated[place] = info.as_ref().is_some_and(Info::truncated);
            }
            games.show_into(&mut arrays)
        })
    }

    fn checked(&self, index: Whole) -> PyResult<usize> {
        let refused = || ArrayError::new_err(format!("environment {index}: expected one below {}", self.n));
        index.within(&(0..=self.n - 1)).ok_or_else(refused)
    }
}

fn plies(given: Whole) -> PyResult<usize> {
    Ok(given.checked("opening_plies", 0..=u16::MAX)?.into())
}

/// Refuses more games than fit into memory: arrays, positions, and room for the history of the positions.
fn check_memory(setup: &Setup, n: usize, form: Form) -> PyResult<()> {
    let placements = usize::from(setup.placement_limit.unwrap_or(PLACEMENT_LIMIT));
    let game = size_of::<GipfPosition>() + placements * size_of::<u64>();
    let bytes = n * (form.bytes(setup.variant) + game);
    let mut memory = Vec::<u8>::new();
    let is_there = memory.try_reserve_exact(bytes).is_ok();
    // Otherwise the compiler sees that the memory is unused, and does not allocate it.
    black_box(&memory);
    if is_there {
        return Ok(());
    }
    let gigabytes = bytes.div_ceil(1 << 30);
    Err(GipfError::new_err(format!(
        "n {n}: these games need {gigabytes} GB of memory, expected at most the memory available"
    )))
}

/// Restores games from their pickled form.
fn restored(py: Python<'_>, written: &str, arrays: &Bound<'_, PyDict>) -> PyResult<VecEnv> {
    let damaged = |why: &str| PositionError::new_err(format!("no pickled environments: {why}"));
    let (games, infos): (VecGames, Vec<Option<Info>>) =
        serde_json::from_str(written).map_err(|error| damaged(&error.to_string()))?;
    let games = games.checked().or_raise()?;
    if games.is_empty() || games.len() != infos.len() {
        return Err(damaged(&format!("{} games and {} endings", games.len(), infos.len())));
    }
    let kept = PyDict::new(py);
    let given = |name: &str| {
        let given = arrays.get_item(name)?.ok_or_else(|| damaged(&format!("no array `{name}`")))?;
        given.cast_into::<PyUntypedArray>().map_err(|_| damaged(&format!("`{name}` is not an array")))
    };
    let form = Form::of(&given("final_observations")?);
    let names = ["rewards", "final_observations", "final_scalars"];
    for name in &names[..if form == Form::Floats { 2 } else { 3 }] {
        // Other objects may hold the same array.
        kept.set_item(name, given(name)?.call_method0("copy")?)?;
    }
    VecEnv::resumed(py, games, infos, &kept, form)
}

/// Returns an array of integers of any type: booleans or fractions are an error.
fn whole_numbers<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = given.py();
    let refused = |error: PyErr| {
        if error.is_instance_of::<PyValueError>(py) {
            return ArrayError::new_err("actions of mixed shapes: expected one integer for each game");
        }
        error
    };
    let array = py.import("numpy")?.call_method1("asarray", (given,)).map_err(refused)?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if !matches!(array.dtype().kind(), b'i' | b'u') || array.ndim() != 1 {
        let text = format!("actions are {:?} of {}: expected one integer for each game", array.shape(), array.dtype());
        return Err(ArrayError::new_err(text));
    }
    Ok(array)
}

/// Reads actions, as integers of a type that fits the whole array.
fn indices<'py, T>(actions: &Bound<'py, PyUntypedArray>, space: usize) -> PyResult<Vec<ActionIndex>>
where
    T: Element + Copy + fmt::Display + FromPyObjectOwned<'py> + 'py,
    u16: TryFrom<T>,
{
    let actions: PyArrayLike1<'py, T, AllowTypeChange> = actions.extract()?;
    let index = |(environment, &action): (usize, &T)| match u16::try_from(action) {
        Ok(index) if usize::from(index) < space => Ok(ActionIndex(index)),
        _ => {
            let text = format!("environment {environment}: action index {action}: expected a number below {space}");
            Err(IllegalAction::new_err(text))
        }
    };
    actions.as_array().iter().enumerate().map(index).collect()
}

//! One position of a game, as Python sees it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gipf_env::notation::{Ledger, placement};
use gipf_env::rules::Phase;
use gipf_env::{Action, ActionIndex, GipfPosition, Player, Position, Setup, StepError, Style, Variant, observation};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::argument::{Text, Whole};
use crate::error::{
    GipfError, IllegalAction, InternalError, OrRaise, PositionError, Raise, guarded, one_line, variant,
};
use crate::picture::{SIDES, image};

/// A position, with the game that led to it.
///
/// * `variant`: the rule set, one of `VARIANTS`; by default that of `gpn`, else standard.
/// * `gpn`: a position text to start from, which names its rule set.
/// * `limit`: the number of placements after which a game is cut off, 0 to 65535, where 0 is the same as 1; None for
///   never, except in push-off, which then has 400.
/// * `potentials`: the ZÈRTZ-potentials of each player, 3 to 6, in rule sets that have them.
///
/// Raises `PositionError` if there is no such rule set or the text is not a position of it, `GipfError` if a number
/// is out of range.
///
/// Two states are equal if they have the same future: nothing that may happen from then on differs. A copy takes a
/// fraction of a microsecond, so to undo an action, keep a copy.
#[pyclass(module = "gipf")]
#[derive(Clone)]
pub struct State {
    position: GipfPosition,
    /// The start of the game, and the actions since then: a pickled state is restored from these.
    start: Arc<Ledger>,
    history: Vec<u16>,
}

/// The position of a state when it was passed: other threads may play on in the state meanwhile.
pub struct Shown(pub GipfPosition);

impl FromPyObject<'_, '_> for Shown {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<State>()?.try_borrow()?.position.clone()))
    }
}

/// Returns the number of actions of a rule set: 63 (basic), 65 (standard), 107 (tournament), up to 373.
///
/// Raises `PositionError` if there is no such rule set.
#[pyfunction]
pub fn action_space(variant: Text) -> PyResult<usize> {
    Ok(self::variant(&variant)?.num_actions())
}

/// Returns the shape of an observation of a rule set: [planes, 7, 7].
///
/// Raises `PositionError` if there is no such rule set.
#[pyfunction]
pub fn observation_shape(variant: Text) -> PyResult<[usize; 3]> {
    Ok(observation::layout(self::variant(&variant)?).shape())
}

/// Returns the weights of a rule set's binary planes in its planes of cells: (planes of cells, binary planes), float32.
///
/// `VecEnv` has binary planes in the forms "u8" and "bits": for each plane of pieces that plane itself; for the lines
/// handled (in push-off for the player's rows to be evaluated, then for the opponent's) those going N, NE and SE; for
/// the pieces to be asked about those in question and the others. The scalars are the planes after those of cells.
///
/// Raises `PositionError` if there is no such rule set.
#[pyfunction]
pub fn plane_weights(py: Python<'_>, variant: Text) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let weights = gipf_env::binary_planes::weights(self::variant(&variant)?);
    let planes = weights.last().map_or(0, |(plane, _)| plane + 1);
    let mut rows = vec![vec![0.0; weights.len()]; planes];
    for (binary, &(plane, weight)) in weights.iter().enumerate() {
        rows[plane][binary] = weight;
    }
    Ok(PyArray2::from_vec2(py, &rows)?)
}

/// The start of a game, as given in Python.
pub struct Beginning {
    pub variant: Option<Text>,
    pub gpn: Option<Text>,
    pub limit: Option<Whole>,
    pub potentials: Option<Whole>,
}

impl Beginning {
    /// Returns the start of a game: a position text, or the start of a rule set.
    pub fn setup(self) -> PyResult<Setup> {
        let asked = self.variant.map(|name| variant(&name)).transpose()?;
        let setup = match self.gpn {
            Some(text) => text.parse::<Setup>().or_raise()?,
            None => Setup::start(asked.unwrap_or(Variant::STANDARD)),
        };
        if let Some(asked) = asked.filter(|asked| *asked != setup.variant) {
            return Err(PositionError::new_err(format!("variant {asked}: expected {}, as gpn says", setup.variant)));
        }
        let limit = self.limit.map(|limit| limit.checked("limit", 0..=u16::MAX)).transpose()?;
        // Two states with the same future are equal, and 0 means the same as 1.
        let limit = limit.map(|limit| limit.max(1));
        let setup = match self.potentials {
            Some(potentials) => setup.with_potentials(potentials.checked("potentials", 0..=u8::MAX)?).or_raise()?,
            None => setup,
        };
        Ok(setup.with_placement_limit(limit))
    }
}

/// Opens the ledger of a game at a position, or from the text of its start if that leads there.
fn opened(position: GipfPosition, text: Option<&str>) -> Ledger {
    let setup = text.and_then(|text| text.parse::<Setup>().ok());
    let setup = setup.map(|setup| setup.with_placement_limit(position.placement_limit()));
    let ledger = setup.and_then(|setup| Ledger::new(&setup).ok()).filter(|ledger| *ledger.position() == position);
    ledger.unwrap_or_else(|| Ledger::at(position))
}

impl State {
    /// Returns a state at this position, without an earlier game.
    pub fn at(position: GipfPosition) -> Self {
        Self::begin(Ledger::at(position))
    }

    fn begin(start: Ledger) -> Self {
        Self { position: start.position().clone(), start: Arc::new(start), history: Vec::new() }
    }

    pub fn position(&self) -> &GipfPosition {
        &self.position
    }

    /// Returns the legal action with this number.
    pub fn legal(&self, index: Whole) -> PyResult<Action> {
        if let Some(outcome) = self.position.outcome() {
            return Err(StepError::Over(outcome).raise());
        }
        let action = index.within(&(0..=u16::MAX)).and_then(|index| self.position.action_at(ActionIndex(index)));
        match action {
            Some(action) if self.position.is_legal(action) => Ok(action),
            Some(action) => Err(self.position.clone().play(action).expect_err("it is not legal").raise()),
            None => {
                let actions = self.position.num_actions();
                Err(IllegalAction::new_err(format!("action index {index}: expected a number below {actions}")))
            }
        }
    }

    pub fn play(&mut self, action: Action) {
        self.position.play_unchecked(action);
        self.history.push(action.index().0);
    }

    fn last(&self) -> Option<Action> {
        self.history.last().and_then(|&index| self.position.action_at(ActionIndex(index)))
    }

    /// Returns the position text of the turn in progress.
    fn text(&self) -> String {
        let mut ledger = Ledger::clone(&self.start);
        for &index in &self.history {
            let action = self.position.action_at(ActionIndex(index)).expect("its rule set has every action played");
            ledger.play(action).expect("it was played before");
            ledger.take_finished();
        }
        ledger.setup().to_string()
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (variant = None, *, gpn = None, limit = Some(Whole::of(400)), potentials = None))]
    #[pyo3(text_signature = "(variant=None, *, gpn=None, limit=400, potentials=None)")]
    fn new(
        variant: Option<Text>,
        gpn: Option<Text>,
        limit: Option<Whole>,
        potentials: Option<Whole>,
    ) -> PyResult<Self> {
        guarded(|| {
            let setup = Beginning { variant, gpn, limit, potentials }.setup()?;
            Ok(Self::begin(Ledger::new(&setup).or_raise()?))
        })
    }

    /// Restores a pickled state.
    #[classmethod]
    #[pyo3(signature = (start, history, text = None))]
    fn _restore(
        _class: &Bound<'_, PyType>,
        start: Text,
        history: &Bound<'_, PyAny>,
        text: Option<Text>,
    ) -> PyResult<Self> {
        guarded(|| {
            let start: GipfPosition = serde_json::from_str(&start)
                .map_err(|error| PositionError::new_err(format!("no pickled state: {error}")))?;
            start.validate().or_raise()?;
            let mut state = Self::begin(opened(start, text.as_deref()));
            for index in history.try_iter()? {
                let action = state.legal(index?.extract()?)?;
                state.play(action);
            }
            Ok(state)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let start = serde_json::to_string(self.start.position());
        let start = start.map_err(|error| InternalError::new_err(error.to_string()))?;
        Ok((restore, (start, self.history.clone(), self.start.setup().to_string()).into_pyobject(py)?))
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.position == other.position
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.position.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> PyResult<String> {
        guarded(|| {
            let decisions = self.history.len();
            let plural = if decisions == 1 { "" } else { "s" };
            Ok(format!("<gipf.State '{}', {decisions} decision{plural} on>", self.text()))
        })
    }

    fn __str__(&self) -> PyResult<String> {
        guarded(|| Ok(self.position.drawing().with_last(self.last()).to_string()))
    }

    /// Returns a copy; changes to either state do not affect the other.
    fn copy(&self) -> Self {
        self.clone()
    }

    /// The rule set.
    #[getter]
    fn variant(&self) -> String {
        self.position.variant().to_string()
    }

    /// The number of actions of the rule set, legal or not.
    #[getter]
    fn num_actions(&self) -> usize {
        self.position.num_actions()
    }

    /// The shape of an observation: [planes, 7, 7].
    #[getter]
    fn observation_shape(&self) -> [usize; 3] {
        self.position.observation_layout().shape()
    }

    /// The player who decides: 0 (White) or 1 (Black). After a capture it may be the player who has just decided.
    #[getter]
    fn to_move(&self) -> usize {
        self.position.to_move().index()
    }

    /// The kind of decision: a removal before the placement ("pre"), the placement ("push"), or a removal after it
    /// ("post").
    #[getter]
    fn phase(&self) -> &'static str {
        match self.position.phase() {
            Phase::Pre => "pre",
            Phase::Push => "push",
            Phase::Post => "post",
        }
    }

    /// The number of placements made so far, by both players.
    #[getter]
    fn placements(&self) -> u16 {
        self.position.placements()
    }

    /// The number of placements after which the game is cut off; None for never, which push-off does not have.
    #[getter]
    fn limit(&self) -> Option<u16> {
        self.position.placement_limit()
    }

    /// The number of pieces in the reserves of White and Black; a GIPF-piece takes two of them.
    #[getter]
    fn reserves(&self) -> (u8, u8) {
        (self.position.reserve(Player::White), self.position.reserve(Player::Black))
    }

    /// The actions played since the state was made, the first one first.
    #[getter]
    fn history(&self) -> Vec<u16> {
        self.history.clone()
    }

    /// Whether the game is over, by its rules or by the limit.
    #[getter]
    fn is_over(&self) -> bool {
        self.position.outcome().is_some()
    }

    /// Whether the limit cut the game off without a result.
    #[getter]
    fn is_truncated(&self) -> bool {
        self.position.outcome().is_some_and(gipf_env::Outcome::truncated)
    }

    /// The winner: 0 or 1; None if nobody has won, and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.position.outcome()?.winner.map(Player::index)
    }

    /// Why the game ended: "no-gipf", "no-move", "repetition" or "limit"; None while it goes on.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.position.outcome().map(|outcome| outcome.reason.word())
    }

    /// Returns the results of White and Black: 1 for a win, -1 for a loss, else 0, also while the game goes on.
    fn returns(&self) -> (f32, f32) {
        let reward = |player| self.position.outcome().map_or(0.0, |outcome| outcome.reward(player));
        (reward(Player::White), reward(Player::Black))
    }

    /// Returns the position text, which is that of the beginning of the turn: the decisions of an unfinished turn are
    /// not part of it, nor are the limit, the placements made and the earlier positions. Of a state that was made in the
    /// middle of a turn, as by `VecEnv.state`, the text of that turn shows the pieces as they stood there. If the game is
    /// over, it is the text of what is left on the board.
    fn gpn(&self) -> PyResult<String> {
        guarded(|| Ok(self.text()))
    }

    /// Returns the legal actions in ascending order; none if the game is over.
    fn legal_actions(&self) -> PyResult<Vec<u16>> {
        guarded(|| Ok(self.position.action_set().indices().map(|index| index.0).collect()))
    }

    /// Returns a new array `(actions,)` of int8: 1 where an action is legal, else 0.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        guarded(|| {
            let mut mask = vec![false; self.position.num_actions()];
            self.position.action_mask(&mut mask);
            Ok(PyArray1::from_iter(py, mask.into_iter().map(i8::from)))
        })
    }

    /// Returns a new array `(planes, 7, 7)` of float32, from the view of the player to move. The values lie between
    /// -1 and 1.
    ///
    /// * `player`: the player whose view it is instead, 0 or 1, as if that player were to move: for games that are over.
    ///
    /// Raises `GipfError` if there is no such player.
    #[pyo3(signature = (*, player = None))]
    fn observation<'py>(&self, py: Python<'py>, player: Option<Whole>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        guarded(|| {
            let player = player.map(|player| player.checked("player", 0..=1_usize)).transpose()?;
            let viewer = player.map_or(self.position.to_move(), |player| Player::BOTH[player]);
            let layout = self.position.observation_layout();
            let mut planes = vec![0.0; layout.size()];
            observation::observe_as(&self.position, viewer, &mut planes);
            planes.into_pyarray(py).reshape(layout.shape())
        })
    }

    /// Plays an action.
    ///
    /// Raises `IllegalAction` if it cannot be played; the state is then unchanged.
    fn apply(slf: &Bound<'_, Self>, action: Whole) -> PyResult<()> {
        guarded(|| {
            // Borrowed only once the number is known: reading it may call a function that looks at this state.
            let mut state = slf.try_borrow_mut()?;
            let action = state.legal(action)?;
            state.play(action);
            Ok(())
        })
    }

    /// Returns the state after an action; this state is unchanged.
    ///
    /// Raises `IllegalAction` if the action cannot be played.
    fn child(slf: &Bound<'_, Self>, action: Whole) -> PyResult<Self> {
        guarded(|| {
            let mut child = slf.try_borrow()?.clone();
            let action = child.legal(action)?;
            child.play(action);
            Ok(child)
        })
    }

    /// Returns a legal action in notation, such as `e1-e4`, `Gb2` or `e2`. Different actions of a position have
    /// different texts.
    ///
    /// Raises `IllegalAction` if the action cannot be played.
    fn action_to_string(slf: &Bound<'_, Self>, action: Whole) -> PyResult<String> {
        guarded(|| {
            let state = slf.try_borrow()?;
            Ok(placement::write(&state.position, state.legal(action)?))
        })
    }

    /// Returns the legal action that a text stands for.
    ///
    /// Raises `IllegalAction` if there is none, with a hint about what is expected.
    fn string_to_action(&self, text: Text) -> PyResult<u16> {
        guarded(|| {
            let named = |action: &Action| action.to_string() == *text;
            if let Some(action) = self.position.legal_actions().find(named) {
                return Ok(action.index().0);
            }
            Ok(placement::read(&self.position, &text).or_raise()?.index().0)
        })
    }

    /// Returns a picture of the board, with the last placement marked.
    ///
    /// * `mode`: "ansi" (text for terminals, with colours), "text" (without colours), "svg", or `"rgb_array"`, a new
    ///   array `(size, size, 3)` of uint8.
    /// * `size`: the side of an `"rgb_array"`, 16 to 4096 pixels.
    ///
    /// Raises `GipfError` for other modes and sizes.
    #[pyo3(signature = (mode = Text::from("ansi"), *, size = Whole::of(460)))]
    #[pyo3(text_signature = "($self, mode='ansi', *, size=460)")]
    fn render<'py>(&self, py: Python<'py>, mode: Text, size: Whole) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| self.rendered(py, &mode, size))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        guarded(|| Ok(self.position.picture().with_last(self.last()).to_string()))
    }
}

impl State {
    fn rendered<'py>(&self, py: Python<'py>, mode: &str, size: Whole) -> PyResult<Bound<'py, PyAny>> {
        let drawing = |style| self.position.drawing().with_style(style).with_last(self.last()).to_string();
        let picture = || self.position.picture().with_last(self.last());
        match mode {
            "ansi" => Ok(PyString::new(py, &drawing(Style::Ansi)).into_any()),
            "text" => Ok(PyString::new(py, &drawing(Style::Plain)).into_any()),
            "svg" => Ok(PyString::new(py, &picture().to_string()).into_any()),
            "rgb_array" => Ok(image(&picture(), size.checked("size", SIDES)?)?.into_pyarray(py).into_any()),
            other => {
                Err(GipfError::new_err(format!("mode `{}`: expected ansi, text, svg or rgb_array", one_line(&other))))
            }
        }
    }
}

//! Errors, as exceptions with the same one line that `gipf` would print.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gipf_env::rules::{InvalidPosition, SetupError};
use gipf_env::{EnvError, GpnError, ResumeError, StepError, Variant, VecStepError};
use gipf_models::{CheckpointError as BadCheckpoint, EngineError};
use gipf_play::arena::MatchError as NoMatch;
use gipf_play::arena::ladder::{PoolError, PostError};
use gipf_play::players::AgentError as NoAgent;
use gipf_play::search::SearchesError;
use gipf_train::dataset::DatasetError as BadDataset;
use gipf_train::training::RunOrderError;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    gipf,
    GipfError,
    PyValueError,
    "Anything that the package refuses, in one line that names what was given and what was expected."
);
create_exception!(
    gipf,
    IllegalAction,
    GipfError,
    "An action that cannot be played in this position; nothing has changed."
);
create_exception!(
    gipf,
    PositionError,
    GipfError,
    "A rule set that does not exist, or a text or setting that is no position of its rule set."
);
create_exception!(gipf, AgentError, GipfError, "No agent has this name, or it does not play this rule set.");
create_exception!(
    gipf,
    CheckpointError,
    AgentError,
    "A file that is missing, is not a sound checkpoint, or is one for another game."
);
create_exception!(gipf, MatchError, GipfError, "A match that cannot be played.");
create_exception!(gipf, ArrayError, GipfError, "An array of the wrong shape, type or layout; nothing was written.");
create_exception!(
    gipf,
    EvaluatorError,
    GipfError,
    "An answer of an evaluator that cannot be used: a wrong shape, type or number; nothing was taken."
);
create_exception!(
    gipf,
    DatasetError,
    GipfError,
    "A dataset that is missing, incomplete, damaged or of other settings, or that cannot be written."
);
create_exception!(
    gipf,
    TrainingError,
    GipfError,
    "A run, a setting or a shard that cannot be used: missing, in use, damaged, or out of range."
);
create_exception!(gipf, InternalError, GipfError, "A mistake in the package itself: please report it.");

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("GipfError", py.get_type::<GipfError>())?;
    module.add("IllegalAction", py.get_type::<IllegalAction>())?;
    module.add("PositionError", py.get_type::<PositionError>())?;
    module.add("AgentError", py.get_type::<AgentError>())?;
    module.add("CheckpointError", py.get_type::<CheckpointError>())?;
    module.add("MatchError", py.get_type::<MatchError>())?;
    module.add("ArrayError", py.get_type::<ArrayError>())?;
    module.add("EvaluatorError", py.get_type::<EvaluatorError>())?;
    module.add("DatasetError", py.get_type::<DatasetError>())?;
    module.add("TrainingError", py.get_type::<TrainingError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// A Rust error that has its own exception in Python.
pub trait Raise {
    /// Returns the exception.
    fn raise(self) -> PyErr;
}

macro_rules! raise {
    ($($error:ty => $exception:ident),* $(,)?) => {
        $(impl Raise for $error {
            fn raise(self) -> PyErr {
                $exception::new_err(told(&self))
            }
        })*
    };
}

raise! {
    gipf_env::IllegalAction => IllegalAction,
    StepError => IllegalAction,
    gipf_env::notation::placement::PlacementError => IllegalAction,
    GpnError => PositionError,
    InvalidPosition => PositionError,
    SetupError => PositionError,
    EnvError => PositionError,
    ResumeError => PositionError,
    gipf_env::rules::UnknownVariant => PositionError,
    BadCheckpoint => CheckpointError,
    EngineError => CheckpointError,
    gipf_play::arena::BookError => MatchError,
    gipf_play::arena::ladder::AnchorError => AgentError,
    gipf_play::arena::ladder::StoreError => MatchError,
    gipf_play::run::RunError => TrainingError,
    gipf_train::training::ConfigFault => TrainingError,
    gipf_train::training::fit::FitError => TrainingError,
    gipf_train::training::shard::ShardError => TrainingError,
    gipf_train::training::trainer::TrainError => TrainingError,
}

/// The advice in errors of datasets for users of `gipf`, which names options that Python does not have.
const OPTIONS: [&str; 3] = [", or --force to replace a complete one", ", or --force", ", or --partial"];

impl Raise for BadDataset {
    fn raise(self) -> PyErr {
        let text = told(&self);
        let told = OPTIONS.iter().find_map(|option| text.strip_suffix(option));
        DatasetError::new_err(told.unwrap_or(&text).to_owned())
    }
}

impl Raise for NoAgent {
    fn raise(self) -> PyErr {
        match self {
            Self::Unknown(_) | Self::Setting { .. } | Self::Memory { .. } | Self::NotTrained(_) => {
                AgentError::new_err(one_line(&self))
            }
            _ => CheckpointError::new_err(one_line(&self)),
        }
    }
}

impl Raise for NoMatch {
    fn raise(self) -> PyErr {
        match self {
            Self::Setup(setup) => setup.raise(),
            Self::NoGames | Self::Openings(_) | Self::PotentialsOfBook | Self::Book(_) => {
                MatchError::new_err(one_line(&self))
            }
        }
    }
}

impl Raise for RunOrderError {
    fn raise(self) -> PyErr {
        match self {
            Self::Agent(error) => error.raise(),
            Self::Engine { .. } => CheckpointError::new_err(one_line(&self)),
            Self::Setting(_) | Self::Change(..) | Self::Read { .. } | Self::Config { .. } => {
                TrainingError::new_err(one_line(&self))
            }
        }
    }
}

impl Raise for PoolError {
    fn raise(self) -> PyErr {
        match self {
            Self::Anchor(_) | Self::Name(_) => AgentError::new_err(one_line(&self)),
            Self::Agent(error) => error.raise(),
        }
    }
}

impl Raise for PostError {
    fn raise(self) -> PyErr {
        match self {
            Self::Timed(_) | Self::Nameless(_) | Self::Otherwise(_) => AgentError::new_err(one_line(&self)),
            Self::Agent(error) => error.raise(),
            Self::Damaged(_) | Self::Other | Self::Game { .. } | Self::Stopped => {
                TrainingError::new_err(one_line(&self))
            }
        }
    }
}

impl Raise for SearchesError {
    fn raise(self) -> PyErr {
        let text = one_line(&self);
        match self {
            Self::Game { .. } => PositionError::new_err(text),
            Self::Over { .. } => IllegalAction::new_err(text),
            Self::Slot { .. } | Self::Tree { .. } | Self::Unsearched { .. } => GipfError::new_err(text),
            _ => EvaluatorError::new_err(text),
        }
    }
}

impl Raise for VecStepError {
    fn raise(self) -> PyErr {
        match self {
            Self::Refused { .. } => IllegalAction::new_err(one_line(&self)),
            Self::Count { .. } | Self::Size { .. } => ArrayError::new_err(one_line(&self)),
        }
    }
}

/// Returns a message in one line, even if it quotes texts from elsewhere.
pub fn one_line(message: &impl Display) -> String {
    gipf_play::printable(&message.to_string())
}

/// How errors tell that somebody else holds the lock of a directory or a file.
const HELD: [&str; 2] = ["another program is using", "written by another program"];

/// Returns the message of an error in one line. Here a lock may be held by this very program.
fn told(error: &impl Display) -> String {
    let text = one_line(error);
    if HELD.iter().any(|held| text.contains(held)) {
        return text.replacen("another program", "another program or another object of this one", 1);
    }
    text
}

/// Turns errors of a result into exceptions.
pub trait OrRaise<T> {
    /// Returns the value, or raises.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}

/// Does work; a bug in it becomes an exception that `except Exception` catches. Everything that Python calls, and
/// that does more than return a field, goes through here.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(InternalError::new_err(said(&*panic))))
}

/// Does work in the same way without the interpreter, so that other threads can go on meanwhile.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| guarded(work))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".to_owned())
}

/// Reads the name of a rule set.
pub fn variant(name: &str) -> PyResult<Variant> {
    name.parse::<Variant>().or_raise()
}

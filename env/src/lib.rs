//! The rules of GIPF and a reinforcement-learning environment for it.
//!
//! ```
//! use gipf_env::{GipfPosition, Position, Variant};
//!
//! let mut position = GipfPosition::start(Variant::TOURNAMENT);
//! let first = |position: &GipfPosition| position.legal_actions().next();
//! while let Some(action) = first(&position) {
//!     position.play(action)?;
//! }
//! assert!(position.outcome().is_some());
//! # Ok::<(), gipf_env::IllegalAction>(())
//! ```

pub mod action;
mod action_space;
pub mod bitboard;
mod canonical;
mod env;
mod episode;
mod game;
pub mod geometry;
mod gpn;
mod learnable;
pub mod math;
pub mod notation;
pub mod observation;
mod perft;
mod picture;
pub mod position;
mod render;
pub mod rules;
pub mod symmetry;
pub mod text;
pub mod toy;
mod vec;

pub use action::{Action, Pushed};
pub use action_space::ActionSpace;
pub use env::{Env, EnvError, EnvOptions, Reset, ResetOptions, Step};
pub use episode::{Info, StartIsOver, StepError};
pub use gpn::{GpnError, GpnField};
pub use learnable::Learnable;
pub use observation::binary_planes;
pub use perft::{divide, perft, perft_distinct, quiet_successors};
pub use picture::Picture;
pub use position::{ActionIndex, IllegalAction, ObservationLayout, Outcome, Player, Position, Reason};
pub use render::{Drawing, Style};
pub use rules::{GipfPosition, PLACEMENT_LIMIT, Phase, Setup, Variant};
pub use vec::{
    OutputArrays, Outputs, PackedArrays, PackedOutputs, ResumeError, VecArrays, VecEnv, VecGames, VecOutputs,
    VecStepError,
};

/// The example in the game's card is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Card;

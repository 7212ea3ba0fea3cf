//! The rules of the game: the pieces, the legal actions, and what follows from an action.

mod board;
mod entries;
mod legal;
mod position;
mod rows;
mod setup;
mod variant;

pub use board::{Board, Kind};
pub use legal::ActionSet;
pub(crate) use legal::{MaskEntry, bits_of};
pub use position::{GipfPosition, OpenedRow, Phase};
pub use setup::{InvalidPosition, PLACEMENT_LIMIT, Setup, SetupError};
pub(crate) use setup::{MATERIAL, POTENTIALS};
pub use variant::{Opening, UnknownVariant, Variant};

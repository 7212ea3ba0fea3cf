//! Many games stepped together, and the arrays that they write their outputs to.
//!
//! [`VecGames`] writes to arrays of the caller, and [`VecEnv`] has arrays of its own; [`VecArrays`] hold floats, and
//! [`PackedArrays`] bytes or bits.

mod arrays;
mod env;
mod error;
mod games;
mod looks;
mod outputs;
mod packed;
mod stream;

pub use arrays::VecArrays;
pub use env::VecEnv;
pub use error::{ResumeError, VecStepError};
pub use games::VecGames;
pub use looks::OutputArrays;
pub use outputs::{Outputs, VecOutputs};
pub use packed::{PackedArrays, PackedOutputs};

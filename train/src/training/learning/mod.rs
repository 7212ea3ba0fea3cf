//! From samples to weights: the learner of a run, its optimiser, and networks fitted to games that were played before.

mod adamw;
pub mod fit;
mod learner;

pub use learner::{Learner, LearnerError};

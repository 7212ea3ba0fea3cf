//! How fast networks learn from scratch: rated checkpoints of several seeds over the work that they cost.
//!
//! * [`Prices`] turn counted work into core-seconds, which do not depend on other work on the machine.
//! * [`TrainingBench`] trains the seeds one after the other in a directory, and continues there after a stop.
//! * [`Pool`] is the fixed pool of judges, players that never change; checkpoints are rated by them in the same way
//!   as by `gipf_play::arena::ladder::Judging`.
//! * [`TrainingResult`] is the result; [`Comparison`] compares two of them; [`picture`] draws them.

mod comparison;
mod curve;
mod directory;
mod judges;
mod marks;
mod picture;
mod prices;
mod result;
mod run;

pub use comparison::{Comparison, Difference, Duration};
pub use curve::{Curve, Estimate};
pub use directory::{BenchError, Definition};
pub use judges::{Pool, packed_network, unpacked_network};
pub use marks::{Cost, Mark, marks, reached};
pub use picture::picture;
pub use prices::{LaterPrices, Priced, Prices};
pub use result::{RatedCheckpoint, SeedResult, TrainingResult};
pub use run::{Observer, Size, TrainingBench};

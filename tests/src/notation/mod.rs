//! What people write: positions, turns, records of games.

mod gpn;
mod julio;
pub mod official;
mod record;
mod refused;
mod removals;

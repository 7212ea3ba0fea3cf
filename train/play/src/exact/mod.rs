//! Exact answers: games solved completely, and proofs of single positions.

mod graph;
mod key_index;
pub mod proof;
mod table;
mod value;

pub use table::{Counts, Table};
pub use value::Value;

//! Games as people write them down.

mod ledger;

pub use ledger::{Capture, Ledger, Turn};

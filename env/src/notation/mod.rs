//! Games as people write them down.
//!
//! A [`Ledger`] is a position together with the turn in progress; [`official`] and [`julio`] read and write its turns,
//! [`placement`] the part of a turn that brings in a piece.

mod error;
pub mod julio;
mod ledger;
pub mod official;
mod options;
pub mod placement;
pub mod record;
mod reread;
mod search;

pub use error::{Failure, NoNotation, ReadError, Unwritable};
pub use ledger::{Capture, Ledger, Turn};

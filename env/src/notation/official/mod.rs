//! The official notation: one turn as the publisher's pages write it.
//!
//! ```text
//! e2                          onto the vacant spot e2
//! e1-e4                       from the dot e1; the furthest displaced piece comes to rest on e4
//! Ge2                         with a GIPF-piece
//! g1-c3;xc2,d3,e4,f4,g4*      complete: what is removed after the placement, a star after a piece of the opponent
//! g1-c3;x                     short: a row is removed without a GIPF-piece
//! xe7,Ge8*;c7-e7 (10)         what is removed before the placement; the reserve after the turn in brackets
//! f1-f5;x(b1-i4);x            of rows that cross, that on b1-i4 first
//! ```
//!
//! After an `x` the short form names the GIPF-pieces removed, the complete form all pieces removed. A list of
//! GIPF-pieces only is short if the row has other pieces too; a list with others must be complete. The reader accepts
//! both, in one turn if need be; a list before its `x`; and every spot of the line on which a piece is pushed.
//!
//! Extensions of this project: `Z` before a placement or an item is a piece loaded with a ZÈRTZ-potential, `Jc3-f2` a
//! jump from c3 that lands on f2, `j` before an item a used potential. Push-off has no published notation and is
//! refused.
//!
//! Misprints of the published page: `a3-f2;xc1,Gf4,Gg4*` is refused, since c1 is a dot (the piece stands on c2).
//! Black's sixth move of the tournament example is `h2` in the table and `g1-g4` in the text; both are legal and leave
//! 7 in reserve.
//!
//! ```
//! use gipf_env::notation::official::{self, Form};
//! use gipf_env::notation::Ledger;
//!
//! // White pushes from g1, which completes the row c2 d3 e4 f4; Black's piece on g4 goes with it.
//! let ledger = Ledger::new(&"basic 4/S4/1s4/1SS4/s1S3/2s2/4 w 8 8 - 0 0".parse()?)?;
//! let actions = official::read(&ledger, "g1-c3;xc2,d3,e4,f4,g4*")?;
//! assert_eq!(official::read(&ledger, "g1-f2; x (11)")?, actions);
//! assert_eq!(official::write(&ledger, &actions, Form::Short)?, "g1-c3;x");
//! assert_eq!(official::write_with_reserve(&ledger, &actions, Form::Complete)?, "g1-c3;xc2,d3,e4,f4,g4* (11)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod matching;
mod parse;
mod read;
mod write;

use super::ledger::Ledger;
use super::{options, placement};

pub use read::read;
pub use write::{Form, write, write_with_reserve};

/// Returns a short list of legal turns for a message; if the text has a legal placement, only turns with that one.
pub fn options(ledger: &Ledger, text: &str) -> String {
    if let Some(outcome) = ledger.position().outcome() {
        return format!("none, the game is over, {outcome}");
    }
    if ledger.position().variant().is_push_off() {
        return placement::options(ledger.position());
    }
    let placement = parse::parse(text).ok().and_then(|turn| turn.placement);
    let wanted = |ledger: &Ledger| placement.as_ref().and_then(|(place, _)| place.resolve(ledger.position()).ok());
    let spans = options::spans(ledger, |ledger| !ledger.finished().is_empty(), wanted);
    options::texts(&spans, |actions| write(ledger, actions, Form::Complete).ok())
}

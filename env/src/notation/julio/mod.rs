//! The notation that Julio974 published in 2020.
//!
//! ```text
//! e2          onto the vacant spot e2
//! e1          from the dot e1, where the first spot is occupied
//! c1  c1*     from c1 up its column; from c1 in its other direction
//! a3  a3*     from a3 to b3, which keeps the number; from a3 in its other direction
//! Ge2         with a GIPF-piece
//! a5X         and a row is removed
//! g1*Xf6      with the GIPF-piece on f6, of either colour
//! h6X5g3e5    of rows that cross that on line 5 first, with the GIPF-pieces on g3 and e5
//! ```
//!
//! Lines are `b` to `h` (columns), `2` to `8` (falling, by the number of the left dot) and `a*` to `d*` or `1*` to `4*`
//! (rising, by the left dot). After an `X` a letter and a digit are always a spot: `Xb3` takes b3, `Xbb3` is line b
//! with b3. `!`, `?` and their pairs may follow, and are ignored.
//!
//! A mark is written with the move that *forms* the row. So a text of this notation covers one placement up to the next: the
//! placement, the player's removals after it, and the opponent's removals before the next placement, whose marks come last.
//! `X` may be missing where the row removed was not chosen before others and no GIPF-piece is taken from it.
//!
//! The last text of a game ([`read_last`], [`write_last`]) may stop while the opponent has still to decide.
//!
//! What it cannot express is refused: pieces taken later from a row of GIPF-pieces that was left standing; anything
//! before the first placement; ZÈRTZ-potentials; push-off. The published example game has two misprints, which are
//! refused too: 16… `i1*` must be `i1`, since that dot has one direction only, and 18. `h6` must be `h6*`, since h5 is
//! vacant.
//!
//! ```
//! use gipf_env::notation::{Ledger, julio, official};
//!
//! // White pushes from g1, which completes the row c2 d3 e4 f4; Black's piece on g4 goes with it.
//! let ledger = Ledger::new(&"basic 4/S4/1s4/1SS4/s1S3/2s2/4 w 8 8 - 0 0".parse()?)?;
//! let actions = julio::read(&ledger, "g1*X!")?;
//! assert_eq!(official::read(&ledger, "g1-c3;x")?, actions);
//! assert_eq!(julio::write(&ledger, &actions)?, "g1*X");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod marks;
mod parse;
mod place;
mod read;
mod write;

use super::ledger::Ledger;
use super::{options, placement};

pub use super::error::PlaceError;
pub use read::{read, read_last};
pub use write::{write, write_last};

use read::no_notation;

/// Returns a short list, for a message, of what can be played from a placement up to the next one; if the text has a
/// legal placement, only with that one.
pub fn options(ledger: &Ledger, text: &str) -> String {
    if let Some(outcome) = ledger.position().outcome() {
        return format!("none, the game is over, {outcome}");
    }
    if no_notation(ledger).is_some() {
        return placement::options(ledger.position());
    }
    let place = parse::parse(text).ok().map(|text| text.place);
    let wanted = |ledger: &Ledger| place.and_then(|place| place.resolve(ledger.position()).ok());
    let spans = options::spans(ledger, marks::is_over, wanted);
    options::texts(&spans, |actions| write(ledger, actions).ok())
}

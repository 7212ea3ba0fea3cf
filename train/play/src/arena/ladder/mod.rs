//! Ratings of many players from one store of results that grows: a new player joins by playing those near it.
//!
//! * [`Member`] is a player that can play here, [`PlayerId`] how the store names it: by what it does, not by its name.
//! * [`Store`] is the file; [`Series`] one line of it, some pairs of games between two players; [`shipped`] those that come
//!   with the program.
//! * [`Results`] are all lines together, [`RatingFit`] the ratings that they say, [`Table`] what is printed.
//! * [`climb`] plays until the ratings are known as well as asked for.

mod climb;
mod fit;
mod member;
mod results;
mod schedule;
mod shipped;
mod store;
mod store_text;
mod table;

pub use climb::{Climb, Listener, Tick, climb};
pub use fit::{PairedEncounter, RatingFit};
pub use member::{Member, PlayerId};
pub use results::{Anchor, AnchorError, PlayedTotals, Rated, Results};
pub use schedule::{Goal, Round, next_round};
pub use shipped::shipped;
pub use store::{Head, Series, Store, StoreError};
pub use store_text::{Contents, Flaw};
pub use table::{Row, Table};

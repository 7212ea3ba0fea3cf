//! Ratings of many players from one store of results that grows: a new player joins by playing its neighbours.
//!
//! * [`Member`] is a player that can play here, [`PlayerId`] its identity in the store: its behaviour, not its name.
//! * [`Store`] is the file; [`Series`] one line of it, some pairs of games between two players; [`shipped`] those that
//!   come
//!   with the program.
//! * [`Results`] are all lines together, [`RatingFit`] the ratings that follow from them, [`Table`] the printed table.
//! * [`climb`] plays until the ratings are as precise as asked for, in [`Meeting`]s of two players.
//! * [`Judging`] rates one player by [`Judge`]s, whose ratings stay as they are; [`Rate`] does that for
//!   one of whom no games are known.

mod climb;
mod fit;
mod judging;
mod member;
mod rate;
mod rating_report;
mod results;
mod schedule;
mod shipped;
mod store;
mod store_text;
mod table;

pub use climb::{Climb, Listener, Meeting, Tick, climb};
pub use fit::{PairedEncounter, RatingFit};
pub use judging::{Enough, Judge, JudgeKind, Judging, KindRatings, Opponent, Rating, ladder_judges, next_meeting};
pub use member::{Member, PlayerId};
pub use rate::Rate;
pub use rating_report::{Met, RatingReport};
pub use results::{Anchor, AnchorError, PlayedTotals, Rated, Results};
pub use schedule::{Goal, Round, next_round};
pub use shipped::shipped;
pub use store::{Head, Series, Store, StoreError};
pub use store_text::{Contents, Flaw};
pub use table::{Row, Table};

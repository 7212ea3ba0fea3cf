//! Ratings of many players from one store of results that grows: a new player joins by playing its neighbours.
//!
//! * [`Member`] is a player that can play here, [`PlayerId`] its identity in the store: its behaviour, not its name.
//! * [`Store`] is the file; [`Series`] one line of it, some pairs of games between two players; [`shipped`] the text of
//!   those that come with the program.
//! * [`Results`] are all lines together, [`RatingFit`] the ratings that follow from them, [`Table`] the printed table.
//! * [`Invited`] are the players that a user names, [`Pool`] all who may play; [`climb`] plays until the ratings are
//!   as precise as asked for, in [`Meeting`]s of two.
//! * [`PairsSpec`] and [`Envoys`] are what others need, as bytes, to play the pairs of a round.
//! * [`Judging`] rates one player by [`Judge`]s, whose ratings stay as they are; [`Rate`] does that for a player
//!   without known games.

mod climb;
mod fit;
mod judging;
mod meeting;
mod member;
mod pool;
mod post;
mod rate;
mod rating_report;
mod results;
mod schedule;
mod shipped;
mod store;
mod store_text;
mod table;

pub use climb::{Climb, ClimbProgress, Listener, Tick, climb};
pub use fit::{PairedEncounter, RatingFit};
pub use judging::{
    Enough, Judge, JudgeKind, Judging, KindRatings, Opponent, Rating, RatingBound, ladder_judges, next_meeting,
};
pub use meeting::{DuePair, Meeting, ordered, play_pairs};
pub use member::{Member, PlayerId};
pub use pool::{Invited, Pool, PoolError, anchor_number};
pub use post::{Envoys, PairsSpec, PostError};
pub use rate::Rate;
pub use rating_report::{Met, RatingReport};
pub use results::{Anchor, AnchorError, PlayedTotals, Rated, Results};
pub use schedule::{Goal, Round, next_round};
pub use shipped::shipped;
pub use store::{Begun, Head, Series, Store, StoreError};
pub use store_text::{Contents, Flaw};
pub use table::{Row, Table};

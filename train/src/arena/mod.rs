//! Measuring who plays better: paired games from random openings, and what they say about strength.

mod contest;
mod elo;
mod game;
mod openings;
mod report;
mod score;
mod sprt;
mod tally;

pub use contest::{Contest, MatchError, Monitor, Progress, Rules, play_pairs, run_match, run_match_between};
pub use elo::{Encounter, Rating, RatingError, fit_ratings};
pub use game::{GameRecord, play_game};
pub use openings::{OpeningsError, distinct_openings};
pub use report::{MatchReport, SideReport, SprtReport};
pub use score::{elo_of_score, normal_cdf, score_of_elo, wilson_interval};
pub use sprt::{Sprt, Verdict};
pub use tally::{Pentanomial, Tally};

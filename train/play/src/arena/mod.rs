//! Measuring who plays better: paired games from random openings or those of a book, and the strength that follows.
//!
//! The referee belongs to it: [`Bout`] is one encounter under tournament conditions, as in the official FAQ. Matches by
//! the clock, those of a [`MatchConfig`] with a [`TimeControl`], are made of bouts.

mod book;
mod book_maker;
mod bout;
mod clock;
mod clocked;
mod elo;
mod game;
mod game_text;
mod journal;
pub mod ladder;
mod match_config;
mod openings;
mod pairs;
mod report;
mod ruling;
mod score;
mod sprt;
mod tally;
mod time_control;

pub use book::{Book, BookError, LineFault, key_of_opening};
pub use book_maker::{BookConfig, MakeBookError, make_book};
pub use bout::{Bout, EXTRA_TIME};
pub use clock::{Clock, Flag, LAST_TURN};
pub use clocked::{Conditions, play_bout};
pub use elo::RatingError;
pub use game::{Ending, GameRecord, play_game, play_opening};

pub use game_text::{GAMES, GameText, PairNames, RecordSheet, TERMINATION};
pub use journal::{Journal, JournalError, MatchJournal};
pub use match_config::{MatchConfig, MatchError, OpeningSource};
pub use openings::{Opening, OpeningsError, distinct_openings};
pub use pairs::{Keeper, Match, Monitor, Pair, Progress, play_match};
pub use report::{MatchReport, SideReport, SprtReport};
pub use ruling::{BoutResult, Cause, Contestant, Event, Refused};
pub use score::{elo_of_score, score_of_elo, student, wilson_interval};
pub use sprt::{Sprt, SprtDecision};
pub use tally::{Pentanomial, Tally};
pub use time_control::{TimeControl, TimeControlError};

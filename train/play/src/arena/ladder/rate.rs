//! Rating a player without known games.

use std::convert::Infallible;

use gipf_env::Variant;

use super::super::book::Book;
use super::judging::{Enough, Judge, Judging, KindRatings, Rating};
use super::member::Member;
use super::rating_report::RatingReport;
use super::store::{Head, Series};
use crate::Stop;

/// A player to be rated by games that are not stored, from the book of the rule set that comes with the program.
pub struct Rate<'a> {
    /// The player.
    pub player: &'a Member,
    /// The judges of the rule set.
    pub judges: &'a [Judge],
    /// The rule set.
    pub variant: Variant,
    /// When the rating is good enough.
    pub enough: Enough,
    /// The seed of all randomness in the games.
    pub seed: u64,
    /// The version of the program.
    pub program: &'a str,
}

/// The rating expected of an unknown player.
const START: f64 = 1400.0;

impl Rate<'_> {
    /// Plays until the rating is good enough or a stop is requested, and returns the report. `tell` is called after
    /// each meeting, with its pairs and the rating so far.
    pub fn play(&self, mut tell: impl FnMut(u64, Option<Rating>), stop: &Stop) -> RatingReport {
        let book = Book::of(self.variant);
        let head = Head::new(&book, self.seed);
        let mut judging = Judging::new(self.judges, &book, &head, self.program, &[]);
        let keep = |series: Series, found: &KindRatings| {
            tell(series.pairs.pairs(), found.all);
            Ok::<(), Infallible>(())
        };
        let Ok(is_done) = judging.play(self.player, START, self.enough, keep, stop);
        RatingReport { stopped: !is_done, ..judging.report(self.player) }
    }
}

//! The report on a player rated by judges.

use std::collections::BTreeMap;
use std::fmt;

use gipf_env::Variant;
use serde::{Deserialize, Serialize};

use super::super::report::listed;
use super::super::tally::Forfeits;
use super::judging::{Judging, KindRatings, Rating};
use super::member::{Member, has_setting};
use crate::printable;

/// A player's rating, and the games that it is based on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingReport {
    /// The player.
    pub player: String,
    /// The rule set.
    pub variant: Variant,
    /// The rating by all judges and by each kind of them.
    #[serde(flatten)]
    pub ratings: KindRatings,
    /// The name of the book of openings.
    pub book: String,
    /// The seed of all randomness in the games.
    pub seed: u64,
    /// The version of the program whose ladder provided the judges.
    pub program: String,
    /// The time of the player for a turn, with all its decisions, in milliseconds on average.
    pub ms_per_turn: f64,
    /// Whether it has a time limit, so that its rating holds for one machine only.
    pub timed: bool,
    /// The number of games that it forfeited for each reason: `crash`, `illegal-move`, `silence`. They count as lost.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forfeits: BTreeMap<String, u64>,
    /// Its fault in the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<String>,
    /// Whether a stop came before the rating was as precise as asked for.
    #[serde(default)]
    pub stopped: bool,
    /// The judges that it met, the weakest first.
    pub judges: Vec<Met>,
}

/// The games against one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Met {
    /// The judge.
    pub judge: String,
    /// The judge's rating.
    pub elo: f64,
    /// The games.
    pub games: u64,
    /// The player's share of the points.
    pub score: f64,
}

impl Judging<'_> {
    /// Returns the report on a player.
    pub fn report(&self, player: &Member) -> RatingReport {
        let met = self.judges().iter().filter_map(|judge| {
            let pairs = self.pairs(player, judge);
            let met = || Met {
                judge: judge.member.id.name.clone(),
                elo: judge.elo,
                games: 2 * pairs.pairs(),
                score: pairs.score(),
            };
            (pairs.pairs() > 0).then(met)
        });
        let effort = self.results().find(&player.id).map(|number| self.results().totals_of(number)).unwrap_or_default();
        let Forfeits { counts, first } = self.forfeits().clone();
        let mut judges: Vec<_> = met.collect();
        judges.sort_by(|a, b| a.elo.total_cmp(&b.elo));
        RatingReport {
            player: player.id.name.clone(),
            variant: self.head().variant,
            ratings: self.ratings(player),
            book: self.head().book.clone(),
            seed: self.head().seed,
            program: self.program().to_owned(),
            ms_per_turn: 1e3 * effort.seconds / effort.turns.max(1) as f64,
            timed: player.is_timed,
            forfeits: counts,
            first_fault: first,
            stopped: false,
            judges,
        }
    }
}

impl RatingReport {
    /// Returns the number of games that the rating is based on.
    pub fn games(&self) -> u64 {
        self.ratings.all.map_or(0, |rating| rating.games)
    }
}

/// Writes one line for the rating, and one for each judge.
impl fmt::Display for RatingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KindRatings { all, alpha_beta, network } = self.ratings;
        let (told, games) = (Rating::text_of, self.games());
        writeln!(f, "{} in {}: {} Elo after {games} games", self.player, self.variant, told(all))?;
        writeln!(f, "by players without a network {}, by networks {}", told(alpha_beta), told(network))?;
        let widest = self.judges.iter().map(|met| met.judge.chars().count()).max().unwrap_or(0).max(7);
        writeln!(f, "{:widest$}  {:>5}  {:>5}  {:>7}", "against", "Elo", "games", "score")?;
        for Met { judge, elo, games, score } in &self.judges {
            writeln!(f, "{judge:widest$}  {elo:>5.0}  {games:>5}  {:>5.1} %", 100.0 * score)?;
        }
        write!(
            f,
            "{:.3} ms a turn. The intervals are of 95 %, those of the judges' own ratings left out.",
            self.ms_per_turn
        )?;
        if let Some(first) = &self.first_fault {
            write!(f, "\nIt forfeited games: {}, the first by {}.", listed(&self.forfeits), printable(first))?;
        }
        let why = match self.timed {
            true => "for a time",
            false if has_setting(&self.player, "threads=") => "on several threads",
            false => return Ok(()),
        };
        write!(f, "\nIt thinks {why}, so the rating depends on the machine and its load.")
    }
}

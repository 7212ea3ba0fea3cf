//! The ladder as it is printed.

use std::fmt;

use gipf_env::Variant;
use serde::{Deserialize, Serialize};

use super::member::has_setting;
use super::results::{Anchor, Rated, Results};
use super::store::Head;

/// The ratings of all players, the best one first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The rule set.
    pub variant: Variant,
    /// The name of the book.
    pub book: String,
    /// The player whose rating is given, and its rating.
    pub anchor: String,
    /// The number of games.
    pub games: u64,
    /// The points of White, as a share of all points.
    pub white_score: f64,
    /// The variance of pairs of games relative to two independent games without draws.
    pub dispersion: f64,
    /// The players; those that no game connects with the anchor come last.
    pub players: Vec<Row>,
}

/// A player on a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name; where several have the same, with a part of the fingerprint.
    pub player: String,
    /// Its behaviour, as a number.
    pub fingerprint: String,
    /// Its rating, if games connect it with the anchor.
    pub elo: Option<f64>,
    /// The interval of 95 % of the rating.
    pub interval: Option<[f64; 2]>,
    /// The interval of 95 % of the difference to the next player of the table.
    pub over_next: Option<[f64; 2]>,
    /// Games played.
    pub games: u64,
    /// The number of players that it met.
    pub opponents: usize,
    /// The share of the points.
    pub score: f64,
    /// The time for a turn, with all its decisions, in milliseconds on average.
    pub ms_per_turn: f64,
    /// The positions visited in a turn on average.
    pub nodes_per_turn: f64,
    /// Whether it has a time limit, so that its rating holds for one machine only.
    pub timed: bool,
}

impl Table {
    /// Returns the table of these results, if the anchor is one of the players.
    ///
    /// `anchor_number` is the anchor's number; without it, the latest player of its name is taken.
    pub fn new(head: &Head, results: &Results, anchor: &Anchor, anchor_number: Option<usize>) -> Option<Self> {
        let number = anchor_number.or_else(|| results.latest(&anchor.player))?;
        let rated = results.rated((number, anchor.elo));
        let elo = |player: usize| rated.place(player).map_or(f64::NEG_INFINITY, |place| rated.fit.elo(place));
        let mut order: Vec<_> =
            (0..results.players().len()).filter(|&player| results.totals_of(player).games > 0).collect();
        order.sort_by(|&a, &b| elo(b).total_cmp(&elo(a)));
        let next = order.iter().skip(1).map(|&player| Some(player)).chain([None]);
        let players = order.iter().zip(next).map(|(&player, next)| row(results, &rated, player, next)).collect();
        Some(Self {
            variant: head.variant,
            book: head.book.clone(),
            anchor: anchor.to_string(),
            games: results.games(),
            white_score: results.white_score(),
            dispersion: rated.fit.dispersion(),
            players,
        })
    }
}

fn row(results: &Results, rated: &Rated, player: usize, next: Option<usize>) -> Row {
    let (id, effort, place) = (&results.players()[player], results.totals_of(player), rated.place(player));
    let namesakes = results.players().iter().filter(|other| other.name == id.name).count();
    let print = format!("{:016x}", id.fingerprint);
    let around = |middle: f64, margin: f64| [middle - margin, middle + margin];
    let over_next = place.zip(next.and_then(|next| rated.place(next)));
    let fit = &rated.fit;
    Row {
        player: if namesakes > 1 { format!("{id} #{}", &print[..6]) } else { id.to_string() },
        elo: place.map(|place| fit.elo(place)),
        interval: place.map(|place| around(fit.elo(place), fit.margin(place))),
        over_next: over_next.map(|(own, next)| around(fit.elo(own) - fit.elo(next), fit.margin_between(own, next))),
        games: effort.games,
        opponents: results.opponents(player),
        score: effort.points / effort.games.max(1) as f64,
        ms_per_turn: 1e3 * effort.seconds / effort.turns.max(1) as f64,
        nodes_per_turn: effort.nodes as f64 / effort.turns.max(1) as f64,
        timed: id.is_timed(),
        fingerprint: print,
    }
}

/// Writes a table with one line per player.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Ladder of {}: {} games from the book {}, {}", self.variant, self.games, self.book, self.anchor)?;
        let widest = self.players.iter().map(|row| row.player.chars().count()).max().unwrap_or(0).max(6);
        write!(f, "{:widest$}  {:>6}  {:>15}  {:>13}", "player", "Elo", "95 % interval", "over the next")?;
        writeln!(f, "  {:>6}  {:>7}  {:>9}  {:>11}", "games", "score", "ms a turn", "positions")?;
        for row in &self.players {
            write!(f, "{:widest$}  {}", row.player, row.ratings())?;
            write!(f, "  {:>6}  {:>5.1} %  {:>9.3}", row.games, 100.0 * row.score, row.ms_per_turn)?;
            writeln!(f, "  {:>11.0}", row.nodes_per_turn)?;
        }
        write!(f, "White scores {:.1} %. A pair of games varies ", 100.0 * self.white_score)?;
        write!(f, "{:.2} times as much as two independent ones; the intervals follow it.", self.dispersion)?;
        if self.players.iter().any(|row| row.elo.is_none()) {
            write!(f, "\nPlayers without a rating have no games, directly or through others, against the anchor.")?;
        }
        if self.players.iter().any(|row| row.timed) {
            write!(f, "\nPlayers with time=… depend on the machine and its load: compare them on one machine only.")?;
        }
        if self.players.iter().any(|row| has_setting(&row.player, "threads=")) {
            write!(f, "\nPlayers with threads=… play as their threads meet: they depend on the machine and its load.")?;
        }
        Ok(())
    }
}

impl Row {
    /// Returns the rating, its interval and the distance to the next player, each padded to its width.
    fn ratings(&self) -> String {
        let elo = self.elo.map_or_else(|| "?".to_owned(), |elo| format!("{elo:.0}"));
        let interval = match self.interval {
            Some([low, high]) if low < high => format!("{low:.0} to {high:.0}"),
            Some(_) => "the anchor".to_owned(),
            None => String::new(),
        };
        let over = self.over_next.map_or_else(String::new, |[low, high]| {
            format!("{:+.0} ± {:.0}", f64::midpoint(low, high), 0.5 * (high - low))
        });
        format!("{elo:>6}  {interval:>15}  {over:>13}")
    }
}

//! The results of all series of a store.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use gipf_env::text::truncate_escaped;

use super::super::elo::connected;
use super::super::tally::Pentanomial;
use super::fit::{PairedEncounter, RatingFit};
use super::member::PlayerId;
use super::store::Series;

/// The results of all players, numbered in order of appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    players: Vec<PlayerId>,
    totals: Vec<PlayedTotals>,
    encounters: BTreeMap<[usize; 2], Played>,
    /// The games that White won, those that nobody won, and all.
    white: [u64; 3],
}

/// A player's totals over all its games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayedTotals {
    /// The games.
    pub games: u64,
    /// The points; a draw is half a point.
    pub points: f64,
    /// The player's own turns.
    pub turns: u64,
    /// The positions that it visited.
    pub nodes: u64,
    /// The time that it took, in seconds.
    pub seconds: f64,
}

/// The pairs between two players, for the player with the smaller number, and the openings used up.
#[derive(Clone, Debug, Default, PartialEq)]
struct Played {
    pairs: Pentanomial,
    openings: BTreeSet<usize>,
}

/// The player whose rating is given, since ratings are differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Its name.
    pub player: String,
    /// Its rating.
    pub elo: f64,
}

/// Why a text does not name an anchor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: expected a player and its rating, such as alpha-beta:1=1000")]
pub struct AnchorError(String);

impl Default for Anchor {
    fn default() -> Self {
        Self { player: "alpha-beta:1".to_owned(), elo: 1000.0 }
    }
}

impl FromStr for Anchor {
    type Err = AnchorError;

    fn from_str(text: &str) -> Result<Self, AnchorError> {
        let error = || AnchorError(truncate_escaped(text, 80));
        let (player, elo) = text.rsplit_once('=').filter(|(player, _)| !player.is_empty()).ok_or_else(error)?;
        let elo: f64 = elo.parse().map_err(|_| error())?;
        if elo.abs() <= 1e5 { Ok(Self { player: player.to_owned(), elo }) } else { Err(error()) }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.player, self.elo)
    }
}

impl Results {
    /// Returns the results of these series.
    pub fn of(series: &[Series]) -> Self {
        let mut results = Self::default();
        for series in series {
            results.add(series);
        }
        results
    }

    /// Adds a series.
    pub fn add(&mut self, series: &Series) {
        let numbers = series.players.each_ref().map(|player| self.number_of(player));
        let [a, b] = numbers;
        let played = self.encounters.entry([a.min(b), a.max(b)]).or_default();
        let pairs = if a < b { series.pairs } else { series.pairs.mirrored() };
        played.pairs = played.pairs.plus(pairs);
        played.openings.extend(&series.openings);
        let (games, score) = (2 * series.pairs.pairs(), series.pairs.score());
        for (side, (number, score)) in numbers.into_iter().zip([score, 1.0 - score]).enumerate() {
            let effort = &mut self.totals[number];
            effort.games += games;
            effort.points += score * games as f64;
            effort.turns = effort.turns.saturating_add(series.turns[side]);
            effort.nodes = effort.nodes.saturating_add(series.nodes[side]);
            effort.seconds += series.seconds[side];
        }
        let [wins, draws, all] = self.white;
        self.white = [wins + series.white_wins, draws + series.draws, all + games];
    }

    /// Returns the number of a player, which gets one if it is new.
    pub fn number_of(&mut self, player: &PlayerId) -> usize {
        self.find(player).unwrap_or_else(|| {
            self.players.push(player.clone());
            self.totals.push(PlayedTotals::default());
            self.players.len() - 1
        })
    }

    /// Returns the number of a player, if there are results of it.
    pub fn find(&self, player: &PlayerId) -> Option<usize> {
        self.players.iter().position(|known| known.fingerprint == player.fingerprint)
    }

    /// Returns the players.
    pub fn players(&self) -> &[PlayerId] {
        &self.players
    }

    /// Returns the names of the players, each once: of players with one name, only one can be what it builds here.
    pub fn names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.players.iter().map(|player| player.name.as_str()).filter(|&name| seen.insert(name)).collect()
    }

    /// Returns a player's totals.
    pub fn totals_of(&self, player: usize) -> PlayedTotals {
        self.totals[player]
    }

    /// Returns the number of games.
    pub const fn games(&self) -> u64 {
        self.white[2]
    }

    /// Returns White's share of the points, ½ without games.
    pub fn white_score(&self) -> f64 {
        let [wins, draws, games] = self.white.map(|count| count as f64);
        if games == 0.0 { 0.5 } else { (wins + 0.5 * draws) / games }
    }

    /// Returns the number of opponents that a player has met.
    pub fn opponents(&self, player: usize) -> usize {
        self.encounters.keys().filter(|players| players.contains(&player)).count()
    }

    /// Returns the results of the pairs between two players, for the first one.
    pub fn pairs_between(&self, [a, b]: [usize; 2]) -> Pentanomial {
        let pairs = self.encounters.get(&[a.min(b), a.max(b)]).map_or_else(Pentanomial::default, |played| played.pairs);
        if a < b { pairs } else { pairs.mirrored() }
    }

    /// Returns whether two players have met in this opening.
    pub fn has_opening(&self, [a, b]: [usize; 2], opening: usize) -> bool {
        self.encounters.get(&[a.min(b), a.max(b)]).is_some_and(|played| played.openings.contains(&opening))
    }

    /// Returns the number of the latest player of this name; programs of the same name can differ.
    pub fn latest(&self, name: &str) -> Option<usize> {
        self.players.iter().rposition(|player| player.name == name)
    }

    /// Returns the ratings of all players who are connected with the anchor by games.
    pub fn rated(&self, anchor: (usize, f64)) -> Rated {
        let members = self.connected(anchor.0);
        let place = |player: usize| members.iter().position(|&member| member == player);
        let encounters: Vec<_> = self
            .encounters
            .iter()
            .filter_map(|(&[a, b], played)| {
                Some(PairedEncounter { players: [place(a)?, place(b)?], pairs: played.pairs })
            })
            .collect();
        let own = place(anchor.0).expect("the anchor is connected with itself");
        let fit = RatingFit::new(members.len(), &encounters, (own, anchor.1)).expect("these players are connected");
        Rated { members, fit }
    }

    fn connected(&self, anchor: usize) -> Vec<usize> {
        let reached = connected(self.players.len(), &self.encounters.keys().copied(), [anchor]);
        (0..reached.len()).filter(|&player| reached[player]).collect()
    }
}

/// The ratings of some of the players.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    members: Vec<usize>,
    /// Their ratings, by place among them.
    pub fit: RatingFit,
}

impl Rated {
    /// Returns the place of a player in the fit, if it is rated.
    pub fn place(&self, player: usize) -> Option<usize> {
        self.members.iter().position(|&member| member == player)
    }
}

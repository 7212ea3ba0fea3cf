//! A player's rating by judges, players whose ratings are known: which judge is met next, and what follows from the
//! games.

use std::fmt;

use gipf_env::Variant;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::book::Book;
use super::super::tally::{Forfeits, Pentanomial};
use super::fit::{PairedEncounter, RatingFit};
use super::meeting::Meeting;
use super::member::Member;
use super::results::{Anchor, Results};
use super::shipped::shipped;
use super::store::{Head, Series};
use super::store_text;
use crate::Stop;
use crate::players::AgentSpec;

/// What a judge plays with: a player that beats networks by far need not beat alpha-beta by far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeKind {
    /// No network: alpha-beta, and players weaker than it.
    AlphaBeta,
    /// A network.
    Network,
}

impl JudgeKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::AlphaBeta, Self::Network];
}

/// A player whose rating is known.
pub struct Judge {
    /// The player.
    pub member: Member,
    /// What it plays with.
    pub kind: JudgeKind,
    /// Its rating, on the scale of the ladder that comes with the program.
    pub elo: f64,
}

/// A rating, in Elo on the scale of the judges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// Half the interval of 95 %; the ratings of the judges count as exact.
    pub margin: f64,
    /// The games that it is based on.
    pub games: u64,
    /// Set if it won all of them or lost all of them: then they determine only one end of the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<RatingBound>,
}

/// What games that all ended alike say about a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatingBound {
    /// All were won: it is `elo - margin` or more.
    AtLeast,
    /// All were lost: it is `elo + margin` or less.
    AtMost,
}

impl RatingBound {
    /// Returns the bound that follows from a player's results of pairs; none if they did not all end alike.
    fn of(results: &[Pentanomial]) -> Option<Self> {
        let ended = |points: usize| results.iter().all(|pairs| pairs.0[points] == pairs.pairs());
        let bounds = [(0, Self::AtMost), (4, Self::AtLeast)];
        bounds.into_iter().find_map(|(points, bound)| ended(points).then_some(bound))
    }
}

impl Rating {
    /// Returns a rating as text; a question mark without one.
    pub fn text_of(found: Option<Self>) -> String {
        found.map_or_else(|| "?".to_owned(), |found| found.to_string())
    }
}

/// Writes the rating with its margin, or its bound.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo, margin, bound, .. } = self;
        match bound {
            None => write!(f, "{elo:.0} ± {margin:.0}"),
            Some(RatingBound::AtLeast) => write!(f, "at least {:.0}", elo - margin),
            Some(RatingBound::AtMost) => write!(f, "at most {:.0}", elo + margin),
        }
    }
}

/// The ratings of a player by all judges and by each kind; none without games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRatings {
    /// By all judges.
    pub all: Option<Rating>,
    /// By judges without a network.
    pub alpha_beta: Option<Rating>,
    /// By networks.
    pub network: Option<Rating>,
}

/// A judge as a player sees it: what is known about it, and how often the two have met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opponent {
    /// What it plays with.
    pub kind: JudgeKind,
    /// Its rating.
    pub elo: f64,
    /// The pairs played against it.
    pub pairs: usize,
    /// The pairs that may still be played: two players never meet twice in one opening.
    pub left: usize,
}

/// When a rating is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enough {
    /// The margin of the rating by all judges, in Elo; 0 to play all pairs.
    pub margin: f64,
    /// The pairs of games after which no more are played.
    pub pairs: usize,
}

/// A judge further away than this is met only where there is no nearer one of its kind.
const REACH: f64 = 300.0;
/// The pairs of a meeting, while hardly anything is known and after that.
const TRIAL_PAIRS: usize = 4;
const PAIRS: usize = 8;
/// The pairs until something is known.
const KNOWN: usize = 16;

/// Returns the place of the judge that a player with this estimate meets next, and for how many pairs, of `left` in
/// all; none if no games are left.
///
/// Both kinds of judges get equally many pairs, and so do the judges within reach of the estimate.
pub fn next_meeting(judges: &[Opponent], estimate: f64, left: usize) -> Option<(usize, usize)> {
    let played = |kind| judges.iter().filter(|judge| judge.kind == kind).map(|judge| judge.pairs).sum::<usize>();
    let distance = |judge: &Opponent| (judge.elo - estimate).abs();
    let open = |kind: JudgeKind| {
        let of_kind = judges.iter().enumerate().filter(move |(_, judge)| judge.kind == kind && judge.left > 0);
        of_kind.min_by(|(_, a), (_, b)| {
            let far = [a, b].map(|judge| distance(judge).max(REACH));
            far[0].total_cmp(&far[1]).then(a.pairs.cmp(&b.pairs)).then(distance(a).total_cmp(&distance(b)))
        })
    };
    let mut kinds = JudgeKind::ALL;
    kinds.sort_by_key(|&kind| played(kind));
    let (place, judge) = kinds.into_iter().find_map(open)?;
    let all: usize = judges.iter().map(|judge| judge.pairs).sum();
    let pairs = if all < KNOWN { TRIAL_PAIRS } else { PAIRS }.min(judge.left).min(left);
    (pairs > 0).then_some((place, pairs))
}

/// Lets players play judges, and rates them.
pub struct Judging<'a> {
    judges: &'a [Judge],
    book: &'a Book,
    head: &'a Head,
    program: &'a str,
    results: Results,
    /// The games that the players rated here forfeited.
    forfeits: Forfeits,
}

impl<'a> Judging<'a> {
    /// Begins with the games that were played before; `program` is the version that plays, kept with the games.
    pub fn new(judges: &'a [Judge], book: &'a Book, head: &'a Head, program: &'a str, played: &[Series]) -> Self {
        Self { judges, book, head, program, results: Results::of(played), forfeits: Forfeits::default() }
    }

    /// Plays a player against judges until its rating is good enough, games from before included; false if a stop was
    /// requested before. `start` is the rating expected of it. Each series of games is given to `keep`, with the
    /// ratings that follow from it.
    ///
    /// # Errors
    /// The error that `keep` returned; no more games are played.
    pub fn play<E>(
        &mut self,
        player: &Member,
        start: f64,
        enough: Enough,
        mut keep: impl FnMut(Series, &KindRatings) -> Result<(), E>,
        stop: &Stop,
    ) -> Result<bool, E> {
        self.results.number_of(&player.id);
        self.judges.iter().for_each(|judge| _ = self.results.number_of(&judge.member.id));
        loop {
            let opponents = self.opponents(player);
            let played: usize = opponents.iter().map(|judge| judge.pairs).sum();
            let found = self.ratings(player).all;
            if found.is_some_and(|rating| played >= KNOWN && rating.margin <= enough.margin) {
                return Ok(true);
            }
            let estimate = found.map_or(start, |rating| rating.elo);
            let left = enough.pairs.saturating_sub(played);
            let Some((judge, pairs)) = next_meeting(&opponents, estimate, left) else { return Ok(true) };
            let Self { head, book, program, .. } = *self;
            let meeting = Meeting { head, book, program, tick: &|| (), stop };
            let series = meeting.play([player, &self.judges[judge].member], &self.results, pairs);
            let Some((series, forfeits)) = series else { return Ok(false) };
            self.results.add(&series);
            let [first, second] = forfeits;
            let is_first = series.players[0].fingerprint == player.id.fingerprint;
            self.forfeits.extend(if is_first { first } else { second });
            // A meeting cut short counts, but is not kept: it would continue in other openings, so it is played again
            // as a whole.
            if stop.requested() {
                return Ok(false);
            }
            keep(series, &self.ratings(player))?;
        }
    }

    /// Returns the judges as a player sees them, in their order.
    pub fn opponents(&self, player: &Member) -> Vec<Opponent> {
        let seen = |judge: &Judge| {
            let pairs = self.pairs(player, judge).pairs() as usize;
            // A player that is itself a judge learns nothing from itself.
            let is_itself = judge.member.id.fingerprint == player.id.fingerprint;
            let left = if is_itself { 0 } else { self.book.len().saturating_sub(pairs) };
            Opponent { kind: judge.kind, elo: judge.elo, pairs, left }
        };
        self.judges.iter().map(seen).collect()
    }

    /// Returns the pairs between a player and a judge, for the player.
    pub fn pairs(&self, player: &Member, judge: &Judge) -> Pentanomial {
        let numbers = self.results.find(&player.id).zip(self.results.find(&judge.member.id));
        let met = numbers.filter(|(own, other)| own != other);
        met.map(|(own, other)| self.results.pairs_between([own, other])).unwrap_or_default()
    }

    /// Returns the judges.
    pub const fn judges(&self) -> &'a [Judge] {
        self.judges
    }

    /// Returns the common settings of all games.
    pub const fn head(&self) -> &'a Head {
        self.head
    }

    /// Returns the version of the program that plays.
    pub const fn program(&self) -> &'a str {
        self.program
    }

    /// Returns the results of all games.
    pub const fn results(&self) -> &Results {
        &self.results
    }

    /// Returns the games that the players rated here forfeited, not those from before.
    pub const fn forfeits(&self) -> &Forfeits {
        &self.forfeits
    }

    /// Returns the ratings of a player by one fit over its games against the judges, and by one for each kind of them.
    pub fn ratings(&self, player: &Member) -> KindRatings {
        let [all, alpha_beta, network] =
            [&JudgeKind::ALL[..], &[JudgeKind::AlphaBeta], &[JudgeKind::Network]].map(|kinds| self.fit(player, kinds));
        KindRatings { all, alpha_beta, network }
    }

    /// Rates a player by its games against judges of these kinds; none without games.
    fn fit(&self, player: &Member, kinds: &[JudgeKind]) -> Option<Rating> {
        let met = self.judges.iter().filter(|judge| kinds.contains(&judge.kind));
        let met = met.map(|judge| (judge.elo, self.pairs(player, judge))).filter(|(_, pairs)| pairs.pairs() > 0);
        let (ratings, pairs): (Vec<_>, Vec<_>) = met.unzip();
        let (own, bound) = (ratings.len(), RatingBound::of(&pairs));
        let games: u64 = pairs.iter().map(|pairs| 2 * pairs.pairs()).sum();
        let encounters = (0..).zip(pairs).map(|(judge, pairs)| PairedEncounter { players: [own, judge], pairs });
        let anchors: Vec<_> = ratings.into_iter().enumerate().collect();
        let fit = RatingFit::with_anchors(own + 1, &encounters.collect::<Vec<_>>(), &anchors).ok()?;
        Some(Rating { elo: fit.elo(own), margin: fit.margin(own), games, bound })
    }
}

/// Returns the players of the ladder that comes with the program as judges, the weakest first; none if there is no ladder
/// of the rule set. Those that have a time limit, or no longer play as they did, are left out, and so are those that were
/// not built yet when a stop was requested: building each takes time.
pub fn ladder_judges(variant: Variant, stop: &Stop) -> Option<Vec<Judge>> {
    let found = store_text::read(shipped(variant)?).expect("a test reads the ladders that come with the program");
    let (results, anchor) = (Results::of(&found.series), Anchor::default());
    let rated = results.rated((results.latest(&anchor.player)?, anchor.elo));
    let judge = |name: &str| {
        if stop.requested() {
            return None;
        }
        // The weights of `baseline:N` were learned from networks: it belongs to neither kind.
        let known = name.parse::<AgentSpec>().ok().filter(|spec| !spec.is_timed());
        let spec = known.filter(|spec| !matches!(spec, AgentSpec::Baseline(_)))?;
        let kind = if matches!(spec, AgentSpec::Checkpoint(_)) { JudgeKind::Network } else { JudgeKind::AlphaBeta };
        let member = Member::new(&spec, variant).ok()?;
        let number = results.find(&member.id).filter(|&number| results.players()[number].name == name)?;
        let elo = rated.fit.elo(rated.place(number)?);
        Some(Judge { member, kind, elo })
    };
    // Networks take a while to build.
    let mut judges: Vec<_> = results.names().into_par_iter().filter_map(judge).collect();
    judges.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    Some(judges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judges() -> Vec<Opponent> {
        let judge = |kind, elo| Opponent { kind, elo, pairs: 0, left: 256 };
        let alpha_beta = [1000.0, 1500.0, 1900.0, 2100.0, 2400.0].map(|elo| judge(JudgeKind::AlphaBeta, elo));
        alpha_beta.into_iter().chain([900.0, 1600.0, 2000.0].map(|elo| judge(JudgeKind::Network, elo))).collect()
    }

    /// Plays a schedule whose estimate is always this.
    fn schedule(estimate: f64, pairs: usize) -> Vec<Opponent> {
        let mut judges = judges();
        loop {
            let played: usize = judges.iter().map(|judge| judge.pairs).sum();
            let Some((place, pairs)) = next_meeting(&judges, estimate, pairs - played) else { return judges };
            judges[place].pairs += pairs;
            judges[place].left -= pairs;
        }
    }

    #[test]
    fn judges_within_reach_of_both_kinds_get_as_many_games() {
        let met: Vec<_> = schedule(1950.0, 100).iter().map(|judge| judge.pairs).collect();
        assert_eq!(met.iter().sum::<usize>(), 100);
        assert_eq!((met[0], met[1], met[4], met[5], met[6]), (0, 0, 0, 0, 0), "out of reach: {met:?}");
        assert!(met[2].abs_diff(met[3]) <= PAIRS && met[2] + met[3] >= 44 && met[7] >= 44, "{met:?}");
    }

    #[test]
    fn without_a_judge_within_reach_the_nearest_is_met() {
        let met: Vec<_> = schedule(3000.0, 40).iter().map(|judge| judge.pairs).collect();
        assert_eq!(met.iter().filter(|&&pairs| pairs > 0).count(), 2, "{met:?}");
        assert!(met[4] >= 16 && met[7] >= 16, "{met:?}");
    }

    #[test]
    fn no_opening_is_played_twice() {
        let mut judges = judges();
        for judge in &mut judges {
            judge.left = 0;
        }
        assert_eq!(next_meeting(&judges, 1500.0, 10), None);
        judges[3].left = 2;
        assert_eq!(next_meeting(&judges, 1500.0, 10), Some((3, 2)));
        assert_eq!(next_meeting(&judges, 1500.0, 0), None);
    }
}

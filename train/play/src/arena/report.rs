//! The report on a match, as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use gipf_env::Variant;
use serde::{Deserialize, Deserializer, Serialize};

use super::match_config::{MatchConfig, OpeningSource};
use super::score::{elo_of_score, student, student_cdf, wilson_interval};
use super::sprt::{Sprt, SprtDecision};
use super::tally::{Pentanomial, Tally};
use super::time_control::TimeControl;
use crate::printable;

/// The report on a match between agents A and B. Scores are A's. If no game was played, shares and means are NaN, and null
/// in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// The rule set.
    pub variant: Variant,
    /// The two agents, A first.
    pub agents: [SideReport; 2],
    /// The seed of openings and agents.
    pub seed: u64,
    /// The time of each agent, if there was a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The number of random turns of an opening; 0 for openings of a book.
    pub opening_turns: usize,
    /// The name of the book of the openings, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<String>,
    /// The placements after which a game is cut off.
    #[serde(rename = "limit")]
    pub placement_limit: u16,
    /// ZÈRTZ-potentials of each player, if another number than usual was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub potentials: Option<u8>,
    /// The number of games played.
    pub games: u64,
    /// The number of games that were asked for. Fewer were played if a test ended the match, or it was stopped.
    pub games_wanted: u64,
    /// The games that A won.
    pub wins: u64,
    /// The games that nobody won: repetitions (by the clock only if all replays ended in one too), and games that were
    /// cut off.
    pub draws: u64,
    /// The games that A lost.
    pub losses: u64,
    /// The pairs of games in which A got 0, ½, 1, 1½, 2 points.
    pub pairs: Pentanomial,
    /// A's share of the points.
    #[serde(deserialize_with = "or_nan")]
    pub score: f64,
    /// The Wilson interval of 95 % of the score, a draw taken as half a win; it treats all games as independent.
    #[serde(deserialize_with = "both_or_nan")]
    pub score_interval: [f64; 2],
    /// The Elo difference; null if the score is 0 or 1.
    pub elo: Option<f64>,
    /// Its interval of 95 %, from the spread of the pairs; where there is none, from the Wilson interval. Null:
    /// infinite.
    pub elo_interval: [Option<f64>; 2],
    /// The chance that A is better, from the spread of the pairs.
    #[serde(deserialize_with = "or_nan")]
    pub superiority: f64,
    /// The points of White, as a share of all points.
    #[serde(deserialize_with = "or_nan")]
    pub white_score: f64,
    /// The number of games that ended for each reason.
    pub endings: BTreeMap<String, u64>,
    /// The games that were void by repetition and replayed, which happens by the clock only. They do not count in
    /// `games`; the agents' effort in them is counted.
    #[serde(default)]
    pub void_games: u64,
    /// The mean number of turns of a game after the opening, counting those of both players.
    #[serde(deserialize_with = "or_nan")]
    pub turns: f64,
    /// The number of different games, by opening and actions: equal games count once.
    pub distinct_games: u64,
    /// The sequential test, if there was one.
    pub sprt: Option<SprtReport>,
}

/// The report on one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideReport {
    /// The agent.
    pub name: String,
    /// The time it took for a turn, with all its decisions, in milliseconds on average.
    #[serde(deserialize_with = "or_nan")]
    pub ms_per_turn: f64,
    /// The positions it visited in a turn on average.
    #[serde(deserialize_with = "or_nan")]
    pub nodes_per_turn: f64,
    /// The number of games it forfeited for each reason: `crash`, `illegal-move`, `silence`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forfeits: BTreeMap<String, u64>,
    /// The number of games it lost by a ruling of the referee: `time`, `penalty`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rulings: BTreeMap<String, u64>,
    /// Its fault in the first of the forfeited games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<String>,
}

/// The state of the sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtReport {
    /// The test.
    pub test: Sprt,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// The values of the logarithm that reject and accept.
    pub bounds: [f64; 2],
    /// The decision.
    pub verdict: SprtDecision,
}

impl MatchReport {
    /// Creates the report on these results.
    pub(super) fn new(config: &MatchConfig, names: [&str; 2], tally: &Tally) -> Self {
        let (games, pairs) = (tally.games(), tally.pentanomial);
        let score_interval = wilson_interval(pairs.score(), games);
        let known = |number: f64| known(number, games);
        let (opening_turns, book) = match &config.openings {
            OpeningSource::Random { turns } => (*turns, None),
            OpeningSource::Book(book) => (0, Some(book.name().to_owned())),
        };
        Self {
            variant: config.variant,
            agents: [0, 1].map(|agent| SideReport::new(names[agent], tally, agent)),
            seed: config.seed,
            clock: config.clock,
            opening_turns,
            book,
            placement_limit: config.placement_limit,
            potentials: config.potentials,
            games,
            games_wanted: 2 * config.pairs as u64,
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            pairs,
            score: known(pairs.score()),
            score_interval: score_interval.map(known),
            elo: finite(elo_of_score(known(pairs.score()))),
            elo_interval: elo_bounds(&pairs, score_interval),
            superiority: known(superiority(&pairs)),
            white_score: known(share(tally.white_wins as f64 + 0.5 * tally.draws as f64, games)),
            endings: owned(&tally.endings),
            void_games: tally.void_games,
            turns: known(share(tally.turns as f64, games)),
            distinct_games: tally.distinct_games(),
            sprt: config.sprt.map(|test| SprtReport::new(test, &pairs)),
        }
    }
}

impl SideReport {
    fn new(name: &str, tally: &Tally, agent: usize) -> Self {
        let turns = tally.own_turns[agent];
        let ms = 1e3 * tally.time[agent].as_secs_f64();
        Self {
            name: name.to_owned(),
            ms_per_turn: known(share(ms, turns), tally.games()),
            nodes_per_turn: known(share(tally.nodes[agent] as f64, turns), tally.games()),
            forfeits: tally.forfeits[agent].counts.clone(),
            rulings: owned(&tally.rulings[agent]),
            first_fault: tally.forfeits[agent].first.clone(),
        }
    }
}

impl SprtReport {
    fn new(test: Sprt, pairs: &Pentanomial) -> Self {
        Self { test, llr: test.llr(pairs), bounds: test.bounds(), verdict: test.verdict(pairs) }
    }
}

fn owned(counts: &BTreeMap<&'static str, u64>) -> BTreeMap<String, u64> {
    counts.iter().map(|(&word, &count)| (word.to_owned(), count)).collect()
}

pub(super) fn listed(counts: &BTreeMap<String, u64>) -> String {
    let counts: Vec<_> = counts.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    counts.join(", ")
}

fn share(amount: f64, of: u64) -> f64 {
    amount / of.max(1) as f64
}

/// Returns a number computed from games; without games it is not a number.
const fn known(number: f64, games: u64) -> f64 {
    if games > 0 { number } else { f64::NAN }
}

fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

fn both_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    Ok(<[Option<f64>; 2]>::deserialize(deserializer)?.map(|number| number.unwrap_or(f64::NAN)))
}

fn finite(elo: f64) -> Option<f64> {
    elo.is_finite().then_some(elo)
}

/// Pairs that all ended alike have no spread, but that does not make the score certain.
fn elo_bounds(pairs: &Pentanomial, wilson: [f64; 2]) -> [Option<f64>; 2] {
    let half = student(pairs.pairs().saturating_sub(1) as f64) * pairs.standard_error();
    let interval = if half > 0.0 { [pairs.score() - half, pairs.score() + half] } else { wilson };
    interval.map(|score| finite(elo_of_score(score.clamp(0.0, 1.0))))
}

fn superiority(pairs: &Pentanomial) -> f64 {
    let (advantage, error) = (pairs.score() - 0.5, pairs.standard_error());
    if error > 0.0 {
        return student_cdf(advantage / error, pairs.pairs().saturating_sub(1) as f64);
    }
    // All n pairs ended alike. If every probability of such a pair was equally likely beforehand, it is above one half
    // with probability 1 - 2⁻⁽ⁿ⁺¹⁾ (Laplace's rule).
    let doubt = 0.5_f64.powi(pairs.pairs() as i32 + 1);
    match advantage {
        _ if advantage > 0.0 => 1.0 - doubt,
        _ if advantage < 0.0 => doubt,
        _ => 0.5,
    }
}

/// Writes a table of a few lines.
impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.agents;
        write!(f, "{} against {}, {}, {}", a.name, b.name, self.variant, self.games)?;
        if self.games < self.games_wanted {
            write!(f, " of {}", self.games_wanted)?;
        }
        writeln!(f, " games (seed {})", self.seed)?;
        if self.games == 0 {
            return f.write_str("  no game was played");
        }
        let [low, high] = self.score_interval.map(|score| 100.0 * score);
        writeln!(f, "  score        {:.1} % ({low:.1} to {high:.1})", 100.0 * self.score)?;
        writeln!(f, "  results      {} won, {} drawn, {} lost", self.wins, self.draws, self.losses)?;
        let [low, high] = self.elo_interval;
        let (elo, low, high) = (Elo(self.elo, self.score), Elo(low, 0.0), Elo(high, 1.0));
        writeln!(f, "  Elo          {elo} ({low} to {high}), better with chance {:.1} %", 100.0 * self.superiority)?;
        let [zero, half, one, more, two] = self.pairs.0;
        writeln!(f, "  pairs        {zero} with 0 points, {half} with ½, {one} with 1, {more} with 1½, {two} with 2")?;
        writeln!(f, "  endings      {}", listed(&self.endings))?;
        for agent in self.agents.iter().filter(|agent| !agent.forfeits.is_empty()) {
            let first = printable(agent.first_fault.as_deref().unwrap_or_default());
            writeln!(f, "  forfeits     {} by {}, the first by {first}", listed(&agent.forfeits), agent.name)?;
        }
        if let Some(book) = &self.book {
            writeln!(f, "  openings     from the book {book}")?;
        }
        if let Some(potentials) = self.potentials {
            writeln!(f, "  potentials   {potentials} of each player")?;
        }
        if let Some(clock) = self.clock {
            writeln!(f, "  clock        {clock} for each, {} void games replayed", self.void_games)?;
        }
        for agent in self.agents.iter().filter(|agent| !agent.rulings.is_empty()) {
            writeln!(f, "  lost         {} by {}", listed(&agent.rulings), agent.name)?;
        }
        write!(f, "  games        {} distinct, {:.1} turns, ", self.distinct_games, self.turns)?;
        writeln!(f, "White scores {:.1} %", 100.0 * self.white_score)?;
        if let Some(sprt) = &self.sprt {
            writeln!(f, "  SPRT         {sprt}")?;
        }
        writeln!(f, "  a turn       {:.3} ms against {:.3} ms", a.ms_per_turn, b.ms_per_turn)?;
        write!(f, "               {:.0} positions against {:.0}", a.nodes_per_turn, b.nodes_per_turn)
    }
}

impl fmt::Display for SprtReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lower, upper] = self.bounds;
        let words = match self.verdict {
            SprtDecision::Rejected => "rejected",
            SprtDecision::Accepted => "accepted",
            SprtDecision::Open => "open",
        };
        write!(f, "{} to {} Elo: {words}, ", self.test.elo0, self.test.elo1)?;
        write!(f, "log-likelihood ratio {:.2} ({lower:.2} to {upper:.2})", self.llr)
    }
}

/// An Elo difference; if it is infinite, the score gives the sign.
struct Elo(Option<f64>, f64);

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(elo) => write!(f, "{elo:+.0}"),
            None if self.1 > 0.5 => f.write_str("+∞"),
            None => f.write_str("-∞"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(pairs: [u64; 5]) -> MatchReport {
        let [zero, half, one, more, two] = pairs;
        let mut tally = Tally::default();
        (tally.wins, tally.draws, tally.losses) = (2 * two + more + one, half + more, 2 * zero + half + one);
        tally.pentanomial = Pentanomial(pairs);
        let config = MatchConfig { sprt: Some(Sprt::new(0.0, 50.0)), ..MatchConfig::new(Variant::STANDARD, 100) };
        MatchReport::new(&config, ["alpha", "beta"], &tally)
    }

    #[test]
    fn intervals_follow_from_the_spread_of_the_pairs() {
        // Score 0.6 with a variance of 0.04 a pair: the standard error of 100 pairs is a little above 0.02.
        let report = report([0, 20, 40, 20, 20]);
        assert_eq!((report.games, report.wins, report.draws, report.losses), (200, 100, 40, 60));
        assert!((report.score - 0.6).abs() < 1e-12);
        let error = (0.0_f64 + 0.2 * 0.1225 + 0.4 * 0.01 + 0.2 * 0.0225 + 0.2 * 0.16).sqrt() / 99_f64.sqrt();
        assert!((report.superiority - student_cdf(0.1 / error, 99.0)).abs() < 1e-12);
        let expected = elo_of_score(0.6 - student(99.0) * error);
        assert!((report.elo_interval[0].unwrap() - expected).abs() < 1e-9);
        assert!((report.elo.unwrap() - 70.437).abs() < 0.001);
    }

    #[test]
    fn a_clean_sweep_has_a_lower_bound_only() {
        let report = report([0, 0, 0, 0, 100]);
        assert_eq!((report.elo, report.elo_interval[1], report.superiority), (None, None, 1.0));
        // Wilson for 200 of 200: 200 / (200 + 3.8415).
        assert!((report.score_interval[0] - 200.0 / 203.841_459).abs() < 1e-6);
        assert!((report.elo_interval[0].unwrap() - elo_of_score(200.0 / 203.841_459)).abs() < 0.01);
        assert!(report.to_string().contains("Elo          +∞ (+687 to +∞)"), "{report}");
    }

    #[test]
    fn a_fault_tells_a_terminal_nothing() {
        let mut report = report([0, 0, 0, 0, 100]);
        report.agents[1].forfeits.insert("crash".to_owned(), 2);
        report.agents[1].first_fault = Some("\u{1b}[2J\u{202e}".to_owned());
        assert!(report.to_string().contains("crash 2 by beta, the first by \\u{1b}[2J\\u{202e}\n"), "{report}");
    }

    #[test]
    fn of_no_games_no_number_is_told() {
        let json = serde_json::to_value(report([0; 5])).unwrap();
        for name in ["score", "elo", "superiority", "white_score", "turns"] {
            assert!(json[name].is_null(), "{name}: {json}");
        }
        assert!(json["agents"][1]["ms_per_turn"].is_null() && json["score_interval"][0].is_null(), "{json}");
        assert!(!report([1, 0, 0, 0, 0]).to_string().contains("NaN"));
    }

    #[test]
    fn json_gives_the_report_back() {
        for pairs in [[3, 5, 40, 20, 32], [0; 5], [100, 0, 0, 0, 0]] {
            let report = report(pairs);
            let text = serde_json::to_string(&report).unwrap();
            let read: MatchReport = serde_json::from_str(&text).unwrap();
            // Numbers may differ in the last bit; the tables show all of them.
            assert_eq!((read.to_string(), read.pairs), (report.to_string(), report.pairs));
        }
    }
}

//! Ratings from pairs of games, with intervals from the spread of the pairs.

use super::super::elo::{
    Encounter, Factorised, Likely, PRIOR_GAMES, RatingError, add_difference, information_of, most_likely, row_of,
};
use super::super::score::{Z95, score_of_elo};
use super::super::tally::Pentanomial;

/// The pairs of games between two players, by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedEncounter {
    /// The players.
    pub players: [usize; 2],
    /// The results for the first one.
    pub pairs: Pentanomial,
}

/// The most likely ratings, and their uncertainty.
///
/// The ratings are those of Bradley and Terry from single games, where a draw counts as half a win and each encounter as having
/// one drawn game more than it has. But the two games of a pair begin alike, and draws vary less than the model assumes, so
/// games are not independent. The covariance is that of an estimate whose model is wrong about the variance (White 1982, the
/// "sandwich"):
///
/// ```text
/// C = I⁻¹ J I⁻¹      I = Σ w,  J = Σ w φ  over encounters,  w = games · s (1 - s) · (ln 10 / 400)²
/// φ = (Σ (x - s)² + c φ₀) / (pairs · s (1 - s) / 2 + c)     x: scores of the pairs, s: the score expected,  c = 2
/// ```
///
/// where φ₀ is the same for all encounters together, drawn towards 1. φ is the variance of a pair relative to two
/// independent games without draws. The constant, worth 16 pairs between equals, keeps clean sweeps and few pairs from
/// looking certain.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingFit {
    elo: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    dispersion: f64,
}

/// The weight of the prior for the variance, in units of the variance of a pair's score.
const PRIOR_VARIANCE: f64 = 2.0;

impl RatingFit {
    /// Rates players 0..`players`, each pair of which meets in at most one encounter; the rating of the anchor is
    /// given.
    ///
    /// # Errors
    /// If a player is not connected with the anchor, or unknown.
    pub fn new(players: usize, encounters: &[PairedEncounter], anchor: (usize, f64)) -> Result<Self, RatingError> {
        Self::with_anchors(players, encounters, &[anchor])
    }

    /// Rates players as [`Self::new`] does, with the ratings of several given, which count as exact.
    ///
    /// # Errors
    /// If there is no anchor, or a player is not connected with one, or unknown.
    pub fn with_anchors(
        players: usize,
        encounters: &[PairedEncounter],
        anchors: &[(usize, f64)],
    ) -> Result<Self, RatingError> {
        let games: Vec<_> = encounters.iter().map(by_game).collect();
        let likely = most_likely(players, &games, anchors)?;
        let expected = |encounter: &PairedEncounter| {
            let [a, b] = encounter.players;
            score_of_elo(likely.elo[a] - likely.elo[b])
        };
        let spreads: Vec<_> = encounters.iter().map(|encounter| Spread::of(encounter, expected(encounter))).collect();
        let all = spreads.iter().fold(Spread::default(), |sum, spread| sum.plus(*spread));
        let dispersion = all.dispersion(1.0);
        let mut noise = vec![vec![0.0; likely.free.len()]; likely.free.len()];
        for (encounter, spread) in encounters.iter().zip(&spreads) {
            let weight = information(encounter.pairs.pairs() as f64, expected(encounter));
            let noisy = weight * spread.dispersion(dispersion);
            add_difference(&mut noise, encounter.players.map(|player| row_of(&likely.free, player)), noisy);
        }
        let covariance = sandwich(players, &likely, &noise);
        Ok(Self { elo: likely.elo, covariance, dispersion })
    }

    /// Returns the rating of a player.
    pub fn elo(&self, player: usize) -> f64 {
        self.elo[player]
    }

    /// Returns half the width of the interval of 95 % of a player's rating; 0 for the anchor.
    pub fn margin(&self, player: usize) -> f64 {
        Z95 * self.covariance[player][player].max(0.0).sqrt()
    }

    /// Returns half the width of the interval of 95 % of the difference between two players.
    pub fn margin_between(&self, a: usize, b: usize) -> f64 {
        Z95 * self.variance_between(a, b).sqrt()
    }

    /// Returns the variance of pairs relative to two independent games without draws.
    pub const fn dispersion(&self) -> f64 {
        self.dispersion
    }

    fn variance_between(&self, a: usize, b: usize) -> f64 {
        (self.covariance[a][a] + self.covariance[b][b] - 2.0 * self.covariance[a][b]).max(0.0)
    }
}

fn by_game(encounter: &PairedEncounter) -> Encounter {
    let games = 2 * encounter.pairs.pairs();
    Encounter { players: encounter.players, games, points: encounter.pairs.score() * games as f64 }
}

/// Returns the information about a difference in Elo in this many pairs, without the drawn game that the fit adds.
fn information(pairs: f64, expected: f64) -> f64 {
    information_of(2.0 * pairs + PRIOR_GAMES, expected)
}

/// The sum of squared deviations of pairs from the score expected, and its value for independent games.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    seen: f64,
    modelled: f64,
}

impl Spread {
    fn of(encounter: &PairedEncounter, expected: f64) -> Self {
        let scores = encounter.pairs.0.iter().enumerate();
        let seen = scores.map(|(points, &count)| count as f64 * (points as f64 / 4.0 - expected).powi(2)).sum();
        Self { seen, modelled: encounter.pairs.pairs() as f64 * expected * (1.0 - expected) / 2.0 }
    }

    fn plus(self, other: Self) -> Self {
        Self { seen: self.seen + other.seen, modelled: self.modelled + other.modelled }
    }

    /// Returns the ratio of both, drawn towards the value assumed without pairs.
    fn dispersion(self, usual: f64) -> f64 {
        (self.seen + PRIOR_VARIANCE * usual) / (self.modelled + PRIOR_VARIANCE)
    }
}

/// Returns I⁻¹ J I⁻¹ with rows and columns of zeros for the anchors.
fn sandwich(players: usize, likely: &Likely, noise: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = likely.free.len();
    let information = Factorised::new(likely.information.clone());
    let unit = |row: usize| (0..size).map(|at| f64::from(u8::from(at == row))).collect::<Vec<_>>();
    // Symmetric, so its rows are its columns.
    let inverse: Vec<_> = (0..size).map(|row| information.solve(&unit(row))).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut covariance = vec![vec![0.0; players]; players];
    for (row, &player) in likely.free.iter().enumerate() {
        let noisy: Vec<_> = noise.iter().map(|line| dot(line, &inverse[row])).collect();
        for (column, &other) in likely.free.iter().enumerate() {
            covariance[player][other] = dot(&noisy, &inverse[column]);
        }
    }
    covariance
}

#[cfg(test)]
mod tests {
    use super::super::super::elo::SCALE;
    use super::*;

    fn encounter(a: usize, b: usize, pairs: [u64; 5]) -> PairedEncounter {
        PairedEncounter { players: [a, b], pairs: Pentanomial(pairs) }
    }

    #[test]
    fn two_players_have_the_interval_of_their_pairs() {
        // Score 0.6, variance 0.04 a pair: the standard error of 1000 pairs is 0.2 / √1000.
        let fit = RatingFit::new(2, &[encounter(0, 1, [0, 200, 400, 200, 200])], (1, 500.0)).unwrap();
        let slope = 0.6 * 0.4 / SCALE;
        let expected =
            Z95 * (0.0_f64 + 0.2 * 0.1225 + 0.4 * 0.01 + 0.2 * 0.0225 + 0.2 * 0.16).sqrt() / 1000_f64.sqrt() / slope;
        assert!((fit.elo(0) - 570.4).abs() < 0.2, "{}", fit.elo(0));
        assert!((fit.margin(0) / expected - 1.0).abs() < 0.02, "{} instead of {expected}", fit.margin(0));
        assert_eq!((fit.margin(1), fit.margin_between(0, 1)), (0.0, fit.margin(0)));
    }

    /// Pairs in which the opening decides both games carry no information, however many there are.
    #[test]
    fn pairs_that_vary_more_or_less_than_games_widen_or_narrow_the_interval() {
        let margin = |pairs| RatingFit::new(2, &[encounter(0, 1, pairs)], (1, 0.0)).unwrap().margin(0);
        let [alike, binomial, split] = [[100, 0, 0, 0, 100], [50, 0, 100, 0, 50], [0, 0, 200, 0, 0]].map(margin);
        let model = Z95 * SCALE / (401.0_f64 * 0.25).sqrt();
        assert!((binomial / model - 1.0).abs() < 0.01, "{binomial} instead of {model}");
        assert!((alike / model / 2_f64.sqrt() - 1.0).abs() < 0.05, "{alike}");
        assert!(split < 0.4 * model && split > 0.0, "{split}");
    }

    #[test]
    fn clean_sweeps_are_wide_and_finite() {
        let fit =
            RatingFit::new(3, &[encounter(0, 1, [0, 0, 0, 0, 100]), encounter(1, 2, [0, 0, 0, 0, 100])], (2, 0.0))
                .unwrap();
        let (first, second) = (fit.elo(0) - fit.elo(1), fit.elo(1));
        assert!((900.0..1200.0).contains(&first) && (900.0..1200.0).contains(&second), "{first}, {second}");
        assert!(fit.margin(1) > 250.0 && fit.margin(0) > fit.margin(1) && fit.margin(0) < 2000.0, "{}", fit.margin(1));
        assert!(fit.dispersion() < 1.0 && fit.margin_between(0, 1) < fit.margin(0));
    }
}

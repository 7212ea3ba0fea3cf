//! A sequential test that ends a match as soon as the result is clear.

use gipf_env::math::wide;
use serde::{Deserialize, Serialize};

use super::score::score_of_elo;
use super::tally::Pentanomial;

/// The sequential probability ratio test between two Elo differences, on pairs of games.
///
/// The likelihood ratio is the generalised one: for each hypothesis the most likely distribution of the five results of
/// a pair that has its score (Van den Bergh, "Comments on normalized Elo" and "The generalized maximum likelihood
/// ratio for the expectation value of a distribution").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The Elo difference of the hypothesis that A is no better.
    pub elo0: f64,
    /// The Elo difference of the hypothesis that A is better; more than `elo0`.
    pub elo1: f64,
    /// The chance of accepting the second although the first is true.
    pub alpha: f64,
    /// The chance of accepting the first although the second is true.
    pub beta: f64,
}

/// The decision of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtDecision {
    /// The difference is `elo0` rather than `elo1`.
    Rejected,
    /// The difference is `elo1` rather than `elo0`.
    Accepted,
    /// More games are needed.
    Open,
}

/// The count given to an outcome that never occurred, so that it is not taken as impossible.
const UNSEEN: f64 = 1e-3;

impl Sprt {
    /// Creates the test between two Elo differences with error chances of 5 %.
    pub const fn new(elo0: f64, elo1: f64) -> Self {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// Returns the logarithms of the likelihood ratio at which the test rejects and accepts (Wald).
    pub fn bounds(&self) -> [f64; 2] {
        [self.beta / (1.0 - self.alpha), (1.0 - self.beta) / self.alpha].map(wide::ln)
    }

    /// Returns the logarithm of the likelihood ratio of `elo1` against `elo0`.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        let counts = results.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        if results.pairs() == 0 {
            return 0.0;
        }
        let [null, better] = [self.elo0, self.elo1].map(|elo| tilted(&counts, score_of_elo(elo)));
        counts.iter().zip(better.iter().zip(&null)).map(|(count, (p1, p0))| count * wide::ln(p1 / p0)).sum()
    }

    /// Returns the decision of the test on these results.
    pub fn verdict(&self, results: &Pentanomial) -> SprtDecision {
        let [lower, upper] = self.bounds();
        match self.llr(results) {
            llr if llr <= lower => SprtDecision::Rejected,
            llr if llr >= upper => SprtDecision::Accepted,
            _ => SprtDecision::Open,
        }
    }
}

/// Returns the most likely distribution over the scores 0, ¼ … 1 that has this mean.
///
/// It is p / (1 + θ·(score - mean)) with θ such that the mean is right; the sum that must vanish decreases in θ.
fn tilted(counts: &[f64; 5], mean: f64) -> [f64; 5] {
    let total: f64 = counts.iter().sum();
    let offset = |index: usize| index as f64 / 4.0 - mean;
    let excess = |theta: f64| -> f64 { (0..5).map(|i| counts[i] * offset(i) / (1.0 + theta * offset(i))).sum() };
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = 0.5 * (low + high);
    std::array::from_fn(|i| counts[i] / total / (1.0 + theta * offset(i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Plays a match between players of this difference, looks after every 16 pairs, and returns the decision.
    fn decided(sprt: &Sprt, elo: f64, rng: &mut ChaCha8Rng) -> SprtDecision {
        // Games of a pair share an opening, which favours the same colour: a third of the pairs are shared out whatever
        // the players do.
        let win = (score_of_elo(elo) - 0.5) * 1.5 + 0.5;
        let mut results = Pentanomial::default();
        for pair in 1..=100_000 {
            let score = if rng.random_bool(1.0 / 3.0) {
                2
            } else {
                2 * usize::from(rng.random_bool(win)) + 2 * usize::from(rng.random_bool(win))
            };
            results.0[score] += 1;
            if pair % 16 == 0 && sprt.verdict(&results) != SprtDecision::Open {
                break;
            }
        }
        sprt.verdict(&results)
    }

    /// Both errors are as rare as they are said to be. Of 400 matches at 5 %, 20 are decided wrongly, with a standard
    /// deviation of 4.4; looking only now and then makes errors rarer still.
    #[test]
    fn wrong_decisions_are_as_rare_as_stated() {
        let (sprt, mut rng) = (Sprt::new(0.0, 40.0), ChaCha8Rng::seed_from_u64(7));
        for (elo, right) in [(sprt.elo0, SprtDecision::Rejected), (sprt.elo1, SprtDecision::Accepted)] {
            let decisions: Vec<_> = (0..400).map(|_| decided(&sprt, elo, &mut rng)).collect();
            let wrong = decisions.iter().filter(|&&decision| decision != right).count();
            assert!((4..=34).contains(&wrong), "{wrong} of 400 at {elo}");
        }
    }

    /// With two outcomes only, the distribution with a given score is unique, and the ratio has a closed form.
    #[test]
    fn two_outcomes_give_the_ratio_of_binomial_likelihoods() {
        let sprt = Sprt::new(0.0, 50.0);
        let p1 = score_of_elo(50.0);
        let expected = 60.0 * wide::ln(p1 / 0.5) + 40.0 * wide::ln((1.0 - p1) / 0.5);
        let found = sprt.llr(&Pentanomial([40, 0, 0, 0, 60]));
        assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
    }

    #[test]
    fn distributions_add_up_and_have_their_mean() {
        for mean in [0.4, 0.5, 0.57, 0.9] {
            let p = tilted(&[3.0, 10.0, 40.0, 22.0, 5.0], mean);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let found: f64 = p.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            assert!((found - mean).abs() < 1e-9);
        }
    }

    #[test]
    fn the_test_accepts_rejects_and_waits() {
        let sprt = Sprt::new(0.0, 30.0);
        let [lower, upper] = sprt.bounds();
        assert!((upper - wide::ln(19.0)).abs() < 1e-12 && (lower + wide::ln(19.0)).abs() < 1e-12);
        assert_eq!(sprt.verdict(&Pentanomial::default()), SprtDecision::Open);
        assert_eq!(sprt.verdict(&Pentanomial([1, 2, 3, 2, 1])), SprtDecision::Open);
        assert_eq!(sprt.verdict(&Pentanomial([10, 20, 100, 60, 40])), SprtDecision::Accepted);
        assert_eq!(sprt.verdict(&Pentanomial([40, 60, 100, 20, 10])), SprtDecision::Rejected);
    }
}

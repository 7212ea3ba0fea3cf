//! The metrics of each iteration: one line of `metrics.jsonl`; and what is drawn from them.

#[cfg(feature = "learn")]
mod chart;
mod scalars;

use std::collections::{BTreeMap, HashSet};
use std::ops::Add;

use gipf_env::math::wide;
use gipf_env::{Player, Position, Reason};
use gipf_models::{Batch, Losses};
use gipf_play::arena::SprtDecision;
use gipf_play::{CacheConfig, EvaluationCounts};
use serde::{Deserialize, Serialize};

use crate::training::samples::{Decision, PlayedGame, SearchKind};
use crate::training::watch::Finding;

#[cfg(feature = "learn")]
pub use chart::learning_curve;
pub use scalars::{CHARTS, Chart, Scalar, scalars};

/// The measurements of one iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IterationMetrics {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Training steps done since the run began, or since its network grew.
    pub step: u64,
    /// The games of self-play.
    pub self_play: SelfPlayMetrics,
    /// The result of learning; none while there were too few samples for a step.
    pub learning: Option<LearningMetrics>,
    /// The checkpoint against each opponent.
    pub ratings: Vec<OpponentScore>,
    /// The checkpoint against the best one before it; none if the settings ask for no such games, and for the first
    /// checkpoint.
    #[serde(default, alias = "promotion", skip_serializing_if = "Option::is_none")]
    pub gating: Option<GatingResult>,
    /// The faults found for the first time, or again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Wall-clock seconds of self-play, learning and evaluation.
    pub seconds: Seconds,
    /// The CPU seconds spent on them, summed over cores; 0 in lines of earlier programs.
    #[serde(default)]
    pub core_seconds: Seconds,
    /// The work of self-play and learning, counted; 0 in lines of earlier programs.
    #[serde(default)]
    pub work: Work,
}

/// Work of self-play and learning, counted: the same on every machine, and under any load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Positions that networks evaluated; those found in a cache, which depend on the number of threads, are left out.
    pub evaluations: u64,
    /// Decisions taken.
    pub decisions: u64,
    /// Samples learned from, each counted as often as it was in a batch.
    pub samples: u64,
    /// Samples that a student learned from, counted likewise.
    #[serde(default)]
    pub student_samples: u64,
    /// Training steps.
    pub steps: u64,
    /// Engines built from learned weights.
    pub engines: u64,
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            evaluations: self.evaluations + other.evaluations,
            decisions: self.decisions + other.decisions,
            samples: self.samples + other.samples,
            student_samples: self.student_samples + other.student_samples,
            steps: self.steps + other.steps,
            engines: self.engines + other.engines,
        }
    }
}

/// Seconds of the parts of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Of self-play.
    pub self_play: f64,
    /// Of learning.
    pub learning: f64,
    /// Of evaluation.
    pub evaluation: f64,
    /// Of looking for faults.
    #[serde(default)]
    pub watch: f64,
}

impl Seconds {
    /// Returns the sum over all parts.
    pub fn total(&self) -> f64 {
        self.self_play + self.learning + self.evaluation + self.watch
    }
}

/// The metrics of the games of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlayMetrics {
    /// Games played.
    pub games: u64,
    /// Games with the same actions as another game of the iteration.
    pub duplicates: u64,
    /// Decisions taken.
    pub decisions: u64,
    /// Fully searched decisions. If `replay.surprise` draws from them, there are more or fewer samples.
    pub samples: u64,
    /// The mean number of decisions of a game.
    pub length: f64,
    /// White's mean result, -1 to 1.
    pub white_result: f64,
    /// The number of games that ended for each reason.
    pub endings: BTreeMap<String, u64>,
    /// The correlation of the search's value with the result, over searched decisions; a wrong sign anywhere in search
    /// or targets shows here as a negative number.
    pub value_correlation: f64,
    /// The same for the network's own value.
    pub network_correlation: f64,
    /// The same for the decisions of White, and for those of Black.
    #[serde(default)]
    pub colour_correlation: [f64; 2],
    /// The standard deviation of the results over the network's searched decisions, each for the player who took it:
    /// 1 if as many are won as lost, 0 if all have the same result.
    #[serde(default)]
    pub result_deviation: f64,
    /// The share of searched decisions for which the network is certain, with a value beyond ± 0.98.
    #[serde(default)]
    pub certain: f64,
    /// The share of these that ended otherwise.
    #[serde(default)]
    pub certain_wrong: f64,
    /// The mean surprise of the network by the search, in nats, over its own decisions that are learned.
    #[serde(default)]
    pub surprise: f64,
    /// Samples of the opponent's choices.
    #[serde(default)]
    pub opponent_samples: u64,
    /// Positions evaluated, those found in a cache included.
    pub evaluations: u64,
    /// Evaluations per second of self-play, of all threads together; with a lag, when games are played all the time,
    /// per second of the iteration.
    pub evaluations_per_second: f64,
    /// The use of the caches; none without a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheMetrics>,
}

/// The use of the caches of self-play. The hits depend on the number of threads; the games do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheMetrics {
    /// Positions looked up.
    pub lookups: u64,
    /// Positions found.
    pub hits: u64,
}

/// The metrics of an iteration's training steps: means over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningMetrics {
    /// Training steps.
    pub steps: u64,
    /// Samples in the window.
    pub window: u64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// Cross-entropy of the policy against its target, in nats.
    pub policy_loss: f64,
    /// The same if all legal actions had equal probabilities, in nats.
    #[serde(default)]
    pub uniform_loss: f64,
    /// Entropy of the policy target, in nats: the lower bound of the policy loss.
    pub target_entropy: f64,
    /// Entropy of the network's policy, in nats.
    pub policy_entropy: f64,
    /// Cross-entropy of win, draw, loss against its target, in nats.
    pub value_loss: f64,
    /// The share of samples in which the likeliest action is that of the target.
    pub policy_accuracy: f64,
    /// The norm of the gradient, before it is scaled down.
    pub gradient_norm: f64,
    /// Training samples per second; with a student, of batches from which both networks have learned.
    pub samples_per_second: f64,
    /// The student on the same batches; none without a student.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub student: Option<StudentMetrics>,
}

/// The metrics of the student's training steps: means over them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudentMetrics {
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// Cross-entropy of the policy against its target, in nats.
    pub policy_loss: f64,
    /// Cross-entropy of win, draw, loss against its target, in nats.
    pub value_loss: f64,
}

/// A checkpoint's result against one opponent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpponentScore {
    /// The opponent.
    pub opponent: String,
    /// Games played.
    pub games: u64,
    /// The share of points, with a draw counting half.
    pub score: f64,
    /// The 95 % Wilson interval of the score.
    pub interval: [f64; 2],
    /// The difference in Elo, with its 95 % interval; infinite ends are left out.
    pub elo: Option<[f64; 3]>,
}

/// A checkpoint's match with the best one before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GatingResult {
    /// The iteration of the best one.
    pub best: u32,
    /// Games played.
    pub games: u64,
    /// The newest one's share of points, with a draw counting half.
    pub score: f64,
    /// The logarithm of the likelihood ratio at which the test ended.
    pub llr: f64,
    /// The decision of the test: the newest network becomes the best only if it accepts.
    pub verdict: SprtDecision,
}

impl SelfPlayMetrics {
    /// Measures the games of an iteration, given their number of evaluations and their seconds.
    pub fn of<P: Position>(games: &[PlayedGame<P>], evaluations: u64, seconds: f64) -> Self {
        let decisions: u64 = games.iter().map(|game| game.decisions.len() as u64).sum();
        let count = games.len().max(1) as f64;
        let all = || games.iter().flat_map(|game| &game.decisions);
        let learned = || all().filter(|decision| decision.effort == SearchKind::Full);
        // An opponent has no network.
        let own = || learned().filter(|decision| decision.network_value.is_some());
        let values = |player: Option<Player>| {
            let of = searched(games).filter(move |(found, _)| player.is_none_or(|of| found.position.to_move() == of));
            of.filter_map(|(decision, z)| Some((decision.network_value?, z)))
        };
        let distinct: HashSet<Vec<_>> =
            games.iter().map(|game| game.decisions.iter().map(|decision| decision.action).collect()).collect();
        let mut found = Self {
            games: games.len() as u64,
            duplicates: (games.len() - distinct.len()) as u64,
            decisions,
            samples: learned().count() as u64,
            length: decisions as f64 / count,
            white_result: games.iter().map(|game| f64::from(game.outcome.reward(Player::White))).sum::<f64>() / count,
            endings: endings(games),
            value_correlation: correlation(searched(games).filter_map(|(decision, z)| Some((decision.root_value?, z)))),
            network_correlation: correlation(values(None)),
            colour_correlation: Player::BOTH.map(|player| correlation(values(Some(player)))),
            result_deviation: deviation(|| values(None).map(|(_, z)| f64::from(z))),
            certain: mean(values(None).map(|(value, _)| f64::from(is_certain(value)))),
            certain_wrong: mean(
                values(None).filter(|(value, _)| is_certain(*value)).map(|(value, z)| f64::from(z != value.signum())),
            ),
            surprise: mean(own().map(|decision| f64::from(decision.surprise))),
            opponent_samples: (learned().count() - own().count()) as u64,
            evaluations,
            evaluations_per_second: 0.0,
            cache: None,
        };
        found.set_seconds(seconds);
        found
    }

    /// Takes the evaluations as made in this many seconds.
    pub fn set_seconds(&mut self, seconds: f64) {
        self.evaluations_per_second = self.evaluations as f64 / seconds.max(1e-9);
    }

    /// Returns the games per second, over the same seconds as the evaluations.
    pub fn games_per_second(&self) -> f64 {
        self.games as f64 * self.evaluations_per_second / self.evaluations.max(1) as f64
    }
}

impl CacheMetrics {
    /// Returns the use of the caches, if there were any.
    pub fn of(counts: &EvaluationCounts, config: CacheConfig) -> Option<Self> {
        Self::counted([counts.asked(), counts.found()], config)
    }

    /// Returns the same for this many positions asked about, and found in a cache.
    pub fn counted([lookups, hits]: [u64; 2], config: CacheConfig) -> Option<Self> {
        (config.megabytes > 0).then_some(Self { lookups, hits })
    }

    /// Returns the share of lookups that found their position, 0 if there were none.
    pub fn hit_rate(self) -> f64 {
        self.hits as f64 / self.lookups.max(1) as f64
    }
}

impl LearningMetrics {
    /// Adds a batch, and the losses of a step on it, to the sums.
    pub fn add(&mut self, batch: &Batch, losses: &Losses) {
        self.uniform_loss += uniform_loss(batch);
        self.policy_loss += f64::from(losses.policy);
        self.value_loss += f64::from(losses.value);
        self.policy_entropy += f64::from(losses.policy_entropy);
        self.target_entropy += f64::from(losses.target_entropy);
        self.policy_accuracy += f64::from(losses.accuracy);
        self.gradient_norm += f64::from(losses.gradient_norm);
    }

    /// Adds the losses of a step of the student to the sums.
    pub fn add_student(&mut self, learning_rate: f64, losses: &Losses) {
        let student = self.student.get_or_insert_default();
        student.learning_rate = learning_rate;
        student.policy_loss += f64::from(losses.policy);
        student.value_loss += f64::from(losses.value);
    }

    /// Turns the sums over `steps` steps into means.
    pub fn mean(self, steps: u64) -> Self {
        let count = steps as f64;
        let student = self.student.map(|sums| StudentMetrics {
            policy_loss: sums.policy_loss / count,
            value_loss: sums.value_loss / count,
            ..sums
        });
        Self {
            steps,
            policy_loss: self.policy_loss / count,
            uniform_loss: self.uniform_loss / count,
            value_loss: self.value_loss / count,
            policy_entropy: self.policy_entropy / count,
            target_entropy: self.target_entropy / count,
            policy_accuracy: self.policy_accuracy / count,
            gradient_norm: self.gradient_norm / count,
            student,
            ..self
        }
    }
}

/// Iterates over the searched decisions of games with a result, each with the game's result for the player who took it.
fn searched<P: Position>(games: &[PlayedGame<P>]) -> impl Iterator<Item = (&Decision<P>, f32)> {
    let decided = games.iter().filter(|game| !game.outcome.truncated());
    decided.flat_map(|game| {
        let searched = game.decisions.iter().filter(|decision| decision.effort != SearchKind::None);
        searched.map(|decision| (decision, game.outcome.reward(decision.position.to_move())))
    })
}

fn endings<P>(games: &[PlayedGame<P>]) -> BTreeMap<String, u64> {
    let count = |reason: Reason| games.iter().filter(|game| game.outcome.reason == reason).count() as u64;
    let counts = Reason::ALL.into_iter().map(|reason| (reason.to_string(), count(reason)));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Returns the cross-entropy of equal probabilities of the legal actions, which is the same against any target, in nats.
fn uniform_loss(batch: &Batch) -> f64 {
    let rows = batch.legal.chunks_exact(batch.legal.len() / batch.size.max(1));
    mean(rows.map(|legal| wide::ln(legal.iter().filter(|legal| **legal).count().max(1) as f64)))
}

/// Returns the mean, or 0 if there are no numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Returns the standard deviation, or 0 if there are no numbers.
fn deviation<I: Iterator<Item = f64>>(numbers: impl Fn() -> I) -> f64 {
    let middle = mean(numbers());
    mean(numbers().map(|number| (number - middle).powi(2))).sqrt()
}

fn is_certain(value: f32) -> bool {
    value.abs() > 0.98
}

/// Returns Pearson's correlation, or 0 if one of the two does not vary.
fn correlation(pairs: impl Iterator<Item = (f32, f32)>) -> f64 {
    let (mut n, mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (a, b) in pairs.map(|(a, b)| (f64::from(a), f64::from(b))) {
        n += 1.0;
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    let variances = (xx - x * x / n) * (yy - y * y / n);
    if n > 0.0 && variances > 0.0 { (xy - x * y / n) / variances.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_is_pearsons() {
        let line = |slope: f32| (0..10).map(move |i| (i as f32, slope * i as f32 + 1.0));
        assert!((correlation(line(2.0)) - 1.0).abs() < 1e-9);
        assert!((correlation(line(-2.0)) + 1.0).abs() < 1e-9);
        assert_eq!(correlation(line(0.0)), 0.0);
        assert_eq!(correlation(std::iter::empty()), 0.0);
    }
}

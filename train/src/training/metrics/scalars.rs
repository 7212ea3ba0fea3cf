//! The numbers of an iteration by name, for everything that draws them.

use std::collections::BTreeMap;

use gipf_env::Reason;

use super::{IterationMetrics, SelfPlayMetrics};

/// What the curves of one picture have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chart {
    /// The name in files.
    pub key: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The unit of the values; empty for shares and other values without a unit.
    pub unit: &'static str,
}

/// The pictures, in the order in which they are shown.
pub const CHARTS: [Chart; 13] = [
    chart("score", "Score against the baselines", ""),
    chart("policy_loss", "Policy: cross-entropy to the search", "nats"),
    chart("value_loss", "Value: cross-entropy to its target", "nats"),
    chart("entropy", "Entropy of the policies", "nats"),
    chart("correlation", "Correlation of the value with the result", ""),
    chart("accuracy", "Likeliest action is the search's", ""),
    chart("length", "Length of the games", "decisions"),
    chart("endings", "Endings of the games", ""),
    chart("result", "White's mean result", ""),
    chart("seconds", "Time of each stage", "s"),
    chart("speed", "Games of self-play a second", ""),
    chart("learning_rate", "Learning rate", ""),
    chart("gradient_norm", "Norm of the gradient", ""),
];

const fn chart(key: &'static str, title: &'static str, unit: &'static str) -> Chart {
    Chart { key, title, unit }
}

/// A number of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The picture that it belongs to, one of [`CHARTS`].
    pub chart: &'static str,
    /// The name of its curve there.
    pub curve: String,
    /// Its value.
    pub value: f64,
    /// Its 95 % interval, if it has one.
    pub interval: Option<[f64; 2]>,
}

/// How games of self-play end: an ending that did not occur has a share as well, none of the games.
const ENDINGS: [Reason; 4] = [Reason::NoGipf, Reason::NoMove, Reason::Repetition, Reason::Limit];

/// Returns the numbers of an iteration. The page, the report and TensorBoard show these.
///
/// ```
/// use gipf_train::training::{metrics::IterationMetrics, scalars};
///
/// let found = scalars(&IterationMetrics::default());
/// assert!(found.iter().any(|scalar| scalar.chart == "correlation" && scalar.curve == "search"));
/// assert!(found.iter().all(|scalar| scalar.chart != "policy_loss"), "nothing was learned");
/// ```
pub fn scalars(line: &IterationMetrics) -> Vec<Scalar> {
    let mut all = Vec::new();
    let mut add = |chart, curve: &str, value| {
        all.push(Scalar { chart, curve: curve.to_owned(), value, interval: None });
    };
    if let Some(learning) = &line.learning {
        add("policy_loss", "network", learning.policy_loss);
        add("policy_loss", "least possible", learning.target_entropy);
        add("policy_loss", "equal probabilities", learning.uniform_loss);
        add("value_loss", "network", learning.value_loss);
        add("entropy", "network", learning.policy_entropy);
        add("entropy", "search", learning.target_entropy);
        add("accuracy", "network", learning.policy_accuracy);
        add("learning_rate", "last step", learning.learning_rate);
        add("gradient_norm", "mean", learning.gradient_norm);
        if let Some(student) = learning.student {
            add("policy_loss", "student", student.policy_loss);
            add("value_loss", "student", student.value_loss);
            add("learning_rate", "student", student.learning_rate);
        }
    }
    let games = &line.self_play;
    add("correlation", "search", games.value_correlation);
    add("correlation", "network", games.network_correlation);
    add("length", "mean", games.length);
    add("result", "mean", games.white_result);
    for (reason, count) in endings(games) {
        add("endings", &reason, count as f64 / games.games.max(1) as f64);
    }
    let seconds = &line.seconds;
    add("seconds", "self-play", seconds.self_play);
    add("seconds", "learning", seconds.learning);
    add("seconds", "evaluation", seconds.evaluation);
    add("speed", "games", games.games_per_second());
    let scores = line.ratings.iter().map(|rating| Scalar {
        chart: "score",
        curve: rating.opponent.clone(),
        value: rating.score,
        interval: Some(rating.interval),
    });
    all.extend(scores);
    all
}

/// Returns how many games ended for each reason, those that did not occur included, if there were games.
fn endings(games: &SelfPlayMetrics) -> BTreeMap<String, u64> {
    let absent = ENDINGS.into_iter().filter(|_| games.games > 0).map(|reason| (reason.to_string(), 0));
    absent.chain(games.endings.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::metrics::{LearningMetrics, OpponentScore, StudentMetrics};

    #[test]
    fn every_number_has_a_picture_and_every_picture_numbers() {
        let mut line = IterationMetrics {
            learning: Some(LearningMetrics { student: Some(StudentMetrics::default()), ..LearningMetrics::default() }),
            ratings: vec![OpponentScore::default()],
            ..IterationMetrics::default()
        };
        line.self_play.endings.insert("no-move".to_owned(), 1);
        let found = scalars(&line);
        assert!(found.iter().all(|scalar| CHARTS.iter().any(|chart| chart.key == scalar.chart)));
        assert!(CHARTS.iter().all(|chart| found.iter().any(|scalar| scalar.chart == chart.key)));
        let mut names: Vec<_> = found.iter().map(|scalar| (scalar.chart, &scalar.curve)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len());
    }

    #[test]
    fn the_endings_of_an_iteration_are_all_of_its_games() {
        let mut line = IterationMetrics::default();
        let shares = |line: &IterationMetrics| {
            let endings = scalars(line).into_iter().filter(|scalar| scalar.chart == "endings");
            endings.map(|scalar| (scalar.curve, scalar.value)).collect::<BTreeMap<_, _>>()
        };
        assert!(shares(&line).is_empty(), "no games, no endings");
        line.self_play.games = 4;
        line.self_play.endings.extend([("no-move".to_owned(), 3), ("resignation".to_owned(), 1)]);
        let expected =
            [("limit", 0.0), ("no-gipf", 0.0), ("no-move", 0.75), ("repetition", 0.0), ("resignation", 0.25)];
        assert_eq!(shares(&line), BTreeMap::from(expected.map(|(name, share)| (name.to_owned(), share))));
    }
}

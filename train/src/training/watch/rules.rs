//! What the metrics of the last iterations show. Bounds are wide, since a false alarm costs more trust than a late
//! one; minimum counts of games and steps rule out chance.

use gipf_env::{Player, Reason};

use super::finding::{Fault, Finding};
use crate::training::metrics::{IterationMetrics, LearningMetrics, SelfPlayMetrics};
use crate::training::settings::LearningConfig;

/// Iterations whose games are counted together.
const POOLED: usize = 5;
/// Steps after which values mean something: one and a half times as many as the moving average of the weights and the
/// warm-up take.
const STEPS: u64 = 300;
/// Steps after which values must say something about results, and the number of games needed to see it.
const STEPS_TO_SEE: u64 = 2000;
const GAMES_TO_SEE: f64 = 1000.0;
/// Steps after the warm-up in which a policy begins to follow its targets.
const STEPS_TO_FOLLOW: u64 = 800;
/// With fewer games, shares mean nothing.
const GAMES: u64 = 10;
/// A correlation is reported as negative if it is this many standard deviations, 1/√games, below zero: once in four
/// thousand checks by chance.
const DEVIATIONS: f64 = 3.5;
/// The loss when win, draw and loss are predicted with a third each, which a network that knows nothing reaches.
const KNOWS_NOTHING: f64 = 1.098_612_3;
/// The mean norm of gradients before clipping that no learning run exceeds for long: the default has 3.2 at first,
/// then up to 1.2.
const LONG: f64 = 5.0;

/// Looks at the metrics of consecutive iterations, the newest last.
pub fn of_metrics(history: &[IterationMetrics], learning: &LearningConfig) -> Vec<Finding> {
    let Some(newest) = history.last() else { return Vec::new() };
    let games = &newest.self_play;
    let mut found: Vec<Option<Finding>> =
        vec![duplicates(games), limit(games), short(history), one_sided(history), window(history)];
    found.extend(judge(history));
    if let Some(learned) = &newest.learning {
        let begun = newest.step.saturating_sub(learned.steps);
        found.push(flat(games, learned));
        found.push(unfollowed(history, learning));
        found.push(rate(learned, begun, learning));
        found.push(if begun >= STEPS { losses(history) } else { None });
    }
    found.into_iter().flatten().collect()
}

fn finding(is_wrong: bool, fault: Fault, found: String, expected: &str) -> Option<Finding> {
    is_wrong.then(|| Finding::new(fault, found, expected))
}

fn percent(part: f64, whole: f64) -> f64 {
    100.0 * part / whole.max(1.0)
}

fn duplicates(games: &SelfPlayMetrics) -> Option<Finding> {
    let share = percent(games.duplicates as f64, games.games as f64);
    let found = format!("{share:.0} % of {} games", games.games);
    finding(games.games >= GAMES && share > 10.0, Fault::Duplicates, found, "at most 10 %")
}

fn limit(games: &SelfPlayMetrics) -> Option<Finding> {
    let cut = games.endings.get(Reason::Limit.word()).copied().unwrap_or(0);
    let share = percent(cut as f64, games.games as f64);
    let found = format!("{share:.0} % of {} games", games.games);
    finding(games.games >= GAMES && share > 25.0, Fault::Limit, found, "at most 25 %")
}

/// Games grow longer or somewhat shorter while both sides learn; they shrink to a third only if one side gives up.
fn short(history: &[IterationMetrics]) -> Option<Finding> {
    let lengths = || history.iter().map(|line| line.self_play.length);
    let (length, longest) = (lengths().next_back()?, lengths().fold(0.0, f64::max));
    let few = history.last()?.self_play.games < GAMES;
    let found = format!("{length:.1} decisions on average, {longest:.1} before");
    finding(!few && (length < 4.0 || 3.0 * length < longest), Fault::Short, found, "at least 4, and a third of before")
}

fn one_sided(history: &[IterationMetrics]) -> Option<Finding> {
    let pooled = pooled(history, |games| games.white_result);
    let found = format!("White's mean result is {:+.2} in {} games", pooled.mean, pooled.games);
    let is_wrong = pooled.games >= 50.0 && pooled.mean.abs() > 0.9;
    finding(is_wrong, Fault::OneSided, found, "between -0.9 and +0.9")
}

/// The window changes with each iteration's samples; if its size stays the same, it takes in none.
fn window(history: &[IterationMetrics]) -> Option<Finding> {
    const SAME: usize = 4;
    let newest = history.last()?;
    let size = newest.learning?.window;
    let last = &history[history.len().saturating_sub(SAME)..];
    let is_same = last.len() == SAME
        && last.iter().all(|line| line.self_play.samples > 0 && line.learning.is_some_and(|of| of.window == size));
    let new = newest.self_play.samples;
    let found = if is_same {
        format!("{size} samples in each of {SAME} iterations")
    } else {
        format!("{size} samples, of which {new} are new")
    };
    // The largest run here reaches a window of 50 times its new samples.
    finding(is_same || size > 200 * new.max(1), Fault::Window, found, "new samples to replace old ones")
}

/// A mean over games.
struct Pooled {
    mean: f64,
    games: f64,
}

fn pooled(history: &[IterationMetrics], number: impl Fn(&SelfPlayMetrics) -> f64) -> Pooled {
    let last = &history[history.len().saturating_sub(POOLED)..];
    let games: f64 = last.iter().map(|line| line.self_play.games as f64).sum();
    let sum: f64 = last.iter().map(|line| line.self_play.games as f64 * number(&line.self_play)).sum();
    Pooled { mean: sum / games.max(1.0), games }
}

/// Checks the values of the networks that played: those after the given number of steps.
fn judge(history: &[IterationMetrics]) -> [Option<Finding>; 3] {
    let steps = |line: &IterationMetrics| line.step.saturating_sub(line.learning.map_or(0, |learned| learned.steps));
    let after = |least: u64| {
        let from = history.iter().position(|line| steps(line) >= least).unwrap_or(history.len());
        &history[from..]
    };
    [value_sign(after(STEPS)), blind(after(STEPS_TO_SEE)), saturated(after(STEPS))]
}

fn value_sign(history: &[IterationMetrics]) -> Option<Finding> {
    let of = |player: Player| pooled(history, |games| games.colour_correlation[player.index()]);
    let player = Player::BOTH.into_iter().min_by(|a, b| of(*a).mean.total_cmp(&of(*b).mean))?;
    let (pooled, other) = (of(player), of(player.other()).mean);
    let bound = (DEVIATIONS / pooled.games.max(1.0).sqrt()).max(0.1);
    let found = format!("correlation {:+.2} with {player}'s results, {other:+.2} with the other's", pooled.mean);
    finding(pooled.mean < -bound, Fault::ValueSign, found, "positive numbers")
}

/// If nearly all results are the same, as against an opponent that nearly always loses, there is little to correlate:
/// this takes more than 93 games of 100 won, or 75 drawn.
fn blind(history: &[IterationMetrics]) -> Option<Finding> {
    let varies = pooled(history, |games| games.result_deviation).mean > 0.5;
    let pooled = pooled(history, |games| games.network_correlation);
    let is_wrong = varies && pooled.games >= GAMES_TO_SEE && pooled.mean < 0.03;
    let found = format!("correlation {:+.3} in {} games", pooled.mean, pooled.games);
    finding(is_wrong, Fault::BlindValues, found, "more than 0.03")
}

/// Certain values are no fault where they are right, as in a game that is nearly solved.
fn saturated(history: &[IterationMetrics]) -> Option<Finding> {
    let games = &history.last()?.self_play;
    let [certain, wrong] = [games.certain, games.certain_wrong].map(|share| 100.0 * share);
    let found = format!("{certain:.0} % are beyond ± 0.98, and {wrong:.0} % of them wrong");
    let is_wrong = games.games >= GAMES && games.certain > 0.9 && games.certain_wrong > 0.1;
    finding(is_wrong, Fault::Saturated, found, "doubt, or at most 10 % wrong")
}

/// A search may agree with a policy that is certain, but not with one that is even.
fn flat(games: &SelfPlayMetrics, learned: &LearningMetrics) -> Option<Finding> {
    let is_even = learned.uniform_loss > 0.5 && learned.target_entropy > 0.8 * learned.uniform_loss;
    let found = format!("it differs by {:.4} nats from the network's, on average", games.surprise);
    let enough = games.samples >= 100;
    finding(enough && is_even && games.surprise < 0.005, Fault::FlatTargets, found, "more than 0.005")
}

/// A network that follows its targets comes closer to them than equal probabilities do. It may be unable to predict
/// an opponent's choices, for example if they are random.
fn unfollowed(history: &[IterationMetrics], learning: &LearningConfig) -> Option<Finding> {
    let gain = |line: &IterationMetrics| {
        let learned = line.learning?;
        let possible = learned.uniform_loss - learned.target_entropy;
        let late = line.step.saturating_sub(learned.steps) >= learning.warmup_steps + STEPS_TO_FOLLOW;
        (late && learned.uniform_loss > 0.0 && possible > 0.1 && line.self_play.opponent_samples == 0)
            .then(|| (learned.uniform_loss - learned.policy_loss) / possible)
    };
    let [.., before, newest] = history else { return None };
    let (before, newest) = (gain(before)?, gain(newest)?);
    let found = format!("it has come {:.0} % of the way from equal probabilities to them", 100.0 * newest);
    finding(before < 0.05 && newest < 0.05, Fault::Unfollowed, found, "more than 5 %")
}

/// Once warm, the schedule never falls below its end.
fn rate(learned: &LearningMetrics, begun: u64, learning: &LearningConfig) -> Option<Finding> {
    let least = learning.learning_rate.min(learning.final_learning_rate);
    let is_warm = begun >= learning.warmup_steps;
    let found = format!("it is {:.1e} after {} steps", learned.learning_rate, begun + learned.steps);
    let is_wrong = is_warm && learned.learning_rate < 0.9 * least;
    finding(is_wrong, Fault::LearningRate, found, &format!("at least {least:.1e}"))
}

fn losses(history: &[IterationMetrics]) -> Option<Finding> {
    let learned = history.last()?.learning?;
    let [value, policy, norm] = [learned.value_loss, learned.policy_loss, learned.gradient_norm];
    let [most_value, most_policy] = [KNOWS_NOTHING + 0.1, learned.uniform_loss + 0.3];
    let strays = |line: &IterationMetrics| line.learning.is_some_and(|of| of.gradient_norm > LONG);
    if value > most_value {
        let found = format!("the value loss is {value:.2} nats");
        return finding(true, Fault::Losses, found, "1.10, which a network that knows nothing has");
    }
    if learned.uniform_loss > 0.0 && policy > most_policy {
        let found = format!("the policy loss is {policy:.2} nats");
        let expected = format!("{:.2}, which equal probabilities have", learned.uniform_loss);
        return finding(true, Fault::Losses, found, &expected);
    }
    let is_long = matches!(history, [.., before, newest] if strays(before) && strays(newest));
    let found = format!("gradients of norm {norm:.1} in two iterations");
    finding(is_long, Fault::Losses, found, &format!("at most {LONG}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// An iteration of a run that learns, like one in the middle of a run of the preset `quick`.
    fn sound(iteration: u32) -> IterationMetrics {
        let self_play = SelfPlayMetrics {
            games: 200,
            decisions: 14_000,
            samples: 3500,
            length: 70.0,
            white_result: 0.05,
            endings: BTreeMap::from([("no-gipf".to_owned(), 190), ("limit".to_owned(), 10)]),
            value_correlation: 0.4,
            network_correlation: 0.3,
            colour_correlation: [0.35, 0.25],
            result_deviation: 0.98,
            certain: 0.1,
            surprise: 0.2,
            ..SelfPlayMetrics::default()
        };
        let learned = LearningMetrics {
            steps: 200,
            window: 20_000 + 3000 * u64::from(iteration % 5),
            learning_rate: 1e-3,
            policy_loss: 2.8,
            uniform_loss: 3.1,
            target_entropy: 2.5,
            value_loss: 0.64,
            gradient_norm: 1.0,
            ..LearningMetrics::default()
        };
        let step = 200 * u64::from(iteration);
        IterationMetrics { iteration, step, self_play, learning: Some(learned), ..IterationMetrics::default() }
    }

    fn faults(change: impl Fn(&mut SelfPlayMetrics, &mut LearningMetrics)) -> Vec<Fault> {
        let changed = |iteration| {
            let mut line = sound(iteration);
            change(&mut line.self_play, line.learning.as_mut().unwrap());
            line
        };
        let history: Vec<_> = (13..=20).map(changed).collect();
        let found = of_metrics(&history, &LearningConfig::default());
        found.iter().map(|finding| finding.fault).collect()
    }

    #[test]
    fn each_fault_is_told_by_its_numbers_and_nothing_short_of_it() {
        assert_eq!(faults(|_, _| ()), []);
        assert_eq!(faults(|games, _| games.duplicates = 30), [Fault::Duplicates]);
        assert_eq!(faults(|games, _| games.duplicates = 10), []);
        let cut = |count| {
            move |games: &mut SelfPlayMetrics, _: &mut LearningMetrics| {
                games.endings.insert("limit".to_owned(), count);
            }
        };
        assert_eq!((faults(cut(80)), faults(cut(40))), (vec![Fault::Limit], vec![]));
        assert_eq!(faults(|games, _| games.length = 3.0), [Fault::Short]);
        assert_eq!(faults(|games, _| games.white_result = -0.95), [Fault::OneSided]);
        assert_eq!(faults(|games, _| games.white_result = 0.8), []);
        assert_eq!(faults(|_, learned| learned.window = 20_000), [Fault::Window]);
        assert_eq!(faults(|games, _| games.samples = 80), [Fault::Window]);
        assert_eq!(faults(|games, _| games.colour_correlation[1] = -0.3), [Fault::ValueSign]);
        assert_eq!(faults(|games, _| games.colour_correlation[1] = -0.05), []);
        assert_eq!(faults(|games, _| games.network_correlation = 0.01), [Fault::BlindValues]);
        assert_eq!(faults(|games, _| (games.network_correlation, games.result_deviation) = (0.01, 0.3)), []);
        assert_eq!(faults(|games, _| (games.certain, games.certain_wrong) = (0.95, 0.3)), [Fault::Saturated]);
        assert_eq!(faults(|games, _| (games.certain, games.certain_wrong) = (0.95, 0.05)), []);
        assert_eq!(faults(|games, _| games.surprise = 0.001), [Fault::FlatTargets]);
        assert_eq!(faults(|games, learned| (games.surprise, learned.target_entropy) = (0.001, 2.0)), []);
        assert_eq!(faults(|_, learned| learned.policy_loss = 3.09), [Fault::Unfollowed]);
        assert_eq!(faults(|games, learned| (games.opponent_samples, learned.policy_loss) = (1700, 3.09)), []);
        assert_eq!(faults(|_, learned| learned.learning_rate = 1e-5), [Fault::LearningRate]);
        assert_eq!(faults(|_, learned| learned.value_loss = 1.3), [Fault::Losses]);
        assert_eq!(faults(|_, learned| learned.gradient_norm = 6.0), [Fault::Losses]);
    }

    /// The first iterations have numbers that would be faults later.
    #[test]
    fn nothing_is_told_before_it_can_be_known() {
        let mut line = sound(1);
        line.self_play.colour_correlation = [-0.5, 0.4];
        line.self_play.network_correlation = 0.0;
        (line.self_play.certain, line.self_play.certain_wrong) = (1.0, 0.5);
        let learned = line.learning.as_mut().unwrap();
        (learned.policy_loss, learned.value_loss, learned.learning_rate) = (3.5, 1.4, 1e-5);
        assert_eq!(of_metrics(&[line], &LearningConfig::default()), []);
        // A run of a version that did not measure these numbers.
        let bare = |iteration| IterationMetrics { iteration, step: 3000, ..IterationMetrics::default() };
        assert_eq!(of_metrics(&[bare(1), bare(2)], &LearningConfig::default()), []);
    }

    #[test]
    fn a_correlation_is_told_only_where_chance_is_excluded() {
        let few = |games: u64| {
            let mut line = sound(9);
            (line.self_play.games, line.self_play.colour_correlation) = (games, [0.3, -0.3]);
            of_metrics(&[line], &LearningConfig::default()).len()
        };
        // 3.5/√100 = 0.35, 3.5/√200 = 0.25.
        assert_eq!([few(100), few(200)], [0, 1]);
    }

    #[test]
    fn games_that_shrink_to_less_than_a_third_are_told() {
        let after = |length| {
            let mut history = [sound(8), sound(9)];
            history[1].self_play.length = length;
            of_metrics(&history, &LearningConfig::default()).len()
        };
        assert_eq!([after(20.0), after(30.0)], [1, 0]);
    }
}

//! The learning curve of a run as a picture: the score against each opponent over time.

use super::IterationMetrics;
use crate::plot::{Axis, COLOURS, Plot};

/// Returns an SVG picture of the scores of each checkpoint, with their 95 % intervals, over the minutes of the run.
pub fn learning_curve(title: &str, metrics: &[IterationMetrics]) -> String {
    let minutes = minutes(metrics);
    let mut plot = frame(title, minutes.last().copied().unwrap_or(0.0).max(1e-3));
    for (opponent, colour) in opponents(metrics).into_iter().zip(COLOURS.into_iter().cycle()) {
        let points: Vec<_> = metrics
            .iter()
            .zip(&minutes)
            .flat_map(|(line, &at)| line.ratings.iter().map(move |rating| (at, rating)))
            .filter(|(_, rating)| rating.opponent == opponent)
            .map(|(at, rating)| (at, rating.score, rating.interval))
            .collect();
        curve(&mut plot, &opponent, &points, colour);
    }
    plot.finish()
}

/// Returns the minutes from the start of the run to the end of learning in each iteration.
fn minutes(metrics: &[IterationMetrics]) -> Vec<f64> {
    let mut total = 0.0;
    let add = |line: &IterationMetrics| {
        let trained = total + line.seconds.self_play + line.seconds.learning;
        total += line.seconds.total();
        trained / 60.0
    };
    metrics.iter().map(add).collect()
}

/// Returns the opponents in the order in which they first appear.
fn opponents(metrics: &[IterationMetrics]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for rating in metrics.iter().flat_map(|line| &line.ratings) {
        if !names.contains(&rating.opponent) {
            names.push(rating.opponent.clone());
        }
    }
    names
}

/// Returns an empty picture of scores over minutes.
fn frame(title: &str, most: f64) -> Plot {
    let mut plot = Plot::new(title, "minutes", [Axis::Linear([0.0, most]), Axis::Linear([0.0, 1.0])]);
    for percent in [0, 25, 50, 75, 100] {
        plot.mark_y(f64::from(percent) / 100.0, &format!("{percent} %"));
    }
    let step = tick_step(most);
    let ticks = (0..).map(|number| step * f64::from(number));
    ticks.take_while(|&at| at <= most).for_each(|at| plot.mark_x(at, &at.to_string()));
    plot
}

/// Returns a round distance between marks, for at most eight marks.
fn tick_step(most: f64) -> f64 {
    let days = std::iter::successors(Some(480.0), |step| Some(3.0 * step));
    let mut steps = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0].into_iter().chain(days.take(600));
    steps.find(|step| most / step <= 8.0).unwrap_or(most)
}

/// Draws the score against an opponent: points of minutes, score and interval.
fn curve(plot: &mut Plot, opponent: &str, points: &[(f64, f64, [f64; 2])], colour: &str) {
    for &(at, _, interval) in points {
        plot.interval(at, interval, &format!("stroke=\"{colour}\" opacity=\"0.35\""));
    }
    let style = format!("stroke=\"{colour}\" stroke-width=\"2\"");
    let scores: Vec<_> = points.iter().map(|&(at, score, _)| (at, score)).collect();
    plot.line(&scores, &style);
    let last = scores.last().map_or_else(String::new, |&(_, score)| format!(" {:.0} %", 100.0 * score));
    plot.name(&format!("{opponent}{last}"), &style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eight_marks_at_most_however_long_it_took() {
        for most in [0.1, 1.0, 60.0, 1e4, 1e9, 1e15, f64::MAX] {
            assert!(most / tick_step(most) <= 8.0, "{most}");
        }
    }
    use crate::training::metrics::{OpponentScore, Seconds};

    #[test]
    fn each_opponent_has_one_curve_with_a_point_for_each_iteration() {
        let rating =
            |opponent: &str| OpponentScore { opponent: opponent.to_owned(), score: 0.5, ..OpponentScore::default() };
        let line = |iteration| IterationMetrics {
            iteration,
            ratings: vec![rating("random"), rating("a<b")],
            seconds: Seconds { self_play: 30.0, learning: 30.0, evaluation: 6.0, ..Seconds::default() },
            ..IterationMetrics::default()
        };
        let svg = learning_curve("run", &[line(1), line(2), line(3)]);
        assert_eq!((svg.matches("fill=\"none\"").count(), svg.matches("text-anchor=\"start\"").count()), (2, 2));
        assert_eq!(svg.matches("opacity").count(), 6);
        assert!(svg.contains("a&lt;b 50 %"));
        assert_eq!(svg, learning_curve("run", &[line(1), line(2), line(3)]));
    }
}

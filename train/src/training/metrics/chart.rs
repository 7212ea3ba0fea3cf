//! The learning curve of a run as a picture: the score against each opponent over time.

use std::fmt::Write;

use super::IterationMetrics;

/// The size of the picture and of the frame within it, in pixels.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 330.0;

/// Colours that people with colour blindness can distinguish (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Returns an SVG picture of the scores of each checkpoint, with their 95 % intervals, over the minutes of the run.
pub fn learning_curve(title: &str, metrics: &[IterationMetrics]) -> String {
    let minutes = minutes(metrics);
    let scale = Scale { most: minutes.last().copied().unwrap_or(0.0).max(1e-3) };
    let mut svg = frame(title, scale);
    for (number, opponent) in opponents(metrics).into_iter().enumerate() {
        let points: Vec<_> = metrics
            .iter()
            .zip(&minutes)
            .flat_map(|(line, &at)| line.ratings.iter().map(move |rating| (at, rating)))
            .filter(|(_, rating)| rating.opponent == opponent)
            .map(|(at, rating)| (at, rating.score, rating.interval))
            .collect();
        curve(&mut svg, number, &opponent, &points, scale);
    }
    svg.push_str("</svg>\n");
    svg
}

#[derive(Clone, Copy)]
struct Scale {
    /// The minutes at the right end.
    most: f64,
}

impl Scale {
    fn x(self, minutes: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * minutes / self.most
    }

    fn y(score: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * score
    }
}

/// Returns the minutes from the start of the run to the end of learning in each iteration.
fn minutes(metrics: &[IterationMetrics]) -> Vec<f64> {
    let mut total = 0.0;
    let add = |line: &IterationMetrics| {
        let trained = total + line.seconds.self_play + line.seconds.learning;
        total = trained + line.seconds.evaluation;
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

fn frame(title: &str, scale: Scale) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{}</text>", escape(title));
    for percent in [0, 25, 50, 75, 100] {
        let y = Scale::y(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    let step = tick_step(scale.most);
    let mut at = 0.0;
    while at <= scale.most + 1e-9 {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
            scale.x(at),
            BOTTOM + 18.0
        );
        at += step;
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">minutes</text>", BOTTOM + 38.0);
    svg
}

/// Returns a round distance of marks, for at most eight of them.
fn tick_step(most: f64) -> f64 {
    [0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0].into_iter().find(|step| most / step <= 8.0).unwrap_or(480.0)
}

fn curve(svg: &mut String, number: usize, name: &str, points: &[(f64, f64, [f64; 2])], scale: Scale) {
    let colour = COLOURS[number % COLOURS.len()];
    for &(at, _, [low, high]) in points {
        let (x, low, high) = (scale.x(at), Scale::y(low), Scale::y(high));
        let _ = writeln!(svg, "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\" opacity=\"0.35\"/>");
    }
    let path: Vec<_> =
        points.iter().map(|&(at, score, _)| format!("{:.1} {:.1}", scale.x(at), Scale::y(score))).collect();
    let _ = writeln!(svg, "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", path.join("L"));
    let y = TOP + 20.0 * number as f64 + 10.0;
    let last = points.last().map_or(String::new(), |point| format!(" {:.0} %", 100.0 * point.1));
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {y}h18\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{}\">{}{last}</text>",
        RIGHT + 14.0,
        RIGHT + 38.0,
        y + 4.0,
        escape(name)
    );
}

/// Returns text as it stands in SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(svg.matches("stroke-width=\"2\"/><text").count(), 2);
        assert_eq!(svg.matches("opacity").count(), 6);
        assert!(svg.contains("a&lt;b 50 %"));
        assert_eq!(svg, learning_curve("run", &[line(1), line(2), line(3)]));
    }
}

//! A result as a picture: Elo over the logarithm of the core-seconds.

use gipf_play::arena::ladder::Rating;

use super::curve::{Curve, median_at};
use super::result::{BY, TARGETS, TrainingResult};
use crate::plot::{Axis, COLOURS, Plot};

/// All judges, alpha-beta and networks.
const NAMES: [&str; 3] = ["all judges", "alpha-beta", "networks"];
/// The colours of other results; they repeat if there are more.
const OTHERS: [&str; 4] = ["#666666", COLOURS[3], COLOURS[4], COLOURS[5]];
/// The distance between the lines of equal Elo.
const STEP: f64 = 200.0;
/// The most such lines; a larger range has a larger distance.
const MOST_LINES: f64 = 20.0;

/// Returns an SVG picture of a result: each seed as a thin line with the intervals of its ratings; as thick lines the
/// medians by all judges and by each kind, and the medians by all judges of other results, with their names.
pub fn picture(title: &str, result: &TrainingResult, others: &[(String, TrainingResult)]) -> String {
    let lines = lines(result, others);
    let seeds = result.curves(BY[0]);
    let intervals = intervals(result);
    let points = lines.iter().flat_map(|line| &line.points).chain(seeds.iter().flat_map(Curve::points)).copied();
    let ends = intervals.iter().flat_map(|&(cost, [low, high])| [(cost, low), (cost, high)]);
    let mut plot = frame(title, points.chain(ends));
    let colour = COLOURS[0];
    for seed in &seeds {
        plot.line(seed.points(), &format!("class=\"seed\" stroke=\"{colour}\" opacity=\"0.45\""));
    }
    for (cost, ends) in intervals {
        let style = format!("class=\"interval\" stroke=\"{colour}\" stroke-width=\"4\" opacity=\"0.2\"");
        plot.interval(cost, ends, &style);
    }
    for line in &lines {
        line.draw(&mut plot);
    }
    plot.finish()
}

/// The medians of a result by all judges and by each kind, and the medians of the others by all judges.
fn lines(result: &TrainingResult, others: &[(String, TrainingResult)]) -> Vec<Line> {
    let of = |((&by, name), colour): ((&_, &str), _)| Line {
        name: name.to_owned(),
        colour,
        dashed: name != NAMES[0],
        points: medians(result, &result.curves(by)),
    };
    let beside = |((name, other), colour): (&(String, TrainingResult), _)| {
        let scale = result.prices.yardstick / other.prices.yardstick;
        let curves: Vec<_> = other.curves(BY[0]).iter().map(|curve| curve.scaled(scale)).collect();
        Line { name: name.clone(), colour, dashed: false, points: medians(other, &curves) }
    };
    let own = BY.iter().zip(NAMES).zip(COLOURS).map(of);
    own.chain(others.iter().zip(OTHERS.into_iter().cycle()).map(beside)).collect()
}

/// The medians of the curves at the marks of their result.
fn medians(result: &TrainingResult, curves: &[Curve]) -> Vec<(f64, f64)> {
    let at = |mark: f64| Some((mark, median_at(curves, mark)?));
    result.marks().into_iter().filter_map(at).collect()
}

/// The cost of each checkpoint, and the interval of its rating by all judges.
fn intervals(result: &TrainingResult) -> Vec<(f64, [f64; 2])> {
    let found = result.seeds.iter().flat_map(|seed| &seed.checkpoints);
    let interval = |Rating { elo, margin, .. }: Rating| [elo - margin, elo + margin];
    found.filter_map(|found| Some((found.cost.core_seconds, interval(found.simulations.all?)))).collect()
}

/// Medians with a name in the picture.
struct Line {
    name: String,
    colour: &'static str,
    dashed: bool,
    points: Vec<(f64, f64)>,
}

impl Line {
    fn draw(&self, plot: &mut Plot) {
        let Self { name, colour, dashed, points } = self;
        let dashes = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let style = format!("stroke=\"{colour}\" stroke-width=\"2.5\"{dashes}");
        plot.line(points, &style);
        let last = points.last().map_or_else(String::new, |(_, elo)| format!(" {elo:.0}"));
        plot.name(&format!("{name}{last}"), &style);
    }
}

/// Returns an empty picture whose axes hold these points of cost and Elo.
fn frame(title: &str, points: impl Iterator<Item = (f64, f64)>) -> Plot {
    let (mut costs, mut elo) = ([f64::MAX, 0.0], [TARGETS[0] - STEP, TARGETS[1]]);
    let widened = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
    for point in points {
        (costs, elo) = (widened(costs, point.0), widened(elo, point.1));
    }
    let [first, last] = if costs[0] > costs[1] { [60.0, 120.0] } else { costs };
    let across = Axis::Logarithmic([first / 1.1, last * 1.1]);
    let step =
        std::iter::successors(Some(STEP), |step| Some(2.0 * step)).find(|step| elo[1] - elo[0] <= MOST_LINES * step);
    let step = step.expect("doubling a step makes it long enough");
    let [low, high] = [(elo[0] / step).floor(), (elo[1] / step).ceil()];
    let up = Axis::Linear([low * step, high * step]);
    let mut plot = Plot::new(title, "core-seconds, judging excluded", [across, up]);
    for elo in (low as i32..=high as i32).map(|number| f64::from(number) * step) {
        plot.mark_y(elo, &elo.to_string());
    }
    // Every doubling of a minute within the range.
    let doublings = (-12..24).map(|power| 60.0 * 2_f64.powi(power));
    doublings.filter(|&cost| across.shows(cost)).for_each(|cost| plot.mark_x(cost, &cost.to_string()));
    plot
}

#[cfg(test)]
mod tests {
    use super::super::curve::log2;
    use super::super::result::tests::result;
    use super::*;

    #[test]
    fn a_picture_has_a_line_for_each_seed_and_each_kind_of_judge() {
        let found = result(&[0.0, 100.0, -50.0], |cost| 150.0 * log2(cost));
        let svg = picture("a <b>", &found, &[]);
        assert_eq!((svg.matches("class=\"seed\"").count(), svg.matches("<text x=\"628.0\"").count()), (3, 3));
        // Four checkpoints of each seed.
        assert_eq!(svg.matches("class=\"interval\"").count(), 12);
        assert!(svg.contains("a &lt;b&gt;") && svg.contains(">480</text>") && svg.contains(">1400</text>"), "{svg}");
        let others = ["before & after", "a third"].map(|name| (name.to_owned(), found.clone()));
        let svg = picture("all", &found, &others);
        for (text, colour) in [(">before &amp; after ", OTHERS[0]), (">a third ", OTHERS[1])] {
            assert!(svg.contains(text) && svg.contains(colour), "{svg}");
        }
        let high = picture("high", &result(&[0.0], |cost| 15_000.0 * log2(cost)), &[]);
        assert!(high.matches("<text").count() < 60, "{high}");
        let mut alone = found.clone();
        for checkpoint in alone.seeds[1..].iter_mut().flat_map(|seed| &mut seed.checkpoints) {
            checkpoint.simulations.all = None;
        }
        let svg = picture("one seed", &alone, &[]);
        assert!(svg.matches("class=\"seed\"").count() == 1 && svg.contains(">all judges</text>"), "no median: {svg}");
        let empty = TrainingResult { seeds: Vec::new(), ..found };
        assert!(picture("nothing", &empty, &[]).ends_with("</svg>\n"));
    }
}

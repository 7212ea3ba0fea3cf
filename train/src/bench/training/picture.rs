//! A result as a picture: Elo over the logarithm of the core-seconds.

use std::fmt::Write;

use gipf_env::math::wide;
use gipf_play::arena::ladder::Rating;

use super::curve::{Curve, median};
use super::result::{BY, TARGETS, TrainingResult};
use crate::training::metrics::escape;

/// The size of the picture and of the frame within it, in pixels.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 590.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 370.0;

/// All judges, alpha-beta and networks: colours that people with colour blindness can distinguish (Okabe and Ito).
const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];
const NAMES: [&str; 3] = ["all judges", "alpha-beta", "networks"];
/// Other results, again from the first if there are more.
const OTHERS: [&str; 4] = ["#666666", "#cc79a7", "#e69f00", "#56b4e9"];

/// Returns an SVG picture of a result: each seed as a thin line with the intervals of its ratings, the medians by all judges
/// and by each kind as thick ones, and those by all judges of other results, with their names.
pub fn picture(title: &str, result: &TrainingResult, others: &[(String, TrainingResult)]) -> String {
    let mut lines: Vec<_> = BY
        .iter()
        .zip(NAMES)
        .zip(COLOURS)
        .map(|((&by, name), colour)| Line {
            name: name.to_owned(),
            colour,
            dashed: name != NAMES[0],
            points: medians(result, &result.curves(by)),
        })
        .collect();
    for ((name, other), colour) in others.iter().zip(OTHERS.into_iter().cycle()) {
        let scale = result.prices.yardstick / other.prices.yardstick;
        let curves: Vec<_> = other.curves(BY[0]).iter().map(|curve| curve.scaled(scale)).collect();
        let points = medians(other, &curves);
        lines.push(Line { name: escape(name), colour, dashed: false, points });
    }
    let seeds = result.curves(BY[0]);
    let intervals = intervals(result);
    let points = lines.iter().flat_map(|line| &line.points).chain(seeds.iter().flat_map(Curve::points)).copied();
    let ends = intervals.iter().flat_map(|&(cost, [low, high])| [(cost, low), (cost, high)]);
    let frame = Frame::around(points.chain(ends));
    let mut svg = frame.svg(title);
    for seed in &seeds {
        let _ = writeln!(
            svg,
            "<path class=\"seed\" d=\"{}\" fill=\"none\" stroke=\"{}\" opacity=\"0.45\"/>",
            frame.path(seed.points()),
            COLOURS[0]
        );
    }
    for (cost, elo) in intervals {
        let (x, [low, high]) = (frame.x(cost), elo.map(|elo| frame.y(elo)));
        let _ = writeln!(
            svg,
            "<path class=\"interval\" d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{}\" stroke-width=\"4\" opacity=\"0.2\"/>",
            COLOURS[0]
        );
    }
    for (number, line) in lines.iter().enumerate() {
        line.draw(&mut svg, number, frame);
    }
    svg.push_str("</svg>\n");
    svg
}

/// The medians of the curves at the marks of their result.
fn medians(result: &TrainingResult, curves: &[Curve]) -> Vec<(f64, f64)> {
    let at = |mark: f64| Some((mark, median(curves.iter().filter_map(|curve| curve.at(mark)).collect())?));
    result.marks().into_iter().filter_map(at).collect()
}

/// The cost of each checkpoint and the interval of its rating by all judges.
fn intervals(result: &TrainingResult) -> Vec<(f64, [f64; 2])> {
    let found = result.seeds.iter().flat_map(|seed| &seed.checkpoints);
    let interval = |Rating { elo, margin, .. }: Rating| [elo - margin, elo + margin];
    found.filter_map(|found| Some((found.cost.core_seconds, interval(found.simulations.all?)))).collect()
}

struct Line {
    name: String,
    colour: &'static str,
    dashed: bool,
    points: Vec<(f64, f64)>,
}

impl Line {
    fn draw(&self, svg: &mut String, number: usize, frame: Frame) {
        let Self { name, colour, .. } = self;
        let dashes = if self.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"{dashes}");
        let _ = writeln!(svg, "<path d=\"{}\" {style}/>", frame.path(&self.points));
        let y = TOP + 20.0 * number as f64 + 10.0;
        let last = self.points.last().map_or_else(String::new, |point| format!(" {:.0}", point.1));
        let (from, text) = (RIGHT + 14.0, RIGHT + 38.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{from:.1} {y}h18\" {style}/><text x=\"{text:.1}\" y=\"{}\">{name}{last}</text>",
            y + 4.0
        );
    }
}

/// The ranges of cost and Elo that are shown.
#[derive(Clone, Copy)]
struct Frame {
    costs: [f64; 2],
    elo: [f64; 2],
}

/// The distance of the lines of equal Elo.
const STEP: f64 = 200.0;

impl Frame {
    fn around(points: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut frame = Self { costs: [f64::MAX, 0.0], elo: [TARGETS[0] - STEP, TARGETS[1]] };
        for (cost, elo) in points {
            frame.costs = [frame.costs[0].min(cost), frame.costs[1].max(cost)];
            frame.elo = [frame.elo[0].min(elo), frame.elo[1].max(elo)];
        }
        let costs = if frame.costs[0] > frame.costs[1] { [60.0, 120.0] } else { frame.costs };
        Self {
            costs: [costs[0] / 1.1, costs[1] * 1.1],
            elo: [(frame.elo[0] / STEP).floor() * STEP, (frame.elo[1] / STEP).ceil() * STEP],
        }
    }

    fn x(self, cost: f64) -> f64 {
        let [low, high] = self.costs.map(wide::ln);
        LEFT + (RIGHT - LEFT) * (wide::ln(cost) - low) / (high - low)
    }

    fn y(self, elo: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * (elo - self.elo[0]) / (self.elo[1] - self.elo[0])
    }

    fn path(self, points: &[(f64, f64)]) -> String {
        let points: Vec<_> =
            points.iter().map(|&(cost, elo)| format!("{:.1} {:.1}", self.x(cost), self.y(elo))).collect();
        format!("M{}", points.join("L"))
    }

    fn svg(self, title: &str) -> String {
        let title = escape(title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{title}</text>\n"
        );
        let mut elo = self.elo[0];
        while elo <= self.elo[1] {
            let y = self.y(elo);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{elo}</text>",
                LEFT - 8.0,
                y + 4.0
            );
            elo += STEP;
        }
        // Every doubling of a minute that lies within.
        for cost in (-12..24).map(|power| 60.0 * 2_f64.powi(power)) {
            if (self.costs[0]..=self.costs[1]).contains(&cost) {
                let x = self.x(cost);
                let _ = writeln!(
                    svg,
                    "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#eee\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{cost}</text>",
                    BOTTOM + 18.0
                );
            }
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">core-seconds, judging excluded</text>",
            BOTTOM + 38.0
        );
        svg
    }
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
        let empty = TrainingResult { seeds: Vec::new(), ..found };
        assert!(picture("nothing", &empty, &[]).ends_with("</svg>\n"));
    }
}

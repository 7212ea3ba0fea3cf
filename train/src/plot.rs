//! Lines over two axes as an SVG picture, with the names of the lines beside them.

use std::fmt::Write;

use gipf_env::math::wide;

/// The size of the picture and of the frame within it, in pixels. The names are to the right of the frame.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 590.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 370.0;
/// The distance between two names.
const NAME: f64 = 20.0;

/// Colours that people with colour blindness can distinguish (Okabe and Ito).
pub(crate) const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// The values at the two ends of an axis, and the scale between them.
#[derive(Clone, Copy)]
pub(crate) enum Axis {
    /// Equal differences are equally long.
    Linear([f64; 2]),
    /// Equal ratios are equally long.
    Logarithmic([f64; 2]),
}

impl Axis {
    /// Returns whether a value lies between the ends.
    pub(crate) fn shows(self, value: f64) -> bool {
        let (Self::Linear([low, high]) | Self::Logarithmic([low, high])) = self;
        (low..=high).contains(&value)
    }

    /// Returns the share of the axis that lies before a value.
    fn share(self, value: f64) -> f64 {
        let between = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        match self {
            Self::Linear(ends) => between(value, ends),
            Self::Logarithmic(ends) => between(wide::ln(value), ends.map(wide::ln)),
        }
    }
}

/// A picture to which lines are added, each with a `style`: its attributes as SVG writes them.
pub(crate) struct Plot {
    svg: String,
    x: Axis,
    y: Axis,
    /// The number of names beside the frame.
    names: u32,
}

impl Plot {
    /// Begins a picture; the title and `across`, the label of the horizontal axis, are plain text.
    pub(crate) fn new(title: &str, across: &str, [x, y]: [Axis; 2]) -> Self {
        let (title, across) = (escape(title), escape(across));
        let (middle, under) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0);
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{title}</text>\n\
             <text x=\"{middle}\" y=\"{under:.1}\" text-anchor=\"middle\">{across}</text>\n"
        );
        Self { svg, x, y, names: 0 }
    }

    /// Draws a line from left to right, with the text on its left.
    pub(crate) fn mark_y(&mut self, value: f64, text: &str) {
        let (y, x) = (self.y(value), LEFT - 8.0);
        self.path(&format!("M{LEFT} {y:.1}H{RIGHT}"), "stroke=\"#ddd\"");
        self.text([x, y + 4.0], "end", text);
    }

    /// Draws a faint line from top to bottom, with the text under it.
    pub(crate) fn mark_x(&mut self, value: f64, text: &str) {
        let x = self.x(value);
        self.path(&format!("M{x:.1} {TOP}V{BOTTOM}"), "stroke=\"#eee\"");
        self.text([x, BOTTOM + 18.0], "middle", text);
    }

    /// Draws the line through points.
    pub(crate) fn line(&mut self, points: &[(f64, f64)], style: &str) {
        let points: Vec<_> = points.iter().map(|&(x, y)| format!("{:.1} {:.1}", self.x(x), self.y(y))).collect();
        if !points.is_empty() {
            self.path(&format!("M{}", points.join("L")), &format!("fill=\"none\" {style}"));
        }
    }

    /// Draws the range of a value: a line from its lowest to its highest.
    pub(crate) fn interval(&mut self, x: f64, ends: [f64; 2], style: &str) {
        let (x, [low, high]) = (self.x(x), ends.map(|y| self.y(y)));
        self.path(&format!("M{x:.1} {low:.1}V{high:.1}"), style);
    }

    /// Writes the name of the lines with this style beside the frame.
    pub(crate) fn name(&mut self, name: &str, style: &str) {
        let (x, y) = (RIGHT + 14.0, TOP + NAME * f64::from(self.names) + 10.0);
        self.path(&format!("M{x:.1} {y:.1}h18"), style);
        self.text([x + 24.0, y + 4.0], "start", name);
        self.names += 1;
    }

    /// Returns the picture.
    pub(crate) fn finish(self) -> String {
        self.svg + "</svg>\n"
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.x.share(value)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.y.share(value)
    }

    fn path(&mut self, path: &str, style: &str) {
        let _ = writeln!(self.svg, "<path d=\"{path}\" {style}/>");
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let text = escape(text);
        let _ = writeln!(self.svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
    }
}

/// Returns text escaped for SVG.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_are_differences_on_a_linear_axis_and_ratios_on_a_logarithmic_one() {
        let shares = |axis: Axis, values: [f64; 3]| values.map(|value| axis.share(value));
        assert_eq!(shares(Axis::Linear([10.0, 30.0]), [10.0, 20.0, 30.0]), [0.0, 0.5, 1.0]);
        let found = shares(Axis::Logarithmic([10.0, 1000.0]), [10.0, 100.0, 1000.0]);
        assert!(
            found.iter().zip([0.0, 0.5, 1.0]).all(|(found, expected)| (found - expected).abs() < 1e-12),
            "{found:?}"
        );
    }

    #[test]
    fn names_are_plain_text_one_under_the_other() {
        let mut plot = Plot::new("a <b>", "c & d", [Axis::Linear([0.0, 1.0]); 2]);
        plot.name("e < f", "");
        plot.name("g", "");
        let svg = plot.finish();
        for text in [
            "a &lt;b&gt;",
            "c &amp; d",
            "y=\"62.0\" text-anchor=\"start\">e &lt; f",
            "y=\"82.0\" text-anchor=\"start\">g",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}

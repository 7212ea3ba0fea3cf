//! Ratings over the logarithm of the cost, and statistics over seeds.

use gipf_env::math::wide;
use gipf_play::arena::student;
use serde::{Deserialize, Serialize};

/// The ratings of a training over its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve(Vec<(f64, f64)>);

/// How far beyond its ends a curve is known, as a factor of the cost: an iteration may end a little after a mark, and
/// a run a little before it.
const BEYOND: f64 = 1.25;

impl Curve {
    /// Returns the curve through points of core-seconds and Elo, the cheapest first.
    pub const fn new(points: Vec<(f64, f64)>) -> Self {
        Self(points)
    }

    /// Returns the curve with all costs multiplied.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|&(cost, elo)| (cost * factor, elo)).collect())
    }

    /// Returns its points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.0
    }

    /// Returns the rating at a cost: along a straight line over the logarithm. A little before the first point the
    /// line continues, and a little after the last the rating stays, since nothing better came out; none further out.
    pub fn at(&self, cost: f64) -> Option<f64> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        if cost * BEYOND < first.0 || cost > last.0 * BEYOND {
            return None;
        }
        let Some(&[a, b]) = self.0.array_windows().find(|[_, b]| cost <= b.0) else {
            return Some(last.1);
        };
        Some(a.1 + (b.1 - a.1) * log2(cost / a.0) / log2(b.0 / a.0))
    }

    /// Returns the cost at which the rating is first reached, or that of the first point if the rating is already
    /// reached there.
    pub fn reaches(&self, elo: f64) -> Option<f64> {
        let first = self.0.first().filter(|first| first.1 >= elo).map(|first| first.0);
        first.or_else(|| {
            let [a, b] = self.0.array_windows().find(|[_, b]| b.1 >= elo)?;
            Some(a.0 * wide::pow(b.0 / a.0, (elo - a.1) / (b.1 - a.1)))
        })
    }

    /// Returns the Elo gained by doubling the cost, by least squares; none for fewer than two points.
    pub fn slope(&self) -> Option<f64> {
        let count = self.0.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| self.0.iter().map(of).sum::<f64>() / count;
        let [x, y] = [mean(|point| log2(point.0)), mean(|point| point.1)];
        let products = self.0.iter().map(|point| (log2(point.0) - x) * (point.1 - y)).sum::<f64>();
        let squares = self.0.iter().map(|point| (log2(point.0) - x).powi(2)).sum::<f64>();
        (squares > 0.0).then(|| products / squares)
    }
}

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the 95 % interval, from the spread of the seeds (Student's t); none for one seed.
    pub margin: Option<f64>,
}

impl Estimate {
    /// Returns the mean of these numbers; none if there are no numbers.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let spread = Spread::of(numbers)?;
        Some(Self { mean: spread.mean, margin: margin(spread.error, spread.freedom) })
    }

    /// Returns the difference of the means of two sets of numbers, whose spreads may differ (Welch 1947).
    pub fn difference(numbers: &[f64], others: &[f64]) -> Option<Self> {
        let (own, other) = (Spread::of(numbers)?, Spread::of(others)?);
        let error = own.error + other.error;
        let part = |spread: Spread| if spread.freedom > 0.0 { spread.error.powi(2) / spread.freedom } else { 0.0 };
        let parts = part(own) + part(other);
        let freedom = if own.freedom * other.freedom == 0.0 {
            0.0
        } else if parts > 0.0 {
            error.powi(2) / parts
        } else {
            own.freedom + other.freedom
        };
        Some(Self { mean: own.mean - other.mean, margin: margin(error, freedom) })
    }
}

/// A mean, its squared standard error, and its degrees of freedom.
#[derive(Clone, Copy)]
struct Spread {
    mean: f64,
    error: f64,
    freedom: f64,
}

impl Spread {
    fn of(numbers: &[f64]) -> Option<Self> {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let freedom = count - 1.0;
        let error = if freedom > 0.0 { squares / freedom / count } else { 0.0 };
        (!numbers.is_empty()).then_some(Self { mean, error, freedom })
    }
}

/// Returns half of the 95 % interval for a squared standard error; none without a degree of freedom.
fn margin(error: f64, freedom: f64) -> Option<f64> {
    (freedom >= 1.0).then(|| student(freedom) * error.sqrt())
}

/// Returns the median, or the mean of the middle two; none if there are no numbers.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = [numbers.len().checked_sub(1)? / 2, numbers.len() / 2];
    Some(f64::midpoint(numbers[middle[0]], numbers[middle[1]]))
}

/// Returns the median of the ratings at a cost; none unless more than half of the curves are known there.
pub fn median_at(curves: &[Curve], cost: f64) -> Option<f64> {
    let known: Vec<_> = curves.iter().filter_map(|curve| curve.at(cost)).collect();
    if 2 * known.len() > curves.len() { median(known) } else { None }
}

/// Returns the median of costs, with infinite costs for seeds that did not reach the rating; none if the median is infinite.
pub fn reach(costs: &[Option<f64>]) -> Option<f64> {
    median(costs.iter().map(|cost| cost.unwrap_or(f64::INFINITY)).collect()).filter(|cost| cost.is_finite())
}

/// Returns the logarithm to base 2.
pub(super) fn log2(number: f64) -> f64 {
    wide::ln(number) / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Curve {
        Curve::new([60.0, 130.0, 250.0, 480.0].map(|cost: f64| (cost, 100.0 * log2(cost) + 500.0)).to_vec())
    }

    fn near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "{found:?} {expected}");
    }

    #[test]
    fn a_curve_is_straight_over_the_logarithm_of_the_cost() {
        for cost in [50.0, 60.0, 77.0, 130.0, 400.0, 480.0_f64] {
            near(line().at(cost), 100.0 * log2(cost) + 500.0);
        }
        near(line().at(590.0), 100.0 * log2(480.0) + 500.0);
        assert_eq!((line().at(47.0), line().at(601.0)), (None, None));
        near(line().slope(), 100.0);
        near(line().reaches(500.0 + 100.0 * log2(200.0)), 200.0);
        near(line().reaches(0.0), 60.0);
        assert_eq!(line().reaches(2000.0), None);
        let point = Curve::new(vec![(60.0, 900.0)]);
        assert_eq!((point.at(70.0), point.at(90.0), point.slope()), (Some(900.0), None, None));
        assert_eq!((Curve::default().at(60.0), Curve::default().reaches(0.0)), (None, None));
    }

    #[test]
    fn means_have_students_intervals() {
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        // The standard deviation is 1.291, its error 0.6455, t with three degrees of freedom 3.182.
        assert!((estimate.mean - 2.5).abs() < 1e-12 && (estimate.margin.unwrap() - 2.054).abs() < 1e-3);
        assert_eq!(Estimate::of(&[7.0]), Some(Estimate { mean: 7.0, margin: None }));
        assert_eq!(Estimate::of(&[]), None);
        // Equal spreads and counts: six degrees of freedom, 2.447 · 0.6455 · √2.
        let both = Estimate::difference(&[11.0, 12.0, 13.0, 14.0], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((both.mean - 10.0).abs() < 1e-12 && (both.margin.unwrap() - 2.234).abs() < 1e-3, "{both:?}");
        assert_eq!(Estimate::difference(&[3.0], &[1.0, 2.0]).unwrap().margin, None);
        assert!((student(30.0) - 2.042).abs() < 0.02 && student(1000.0) < 1.97);
    }

    #[test]
    fn what_half_of_the_seeds_do_not_have_or_reach_has_no_median() {
        assert_eq!(reach(&[Some(100.0), Some(300.0), None]), Some(300.0));
        assert_eq!(reach(&[Some(100.0), None]), None);
        let [low, high] = [100.0, 300.0].map(|elo| Curve::new(vec![(60.0, elo)]));
        let none = Curve::default();
        assert_eq!(median_at(&[low.clone(), high, none.clone()], 60.0), Some(200.0));
        assert_eq!(median_at(&[low, none], 60.0), None);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}

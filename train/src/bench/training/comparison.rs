//! Two results side by side: which of them learns faster.

use serde::Serialize;

use super::curve::{Curve, Estimate, reach};
use super::result::{BY, TARGETS, TrainingResult};

/// A result compared with another one. Costs of the other are those by its own prices, scaled by how fast its machine was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Differences in Elo at equal cost, at each mark that both have reached.
    pub differences: Vec<Difference>,
    /// The costs of reaching a rating.
    pub durations: Vec<Duration>,
    /// The factor by which the other's costs were multiplied.
    pub scale: f64,
    /// The conditions in which the measurements differ, so that their numbers are not on one scale.
    pub unlike: Vec<&'static str>,
}

/// The difference in Elo at a cost: the mean over the seeds, minus that of the other result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The cost, in core-seconds.
    pub core_seconds: f64,
    /// By all judges.
    pub all: Option<Estimate>,
    /// By alpha-beta.
    pub alpha_beta: Option<Estimate>,
    /// By networks.
    pub network: Option<Estimate>,
}

/// The core-seconds until a rating was reached, as medians over the seeds; none if half of the seeds stayed below.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Duration {
    /// The rating.
    pub elo: f64,
    /// Those of the result.
    pub own: Option<f64>,
    /// Those of the other result.
    pub other: Option<f64>,
}

impl Comparison {
    /// Compares two results.
    pub fn new(own: &TrainingResult, other: &TrainingResult) -> Self {
        let scale = own.prices.yardstick / other.prices.yardstick;
        let curves = BY.map(|by| [own.curves(by), other.curves(by).iter().map(|curve| curve.scaled(scale)).collect()]);
        let at = |core_seconds: f64| {
            let [all, alpha_beta, network] = curves.each_ref().map(|both| difference(both, core_seconds));
            Difference { core_seconds, all, alpha_beta, network }
        };
        let duration = |elo: f64| {
            let [own, other] = curves[0]
                .each_ref()
                .map(|curves| reach(&curves.iter().map(|curve| curve.reaches(elo)).collect::<Vec<_>>()));
            Duration { elo, own, other }
        };
        Self {
            differences: own.marks().into_iter().map(at).filter(|found| found.all.is_some()).collect(),
            durations: TARGETS.map(duration).to_vec(),
            scale,
            unlike: unlike(own, other),
        }
    }
}

/// Returns the conditions in which two measurements differ.
fn unlike(own: &TrainingResult, other: &TrainingResult) -> Vec<&'static str> {
    let is_same = [
        ("judges", own.judges == other.judges),
        ("simulations", own.simulations == other.simulations),
        ("cores", own.prices.cores == other.prices.cores),
    ];
    is_same.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect()
}

fn difference(both: &[Vec<Curve>; 2], cost: f64) -> Option<Estimate> {
    let [own, other] =
        both.each_ref().map(|curves| curves.iter().filter_map(|curve| curve.at(cost)).collect::<Vec<_>>());
    Estimate::difference(&own, &other)
}

#[cfg(test)]
mod tests {
    use gipf_env::math::wide;

    use super::super::curve::log2;
    use super::super::result::tests::result;
    use super::*;

    /// Seeds that differ by some 100 Elo around a line; one result is 150 Elo better, by each kind of judge.
    #[test]
    fn a_planted_difference_is_found_within_its_interval() {
        let noise = [-110.0, 40.0, 90.0, -30.0];
        let [plain, better] = [0.0, 150.0].map(|extra| result(&noise, |cost| 200.0 * log2(cost) + extra));
        let comparison = Comparison::new(&better, &plain);
        assert_eq!(comparison.differences.len(), 4);
        for found in &comparison.differences {
            for (estimate, expected) in [(found.all, 150.0), (found.alpha_beta, 150.0), (found.network, 150.0)] {
                let estimate = estimate.unwrap();
                let margin = estimate.margin.unwrap();
                assert!((estimate.mean - expected).abs() < 1e-6 && margin > 80.0 && margin < 250.0, "{estimate:?}");
            }
        }
        let [early, _] = [comparison.durations[0], comparison.durations[1]];
        let ratio = early.other.unwrap() / early.own.unwrap();
        assert!((ratio / wide::pow(2.0, 0.75) - 1.0).abs() < 0.02, "150 Elo at 200 a doubling: {ratio}");
        let same = Comparison::new(&plain, &plain);
        assert!(same.differences.iter().all(|found| found.all.unwrap().mean == 0.0) && same.unlike.is_empty());
        let mut longer = plain.clone();
        (longer.simulations, longer.prices.cores) = (6400, 64);
        assert_eq!(Comparison::new(&plain, &longer).unlike, ["simulations", "cores"]);
    }

    #[test]
    fn costs_of_a_slower_machine_are_scaled() {
        let plain = result(&[0.0, 0.0], |cost| 200.0 * log2(cost));
        let mut slow = result(&[0.0, 0.0], |cost| 200.0 * log2(cost / 2.0));
        slow.prices.yardstick *= 2.0;
        for seed in &mut slow.seeds {
            seed.checkpoints.iter_mut().for_each(|found| found.cost.core_seconds *= 2.0);
        }
        let comparison = Comparison::new(&plain, &slow);
        assert_eq!(comparison.scale, 0.5);
        for found in comparison.differences {
            let mean = found.all.unwrap().mean;
            assert!((mean - 200.0).abs() < 1e-6, "{mean}");
        }
    }
}

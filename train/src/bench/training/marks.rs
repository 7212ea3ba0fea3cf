//! The checkpoints that are rated, chosen by their cost.

use std::iter::successors;

use serde::{Deserialize, Serialize};

use super::prices::Prices;
use crate::training::metrics::{IterationMetrics, Work};

/// The cost of a training up to the end of an iteration. Measuring the network is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Core-seconds, from counted work and its prices.
    pub core_seconds: f64,
    /// The work.
    pub work: Work,
    /// The CPU seconds actually spent, which depend on the load of the machine.
    pub cpu_seconds: f64,
    /// The wall-clock seconds.
    pub wall_seconds: f64,
}

/// A checkpoint to be rated: that of the first iteration that ended with this cost or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// The cost asked for, in core-seconds.
    pub mark: f64,
    /// The iteration.
    pub iteration: u32,
    /// The cost when it ended.
    pub cost: Cost,
}

/// The first mark, in core-seconds; each of the others is twice the one before.
const FIRST: f64 = 60.0;
/// A mark closer than this to the last one, as a share of it, would add nothing.
const NEAR: f64 = 0.9;

/// Returns the marks for trainings of this length, in core-seconds: 60, 120, 240 and so on, and the length itself.
pub fn marks(core_seconds: f64) -> Vec<f64> {
    let doubled = successors(Some(FIRST), |mark| Some(2.0 * mark)).take_while(|&mark| mark < NEAR * core_seconds);
    doubled.chain([core_seconds]).collect()
}

/// Returns the cost of a training after each iteration.
pub fn costs(metrics: &[IterationMetrics], prices: &Prices) -> Vec<Cost> {
    let add = |(sum, games): &mut (Cost, u64), line: &IterationMetrics| {
        let both = [line.core_seconds, line.seconds].map(|seconds| seconds.self_play + seconds.learning);
        sum.work = sum.work + line.work;
        sum.core_seconds += prices.after(*games).cost(&line.work);
        *games += line.self_play.games;
        sum.cpu_seconds += both[0];
        sum.wall_seconds += both[1];
        Some(*sum)
    };
    metrics.iter().scan((Cost::default(), 0), add).collect()
}

/// Returns the checkpoints at the marks. If the training ended before a mark, its last checkpoint stands for that
/// mark, and there are no more.
pub fn reached(marks: &[f64], costs: &[Cost]) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    for &mark in marks {
        let place = costs.iter().position(|cost| cost.core_seconds >= mark).or(costs.len().checked_sub(1));
        let Some(place) = place else { break };
        let iteration = place as u32 + 1;
        // One iteration may be so long that it passes two marks.
        if found.last().is_none_or(|last| last.iteration < iteration) {
            found.push(Mark { mark, iteration, cost: costs[place] });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::prices::tests::prices;
    use super::*;
    use crate::training::metrics::Seconds;

    #[test]
    fn marks_double_up_to_the_length() {
        assert_eq!(marks(480.0), [60.0, 120.0, 240.0, 480.0]);
        assert_eq!(marks(450.0), [60.0, 120.0, 240.0, 450.0]);
        assert_eq!(marks(500.0), [60.0, 120.0, 240.0, 500.0], "480 and 500 would say the same");
        assert_eq!(marks(60.0), [60.0]);
        assert_eq!(marks(5.0), [5.0]);
    }

    #[test]
    fn a_mark_is_the_first_iteration_that_costs_as_much() {
        // Each iteration costs 25 core-seconds by its work; the clocks show 37.5 seconds of CPU time and 20 of
        // wall-clock time.
        let work = Work { evaluations: 25_000_000, ..Work::default() };
        let seconds =
            |factor: f64| Seconds { self_play: 20.0 * factor, learning: 5.0 * factor, evaluation: 1e3, watch: 0.0 };
        let line =
            IterationMetrics { work, core_seconds: seconds(1.5), seconds: seconds(0.8), ..IterationMetrics::default() };
        let costs = costs(&vec![line; 7], &prices(2));
        let last = costs[6];
        assert!((last.core_seconds - 175.0).abs() < 1e-9 && (last.cpu_seconds - 262.5).abs() < 1e-9);
        assert!((last.wall_seconds - 140.0).abs() < 1e-9, "evaluation is left out");
        let iterations = |marks: &[f64]| -> Vec<_> {
            reached(marks, &costs).into_iter().map(|mark| (mark.mark, mark.iteration)).collect()
        };
        assert_eq!(iterations(&[60.0, 75.0, 120.0]), [(60.0, 3), (120.0, 5)], "the third iteration passes two");
        assert_eq!(iterations(&[60.0, 400.0, 800.0]), [(60.0, 3), (400.0, 7)], "the end stands for what is beyond");
        assert!(reached(&[60.0], &[]).is_empty());
    }
}

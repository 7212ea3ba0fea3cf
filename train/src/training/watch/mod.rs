//! Watches over a run: if a network does not learn, it says in one line what is wrong, and where to read on.
//!
//! Three checks of each iteration find faults: [`of_games`] looks at games, samples and the evaluations used in play,
//! [`of_learning`] at what the learner did to its weights, [`of_metrics`] at the numbers of the last iterations. They
//! are pure functions of plain data; [`Watch`] reports each fault once.

mod finding;
mod games;
mod learning;
mod rules;

use std::collections::BTreeSet;

pub use self::finding::{Fault, Finding};
pub use self::games::of_games;
pub use self::learning::{LearnerState, of_learning};
pub use self::rules::of_metrics;
use super::metrics::IterationMetrics;
use super::settings::LearningConfig;

/// The iterations that are looked at together.
const REMEMBERED: usize = 8;

/// Remembers what it has seen and reported of a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The last iterations, the newest last.
    history: Vec<IterationMetrics>,
    /// What was wrong in the last one.
    present: BTreeSet<Fault>,
}

impl Watch {
    /// Begins after the iterations that a run has completed. Faults that are still there are reported again, to
    /// whoever resumes it.
    pub fn after(mut history: Vec<IterationMetrics>) -> Self {
        history.drain(..history.len().saturating_sub(REMEMBERED));
        Self { history, present: BTreeSet::new() }
    }

    /// Takes the metrics of an iteration and the findings of the other checks, and returns what is to be reported:
    /// each fault when it appears, and again only if it went away in between.
    pub fn say(
        &mut self,
        metrics: &IterationMetrics,
        mut found: Vec<Finding>,
        learning: &LearningConfig,
    ) -> Vec<Finding> {
        self.history.push(metrics.clone());
        let from = self.history.len().saturating_sub(REMEMBERED);
        self.history.drain(..from);
        found.extend(of_metrics(&self.history, learning));
        let before = std::mem::take(&mut self.present);
        found.retain(|finding| self.present.insert(finding.fault) && !before.contains(&finding.fault));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_said_when_it_appears_and_again_only_when_it_comes_back() {
        let (mut watch, learning) = (Watch::default(), LearningConfig::default());
        let finding = Finding::new(Fault::Symmetry, "a".to_owned(), "b");
        let mut said = |found: &[Finding]| watch.say(&IterationMetrics::default(), found.to_vec(), &learning).len();
        let [one, twice] = [vec![finding.clone()], vec![finding.clone(), finding]];
        assert_eq!([said(&twice), said(&one), said(&[]), said(&one), said(&one)], [1, 0, 0, 1, 0]);
    }
}

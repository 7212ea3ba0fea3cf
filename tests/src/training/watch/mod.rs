//! The watch names planted faults, and reports nothing about clean runs.
//!
//! Faults are implementations of parts of training that are wrong in one point: a game, an evaluator, a learner. Two of
//! them are tested here; `scripts/check-watch` tests all of them, and ten longer clean runs: it sets `GIPF_WATCH` to words
//! that describe the faults to plant.

mod clean;
mod parts;
mod runs;
mod wrong_game;
mod wrong_parts;

use std::time::Instant;

use gipf_train::training::watch::{Fault, Finding};

/// A planted fault, and the name that the watch should give it.
struct Planted {
    what: &'static str,
    fault: Fault,
    /// Trains until the fault is named, or for long enough; returns all findings.
    train: fn(Fault) -> Vec<Finding>,
}

const PLANTED: [Planted; 18] = [
    Planted { what: "a symmetry that is wrong for actions", fault: Fault::Symmetry, train: runs::wrong_symmetry },
    Planted { what: "an optimiser without state after a resume", fault: Fault::Optimizer, train: runs::no_moments },
    Planted { what: "a symmetry that is wrong for what follows", fault: Fault::Symmetry, train: runs::wrong_next },
    Planted { what: "a mask that leaks", fault: Fault::Mask, train: runs::wrong_mask },
    Planted { what: "a placement limit that ends all games", fault: Fault::Limit, train: runs::cut_off },
    Planted { what: "a learning rate of 1", fault: Fault::Losses, train: runs::large_steps },
    Planted { what: "a layer of units that never fire", fault: Fault::StillWeights, train: runs::dead_layer },
    Planted { what: "most units of a layer dead", fault: Fault::DeadUnits, train: runs::dead_units },
    Planted { what: "the value's sign flipped for Black", fault: Fault::ValueSign, train: wrong_parts::flipped },
    Planted { what: "targets of another position", fault: Fault::Targets, train: wrong_parts::shifted_targets },
    Planted { what: "a learning rate of 0 in the optimiser", fault: Fault::LearningRate, train: wrong_parts::no_rate },
    Planted { what: "a schedule stuck in its warm-up", fault: Fault::LearningRate, train: wrong_parts::stuck_schedule },
    Planted { what: "a cache that returns old answers", fault: Fault::Answers, train: wrong_parts::old_answers },
    Planted { what: "a first layer without gradient", fault: Fault::StillWeights, train: wrong_parts::still_layer },
    Planted { what: "results of other games", fault: Fault::BlindValues, train: wrong_parts::foreign_results },
    Planted { what: "targets drawn at random", fault: Fault::Unfollowed, train: wrong_parts::random_targets },
    Planted { what: "a judge without doubt", fault: Fault::Saturated, train: wrong_parts::certain },
    Planted { what: "a window that takes nothing new", fault: Fault::Window, train: wrong_parts::closed_window },
];

impl Planted {
    fn check(&self) {
        let began = Instant::now();
        let said = (self.train)(self.fault);
        let seconds = began.elapsed().as_secs_f64();
        let named = said.iter().find(|finding| finding.fault == self.fault);
        println!("{:<44} {seconds:>5.1} s  {}", self.what, named.map_or("NOT NAMED".to_owned(), Finding::to_string));
        assert!(named.is_some(), "{}: {said:?}", self.what);
        assert!(seconds < 120.0, "{}: named after {seconds:.0} s", self.what);
    }
}

#[test]
fn planted_faults_are_named() {
    let words = std::env::var("GIPF_WATCH");
    let wanted = |planted: &&Planted| words.as_ref().is_ok_and(|words| planted.what.contains(words));
    let chosen: Vec<_> =
        if words.is_ok() { PLANTED.iter().filter(wanted).collect() } else { PLANTED[..2].iter().collect() };
    assert!(!chosen.is_empty(), "GIPF_WATCH: no fault is described by {words:?}");
    chosen.into_iter().for_each(Planted::check);
}

/// The page has a section for each fault.
#[test]
fn every_fault_is_explained() {
    let page = include_str!("../../../../docs/not-learning.md");
    let anchors: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|title| title.to_lowercase().replace(' ', "-"))
        .collect();
    for (_, section) in Fault::ALL.map(Fault::words) {
        assert!(anchors.iter().any(|anchor| anchor == section), "docs/not-learning.md has no section {section}");
    }
}

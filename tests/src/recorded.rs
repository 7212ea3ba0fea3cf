//! The recorded games as lists of decisions, for tests that replay them in other ways.

use std::io::Read;

use flate2::read::GzDecoder;
use gipf_env::notation::Ledger;
use gipf_env::{Action, ActionIndex, Phase, Setup, Variant};
use serde::Deserialize;

const FILES: [&[u8]; 2] = [include_bytes!("../data/games.ndjson.gz"), include_bytes!("../data/positions.ndjson.gz")];

/// A recorded game; it may stop anywhere.
pub struct Recorded {
    /// The start.
    pub setup: Setup,
    /// All decisions.
    pub actions: Vec<Action>,
}

#[derive(Deserialize)]
struct Line {
    rules: String,
    potentials: u8,
    start: Option<String>,
    limit: Option<u16>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    action: u16,
}

/// Returns the recorded games of every rule set but push-off.
pub fn games() -> Vec<Recorded> {
    let mut text = String::new();
    for file in FILES {
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
    }
    text.lines().map(|line| read(&serde_json::from_str(line).unwrap())).filter(|game| !is_push_off(game)).collect()
}

fn is_push_off(game: &Recorded) -> bool {
    game.setup.variant.is_push_off()
}

fn read(line: &Line) -> Recorded {
    let variant: Variant = line.rules.parse().unwrap();
    let setup = match &line.start {
        Some(text) => text.parse().unwrap(),
        None if variant.has_zertz() => Setup::start(variant).with_potentials(line.potentials).unwrap(),
        None => Setup::start(variant),
    };
    let actions = line.steps.iter().map(|step| Action::from_index(ActionIndex(step.action)).unwrap());
    Recorded { setup: setup.with_placement_limit(line.limit), actions: actions.collect() }
}

impl Recorded {
    /// Returns the ledger at the start of each whole turn, and the decisions of the turn.
    pub fn turns(&self) -> Vec<(Ledger, Vec<Action>)> {
        let mut ledger = Ledger::new(&self.setup).unwrap();
        let mut turns = Vec::new();
        ledger.take_finished();
        let mut start = ledger.clone();
        for &action in &self.actions {
            ledger.play(action).unwrap();
            let finished = ledger.take_finished();
            if let Some(turn) = finished.first() {
                turns.push((std::mem::replace(&mut start, ledger.clone()), turn.actions.clone()));
            }
            if finished.len() > 1 {
                turns.push((ledger.clone(), Vec::new()));
            }
        }
        turns
    }

    /// Returns the ledger before each placement, and the decisions up to the next one or to the end of the game.
    pub fn spans(&self) -> Vec<(Ledger, Vec<Action>)> {
        let mut ledger = Ledger::new(&self.setup).unwrap();
        let mut spans: Vec<(Ledger, Vec<Action>)> = Vec::new();
        for &action in &self.actions {
            if action.is_placement() {
                spans.push((ledger.clone(), vec![action]));
            } else if let Some((_, actions)) = spans.last_mut() {
                actions.push(action);
            }
            ledger.play(action).unwrap();
        }
        if ledger.position().outcome().is_none() && ledger.position().phase() != Phase::Push {
            // The record stops before everything was decided.
            spans.pop();
        }
        spans
    }
}

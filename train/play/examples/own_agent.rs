//! A custom agent in a match against the baseline AI: `cargo run --release --example own_agent`.
//!
//! One implementation of [`Agent`] is enough to play in matches, ladders, datasets and engines.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use gipf_env::{Action, GipfPosition, Position, Variant};
use gipf_play::Stop;
use gipf_play::arena::{MatchConfig, MatchError, Monitor, play_match};
use gipf_play::players::{Agent, AgentSpec, Choice, Contender, Fault, TurnLimits};

/// Plays so that the opponent has as few actions as possible.
struct Strangler;

impl Agent<GipfPosition> for Strangler {
    fn begin(&mut self, _start: &GipfPosition, _opening: &[Action], _seed: u64) {}

    fn choose(&mut self, position: &GipfPosition, _limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        let freedom = |action: &Action| position.after(*action).legal_actions().count();
        let action = position.legal_actions().min_by_key(freedom).expect("the game is not over");
        Ok(Choice::unsearched(action))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = Contender { name: "strangler".to_owned(), build: Box::new(|| Box::new(Strangler)) };
    let config = MatchConfig::new(Variant::STANDARD, 50);
    for name in ["random", "greedy", "alpha-beta:1"] {
        let other = name.parse::<AgentSpec>()?.contender(config.variant)?;
        let report = report(&config, [&own, &other])?;
        println!("{report}\n");
    }
    Ok(())
}

/// Plays a match to its end.
fn report(config: &MatchConfig, contenders: [&Contender<GipfPosition>; 2]) -> Result<String, MatchError> {
    let monitor = Monitor { progress: &|_| (), stop: &Stop::default(), keeper: None };
    Ok(play_match(config, contenders, monitor)?.report.to_string())
}

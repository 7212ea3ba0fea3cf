//! Fits a small network to games of the baseline AI, then lets it play a match:
//! `cargo run --release -p gipf-train --example fit_network`, less than a minute.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Engine, LineConfig, NetKind};
use gipf_play::arena::{MatchConfig, Monitor, play_match};
use gipf_play::players::{AgentSpec, Contender, Mcts, Thinking};
use gipf_play::search::SearchConfig;
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::fit::{FitConfig, FitLength, FitMetrics, FitReporter, Fitted, fit};
use gipf_train::training::{
    AgentAssignment, AgentPlayConfig, LearningConfig, PackedSamples, Split, play_agent_games, samples,
};

const GAMES: u64 = 400;
/// One game in this many is held out, to measure with.
const HELD_OUT: u64 = 10;

/// Reports nothing.
struct Quiet;

impl FitReporter for Quiet {
    fn stepped(&mut self, _steps: u64, _progress: f64) {}

    fn measured(&mut self, _metrics: &FitMetrics) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let split = dataset()?;
    println!("{} samples to learn from, {} held out", split.learned.len(), split.held_out.len());
    let fitted = fit(&split, &config(), &mut Quiet, &Stop::default())?;
    if let Some(found) = fitted.metrics.held_out {
        let value = found.value_loss.expect("games of the baseline AI have results");
        println!("policy loss {:.3}, value loss {value:.3}", found.policy_loss);
    }
    play(&fitted)
}

/// Returns the decisions of the baseline AI in games against itself that begin with random decisions.
fn dataset() -> Result<Split<PackedSamples<GipfPosition>>, Box<dyn std::error::Error>> {
    let teacher = "alpha-beta:2".parse::<AgentSpec>()?.contender(Variant::STANDARD)?;
    let start = GipfPosition::start(Variant::STANDARD);
    let config = AgentPlayConfig { random_plies: 10, noise: 0.05 };
    let assignment = AgentAssignment { start: &start, first_id: 0, games: GAMES, seed: 1, config };
    let mut split = Split::<PackedSamples<_>>::default();
    for game in play_agent_games(&assignment, &teacher.build, &|_| (), &Stop::default()) {
        let part = split.part(game.id % HELD_OUT == 0);
        for sample in &samples(&game, 0.0) {
            part.push(sample);
        }
    }
    Ok(split)
}

fn config() -> FitConfig {
    let line = LineConfig { features: 8, hidden: 32, mixing: vec![8], value_hidden: 16, ..LineConfig::default() };
    let learning = LearningConfig { batch_size: 128, value_mix: 0.0, warmup_steps: 50, ..LearningConfig::default() };
    let (length, report_every) = (FitLength::Steps(1500), Duration::from_mins(1));
    FitConfig { net: NetKind::Line(line), from: None, learning, length, report_every, seed: 1 }
}

/// Lets the network play a match, with a few simulations.
fn play(fitted: &Fitted) -> Result<(), Box<dyn std::error::Error>> {
    let checkpoint = fitted.checkpoint("standard");
    let engine = Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?);
    let agent =
        move || Mcts::new(SearchConfig::play(), NetEvaluator::new(Arc::clone(&engine)), Thinking::Simulations(16));
    let own = Contender { name: "fitted".to_owned(), build: Box::new(move || Box::new(agent())) };
    let config = MatchConfig::new(Variant::STANDARD, 100);
    for name in ["random", "greedy"] {
        let other = name.parse::<AgentSpec>()?.contender(config.variant)?;
        let monitor = Monitor { progress: &|_| (), stop: &Stop::default(), keeper: None };
        println!("{}\n", play_match(&config, [&own, &other], monitor)?.report);
    }
    Ok(())
}

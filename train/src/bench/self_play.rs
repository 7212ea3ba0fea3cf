//! How fast games of self-play are.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use gipf_env::{EnvOptions, GipfPosition, Variant};
use gipf_models::Engine;
use serde::Serialize;

use super::{Measurement, Watch, in_rounds};
use crate::Stop;
use crate::evaluator::NetEvaluator;
use crate::search::SearchConfig;
use crate::self_play::{Assignment, SelfPlayConfig, play_games};

/// A network that plays against itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its name.
    pub network: String,
    /// The rule set.
    pub variant: Variant,
    /// Simulations of a full search.
    pub full_simulations: u32,
    /// Simulations of a cheap search.
    pub cheap_simulations: u32,
    /// Games of a round.
    pub games: u64,
}

/// Plays games, and returns what was measured of games and of evaluated positions.
///
/// # Panics
/// If the engine is not one of the rule set.
pub fn measure(subject: &Subject, engine: &Arc<Engine>, threads: usize, rounds: usize) -> [Measurement<Subject>; 2] {
    let config = SelfPlayConfig {
        full_simulations: subject.full_simulations,
        cheap_simulations: subject.cheap_simulations,
        ..SelfPlayConfig::default()
    };
    let start = GipfPosition::from_setup(&EnvOptions::new(subject.variant).setup);
    let start = start.expect("the start of a game is a valid position");
    let search = SearchConfig::default();
    let work =
        Assignment { start: &start, first_id: 0, games: subject.games, seed: 1, config: &config, search: &search };
    let mut evaluations = Vec::new();
    let games = in_rounds(threads, rounds, || {
        let (mut watch, counter) = (Watch::default(), AtomicU64::new(0));
        let evaluator = || NetEvaluator::new(engine.clone()).counting(&counter);
        let games = watch.run(|| play_games(&work, evaluator, &|_| (), &Stop::default()));
        let decisions = games.iter().map(|game| game.decisions.len() as u64).sum();
        evaluations.push(watch.round(counter.into_inner(), decisions));
        watch.round(games.len() as u64, decisions)
    });
    [
        Measurement::of(subject.clone(), threads, "games", &games),
        Measurement::of(subject.clone(), threads, "evaluations", &evaluations),
    ]
}

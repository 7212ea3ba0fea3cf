//! How fast games of self-play are.

use std::sync::Arc;

use gipf_env::{EnvOptions, GipfPosition, Variant};
use gipf_models::Engine;
use gipf_play::search::SearchConfig;
use gipf_play::{CacheConfig, EvaluationCounts, NetEvaluator, Stop};
use serde::Serialize;

use super::{Measurement, Stopwatch, in_rounds};
use crate::training::{Assignment, SelfPlayConfig, play_games};

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
    /// The cache of evaluations.
    pub cache: CacheConfig,
}

/// Self-play as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// The network, and how it played.
    #[serde(flatten)]
    pub subject: Subject,
    /// The share of evaluations that were found in the cache, over all rounds; none without a cache.
    pub hit_rate: Option<f64>,
}

/// Plays games, and returns the measurements of games and of evaluated positions.
///
/// # Panics
/// If the engine is not for the rule set.
pub fn measure(subject: &Subject, engine: &Arc<Engine>, threads: usize, rounds: usize) -> [Measurement<Played>; 2] {
    let config = SelfPlayConfig {
        full_simulations: subject.full_simulations,
        cheap_simulations: subject.cheap_simulations,
        cache: subject.cache,
        ..SelfPlayConfig::default()
    };
    let start = GipfPosition::from_setup(&EnvOptions::new(subject.variant).setup);
    let start = start.expect("the start of a game is a valid position");
    let search = SearchConfig::default();
    let work = Assignment {
        start: &start,
        archive: &[],
        first_id: 0,
        games: subject.games,
        seed: 1,
        config: &config,
        search: &search,
    };
    let (mut evaluations, mut found) = (Vec::new(), 0);
    let games = in_rounds(threads, rounds, || {
        let (mut watch, counts) = (Stopwatch::default(), EvaluationCounts::default());
        let evaluator = || NetEvaluator::new(engine.clone()).with_cache(subject.cache).counting(&counts);
        let games = watch.run(|| play_games(&work, evaluator, &|_| (), &Stop::default()));
        let decisions = games.iter().map(|game| game.decisions.len() as u64).sum();
        evaluations.push(watch.round(counts.asked(), decisions));
        found += counts.found();
        watch.round(games.len() as u64, decisions)
    });
    let asked: u64 = evaluations.iter().map(|round| round.count).sum();
    let hit_rate = (subject.cache.megabytes > 0).then(|| found as f64 / asked.max(1) as f64);
    let played = Played { subject: subject.clone(), hit_rate };
    [
        Measurement::of(played.clone(), threads, "games", &games),
        Measurement::of(played, threads, "evaluations", &evaluations),
    ]
}

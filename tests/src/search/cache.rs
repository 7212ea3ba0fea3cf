//! The evaluation cache: kept evaluations change no result.

use std::sync::Arc;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Weights};
use gipf_play::search::{Evaluation, Evaluator, SearchConfig};
use gipf_play::{CacheConfig, EvaluationCounts, NetEvaluator, Stop};
use gipf_train::training::{Assignment, PlayedGame, SelfPlayConfig, play_games};

use crate::environment::canonical::decisions;
use crate::random::limited;

fn engine(variant: Variant) -> Arc<Engine> {
    let small = LineConfig { features: 8, hidden: 16, mixing: vec![8], value_hidden: 8, ..LineConfig::default() };
    let net = NetConfig::of(NetKind::Line(small), &GipfPosition::start(variant)).unwrap();
    Arc::new(Engine::new(&Weights::initial(&net, 1), &net).unwrap())
}

fn evaluations(evaluator: &mut NetEvaluator<'_>, positions: &[GipfPosition]) -> Vec<Evaluation> {
    let mut out = vec![Evaluation::default(); positions.len()];
    evaluator.evaluate(positions, &mut out);
    out
}

#[test]
fn what_is_kept_changes_no_evaluation() {
    for variant in Variant::ALL {
        let (engine, positions, counts) = (engine(variant), decisions(variant), EvaluationCounts::default());
        let cache = CacheConfig { megabytes: 8 };
        let fresh = || NetEvaluator::new(Arc::clone(&engine)).with_cache(cache);
        let alone: Vec<_> =
            positions.iter().flat_map(|position| evaluations(&mut fresh(), std::slice::from_ref(position))).collect();
        let mut evaluator = fresh().counting(&counts);
        assert_eq!(evaluations(&mut evaluator, &positions), alone);
        let first = counts.found();
        assert_eq!(evaluations(&mut evaluator, &positions), alone);
        let n = positions.len() as u64;
        assert_eq!((counts.asked(), counts.found()), (2 * n, first + n), "the second time all are found");
        let plain = evaluations(&mut NetEvaluator::new(Arc::clone(&engine)), &positions);
        assert_eq!(plain, alone);
    }
}

#[test]
fn games_are_the_same_on_any_number_of_threads_with_any_cache() {
    let (start, search, engine) = (limited(Variant::STANDARD, 200), SearchConfig::default(), engine(Variant::STANDARD));
    let play = |threads: usize, parallel_games: usize, cache: CacheConfig| {
        let config = SelfPlayConfig {
            parallel_games,
            full_simulations: 24,
            cheap_simulations: 12,
            cache,
            ..SelfPlayConfig::default()
        };
        let assignment = Assignment {
            start: &start,
            archive: &[],
            first_id: 0,
            games: 20,
            seed: 3,
            config: &config,
            search: &search,
        };
        let counts = EvaluationCounts::default();
        let evaluator = || NetEvaluator::new(Arc::clone(&engine)).with_cache(cache).counting(&counts);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let games = pool.install(|| play_games(&assignment, evaluator, &|_: &PlayedGame<_>| {}, &Stop::default()));
        (games, counts.asked(), counts.found())
    };
    let (plain, asked, _) = play(2, 7, CacheConfig::default());
    let (games, answered, found) = play(1, 7, CacheConfig { megabytes: 1 });
    assert!(games == plain && answered == asked);
    let (same, answered_again, found_by_more) = play(2, 3, CacheConfig { megabytes: 32 });
    assert!(same == plain && answered_again == asked);
    assert!(found > asked / 100 && found_by_more > 0, "{found} and {found_by_more} of {asked}");
}

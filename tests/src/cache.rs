//! The evaluation cache: one image stands for all, and what is kept changes no result.

use std::sync::Arc;

use gipf_env::symmetry::Symmetry;
use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Weights};
use gipf_train::search::{Evaluation, Evaluator, SearchConfig};
use gipf_train::{
    Assignment, CacheConfig, EvaluationCounts, NetEvaluator, PlayedGame, SelfPlayConfig, Stop, play_games,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::random::{crowded, limited, playout};

/// Returns decisions of random games, and some from crowded boards, where rows are removed.
fn decisions(variant: Variant) -> Vec<GipfPosition> {
    let mut positions = Vec::new();
    let mut keep = |position: &GipfPosition| {
        if position.outcome().is_none() {
            positions.push(position.clone());
        }
    };
    for seed in 0..4 {
        playout(&limited(variant, 90), seed, 200, &mut keep);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for seed in 0..60 {
        playout(&crowded(variant, &mut rng), seed, 3, &mut keep);
    }
    positions
}

fn observation(position: &GipfPosition) -> Vec<f32> {
    let mut planes = vec![0.0; position.observation_layout().size()];
    position.observe(&mut planes);
    planes
}

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
fn all_images_have_the_same_canonical_one() {
    for variant in Variant::ALL {
        for position in decisions(variant) {
            let canonical = |position: &GipfPosition| position.canonical_symmetry().position(position);
            let key = canonical(&position).view_key();
            for symmetry in Symmetry::all() {
                let image = symmetry.position(&position);
                assert_eq!(canonical(&image).view_key(), key, "{position:?} {symmetry:?}");
                assert_eq!(observation(&canonical(&image)), observation(&canonical(&position)));
            }
        }
    }
}

#[test]
fn the_view_key_is_that_of_what_is_shown_whichever_colour_one_has() {
    for variant in Variant::ALL {
        let mut seen = std::collections::HashMap::new();
        for position in decisions(variant) {
            assert_eq!(position.with_players_exchanged().view_key(), position.view_key());
            let legal: Vec<_> = position.action_set().indices().collect();
            let shown = (observation(&position), legal);
            let before = seen.entry(position.view_key()).or_insert_with(|| shown.clone());
            assert_eq!(before, &shown, "{position:?}");
        }
        let distinct: std::collections::HashSet<_> =
            seen.values().map(|(planes, _)| planes.iter().map(|value| value.to_bits()).collect::<Vec<_>>()).collect();
        assert_eq!(distinct.len(), seen.len(), "what looks alike has one key");
    }
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

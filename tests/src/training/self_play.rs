//! Self-play: what a game depends on, and what can be learned from it.

use std::sync::Arc;

use gipf_env::{Action, GipfPosition, Player, Position, Reason, Setup, Variant};
use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Weights};
use gipf_play::search::{Evaluation, Evaluator, SearchConfig, UniformEvaluator};
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::metrics::SelfPlayMetrics;
use gipf_train::training::{
    Assignment, Decision, PlayedGame, Sample, SampleConfig, SearchKind, SelfPlayConfig, batch, play_games, samples,
    weighted_samples,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn config() -> SelfPlayConfig {
    SelfPlayConfig { parallel_games: 5, full_simulations: 16, cheap_simulations: 6, ..SelfPlayConfig::default() }
}

fn games(variant: Variant, first_id: u64, games: u64, config: &SelfPlayConfig) -> Vec<PlayedGame<GipfPosition>> {
    let start = GipfPosition::start(variant);
    let assignment =
        Assignment { start: &start, archive: &[], first_id, games, seed: 3, config, search: &SearchConfig::default() };
    play_games(&assignment, || UniformEvaluator, &|_: &PlayedGame<_>| {}, &Stop::default())
}

#[test]
fn a_game_depends_on_its_number_and_not_on_threads_or_neighbours() {
    let start = GipfPosition::start(Variant::STANDARD);
    let small = LineConfig { features: 8, hidden: 16, mixing: vec![8], value_hidden: 8, ..LineConfig::default() };
    let net = NetConfig::of(NetKind::Line(small), &start).unwrap();
    let engine = Arc::new(Engine::new(&Weights::initial(&net, 1), &net).unwrap());
    let search = SearchConfig::default();
    let play = |threads: usize, parallel_games: usize, first_id: u64, games: u64| {
        let config = SelfPlayConfig { parallel_games, ..config() };
        let assignment =
            Assignment { start: &start, archive: &[], first_id, games, seed: 3, config: &config, search: &search };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let evaluator = || NetEvaluator::new(Arc::clone(&engine));
        pool.install(|| play_games(&assignment, evaluator, &|_: &PlayedGame<_>| {}, &Stop::default()))
    };
    let all = play(2, 7, 0, 12);
    assert_eq!(all, play(1, 3, 0, 12));
    assert_eq!(all[4..9], play(3, 1, 4, 5));
    assert!(all.iter().map(|game| game.id).eq(0..12));
}

/// Evaluates all actions alike, and refuses more than this many positions at once.
struct AtMost(usize);

impl Evaluator<GipfPosition> for AtMost {
    fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
        assert!(positions.len() <= self.0, "{} games on one thread", positions.len());
        UniformEvaluator.evaluate(positions, out);
    }
}

#[test]
fn threads_share_games_that_are_fewer_than_each_of_them_could_play() {
    let start = GipfPosition::start(Variant::BASIC);
    let config = SelfPlayConfig { parallel_games: 32, ..config() };
    for (threads, games, each) in [(1, 8, 8), (2, 8, 4), (3, 8, 3), (4, 3, 1)] {
        let search = &SearchConfig::default();
        let assignment =
            Assignment { start: &start, archive: &[], first_id: 0, games, seed: 3, config: &config, search };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let play = || play_games(&assignment, || AtMost(each), &|_: &PlayedGame<_>| {}, &Stop::default());
        assert_eq!(pool.install(play).len() as u64, games);
    }
}

#[test]
fn games_replay_and_their_decisions_carry_what_the_search_found() {
    for variant in Variant::ALL {
        for game in games(variant, 0, 6, &config()) {
            let mut position = game.start.clone();
            for decision in &game.decisions {
                assert_eq!(decision.position, position.without_history());
                let legal: Vec<_> = position.legal_actions().map(Action::index).collect();
                if decision.effort != SearchKind::None {
                    assert!(decision.policy.iter().map(|(index, _)| *index).eq(legal));
                    let total: f32 = decision.policy.iter().map(|(_, probability)| probability).sum();
                    assert!((total - 1.0).abs() < 1e-4);
                    assert!(decision.root_value.is_some_and(|value| value.abs() <= 1.0));
                }
                position.play(position.action_at(decision.action).unwrap()).unwrap();
            }
            assert_eq!(position.outcome(), Some(game.outcome));
        }
    }
}

#[test]
fn a_turn_is_searched_fully_or_cheaply_as_a_whole_and_about_as_often_as_asked() {
    let games = games(Variant::TOURNAMENT, 0, 40, &config());
    let (mut full, mut turns) = (0.0, 0.0);
    for game in &games {
        let searched: Vec<_> = game.decisions.iter().filter(|decision| decision.effort != SearchKind::None).collect();
        for same_turn in searched.chunk_by(|a, b| a.position.turn() == b.position.turn()) {
            assert!(same_turn.iter().all(|decision| decision.effort == same_turn[0].effort));
            full += f64::from(u8::from(same_turn[0].effort == SearchKind::Full));
            turns += 1.0;
        }
    }
    // With 1 000 turns and more, four standard deviations are 0.055.
    assert!(turns > 1000.0 && (full / turns - 0.25_f64).abs() < 0.055, "{full} of {turns}");
}

#[test]
fn the_value_of_the_search_agrees_with_the_results_even_without_a_network() {
    for variant in Variant::OFFICIAL {
        let metrics = SelfPlayMetrics::of(&games(variant, 0, 60, &config()), 0, 1.0);
        assert!(metrics.value_correlation > 0.05, "{variant}: {}", metrics.value_correlation);
        assert_eq!(metrics.duplicates, 0);
    }
}

#[test]
fn samples_are_for_the_player_to_move_and_a_cut_off_game_has_no_result() {
    for game in games(Variant::STANDARD, 0, 10, &config()) {
        for sample in samples(&game, 0.0) {
            let reward = game.outcome.reward(sample.position.to_move());
            assert_eq!(sample.result, Some(reward as i8));
            let (target, weight) = sample.value_target(0.0);
            assert_eq!(target[0] - target[2], reward);
            assert!(weight > 0.0 && weight <= 1.0);
        }
    }
    let setup = Setup::start(Variant::STANDARD).with_placement_limit(Some(12));
    let start = GipfPosition::from_setup(&setup).unwrap();
    let config = SelfPlayConfig { full_share: 1.0, ..config() };
    let assignment = Assignment {
        start: &start,
        archive: &[],
        first_id: 0,
        games: 4,
        seed: 1,
        config: &config,
        search: &SearchConfig::default(),
    };
    let cut = play_games(&assignment, || UniformEvaluator, &|_: &PlayedGame<_>| {}, &Stop::default());
    for sample in cut.iter().filter(|game| game.outcome.reason == Reason::Limit).flat_map(|game| samples(game, 0.0)) {
        assert_eq!((sample.result, sample.value_target(0.0).1), (None, 0.0));
        let (target, weight) = sample.value_target(0.5);
        assert!((target[0] - target[2] - sample.root_value.unwrap()).abs() < 1e-6);
        assert!(weight <= 0.5);
        assert_eq!(Sample { root_value: None, ..sample }.value_target(0.5).1, 0.0, "nobody knows");
    }
}

#[test]
fn a_batch_shows_each_sample_under_a_symmetry_with_all_its_policy_on_legal_actions() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for variant in Variant::ALL {
        let all: Vec<_> = games(variant, 0, 8, &config()).iter().flat_map(|game| samples(game, 0.0)).collect();
        let batch = batch(&all.iter().collect::<Vec<_>>(), 0.3, &mut rng);
        let actions = variant.num_actions();
        batch.assert_shape(all[0].position.observation_layout().size(), actions);
        for (row, sample) in all.iter().enumerate() {
            let policy = &batch.policy[row * actions..][..actions];
            let legal = &batch.legal[row * actions..][..actions];
            let on_legal: f32 = policy.iter().zip(legal).filter(|(_, legal)| **legal).map(|(p, _)| p).sum();
            assert!((on_legal - 1.0).abs() < 1e-4, "{variant}");
            assert_eq!(legal.iter().filter(|legal| **legal).count(), sample.policy.len());
            let target = &batch.wdl[3 * row..][..3];
            assert!((target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn games_from_the_archive_begin_where_others_have_been() {
    let start = GipfPosition::start(Variant::STANDARD);
    let played = games(Variant::STANDARD, 0, 6, &config());
    let archive: Vec<_> = played.iter().flat_map(|game| samples(game, 0.0)).map(|sample| sample.position).collect();
    let config = SelfPlayConfig { archive_share: 0.5, random_plies: 0, ..config() };
    let search = SearchConfig::default();
    let played_from = |start: &GipfPosition, archive: &[GipfPosition]| {
        let assignment =
            Assignment { start, archive, first_id: 0, games: 40, seed: 3, config: &config, search: &search };
        play_games(&assignment, || UniformEvaluator, &|_: &PlayedGame<_>| {}, &Stop::default())
    };
    let games = played_from(&start, &archive);
    let (fresh, old): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.start == start);
    assert!((10..30).contains(&fresh.len()), "{} of 40 games begin at the start", fresh.len());
    assert!(old.iter().all(|game| archive.contains(&game.start) && game.decisions[0].position == game.start));
    assert!(
        played_from(&start, &[]).iter().all(|game| game.start == start),
        "without an archive there is only the start"
    );
    let short = GipfPosition::from_setup(&Setup::start(Variant::STANDARD).with_placement_limit(Some(30))).unwrap();
    let games = played_from(&short, &archive);
    assert!(games.iter().all(|game| game.start.placement_limit() == Some(30)), "their limit is that of the start");
}

#[test]
fn random_actions_are_played_as_often_as_asked_and_what_is_learned_is_what_the_search_found() {
    let with = |random_share| games(Variant::STANDARD, 0, 40, &SelfPlayConfig { random_share, ..config() });
    let first = |game: &PlayedGame<_>| {
        let searched = game.decisions.iter().find(|decision| decision.effort != SearchKind::None).unwrap();
        (searched.policy.clone(), searched.root_value)
    };
    // How much more probable than under a uniform choice the played actions were by the policy of the search.
    let expected = |games: &[PlayedGame<GipfPosition>]| {
        let searched = games.iter().flat_map(|game| &game.decisions).filter(|one| one.effort != SearchKind::None);
        let beyond = searched.map(|one| {
            let (_, policy) = one.policy.iter().find(|(action, _)| *action == one.action).unwrap();
            f64::from(*policy) - 1.0 / one.policy.len() as f64
        });
        let beyond: Vec<f64> = beyond.collect();
        beyond.iter().sum::<f64>() / beyond.len() as f64
    };
    let (never, half, always) = (with(0.0), with(0.5), with(1.0));
    assert!(never.iter().map(first).eq(always.iter().map(first)), "the first search knows nothing of it");
    let [never, half, always] = [never, half, always].map(|games| expected(&games));
    assert!(always.abs() < 0.1 * never, "{always} of {never}");
    assert!((0.35..0.65).contains(&(half / never)), "{half} of {never}");
}

#[test]
fn surprising_samples_come_more_often_and_others_less() {
    let games = games(Variant::STANDARD, 0, 60, &config());
    let all: Vec<_> = games.iter().flat_map(|game| samples(game, 0.0)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_eq!(weighted_samples(&games, SampleConfig::default(), &mut rng), all);
    let weighted = weighted_samples(&games, SampleConfig { surprise: 0.5, ..SampleConfig::default() }, &mut rng);
    let ratio = weighted.len() as f64 / all.len() as f64;
    assert!((0.9..1.1).contains(&ratio), "the number stays: {ratio}");
    let full = games.iter().flat_map(|game| &game.decisions).filter(|decision| decision.effort == SearchKind::Full);
    let surprises: Vec<f64> = full.map(|decision| f64::from(decision.surprise)).collect();
    assert!(surprises.iter().all(|surprise| *surprise >= 0.0));
    let mean = surprises.iter().sum::<f64>() / surprises.len() as f64;
    let times = |sample: &Sample<_>| weighted.iter().filter(|other| *other == sample).count() as f64;
    let (mut more, mut less) = (Vec::new(), Vec::new());
    for (sample, surprise) in all.iter().zip(surprises) {
        if surprise > mean { more.push(times(sample)) } else { less.push(times(sample)) }
    }
    let mean_of = |counts: &[f64]| counts.iter().sum::<f64>() / counts.len() as f64;
    assert!(mean_of(&more) > 1.1 && mean_of(&less) < 0.9, "{} and {}", mean_of(&more), mean_of(&less));
}

/// The choices of another player say nothing about the network's surprise.
#[test]
fn what_another_player_chose_is_used_once_whatever_surprises() {
    let mut games = games(Variant::STANDARD, 0, 30, &config());
    for (_, decision) in
        games.iter_mut().flat_map(|game| game.decisions.iter_mut().enumerate()).filter(|(n, _)| n % 2 == 0)
    {
        (decision.network_value, decision.surprise) = (None, 0.0);
    }
    let of_others = |game: &PlayedGame<GipfPosition>| {
        let full = game.decisions.iter().filter(|decision| decision.effort == SearchKind::Full);
        full.map(|decision| decision.network_value.is_none()).collect::<Vec<_>>()
    };
    let all = games.iter().flat_map(|game| samples(game, 0.0).into_iter().zip(of_others(game)));
    let others: Vec<_> = all.filter(|(_, is_other)| *is_other).map(|(sample, _)| sample).collect();
    let config = SampleConfig { surprise: 1.0, ..SampleConfig::default() };
    let weighted = weighted_samples(&games, config, &mut ChaCha8Rng::seed_from_u64(1));
    assert!(others.len() > 20);
    for sample in &others {
        let alike = others.iter().filter(|other| *other == sample).count();
        assert_eq!(weighted.iter().filter(|other| *other == sample).count(), alike);
    }
}

#[test]
fn a_stop_leaves_only_games_that_have_ended() {
    let stop = Stop::default();
    let start = GipfPosition::start(Variant::STANDARD);
    let (config, search) = (config(), SearchConfig::default());
    let assignment =
        Assignment { start: &start, archive: &[], first_id: 0, games: 50, seed: 3, config: &config, search: &search };
    let ended = |_: &PlayedGame<_>| {
        stop.request();
    };
    let games = play_games(&assignment, || UniformEvaluator, &ended, &stop);
    assert!(!games.is_empty() && games.len() < 50);
    assert!(games.iter().all(|game| !game.decisions.is_empty()));
}

/// A decision without a choice is not a prediction of a draw.
#[test]
fn what_is_forced_has_the_value_of_what_follows() {
    let mut games = games(Variant::STANDARD, 0, 12, &config());
    let before: Vec<_> = games.iter().map(|game| samples(game, 0.9)).collect();
    for game in &mut games {
        let mut forced = game.decisions.last().unwrap().clone();
        (forced.effort, forced.root_value) = (SearchKind::None, Some(0.0));
        for place in [game.decisions.len(), game.decisions.len() / 2] {
            game.decisions.insert(place, forced.clone());
        }
    }
    let after: Vec<_> = games.iter().map(|game| samples(game, 0.9)).collect();
    assert_eq!(before, after);
    assert!(before.iter().flatten().count() > 40);
}

#[test]
fn values_look_ahead_as_far_as_lambda_says() {
    let games = games(Variant::STANDARD, 0, 12, &config());
    for game in &games {
        let plain = samples(game, 0.0);
        let searched = game.decisions.iter().filter(|decision| decision.effort == SearchKind::Full);
        assert!(plain.iter().map(|sample| sample.root_value).eq(searched.map(|decision| decision.root_value)));
        for sample in samples(game, 1.0) {
            let result = sample.result.expect("the game was not cut off");
            assert_eq!(sample.root_value, Some(f32::from(result)), "looking to the end is the result");
        }
        // By definition, from White's view: the sum over later decisions, and the remaining weight for the result.
        let (lambda, signed) = (0.8_f32, |player, value: f32| if player == Player::White { value } else { -value });
        let ahead = samples(game, lambda);
        let whose =
            |decision: &Decision<GipfPosition>| signed(decision.position.to_move(), decision.root_value.unwrap());
        let searched: Vec<_> = game.decisions.iter().filter(|decision| decision.effort != SearchKind::None).collect();
        let full = (0..searched.len()).filter(|&place| searched[place].effort == SearchKind::Full);
        assert_eq!(full.clone().count(), ahead.len());
        for (place, sample) in full.zip(ahead) {
            let later = searched[place..].iter().zip(0..);
            let sum: f32 = later.map(|(decision, steps)| (1.0 - lambda) * lambda.powi(steps) * whose(decision)).sum();
            let rest = lambda.powi((searched.len() - place) as i32) * game.outcome.reward(Player::White);
            let expected = signed(sample.position.to_move(), sum + rest);
            assert!((sample.root_value.unwrap() - expected).abs() < 1e-5);
        }
    }
}

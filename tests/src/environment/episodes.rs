//! The environments: they show what the rules say, refused actions change nothing, and batches equal single games.

use gipf_env::toy::TicTacToe;
use gipf_env::{
    ActionIndex, Env, EnvError, EnvOptions, GipfPosition, Info, Phase, Player, Position, Reason, ResetOptions,
    ResumeError, Setup, StepError, Style, Variant, VecEnv, VecGames, VecOutputs, VecStepError,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::allocations;

fn random_legal(mask: &[bool], rng: &mut ChaCha8Rng) -> ActionIndex {
    let choice = rng.random_range(0..mask.iter().filter(|legal| **legal).count());
    let legal = mask.iter().enumerate().filter(|(_, legal)| **legal);
    ActionIndex(legal.map(|(index, _)| index as u16).nth(choice).unwrap())
}

fn observation<P: Position>(position: &P) -> Vec<f32> {
    let mut planes = vec![f32::NAN; position.observation_layout().size()];
    position.observe(&mut planes);
    planes
}

/// Returns everything that an environment shows.
fn shown<P: Position>(env: &Env<P>) -> (P, Vec<f32>, Vec<bool>, Info) {
    (env.position().clone(), env.observation().iter().copied().collect(), env.action_mask().to_vec(), env.info())
}

fn limited(variant: Variant, limit: u16) -> EnvOptions {
    EnvOptions::from(Setup::start(variant).with_placement_limit(Some(limit)))
}

#[test]
fn a_step_shows_what_the_rules_say() {
    let (mut terminated, mut truncated) = (0, 0);
    for (variant, seed) in Variant::ALL.into_iter().flat_map(|variant| (0..40).map(move |seed| (variant, seed))) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut env = Env::new(&limited(variant, 40)).unwrap();
        let mut position = GipfPosition::from_setup(&limited(variant, 40).setup).unwrap();
        assert_eq!(env.reset(ResetOptions::default()).info, env.info());
        for plies in 1.. {
            let index = random_legal(env.action_mask(), &mut rng);
            let actor = position.to_move();
            position.play(position.action_at(index).unwrap()).unwrap();
            let step = env.step(index).unwrap();
            let outcome = position.outcome();
            assert_eq!(step.observation.as_slice().unwrap(), observation(&position));
            assert_eq!(step.reward, outcome.map_or(0.0, |outcome| outcome.reward(actor)));
            assert_eq!((step.info.to_move, step.info.plies, step.info.outcome), (position.to_move(), plies, outcome));
            assert_eq!((step.info.legal_actions, step.info.turn), (position.legal_actions().count(), position.turn()));
            assert_eq!(step.terminated || step.truncated, outcome.is_some());
            if step.terminated || step.truncated {
                check_view_of_the_end(&position, actor);
                assert!(step.terminated != step.truncated && (step.terminated || step.reward == 0.0));
                terminated += u32::from(step.terminated);
                truncated += u32::from(step.truncated);
                break;
            }
        }
    }
    assert!(terminated > 20 && truncated > 20, "{terminated} games terminated, {truncated} truncated");
}

/// Checks from whose view the last observation is, as the card states it.
fn check_view_of_the_end(position: &GipfPosition, actor: Player) {
    let outcome = position.outcome().unwrap();
    let (viewer, phase) = (position.to_move(), position.phase());
    match outcome.reason {
        Reason::NoGipf => assert!(viewer == actor && phase != Phase::Push),
        Reason::NoMove => assert!(outcome.winner == Some(viewer.other()) && phase == Phase::Push),
        Reason::Repetition => assert_eq!(phase, Phase::Push),
        Reason::Limit => {
            assert_eq!((viewer, phase), (position.turn_of(), Phase::Post));
            assert!(viewer == actor || position.variant().is_push_off());
        }
        Reason::Resignation | Reason::OwnRule => panic!("no game of GIPF ends so"),
    }
}

#[test]
fn a_refused_action_changes_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for variant in Variant::ALL {
        let mut env = Env::new(&limited(variant, 40)).unwrap();
        loop {
            let before = shown(&env);
            for (index, legal) in before.2.iter().enumerate().filter(|(_, legal)| !**legal) {
                let refused = env.step(ActionIndex(index as u16)).unwrap_err();
                assert!(!legal && matches!(refused, StepError::Illegal(_)), "{refused}");
            }
            let actions = before.2.len();
            let refused = env.step(ActionIndex(actions as u16)).unwrap_err();
            assert_eq!(refused, StepError::OutOfRange { index: ActionIndex(actions as u16), actions });
            assert_eq!(shown(&env), before);
            let step = env.step(random_legal(&before.2, &mut rng)).unwrap();
            if step.terminated || step.truncated {
                break;
            }
        }
        let before = shown(&env);
        let over = StepError::Over(before.3.outcome.unwrap());
        assert_eq!((0..before.2.len()).find(|&index| env.step(ActionIndex(index as u16)) != Err(over.clone())), None);
        assert_eq!(shown(&env), before);
    }
}

#[test]
fn a_reset_starts_over_and_seeds_decide_the_opening() {
    let options = EnvOptions { opening_plies: 6, seed: 5, ..EnvOptions::new(Variant::TOURNAMENT) };
    let texts = |options: &EnvOptions, first: ResetOptions| {
        let mut env = Env::new(options).unwrap();
        let mut text = |reset| {
            assert_eq!(env.reset(reset).info.plies, 6);
            env.position().to_gpn()
        };
        [text(first), text(ResetOptions::default()), text(ResetOptions::default())]
    };
    let [a, b, c] = texts(&options, ResetOptions::default());
    assert!(a != b && b != c && a != c, "{a}, {b}, {c}");
    assert_eq!(texts(&options, ResetOptions::default()), [a.clone(), b.clone(), c.clone()]);
    let other = EnvOptions { seed: 9, ..options.clone() };
    assert_ne!(texts(&other, ResetOptions::default())[0], a);
    assert_eq!(texts(&other, ResetOptions { seed: Some(5), opening_plies: None }), [a, b, c]);

    let mut env = Env::new(&EnvOptions::new(Variant::BASIC)).unwrap();
    let start = shown(&env);
    env.step(ActionIndex(0)).unwrap();
    assert_ne!(shown(&env), start);
    env.reset(ResetOptions::default());
    assert_eq!(shown(&env), start);
}

#[test]
fn a_batch_has_begun_the_games_that_resets_of_one_environment_begin() {
    let options = EnvOptions { opening_plies: 6, seed: 5, ..EnvOptions::new(Variant::TOURNAMENT) };
    let mut single = Env::new(&options).unwrap();
    let mut next = || {
        single.reset(ResetOptions::default());
        single.position().to_gpn()
    };
    let mut batch = VecEnv::new(&options, 3).unwrap();
    let first = next();
    assert_eq!(batch.position(0).to_gpn(), first);
    batch.reset(ResetOptions::default());
    assert_eq!(batch.position(0).to_gpn(), next());
    batch.reset(ResetOptions { seed: Some(5), opening_plies: None });
    assert_eq!(batch.position(0).to_gpn(), first);
}

#[test]
fn an_opening_stops_before_it_ends_the_game() {
    let mut env = Env::from_start(TicTacToe::default()).unwrap();
    for seed in 0..200 {
        let reset = env.reset(ResetOptions { seed: Some(seed), opening_plies: Some(9) });
        assert!(reset.info.outcome.is_none() && reset.info.legal_actions > 0 && reset.info.plies >= 4);
        let (plies, shortened) = (reset.info.plies, env.position().clone());
        env.reset(ResetOptions { seed: Some(seed), opening_plies: Some(plies) });
        assert_eq!(env.position(), &shortened);
    }
}

#[test]
fn impossible_starts_are_refused() {
    let over: Setup = "standard G3/5/6/7/6/5/4 w 12 12 - 0 0".parse().unwrap();
    assert!(matches!(Env::new(&EnvOptions::from(over.clone())), Err(EnvError::Over(_))));
    assert!(matches!(VecEnv::new(&EnvOptions::from(over.clone()), 3), Err(EnvError::Over(_))));
    let invalid = Setup { reserves: [19, 12], ..over };
    assert!(matches!(Env::new(&EnvOptions::from(invalid)), Err(EnvError::Invalid(_))));
}

#[test]
fn a_batch_equals_single_environments() {
    const N: usize = 70;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let options = limited(Variant::STANDARD.with_zertz(), 50);
    let mut batch = VecEnv::new(&options, N).unwrap();
    let mut single: Vec<_> = (0..N).map(|_| Env::new(&options).unwrap()).collect();
    let mut ended = 0;
    for _ in 0..200 {
        let actions: Vec<_> = single.iter().map(|env| random_legal(env.action_mask(), &mut rng)).collect();
        let outputs = batch.step(&actions).unwrap();
        for (i, env) in single.iter_mut().enumerate() {
            let step = env.step(actions[i]).unwrap();
            assert_eq!(
                (outputs.rewards[i], outputs.terminated[i], outputs.truncated[i]),
                (step.reward, step.terminated, step.truncated)
            );
            if step.terminated || step.truncated {
                assert_eq!(outputs.final_observations.index_axis(ndarray::Axis(0), i), step.observation);
                assert_eq!(outputs.final_infos[i], Some(step.info));
                env.reset(ResetOptions::default());
                ended += 1;
            } else {
                assert_eq!(outputs.final_infos[i], None);
            }
            assert_eq!(outputs.observations.index_axis(ndarray::Axis(0), i), env.observation());
            assert_eq!(outputs.action_masks.row(i).as_slice().unwrap(), env.action_mask());
            assert_eq!(outputs.to_move[i], env.info().to_move);
        }
    }
    assert!(ended > N, "{ended} games ended");
}

/// Plays `steps` random steps on a number of threads, and returns the final outputs and how many games ended.
fn played_on<P: Position>(threads: usize, mut envs: VecEnv<P>, steps: usize) -> (VecOutputs, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut ended = 0;
        for _ in 0..steps {
            let masks = envs.outputs().action_masks.clone();
            let actions: Vec<_> =
                masks.outer_iter().map(|mask| random_legal(mask.as_slice().unwrap(), &mut rng)).collect();
            ended += envs.step(&actions).unwrap().final_infos.iter().flatten().count();
        }
        (envs.outputs().clone(), ended)
    })
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let options = EnvOptions { opening_plies: 5, seed: 2, ..limited(Variant::TOURNAMENT, 40) };
    let envs = VecEnv::new(&options, 150).unwrap();
    let firsts: std::collections::HashSet<_> = (0..150).map(|index| envs.position(index).to_gpn()).collect();
    assert!(firsts.len() > 140, "environments open alike: {} different openings", firsts.len());
    let (one, ended) = played_on(1, envs.clone(), 120);
    assert!(ended > 150, "{ended}");
    assert_eq!(played_on(2, envs, 120), (one, ended));
}

#[test]
fn a_batch_of_toys_plays_on() {
    let envs = VecEnv::from_start(&TicTacToe::default(), 40).unwrap();
    let (outputs, ended) = played_on(2, envs, 90);
    assert!((400..=720).contains(&ended), "{ended}");
    assert_eq!(outputs.observations.shape(), [40, 2, 3, 3]);
    assert!(outputs.to_move.iter().any(|&player| player == Player::Black));
}

#[test]
fn one_refused_action_stops_the_whole_batch() {
    let mut envs = VecEnv::new(&EnvOptions::new(Variant::BASIC), 5).unwrap();
    let before = envs.outputs().clone();
    let mut actions = [ActionIndex(0); 5];
    actions[3] = ActionIndex(63);
    let refused = envs.step(&actions).unwrap_err();
    assert!(matches!(refused, VecStepError::Refused { index: 3, source: StepError::OutOfRange { .. } }), "{refused}");
    actions[2] = ActionIndex(42);
    let refused = envs.step(&actions).unwrap_err();
    assert!(matches!(refused, VecStepError::Refused { index: 2, source: StepError::Illegal(_) }), "{refused}");
    assert_eq!(envs.step(&actions[..4]), Err(VecStepError::Count { found: 4, expected: 5 }));
    assert_eq!(envs.outputs(), &before);
    assert!((0..5).all(|index| envs.position(index).placements() == 0));
}

#[test]
fn arrays_of_the_caller_are_neither_trusted_nor_written_beyond() {
    let options = EnvOptions::new(Variant::STANDARD);
    let mut games = VecGames::new(&options, 5).unwrap();
    let mut outputs = games.outputs();
    games.reset_into(ResetOptions::default(), &mut outputs.arrays()).unwrap();
    assert_eq!(&outputs, VecEnv::new(&options, 5).unwrap().outputs());

    let before = outputs.clone();
    outputs.action_masks.fill(true);
    let refused = games.step_into(&[ActionIndex(42); 5], &mut outputs.arrays()).unwrap_err();
    assert!(matches!(refused, VecStepError::Refused { index: 0, source: StepError::Illegal(_) }), "{refused}");

    let mut arrays = outputs.arrays();
    arrays.rewards = &mut arrays.rewards[..4];
    let refused = games.step_into(&[ActionIndex(1); 5], &mut arrays).unwrap_err();
    assert_eq!(refused, VecStepError::Size { array: "rewards", found: 4, expected: 5 });
    assert_eq!(games.reset_into(ResetOptions::default(), &mut arrays), Err(refused));
    assert_eq!(outputs.observations, before.observations);
    assert!((0..5).all(|index| games.position(index).placements() == 0));
}

#[test]
fn games_that_were_written_go_on_as_if_nothing_had_happened() {
    for variant in [Variant::STANDARD, Variant::TOURNAMENT.with_zertz(), Variant::PUSH_OFF] {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let options = EnvOptions { opening_plies: 5, seed: 3, ..limited(variant, 12) };
        let mut games = VecGames::new(&options, 8).unwrap();
        let mut outputs = games.outputs();
        games.reset_into(ResetOptions::default(), &mut outputs.arrays()).unwrap();
        for step in 0..60 {
            if step % 7 == 0 {
                let text = serde_json::to_string(&games).unwrap();
                games = serde_json::from_str::<VecGames>(&text).unwrap().checked().unwrap();
                let mut shown = games.outputs();
                games.show_into(&mut shown.arrays()).unwrap();
                assert_eq!((&shown.observations, &shown.to_move), (&outputs.observations, &outputs.to_move));
                assert_eq!(shown.action_masks, outputs.action_masks);
            }
            let masks = outputs.action_masks.outer_iter();
            let actions: Vec<_> = masks.map(|mask| random_legal(mask.as_slice().unwrap(), &mut rng)).collect();
            let mut same = games.clone();
            let mut expected = outputs.clone();
            same.step_into(&actions, &mut expected.arrays()).unwrap();
            games.step_into(&actions, &mut outputs.arrays()).unwrap();
            assert_eq!(outputs, expected);
        }
    }
}

#[test]
fn written_games_that_cannot_go_on_are_refused() {
    let written = |variant| serde_json::to_value(VecGames::new(&limited(variant, 12), 2).unwrap()).unwrap();
    let (standard, tournament) = (written(Variant::STANDARD), written(Variant::TOURNAMENT));
    let refused = |place: &str, value: Value| {
        let mut altered = standard.clone();
        *altered.pointer_mut(place).unwrap() = value;
        serde_json::from_value::<VecGames>(altered).unwrap().checked().unwrap_err()
    };
    let won = json!({"winner": "white", "reason": "no-gipf"});
    let (start, second) = ("/opening/start/now", "/games/1/0/position/now");
    let phase = |of: &str| refused(&format!("{of}/phase"), json!("post"));
    assert!(matches!(phase(start), ResumeError::Start(EnvError::Invalid(_))));
    assert!(matches!(phase(second), ResumeError::Invalid { index: 1, .. }));
    let outcome = |of: &str| refused(&format!("{of}/outcome"), won.clone());
    assert!(matches!(outcome(start), ResumeError::Start(EnvError::Over(_))));
    assert!(matches!(outcome(second), ResumeError::Over { index: 1, .. }));
    let other = refused("/games/1", tournament["games"][0].clone());
    assert_eq!(other.to_string(), "environment 1: a game of tournament, expected one of standard, as the start is");
}

#[test]
fn thousands_of_environments_and_none_are_stepped() {
    let options = limited(Variant::STANDARD, 30);
    let mut envs = VecEnv::new(&options, 3000).unwrap();
    let before = envs.outputs().clone();
    let mut actions = vec![ActionIndex(1); 3000];
    (actions[2100], actions[2999]) = (ActionIndex(64), ActionIndex(64));
    let refused = envs.step(&actions).unwrap_err();
    assert!(matches!(refused, VecStepError::Refused { index: 2100, .. }), "{refused}");
    assert_eq!(envs.outputs(), &before);
    (actions[2100], actions[2999]) = (ActionIndex(1), ActionIndex(1));
    let outputs = envs.step(&actions).unwrap();
    assert!(outputs.to_move.iter().all(|&player| player == Player::Black));

    let mut none = VecEnv::new(&options, 0).unwrap();
    assert!(none.is_empty() && none.step(&[]).unwrap().rewards.is_empty());
}

/// Plays 400 steps of 128 games, and returns how often the threads allocated and how many games ended.
fn allocations_of_a_batch(threads: usize) -> (usize, usize) {
    let options = EnvOptions { opening_plies: 4, ..EnvOptions::new(Variant::TOURNAMENT.with_zertz()) };
    let mut envs = VecEnv::new(&options, 128).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.start_handler(|_| allocations::count_this_thread()).build().unwrap();
    pool.install(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut actions = vec![ActionIndex(0); envs.len()];
        let (before, mut ended) = (allocations::count(), 0);
        assert!(before > 0, "the count counts");
        for _ in 0..400 {
            for (action, mask) in actions.iter_mut().zip(envs.outputs().action_masks.outer_iter()) {
                *action = random_legal(mask.as_slice().unwrap(), &mut rng);
            }
            ended += envs.step(&actions).unwrap().final_infos.iter().flatten().count();
        }
        (allocations::count() - before, ended)
    })
}

/// This includes openings and resets. A thread registers once with the others when it first takes work from them.
#[test]
fn a_step_of_a_batch_allocates_nothing() {
    let (allocated, ended) = allocations_of_a_batch(1);
    assert!(ended > 128, "{ended} games ended");
    assert_eq!(allocated, 0);
    let (allocated, _) = allocations_of_a_batch(2);
    assert!(allocated <= 2, "{allocated} allocations");
}

#[test]
fn every_position_is_drawn_in_as_many_lines() {
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut env = Env::new(&limited(variant, 200)).unwrap();
        while env.info().outcome.is_none() {
            env.step(random_legal(env.action_mask(), &mut rng)).unwrap();
            let (plain, coloured) = (env.render(Style::Plain), env.render(Style::Ansi));
            assert_eq!((plain.lines().count(), coloured.lines().count()), (23, 23), "{plain}");
            assert!(plain.lines().take(17).all(|line| line.chars().count() <= 38), "{plain}");
            let pieces = plain.lines().take(17).flat_map(str::chars).filter(|sign| "○◎△◇●◉▲◆".contains(*sign)).count();
            assert_eq!(pieces as u32, env.position().board().occupied().count(), "{plain}");
        }
    }
}

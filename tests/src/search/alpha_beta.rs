//! The baseline AI: its search against plain minimax, and the laws of its evaluations.

use gipf_env::{Action, GipfPosition, Learnable, Phase, Player, Position, Setup, Variant};
use gipf_play::Stop;
use gipf_play::players::alpha_beta::{
    Depth, Evaluation, EvaluationKind, Limits, PROVEN, Score, Selectivity, Settings, WIN,
};
use gipf_play::players::{Agent, AgentSpec, AlphaBeta, TurnLimits};
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns positions from the middle of random games, of all rule sets, at any decision.
pub fn random_positions(count: usize, seed: u64) -> Vec<GipfPosition> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let setup =
            Setup { placement_limit: Some(30), ..Setup::start(Variant::ALL[positions.len() % Variant::ALL.len()]) };
        let mut position = GipfPosition::from_setup(&setup).unwrap();
        for _ in 0..rng.random_range(4..60) {
            let Some(action) = position.legal_actions().choose(&mut rng) else { break };
            position.play(action).unwrap();
        }
        if position.outcome().is_none() {
            positions.push(position);
        }
    }
    positions
}

pub fn after(position: &GipfPosition, action: Action) -> GipfPosition {
    let mut next = position.clone();
    next.play(action).unwrap();
    next
}

fn evaluate(position: &GipfPosition) -> Score {
    Evaluation::of(EvaluationKind::default(), position.variant()).evaluate(position)
}

/// Returns the score for White, found by trying everything.
fn minimax(position: &GipfPosition, horizon: usize, captures: usize) -> Score {
    let sign = position.to_move().sign() as Score;
    if let Some(outcome) = position.outcome() {
        return outcome.reward(Player::White) as Score * (WIN - position.turn() as Score);
    }
    let quiet = position.phase() == Phase::Push && position.turn() >= horizon;
    let still = quiet.then(|| sign * evaluate(position));
    if quiet && position.turn() >= horizon + captures {
        return still.unwrap();
    }
    let actions = position.legal_actions().filter(|&action| !quiet || captures_with(position, action));
    let scores = actions.map(|action| minimax(&after(position, action), horizon, captures)).chain(still);
    if position.to_move() == Player::White { scores.max().unwrap() } else { scores.min().unwrap() }
}

/// Returns whether this is the push of a basic piece that lets the player remove a row. In push-off, pieces also return
/// without a row, over the edge.
fn captures_with(position: &GipfPosition, action: Action) -> bool {
    if let (Action::Push(gipf_env::Pushed::Single, entry), true) = (action, position.variant().is_push_off()) {
        return position.completes_row(entry);
    }
    let next = after(position, action);
    let asked = next.phase() == Phase::Post && next.outcome().is_none();
    let single = matches!(action, Action::Push(gipf_env::Pushed::Single, _));
    single && (asked || next.reserve(position.to_move()) >= position.reserve(position.to_move()))
}

fn searched(position: &GipfPosition, depth: u32, captures: u32, table_bits: u32) -> Score {
    let limits = Limits { captures, ..Limits::depth(depth) };
    let settings = Settings { selectivity: Selectivity::NONE, ..limits.into() };
    let evaluation = Evaluation::of(settings.evaluation, position.variant());
    let mut agent = AlphaBeta::with_evaluation(settings, evaluation, table_bits);
    agent.begin(position, &[], u64::from(depth));
    position.to_move().sign() as Score * agent.search(position).score
}

/// A search stops deepening as soon as it has proven a result, perhaps by captures beyond its depth. The proof found is
/// not always the shortest, so proofs are compared by who wins.
fn assert_agree(found: Score, expected: Score, position: &GipfPosition) {
    let proven = found.abs() > PROVEN && found.signum() == expected.signum();
    assert!(found == expected || proven && expected.abs() > PROVEN, "{found} instead of {expected}: {position:?}");
}

#[test]
fn alpha_beta_finds_the_value_of_plain_minimax() {
    for (depth, captures, count) in [(1, 0, 240), (2, 0, 240), (3, 0, 6), (1, 1, 240), (1, 2, 120), (2, 2, 24)] {
        for position in random_positions(count, 100 + u64::from(10 * depth + captures)) {
            let expected = minimax(&position, position.turn() + depth as usize, captures as usize);
            for table_bits in [0, 12] {
                let found = searched(&position, depth, captures, table_bits);
                if captures == 0 {
                    assert_eq!(found, expected, "depth {depth}: {position:?}");
                } else {
                    assert_agree(found, expected, &position);
                }
            }
        }
    }
}

#[test]
fn the_transposition_table_changes_no_value() {
    for position in random_positions(60, 7) {
        let depth = if position.variant().has_zertz() { 2 } else { 4 };
        let expected = searched(&position, depth, 2, 0);
        for table_bits in [1, 6, 16] {
            assert_agree(searched(&position, depth, 2, table_bits), expected, &position);
        }
    }
}

/// Returns whether the player can win the game within the turn.
fn wins_this_turn(position: &GipfPosition, player: Player, turn: usize) -> bool {
    match position.outcome() {
        Some(outcome) => outcome.winner == Some(player) && position.turn() <= turn + 1,
        None if position.phase() == Phase::Push && position.turn() > turn => false,
        None => {
            let mut results =
                position.legal_actions().map(|action| wins_this_turn(&after(position, action), player, turn));
            if position.to_move() == player { results.any(|won| won) } else { results.all(|won| won) }
        }
    }
}

#[test]
fn a_win_in_one_turn_is_found_at_every_depth() {
    let mut found = 0;
    for (number, position) in random_positions(2000, 21).into_iter().enumerate() {
        let (player, turn) = (position.to_move(), position.turn());
        let wins = |action| wins_this_turn(&after(&position, action), player, turn);
        if !position.legal_actions().any(wins) || position.legal_actions().count() == 1 {
            continue;
        }
        found += 1;
        let spec = format!("alpha-beta:{}", 1 + number % 3).parse::<AgentSpec>().unwrap();
        let mut agent = (spec.contender(position.variant()).unwrap().build)();
        let choice = agent.choose(&position, &TurnLimits::default()).unwrap();
        assert!(wins(choice.action), "{} does not win: {position:?}", choice.action);
        assert_eq!(choice.value, Some(1.0));
    }
    assert!(found >= 20, "{found} positions with a win are too few");
}

/// Returns the score for White from a search with this selectivity.
fn score_with(selectivity: Selectivity, position: &GipfPosition, depth: u32) -> Score {
    let settings = Settings { selectivity, ..Limits::depth(depth).into() };
    position.to_move().sign() as Score * AlphaBeta::new(settings, position.variant()).search(position).score
}

#[test]
fn what_is_proven_by_leaving_out_is_true() {
    let mut proven = 0;
    for position in random_positions(6000, 31).iter().filter(|position| !position.variant().has_zertz()) {
        let found = score_with(Selectivity::PLAY, position, 3);
        if found.abs() > PROVEN {
            let expected = score_with(Selectivity::NONE, position, 4);
            assert!(
                expected.abs() > PROVEN && expected.signum() == found.signum(),
                "{found}, {expected}: {position:?}"
            );
            proven += 1;
        }
    }
    assert!(proven >= 30, "{proven} proofs are too few");
}

#[test]
fn wins_in_two_turns_are_found_although_actions_are_left_out() {
    let (mut found, mut there) = (0, 0);
    for position in random_positions(6000, 32).iter().filter(|position| !position.variant().has_zertz()) {
        if score_with(Selectivity::NONE, position, 3).abs() > PROVEN {
            there += 1;
            found += usize::from(score_with(Selectivity::PLAY, position, 4).abs() > PROVEN);
        }
    }
    assert!(there >= 50 && 100 * found >= 95 * there, "{found} of {there}");
}

#[test]
fn an_evaluation_is_that_of_every_image_and_of_exchanged_players() {
    let positions = random_positions(400, 33);
    let quiet = positions.iter().filter(|position| position.phase() == Phase::Push);
    let mut different = 0;
    for position in quiet {
        for kind in EvaluationKind::ALL {
            let evaluation = Evaluation::of(kind, position.variant());
            let value = evaluation.evaluate(position);
            assert!(value.abs() < PROVEN);
            assert_eq!(evaluation.evaluate(&position.with_players_exchanged()), value, "{kind}: {position:?}");
            for symmetry in 0..position.symmetries() {
                assert_eq!(evaluation.evaluate(&position.transformed(symmetry)), value, "{kind}: {position:?}");
            }
            different += usize::from(value != 0);
        }
    }
    assert!(different > 500, "{different} values are too few to say anything");
}

#[test]
fn searches_repeat_themselves_to_the_position() {
    for position in random_positions(40, 34) {
        let limits = Limits { nodes: Some(4000), ..Limits::NONE };
        let [first, second] = [(); 2].map(|()| AlphaBeta::new(limits, position.variant()).search(&position));
        assert_eq!(first, second);
    }
}

#[test]
fn depths_look_further_the_greater_they_are() {
    let position = GipfPosition::start(Variant::STANDARD);
    let depths = Depth::all().take(6).map(|depth| AlphaBeta::new(depth.limits(), position.variant()).search(&position));
    assert_eq!(depths.map(|found| found.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(Depth::all().count(), 8);
}

/// The lines after the best one are searched less deeply, and may look better than they are.
#[test]
fn no_line_is_told_to_be_better_than_the_one_before_it() {
    let (limits, mut several) = (Limits { nodes: Some(2000), ..Limits::NONE }, 0);
    for position in random_positions(400, 36) {
        let found = AlphaBeta::new(limits, position.variant()).consider(&position, &TurnLimits::default(), 4).unwrap();
        let values: Vec<_> = found.candidates.iter().map(|line| line.value.unwrap_or(0.0)).collect();
        assert!(values.is_sorted_by(|before, next| before >= next), "{values:?}: {position:?}");
        let best = &found.candidates[0];
        assert_eq!((best.action, best.value), (found.choice.action, found.choice.value));
        several += usize::from(values.len() == 4);
    }
    assert!(several > 250, "{several} positions with four lines are too few");
}

/// The result of several threads depends on their timing; what they prove does not.
#[test]
fn several_threads_find_the_wins_that_one_finds() {
    let mut proven = 0;
    for (number, position) in random_positions(1500, 35).iter().enumerate() {
        let limits: Settings = Limits::depth(3).into();
        let alone = AlphaBeta::new(limits, position.variant()).search(position);
        let mut together = AlphaBeta::new(Settings { threads: 2 + number % 3, ..limits }, position.variant());
        let found = together.search(position);
        assert!(position.action_set().contains(found.action) && found.depth >= alone.depth.min(3), "{position:?}");
        if alone.score > PROVEN {
            assert!(found.score > PROVEN, "{} and {}: {position:?}", alone.score, found.score);
            proven += 1;
        }
    }
    assert!(proven >= 20, "{proven} wins are too few");
}

#[test]
fn threads_share_the_limits_of_a_search_and_end_with_it() {
    let position = GipfPosition::start(Variant::STANDARD);
    let settings = |limits: Limits| Settings { threads: 3, hash: Some(1), ..limits.into() };
    let limits = Limits { nodes: Some(30_000), ..Limits::NONE };
    for _ in 0..20 {
        let nodes = AlphaBeta::new(settings(limits), position.variant()).search(&position).nodes;
        // The first thread searches its share, however late the others begin; each may look at a few positions more.
        assert!((10_000..31_000).contains(&nodes), "{nodes}");
    }
    let mut agent = AlphaBeta::new(settings(Limits::NONE), position.variant());
    let (stop, began) = (Stop::default(), std::time::Instant::now());
    std::thread::scope(|scope| {
        let asked = stop.clone();
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            asked.request();
        });
        let choice = agent.choose(&position, &TurnLimits::until(&stop)).unwrap();
        assert!(position.action_set().contains(choice.action) && choice.nodes > 0);
    });
    // Without the stop, a search without limits would go on for hours.
    assert!(began.elapsed().as_secs() < 10);
}

/// Fails on the thread of the test, which has a name, and not on the threads of helpers.
fn fails_here(_: &GipfPosition) -> Score {
    assert!(std::thread::current().name().is_none(), "an evaluation that fails");
    0
}

#[test]
fn a_search_that_panics_ends_its_helpers() {
    let position = GipfPosition::start(Variant::STANDARD);
    let settings = Settings { threads: 3, ..Limits::NONE.into() };
    let mut agent = AlphaBeta::with_evaluation(settings, Evaluation::Given(fails_here), 12);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| agent.search(&position)));
    assert!(ended.is_err());
}

//! The search on games with known answers: exact values, wins that take two decisions, more simulations against fewer.

use std::collections::{HashMap, HashSet};

use gipf_env::toy::{ConnectFour, DoubleStep, Square, TicTacToe};
use gipf_env::{Learnable, Player, Position};
use gipf_play::search::{
    Budget, Evaluation, Evaluator, Gumbel, Method, Proven, SearchConfig, SearchResult, UniformEvaluator,
};

use crate::search::exact::{Exact, Hashed, after, random_game, reachable};
use crate::search::tree::{METHODS, check_result, rng, searched, without_solver};

// --- exact values --------------------------------------------------------------------------------------------------

/// Checks the value and the action in these positions; returns how many decisions there are, and how many were proven.
fn check_tic_tac_toe<'a>(
    positions: impl IntoIterator<Item = &'a TicTacToe>,
    config: SearchConfig,
    simulations: u32,
) -> (u32, u32) {
    let mut exact = Exact::new();
    let (mut decisions, mut proven) = (0, 0);
    for position in positions.into_iter().filter(|position| position.outcome().is_none()) {
        let result = searched(config, position, Budget::quiet(simulations), &mut UniformEvaluator);
        check_result(position, Budget::quiet(simulations), &result);
        let value = exact.value(position);
        let found = exact.action_value(position, result.action);
        assert_eq!(found, value, "{config:?} plays {} in\n{position}", result.action);
        if position.legal_actions().count() > 1 {
            decisions += 1;
            proven += u32::from(result.proven.is_some());
            // Without the solver, values converge slowly; with it, they are proven, or nearly so.
            let error = (result.value - f32::from(value)).abs();
            assert!(!config.solver || error < 0.5, "{} for {value}: {config:?}\n{position}", result.value);
        }
    }
    (decisions, proven)
}

#[test]
fn agrees_with_minimax_on_every_position_of_tic_tac_toe() {
    let positions = reachable(TicTacToe::default());
    for config in METHODS.map(|config| config()) {
        let (decisions, proven) = check_tic_tac_toe(&positions, config, 2000);
        assert!(proven * 10 > decisions * 9, "{config:?} proves {proven} of {decisions}");
    }
}

#[test]
fn without_the_solver_it_still_agrees_with_minimax() {
    // One of each set of mirror images.
    let mut seen = HashSet::new();
    let mut is_new = |position: &TicTacToe| {
        let known = (0..position.symmetries()).any(|symmetry| seen.contains(&position.transformed(symmetry)));
        seen.insert(position.clone());
        !known
    };
    let positions: Vec<_> = reachable(TicTacToe::default()).into_iter().filter(|position| is_new(position)).collect();
    assert_eq!(positions.len(), 765);
    for config in METHODS.map(|config| without_solver(config())) {
        check_tic_tac_toe(&positions, config, 5000);
    }
}

#[test]
fn solver_agrees_with_brute_force_on_late_positions() {
    let mut exact = Exact::new();
    for config in METHODS.map(|config| config()) {
        let (mut random, mut found) = (rng(11), HashMap::new());
        let (mut searches, mut proven) = (0, 0);
        while searches < 1500 {
            for position in random_game(&ConnectFour::default(), &mut random).iter().skip(11) {
                if position.legal_actions().count() == 1 {
                    continue;
                }
                let result = searched(config, position, Budget::quiet(4000), &mut Hashed);
                searches += 1;
                if let Some(claim) = result.proven {
                    proven += 1;
                    let truth = exact.value(position);
                    assert_eq!(claim.value(), f32::from(truth), "{config:?}\n{position}");
                    assert_eq!(exact.action_value(position, result.action), truth, "{config:?}\n{position}");
                    *found.entry(truth).or_insert(0) += 1;
                    check_proven_children(position, &result, &mut exact);
                }
            }
        }
        assert!(proven * 100 > searches * 95, "{config:?} proves {proven} of {searches}");
        assert!(found.len() == 3 && found.values().all(|&count| count > 50), "wins, draws and losses: {found:?}");
    }
}

fn undecided() -> Vec<TicTacToe> {
    reachable(TicTacToe::default()).into_iter().filter(|at| at.outcome().is_none()).collect()
}

fn with_puct() -> impl Iterator<Item = SearchConfig> {
    METHODS.map(|config| config()).into_iter().filter(|config| matches!(config.method, Method::Puct(_)))
}

/// Considers every position to be nearly lost for the player to move.
struct Pessimist;

impl Evaluator<TicTacToe> for Pessimist {
    fn evaluate(&mut self, positions: &[TicTacToe], out: &mut [Evaluation]) {
        UniformEvaluator.evaluate(positions, out);
        for evaluation in out {
            evaluation.value = -0.9;
        }
    }
}

#[test]
fn a_draw_in_hand_is_worth_no_less() {
    let positions = undecided();
    for config in METHODS.map(|config| config()) {
        let mut in_hand = 0;
        for (position, simulations) in positions.iter().flat_map(|at| [4, 8, 16].map(|simulations| (at, simulations))) {
            let result = searched(config, position, Budget::quiet(simulations), &mut Pessimist);
            if result.proven.is_none() && result.children.iter().any(|child| child.proven == Some(Proven::Draw)) {
                in_hand += 1;
                assert!(result.value >= 0.0, "{config:?} expects {} in\n{position}", result.value);
            }
        }
        assert!(in_hand > 20, "{config:?}: {in_hand} positions with a draw in hand");
    }
}

/// Considers every position to be nearly lost for one player.
struct Doomed(Player);

impl Evaluator<TicTacToe> for Doomed {
    fn evaluate(&mut self, positions: &[TicTacToe], out: &mut [Evaluation]) {
        UniformEvaluator.evaluate(positions, out);
        for (position, evaluation) in positions.iter().zip(out) {
            evaluation.value = if position.to_move() == self.0 { -0.9 } else { 0.9 };
        }
    }
}

/// A drawn action keeps the visits from before it was proven.
#[test]
fn puct_takes_no_draw_in_hand_while_its_favourite_looks_no_worse() {
    let positions = undecided();
    for config in with_puct() {
        let mut left = 0;
        for (position, simulations) in positions.iter().flat_map(|at| [4, 8, 16, 32].map(|count| (at, count))) {
            let hopeful = &mut Doomed(position.to_move().other());
            let result = searched(config, position, Budget::quiet(simulations), hopeful);
            let drawn = result.children.iter().filter(|child| child.proven == Some(Proven::Draw));
            let open = result.children.iter().filter(|child| child.proven.is_none());
            let favourite = open.max_by_key(|child| child.visits);
            if result.proven.is_none() && drawn.count() > 0 && favourite.is_some_and(|child| child.q >= 0.0) {
                left += 1;
                let chosen = result.children.iter().find(|child| child.action == result.action).unwrap();
                assert_ne!(chosen.proven, Some(Proven::Draw), "{config:?} plays {:?} in\n{position}", chosen.action);
            }
        }
        assert!(left > 20, "{config:?}: {left} draws in hand beside something better");
    }
}

/// By visits alone, the most visited action would be chosen. Gumbel's policy weighs the draw by its value instead.
#[test]
fn puct_takes_a_draw_in_hand_when_all_else_looks_worse() {
    let positions = undecided();
    for config in with_puct() {
        let mut taken = 0;
        for (position, simulations) in positions.iter().flat_map(|at| [4, 8, 16].map(|simulations| (at, simulations))) {
            let result = searched(config, position, Budget::quiet(simulations), &mut Doomed(position.to_move()));
            let open = result.children.iter().filter(|child| child.proven.is_none() && child.visits > 0);
            let draws = result.children.iter().filter(|child| child.proven == Some(Proven::Draw)).count();
            if result.proven.is_some()
                || draws == 0
                || open.clone().count() == 0
                || open.clone().any(|child| child.q >= 0.0)
            {
                continue;
            }
            taken += 1;
            for (child, (_, share)) in result.children.iter().zip(&result.policy) {
                assert!(*share == 0.0 || child.proven == Some(Proven::Draw), "{share} for {}\n{position}", child.q);
            }
        }
        assert!(taken > 20, "{config:?}: {taken} draws taken");
    }
}

fn check_proven_children<P: Position>(position: &P, result: &SearchResult<P::Action>, exact: &mut Exact<P>) {
    for (child, entry) in result.children.iter().zip(&result.policy) {
        let truth = exact.action_value(position, child.action);
        if let Some(claim) = child.proven {
            assert_eq!(claim.value(), f32::from(truth));
        }
        if entry.1 > 0.0 {
            assert_eq!(f32::from(truth), result.value, "the target holds actions of the proven value only");
        }
    }
}

/// Knows the truth and says the opposite: the best actions have the lowest priors, and the values are reversed.
struct Misleading(Exact<ConnectFour>);

impl Evaluator<ConnectFour> for Misleading {
    fn evaluate(&mut self, positions: &[ConnectFour], out: &mut [Evaluation]) {
        for (position, evaluation) in positions.iter().zip(out) {
            let truths = position.legal_actions().map(|action| self.0.action_value(position, action));
            evaluation.logits = truths.map(|truth| -20.0 * f32::from(truth)).collect();
            evaluation.value = -f32::from(self.0.value(position));
        }
    }
}

/// Two actions are considered; when both are refuted, others must take their places.
#[test]
fn solver_overcomes_a_network_that_misleads() {
    let gumbel = Gumbel { considered: 2, ..Gumbel::default() };
    let narrow = SearchConfig { method: Method::Gumbel(gumbel), solver: true };
    let mut evaluator = Misleading(Exact::new());
    let mut exact = Exact::new();
    let mut random = rng(12);
    for config in [narrow, SearchConfig::puct()] {
        for _ in 0..100 {
            for position in random_game(&ConnectFour::default(), &mut random).iter().skip(12) {
                let result = searched(config, position, Budget::quiet(5000), &mut evaluator);
                let truth = exact.value(position);
                assert_eq!(exact.action_value(position, result.action), truth, "{config:?}\n{position}");
            }
        }
    }
}

// --- two decisions of one player ------------------------------------------------------------------------------------

/// Returns all positions at the start of a turn where one turn wins and all others lose, with the two steps of that turn.
fn single_winning_turns(exact: &mut Exact<DoubleStep>) -> Vec<(DoubleStep, [Square; 2])> {
    let mut found = Vec::new();
    for start in (0..25).map(|square| DoubleStep::starting_on(Square(square))) {
        for position in reachable(start) {
            if position.is_second_step() || position.legal_actions().count() < 2 {
                continue;
            }
            let wins = |position: &DoubleStep, exact: &mut Exact<_>| -> Vec<_> {
                position.legal_actions().filter(|&step| exact.action_value(position, step) == 1).collect()
            };
            if let [first] = wins(&position, exact)[..] {
                let middle = after(&position, first);
                if let [second] = wins(&middle, exact)[..]
                    && middle.legal_actions().count() > 1
                {
                    found.push((position, [first, second]));
                }
            }
        }
    }
    found
}

/// Returns the value for the player to move as if every decision ended the turn: a search must not compute this.
fn value_negated_per_ply(position: &DoubleStep) -> f32 {
    if let Some(outcome) = position.outcome() {
        return outcome.reward(position.to_move());
    }
    let values = position.legal_actions().map(|step| -value_negated_per_ply(&after(position, step)));
    values.fold(f32::NEG_INFINITY, f32::max)
}

fn mass_on<P: Position>(position: &P, result: &SearchResult<P::Action>, action: P::Action) -> f32 {
    let index = position.action_index(action);
    result.policy.iter().find(|entry| entry.0 == index).unwrap().1
}

/// The solver is off, since it would end the search at once. With PUCT the target *is* the share of the visits. The Gumbel
/// method visits its last two root actions equally often by design, so there the target and the choice count.
#[test]
fn nine_visits_in_ten_go_to_the_only_winning_turn() {
    let mut exact = Exact::new();
    let winning_turns = single_winning_turns(&mut exact);
    assert!(winning_turns.len() > 1000, "{}", winning_turns.len());
    let late = |position: &DoubleStep| position.turn() >= 6;
    for (position, [first, second]) in winning_turns.iter().filter(|(position, _)| late(position)).step_by(15) {
        let middle = after(position, *first);
        for (at, step) in [(position, *first), (&middle, *second)] {
            for config in METHODS.map(|config| without_solver(config())) {
                let result = searched(config, at, Budget::quiet(2000), &mut UniformEvaluator);
                let mass = mass_on(at, &result, step);
                assert!(mass >= 0.9 && result.action == step, "{config:?} gives {mass} to {step}\n{at}{result:?}");
            }
            let result = searched(SearchConfig::gumbel(), at, Budget::quiet(2000), &mut UniformEvaluator);
            assert_eq!((result.action, result.proven), (step, Some(Proven::Win)), "\n{at}");
        }
    }
}

/// The test above can fail: a search that negated values at every ply would reject many of these first steps.
#[test]
fn negation_per_ply_gets_double_step_wrong() {
    let winning_turns = single_winning_turns(&mut Exact::new());
    let misses = |(position, [first, _]): &&(DoubleStep, [Square; 2])| {
        let best = position.legal_actions().map(|step| (value_negated_per_ply(&after(position, step)), step)).fold(
            None,
            |best: Option<(f32, Square)>, new| if best.is_none_or(|best| new.0 < best.0) { Some(new) } else { best },
        );
        best.unwrap().1 != *first
    };
    let late: Vec<_> = winning_turns.iter().filter(|(position, _)| position.turn() >= 6).collect();
    let wrong = late.iter().copied().filter(misses).count();
    assert!(wrong * 4 > late.len(), "{wrong} of {}", late.len());
}

// --- strength -------------------------------------------------------------------------------------------------------

/// Returns the score of `strong` against `weak` simulations, with both colours played from each random opening.
fn score(config: SearchConfig, strong: u32, weak: u32, pairs: u64) -> f32 {
    let mut points = 0.0;
    for pair in 0..pairs {
        let opening = random_game(&ConnectFour::default(), &mut rng(pair))[4].clone();
        for player in Player::BOTH {
            let mut position = opening.clone();
            while position.outcome().is_none() {
                let budget = Budget::quiet(if position.to_move() == player { strong } else { weak });
                let result = searched(config, &position, budget, &mut UniformEvaluator);
                position = after(&position, result.action);
            }
            points += position.outcome().unwrap().reward(player) / 2.0 + 0.5;
        }
    }
    points / (2 * pairs) as f32
}

#[test]
fn more_simulations_play_better() {
    for config in METHODS.map(|config| config()) {
        let scores = [(16, 2), (128, 16), (1024, 128)].map(|(strong, weak)| score(config, strong, weak, 200));
        assert!(scores.iter().all(|&score| score > 0.6), "{config:?} {scores:?}");
    }
}

//! Exact answers: tables against brute force, alpha-beta and search; proofs against tables and brute force.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use gipf_env::toy::{ConnectFour, DoubleStep, SmallGipf, Square, TicTacToe};
use gipf_env::{GipfPosition, Player, Position, Setup, Variant};
use gipf_play::Stop;
use gipf_play::exact::proof::{Decision, Ended, Game, Proof, ProofLimits, prove};
use gipf_play::exact::{Table, Value};
use gipf_play::search::{Budget, Proven, SearchConfig, UniformEvaluator};
use rand::RngExt;

use crate::search::exact::{Exact, after, random_game, reachable};
use crate::search::tree::{rng, searched};
use crate::wishes;

/// Returns a key that distinguishes all positions.
fn hashed<P: Position>(position: &P) -> u64 {
    let mut hasher = DefaultHasher::new();
    position.hash(&mut hasher);
    hasher.finish()
}

fn table<P: Position>(start: &P) -> Table<P> {
    Table::solve(start, hashed, &Stop::default()).unwrap()
}

/// Returns small GIPF with a limit that is never reached, and its table.
pub fn small(pieces: u8) -> (SmallGipf, Table<SmallGipf>) {
    let start = SmallGipf::starting_with(pieces).with_placement_limit(u16::MAX);
    let table = Table::solve(&start, SmallGipf::canonical_key, &Stop::default()).unwrap();
    (start, table)
}

// --- tables ---------------------------------------------------------------------------------------------------------

fn check_table<P: Position>(start: &P) {
    let (table, mut exact) = (table(start), Exact::new());
    let positions = reachable(start.clone());
    for position in positions.iter().filter(|position| position.outcome().is_none()) {
        let value = table.value(position).unwrap();
        assert_eq!(value.result().value(), f32::from(exact.value(position)), "{position:?}");
        check_best(&table, position, value);
    }
}

/// The best of the actions has the value of the position: the fastest of the wins, or the slowest of the losses.
fn check_best<P: Position>(table: &Table<P>, position: &P, value: Value) {
    let of = |action| table.action_value(position, action).unwrap();
    let rank = |value: Value| match value {
        Value::Win(distance) => 100_000 - i32::from(distance),
        Value::Draw => 0,
        Value::Loss(distance) => i32::from(distance) - 100_000,
    };
    let best = position.legal_actions().map(of).max_by_key(|&value| rank(value)).unwrap();
    assert_eq!(best, value, "{position:?}");
    assert!(!table.best_actions(position).is_empty());
}

#[test]
fn tables_agree_with_brute_force_on_every_position_of_games_that_end() {
    check_table(&TicTacToe::default());
    check_table(&random_game(&ConnectFour::default(), &mut rng(40))[6]);
    check_table(&DoubleStep::starting_on(Square(7)));
}

#[test]
fn images_and_exchanged_colours_share_their_place_in_the_table() {
    let start = SmallGipf::starting_with(3).with_placement_limit(u16::MAX);
    let short = Table::solve(&start, SmallGipf::canonical_key, &Stop::default()).unwrap();
    // The table does not know the number of the turn and the limit.
    let key = |position: &SmallGipf| {
        let pieces = Player::BOTH.map(|player| position.pieces_of(player));
        let reserves = Player::BOTH.map(|player| position.reserve(player));
        let mut hasher = DefaultHasher::new();
        (pieces, reserves, position.to_move(), position.phase()).hash(&mut hasher);
        hasher.finish()
    };
    let long = Table::solve(&start, key, &Stop::default()).unwrap();
    assert!(long.counts().positions > 10 * short.counts().positions, "{:?}", long.counts());
    let mut random = rng(41);
    for _ in 0..300 {
        for position in random_game(&start.clone().with_placement_limit(60), &mut random) {
            assert_eq!(short.value(&position), long.value(&position), "{position}");
        }
    }
}

#[test]
fn small_gipf_with_four_pieces_is_a_draw_and_its_values_agree_with_each_other() {
    let (start, table) = small(4);
    let counts = table.counts();
    assert_eq!((counts.positions, counts.draws), (324_474, 37_012));
    assert_eq!(counts.wins.iter().chain(&counts.losses).sum::<usize>() + counts.draws, counts.positions);
    assert_eq!(table.value(&start), Some(Value::Draw));
    let mut random = rng(42);
    for _ in 0..300 {
        for position in random_game(&start.clone().with_placement_limit(60), &mut random) {
            check_best(&table, &position, table.value(&position).unwrap());
        }
    }
}

/// Returns the result for the player to move within this many decisions; 0 if there is no result within them.
fn alpha_beta(position: &SmallGipf, depth: u16, alpha: i8, beta: i8) -> i8 {
    if let Some(outcome) = position.outcome() {
        return outcome.reward(position.to_move()) as i8;
    }
    if depth == 0 {
        return 0;
    }
    let mut best = alpha;
    for action in position.legal_actions() {
        let next = after(position, action);
        let same = next.to_move() == position.to_move();
        let value =
            if same { alpha_beta(&next, depth - 1, best, beta) } else { -alpha_beta(&next, depth - 1, -beta, -best) };
        best = best.max(value);
        if best >= beta {
            break;
        }
    }
    best
}

/// Returns positions from random play with more than one action, with a limit that is never reached.
pub fn random_positions(start: &SmallGipf, count: usize, seed: u64) -> Vec<SmallGipf> {
    let mut random = rng(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let game = random_game(&start.clone().with_placement_limit(60), &mut random);
        let position = game[random.random_range(0..game.len())].clone().with_placement_limit(u16::MAX);
        if position.num_legal_actions() > 1 {
            found.push(position);
        }
    }
    found
}

#[test]
fn alpha_beta_finds_each_result_at_its_distance_and_not_before() {
    const DEEPEST: u16 = 5;
    let (start, table) = small(4);
    let mut found = [0; 6];
    for position in random_positions(&start, 300, 43) {
        let value = table.value(&position).unwrap();
        let depth = value.distance().filter(|&distance| distance <= DEEPEST);
        let expected = if depth.is_some() { value.result().value() as i8 } else { 0 };
        assert_eq!(alpha_beta(&position, depth.unwrap_or(DEEPEST), -1, 1), expected, "{value}\n{position}");
        if let Some(distance) = depth {
            assert_eq!(alpha_beta(&position, distance - 1, -1, 1), 0, "{value}\n{position}");
        }
        found[usize::from(depth.unwrap_or(0))] += 1;
    }
    assert!(found[1] > 20 && found[2] > 0 && found[3] > 10, "{found:?}");
}

/// Returns the share of the positions in which the chosen action keeps the value.
pub fn share_kept<P: Position>(table: &Table<P>, positions: &[P], choose: impl Fn(&P) -> P::Action) -> f64 {
    let result = |value: Option<Value>| value.unwrap().result();
    let keeps = |position: &&P| {
        let chosen = table.action_value(position, choose(position));
        result(chosen) == result(table.value(position))
    };
    positions.iter().filter(keeps).count() as f64 / positions.len() as f64
}

/// Returns whether some action gives away a win or a draw.
pub fn is_critical<P: Position>(table: &Table<P>, position: &P) -> bool {
    let result = |value: Option<Value>| value.unwrap().result();
    let worse = |action| result(table.action_value(position, action)) < result(table.value(position));
    position.legal_actions().any(worse)
}

/// Returns wins that take more than one decision, or draws; in each, some action gives the result away.
fn hard_positions(table: &Table<SmallGipf>, start: &SmallGipf, result: Proven, count: usize) -> Vec<SmallGipf> {
    let is_hard = |position: &SmallGipf| {
        let value = table.value(position).unwrap();
        value.result() == result && value != Value::Win(1) && is_critical(table, position)
    };
    let samples = (44..).flat_map(|seed| random_positions(start, 100, seed));
    samples.filter(is_hard).take(count).collect()
}

#[test]
fn search_keeps_more_values_the_longer_it_searches() {
    let (start, table) = small(4);
    // This takes minutes for scripts/small-gipf, seconds otherwise.
    let most = if wishes::number::<u32>("GIPF_SMALL_ITERATIONS").is_some() { 65_536 } else { 4096 };
    for result in [Proven::Win, Proven::Draw] {
        let positions = hard_positions(&table, &start, result, 100);
        let budgets = [1, 16, 64, 256, 1024, 4096, 16_384, 65_536].into_iter();
        let share = |simulations| {
            let choose = |position: &SmallGipf| {
                let budget = Budget::quiet(simulations);
                searched(SearchConfig::default(), position, budget, &mut UniformEvaluator).action
            };
            share_kept(&table, &positions, choose)
        };
        let shares: Vec<_> = budgets.filter(|&simulations| simulations <= most).map(share).collect();
        println!("MCTS without a network keeps {result:?} in {shares:.3?} of {}", positions.len());
        let [first, .., last] = shares[..] else { panic!("several budgets") };
        assert!(last > 0.65 && last > first + 0.2, "{result:?}: {shares:?}");
        assert!(shares.is_sorted_by(|fewer, more| *more > fewer - 0.06), "{result:?}: {shares:?}");
    }
}

// --- proofs ---------------------------------------------------------------------------------------------------------

const LIMITS: ProofLimits = ProofLimits { time: Some(Duration::from_secs(20)), nodes: None, memory: 100_000_000 };

fn decided<A>(proof: &Proof<A>, to_move: Player) -> Proven {
    match proof.decision().expect("the position is decided within the limits") {
        Decision::Wins(winner) if winner == to_move => Proven::Win,
        Decision::Wins(_) => Proven::Loss,
        Decision::Draw => Proven::Draw,
    }
}

/// Proves the values of random positions; returns how many of each result there were, and how many were decided.
fn check_proofs(pieces: u8, count: usize, limits: ProofLimits) -> ([usize; 3], [usize; 3]) {
    let (start, table) = small(pieces);
    let game = Game::with_key(SmallGipf::canonical_key);
    let (mut all, mut found) = ([0; 3], [0; 3]);
    for position in random_positions(&start, count, 45) {
        let value = table.value(&position).unwrap();
        let proof = prove(&game, &position, limits, &Stop::default());
        all[value.result() as usize] += 1;
        if proof.decision().is_some() {
            assert_eq!(decided(&proof, position.to_move()), value.result(), "{value}\n{position}");
            check_line(&table, &position, value, &proof);
            found[value.result() as usize] += 1;
        }
    }
    println!("{pieces} pieces: proven {found:?} of {all:?} losses, draws and wins");
    (all, found)
}

#[test]
fn proofs_agree_with_the_table() {
    let (all, found) = check_proofs(3, 500, ProofLimits { nodes: Some(100_000), ..LIMITS });
    assert!(all == found && all.iter().all(|&count| count > 5), "{found:?} of {all:?}");
    let (all, found) = check_proofs(4, 200, ProofLimits { nodes: Some(20_000), ..LIMITS });
    assert!(all[0] == found[0] && all[2] == found[2] && found[2] > 50, "{found:?} of {all:?}");
}

/// No action of the line gives anything away, and at its end the winner has won, or nobody has.
fn check_line(
    table: &Table<SmallGipf>,
    start: &SmallGipf,
    value: Value,
    proof: &Proof<<SmallGipf as Position>::Action>,
) {
    let mut position = start.clone();
    for &action in &proof.line {
        let [before, chosen] = [table.value(&position), table.action_value(&position, action)];
        assert_eq!(before.unwrap().result(), chosen.unwrap().result(), "{value}\n{start}{:?}", proof.line);
        position.play(action).unwrap();
    }
    let winner = position.outcome().map(|outcome| outcome.reward(start.to_move()));
    assert_eq!(winner.unwrap_or(0.0), value.result().value(), "{value}\n{start}{:?}", proof.line);
    assert!(!proof.line.is_empty());
}

/// Returns whether the attacker can force a win before this turn begins, by trying everything.
fn forced_within(position: &GipfPosition, attacker: Player, last_turn: usize) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome.winner == Some(attacker);
    }
    if position.turn() >= last_turn {
        return false;
    }
    let mut results =
        position.legal_actions().map(|action| forced_within(&after(position, action), attacker, last_turn));
    if position.to_move() == attacker { results.any(|wins| wins) } else { results.all(|wins| wins) }
}

#[test]
fn proofs_of_the_ends_of_random_games_agree_with_brute_force() {
    let mut random = rng(46);
    let mut found = [0; 4];
    for variant in Variant::ALL.into_iter().cycle().take(150) {
        let start = GipfPosition::from_setup(&Setup::start(variant).with_placement_limit(Some(300))).unwrap();
        let game = random_game(&start, &mut random);
        let last = game.last().unwrap();
        if after(last, last.legal_actions().next().unwrap()).outcome().is_none_or(|end| end.winner.is_none()) {
            continue;
        }
        let back = random.random_range(0..3);
        let Some(end) = game.iter().rev().find(|position| position.turn() + back <= last.turn()) else { continue };
        check_end(&without_limit(end), &mut found);
    }
    assert!(found[1] > 20 && found[2] + found[3] > 1, "{found:?}");
}

fn without_limit(position: &GipfPosition) -> GipfPosition {
    GipfPosition::from_setup(&position.to_setup().with_placement_limit(None))
        .unwrap_or_else(|_| position.without_history())
}

fn check_end(position: &GipfPosition, found: &mut [usize; 4]) {
    let proof = prove(&Game::gipf(), position, ProofLimits { nodes: Some(100_000), ..LIMITS }, &Stop::default());
    let turns = |attacker| (1..=3).find(|turns| forced_within(position, attacker, position.turn() + turns));
    let truth = Player::BOTH.into_iter().find_map(|player| Some((player, turns(player)?)));
    if let Some((winner, turns)) = truth {
        assert_eq!((proof.decision(), proof.fastest), (Some(Decision::Wins(winner)), Some(turns)), "{position:?}");
        let end = proof.line.iter().fold(position.clone(), |at, &action| after(&at, action));
        assert_eq!(end.outcome().unwrap().winner, Some(winner));
    } else if let Some(Decision::Wins(_)) = proof.decision() {
        assert!(proof.fastest.is_none_or(|turns| turns > 3), "{position:?}");
    }
    found[truth.map_or(0, |(_, turns)| turns)] += 1;
}

#[test]
fn limits_are_kept_and_reported() {
    let start = GipfPosition::start(Variant::STANDARD);
    let few = ProofLimits { nodes: Some(1000), ..LIMITS };
    let proof = prove(&Game::gipf(), &start, few, &Stop::default());
    assert_eq!((proof.decision(), proof.ended), (None, Ended::Nodes));
    assert!(proof.nodes < 1600 && proof.bytes < LIMITS.memory, "{proof:?}");
    let stop = Stop::default();
    stop.request();
    assert_eq!(prove(&Game::gipf(), &start, LIMITS, &stop).ended, Ended::Stopped);
    let soon = ProofLimits { time: Some(Duration::from_millis(50)), ..LIMITS };
    assert!(prove(&Game::gipf(), &start, soon, &Stop::default()).seconds < 2.0);
}

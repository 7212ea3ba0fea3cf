//! The search against itself: things that must not matter, budgets and schedules, and the tree from decision to decision.

use gipf_env::toy::{ConnectFour, DoubleStep, Square, TicTacToe};
use gipf_env::{GipfPosition, Learnable, Position, Variant};
use gipf_play::search::{
    Budget, Evaluation, Evaluator, Gumbel, Method, Search, SearchConfig, SearchResult, UniformEvaluator, search_all,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::exact::{Exact, Hashed, Swapped, after, random_game, reachable};

/// The methods as they are, and as players and self-play use them.
pub const METHODS: [fn() -> SearchConfig; 4] =
    [SearchConfig::gumbel, SearchConfig::puct, SearchConfig::self_play, SearchConfig::play];

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn without_solver(config: SearchConfig) -> SearchConfig {
    SearchConfig { solver: false, ..config }
}

/// Searches one position from scratch.
pub fn searched<P: Learnable>(
    config: SearchConfig,
    position: &P,
    budget: Budget,
    evaluator: &mut impl Evaluator<P>,
) -> SearchResult<P::Action> {
    let mut search = [Search::new(config)];
    search[0].start(position, budget, &mut rng(3));
    search_all(&mut search, evaluator);
    search[0].result()
}

/// Checks what must hold for every result.
pub fn check_result<P: Learnable>(position: &P, budget: Budget, result: &SearchResult<P::Action>) {
    let legal: Vec<_> = position.legal_actions().collect();
    let indices: Vec<_> = legal.iter().map(|&action| position.action_index(action)).collect();
    assert_eq!(result.children.iter().map(|child| child.action).collect::<Vec<_>>(), legal);
    assert_eq!(result.policy.iter().map(|entry| entry.0).collect::<Vec<_>>(), indices);
    let total: f32 = result.policy.iter().map(|entry| entry.1).sum();
    assert!((total - 1.0).abs() < 1e-4 && result.policy.iter().all(|entry| entry.1 >= 0.0), "{result:?}");
    let visits: u32 = result.children.iter().map(|child| child.visits).sum();
    assert_eq!(visits, result.simulations);
    let complete = result.simulations == budget.simulations || result.proven.is_some() || legal.len() == 1;
    assert!(complete && result.simulations <= budget.simulations, "{result:?}");
    let in_range = |value: f32| (-1.0..=1.0).contains(&value);
    assert!(in_range(result.value) && in_range(result.network_value));
    assert!(result.children.iter().all(|child| in_range(child.q) && in_range(child.prior)));
    assert_eq!(result.principal_variation.first(), Some(&result.action));
    result.principal_variation.iter().fold(position.clone(), |at, &action| after(&at, action));
}

/// Returns positions of random games, one from each game.
pub fn sample<P: Learnable>(start: &P, count: usize, seed: u64) -> Vec<P> {
    let mut random = rng(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let game = random_game(start, &mut random);
        found.push(game[random.random_range(0..game.len())].clone());
    }
    found
}

// --- what must not matter -------------------------------------------------------------------------------------------

fn check_colours<P: Learnable>(start: &P) {
    for position in sample(start, 60, 21) {
        for config in METHODS.map(|config| config()) {
            let budget = Budget::noisy(100);
            let result = searched(config, &position, budget, &mut Hashed);
            let swapped = searched(config, &Swapped(position.clone()), budget, &mut Hashed);
            assert_eq!(result, swapped, "{position:?}");
        }
    }
}

/// Everything is seen from the view of the player to move, so nothing at all may change, not even the noise.
#[test]
fn swapped_colours_give_the_same_result() {
    check_colours(&TicTacToe::default());
    check_colours(&DoubleStep::default());
    check_colours(&ConnectFour::default());
    check_colours(&GipfPosition::start(Variant::STANDARD));
    check_colours(&GipfPosition::start(Variant::TOURNAMENT));
}

/// Returns whether no symmetry but the identity maps the position on itself: then no two actions are the same.
fn is_lopsided<P: Learnable>(position: &P) -> bool {
    (1..position.symmetries()).all(|symmetry| position.transformed(symmetry) != *position)
}

fn check_mirrored<P: Learnable>(start: &P) {
    let positions: Vec<_> = sample(start, 150, 22).into_iter().filter(is_lopsided).collect();
    assert!(positions.len() > 50);
    for position in positions {
        for config in METHODS.map(|config| config()) {
            let result = searched(config, &position, Budget::quiet(100), &mut Hashed);
            for symmetry in 1..position.symmetries() {
                let image = position.transformed(symmetry);
                let mirrored = searched(config, &image, Budget::quiet(100), &mut Hashed);
                assert_eq!(position.transformed_action(symmetry, result.action), mirrored.action);
                for child in &result.children {
                    let action = position.transformed_action(symmetry, child.action);
                    let twin = mirrored.children.iter().find(|twin| twin.action == action).unwrap();
                    assert_eq!((child.visits, child.proven), (twin.visits, twin.proven), "{position:?}");
                    assert!((child.q - twin.q).abs() < 1e-4, "{position:?}");
                }
            }
        }
    }
}

#[test]
fn mirrored_positions_give_mirrored_visits() {
    check_mirrored(&TicTacToe::default());
    check_mirrored(&DoubleStep::default());
    check_mirrored(&ConnectFour::default());
}

/// Counts the positions of the largest batch.
struct LargestBatch(usize);

impl<P: Learnable> Evaluator<P> for LargestBatch {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        self.0 = self.0.max(positions.len());
        Hashed.evaluate(positions, out);
    }
}

fn check_batches<P: Learnable>(start: &P) {
    let positions = sample(start, 40, 23);
    for config in METHODS.map(|config| config()) {
        let started = |number: usize| {
            let mut search = Search::new(config);
            // The budgets differ, so that searches drop out of the batch one after another.
            search.start(&positions[number], Budget::noisy(20 + number as u32), &mut rng(number as u64));
            search
        };
        let mut together: Vec<_> = (0..positions.len()).map(started).collect();
        let mut counter = LargestBatch(0);
        search_all(&mut together, &mut counter);
        assert!(counter.0 > 20, "the batch held {} positions", counter.0);
        for (number, search) in together.iter().enumerate() {
            let mut alone = [started(number)];
            search_all(&mut alone, &mut Hashed);
            assert_eq!(search.result(), alone[0].result());
        }
    }
}

#[test]
fn a_batch_of_n_equals_n_batches_of_one() {
    check_batches(&TicTacToe::default());
    check_batches(&DoubleStep::default());
    check_batches(&ConnectFour::default());
    check_batches(&GipfPosition::start(Variant::STANDARD));
}

// --- budgets, schedules, noise --------------------------------------------------------------------------------------

fn check_budgets<P: Learnable>(position: &P) {
    for config in METHODS.map(|config| config()) {
        for config in [config, without_solver(config)] {
            for budget in (0..=100).flat_map(|n| [Budget::quiet(n), Budget::noisy(n)]) {
                let result = searched(config, position, budget, &mut Hashed);
                check_result(position, budget, &result);
                if !config.solver {
                    assert_eq!(result.simulations, budget.simulations);
                }
            }
        }
    }
}

#[test]
fn visits_add_up_to_the_simulations_for_every_budget() {
    check_budgets(&TicTacToe::default());
    check_budgets(&DoubleStep::default());
    check_budgets(&ConnectFour::default());
    check_budgets(&GipfPosition::start(Variant::STANDARD));
}

/// Returns the visits of m actions after n simulations, most first, by the definition: in each phase every remaining
/// action gets max(1, n / (⌈log₂ m⌉ · remaining)) visits, then the better half remains, at least two.
fn scheduled_visits(m: usize, n: usize) -> Vec<u32> {
    let phases = (1..=16).find(|&k| 1 << k >= m).unwrap();
    let (mut visits, mut left, mut spent) = (vec![0; m], m, 0);
    while spent < n {
        for _ in 0..(n / (phases * left)).max(1) {
            for action in visits.iter_mut().take(left.min(n - spent)) {
                *action += 1;
                spent += 1;
            }
        }
        left = if m == 1 { 1 } else { (left / 2).max(2) };
    }
    visits
}

#[test]
fn sequential_halving_follows_its_schedule() {
    let position = GipfPosition::start(Variant::STANDARD);
    for considered in [1, 2, 3, 7, 16, 40] {
        let gumbel = Gumbel { considered, ..Gumbel::default() };
        let config = SearchConfig { method: Method::Gumbel(gumbel), solver: false };
        for n in (1..130).step_by(3).chain([200, 330]) {
            let result = searched(config, &position, Budget::noisy(n), &mut Hashed);
            let mut visits: Vec<_> = result.children.iter().map(|child| child.visits).filter(|&v| v > 0).collect();
            visits.sort_unstable_by(|a, b| b.cmp(a));
            let affordable = (n / 2).max(2).min(n).min((n / 8).max(16));
            let m = (considered.min(affordable) as usize).min(result.children.len());
            assert_eq!(visits, scheduled_visits(m, n as usize), "{considered} considered, {n} simulations");
        }
    }
}

#[test]
fn noise_explores_and_quiet_searches_ignore_the_generator() {
    let position = GipfPosition::start(Variant::STANDARD);
    for config in METHODS.map(|config| config()) {
        let visits = |budget, seed| {
            let mut search = [Search::new(config)];
            search[0].start(&position, budget, &mut rng(seed));
            search_all(&mut search, &mut UniformEvaluator);
            search[0].result().children.iter().map(|child| child.visits).collect::<Vec<_>>()
        };
        assert_eq!(visits(Budget::quiet(64), 1), visits(Budget::quiet(64), 2));
        assert_eq!(visits(Budget::noisy(64), 1), visits(Budget::noisy(64), 1));
        assert_ne!(visits(Budget::noisy(64), 1), visits(Budget::noisy(64), 2));
    }
}

#[test]
fn the_gumbel_target_is_better_than_the_prior() {
    let mut gained = 0.0;
    for position in sample(&ConnectFour::default(), 300, 24) {
        let result = searched(SearchConfig::gumbel(), &position, Budget::noisy(32), &mut Hashed);
        let worth = |share: &dyn Fn(usize) -> f32| -> f32 {
            result.children.iter().enumerate().map(|(number, child)| share(number) * child.q).sum()
        };
        let gain = worth(&|number| result.policy[number].1) - worth(&|number| result.children[number].prior);
        assert!(gain > -1e-5, "{gain} {result:?}");
        gained += gain / 300.0;
    }
    assert!(gained > 0.05, "{gained}");
}

/// Sequential halving ends with actions that were visited equally often. Of these, the one with the highest logit + σ(q)
/// is played (Danihelka et al. 2022), not the one with the highest value.
#[test]
fn a_gumbel_search_plays_the_likeliest_of_the_most_visited() {
    let gumbel = Gumbel { c_scale: 0.01, ..Gumbel::default() };
    let config = SearchConfig { method: Method::Gumbel(gumbel), solver: false };
    let mut others = 0;
    for position in sample(&ConnectFour::default(), 300, 29) {
        let result = searched(config, &position, Budget::quiet(16), &mut Hashed);
        let most = result.children.iter().map(|child| child.visits).max().unwrap();
        let last = result.children.iter().zip(&result.policy).filter(|(child, _)| child.visits == most);
        let likeliest = last.clone().max_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap();
        assert_eq!(result.action, likeliest.0.action, "{result:?}");
        let best = last.max_by(|a, b| a.0.q.total_cmp(&b.0.q)).unwrap();
        others += usize::from(best.0.action != result.action);
    }
    assert!(others > 20, "{others}: nearly always the best is the likeliest");
}

/// Extreme evaluations of all kinds, chosen by the hash of the position.
struct Extreme;

impl<P: Learnable> Evaluator<P> for Extreme {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        const LOGITS: [f32; 6] = [1e9, -1e9, 0.0, f32::MAX, f32::MIN, 80.0];
        Hashed.evaluate(positions, out);
        for evaluation in out {
            let pick = |logit: &f32| LOGITS[(logit.abs() * 1e4) as usize % LOGITS.len()];
            evaluation.logits = evaluation.logits.iter().map(pick).collect();
            evaluation.value = evaluation.value.signum();
        }
    }
}

#[test]
fn extreme_evaluations_give_finite_results() {
    let gumbel = Gumbel { c_visit: 1e4, c_scale: 100.0, ..Gumbel::default() };
    let steep = SearchConfig { method: Method::Gumbel(gumbel), solver: true };
    for config in [steep, SearchConfig::gumbel(), SearchConfig::puct()] {
        for position in sample(&GipfPosition::start(Variant::BASIC), 60, 25) {
            for n in [0, 1, 5, 200] {
                let result = searched(config, &position, Budget::noisy(n), &mut Extreme);
                check_result(&position, Budget::noisy(n), &result);
            }
        }
    }
}

// --- trees from decision to decision --------------------------------------------------------------------------------

fn check_reuse<P: Learnable>(start: &P) {
    for config in METHODS.map(|config| without_solver(config())) {
        let mut search = [Search::new(config)];
        let mut random = rng(26);
        let (mut position, mut expected) = (start.clone(), 0);
        while position.outcome().is_none() {
            search[0].start(&position, Budget::noisy(50), &mut random);
            search_all(&mut search, &mut Hashed);
            let result = search[0].result();
            check_result(&position, Budget::noisy(50), &result);
            if position.legal_actions().count() > 1 {
                let reused: u32 = result.children.iter().map(|child| child.reused).sum();
                // Two pushes can lead to the same position; then the tree below the push that was searched more is kept.
                assert!(reused >= expected, "{reused} of {expected} visits: {position:?}");
                let chosen = result.children.iter().find(|child| child.action == result.action).unwrap();
                // The first visit evaluated the child itself; each further one went on to a grandchild.
                expected = (chosen.visits + chosen.reused).saturating_sub(1);
                assert!(expected > 0);
            }
            position = after(&position, result.action);
        }
    }
}

#[test]
fn the_tree_below_the_action_played_is_reused_whole() {
    check_reuse(&GipfPosition::start(Variant::STANDARD));
    check_reuse(&ConnectFour::default());
    check_reuse(&DoubleStep::default());
    check_reuse(&DoubleStep::starting_on(Square(12)));
    check_reuse(&TicTacToe::default());
}

/// A position after the opponent's decision is found as well, and one that is not in the tree is not mistaken for it.
#[test]
fn a_reply_is_found_in_the_tree_and_another_game_is_not() {
    let start = GipfPosition::start(Variant::BASIC);
    let mut search = [Search::new(SearchConfig::gumbel())];
    search[0].start(&start, Budget::quiet(400), &mut rng(0));
    search_all(&mut search, &mut Hashed);
    let line = search[0].result().principal_variation;
    assert!(line.len() > 2, "{line:?}");
    let reply = line[..2].iter().fold(start.clone(), |at, &action| after(&at, action));
    let reused_at = |search: &mut [Search<_>; 1], position: &GipfPosition| -> u32 {
        search[0].start(position, Budget::quiet(1), &mut rng(0));
        search_all(search, &mut Hashed);
        search[0].result().children.iter().map(|child| child.reused).sum()
    };
    assert!(reused_at(&mut search, &reply) > 0);
    assert_eq!(reused_at(&mut search, &start), 0, "the start lies above the new root");
    search[0].forget();
    assert_eq!(reused_at(&mut search, &reply), 0);
}

/// The clock is not checked while a position is looked for. Some 28 000 positions lie three turns below the root of this
/// tree, with a few visits each.
#[test]
fn what_lies_behind_thousands_of_others_is_given_up() {
    let start = GipfPosition::start(Variant::STANDARD);
    let searched = || {
        let mut search = [Search::new(SearchConfig::puct())];
        search[0].start(&start, Budget::quiet(200_000), &mut rng(0));
        search_all(&mut search, &mut UniformEvaluator);
        search
    };
    let [search] = searched();
    let line = search.line_from(search.result().action);
    let visits_after = |turns: usize| {
        let position = line[..turns].iter().fold(start.clone(), |at, &action| after(&at, action));
        searched()[0].visits_at(&position)
    };
    assert!(line.len() > 3 && visits_after(0) == 200_000, "{line:?}");
    assert!(visits_after(1) > 2000, "{}", visits_after(1));
    assert_eq!(visits_after(3), 0);
}

/// Many short searches are as good as one long search: together they find the result of brute force.
#[test]
fn starting_again_at_the_same_position_goes_on() {
    let mut exact = Exact::new();
    for position in sample(&ConnectFour::default(), 40, 27).iter().filter(|position| position.turn() > 11) {
        let mut search = [Search::new(SearchConfig::gumbel())];
        for _ in 0..200 {
            search[0].start(position, Budget::quiet(20), &mut rng(0));
            // A leaf that is gathered and never evaluated does no harm.
            let _ = search[0].gather();
            search[0].start(position, Budget::quiet(20), &mut rng(0));
            search_all(&mut search, &mut UniformEvaluator);
        }
        let result = search[0].result();
        let truth = f32::from(exact.value(position));
        assert!(result.proven.is_none_or(|claim| claim.value() == truth), "\n{position}");
        let forced = position.legal_actions().count() == 1;
        assert!(forced || result.proven.is_some(), "\n{position}");
    }
}

#[test]
fn a_single_legal_action_needs_no_search() {
    let forced: Vec<_> = reachable(DoubleStep::starting_on(Square(12)))
        .into_iter()
        .filter(|position| position.legal_actions().count() == 1)
        .collect();
    assert!(forced.len() > 100);
    for position in forced {
        let mut search = Search::new(SearchConfig::default());
        search.start(&position, Budget::noisy(50), &mut rng(0));
        assert!(search.gather().is_none());
        let result = search.result();
        check_result(&position, Budget::noisy(50), &result);
        assert_eq!((Some(result.action), result.simulations), (position.legal_actions().next(), 0));
    }
}

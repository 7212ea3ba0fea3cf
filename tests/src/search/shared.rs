//! One tree searched by several threads, or with several leaves in flight: the laws of the search still hold.

use gipf_env::toy::{ConnectFour, DoubleStep, TicTacToe};
use gipf_env::{GipfPosition, Learnable, Position as _, Variant};
use gipf_play::search::{Budget, Evaluation, Evaluator, Search, SearchConfig, SearchResult, search_all, search_shared};

use crate::search::exact::{Exact, Hashed, after, reachable};
use crate::search::tree::{METHODS, check_result, rng, sample, without_solver};

/// The number of threads, and of leaves in flight on each.
const WAYS: [(usize, usize); 5] = [(1, 3), (2, 1), (4, 1), (3, 8), (8, 4)];

fn started<P: Learnable>(config: SearchConfig, position: &P, budget: Budget) -> Search<P> {
    let mut search = Search::new(config);
    search.start(position, budget, &mut rng(3));
    search
}

fn shared<P: Learnable>(search: &mut Search<P>, (threads, leaves): (usize, usize)) -> SearchResult<P::Action> {
    let mut evaluators: Vec<_> = (0..threads).map(|_| Hashed).collect();
    search_shared(search, &mut evaluators, leaves, &mut || false);
    search.result()
}

fn check_one_thread<P: Learnable>(start: &P) {
    for position in sample(start, 30, 41) {
        for config in METHODS.map(|config| config()) {
            for budget in [Budget::quiet(70), Budget::noisy(150)] {
                let (mut own, mut ours) = (started(config, &position, budget), [started(config, &position, budget)]);
                search_all(&mut ours, &mut Hashed);
                assert_eq!(shared(&mut own, (1, 1)), ours[0].result(), "{position:?}");
                // The trees are the same, too: a search of the next position gives the same result.
                let next = after(&position, own.result().action);
                if next.outcome().is_none() {
                    own.start(&next, budget, &mut rng(4));
                    ours[0].start(&next, budget, &mut rng(4));
                    search_all(&mut ours, &mut Hashed);
                    assert_eq!(shared(&mut own, (1, 1)), ours[0].result(), "{next:?}");
                }
            }
        }
    }
}

#[test]
fn one_thread_with_one_leaf_finds_what_the_search_alone_finds() {
    check_one_thread(&TicTacToe::default());
    check_one_thread(&DoubleStep::default());
    for variant in Variant::ALL {
        check_one_thread(&GipfPosition::start(variant));
    }
}

fn check_laws<P: Learnable>(start: &P, games: usize) {
    for position in sample(start, games, 42) {
        for config in METHODS.map(|config| config()) {
            for way in WAYS {
                let budget = Budget::noisy(90);
                let mut search = started(config, &position, budget);
                let result = shared(&mut search, way);
                check_result(&position, budget, &result);
                // The tree is reused by a search that is alone.
                let next = after(&position, result.action);
                if next.outcome().is_none() {
                    search.start(&next, budget, &mut rng(5));
                    let mut alone = [search];
                    search_all(&mut alone, &mut Hashed);
                    let found = alone[0].result();
                    assert!(found.simulations == 90 || found.proven.is_some() || next.legal_actions().count() == 1);
                }
            }
        }
    }
}

#[test]
fn budgets_are_kept_and_visits_add_up_on_any_number_of_threads() {
    check_laws(&TicTacToe::default(), 20);
    check_laws(&DoubleStep::default(), 20);
    check_laws(&ConnectFour::default(), 10);
    for variant in Variant::ALL {
        check_laws(&GipfPosition::start(variant), 6);
    }
}

#[test]
fn leaves_under_way_on_one_thread_are_the_same_each_time() {
    for position in sample(&GipfPosition::start(Variant::STANDARD), 20, 43) {
        let once = |leaves| shared(&mut started(SearchConfig::play(), &position, Budget::quiet(200)), (1, leaves));
        for leaves in [2, 8, 64] {
            assert_eq!(once(leaves), once(leaves), "{leaves}: {position:?}");
        }
    }
}

/// Sixteen actions get a visit each, and the values of those visits decide which eight of them go on. Later phases may go
/// on with different actions, since the trees differ by then, but with the same number.
#[test]
fn a_gumbel_root_halves_by_values_that_are_there() {
    let config = without_solver(SearchConfig::gumbel());
    let positions = sample(&GipfPosition::start(Variant::STANDARD), 40, 44);
    let mut tried = 0;
    for position in positions.into_iter().filter(|position| position.num_legal_actions() >= 16) {
        let visits = |way| shared(&mut started(config, &position, Budget::quiet(64)), way).children;
        let going_on = |way| visits(way).into_iter().map(|child| child.visits > 1).collect::<Vec<_>>();
        let sorted = |way| {
            let mut visits: Vec<_> = visits(way).into_iter().map(|child| child.visits).collect();
            visits.sort_unstable();
            visits
        };
        for way in WAYS {
            assert_eq!(going_on(way), going_on((1, 1)), "{way:?}: {position:?}");
            assert_eq!(sorted(way), sorted((1, 1)), "{way:?}: {position:?}");
        }
        tried += 1;
    }
    assert!(tried > 20, "{tried} positions");
}

#[test]
fn what_several_threads_prove_is_true() {
    let (mut exact, mut proven) = (Exact::new(), 0);
    let positions = reachable(TicTacToe::default()).into_iter().filter(|position| position.outcome().is_none());
    for (number, position) in positions.enumerate() {
        let mut search = started(SearchConfig::play(), &position, Budget::quiet(60));
        let result = shared(&mut search, WAYS[number % WAYS.len()]);
        if let Some(found) = result.proven {
            assert_eq!(found.value() as i8, exact.value(&position), "{position:?}");
            assert_eq!(exact.action_value(&position, result.action), exact.value(&position), "{position:?}");
            proven += 1;
        }
    }
    assert!(proven > 2000, "{proven} proofs are too few");
}

#[test]
fn a_search_that_is_over_has_counted_all_that_was_under_way() {
    let position = GipfPosition::start(Variant::TOURNAMENT);
    for way in WAYS {
        let mut search = started(SearchConfig::play(), &position, Budget::quiet(1_000_000));
        let (mut evaluators, mut left) = ((0..way.0).map(|_| Hashed).collect::<Vec<_>>(), 50);
        search_shared(&mut search, &mut evaluators, way.1, &mut || {
            left -= 1;
            left == 0
        });
        let result = search.result();
        assert!((1..1_000_000).contains(&result.simulations), "{way:?}: {}", result.simulations);
        assert_eq!(result.children.iter().map(|child| child.visits).sum::<u32>(), result.simulations);
    }
}

#[test]
fn a_search_that_is_over_at_once_has_a_result() {
    let position = GipfPosition::start(Variant::STANDARD);
    for way in WAYS {
        let mut search = started(SearchConfig::play(), &position, Budget::quiet(100));
        let mut evaluators: Vec<_> = (0..way.0).map(|_| Hashed).collect();
        search_shared(&mut search, &mut evaluators, way.1, &mut || true);
        let result = search.result();
        assert!(position.is_legal(result.action), "{way:?}");
    }
}

/// Fails after this many evaluations.
struct Failing(u32);

impl<P: Learnable> Evaluator<P> for Failing {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        self.0 = self.0.checked_sub(1).expect("an evaluator that fails");
        Hashed.evaluate(positions, out);
    }
}

#[test]
fn an_evaluator_that_panics_ends_the_search_on_all_threads() {
    let position = GipfPosition::start(Variant::BASIC);
    for failing in 0..3 {
        let mut search = started(SearchConfig::play(), &position, Budget::quiet(2000));
        let mut evaluators: Vec<_> =
            (0..3).map(|number| Failing(if number == failing { 5 } else { u32::MAX })).collect();
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            search_shared(&mut search, &mut evaluators, 2, &mut || false);
        }));
        assert!(ended.is_err(), "thread {failing}");
        // When it begins anew, the search has forgotten the leaves that were in flight.
        search.forget();
        search.start(&position, Budget::quiet(50), &mut rng(6));
        check_result(&position, Budget::quiet(50), &shared(&mut search, (2, 2)));
    }
}

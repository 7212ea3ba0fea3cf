//! Searches side by side find the same as a search alone, whoever evaluates their leaves.

use std::sync::Arc;

use gipf_env::{GipfPosition, Learnable, Position, Variant};
use gipf_models::{Engine, LineConfig, NetConfig, NetKind, Scratch, Weights};
use gipf_play::NetEvaluator;
use gipf_play::search::{
    Answers, Budget, Leaves, Search, SearchConfig, SearchResult, Searches, SearchesError, Values, search_all,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::search::exact::after;
use crate::search::tree::{METHODS, sample};

/// Searches, and the arrays and the network of a caller who evaluates their leaves.
struct Caller<P: Position> {
    searches: Searches<P>,
    engine: Arc<Engine>,
    planes: Vec<f32>,
    masks: Vec<bool>,
    shape: (usize, usize),
}

/// A batch that a slot waits for.
struct Batch {
    planes: Vec<f32>,
    masks: Vec<bool>,
}

fn engine<P: Learnable>(start: &P) -> Arc<Engine> {
    let small = LineConfig { features: 8, hidden: 16, mixing: vec![8], value_hidden: 8, ..LineConfig::default() };
    let net = NetConfig::of(NetKind::Line(small), start).unwrap();
    Arc::new(Engine::new(&Weights::initial(&net, 1), &net).unwrap())
}

impl<P: Learnable> Caller<P> {
    fn new(config: SearchConfig, start: &P, n: usize, slots: usize) -> Self {
        let shape = (start.observation_layout().size(), start.num_actions());
        let searches = Searches::new(config, start, n, slots, 7);
        // The previous contents of the arrays do not matter.
        let (planes, masks) = (vec![9.0; n * shape.0], vec![true; n * shape.1]);
        Self { searches, engine: engine(start), planes, masks, shape }
    }

    fn gather(&mut self, slot: usize) -> Batch {
        let ((size, actions), rows) = (self.shape, self.searches.slot(slot).unwrap());
        let planes = &mut self.planes[rows.start * size..rows.end * size];
        let masks = &mut self.masks[rows.start * actions..rows.end * actions];
        let leaves = self.searches.gather(slot, Leaves { planes, masks }).unwrap();
        Batch { planes: planes[..leaves * size].to_vec(), masks: masks[..leaves * actions].to_vec() }
    }

    /// Evaluates a batch, and gives the actions that its masks forbid the highest logits.
    fn evaluate(&self, batch: &Batch) -> (Vec<f32>, Vec<f32>) {
        let leaves = batch.planes.len() / self.shape.0;
        let (mut logits, mut wdl) = (vec![0.0; leaves * self.shape.1], vec![0.0; leaves * 3]);
        self.engine.forward(&mut Scratch::default(), &batch.planes, leaves, &mut logits, &mut wdl);
        let forbidden = logits.iter_mut().zip(&batch.masks).filter(|(_, legal)| !**legal);
        forbidden.for_each(|(logit, _)| *logit = f32::INFINITY);
        (logits, wdl)
    }

    fn answer(&mut self, slot: usize, batch: &Batch) {
        let (logits, wdl) = self.evaluate(batch);
        self.searches.apply(slot, Answers { logits: &logits, values: Values::Wdl(&wdl) }).unwrap();
    }

    /// Searches to the end: with two slots, each continues while the leaves of the other one wait.
    fn search(&mut self, slots: usize) {
        let mut waiting: Vec<_> = (0..slots).map(|slot| self.gather(slot)).collect();
        while waiting.iter().any(|batch| !batch.planes.is_empty()) {
            for (slot, batch) in waiting.iter_mut().enumerate().filter(|(_, batch)| !batch.planes.is_empty()) {
                self.answer(slot, batch);
                *batch = self.gather(slot);
            }
        }
    }

    fn results(&self) -> Vec<SearchResult<P::Action>> {
        (0..self.searches.len()).map(|tree| self.searches.result(tree).unwrap()).collect()
    }
}

fn numbered<P: Clone>(positions: &[P]) -> Vec<(usize, P)> {
    positions.iter().cloned().enumerate().collect()
}

fn rng(tree: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    rng.set_stream(tree as u64);
    rng
}

/// Searches the positions, and those after the chosen actions, with a search alone and side by side.
fn check_equal<P: Learnable>(start: &P, config: SearchConfig, slots: usize) {
    let positions = sample(start, 40, 11);
    let mut caller = Caller::new(config, start, positions.len(), slots);
    let mut alone: Vec<_> = positions.iter().map(|_| Search::new(config)).collect();
    let mut rngs: Vec<_> = (0..positions.len()).map(rng).collect();
    let mut evaluator = NetEvaluator::new(engine(start));
    let mut at = positions.clone();
    for budget in [Budget::noisy(24), Budget::quiet(40)] {
        caller.searches.start(&numbered(&at), budget).unwrap();
        caller.search(slots);
        for ((search, position), rng) in alone.iter_mut().zip(&at).zip(&mut rngs) {
            search.start(position, budget, rng);
        }
        search_all(&mut alone, &mut evaluator);
        let expected: Vec<_> = alone.iter().map(Search::result).collect();
        assert_eq!(caller.results(), expected, "{config:?}");
        assert_eq!(caller.searches.ended().count(), positions.len());
        let follows = |(position, result): (&P, &SearchResult<P::Action>)| after(position, result.action);
        let next: Vec<_> = at.iter().zip(&expected).map(follows).collect();
        at = next
            .into_iter()
            .zip(&at)
            .map(|(next, old)| if next.outcome().is_none() { next } else { old.clone() })
            .collect();
    }
}

#[test]
fn they_find_what_the_search_alone_finds_in_all_rule_sets() {
    for variant in Variant::ALL {
        for config in METHODS.map(|config| config()) {
            check_equal(&GipfPosition::start(variant), config, 1);
        }
    }
}

#[test]
fn one_slot_waits_while_the_other_is_walked() {
    for config in METHODS.map(|config| config()) {
        check_equal(&GipfPosition::start(Variant::STANDARD), config, 2);
        check_equal(&GipfPosition::start(Variant::TOURNAMENT), config, 2);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let found = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let start = GipfPosition::start(Variant::TOURNAMENT);
            let positions = sample(&start, 100, 12);
            let mut caller = Caller::new(SearchConfig::self_play(), &start, positions.len(), 2);
            caller.searches.start(&numbered(&positions), Budget::noisy(20)).unwrap();
            caller.search(2);
            (caller.results(), caller.planes)
        })
    };
    let (alone, planes) = found(1);
    for threads in [2, 5] {
        let (results, others) = found(threads);
        assert_eq!(results, alone);
        assert_eq!(others, planes, "the rows too are the same");
    }
}

#[test]
fn rows_are_those_of_the_leaves_alone() {
    // Every third tree is not searched, and so has no leaf.
    let start = GipfPosition::start(Variant::STANDARD);
    let positions = sample(&start, 60, 13);
    let mut caller = Caller::new(SearchConfig::puct(), &start, positions.len(), 1);
    let some: Vec<_> = numbered(&positions).into_iter().filter(|(tree, _)| tree % 3 != 1).collect();
    caller.searches.start(&some, Budget::quiet(10)).unwrap();
    let batch = caller.gather(0);
    let searched = some.iter().filter(|(_, position)| position.num_legal_actions() > 1);
    let row = |position: &GipfPosition| {
        let (mut planes, mut mask) = (vec![0.0; caller.shape.0], vec![false; caller.shape.1]);
        position.observe(&mut planes);
        position.action_mask(&mut mask);
        (planes.into_iter().map(f32::to_bits).collect::<Vec<_>>(), mask)
    };
    let mut expected: Vec<_> = searched.map(|(_, position)| row(position)).collect();
    let planes = batch.planes.chunks(caller.shape.0).map(|planes| planes.iter().map(|x| x.to_bits()).collect());
    let mut found: Vec<_> = planes.zip(batch.masks.chunks(caller.shape.1).map(<[bool]>::to_vec)).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    // When asked again, it gives the same.
    let again = caller.gather(0);
    assert_eq!((again.planes, again.masks), (batch.planes, batch.masks));
    assert_eq!(caller.searches.result(1), Err(SearchesError::Unsearched { tree: 1 }));
}

#[test]
fn values_are_expected_results_or_shares() {
    let start = GipfPosition::start(Variant::BASIC);
    let found = |shares: bool| {
        let mut caller = Caller::new(SearchConfig::puct(), &start, 3, 1);
        caller.searches.start(&numbered(&[start.clone(), start.clone(), start.clone()]), Budget::quiet(50)).unwrap();
        loop {
            let batch = caller.gather(0);
            if batch.planes.is_empty() {
                return caller.results();
            }
            let (logits, wdl) = caller.evaluate(&batch);
            let values: Vec<_> = wdl.chunks(3).map(|wdl| wdl[0] - wdl[2]).collect();
            let values = if shares { Values::Wdl(&wdl) } else { Values::Expected(&values) };
            caller.searches.apply(0, Answers { logits: &logits, values }).unwrap();
        }
    };
    assert_eq!(found(true), found(false));
}

/// Checks that answers are refused, and that the search goes on as if they had not been given.
fn refused(answers: Answers<'_, f32>, words: &str) {
    let start = GipfPosition::start(Variant::BASIC);
    let mut caller = Caller::new(SearchConfig::puct(), &start, 2, 1);
    let positions = numbered(&[start.clone(), start.clone()]);
    caller.searches.start(&positions, Budget::quiet(12)).unwrap();
    let first = caller.gather(0);
    let error = caller.searches.apply(0, answers).unwrap_err();
    assert!(error.to_string().starts_with(words), "{error}");
    caller.answer(0, &first);
    caller.search(1);
    let mut other = Caller::new(SearchConfig::puct(), &start, 2, 1);
    other.searches.start(&positions, Budget::quiet(12)).unwrap();
    other.search(1);
    assert_eq!(caller.results(), other.results());
}

#[test]
fn what_is_no_evaluation_is_refused_and_nothing_has_changed() {
    let (logits, values) = ([0.0; 126], [0.0, 1.0]);
    let start = GipfPosition::start(Variant::BASIC);
    let legal = start.action_index(start.legal_actions().next().unwrap()).get();
    let mut wrong = logits;
    wrong[63 + legal] = f32::NAN;
    let expected = Values::Expected(&values);
    refused(Answers { logits: &logits[..63], values: expected }, "logits: 63 numbers, expected 126");
    refused(Answers { logits: &[0.0; 130], values: expected }, "logits: 130 numbers, expected 126");
    refused(Answers { logits: &wrong, values: expected }, &format!("logits, row 1: NaN for the legal action {legal}"));
    refused(Answers { logits: &logits, values: Values::Expected(&[0.0; 6]) }, "values: 6 numbers, expected 2");
    refused(Answers { logits: &logits, values: Values::Wdl(&[0.0; 2]) }, "values: 2 numbers, expected 6");
    refused(Answers { logits: &logits, values: Values::Expected(&[0.0, 1.5]) }, "values, row 1: 1.5, expected -1 to 1");
    refused(Answers { logits: &logits, values: Values::Expected(&[f32::NAN, 0.0]) }, "values, row 0: NaN");
    let shares = [0.2, 0.3, 0.5, 0.5, 0.5, 0.5];
    refused(
        Answers { logits: &logits, values: Values::Wdl(&shares) },
        "values, row 1: win, draw and loss [0.5, 0.5, 0.5]",
    );
}

#[test]
fn misuse_is_refused() {
    let start = GipfPosition::start(Variant::BASIC);
    let mut caller = Caller::new(SearchConfig::puct(), &start, 2, 2);
    let none = Answers { logits: &[0.0_f32; 63], values: Values::Expected(&[0.0]) };
    let budget = Budget::quiet(3);
    assert_eq!(caller.searches.apply(0, none), Err(SearchesError::NothingWaits { slot: 0 }));
    assert_eq!(caller.searches.apply(2, none), Err(SearchesError::Slot { slot: 2, slots: 2 }));
    assert_eq!(caller.searches.start(&[(2, start.clone())], budget), Err(SearchesError::Tree { tree: 2, trees: 2 }));
    let foreign = caller.searches.start(&[(0, start.clone()), (1, GipfPosition::start(Variant::STANDARD))], budget);
    assert_eq!(foreign, Err(SearchesError::Game { tree: 1, actions: 65, expected: 63 }));
    assert!(caller.gather(0).planes.is_empty(), "none of the searches has begun");
    caller.searches.start(&numbered(&[start.clone(), start.clone()]), budget).unwrap();
    assert!(!caller.gather(0).planes.is_empty());
    assert_eq!(caller.searches.apply(1, none), Err(SearchesError::NothingWaits { slot: 1 }));
    // A new start withdraws the pending leaves of its slot.
    caller.searches.start(&[(0, start.clone())], budget).unwrap();
    assert_eq!(caller.searches.apply(0, none), Err(SearchesError::NothingWaits { slot: 0 }));
    let small = Leaves { planes: &mut [0.0; 5], masks: &mut [false; 63] };
    assert!(matches!(
        caller.searches.gather(0, small),
        Err(SearchesError::Size { what: "observations", given: 5, .. })
    ));
    caller.search(2);
    let mut alone = [Search::new(SearchConfig::puct())];
    alone[0].start(&start, budget, &mut rng(0));
    search_all(&mut alone, &mut NetEvaluator::new(engine(&start)));
    assert_eq!(caller.results()[0], alone[0].result());
    caller.searches.forget();
    assert_eq!(caller.searches.result(0), Err(SearchesError::Unsearched { tree: 0 }));
}

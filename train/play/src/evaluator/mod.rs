//! The network as the search's evaluator, and evaluations kept for positions that occur again.

mod cache;
mod legal;
mod lookup;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gipf_env::{Learnable, Position};
use gipf_models::{Answers, Asked, Engine, Scratch};

pub use self::cache::{Cache, CacheConfig, Kept};
use self::legal::Legal;
use self::lookup::Lookup;
use crate::search::{Evaluation, Evaluator};

/// Evaluates positions by a network, without burn. Each thread has its own; they share the weights.
pub struct NetEvaluator<'a> {
    engine: Arc<Engine>,
    scratch: Scratch,
    /// `[n, planes · rows · columns]`
    planes: Vec<f32>,
    /// `[n, actions]`
    logits: Vec<f32>,
    /// `[n, 3]`: win, draw, loss for the player to move.
    wdl: Vec<f32>,
    lookup: Option<Lookup>,
    /// The cache that begins with the first long search, if there is none before.
    later: CacheConfig,
    /// The legal actions of positions that are not looked up.
    legal: Legal,
    counts: Option<&'a EvaluationCounts>,
}

/// The positions of a search from which on a cache saves more time than it costs.
pub(crate) const LONG: u32 = 1600;

/// What evaluators have done on all threads together.
#[derive(Debug, Default)]
pub struct EvaluationCounts {
    asked: AtomicU64,
    found: AtomicU64,
}

impl EvaluationCounts {
    /// Returns the number of positions that searches asked about.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns how many of them were found in a cache; the network has evaluated the others.
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    fn add(&self, asked: usize, found: usize) {
        self.asked.fetch_add(asked as u64, Ordering::Relaxed);
        self.found.fetch_add(found as u64, Ordering::Relaxed);
    }
}

impl<'a> NetEvaluator<'a> {
    /// Returns an evaluator that uses this network.
    pub fn new(engine: Arc<Engine>) -> Self {
        let scratch = Scratch::default();
        let (planes, logits, wdl) = (Vec::new(), Vec::new(), Vec::new());
        let (later, legal) = (CacheConfig::default(), Legal::default());
        Self { engine, scratch, planes, logits, wdl, lookup: None, later, legal, counts: None }
    }

    /// Returns the evaluator with an empty cache, or without one if it would have no memory.
    pub fn with_cache(self, config: CacheConfig) -> Self {
        Self { lookup: (config.megabytes > 0).then(|| Lookup::new(config)), ..self }
    }

    /// Returns the evaluator, which gets this cache when a search begins that is long enough for it to pay.
    pub fn with_cache_when_long(self, config: CacheConfig) -> Self {
        Self { later: config, ..self }
    }

    /// Returns the evaluator, which adds what it does to these counts.
    pub fn counting(self, counts: &'a EvaluationCounts) -> Self {
        Self { counts: Some(counts), ..self }
    }

    /// Evaluates the first n observations in `planes`, as far as it is asked.
    fn forward(&mut self, n: usize, (size, actions): (usize, usize), asked: Asked) {
        self.logits.resize(n * actions, 0.0);
        self.wdl.resize(n * 3, 0.0);
        let answers = Answers { logits: &mut self.logits, asked, wdl: &mut self.wdl };
        self.engine.answer(&mut self.scratch, &self.planes[..n * size], answers);
    }

    fn evaluate_all<P: Position>(&mut self, positions: &[P], out: &mut [Evaluation]) {
        let Some((size, actions)) = shape(positions) else { return };
        self.planes.resize(positions.len() * size, 0.0);
        let mut legal = std::mem::take(&mut self.legal);
        legal.clear();
        for (position, planes) in positions.iter().zip(self.planes.chunks_exact_mut(size)) {
            position.observe(planes);
            legal.push(position);
        }
        self.forward(positions.len(), (size, actions), legal.asked());
        let rows = self.logits.chunks_exact(actions).zip(self.wdl.chunks_exact(3));
        for (number, (evaluation, (logits, wdl))) in out.iter_mut().zip(rows).enumerate() {
            evaluation.set(value(wdl), legal.of(number), |action| logits[action]);
        }
        self.legal = legal;
    }

    /// Evaluates the positions that are not found in the cache; returns how many were found.
    fn evaluate_rest<P: Learnable>(&mut self, lookup: &mut Lookup, positions: &[P], out: &mut [Evaluation]) -> usize {
        let Some((size, actions)) = shape(positions) else { return 0 };
        self.planes.resize(positions.len() * size, 0.0);
        lookup.begin();
        for (position, evaluation) in positions.iter().zip(&mut *out) {
            let row = lookup.missed() * size;
            lookup.look(position, &mut self.planes[row..row + size], evaluation);
        }
        let missed = lookup.missed();
        self.forward(missed, (size, actions), lookup.asked());
        let rows = self.logits.chunks_exact(actions).zip(self.wdl.chunks_exact(3));
        for (row, (logits, wdl)) in rows.enumerate() {
            lookup.keep(row, logits, value(wdl), out);
        }
        positions.len() - missed
    }
}

impl<P: Learnable> Evaluator<P> for NetEvaluator<'_> {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        let found = match self.lookup.take() {
            None => {
                self.evaluate_all(positions, out);
                0
            }
            Some(mut lookup) => {
                let found = self.evaluate_rest(&mut lookup, positions, out);
                self.lookup = Some(lookup);
                found
            }
        };
        if let Some(counts) = self.counts {
            counts.add(positions.len(), found);
        }
    }

    fn prepare(&mut self, positions: u32) {
        let has_later = self.later.megabytes > 0 && self.lookup.is_none();
        if has_later && positions >= LONG {
            self.lookup = Some(Lookup::new(self.later));
        }
    }
}

/// Returns the size of an observation and the number of actions; none if there are no positions.
fn shape<P: Position>(positions: &[P]) -> Option<(usize, usize)> {
    positions.first().map(|first| (first.observation_layout().size(), first.num_actions()))
}

/// Engines gave finite numbers for probe positions, but that proves nothing about all positions: where one does not,
/// nothing is known, and the position counts as a draw. The search ignores logits that are not numbers.
fn value(wdl: &[f32]) -> f32 {
    let value = Evaluation::value_of(wdl);
    if value.is_finite() { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use gipf_env::{GipfPosition, Setup, Variant};
    use gipf_models::{MlpConfig, NetConfig, NetKind, Weights};

    use super::*;
    use crate::players::{Agent, Mcts, Thinking, TurnLimits};
    use crate::search::SearchConfig;

    /// The sum over the nine white pieces is more than a float can hold; that over any eight is not.
    fn overflowing(position: &GipfPosition) -> (Arc<Engine>, Vec<f32>) {
        let net = NetKind::Mlp(MlpConfig { hidden: vec![4] });
        let config = NetConfig::of(net, &GipfPosition::start(Variant::BASIC)).unwrap();
        let mut planes = vec![0.0; config.layout.size()];
        position.observe(&mut planes);
        let mut weights = Weights::initial(&config, 1);
        let rows = weights.0.get_mut("hidden.0.weight").unwrap().values.chunks_exact_mut(4);
        let pieces = rows.zip(&config.layout.cells).filter(|(_, cell)| planes[**cell] == 1.0);
        assert_eq!(pieces.map(|(row, _)| row[0] = 4e37).count(), 9);
        (Arc::new(Engine::new(&weights, &config).expect("no probe has all nine pieces")), planes)
    }

    #[test]
    fn a_network_that_overflows_where_no_probe_was_plays_on() {
        let setup: Setup = "basic SSS1/1SSS1/SS1S2/7/6/5/4 w 6 6 - 0 0".parse().unwrap();
        let position = GipfPosition::from_setup(&setup).unwrap();
        let (engine, planes) = overflowing(&position);
        let (mut logits, mut wdl) = (vec![0.0; engine.config().actions.size()], [0.0; 3]);
        engine.forward(&mut Scratch::default(), &planes, 1, &mut logits, &mut wdl);
        assert!(!(wdl[0] - wdl[2]).is_finite(), "{wdl:?}");
        for megabytes in [0, 1] {
            let cache = CacheConfig { megabytes };
            let evaluator = NetEvaluator::new(Arc::clone(&engine)).with_cache(cache);
            let mut player = Mcts::new(SearchConfig::play(), evaluator, Thinking::Simulations(40));
            assert!(player.choose(&position, &TurnLimits::default()).unwrap().value.is_some_and(f32::is_finite));
        }
    }

    #[test]
    fn a_cache_begins_with_the_first_search_that_is_long_whatever_makes_it_so() {
        let position = GipfPosition::start(Variant::BASIC);
        let config = NetConfig::of(NetKind::Mlp(MlpConfig { hidden: vec![4] }), &position).unwrap();
        let engine = Arc::new(Engine::new(&Weights::initial(&config, 1), &config).unwrap());
        let open = TurnLimits::default();
        let timed = TurnLimits { time: Some(std::time::Duration::from_millis(200)), ..open.clone() };
        let counted = |nodes| TurnLimits { nodes: Some(nodes), ..open.clone() };
        for (limits, is_long) in [(open.clone(), false), (counted(1000), false), (counted(4000), true), (timed, true)] {
            let counts = EvaluationCounts::default();
            let evaluator = NetEvaluator::new(Arc::clone(&engine)).with_cache_when_long(CacheConfig { megabytes: 1 });
            let mut player = Mcts::new(SearchConfig::play(), evaluator.counting(&counts), Thinking::Simulations(64));
            player.think_within(&position, &limits, &mut |_| ());
            assert_eq!(counts.found() > 0, is_long, "{limits:?}: {} of {}", counts.found(), counts.asked());
        }
    }
}

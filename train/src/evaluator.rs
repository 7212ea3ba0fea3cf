//! The network as the search's evaluator.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gipf_env::Position;
use gipf_models::{Engine, Scratch};

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
    counter: Option<&'a AtomicU64>,
}

impl<'a> NetEvaluator<'a> {
    /// Returns an evaluator that uses this network.
    pub fn new(engine: Arc<Engine>) -> Self {
        let scratch = Scratch::default();
        Self { engine, scratch, planes: Vec::new(), logits: Vec::new(), wdl: Vec::new(), counter: None }
    }

    /// Returns the evaluator, adding to a counter the positions that it evaluates.
    pub fn counting(self, counter: &'a AtomicU64) -> Self {
        Self { counter: Some(counter), ..self }
    }
}

impl<P: Position> Evaluator<P> for NetEvaluator<'_> {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        let Some(first) = positions.first() else { return };
        let (size, actions, n) = (first.observation_layout().size(), first.num_actions(), positions.len());
        if let Some(counter) = self.counter {
            counter.fetch_add(n as u64, Ordering::Relaxed);
        }
        self.planes.resize(n * size, 0.0);
        self.logits.resize(n * actions, 0.0);
        self.wdl.resize(n * 3, 0.0);
        for (position, planes) in positions.iter().zip(self.planes.chunks_exact_mut(size)) {
            position.observe(planes);
        }
        self.engine.forward(&mut self.scratch, &self.planes, n, &mut self.logits, &mut self.wdl);
        let rows = self.logits.chunks_exact(actions).zip(self.wdl.chunks_exact(3));
        for ((position, evaluation), (logits, wdl)) in positions.iter().zip(out).zip(rows) {
            evaluation.value = wdl[0] - wdl[2];
            evaluation.logits.clear();
            evaluation
                .logits
                .extend(position.legal_actions().map(|action| logits[position.action_index(action).get()]));
        }
    }
}

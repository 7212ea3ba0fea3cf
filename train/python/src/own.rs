//! Python evaluators in the tree search of a player.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use gipf_env::{GipfPosition, Position, Variant};
use gipf_play::players::{Mcts, Thinking};
use gipf_play::search::{Answers, Evaluation, Evaluator, SearchConfig};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::answers::{Logits, Outcomes};
use crate::argument::described;
use crate::arrays::in_use;
use crate::error::{EvaluatorError, GipfError, OrRaise, one_line};
use crate::searches::config;
use crate::sides::function_name;

/// How many searches run at once with a Python evaluator, unless another number is given: it is asked about all their
/// waiting leaves in one batch, and most evaluators answer many questions nearly as fast as one.
pub const SIDE_BY_SIDE: usize = 32;

/// A Python evaluator.
pub struct Judge {
    /// From observations `(k, planes, 7, 7)` to logits `(k, actions)` and values.
    pub evaluate: Py<PyAny>,
    /// Its name in reports and datasets.
    pub name: String,
}

/// A Python evaluator, and how to search with it.
pub struct Own {
    /// The evaluator.
    pub judge: Judge,
    /// The number of simulations per decision.
    pub simulations: u32,
    /// The method of search at the root.
    pub root: &'static str,
    /// The threads that wait for the player, and call the evaluator meanwhile.
    threads: Mutex<Vec<ThreadId>>,
}

/// Positions that wait for their evaluations.
pub struct Leaves {
    planes: Vec<f32>,
    /// The legal actions of each position, ascending.
    legal: Vec<Vec<u16>>,
    rules: Variant,
    answer: SyncSender<Vec<Evaluation>>,
}

/// Where leaves are brought; if nobody can be asked, they are dropped.
pub type Bring = Arc<dyn Fn(Leaves) + Send + Sync>;

/// A search that asks Python about its leaves.
pub type Asking = Mcts<GipfPosition, Asker>;

/// Where the leaves of a player are brought while it thinks.
#[derive(Clone, Default)]
pub struct Desk {
    sender: Arc<Mutex<Option<Sender<Leaves>>>>,
    unanswered: Arc<AtomicBool>,
}

/// Asks Python about leaves.
pub struct Asker {
    bring: Bring,
    /// Set as soon as leaves remain unanswered.
    unanswered: Arc<AtomicBool>,
}

impl Judge {
    /// Returns an evaluator with this name, or by default with the name of the function.
    pub fn of(evaluate: Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        if !evaluate.is_callable() {
            let text = format!("evaluator {}: expected a function of observations", described(&evaluate));
            return Err(GipfError::new_err(one_line(&text)));
        }
        let name = match name {
            Some(name) => one_line(&name),
            None => function_name(&evaluate)?,
        };
        Ok(Self { evaluate: evaluate.unbind(), name })
    }

    /// Calls the evaluator, and returns logits of this shape and as many values.
    pub fn ask<'py>(&self, observations: Bound<'py, PyAny>, shape: [usize; 2]) -> PyResult<(Logits<'py>, Outcomes)> {
        let answered = self.evaluate.bind(observations.py()).call1((observations,))?;
        // ONNX Runtime answers with a list.
        let pair = answered.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
        let pair = pair.or_else(|_| answered.extract().map(|[logits, values]: [Bound<'_, PyAny>; 2]| (logits, values)));
        let (logits, values) = pair.map_err(|_| {
            let text = format!("{} returned {}: expected logits and values", self.name, described(&answered));
            EvaluatorError::new_err(one_line(&text))
        })?;
        Ok((Logits::read(&logits, shape)?, Outcomes::read(&values, shape[0])?))
    }
}

impl Own {
    /// Returns a way to search with an evaluator.
    pub fn new(judge: Judge, simulations: u32, root: &'static str) -> Self {
        Self { judge, simulations, root, threads: Mutex::default() }
    }

    /// Returns a copy with the same evaluator.
    pub fn again(&self, py: Python<'_>) -> Self {
        let Judge { evaluate, name } = &self.judge;
        Self::new(Judge { evaluate: evaluate.clone_ref(py), name: name.clone() }, self.simulations, self.root)
    }

    /// Lets this thread wait for the player, until the returned guard is dropped.
    ///
    /// # Errors
    /// If the thread waits already: then the evaluator itself is calling, and nobody else would answer for it.
    pub fn answering(&self) -> PyResult<Answering<'_>> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let this = thread::current().id();
        if threads.contains(&this) {
            let text = format!("{self} is thinking: expected another caller than its evaluator");
            return Err(GipfError::new_err(one_line(&text)));
        }
        threads.push(this);
        Ok(Answering(self))
    }

    /// Returns a search whose leaves go to this asker.
    pub fn search(&self, asker: Asker) -> PyResult<Asking> {
        Ok(asking(config(self.root)?, self.simulations, asker))
    }

    /// Evaluates the leaves of waiting searches in one batch, and sends each search its own evaluations.
    pub fn answer(&self, py: Python<'_>, waiting: Vec<Leaves>) -> PyResult<()> {
        let Some(rules) = waiting.first().map(|leaves| leaves.rules) else { return Ok(()) };
        let (mut planes, mut legal, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for mut leaves in waiting {
            shares.push((leaves.legal.len(), leaves.answer));
            planes.append(&mut leaves.planes);
            legal.append(&mut leaves.legal);
        }
        let shape = gipf_env::observation::layout(rules).shape();
        let observations = PyArray1::from_vec(py, planes).reshape([legal.len(), shape[0], shape[1], shape[2]])?;
        let (logits, outcomes) = self.judge.ask(observations.into_any(), [legal.len(), rules.num_actions()])?;
        let evaluations = match &logits {
            Logits::Single(logits) => {
                let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                Answers { logits, values: outcomes.values() }.evaluations(rules.num_actions(), &legal)
            }
            Logits::Half(logits) => {
                let logits = logits.as_slice().map_err(|_| in_use("logits"))?;
                Answers { logits, values: outcomes.values() }.evaluations(rules.num_actions(), &legal)
            }
        };
        let mut evaluations = evaluations.or_raise()?.into_iter();
        for (leaves, answer) in shares {
            // In a search that was stopped, nobody waits for the answer.
            answer.send(evaluations.by_ref().take(leaves).collect()).ok();
        }
        Ok(())
    }
}

/// A thread that waits for a player, and calls its evaluator meanwhile.
pub struct Answering<'a>(&'a Own);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        let this = thread::current().id();
        self.0.threads.lock().unwrap_or_else(PoisonError::into_inner).retain(|&thread| thread != this);
    }
}

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.judge.name)
    }
}

/// Returns a search with these settings, whose leaves go to this asker.
pub fn asking(config: SearchConfig, simulations: u32, asker: Asker) -> Asking {
    Mcts::new(config, asker, Thinking::Simulations(simulations))
}

impl Asker {
    /// Returns an asker that brings leaves there.
    pub fn of(bring: &Bring) -> Self {
        Self { bring: Arc::clone(bring), unanswered: Arc::default() }
    }
}

impl Desk {
    /// Returns an asker that brings leaves to the desk.
    pub fn asker(&self) -> Asker {
        let place = Arc::clone(&self.sender);
        let bring = move |leaves| {
            let sender = place.lock().unwrap_or_else(PoisonError::into_inner).clone();
            // In a search that was stopped, nobody listens.
            sender.map(|sender| sender.send(leaves).ok());
        };
        Asker { bring: Arc::new(bring), unanswered: Arc::clone(&self.unanswered) }
    }

    /// Returns whether leaves that were brought here remained unanswered since the last call.
    pub fn had_unanswered(&self) -> bool {
        self.unanswered.swap(false, Ordering::SeqCst)
    }
}

/// A desk that is staffed until this value is dropped.
pub struct Staffed<'a>(&'a Desk);

impl<'a> Staffed<'a> {
    /// Opens a desk, whose leaves go to this sender.
    pub fn with(desk: &'a Desk, sender: Sender<Leaves>) -> Self {
        *desk.sender.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        Self(desk)
    }
}

impl Drop for Staffed<'_> {
    fn drop(&mut self) {
        *self.0.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Evaluator<GipfPosition> for Asker {
    fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
        let Some(first) = positions.first() else { return };
        let size = first.observation_layout().size();
        let mut planes = vec![0.0; positions.len() * size];
        positions.iter().zip(planes.chunks_exact_mut(size)).for_each(|(position, planes)| position.observe(planes));
        let actions = |position: &GipfPosition| position.legal_actions().map(|action| action.index().0).collect();
        let legal: Vec<Vec<u16>> = positions.iter().map(actions).collect();
        let (answer, answers) = sync_channel(1);
        let counts: Vec<_> = legal.iter().map(Vec::len).collect();
        (self.bring)(Leaves { planes, legal, rules: first.variant(), answer });
        let found = answers.recv().unwrap_or_else(|_| {
            // The evaluator has raised an exception, which ends the search: its results must not be used.
            self.unanswered.store(true, Ordering::SeqCst);
            counts.into_iter().map(|legal| Evaluation { logits: vec![0.0; legal], value: 0.0 }).collect()
        });
        out.iter_mut().zip(found).for_each(|(out, found)| *out = found);
    }
}

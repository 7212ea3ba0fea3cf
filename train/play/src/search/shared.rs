//! One tree searched by several threads, or with several leaves under way on each.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use gipf_env::Position;

use super::driver::{Search, Step, Walk};
use super::evaluator::{Evaluation, Evaluator};

/// Runs a search to its end, or until it is over, on a thread for each evaluator, the caller's own among them.
///
/// The threads share the tree behind a lock, which no thread holds while it evaluates. Each has up to `leaves`
/// simulations under way, which it evaluates as one batch; those under way count as visits without a value (see
/// `puct::select`). The result depends on the timing of the threads, unless there is just one; with one thread and one
/// leaf it is that of [`search_all`](super::search_all).
///
/// The search must have been started. `is_over` is called between two batches; the root is evaluated in any case, so
/// that there is a result.
///
/// # Panics
/// If there is no evaluator, `leaves` is 0, or an evaluator panics.
pub fn search_shared<P: Position + Send, E: Evaluator<P> + Send>(
    search: &mut Search<P>,
    evaluators: &mut [E],
    leaves: usize,
    is_over: &mut dyn FnMut() -> bool,
) {
    assert!(leaves > 0, "a search has a leaf under way");
    let (first, others) = evaluators.split_first_mut().expect("a search needs an evaluator");
    evaluate_root(search, first);
    search.share(true);
    let over = AtomicBool::new(false);
    let shared = Mutex::new(&mut *search);
    thread::scope(|scope| {
        let _ended = EndsAll(&over);
        for evaluator in others {
            let (shared, over) = (&shared, &over);
            let work = move || {
                let _ended = EndsAll(over);
                simulate(shared, evaluator, leaves, &mut || over.load(Ordering::Relaxed));
            };
            // A system that cannot start threads searches on one.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        simulate(&shared, first, leaves, &mut || {
            over.fetch_or(is_over(), Ordering::Relaxed);
            over.load(Ordering::Relaxed)
        });
    });
    search.share(false);
}

/// Evaluates the root if it waits for that, as it does where nothing of the tree was kept.
fn evaluate_root<P: Position, E: Evaluator<P>>(search: &mut Search<P>, evaluator: &mut E) {
    if search.has_result() {
        return;
    }
    if let Some(root) = search.gather() {
        let mut evaluation = [Evaluation::default()];
        evaluator.evaluate(std::slice::from_ref(root), &mut evaluation);
        search.apply(&evaluation[0]);
    }
}

/// Ends the work of all threads if that of this one ends in a panic: they might wait for its leaves for ever.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Simulates on one thread until nothing is left to be done, or it is over.
fn simulate<P: Position, E: Evaluator<P>>(
    shared: &Mutex<&mut Search<P>>,
    evaluator: &mut E,
    leaves: usize,
    is_over: &mut dyn FnMut() -> bool,
) {
    let mut batch = Batch::new(leaves);
    loop {
        let step = batch.exchange(lock(shared), is_over);
        match (batch.waiting, step) {
            (0, Step::Busy) => thread::yield_now(),
            (0, _) => return,
            _ => batch.evaluate(evaluator),
        }
    }
}

/// The leaves that a thread has under way.
struct Batch<P> {
    walks: Vec<Walk<P>>,
    /// How many of them have a leaf that waits for its evaluation: the first ones.
    waiting: usize,
    positions: Vec<P>,
    evaluations: Vec<Evaluation>,
}

impl<P: Position> Batch<P> {
    fn new(leaves: usize) -> Self {
        let walks = (0..leaves).map(|_| Walk::default()).collect();
        Self {
            walks,
            waiting: 0,
            positions: Vec::with_capacity(leaves),
            evaluations: vec![Evaluation::default(); leaves],
        }
    }

    /// Hands in the evaluations and takes new leaves, none if it is over; returns why it took no more of them.
    fn exchange(&mut self, mut search: MutexGuard<&mut Search<P>>, is_over: &mut dyn FnMut() -> bool) -> Step {
        for (walk, evaluation) in self.walks[..self.waiting].iter_mut().zip(&self.evaluations) {
            search.apply_beside(walk, evaluation);
        }
        self.waiting = 0;
        if is_over() {
            return Step::Done;
        }
        for walk in &mut self.walks {
            match search.step_beside(walk) {
                Step::Leaf => self.waiting += 1,
                step => return step,
            }
        }
        Step::Leaf
    }

    fn evaluate(&mut self, evaluator: &mut impl Evaluator<P>) {
        for (place, walk) in self.walks[..self.waiting].iter().enumerate() {
            let leaf = walk.leaf().expect("its leaf waits");
            match self.positions.get_mut(place) {
                Some(old) => old.clone_from(leaf),
                None => self.positions.push(leaf.clone()),
            }
        }
        evaluator.evaluate(&self.positions[..self.waiting], &mut self.evaluations[..self.waiting]);
    }
}

/// How often a thread tries the lock before it goes to sleep: the tree is held for a microsecond or two, and waking up
/// takes longer.
const TRIES: u32 = 200;

/// A thread that panics does so while it evaluates, without the lock.
fn lock<'a, 'b, P: Position>(shared: &'a Mutex<&'b mut Search<P>>) -> MutexGuard<'a, &'b mut Search<P>> {
    for _ in 0..TRIES {
        match shared.try_lock() {
            Ok(search) => return search,
            Err(TryLockError::Poisoned(error)) => return error.into_inner(),
            Err(TryLockError::WouldBlock) => hint::spin_loop(),
        }
    }
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

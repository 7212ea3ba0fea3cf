//! Many searches side by side, whose leaves the caller evaluates.

mod answers;
mod error;
mod lanes;

use gipf_env::{ObservationLayout, Position};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use answers::{Answers, Values};
pub use error::SearchesError;
pub use lanes::{Lane, Walker, apply_answers, close_gaps, on_all_threads, write_leaves};

use super::config::{Budget, SearchConfig};
use super::driver::Search;
use super::evaluator::Evaluation;
use super::result::SearchResult;

/// Many searches side by side, each for a game of its own, whose leaves the caller evaluates in batches.
///
/// One round goes: [`start`](Self::start), then [`gather`](Self::gather) and [`apply`](Self::apply) in turns until `gather`
/// returns 0, then [`result`](Self::result) of each tree. With two slots, each has half of the trees and a batch of its own,
/// so that one can be evaluated while the other is walked.
///
/// Trees are walked on all threads of the current rayon pool. What a tree finds depends on its start, its number, the
/// seed and the evaluations of its leaves, but not on other trees or the number of threads.
///
/// ```
/// use gipf_env::{GipfPosition, Position, Variant};
/// use gipf_play::search::{Answers, Budget, Leaves, SearchConfig, Searches, Values};
///
/// let start = GipfPosition::start(Variant::BASIC);
/// let (size, actions) = (start.observation_layout().size(), start.num_actions());
/// let (mut planes, mut masks) = (vec![0.0; 8 * size], vec![false; 8 * actions]);
/// let mut searches = Searches::new(SearchConfig::play(), &start, 8, 1, 0);
/// searches.start(&(0..8).map(|tree| (tree, start.clone())).collect::<Vec<_>>(), Budget::quiet(20))?;
/// loop {
///     let leaves = searches.gather(0, Leaves { planes: &mut planes, masks: &mut masks })?;
///     if leaves == 0 {
///         break;
///     }
///     // An evaluator that knows nothing.
///     let (logits, values) = (vec![0.0_f32; leaves * actions], vec![0.0; leaves]);
///     searches.apply(0, Answers { logits: &logits, values: Values::Expected(&values) })?;
/// }
/// assert_eq!(searches.result(7)?.simulations, 20);
/// # Ok::<(), gipf_play::search::SearchesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Searches<P: Position> {
    trees: Vec<Lane<Tree<P>>>,
    /// For each slot, the number of leaves that wait for their evaluations.
    waiting: Vec<usize>,
    /// The number of trees of the first slot.
    first: usize,
    layout: ObservationLayout,
    actions: usize,
}

/// One search.
#[derive(Clone, Debug)]
struct Tree<P: Position> {
    search: Search<P>,
    rng: ChaCha8Rng,
    /// Where the search begins.
    start: Option<P>,
    /// Whether that search has not begun yet.
    is_new: bool,
}

/// Where the waiting leaves of a slot are written: one row for each of its trees, of which the first ones are used.
#[derive(Debug)]
pub struct Leaves<'a> {
    /// `[trees, planes · rows · columns]`: the observations, from the view of the player to move.
    pub planes: &'a mut [f32],
    /// `[trees, actions]`: true where an action is legal.
    pub masks: &'a mut [bool],
}

impl Leaves<'_> {
    /// Checks that there is a row of this size and this number of actions for each of this many leaves.
    ///
    /// # Errors
    /// If an array has another size.
    pub fn check(&self, leaves: usize, (size, actions): (usize, usize)) -> Result<(), SearchesError> {
        check_size("observations", self.planes.len(), leaves * size)?;
        check_size("masks", self.masks.len(), leaves * actions)
    }

    /// Returns the first rows.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn first(&mut self, leaves: usize, (size, actions): (usize, usize)) -> Leaves<'_> {
        Leaves { planes: &mut self.planes[..leaves * size], masks: &mut self.masks[..leaves * actions] }
    }
}

impl<P: Position> Searches<P> {
    /// Returns `n` searches without trees, in one or two slots; `like` is any position of the game that they search.
    ///
    /// # Panics
    /// If a setting is out of range ([`SearchConfig::validate`] checks that beforehand), or there are not 1 or 2 slots,
    /// or more slots than searches.
    pub fn new(config: SearchConfig, like: &P, n: usize, slots: usize, seed: u64) -> Self {
        assert!((1..=2).contains(&slots) && slots <= n, "{n} searches in {slots} slots");
        let trees = (0..n as u64).map(|number| Lane::new(Tree::new(config, seed, number))).collect();
        let (waiting, first) = (vec![0; slots], n.div_ceil(slots));
        Self { trees, waiting, first, layout: like.observation_layout(), actions: like.num_actions() }
    }

    /// Returns the number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Returns whether there are no trees, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Returns the trees of a slot.
    ///
    /// # Errors
    /// If there is no such slot.
    pub fn slot(&self, slot: usize) -> Result<std::ops::Range<usize>, SearchesError> {
        match slot {
            0 => Ok(0..self.first),
            1 if self.waiting.len() == 2 => Ok(self.first..self.trees.len()),
            _ => Err(SearchesError::Slot { slot, slots: self.waiting.len() }),
        }
    }

    /// Begins to search positions, each in the tree with this number; the other trees go on. What a tree has found about a
    /// position is reused, as by [`Search::start`]. Leaves of the same slots that wait for their evaluations no longer do:
    /// the next gather finds them again.
    ///
    /// # Errors
    /// If there is no such tree, or a position is from another game or a game that is over; then none has begun.
    pub fn start(&mut self, starts: &[(usize, P)], budget: Budget) -> Result<(), SearchesError> {
        starts.iter().try_for_each(|(tree, position)| self.check_start(*tree, position))?;
        for (tree, position) in starts {
            let begun = &mut self.trees[*tree].walker;
            (begun.start, begun.is_new) = (Some(position.clone()), true);
            self.waiting[usize::from(*tree >= self.first)] = 0;
        }
        on_all_threads(&mut self.trees, |tree| {
            if tree.walker.begin(budget) {
                tree.take_back();
            }
        });
        Ok(())
    }

    fn check_start(&self, tree: usize, position: &P) -> Result<(), SearchesError> {
        if tree >= self.trees.len() {
            return Err(SearchesError::Tree { tree, trees: self.trees.len() });
        }
        if position.num_actions() != self.actions || position.observation_layout() != self.layout {
            return Err(SearchesError::Game { tree, actions: position.num_actions(), expected: self.actions });
        }
        match position.outcome() {
            Some(outcome) => Err(SearchesError::Over { tree, outcome }),
            None => Ok(()),
        }
    }

    /// Drops all trees, as new weights require.
    pub fn forget(&mut self) {
        self.waiting.fill(0);
        for tree in &mut self.trees {
            tree.walker.forget();
            tree.take_back();
        }
    }

    /// Walks the trees of a slot to their next leaves, writes these, and returns how many there are: 0 when all searches of
    /// the slot have ended. Called again before [`apply`](Self::apply), it writes the same leaves.
    ///
    /// # Errors
    /// If there is no such slot, or the arrays have another size than its trees need.
    pub fn gather(&mut self, slot: usize, mut leaves: Leaves<'_>) -> Result<usize, SearchesError> {
        let trees = self.slot(slot)?;
        let shape = (self.layout.size(), self.actions);
        let trees = &mut self.trees[trees];
        leaves.check(trees.len(), shape)?;
        trees.iter_mut().for_each(Lane::take_back);
        write_leaves(trees, &mut leaves, shape)?;
        self.waiting[slot] = close_gaps(trees, &mut leaves, shape);
        Ok(self.waiting[slot])
    }

    /// Takes the evaluations of the leaves that the last [`gather`](Self::gather) of the slot has written, row by row.
    ///
    /// # Errors
    /// If no leaves wait, there are more or fewer evaluations than leaves, or one is invalid: then none was taken, and
    /// the leaves still wait.
    pub fn apply<T: Copy + Into<f32> + Sync>(
        &mut self,
        slot: usize,
        answers: Answers<'_, T>,
    ) -> Result<(), SearchesError> {
        let trees = self.slot(slot)?;
        let waiting = self.waiting[slot];
        if waiting == 0 {
            return Err(SearchesError::NothingWaits { slot });
        }
        apply_answers(&mut self.trees[trees], answers, (waiting, self.actions))?;
        self.waiting[slot] = 0;
        Ok(())
    }

    /// Returns the trees whose searches have ended: those that [`start`](Self::start) may begin anew without loss.
    pub fn ended(&self) -> impl Iterator<Item = usize> {
        (0..self.trees.len()).filter(|&tree| self.trees[tree].walker.has_ended())
    }

    /// Returns what the search of a tree has found so far.
    ///
    /// # Errors
    /// If there is no such tree, or its root has not been evaluated.
    pub fn result(&self, tree: usize) -> Result<SearchResult<P::Action>, SearchesError> {
        let found = &self.lane(tree)?.walker;
        if found.start.is_none() || !found.search.has_result() {
            return Err(SearchesError::Unsearched { tree });
        }
        Ok(found.search.result())
    }

    /// Returns the position whose search began last in a tree.
    ///
    /// # Errors
    /// As for [`result`](Self::result).
    pub fn root(&self, tree: usize) -> Result<&P, SearchesError> {
        self.lane(tree)?.walker.start.as_ref().ok_or(SearchesError::Unsearched { tree })
    }

    fn lane(&self, tree: usize) -> Result<&Lane<Tree<P>>, SearchesError> {
        self.trees.get(tree).ok_or(SearchesError::Tree { tree, trees: self.trees.len() })
    }
}

impl<P: Position> Tree<P> {
    fn new(config: SearchConfig, seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Self { search: Search::new(config), rng, start: None, is_new: false }
    }

    fn forget(&mut self) {
        self.search.forget();
        self.start = None;
    }

    /// Begins the search that was asked for, and returns whether one was.
    fn begin(&mut self, budget: Budget) -> bool {
        let Some(start) = self.start.as_ref().filter(|_| self.is_new) else { return false };
        self.search.start(start, budget, &mut self.rng);
        std::mem::take(&mut self.is_new)
    }

    fn has_ended(&self) -> bool {
        self.start.is_some() && self.search.is_over()
    }
}

impl<P: Position> Walker for Tree<P> {
    type Position = P;

    fn walk(&mut self) -> Option<&P> {
        self.start.as_ref()?;
        self.search.gather()
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(evaluation);
    }
}

fn check_size(what: &'static str, given: usize, expected: usize) -> Result<(), SearchesError> {
    if given == expected { Ok(()) } else { Err(SearchesError::Size { what, given, expected }) }
}

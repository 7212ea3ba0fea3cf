//! The search of one game, and of many in lockstep.

use std::iter;

use gipf_env::{ActionIndex, Position};
use rand_chacha::ChaCha8Rng;

use super::config::{Budget, Interior, Method, SearchConfig};
use super::evaluator::{Evaluation, Evaluator};
use super::gumbel::{CompletedQ, Halving, RootView};
use super::noise::{draw_dirichlet, draw_gumbel};
use super::puct::{self, Candidates, Exploration};
use super::result::{SearchResult, line_from, report};
use super::solver::TreeVerdict;
use super::tree::{Edge, NO_NODE, Tree};

/// The search of one game. It keeps its tree from decision to decision, and never frees its memory.
///
/// One search goes: [`start`](Self::start), then [`gather`](Self::gather) and [`apply`](Self::apply) in turns until
/// `gather` returns none, then [`result`](Self::result). Equal calls have equal results.
#[derive(Clone, Debug)]
pub struct Search<P: Position> {
    pub(super) config: SearchConfig,
    pub(super) tree: Tree,
    pub(super) spare: Tree,
    /// The most visits of a position whose part of the tree is copied.
    pub(super) most_copied: u32,
    /// The position of the root, if the tree has one.
    pub(super) root: Option<P>,
    /// The only action of the position searched, which then needs no search; the tree is kept for later.
    pub(super) forced: Option<(ActionIndex, P::Action)>,
    /// The simulation of a caller that runs one at a time.
    walk: Walk<P>,
    /// The number of simulations of other callers whose leaves wait for their evaluations.
    under_way: u32,
    budget: Budget,
    pub(super) simulations: u32,
    pub(super) roots: RootState,
    scores: Vec<f32>,
    exploration: Exploration,
}

/// A simulation: the path from the root to a leaf. It never frees its memory.
#[derive(Clone, Debug)]
pub(super) struct Walk<P> {
    /// In a box, since positions are expensive to move.
    leaf: Option<Box<P>>,
    /// Whether the leaf waits for its evaluation.
    pending: bool,
    /// Nodes and edges from the root to the leaf.
    path: Vec<(usize, usize)>,
}

impl<P> Walk<P> {
    /// Returns the position that waits for its evaluation.
    pub fn leaf(&self) -> Option<&P> {
        self.leaf.as_deref().filter(|_| self.pending)
    }
}

impl<P> Default for Walk<P> {
    fn default() -> Self {
        Self { leaf: None, pending: false, path: Vec::new() }
    }
}

/// How a simulation that was asked for went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Its leaf waits for its evaluation.
    Leaf,
    /// It came to the leaf of another one, or to the end of a phase of the root: others have to be evaluated first.
    Busy,
    /// No more are needed.
    Done,
}

/// The state of the running search that belongs only to the root. Lists are indexed by the root's edges.
#[derive(Clone, Debug, Default)]
pub(super) struct RootState {
    /// Gumbel or Dirichlet numbers; zeros or empty in a quiet search.
    pub noise: Vec<f32>,
    /// The visits that came with the tree.
    pub reused: Vec<u32>,
    halving: Halving,
}

impl<P: Position> Search<P> {
    /// Returns a search without a tree.
    ///
    /// # Panics
    /// If a setting is out of range; [`SearchConfig::validate`] checks that beforehand.
    pub fn new(config: SearchConfig) -> Self {
        if let Err(error) = config.validate() {
            panic!("{error}");
        }
        Self {
            config,
            tree: Tree::default(),
            spare: Tree::default(),
            most_copied: u32::MAX,
            root: None,
            forced: None,
            walk: Walk::default(),
            under_way: 0,
            budget: Budget::quiet(0),
            simulations: 0,
            roots: RootState::default(),
            scores: Vec::new(),
            exploration: Exploration::default(),
        }
    }

    /// Begins to search a position.
    ///
    /// If the position is that of the last search, or lies below it, what was found about it is reused, unless that is
    /// a negligible part of a large tree. Its visits come on top of the budget and are reported separately. Starting
    /// again at the same position continues the search.
    ///
    /// # Panics
    /// If the game is over.
    pub fn start(&mut self, position: &P, budget: Budget, rng: &mut ChaCha8Rng) {
        self.abandon_leaf();
        self.budget = budget;
        self.simulations = 0;
        self.forced = only_action(position);
        if self.forced.is_some() {
            return;
        }
        self.go_to(position);
        self.prepare_root(position.num_legal_actions(), rng);
    }

    /// Drops the tree, as a new game or new weights require.
    pub fn forget(&mut self) {
        self.tree.clear();
        self.walk.pending = false;
        self.root = None;
    }

    /// Returns the next position that needs an evaluation; none when the budget is spent, the root is proven, or it has
    /// only one legal action.
    ///
    /// Simulations that end in finished games or proven nodes are completed here. Called again before
    /// [`apply`](Self::apply), it returns the same position.
    pub fn gather(&mut self) -> Option<&P> {
        let mut walk = std::mem::take(&mut self.walk);
        self.step(&mut walk);
        self.walk = walk;
        self.walk.leaf()
    }

    /// Simulates until a leaf needs an evaluation, if the walk has none that waits.
    fn step(&mut self, walk: &mut Walk<P>) -> Step {
        while !walk.pending {
            if self.is_finished() {
                return Step::Done;
            }
            if !self.simulate(walk) {
                return Step::Busy;
            }
        }
        Step::Leaf
    }

    /// Begins a part of the search in which several simulations are under way at once, or ends it when none is under
    /// way any more.
    pub(super) fn share(&mut self, shared: bool) {
        // A panic may have left some that nobody evaluates any more; a leaf from before was entered without a count.
        self.under_way = 0;
        if shared {
            self.abandon_leaf();
        }
        self.tree.count_under_way(shared);
    }

    /// Takes the root, if it waits for its evaluation, or simulates until a leaf needs one, beside other walks.
    pub(super) fn step_beside(&mut self, walk: &mut Walk<P>) -> Step {
        if self.walk.pending {
            std::mem::swap(&mut self.walk, walk);
            self.under_way += 1;
            return Step::Leaf;
        }
        if self.tree.nodes.is_empty() && self.under_way > 0 {
            return Step::Busy;
        }
        let step = self.step(walk);
        self.under_way += u32::from(step == Step::Leaf);
        step
    }

    /// Takes the evaluation of the leaf of a walk beside other walks.
    pub(super) fn apply_beside(&mut self, walk: &mut Walk<P>, evaluation: &Evaluation) {
        self.under_way -= 1;
        self.finish(walk, evaluation);
    }

    /// Takes the evaluation of the position that [`gather`](Self::gather) returned.
    ///
    /// # Panics
    /// If there is no such position, or the evaluation does not have one logit for each legal action and a finite
    /// value.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        let mut walk = std::mem::take(&mut self.walk);
        self.finish(&mut walk, evaluation);
        self.walk = walk;
    }

    /// Adds the leaf of a walk to the tree, and counts the simulation.
    fn finish(&mut self, walk: &mut Walk<P>, evaluation: &Evaluation) {
        let leaf = walk.leaf().expect("apply follows a gather that returned a position");
        let node = self.tree.add_node(leaf.num_legal_actions(), leaf.to_move(), evaluation);
        if node == self.tree.root {
            self.expand(node, leaf);
        }
        walk.pending = false;
        if let Some(&(_, edge)) = walk.path.last() {
            self.tree.edges[edge].child = node as u32;
            self.back_up(&walk.path, self.tree.nodes[node].value, TreeVerdict::Open);
        }
    }

    /// Returns what the search has found so far.
    ///
    /// # Panics
    /// If nothing was searched: before [`start`](Self::start), or before the evaluation of the root.
    pub fn result(&self) -> SearchResult<P::Action> {
        report(self)
    }

    /// Returns the line that is expected from the root on, beginning with this action.
    ///
    /// # Panics
    /// As for [`result`](Self::result).
    pub fn line_from(&self, action: P::Action) -> Vec<P::Action> {
        line_from(self, action)
    }

    /// Returns whether there is a [`result`](Self::result): a search was started, and its root evaluated.
    pub(super) fn has_result(&self) -> bool {
        self.forced.is_some() || (self.root.is_some() && self.tree.root_node().is_some())
    }

    /// Returns whether [`gather`](Self::gather) would return none without a walk.
    pub(super) fn is_over(&self) -> bool {
        !self.walk.pending && self.is_finished()
    }

    /// Returns the settings.
    pub const fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Forgets a leaf that was handed out and never evaluated.
    pub(super) fn abandon_leaf(&mut self) {
        if !std::mem::take(&mut self.walk.pending) {
            return;
        }
        // The leaf lies behind an edge that no simulation has gone through before; only a root lies behind no edge.
        if let Some(&(node, _)) = self.walk.path.last() {
            self.tree.close(node);
        }
    }

    /// Gives a node, at which this position is, its edges if it has none yet.
    #[inline]
    pub(super) fn expand(&mut self, node: usize, position: &P) {
        if !self.tree.has_edges(node) {
            let actions = position.legal_actions().map(|action| position.action_index(action));
            self.tree.expand(node, actions, self.config.method.prior_temperature());
        }
    }

    /// Begins a new tree, whose root waits for its evaluation.
    pub(super) fn plant(&mut self, position: &P) {
        self.tree.clear();
        self.walk.path.clear();
        self.walk.leaf = Some(overwrite(self.walk.leaf.take(), position));
        self.walk.pending = true;
    }

    fn prepare_root(&mut self, legal: usize, rng: &mut ChaCha8Rng) {
        let RootState { noise, reused, halving } = &mut self.roots;
        reused.clear();
        if self.tree.root_node().is_some() {
            reused.extend(self.tree.edges_of(self.tree.root).iter().map(|edge| edge.visits));
        }
        // A root that waits for its evaluation has no edges yet.
        reused.resize(legal, 0);
        halving.restart(self.budget.simulations);
        noise.clear();
        match &self.config.method {
            Method::Gumbel(_) => {
                noise.resize(legal, 0.0);
                if self.budget.noise {
                    draw_gumbel(noise, rng);
                }
            }
            Method::Puct(config) if self.budget.noise => {
                noise.resize(legal, 0.0);
                draw_dirichlet(noise, config.dirichlet_total, rng);
            }
            Method::Puct(_) => {}
        }
    }

    fn is_finished(&self) -> bool {
        let proven = self.tree.root_node().is_none_or(|root| !root.verdict.is_open());
        self.forced.is_some() || proven || self.simulations + self.under_way >= self.budget.simulations
    }

    /// Walks from the root to a leaf: a new decision, which is left pending, or an end, which is counted at once.
    /// Returns false if it came to a leaf that already waits for its evaluation, or could not go on at all.
    ///
    /// Nodes hold no positions. Replaying the actions from a copy of the root takes a tenth of the time of a simulation
    /// without a network on standard GIPF, and saves a copy with its history at each node.
    fn simulate(&mut self, walk: &mut Walk<P>) -> bool {
        let root = self.root.as_ref().expect("a search that is not finished has a root");
        let mut position = overwrite(walk.leaf.take(), root);
        walk.path.clear();
        let mut node = self.tree.root;
        loop {
            self.expand(node, &position);
            let Some(edge) = self.select(node) else {
                walk.leaf = Some(position);
                return false;
            };
            let Edge { child, action, forced, visits, .. } = self.tree.edges[edge];
            if child == NO_NODE && visits == 0 && self.tree.under_way_through(edge) > 0 {
                self.give_back(&walk.path);
                walk.leaf = Some(position);
                return false;
            }
            self.tree.enter(node, edge);
            walk.path.push((node, edge));
            play(&mut *position, action);
            if child == NO_NODE {
                walk.pending = self.open(&walk.path, &mut position);
                break;
            }
            if forced {
                play_forced(&mut *position);
            }
            node = child as usize;
        }
        walk.leaf = Some(position);
        true
    }

    /// Ends a simulation that had no result.
    fn give_back(&mut self, path: &[(usize, usize)]) {
        for &(_, edge) in path {
            self.tree.leave(edge);
        }
        self.roots.halving.give_back();
    }

    /// Returns the edge of a node to go on with; none at a root that waits for the simulations under way.
    fn select(&mut self, node: usize) -> Option<usize> {
        let (state, edges) = (&self.tree.nodes[node], self.tree.candidates(node));
        let noise = if node == self.tree.root { &self.roots.noise[..] } else { &[] };
        let candidates = || Candidates {
            node: state,
            edges,
            noise,
            visited_prior: self.tree.visited_prior(node),
            under_way: self.tree.under_way(node),
        };
        let place = match &self.config.method {
            Method::Gumbel(config) if node == self.tree.root => {
                self.roots.halving.select(RootView { node: state, edges, noise, config }, self.under_way)?
            }
            Method::Gumbel(config) => match &config.interior {
                Interior::CompletedQ => CompletedQ::of(state, edges, config).select(edges, &mut self.scores),
                Interior::Puct(puct) => puct::select(candidates(), &mut self.exploration, puct),
            },
            Method::Puct(config) => puct::select(candidates(), &mut self.exploration, config),
        };
        Some(self.tree.edge_id(node, place))
    }

    /// Looks at what lies behind an edge for the first time, or again at the end of the game without the solver.
    fn open(&mut self, path: &[(usize, usize)], position: &mut P) -> bool {
        let &(_, edge) = path.last().expect("a leaf lies behind an edge");
        self.tree.edges[edge].forced = play_forced(position);
        if let Some(outcome) = position.outcome() {
            let verdict = TreeVerdict::of(outcome);
            let value = verdict.value().expect("a finished game has a value");
            self.back_up(path, value, if self.config.solver { verdict } else { TreeVerdict::Open });
            return false;
        }
        true
    }

    /// Counts the simulation on its path. A verdict goes up as far as it decides; from there on, values go up.
    fn back_up(&mut self, path: &[(usize, usize)], mut value: f32, mut verdict: TreeVerdict) {
        for &(node, edge) in path.iter().rev() {
            self.tree.visit(node, edge, value);
            self.tree.leave(edge);
            if !verdict.is_open() {
                self.tree.edges[edge].verdict = verdict;
                verdict = self.tree.judge(node);
            }
            value = self.tree.value_above(node, value);
        }
        self.simulations += 1;
    }
}

/// Runs all searches to their ends, in lockstep: each round evaluates the leaves of all unfinished ones as one batch.
///
/// Every search must have been started. Results do not depend on which searches run together.
pub fn search_all<P: Position, E: Evaluator<P> + ?Sized>(searches: &mut [Search<P>], evaluator: &mut E) {
    let mut leaves: Vec<P> = Vec::with_capacity(searches.len());
    let mut waiting = Vec::with_capacity(searches.len());
    let mut evaluations = vec![Evaluation::default(); searches.len()];
    loop {
        for (number, search) in searches.iter_mut().enumerate() {
            let Some(leaf) = search.gather() else { continue };
            match leaves.get_mut(waiting.len()) {
                Some(old) => old.clone_from(leaf),
                None => leaves.push(leaf.clone()),
            }
            waiting.push(number);
        }
        if waiting.is_empty() {
            return;
        }
        evaluator.evaluate(&leaves[..waiting.len()], &mut evaluations[..waiting.len()]);
        for (number, evaluation) in waiting.drain(..).zip(&evaluations) {
            searches[number].apply(evaluation);
        }
    }
}

/// Returns a copy of a position, in the memory of an old one if there is one.
#[expect(clippy::unnecessary_box_returns, reason = "positions are long to move")]
fn overwrite<P: Clone>(old: Option<Box<P>>, position: &P) -> Box<P> {
    match old {
        Some(mut old) => {
            (*old).clone_from(position);
            old
        }
        None => Box::new(position.clone()),
    }
}

/// Plays an action of the tree.
pub(super) fn play<P: Position>(position: &mut P, action: ActionIndex) {
    let action = position.action_at(action).expect("an edge has the index of a legal action");
    position.play_unchecked(action);
}

/// The most actions that are played because nothing else is legal: more than any turn has.
const MOST_FORCED: usize = 200;

/// Plays on as long as there is only one legal action; returns whether it played any.
#[inline]
pub(super) fn play_forced<P: Position>(position: &mut P) -> bool {
    forced_actions(position).count() > 0
}

/// Iterates over the actions that have to be played before there is a choice or the game is over, and plays each. More
/// than any turn has end it as a choice does: the position after them is then searched like any other.
#[inline]
pub(crate) fn forced_actions<P: Position>(position: &mut P) -> impl Iterator<Item = P::Action> {
    let forced = iter::from_fn(move || {
        let (_, action) = only_action(position)?;
        position.play_unchecked(action);
        Some(action)
    });
    forced.take(MOST_FORCED)
}

/// Returns the legal action if there is only one.
pub(super) fn only_action<P: Position>(position: &P) -> Option<(ActionIndex, P::Action)> {
    let mut actions = position.legal_actions();
    let first = actions.next()?;
    actions.next().is_none().then(|| (position.action_index(first), first))
}

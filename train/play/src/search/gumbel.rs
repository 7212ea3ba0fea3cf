//! Gumbel AlphaZero (Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022).
//!
//! An action that was never visited is given the value `v_mix`, so every action has a *completed Q*, with which the
//! network's policy can be improved:
//!
//! ```text
//! σ(q)   = (c_visit + max N) · c_scale · q                         q from 0 to 1
//! v_mix  = (v_network + N · Σ P(b) q(b) / Σ P(b)) / (1 + N)        sums over visited actions, N their visits
//! policy = softmax(logit + σ(completed q))                         the target that is learned
//! below the root, select the largest  policy(a) - N(a) / (1 + N)
//! ```
//!
//! Actions proven lost have no share in any of this, and their visits are not counted either. Actions proven drawn keep
//! theirs in value and target, but are not visited any more: there is nothing to learn there.

use std::cmp::Ordering;

use gipf_env::{Player, math};

use super::config::Gumbel;
use super::solver::TreeVerdict;
use super::tree::{Edge, Node};

/// The completed Q of the actions of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompletedQ {
    to_move: Player,
    /// `v_mix`, for the player to move.
    pub mixed: f32,
    /// `(c_visit + max N) · c_scale / 2`: the factor of a value from -1 to 1, up to a constant that softmax ignores.
    factor: f32,
    /// The sum of the priors of unvisited actions.
    unvisited_prior: f32,
}

impl CompletedQ {
    /// Takes stock of a node. Unvisited edges may be left out of `edges`.
    #[inline]
    pub fn of(node: &Node, edges: &[Edge], config: &Gumbel) -> Self {
        let (mut visits, mut most, mut prior, mut weighted, mut lost_prior) = (0, 0, 0.0, 0.0, 0.0);
        // Most actions were not visited, and say nothing.
        for edge in edges.iter().filter(|edge| edge.visits > 0 || !edge.verdict.is_open()) {
            match edge.q(node.to_move) {
                Some(_) if edge.verdict.is_lost_for(node.to_move) => lost_prior += edge.prior,
                Some(q) => {
                    visits += edge.visits;
                    most = most.max(edge.visits);
                    prior += edge.prior;
                    weighted += edge.prior * q;
                }
                None => {}
            }
        }
        let own = node.to_move.sign() * node.value;
        let found = if prior > 0.0 { weighted / prior } else { 0.0 };
        let mixed = (own + visits as f32 * found) / (1 + visits) as f32;
        let factor = 0.5 * config.c_scale * (config.c_visit + most as f32);
        Self { to_move: node.to_move, mixed, factor, unvisited_prior: (1.0 - prior - lost_prior).max(0.0) }
    }

    /// Returns the value of an action for the player to move, -1 to 1.
    #[inline]
    pub fn q(&self, edge: &Edge) -> f32 {
        edge.q(self.to_move).unwrap_or(self.mixed)
    }

    /// Returns logit + σ(completed q), up to a constant.
    #[inline]
    pub fn score(&self, edge: &Edge) -> f32 {
        edge.logit + self.factor * self.q(edge)
    }

    /// Selects below the root, from the visited edges and at most one other, an edge that is not proven: returns its place.
    #[inline]
    pub fn select(&self, edges: &[Edge], scores: &mut Vec<f32>) -> usize {
        scores.clear();
        let (mut highest, mut visits) = (f32::NEG_INFINITY, 0);
        for edge in edges {
            let mut score = f32::NEG_INFINITY;
            if edge.verdict.is_open() {
                score = self.score(edge);
                visits += edge.visits;
            }
            highest = highest.max(score);
            scores.push(score);
        }
        let mut total = 0.0;
        for (edge, score) in edges.iter().zip(scores.iter_mut()) {
            *score = math::exp(*score - highest);
            // One unvisited edge stands for all: they differ by their priors only.
            let share = if edge.visits == 0 { self.unvisited_prior.max(edge.prior) / edge.prior } else { 1.0 };
            total += share * *score;
        }
        let weight = 1.0 / (1 + visits) as f32;
        let (mut best, mut best_gap) = (None, f32::NEG_INFINITY);
        for (place, (edge, score)) in edges.iter().zip(scores.iter()).enumerate() {
            let gap = score / total - edge.visits as f32 * weight;
            if gap > best_gap && edge.verdict.is_open() {
                (best, best_gap) = (Some(place), gap);
            }
        }
        best.expect("a node that is not proven has an action that is not proven")
    }

    #[inline]
    fn is_lost(&self, edge: &Edge) -> bool {
        edge.verdict.is_lost_for(self.to_move)
    }
}

/// More actions than these are considered only if each of them can have this many visits.
const FEW: u32 = 16;
const VISITS_OF_MANY: u32 = 8;

/// One action still considered at the root.
#[derive(Clone, Copy, Debug)]
struct Considered {
    /// Its place among the edges of the root.
    place: usize,
    /// The visits given in this phase.
    visits: u32,
}

/// Sequential halving at the root: the considered actions get equally many visits, then the better half goes on.
///
/// `m0 = min(considered, actions, max(2, n / 2), max(16, n / 8))` actions begin; a phase with m actions gives each
/// `max(1, n / (⌈log₂ m0⌉ · m))` visits; two stay to the end. The paper begins with up to n actions, but then every choice
/// rests on one visit: on GIPF with a noisy material evaluation, 8 actions of 16 simulations score 47 % against
/// PUCT and 16 actions 18 %; with a trained network, 32 actions of 64 score 29 % against 16.
///
/// Only visits of this search count for the schedule: what a reused tree brings along improves the values, and so the
/// choice, but every search spends its n simulations anew.
///
/// A proven action needs no more visits. It makes room for the best of those not considered, so no win is overlooked
/// because all m0 first choices were refuted.
#[derive(Clone, Debug, Default)]
pub(super) struct Halving {
    considered: Vec<Considered>,
    /// The number of actions of this phase; 0 before the first.
    width: usize,
    /// The visits that each action is to get in this phase.
    each: u32,
    rounds: u32,
    simulations: u32,
    /// Which of the considered actions was selected last.
    last: usize,
}

/// The root as sequential halving sees it.
#[derive(Clone, Copy)]
pub(super) struct RootView<'a> {
    pub node: &'a Node,
    pub edges: &'a [Edge],
    /// One Gumbel number g for each edge; all 0 in a quiet search.
    pub noise: &'a [f32],
    pub config: &'a Gumbel,
}

impl RootView<'_> {
    pub fn completed_q(&self) -> CompletedQ {
        CompletedQ::of(self.node, self.edges, self.config)
    }

    /// Returns g + logit + σ(completed q), up to a constant.
    fn score(&self, completed: &CompletedQ, place: usize) -> f32 {
        self.noise[place] + completed.score(&self.edges[place])
    }

    fn is_open(&self, place: usize) -> bool {
        self.edges[place].verdict.is_open()
    }
}

impl Halving {
    /// Forgets the last search.
    pub fn restart(&mut self, simulations: u32) {
        self.considered.clear();
        self.width = 0;
        self.simulations = simulations;
    }

    /// Returns the place of the root edge to visit next; none at the end of a phase while simulations of it are still
    /// under way, since their values decide which actions go on.
    pub fn select(&mut self, root: RootView, under_way: u32) -> Option<usize> {
        let completed = root.completed_q();
        if self.width == 0 {
            self.begin(root);
        }
        self.considered.retain(|action| root.is_open(action.place));
        self.fill(root, &completed);
        if self.considered.iter().all(|action| action.visits >= self.each) {
            if under_way > 0 {
                return None;
            }
            self.halve(root, &completed);
        }
        let fewest = self.considered.iter().map(|action| action.visits).min().unwrap_or(0);
        let due = self.considered.iter().enumerate().filter(|(_, action)| action.visits == fewest);
        let scored = due.map(|(number, action)| (number, root.score(&completed, action.place)));
        let (next, _) = scored.reduce(better).expect("a root that is not proven has an action that is not proven");
        self.considered[next].visits += 1;
        self.last = next;
        Some(self.considered[next].place)
    }

    /// Gives back the visit that was selected last, which had no result.
    pub fn give_back(&mut self) {
        if let Some(action) = self.considered.get_mut(self.last) {
            action.visits -= 1;
        }
    }

    fn begin(&mut self, root: RootView) {
        let open = (0..root.edges.len()).filter(|&place| root.is_open(place)).count();
        let affordable = (self.simulations / 2).max(2).min(self.simulations).max(1);
        let worth = (self.simulations / VISITS_OF_MANY).max(FEW);
        self.width = open.min(root.config.considered.min(affordable).min(worth) as usize);
        self.rounds = self.width.next_power_of_two().trailing_zeros().max(1);
        self.set_phase();
    }

    fn set_phase(&mut self) {
        self.each = (self.simulations / (self.rounds * self.width as u32)).max(1);
    }

    /// Admits the best of the actions not considered and not proven, as long as there is room.
    fn fill(&mut self, root: RootView, completed: &CompletedQ) {
        let room = self.width.saturating_sub(self.considered.len());
        if room == 0 {
            return;
        }
        let is_considered = |place| self.considered.iter().any(|action| action.place == place);
        let outside = (0..root.edges.len()).filter(|&place| root.is_open(place) && !is_considered(place));
        let mut scored: Vec<_> = outside.map(|place| (place, root.score(completed, place))).collect();
        // A stable sort: among equal ones, the first counts as better.
        scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal));
        self.considered.extend(scored.into_iter().take(room).map(|(place, _)| Considered { place, visits: 0 }));
    }

    fn halve(&mut self, root: RootView, completed: &CompletedQ) {
        if self.width > 2 {
            self.width = (self.width / 2).max(2);
        }
        let score = |action: &Considered| root.score(completed, action.place);
        self.considered.sort_by(|a, b| score(b).total_cmp(&score(a)));
        self.considered.truncate(self.width);
        for action in &mut self.considered {
            action.visits = 0;
        }
        self.set_phase();
    }
}

/// Returns the place of the action to play: of those visited most in this search, and those proven drawn, the one with
/// the highest score.
pub(super) fn choose(root: RootView, new_visits: impl Fn(usize) -> u32) -> usize {
    let completed = root.completed_q();
    let places = || (0..root.edges.len()).filter(|&place| !completed.is_lost(&root.edges[place]));
    let most = places().map(&new_visits).max().unwrap_or(0);
    let eligible = |&place: &usize| new_visits(place) == most || root.edges[place].verdict == TreeVerdict::Draw;
    let scored = places().filter(eligible).map(|place| (place, root.score(&completed, place)));
    scored.reduce(better).expect("an action is not lost unless the root is").0
}

/// Returns the better of two scored actions, the first if they are equal.
fn better(a: (usize, f32), b: (usize, f32)) -> (usize, f32) {
    if b.1 > a.1 { b } else { a }
}

/// Returns softmax(logit + σ(completed q)) over the edges that `allowed` names, 0 for the others.
pub(super) fn improved_policy(root: RootView, allowed: impl Fn(&Edge) -> bool) -> Vec<f32> {
    let completed = root.completed_q();
    let score = |edge: &Edge| if allowed(edge) { completed.score(edge) } else { f32::NEG_INFINITY };
    let highest = root.edges.iter().map(score).fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = root.edges.iter().map(|edge| math::exp(score(edge) - highest)).collect();
    let total: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests {
    use gipf_env::ActionIndex;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::evaluator::Evaluation;
    use super::super::tree::Tree;
    use super::*;

    /// The node below a root; none of its edges may be left out.
    const NODE: usize = 1;

    /// Returns a tree with a node below its root that has these logits, and a value for White, who is to move.
    fn tree(logits: &[f32], value: f32) -> Tree {
        let mut tree = Tree::default();
        for _ in 0..=NODE {
            let node = tree.add_node(logits.len(), Player::White, &Evaluation { logits: logits.to_vec(), value });
            tree.expand(node, (0..logits.len() as u16).map(ActionIndex), 1.0);
        }
        tree
    }

    fn visit(tree: &mut Tree, place: usize, value: f32) {
        let edge = tree.edge_id(NODE, place);
        tree.enter(NODE, edge);
        tree.visit(NODE, edge, value);
    }

    fn completed(tree: &Tree) -> CompletedQ {
        CompletedQ::of(&tree.nodes[NODE], tree.candidates(NODE), &Gumbel::default())
    }

    #[test]
    fn what_was_not_visited_is_worth_what_the_rest_and_the_network_say() {
        let mut tree = tree(&[0.5_f32, 0.3, 0.15, 0.05].map(math::ln), 0.2);
        let check = |tree: &Tree, mixed: f32, unvisited: f32| {
            let completed = completed(tree);
            let found = (completed.mixed, completed.unvisited_prior);
            assert!((found.0 - mixed).abs() < 1e-6 && (found.1 - unvisited).abs() < 1e-6, "{found:?}");
        };
        check(&tree, 0.2, 1.0);
        visit(&mut tree, 0, 0.6);
        check(&tree, 0.4, 0.5);
        visit(&mut tree, 1, 0.0);
        visit(&mut tree, 1, -0.6);
        check(&tree, (0.2 + 3.0 * (0.5 * 0.6 - 0.3 * 0.3) / 0.8) / 4.0, 0.2);
        // An action that is proven lost has no part, whatever was found there before.
        let lost = tree.edge_id(NODE, 1);
        tree.edges[lost].verdict = TreeVerdict::BlackWins;
        check(&tree, 0.4, 0.2);
    }

    /// The edge selected from the visited ones and one more has the largest `policy(a) - N(a) / (1 + N)` of all.
    #[test]
    fn one_edge_may_stand_for_all_that_were_not_visited() {
        let (mut rng, mut scores, config) = (ChaCha8Rng::seed_from_u64(1), Vec::new(), Gumbel::default());
        for actions in (2..12).chain(2..12) {
            let logits: Vec<f32> = (0..actions).map(|_| rng.random_range(-3.0..3.0)).collect();
            let mut tree = tree(&logits, 0.1);
            for _ in 0..30 {
                let (node, edges) = (tree.nodes[NODE], tree.edges_of(NODE));
                let place = completed(&tree).select(tree.candidates(NODE), &mut scores);
                let policy = improved_policy(RootView { node: &node, edges, noise: &[], config: &config }, |_| true);
                let gap = |place: usize| policy[place] - edges[place].visits as f32 / (1 + node.visits) as f32;
                let most = (0..edges.len()).map(gap).fold(f32::NEG_INFINITY, f32::max);
                assert!((gap(place) - most).abs() < 1e-5, "{} of {most} after {} visits", gap(place), node.visits);
                visit(&mut tree, place, rng.random_range(-1.0..1.0));
            }
        }
    }
}

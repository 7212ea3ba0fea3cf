//! The search tree: nodes and edges in two flat arrays.

use gipf_env::{ActionIndex, Player, math};

use super::evaluator::Evaluation;
use super::solver::{TreeVerdict, judge};

/// The child of an edge that leads to no node: not opened yet, or the game ends there.
pub(super) const NO_NODE: u32 = u32::MAX;

/// Logits are cut off so far below the largest, a prior of 4·10⁻¹⁸, so that no exponential over- or underflows.
const LOWEST_LOGIT: f32 = -40.0;

/// A decision: a position with at least two legal actions that has been evaluated.
///
/// It gets its edges when the search comes back to it, which never happens for most nodes; until then only its logits
/// are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first_logit: u32,
    /// The number of logits, one for each legal action.
    num_logits: u16,
    first_edge: u32,
    /// The number of edges: as many as logits, or none yet.
    num_edges: u16,
    /// The number of edges that a simulation has gone through, or is on its way through. Below the root those are the first
    /// ones of the node.
    opened: u16,
    /// The number of visits of all edges together.
    pub visits: u32,
    /// The network's value, for White.
    pub value: f32,
    /// The sum of the values that the visits found, for White.
    pub sum: f32,
    /// The sum of their squares.
    pub squares: f32,
    /// Below the root: the sum of the priors of the edges visited, in the order in which they were.
    visited_prior: f32,
    pub to_move: Player,
    pub verdict: TreeVerdict,
    /// Whether an action is proven drawn: the player to move need not accept less.
    has_draw: bool,
}

/// An action at a decision, and all that the simulations through it have found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The next decision, past forced actions, if there is one in the tree.
    pub child: u32,
    pub visits: u32,
    /// The sum of the values found, for White: one turn can hold decisions of one player or both, so nothing is negated.
    pub sum: f32,
    /// The logarithm of the prior.
    pub logit: f32,
    /// The network's probability of the action, 0 to 1.
    pub prior: f32,
    pub action: ActionIndex,
    pub verdict: TreeVerdict,
    /// Whether forced actions follow before the next decision.
    pub forced: bool,
}

/// The standard deviation that values are taken to have before any visit, and its weight (visits). KataGo.
pub(super) const USUAL_SPREAD: f32 = 0.4;
const USUAL_VISITS: f32 = 2.0;

impl Node {
    /// Returns the standard deviation of the values that the visits found, taken together with some usual ones.
    #[inline]
    pub fn spread(&self) -> f32 {
        let visits = (1 + self.visits) as f32;
        let (sum, squares) = (self.value + self.sum, self.value * self.value + self.squares);
        let mean = sum / visits;
        let around = squares - visits * mean * mean + USUAL_VISITS * USUAL_SPREAD * USUAL_SPREAD;
        (around / (visits + USUAL_VISITS)).max(0.0).sqrt()
    }
}

impl Edge {
    pub const fn new(action: ActionIndex) -> Self {
        let verdict = TreeVerdict::Open;
        Self { child: NO_NODE, visits: 0, sum: 0.0, logit: 0.0, prior: 0.0, action, verdict, forced: false }
    }

    /// Returns the value for a player, exact if proven, if the action was ever visited.
    #[inline]
    pub fn q(&self, player: Player) -> Option<f32> {
        let sign = player.sign();
        match self.verdict.value() {
            Some(value) => Some(sign * value),
            None if self.visits > 0 => Some(sign * self.sum / self.visits as f32),
            None => None,
        }
    }
}

/// The tree of one game. The edges of a node lie next to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The root: the first node, or a later one above which nothing is needed any more.
    pub root: usize,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    logits: Vec<f32>,
    /// Whether the simulations under way are counted: several of them can be at once.
    counts_under_way: bool,
    /// The simulations under way through each edge; empty where they are not counted.
    under_way: Vec<u32>,
    softmax: Softmax,
}

/// Working memory: a node's priors as they are made.
#[derive(Clone, Debug, Default)]
struct Softmax {
    logits: Vec<f32>,
    probabilities: Vec<f32>,
    priors: Vec<f32>,
}

impl Tree {
    pub fn clear(&mut self) {
        self.root = 0;
        self.nodes.clear();
        self.edges.clear();
        self.logits.clear();
        self.under_way.clear();
    }

    /// Returns the root, if it has been evaluated.
    #[inline]
    pub fn root_node(&self) -> Option<&Node> {
        self.nodes.get(self.root)
    }

    /// Counts the simulations under way from now on, or never again: there are none now.
    pub fn count_under_way(&mut self, counted: bool) {
        self.counts_under_way = counted;
        self.under_way.clear();
        self.make_room();
    }

    /// Returns the simulations under way through the edges of a node; nothing where they are not counted.
    #[inline]
    pub fn under_way(&self, node: usize) -> &[u32] {
        let Node { first_edge, num_edges, .. } = self.nodes[node];
        self.under_way.get(first_edge as usize..first_edge as usize + usize::from(num_edges)).unwrap_or(&[])
    }

    /// Returns the simulations under way through an edge; 0 where they are not counted.
    #[inline]
    pub fn under_way_through(&self, edge: usize) -> u32 {
        self.under_way.get(edge).copied().unwrap_or(0)
    }

    /// Begins a simulation through an edge.
    #[inline]
    pub fn enter(&mut self, node: usize, edge: usize) {
        if self.edges[edge].visits == 0 && self.under_way_through(edge) == 0 {
            self.open(node);
        }
        if let Some(count) = self.under_way.get_mut(edge) {
            *count += 1;
        }
    }

    /// Ends a simulation through an edge, without a value if it had no result.
    #[inline]
    pub fn leave(&mut self, edge: usize) {
        if let Some(count) = self.under_way.get_mut(edge) {
            *count -= 1;
        }
    }

    /// Makes room for the counts of new edges.
    fn make_room(&mut self) {
        if self.counts_under_way {
            self.under_way.resize(self.edges.len(), 0);
        }
    }

    /// Returns the edges of a node, none if it does not have them yet.
    #[inline]
    pub fn edges_of(&self, node: usize) -> &[Edge] {
        let Node { first_edge, num_edges, .. } = self.nodes[node];
        &self.edges[first_edge as usize..][..usize::from(num_edges)]
    }

    /// Returns the edges among which to select: all at the root; below it the visited ones, then the one with the highest
    /// prior of the others, which no rule would rank behind another before its first visit.
    #[inline]
    pub fn candidates(&self, node: usize) -> &[Edge] {
        let edges = self.edges_of(node);
        let opened = usize::from(self.nodes[node].opened);
        if node == self.root { edges } else { &edges[..edges.len().min(opened + 1)] }
    }

    /// Returns the position of an edge of a node in the array of all.
    #[inline]
    pub fn edge_id(&self, node: usize, offset: usize) -> usize {
        self.nodes[node].first_edge as usize + offset
    }

    /// Adds a node without edges, for a position with this many legal actions.
    ///
    /// # Panics
    /// If the evaluation has another number of logits, or no finite value.
    pub fn add_node(&mut self, legal: usize, to_move: Player, evaluation: &Evaluation) -> usize {
        let logits = evaluation.logits.len();
        assert!(legal == logits, "the evaluator gave {logits} logits for {legal} legal actions");
        assert!(evaluation.value.is_finite(), "the evaluator gave the value {}", evaluation.value);
        let node = self.nodes.len();
        self.nodes.push(Node {
            first_logit: u32::try_from(self.logits.len()).expect("a tree has less than 2³² logits"),
            num_logits: u16::try_from(legal).expect("an action index has 16 bits"),
            first_edge: 0,
            num_edges: 0,
            opened: 0,
            visits: 0,
            value: to_move.sign() * evaluation.value.clamp(-1.0, 1.0),
            sum: 0.0,
            squares: 0.0,
            visited_prior: 0.0,
            to_move,
            verdict: TreeVerdict::Open,
            has_draw: false,
        });
        self.logits.extend_from_slice(&evaluation.logits);
        node
    }

    #[inline]
    pub fn has_edges(&self, node: usize) -> bool {
        self.nodes[node].num_edges > 0
    }

    /// Gives a node its edges: one for each legal action, ascending by index. Their priors are flattened by a temperature
    /// ([`Puct::prior_temperature`](super::Puct::prior_temperature)).
    pub fn expand(&mut self, node: usize, actions: impl Iterator<Item = ActionIndex>, temperature: f32) {
        let first = self.edges.len();
        self.edges.extend(actions.map(Edge::new));
        let Node { first_logit, num_logits, .. } = self.nodes[node];
        let (edges, logits) = (&mut self.edges[first..], &self.logits[first_logit as usize..]);
        assert_eq!(edges.len(), usize::from(num_logits), "a node's position has as many legal actions as logits");
        self.softmax.set_priors(edges, &logits[..usize::from(num_logits)], temperature);
        self.nodes[node].first_edge = u32::try_from(first).expect("a tree has less than 2³² edges");
        self.nodes[node].num_edges = num_logits;
        self.make_room();
        self.bring_next_forward(node);
    }

    /// Counts a visit of an edge that found this value for White.
    #[inline]
    pub fn visit(&mut self, node: usize, edge: usize, value: f32) {
        let edge = &mut self.edges[edge];
        edge.visits += 1;
        edge.sum += value;
        let (is_first, prior) = (edge.visits == 1, edge.prior);
        let state = &mut self.nodes[node];
        state.visits += 1;
        state.sum += value;
        state.squares += value * value;
        if is_first {
            state.visited_prior += prior;
        }
        debug_assert!(value.abs() <= 1.0, "a value is between a loss and a win");
        debug_assert_eq!(self.nodes[node].visits, self.edges_of(node).iter().map(|edge| edge.visits).sum::<u32>());
    }

    /// Returns the sum of the priors of the edges that were visited.
    #[inline]
    pub fn visited_prior(&self, node: usize) -> f32 {
        if node != self.root {
            return self.nodes[node].visited_prior;
        }
        // The edges of the root are visited in any order, and sums of floats depend on their order.
        self.edges_of(self.root).iter().filter(|edge| edge.visits > 0).map(|edge| edge.prior).sum()
    }

    /// Takes back the simulation through the edge that was opened last: it had no result.
    pub fn close(&mut self, node: usize) {
        self.nodes[node].opened -= 1;
    }

    /// Counts the next unvisited edge of a node as visited, and puts another one in its place.
    fn open(&mut self, node: usize) {
        self.nodes[node].opened += 1;
        self.bring_next_forward(node);
    }

    /// Puts the unvisited edge with the highest prior behind the visited ones.
    ///
    /// The edges of the root keep their places: noise belongs to them, and any of them can be visited next.
    #[inline]
    fn bring_next_forward(&mut self, node: usize) {
        let (root, Node { first_edge, num_edges, opened, .. }) = (self.root, self.nodes[node]);
        let unvisited = &mut self.edges[first_edge as usize..][usize::from(opened)..usize::from(num_edges)];
        if node == root || unvisited.is_empty() {
            return;
        }
        let mut best = 0;
        for (offset, edge) in unvisited.iter().enumerate() {
            if edge.prior > unvisited[best].prior {
                best = offset;
            }
        }
        unvisited.swap(0, best);
    }

    /// Judges a node anew after a verdict on one of its edges.
    pub fn judge(&mut self, node: usize) -> TreeVerdict {
        let verdict = judge(self.nodes[node].to_move, self.edges_of(node));
        let has_draw = self.edges_of(node).iter().any(|edge| edge.verdict == TreeVerdict::Draw);
        let node = &mut self.nodes[node];
        (node.verdict, node.has_draw) = (verdict, has_draw);
        verdict
    }

    /// Returns what a value for White, found below a node, is worth to those above it: the proven value, or at least a
    /// draw for the player to move if they have one in hand.
    #[inline]
    pub fn value_above(&self, node: usize, value: f32) -> f32 {
        let Node { verdict, has_draw, to_move, .. } = self.nodes[node];
        match verdict.value() {
            Some(proven) => proven,
            None if has_draw => to_move.sign() * (to_move.sign() * value).max(0.0),
            None => value,
        }
    }

    /// Overwrites this tree with the subtree of `other` below a node, which becomes the root.
    pub fn copy_subtree(&mut self, other: &Self, node: usize) {
        self.clear();
        self.nodes.push(other.nodes[node]);
        let mut next = 0;
        while next < self.nodes.len() {
            let Node { first_logit, num_logits, first_edge, num_edges, .. } = self.nodes[next];
            if num_edges == 0 {
                self.nodes[next].first_logit = self.logits.len() as u32;
                self.logits.extend_from_slice(&other.logits[first_logit as usize..][..usize::from(num_logits)]);
            }
            self.nodes[next].first_edge = self.edges.len() as u32;
            for &edge in &other.edges[first_edge as usize..][..usize::from(num_edges)] {
                let mut copied = edge;
                if edge.child != NO_NODE {
                    copied.child = self.nodes.len() as u32;
                    self.nodes.push(other.nodes[edge.child as usize]);
                }
                self.edges.push(copied);
            }
            next += 1;
        }
    }
}

impl Softmax {
    /// Turns logits of any size into finite log-probabilities, and into priors, which are flattened by a temperature
    /// above 1.
    ///
    /// Each step is a loop of its own over plain numbers, which runs in vector registers.
    fn set_priors(&mut self, edges: &mut [Edge], logits: &[f32], temperature: f32) {
        // A maximum ignores NaN, and the finite bounds rule out infinity - infinity.
        let highest = logits.iter().copied().fold(-1e30, f32::max).min(1e30);
        let shifted = |&logit: &f32| {
            let shifted = logit - highest;
            if shifted.is_nan() { LOWEST_LOGIT } else { shifted.clamp(LOWEST_LOGIT, 0.0) }
        };
        overwrite(&mut self.logits, logits.iter().map(shifted));
        overwrite(&mut self.probabilities, self.logits.iter().map(|&logit| math::exp(logit)));
        if temperature == 1.0 {
            self.priors.clone_from(&self.probabilities);
        } else {
            overwrite(&mut self.priors, self.logits.iter().map(|&logit| math::exp(logit / temperature)));
        }
        let parts = self.probabilities.iter().zip(&self.priors);
        let (total, flattened) = parts.fold((0.0, 0.0), |(a, b), (probability, prior)| (a + probability, b + prior));
        let log_total = math::ln(total);
        self.priors.iter_mut().for_each(|prior| *prior /= flattened);
        for (edge, (&logit, &prior)) in edges.iter_mut().zip(self.logits.iter().zip(&self.priors)) {
            edge.prior = prior;
            edge.logit = logit - log_total;
        }
        // Holds whatever the logits were: either the largest is 0 before the division, or all of them are the lowest.
        debug_assert!(total > 0.0 && log_total.is_finite(), "the priors can be made to add up to one");
    }
}

fn overwrite(numbers: &mut Vec<f32>, with: impl Iterator<Item = f32>) {
    numbers.clear();
    numbers.extend(with);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_are_a_distribution_for_any_logits() {
        let extremes = [1e9, -1e9, 0.0, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 88.0];
        for (i, first) in extremes.into_iter().enumerate() {
            for second in &extremes[i..] {
                let mut edges = [Edge::new(ActionIndex(0)); 3];
                Softmax::default().set_priors(&mut edges, &[first, *second, -3.0], 1.0);
                let total: f32 = edges.iter().map(|edge| edge.prior).sum();
                assert!((total - 1.0).abs() < 1e-6, "{first} {second}: {edges:?}");
                assert!(edges.iter().all(|edge| edge.prior > 0.0 && edge.logit.is_finite()), "{first} {second}");
            }
        }
    }

    #[test]
    fn a_temperature_takes_the_root_of_the_priors_and_leaves_the_logits() {
        let [mut plain, mut flat] = [[Edge::new(ActionIndex(0)); 3]; 2];
        Softmax::default().set_priors(&mut plain, &[0.0, -2.0, -3.0], 1.0);
        Softmax::default().set_priors(&mut flat, &[0.0, -2.0, -3.0], 2.0);
        let total: f32 = plain.iter().map(|edge| edge.prior.sqrt()).sum();
        for (plain, flat) in plain.iter().zip(&flat) {
            assert!((flat.prior - plain.prior.sqrt() / total).abs() < 1e-6, "{plain:?} {flat:?}");
            assert_eq!(flat.logit, plain.logit);
        }
    }

    /// Values 0.6, -0.2 and 0.8 are 0.2, 0.6 and 0.4 away from their mean.
    #[test]
    fn the_spread_is_that_of_the_values_found_and_some_usual_ones() {
        let mut tree = Tree::default();
        tree.add_node(2, Player::White, &Evaluation { logits: vec![0.0; 2], value: 0.6 });
        tree.expand(0, (0..2).map(ActionIndex), 1.0);
        for value in [-0.2, 0.8] {
            tree.visit(0, tree.edge_id(0, 0), value);
        }
        let expected = ((0.04 + 0.36 + 0.16 + 2.0 * 0.16) / 5.0_f32).sqrt();
        assert!((tree.nodes[0].spread() - expected).abs() < 1e-6, "{}", tree.nodes[0].spread());
    }

    #[test]
    fn edges_are_opened_in_the_order_of_their_priors() {
        let mut tree = Tree::default();
        for _ in 0..2 {
            let evaluation = Evaluation { logits: vec![0.0, 2.0, 1.0, 3.0], value: 0.0 };
            let node = tree.add_node(4, Player::White, &evaluation);
            tree.expand(node, (0..4).map(ActionIndex), 1.0);
        }
        let mut order = Vec::new();
        for offset in 0..4 {
            order.push(tree.candidates(1).last().unwrap().action.0);
            tree.enter(1, tree.edge_id(1, offset));
            tree.visit(1, tree.edge_id(1, offset), 0.5);
        }
        assert_eq!(order, [3, 1, 2, 0]);
        assert_eq!(tree.nodes[1].visits, 4);
    }
}

//! AlphaZero's selection (Silver et al.: A general reinforcement learning algorithm, Science 2018), with the first-play
//! urgency of KataGo.
//!
//! ```text
//! score(a) = q(a) + c(N) · P(a) · √(1 + N) / (1 + N(a))        c(N) = c_init + ln((1 + N + c_base) / c_base)
//! q of an unvisited action = value of the node - fpu_reduction · √(visited prior)
//! ```
//!
//! Where values differ more, there is more to find: with `c_spread` above 0, c(N) is multiplied by
//! 1 + `c_spread` · (spread / 0.4 - 1), where the spread is the standard deviation of the values found below the node
//! (KataGo's dynamic variance-scaled cPUCT).

use gipf_env::math;

use super::config::Puct;
use super::solver::TreeVerdict;
use super::tree::{Edge, NO_NODE, Node, Tree, USUAL_SPREAD};

/// A node and the edges among which to select.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    pub node: &'a Node,
    pub edges: &'a [Edge],
    /// The Dirichlet numbers of the root's edges; empty below the root and in a quiet search.
    pub noise: &'a [f32],
    /// The sum of the priors of the edges that were visited.
    pub visited_prior: f32,
    /// The simulations under way through the node's edges; empty where there is one at a time. They count as visits whose
    /// values are not known yet (WU-UCT, Liu et al., Watch the unobserved, ICLR 2020, equation 4).
    pub under_way: &'a [u32],
}

/// The values of c(N) · √(1 + N) for few visits, as far as they were needed: a logarithm takes longer than all the rest
/// of a selection.
#[derive(Clone, Debug, Default)]
pub(super) struct Exploration {
    known: Vec<f32>,
}

impl Exploration {
    /// The most visits for which the value is remembered (visits).
    const MOST: usize = 1 << 10;

    /// Returns the weight of exploration after this many visits; `config` is the same in every call.
    #[inline]
    fn after(&mut self, visits: u32, config: &Puct) -> f32 {
        if let Some(&known) = self.known.get(visits as usize) {
            return known;
        }
        while self.known.len() <= (visits as usize).min(Self::MOST - 1) {
            self.known.push(exploration(self.known.len() as u32, config));
        }
        exploration(visits, config)
    }
}

fn exploration(visits: u32, config: &Puct) -> f32 {
    let visits = (1 + visits) as f32;
    (config.c_init + math::ln((visits + config.c_base) / config.c_base)) * visits.sqrt()
}

/// Returns the place of the edge to visit next, of those that are not proven.
#[inline]
pub(super) fn select(candidates: Candidates, exploration: &mut Exploration, config: &Puct) -> usize {
    let Candidates { node, edges, noise, under_way, .. } = candidates;
    let unknown: u32 = under_way.iter().sum();
    let mut exploration = exploration.after(node.visits + unknown, config);
    if config.c_spread > 0.0 {
        exploration *= 1.0 + config.c_spread * (node.spread() / USUAL_SPREAD - 1.0);
    }
    let urgency = first_play_urgency(candidates, config);
    let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
    for (place, edge) in edges.iter().enumerate() {
        if !edge.verdict.is_open() {
            continue;
        }
        let prior =
            noise.get(place).map_or(edge.prior, |noise| edge.prior + config.dirichlet_share * (noise - edge.prior));
        let q = edge.q(node.to_move).unwrap_or(urgency);
        let unknown = under_way.get(place).unwrap_or(&0);
        let score = q + exploration * prior / (1 + edge.visits + unknown) as f32;
        if score > best_score {
            (best, best_score) = (Some(place), score);
        }
    }
    best.expect("a node that is not proven has an action that is not proven")
}

/// Returns the value assumed for an unvisited action, for the player to move.
fn first_play_urgency(Candidates { node, visited_prior, .. }: Candidates, config: &Puct) -> f32 {
    let mean = node.to_move.sign() * (node.value + node.sum) / (1 + node.visits) as f32;
    mean - config.fpu_reduction * visited_prior.sqrt()
}

/// Returns the place of the action to play: the most visited, then the one with the highest value, then the likeliest.
pub(super) fn choose(node: &Node, edges: &[Edge], allowed: impl Fn(&Edge) -> bool) -> usize {
    let key = |edge: &Edge| (edge.visits, edge.q(node.to_move).unwrap_or(-1.0), edge.prior);
    let mut best: Option<usize> = None;
    for (place, edge) in edges.iter().enumerate().filter(|(_, edge)| allowed(edge)) {
        if best.is_none_or(|best| key(edge) > key(&edges[best])) {
            best = Some(place);
        }
    }
    best.expect("some action is at least as good as the proven result")
}

/// Returns the place of the action with the highest lower confidence bound, of those that are visited often enough to be
/// trusted; the most visited is one of them.
///
/// The bound lies `config.lcb` standard errors below the value (KataGo's move selection, in a plain form).
pub(super) fn choose_by_bound(
    tree: &Tree,
    node: &Node,
    edges: &[Edge],
    lcb: f32,
    allowed: impl Fn(&Edge) -> bool,
) -> usize {
    let most = choose(node, edges, &allowed);
    let enough = edges[most].visits as f32 * TRUSTED;
    let bound = |edge: &Edge| edge.q(node.to_move).unwrap_or(-1.0) - lcb * standard_error(tree, edge);
    let trusted = edges.iter().enumerate().filter(|(_, edge)| allowed(edge) && edge.visits as f32 >= enough);
    let scored = trusted.map(|(place, edge)| (place, bound(edge)));
    scored.fold((most, bound(&edges[most])), |best, next| if next.1 > best.1 { next } else { best }).0
}

/// The share of the most visits that an action needs to be played (KataGo).
const TRUSTED: f32 = 0.15;

/// Returns how far the value of an edge may be from what more visits would show; 0 if it is proven.
fn standard_error(tree: &Tree, edge: &Edge) -> f32 {
    if !edge.verdict.is_open() {
        return 0.0;
    }
    let spread = if edge.child == NO_NODE { USUAL_SPREAD } else { tree.nodes[edge.child as usize].spread() };
    spread / (edge.visits.max(1) as f32).sqrt()
}

/// Returns whether the player does best to take a proven draw: the most visited of the other actions looks worse.
pub(super) fn prefers_draw(node: &Node, edges: &[Edge]) -> bool {
    let open = edges.iter().filter(|edge| edge.verdict.is_open());
    let favourite = open.max_by_key(|edge| edge.visits).and_then(|edge| edge.q(node.to_move));
    edges.iter().any(|edge| edge.verdict == TreeVerdict::Draw) && favourite.is_none_or(|q| q < 0.0)
}

/// Returns the shares of the visits among the edges that `allowed` names; without visits the network's policy.
pub(super) fn visit_policy(edges: &[Edge], allowed: impl Fn(&Edge) -> bool) -> Vec<f32> {
    let weigh = |weight: fn(&Edge) -> f32| -> Vec<f32> {
        edges.iter().map(|edge| if allowed(edge) { weight(edge) } else { 0.0 }).collect()
    };
    let visits = weigh(|edge| edge.visits as f32);
    let weights = if visits.iter().any(|&weight| weight > 0.0) { visits } else { weigh(|edge| math::exp(edge.logit)) };
    let total: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

#[cfg(test)]
mod tests {
    use gipf_env::{ActionIndex, Player};

    use super::super::evaluator::Evaluation;
    use super::*;

    /// Returns a tree of one node with these priors.
    fn tree(priors: &[f32]) -> Tree {
        let mut tree = Tree::default();
        let logits = priors.iter().map(|&prior| math::ln(prior)).collect();
        tree.add_node(priors.len(), Player::White, &Evaluation { logits, value: 0.0 });
        tree.expand(0, (0..priors.len() as u16).map(ActionIndex), 1.0);
        tree
    }

    fn selected(tree: &Tree, noise: &[f32], config: &Puct) -> usize {
        let visited_prior = tree.visited_prior(0);
        let candidates = Candidates { node: &tree.nodes[0], edges: &tree.edges, noise, visited_prior, under_way: &[] };
        select(candidates, &mut Exploration::default(), config)
    }

    #[test]
    fn what_is_remembered_of_exploration_is_what_it_is() {
        let (mut remembered, config) = (Exploration::default(), Puct { c_base: 50.0, ..Puct::default() });
        for visits in [3, 0, 3, 7, 1023, 1024, 1_000_000, 1023, 5] {
            assert_eq!(remembered.after(visits, &config), exploration(visits, &config), "{visits}");
        }
        assert_eq!(remembered.known.len(), Exploration::MOST);
    }

    #[test]
    fn noise_takes_its_share_of_the_priors() {
        let tree = tree(&[0.5, 0.1, 0.4]);
        let chosen =
            |noise: &[f32], dirichlet_share| selected(&tree, noise, &Puct { dirichlet_share, ..Puct::default() });
        assert_eq!([chosen(&[], 1.0), chosen(&[0.2, 0.15, 0.1], 1.0), chosen(&[0.2, 0.1, 0.7], 1.0)], [0, 0, 2]);
        assert_eq!(chosen(&[0.2, 0.1, 0.7], 0.1), 0);
    }

    /// After a visit worth 0.5 the other action is tried if the weight of exploration is above 1; here it is 0.85, less
    /// if values lie closer together than usual.
    #[test]
    fn exploration_is_weighed_by_the_spread_of_values() {
        let mut tree = tree(&[0.5, 0.5]);
        tree.visit(0, tree.edge_id(0, 0), 0.5);
        let chosen = |c_init, c_spread| {
            let config = Puct { c_init, c_spread, fpu_reduction: 0.0, ..Puct::default() };
            selected(&tree, &[], &config)
        };
        assert_eq!([chosen(0.6, 0.0), chosen(0.6, 1.0)], [0, 0]);
        assert_eq!([chosen(0.8, 0.0), chosen(0.8, 1.0)], [1, 0]);
    }

    /// After a visit worth 0.2 the other action is tried if the reduction, times √½, is below 0.25.
    #[test]
    fn unvisited_actions_look_worse_by_the_reduction() {
        let mut tree = tree(&[0.5, 0.5]);
        tree.visit(0, tree.edge_id(0, 0), 0.2);
        let chosen = |fpu_reduction| selected(&tree, &[], &Puct { c_init: 1.0, fpu_reduction, ..Puct::default() });
        assert_eq!([chosen(0.0), chosen(0.35), chosen(0.37), chosen(0.5)], [1, 1, 0, 0]);
    }

    /// Ten visits worth 0.3 are within 0.13 of the truth, four worth 0.4 within 0.2, and one says nothing.
    #[test]
    fn few_visits_have_a_wide_bound() {
        let mut tree = tree(&[0.3, 0.3, 0.4]);
        for (place, visits, value) in [(0, 10, 0.3), (1, 4, 0.4), (2, 1, 1.0)] {
            for _ in 0..visits {
                tree.visit(0, tree.edge_id(0, place), value);
            }
        }
        let chosen = |lcb| choose_by_bound(&tree, &tree.nodes[0], &tree.edges, lcb, |_| true);
        assert_eq!([chosen(0.0), chosen(1.3), chosen(1.4), chosen(5.0)], [1, 1, 0, 0]);
    }
}

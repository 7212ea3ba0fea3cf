//! What a search has found.

use std::cmp::Reverse;

use gipf_env::{ActionIndex, Position, math};

use super::config::{Method, Puct};
use super::driver::{Search, forced_actions, play};
use super::gumbel::{self, RootView};
use super::puct;
use super::solver::{Proven, TreeVerdict};
use super::tree::{Edge, NO_NODE, Node};

/// What a search has found about its root. All values are for the player to move there, -1 to 1.
///
/// A position with one legal action is not searched: that action has all the policy, and values are 0.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult<A> {
    /// The action to play.
    pub action: A,
    /// The training target: a probability for every legal action, ascending by index, adding up to 1.
    ///
    /// Gumbel: softmax(logit + σ(completed q)). PUCT: the shares of the visits, reused ones included. Either way actions
    /// proven lost have none, and once the result of the position is proven, only those proven to reach it have any: the
    /// winning ones, or the drawing ones, or all if the position is lost. With PUCT the same holds for a draw in hand
    /// when everything else looks worse.
    pub policy: Vec<(ActionIndex, f32)>,
    /// The value of the root: the proven one, if there is one. Else with Gumbel the mean of the completed Q under the
    /// target, because sequential halving gives actions that are not played as many visits as the one that is; with PUCT
    /// the mean over the network's value and all visits. Actions proven lost are left out, since they will not be played.
    pub value: f32,
    /// The network's value of the root.
    pub network_value: f32,
    /// The divergence of `policy` from the network's policy (nats).
    pub surprise: f32,
    /// The number of simulations done: less than the budget if the root was proven on the way.
    pub simulations: u32,
    /// The result that is proven, if any.
    pub proven: Option<Proven>,
    /// The legal actions, ascending by index.
    pub children: Vec<RootChild<A>>,
    /// The action to play and what is expected to follow, forced actions included.
    pub principal_variation: Vec<A>,
}

impl<A> SearchResult<A> {
    /// Returns whether there is only one legal action, so that nothing was searched.
    pub const fn is_forced(&self) -> bool {
        self.children.len() == 1
    }

    /// Returns the result that the player to move can expect: 1 and -1 only if it is proven.
    pub fn expected(&self) -> f32 {
        self.proven.map_or_else(|| unproven(self.value), Proven::value)
    }
}

impl<A: Eq> SearchResult<A> {
    /// Returns the actions, the best first: the one to play, then those visited most, with all that are proven lost behind
    /// the others; equally visited ones by their priors.
    pub fn ranked(&self) -> Vec<&RootChild<A>> {
        let mut children: Vec<_> = self.children.iter().collect();
        let rank = |child: &RootChild<A>| {
            (child.action != self.action, child.proven == Some(Proven::Loss), Reverse(child.all_visits()))
        };
        children.sort_by(|one, other| rank(one).cmp(&rank(other)).then(other.prior.total_cmp(&one.prior)));
        children
    }
}

/// Returns an expected result that is not proven: 1 and -1 are kept for certain results, but a network's value may
/// round to them.
pub(crate) fn unproven(value: f32) -> f32 {
    const MOST: f32 = 1.0 - f32::EPSILON;
    value.clamp(-MOST, MOST)
}

/// What a search has found about one action of its root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootChild<A> {
    /// The action.
    pub action: A,
    /// The visits of this search; they add up to its simulations, unless it thought in several rounds: then they are
    /// the visits of the last round.
    pub visits: u32,
    /// The visits that an earlier search left.
    pub reused: u32,
    /// The value for the player to move at the root; if the action was never visited, `v_mix` of the Gumbel paper
    /// or, with PUCT, the mean over all visits.
    pub q: f32,
    /// The prior that the search used: the network's policy, flattened where there is a `prior_temperature`.
    pub prior: f32,
    /// The proven result for the player to move at the root, if any.
    pub proven: Option<Proven>,
}

impl<A> RootChild<A> {
    /// Returns all visits on which its value is based, those that an earlier search left included.
    pub const fn all_visits(&self) -> u32 {
        self.visits + self.reused
    }

    /// Returns the result that the player to move at the root can expect of the action: 1 and -1 only if it is proven.
    pub fn expected(&self) -> f32 {
        self.proven.map_or_else(|| unproven(self.q), Proven::value)
    }
}

/// Reads the result off a search.
pub(super) fn report<P: Position>(search: &Search<P>) -> SearchResult<P::Action> {
    match search.forced {
        Some((index, action)) => report_forced(index, action),
        None => Report::of(search).into_result(),
    }
}

/// Returns the line that is expected from the root on, beginning with this action, one of its legal ones.
pub(super) fn line_from<P: Position>(search: &Search<P>, action: P::Action) -> Vec<P::Action> {
    if search.forced.is_some() {
        return vec![action];
    }
    let report = Report::of(search);
    let place = report.edges.iter().position(|edge| report.action(edge) == action);
    place.map_or_else(|| vec![action], |place| report.principal_variation(place))
}

fn report_forced<A: Copy>(index: ActionIndex, action: A) -> SearchResult<A> {
    SearchResult {
        action,
        policy: vec![(index, 1.0)],
        value: 0.0,
        network_value: 0.0,
        surprise: 0.0,
        simulations: 0,
        proven: None,
        children: vec![RootChild { action, visits: 0, reused: 0, q: 0.0, prior: 1.0, proven: None }],
        principal_variation: vec![action],
    }
}

/// The root, and what is needed to judge its actions.
struct Report<'a, P: Position> {
    search: &'a Search<P>,
    root: &'a P,
    node: &'a Node,
    edges: &'a [Edge],
    /// Visits say nothing about a drawn action, which gets no more of them. So with PUCT it is taken or left out as a
    /// whole; the policy of Gumbel goes by values.
    takes_draw: Option<bool>,
}

impl<'a, P: Position> Report<'a, P> {
    fn of(search: &'a Search<P>) -> Self {
        let root = search.root.as_ref().expect("a result needs a search that was started");
        let node = search.tree.root_node().expect("a result needs the evaluation of the root");
        let edges = search.tree.edges_of(search.tree.root);
        let is_puct = matches!(search.config.method, Method::Puct(_));
        Self { search, root, node, edges, takes_draw: is_puct.then(|| puct::prefers_draw(node, edges)) }
    }

    fn into_result(self) -> SearchResult<P::Action> {
        let visited: u32 = (0..self.edges.len()).map(|place| self.new_visits(place)).sum();
        assert_eq!(visited, self.search.simulations, "the visits add up to the simulations");
        let chosen = self.choose();
        let shares = self.policy();
        let value = self.value(&shares);
        let surprise = self.surprise(&shares);
        let mut policy: Vec<_> = self.edges.iter().map(|edge| edge.action).zip(shares).collect();
        policy.sort_unstable_by_key(|(index, _)| *index);
        SearchResult {
            action: self.action(&self.edges[chosen]),
            policy,
            value,
            network_value: self.sign() * self.node.value,
            surprise,
            simulations: self.search.simulations,
            proven: self.proven(),
            children: self.children(),
            principal_variation: self.principal_variation(chosen),
        }
    }

    fn sign(&self) -> f32 {
        self.node.to_move.sign()
    }

    fn proven(&self) -> Option<Proven> {
        self.node.verdict.seen_by(self.node.to_move)
    }

    fn action(&self, edge: &Edge) -> P::Action {
        self.root.action_at(edge.action).expect("an edge has the index of a legal action")
    }

    fn new_visits(&self, place: usize) -> u32 {
        self.edges[place].visits - self.search.roots.reused[place]
    }

    /// Returns whether an action is as good as what is proven: the proven best, or at least not lost.
    fn is_allowed(&self, edge: &Edge) -> bool {
        match self.proven() {
            Some(_) => edge.verdict == self.node.verdict,
            None if edge.verdict == TreeVerdict::Draw => self.takes_draw != Some(false),
            None => self.takes_draw != Some(true) && !edge.verdict.is_lost_for(self.node.to_move),
        }
    }

    /// With a proven result, the most visited of the best actions: if all lose, it took longest to refute.
    fn choose(&self) -> usize {
        match self.gumbel_view() {
            Some(view) if self.proven().is_none() => gumbel::choose(view, |place| self.new_visits(place)),
            _ => self.choose_by_visits(),
        }
    }

    fn choose_by_visits(&self) -> usize {
        let allowed = |edge: &Edge| self.is_allowed(edge);
        match &self.search.config.method {
            Method::Puct(Puct { lcb, .. }) if *lcb > 0.0 && self.proven().is_none() => {
                puct::choose_by_bound(&self.search.tree, self.node, self.edges, *lcb, allowed)
            }
            _ => puct::choose(self.node, self.edges, allowed),
        }
    }

    fn policy(&self) -> Vec<f32> {
        match self.gumbel_view() {
            Some(view) => gumbel::improved_policy(view, |edge| self.is_allowed(edge)),
            None => puct::visit_policy(self.edges, |edge| self.is_allowed(edge)),
        }
    }

    fn gumbel_view(&self) -> Option<RootView<'_>> {
        match &self.search.config.method {
            Method::Gumbel(config) => {
                Some(RootView { node: self.node, edges: self.edges, noise: &self.search.roots.noise, config })
            }
            Method::Puct(_) => None,
        }
    }

    /// Returns the proven value, or the expected one, which is no less than that of a draw in hand.
    fn value(&self, policy: &[f32]) -> f32 {
        let expected = match self.gumbel_view() {
            Some(view) => {
                let completed = view.completed_q();
                self.edges.iter().zip(policy).map(|(edge, share)| share * completed.q(edge)).sum()
            }
            None => self.mean_of_visits(),
        };
        let tree = &self.search.tree;
        self.sign() * tree.value_above(tree.root, self.sign() * expected.clamp(-1.0, 1.0))
    }

    fn surprise(&self, policy: &[f32]) -> f32 {
        let likely = self.edges.iter().zip(policy).filter(|&(_, share)| *share > 0.0);
        likely.map(|(edge, share)| share * (math::ln(*share) - edge.logit)).sum::<f32>().max(0.0)
    }

    fn mean_of_visits(&self) -> f32 {
        let (mut sum, mut visits) = (self.sign() * self.node.value, 1);
        for edge in self.edges.iter().filter(|edge| self.is_allowed(edge)) {
            sum += edge.q(self.node.to_move).unwrap_or(0.0) * edge.visits as f32;
            visits += edge.visits;
        }
        sum / visits as f32
    }

    fn children(&self) -> Vec<RootChild<P::Action>> {
        let unvisited_q = match self.gumbel_view() {
            Some(view) => view.completed_q().mixed,
            None => self.mean_of_visits(),
        };
        let mut places: Vec<_> = (0..self.edges.len()).collect();
        places.sort_unstable_by_key(|&place| self.edges[place].action);
        let child = |place: usize| {
            let edge = &self.edges[place];
            RootChild {
                action: self.action(edge),
                visits: self.new_visits(place),
                reused: self.search.roots.reused[place],
                q: edge.q(self.node.to_move).unwrap_or(unvisited_q),
                prior: edge.prior,
                proven: edge.verdict.seen_by(self.node.to_move),
            }
        };
        places.into_iter().map(child).collect()
    }

    fn principal_variation(&self, chosen: usize) -> Vec<P::Action> {
        let mut position = self.root.clone();
        let mut line = Vec::new();
        let mut next = Some(self.edges[chosen]);
        while let Some(edge) = next {
            line.push(position.action_at(edge.action).expect("an edge has the index of a legal action"));
            play(&mut position, edge.action);
            line.extend(forced_actions(&mut position));
            next = (edge.child != NO_NODE).then(|| self.expected_reply(edge.child as usize)).flatten();
        }
        line
    }

    /// Returns the best proven action of a node, or else the most visited.
    fn expected_reply(&self, node: usize) -> Option<Edge> {
        let tree = &self.search.tree;
        let Node { verdict, to_move, .. } = tree.nodes[node];
        let visited = tree.edges_of(node).iter().filter(|edge| edge.visits > 0);
        let fitting = |edge: &&Edge| match verdict.seen_by(to_move) {
            Some(_) => edge.verdict == verdict,
            None => !edge.verdict.is_lost_for(to_move),
        };
        visited.filter(fitting).copied().max_by_key(|edge| edge.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_ranked_by_visits_behind_the_one_to_play_and_before_what_is_lost() {
        let child = |action, visits, prior, proven| RootChild { action, visits, reused: 1, q: 0.0, prior, proven };
        let children = vec![
            child('a', 9, 0.1, Some(Proven::Loss)),
            child('b', 5, 0.1, None),
            child('c', 3, 0.4, Some(Proven::Draw)),
            child('d', 5, 0.3, None),
            child('e', 2, 0.1, Some(Proven::Win)),
        ];
        let result = SearchResult { children, ..report_forced(ActionIndex(0), 'e') };
        let order: String = result.ranked().iter().map(|child| child.action).collect();
        assert_eq!((order.as_str(), result.ranked()[1].all_visits()), ("edbca", 6));
    }
}

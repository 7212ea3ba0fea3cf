//! What earlier searches have found about a position.

use std::collections::BinaryHeap;

use gipf_env::Position;

use super::driver::{Search, only_action, play, play_forced};
use super::tree::NO_NODE;

/// The most positions that are played to find one in the tree: this takes some milliseconds, without a look at the
/// clock.
const TRIES: usize = 1 << 14;

/// The most nodes of a tree whose root is moved without a copy: what is no longer needed must not fill the memory.
const LARGEST: usize = 1 << 21;

impl<P: Position> Search<P> {
    /// Limits the visits of a position below the root whose part of the tree is copied when it becomes the root, which
    /// takes one or two microseconds each. The tree of one with more is kept as it is, unless it is very large: then the
    /// search begins anew. Without a limit all is copied, and what is found does not depend on how large the tree was.
    pub(crate) const fn copy_at_most(&mut self, visits: u32) {
        self.most_copied = visits;
    }

    /// Goes to a position, and returns the number of visits that a search of it begins with: those kept from earlier
    /// searches. 0 if there is only one action, which is not searched.
    pub fn visits_at(&mut self, position: &P) -> u32 {
        if only_action(position).is_some() {
            return 0;
        }
        self.abandon_leaf();
        self.go_to(position);
        self.tree.root_node().map_or(0, |root| root.visits)
    }

    /// Returns whether this is the position that was searched last, so that another search of it would continue that one.
    pub fn is_at(&self, position: &P) -> bool {
        self.root.as_ref() == Some(position)
    }

    /// Makes a position the root, with what the tree holds about it.
    pub(super) fn go_to(&mut self, position: &P) {
        match self.find(position) {
            Some(node) if node == self.tree.root => {}
            Some(node) => self.go_below(node, position),
            None => self.plant(position),
        }
        match &mut self.root {
            Some(root) => root.clone_from(position),
            None => self.root = Some(position.clone()),
        }
    }

    /// Makes a node below the root, at which this position is, the root.
    fn go_below(&mut self, node: usize, position: &P) {
        self.expand(node, position);
        if self.tree.nodes[node].visits <= self.most_copied {
            self.spare.copy_subtree(&self.tree, node);
            std::mem::swap(&mut self.spare, &mut self.tree);
        } else if self.tree.nodes.len() <= LARGEST {
            self.tree.root = node;
        } else {
            self.plant(position);
        }
    }

    /// Returns the node of a position at or below the root, if there is one; the most visited, if actions transpose.
    ///
    /// Nodes are tried in the order of their visits, which grow fewer on the way down. So the search for it can be given
    /// up early in a large tree: a position behind so many others has hardly been searched.
    fn find(&self, position: &P) -> Option<usize> {
        let (root, node) = self.root.as_ref().zip(self.tree.root_node())?;
        let (mut positions, mut tries) = (vec![root.clone()], TRIES);
        let mut waiting = BinaryHeap::from([(node.visits, self.tree.root, 0)]);
        while let Some((_, node, place)) = waiting.pop() {
            if positions[place] == *position {
                return Some(node);
            }
            for edge in self.tree.edges_of(node).iter().filter(|edge| edge.child != NO_NODE) {
                tries = tries.checked_sub(1)?;
                let mut next = positions[place].clone();
                play(&mut next, edge.action);
                if edge.forced {
                    play_forced(&mut next);
                }
                if next.turn() <= position.turn() {
                    let child = edge.child as usize;
                    waiting.push((self.tree.nodes[child].visits, child, positions.len()));
                    positions.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use gipf_env::toy::{Column, ConnectFour};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::search::{Budget, SearchConfig, SearchResult, UniformEvaluator, search_all};

    fn searched(search: &mut Search<ConnectFour>, position: &ConnectFour) -> SearchResult<Column> {
        search.start(position, Budget::quiet(300), &mut ChaCha8Rng::seed_from_u64(0));
        search_all(std::slice::from_mut(search), &mut UniformEvaluator);
        search.result()
    }

    #[test]
    fn a_root_that_is_moved_without_a_copy_finds_the_same() {
        for config in [SearchConfig::puct(), SearchConfig::gumbel()] {
            let start = ConnectFour::default();
            let mut copying = Search::new(config);
            let line = searched(&mut copying, &start).principal_variation;
            let mut moving = copying.clone();
            moving.copy_at_most(10);
            let mut position = start;
            for action in &line[..2] {
                position.play(*action).unwrap();
                assert!(copying.visits_at(&position) > 10);
                assert_eq!(searched(&mut moving, &position), searched(&mut copying, &position));
                assert!(moving.tree.root > 0 && moving.tree.nodes.len() > copying.tree.nodes.len());
            }
            let all = moving.tree.nodes.len();
            moving.copy_at_most(u32::MAX);
            position.play(copying.result().action).unwrap();
            assert_eq!(searched(&mut moving, &position), searched(&mut copying, &position));
            assert!(moving.tree.root == 0 && moving.tree.nodes.len() < all, "the rest is dropped");
        }
    }

    #[test]
    fn a_tree_too_large_to_copy_or_to_keep_is_dropped() {
        let (start, mut search) = (ConnectFour::default(), Search::new(SearchConfig::puct()));
        let action = searched(&mut search, &start).action;
        let filler = search.tree.nodes[0];
        search.tree.nodes.resize(LARGEST + 1, filler);
        search.copy_at_most(10);
        assert_eq!(search.visits_at(&start.after(action)), 0);
        assert_eq!(searched(&mut search, &start.after(action)).simulations, 300);
    }
}

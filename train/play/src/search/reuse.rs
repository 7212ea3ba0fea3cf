//! What earlier searches have found about a position.

use std::collections::BinaryHeap;

use gipf_env::Position;

use super::driver::{Search, play, play_forced};
use super::tree::{NO_NODE, ROOT};

/// The most positions that are played to find one in the tree: this takes some milliseconds, without a look at the
/// clock.
const TRIES: usize = 1 << 14;

impl<P: Position> Search<P> {
    /// Returns the node of a position at or below the root, if there is one; the most visited, if actions transpose.
    ///
    /// Nodes are tried in the order of their visits, which grow fewer on the way down. So the search for it can be given
    /// up early in a large tree: a position behind so many others has hardly been searched.
    pub(super) fn find(&self, position: &P) -> Option<usize> {
        let root = self.root.as_ref().filter(|_| !self.tree.nodes.is_empty())?;
        let (mut positions, mut tries) = (vec![root.clone()], TRIES);
        let mut waiting = BinaryHeap::from([(self.tree.nodes[ROOT].visits, ROOT, 0)]);
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

//! The values of all positions of a game.

use std::marker::PhantomData;

use gipf_env::Position;

use super::graph::{Ends, Graph, Links};
use super::key_index::KeyIndex;
use super::value::{LONGEST, Value};
use crate::Stop;

/// The value of every reachable position, by retrograde analysis (Ströhlein 1970; Thompson 1986).
///
/// Positions are identified by a key that leaves out their history, so that play which never ends is a draw.
#[derive(Clone, Debug)]
pub struct Table<P> {
    key: fn(&P) -> u64,
    index: KeyIndex,
    /// The value of each position, packed in two bytes.
    values: Vec<u16>,
    edges: usize,
    peak_bytes: usize,
    game: PhantomData<P>,
}

/// Statistics of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The positions, images of each other counted once.
    pub positions: usize,
    /// The pairs of a position and one that it leads to.
    pub edges: usize,
    /// The positions that the player to move wins, by the decisions until the end, from 0 on.
    pub wins: Vec<usize>,
    /// The positions that the player to move loses, in the same way.
    pub losses: Vec<usize>,
    /// The positions that nobody can win.
    pub draws: usize,
    /// The memory of keys and values, in bytes.
    pub table_bytes: usize,
    /// The most that the table and the links of the positions took together, in bytes.
    pub peak_bytes: usize,
}

impl<P: Position> Table<P> {
    /// Solves a game; none if a stop was requested.
    ///
    /// Positions with equal keys must have the same value for the player to move: the table ignores what the key leaves
    /// out, such as a history or a far limit.
    pub fn solve(start: &P, key: fn(&P) -> u64, stop: &Stop) -> Option<Self> {
        let graph = Graph::reachable(start, key, stop)?;
        let backward = graph.forward.reversed();
        let edges = graph.forward.len();
        let mut peak_bytes = graph.index.bytes() + graph.forward.bytes() + backward.bytes();
        let Graph { index, forward, ends } = graph;
        let open = (0..index.len()).map(|number| forward.of(number).len() as u16).collect();
        drop(forward);
        let mut analysis = Analysis { values: vec![Value::Draw.packed(); index.len()], open, ends, backward };
        peak_bytes += (2 * size_of::<u16>() + size_of::<Ends>()) * index.len();
        analysis.run();
        Some(Self { key, index, values: analysis.values, edges, peak_bytes, game: PhantomData })
    }

    /// Returns the value for the player to move, 0 decisions from the end of a finished game; none for a position that
    /// cannot be reached from the start.
    pub fn value(&self, position: &P) -> Option<Value> {
        if let Some(outcome) = position.outcome() {
            return Some(Value::of_end(outcome, position.to_move()));
        }
        self.index.get((self.key)(position)).map(|number| Value::unpacked(self.values[number as usize]))
    }

    /// Returns the value of an action for the player who takes it, counted from the position before it.
    pub fn action_value(&self, position: &P, action: P::Action) -> Option<Value> {
        let next = position.after(action);
        let value = match next.outcome() {
            Some(outcome) => Value::of_end(outcome, position.to_move()),
            None => self.value(&next)?.seen_by(next.to_move() == position.to_move()),
        };
        Some(value.one_earlier())
    }

    /// Returns the actions of best play: the fastest wins, all draws, or the slowest losses.
    pub fn best_actions(&self, position: &P) -> Vec<P::Action> {
        let best = self.value(position);
        position.legal_actions().filter(|&action| self.action_value(position, action) == best).collect()
    }

    /// Iterates over the keys of all positions and their values, in the order in which they were found.
    pub fn entries(&self) -> impl Iterator<Item = (u64, Value)> {
        self.index.keys().zip(self.values.iter().map(|&value| Value::unpacked(value)))
    }

    /// Returns the statistics of the table.
    pub fn counts(&self) -> Counts {
        let (mut wins, mut losses, mut draws) = (Vec::new(), Vec::new(), 0);
        let add = |histogram: &mut Vec<usize>, distance: u16| {
            let distance = usize::from(distance);
            histogram.resize(histogram.len().max(distance + 1), 0);
            histogram[distance] += 1;
        };
        for &value in &self.values {
            match Value::unpacked(value) {
                Value::Win(distance) => add(&mut wins, distance),
                Value::Loss(distance) => add(&mut losses, distance),
                Value::Draw => draws += 1,
            }
        }
        let table_bytes = self.index.bytes() + size_of::<u16>() * self.values.capacity();
        let (positions, edges, peak_bytes) = (self.values.len(), self.edges, self.peak_bytes);
        Counts { positions, edges, wins, losses, draws, table_bytes, peak_bytes }
    }
}

/// The backward pass from the ends of the game. Positions without a value yet count as draws, and are draws if they
/// stay so.
struct Analysis {
    values: Vec<u16>,
    /// For each position the number of successors that are not known to be lost for the player to move.
    open: Vec<u16>,
    ends: Vec<Ends>,
    backward: Links,
}

impl Analysis {
    /// Goes back decision by decision: a position found in one round is as far from the end as the round's number.
    fn run(&mut self) {
        let mut found = self.first_round();
        let mut distance = 1;
        while !found.is_empty() {
            assert!(distance < LONGEST, "distances have room in two bytes");
            distance += 1;
            found = self.round(&found, distance);
        }
    }

    fn first_round(&mut self) -> Vec<u32> {
        let decided = (0..self.values.len() as u32).filter(|&number| {
            let wins = self.ends[number as usize].wins;
            wins || self.is_lost(number as usize)
        });
        let found: Vec<_> = decided.collect();
        for &number in &found {
            let wins = self.ends[number as usize].wins;
            self.values[number as usize] = if wins { Value::Win(1) } else { Value::Loss(1) }.packed();
        }
        found
    }

    fn round(&mut self, known: &[u32], distance: u16) -> Vec<u32> {
        let mut found = Vec::new();
        for &number in known {
            let value = Value::unpacked(self.values[number as usize]);
            for link in self.backward.of(number as usize) {
                let before = link.number();
                if self.values[before] != Value::Draw.packed() {
                    continue;
                }
                let wins = matches!(value.seen_by(link.same_player()), Value::Win(_));
                self.open[before] -= u16::from(!wins);
                if wins || self.is_lost(before) {
                    self.values[before] = if wins { Value::Win(distance) } else { Value::Loss(distance) }.packed();
                    found.push(before as u32);
                }
            }
        }
        found
    }

    /// Returns whether every action loses; an action that ends in a draw never will.
    fn is_lost(&self, number: usize) -> bool {
        self.open[number] == 0 && !self.ends[number].draws
    }
}

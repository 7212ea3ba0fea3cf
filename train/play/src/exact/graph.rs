//! Which positions lead to which.

use std::collections::VecDeque;

use gipf_env::{Outcome, Position};

use super::key_index::KeyIndex;
use crate::Stop;

/// The number of a position, and whether the same player decides there as before, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link(u32);

impl Link {
    pub fn new(number: u32, same_player: bool) -> Self {
        Self(number << 1 | u32::from(same_player))
    }

    pub const fn number(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub const fn same_player(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The ends of the game that actions lead to, for the player who takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub wins: bool,
    pub draws: bool,
    pub losses: bool,
}

/// Lists of links, one for each position, one after the other.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Where the list of each position begins, and where the last ends.
    starts: Vec<u64>,
    links: Vec<Link>,
}

impl Links {
    pub fn of(&self, number: usize) -> &[Link] {
        &self.links[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    pub fn len(&self) -> usize {
        self.links.len()
    }

    pub fn bytes(&self) -> usize {
        size_of::<u64>() * self.starts.capacity() + size_of::<Link>() * self.links.capacity()
    }

    /// Returns the links reversed; this takes the memory of as many links again.
    pub fn reversed(&self) -> Self {
        let count = self.starts.len() - 1;
        let mut starts = vec![0; count + 1];
        for link in &self.links {
            starts[link.number() + 1] += 1;
        }
        for number in 0..count {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut links = vec![Link(0); self.links.len()];
        for number in 0..count {
            for link in self.of(number) {
                let place = &mut next[link.number()];
                links[*place as usize] = Link::new(number as u32, link.same_player());
                *place += 1;
            }
        }
        Self { starts, links }
    }
}

/// All reachable positions, and the links between them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub index: KeyIndex,
    /// The positions that each one leads to; equal links are kept once.
    pub forward: Links,
    pub ends: Vec<Ends>,
}

impl Graph {
    /// Finds all reachable positions; none if a stop was requested.
    pub fn reachable<P: Position>(start: &P, key: fn(&P) -> u64, stop: &Stop) -> Option<Self> {
        let mut graph = Self { forward: Links { starts: vec![0], links: Vec::new() }, ..Self::default() };
        let mut open = VecDeque::new();
        graph.index.insert(key(start));
        open.push_back(start.clone());
        let mut links = Vec::new();
        while let Some(position) = open.pop_front() {
            if graph.ends.len().is_multiple_of(1024) && stop.requested() {
                return None;
            }
            let mut ends = Ends::default();
            for action in position.legal_actions() {
                let next = position.after(action);
                if let Some(outcome) = next.outcome() {
                    ends.note(outcome, &position);
                    continue;
                }
                let (number, new) = graph.index.insert(key(&next));
                links.push(Link::new(number, next.to_move() == position.to_move()));
                if new {
                    open.push_back(next);
                }
            }
            graph.add(ends, &mut links);
        }
        Some(graph)
    }

    fn add(&mut self, ends: Ends, links: &mut Vec<Link>) {
        links.sort_unstable();
        links.dedup();
        self.forward.links.append(links);
        self.forward.starts.push(self.forward.links.len() as u64);
        self.ends.push(ends);
    }
}

impl Ends {
    fn note<P: Position>(&mut self, outcome: Outcome, position: &P) {
        match outcome.winner {
            Some(winner) if winner == position.to_move() => self.wins = true,
            Some(_) => self.losses = true,
            None => self.draws = true,
        }
    }
}

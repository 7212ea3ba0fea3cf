//! Principal-variation search over the turns of both players, deeper and deeper.
//!
//! Depth counts turns: a turn's removals are searched with its placement, however many decisions they take and whoever
//! makes them. A score is for the player to move in its position; it changes sign where he changes, and only there.

use std::time::Instant;

use gipf_env::{Action, ActionIndex, GipfPosition, Outcome, Phase, Position};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::captures::capturing_pushes;
use super::evaluation::{PROVEN, Score, WIN, Weights};
use super::limits::{Limits, MAX_DEPTH};
use super::ordering::{Ordering, action};
use super::table::{Bound, Entry, Table};
use crate::Stop;

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The action to play.
    pub action: Action,
    /// Its score for the player to move.
    pub score: Score,
    /// The number of positions looked at.
    pub nodes: u64,
    /// The number of turns looked ahead in full.
    pub depth: u32,
}

/// The search of one game: what it remembers from move to move.
#[derive(Clone, Debug)]
pub struct Search {
    weights: Weights,
    /// The turns after the horizon in which captures are still looked at.
    captures: usize,
    table: Option<Table>,
    ordering: Ordering,
    rng: ChaCha8Rng,
    /// The number of the first turn that is not searched.
    horizon: usize,
    nodes: u64,
    deadline: Deadline,
    /// Ends the search from outside.
    stop: Stop,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    nodes: u64,
    time: Option<Instant>,
    /// The number of positions at which to look at the clock and at the wish to stop.
    look: u64,
    passed: bool,
}

impl Deadline {
    const NONE: Self = Self { nodes: u64::MAX, time: None, look: u64::MAX, passed: false };
    /// Positions between two looks at the clock.
    const PAUSE: u64 = 1024;

    fn new(limits: &Limits, start: Instant) -> Self {
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        Self { nodes, time: limits.time.map(|time| start + time), look: 0, ..Self::NONE }
    }

    #[inline]
    fn passed_at(&mut self, nodes: u64, stop: &Stop) -> bool {
        self.passed |= nodes >= self.nodes;
        if nodes >= self.look {
            self.look = nodes + Self::PAUSE;
            self.passed |= stop.requested() || self.time.is_some_and(|time| Instant::now() >= time);
        }
        self.passed
    }
}

impl Search {
    /// Creates a search that remembers 2^`bits` positions, or none for 0.
    pub fn new(weights: Weights, captures: u32, bits: u32) -> Self {
        Self {
            weights,
            captures: captures as usize,
            table: (bits > 0).then(|| Table::new(bits)),
            ordering: Ordering::new(),
            rng: ChaCha8Rng::seed_from_u64(0),
            horizon: 0,
            nodes: 0,
            deadline: Deadline::NONE,
            stop: Stop::default(),
        }
    }

    /// Forgets the game before.
    pub fn new_game(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// Searches a position until a limit is reached, the result is proven, or somebody asks it to stop; tells after each
    /// depth what it found. Of actions that are equally good one is drawn by lot.
    ///
    /// # Panics
    /// If the game is over.
    pub fn run(
        &mut self,
        position: &GipfPosition,
        limits: &Limits,
        stop: &Stop,
        tell: &mut dyn FnMut(&Found),
    ) -> Found {
        self.stop = stop.clone();
        let start = Instant::now();
        let mut actions: Vec<_> = position.legal_actions().collect();
        actions.shuffle(&mut self.rng);
        self.ordering.clear();
        self.nodes = 0;
        self.deadline = Deadline::NONE;
        let mut found = Found { action: actions[0], score: 0, nodes: 0, depth: 0 };
        for depth in 1..=limits.depth.min(MAX_DEPTH) {
            self.horizon = position.turn() + depth as usize;
            let score = self.best_of(position, &mut actions);
            found.action = actions[0];
            if self.deadline.passed {
                break;
            }
            (found.score, found.depth, found.nodes) = (score, depth, self.nodes);
            tell(&found);
            if score.abs() > PROVEN {
                break;
            }
            // The search of one turn is always finished, so that there is something to play.
            self.deadline = Deadline::new(limits, start);
        }
        Found { nodes: self.nodes, ..found }
    }

    /// Returns what the table holds to be best play from a position, after this action: as far as it knows, and at most
    /// the turns that were searched.
    pub fn line(&self, position: &GipfPosition, first: Action) -> Vec<Action> {
        let (mut next, mut line, mut known) = (position.clone(), Vec::new(), Some(first));
        while let Some(action) = known.filter(|action| next.action_set().contains(*action)) {
            next.play_unchecked(action);
            line.push(action);
            let entry = self.table.as_ref().and_then(|table| table.get(key(&next)));
            known = entry.map(|entry| self::action(entry.action)).filter(|_| next.turn() < self.horizon);
        }
        line
    }

    /// Searches all actions, moves the best to the front, and returns its score. If time runs out, it is the best of
    /// those searched, the best of the search before among them; with none searched the order stays.
    fn best_of(&mut self, position: &GipfPosition, actions: &mut [Action]) -> Score {
        let mut alpha = -WIN;
        let mut best = 0;
        for (number, &action) in actions.iter().enumerate() {
            let score = self.score_of(position, action, number == 0, [alpha, WIN]);
            if self.deadline.passed {
                break;
            }
            if score > alpha {
                (alpha, best) = (score, number);
            }
        }
        actions[..=best].rotate_right(1);
        alpha
    }

    /// Returns the score of an action for the player to move in `position`.
    ///
    /// The first action is searched in full; of the others it is first asked whether they are better at all.
    #[inline]
    fn score_of(&mut self, position: &GipfPosition, action: Action, first: bool, window: [Score; 2]) -> Score {
        let [alpha, beta] = window;
        let next = after(position, action);
        let same = next.to_move() == position.to_move();
        if !first {
            let score = self.score_for(same, &next, [alpha, alpha + 1]);
            if score <= alpha || score >= beta {
                return score;
            }
        }
        self.score_for(same, &next, window)
    }

    /// Returns the score of a position for the player to move in it, or for the other one.
    #[inline]
    fn score_for(&mut self, same: bool, position: &GipfPosition, [alpha, beta]: [Score; 2]) -> Score {
        if same { self.score(position, [alpha, beta]) } else { -self.score(position, [-beta, -alpha]) }
    }

    /// Returns the score of a position: true within the window, else a bound that lies on the same side of it.
    fn score(&mut self, position: &GipfPosition, window: [Score; 2]) -> Score {
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return final_score(position, outcome);
        }
        let settled = position.phase() == Phase::Push;
        if settled && position.turn() >= self.horizon {
            return self.score_of_captures(position, window);
        }
        if self.deadline.passed_at(self.nodes, &self.stop) {
            return window[0];
        }
        let key = key(position);
        let turns = self.horizon + self.captures - position.turn();
        let known = self.table.as_ref().and_then(|table| table.get(key)).map(|entry| at_turn(entry, position.turn()));
        if let Some(score) = known.and_then(|entry| entry.cutoff(turns, window[0], window[1])) {
            return score;
        }
        let (score, best) = self.best_in(position, turns, window, known.map(|entry| entry.action));
        if let Some(table) = self.table.as_mut().filter(|_| !self.deadline.passed) {
            let bound = match score {
                score if score >= window[1] => Bound::AtLeast,
                score if score > window[0] => Bound::Exact,
                _ => Bound::AtMost,
            };
            table.put(key, from_turn(Entry { score, bound, turns: turns as u8, action: best }, position.turn()));
        }
        score
    }

    /// Searches the actions until one is too good, and returns the best score and its action.
    fn best_in(
        &mut self,
        position: &GipfPosition,
        turns: usize,
        [mut alpha, beta]: [Score; 2],
        known: Option<ActionIndex>,
    ) -> (Score, ActionIndex) {
        let list = self.ordering.list(position, turns, known);
        let first = list.start;
        let mut best = (-WIN, ActionIndex(0));
        for number in list {
            let index = self.ordering.get(first, number);
            let score = self.score_of(position, action(index), number == first, [alpha, beta]);
            if score > best.0 {
                best = (score, index);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                self.ordering.note(position, turns, index);
                break;
            }
        }
        self.ordering.drop_list(first);
        best
    }

    /// Returns the score at the horizon: the evaluation, or what a capture brings, if that is more.
    fn score_of_captures(&mut self, position: &GipfPosition, [mut alpha, beta]: [Score; 2]) -> Score {
        let mut best = self.weights.evaluate(position);
        if best >= beta || position.turn() >= self.horizon + self.captures {
            return best;
        }
        for push in capturing_pushes(position) {
            alpha = alpha.max(best);
            best = best.max(self.score_of(position, push, true, [alpha, beta]));
            if best >= beta {
                break;
            }
        }
        best
    }
}

fn final_score(position: &GipfPosition, outcome: Outcome) -> Score {
    let win = WIN - position.turn() as Score;
    match outcome.winner {
        Some(winner) if winner == position.to_move() => win,
        Some(_) => -win,
        None => 0,
    }
}

/// Returns the key of the position, with what else decides its score: recurrence, and the limit if it is near.
#[inline]
fn key(position: &GipfPosition) -> u64 {
    let left = position.limit().map_or(u16::MAX, |limit| limit - position.placements());
    let left = if u32::from(left) <= MAX_DEPTH { u64::from(left) + 1 } else { 0 };
    let again = u64::from(position.occurrences() > 1);
    position.key() ^ (2 * left + again).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Makes the distance to a proven result count from the position, since the table is asked at other turns too.
#[inline]
fn from_turn(entry: Entry, turn: usize) -> Entry {
    Entry { score: shifted(entry.score, turn as Score), ..entry }
}

/// Makes the distance to a proven result count from the start of the game.
#[inline]
fn at_turn(entry: Entry, turn: usize) -> Entry {
    Entry { score: shifted(entry.score, -(turn as Score)), ..entry }
}

#[inline]
fn shifted(score: Score, turns: Score) -> Score {
    if score.abs() > PROVEN { score + score.signum() * turns } else { score }
}

#[inline]
fn after(position: &GipfPosition, action: Action) -> GipfPosition {
    let mut next = position.clone();
    next.play_unchecked(action);
    next
}

//! Principal-variation search over the turns of both players, deeper and deeper.
//!
//! Depth counts turns: a turn's removals are searched with its placement, however many decisions they take and whoever
//! makes them. A score is for the player to move in its position; it changes sign where the player changes, and only
//! there.

mod node;

use std::time::Duration;

use gipf_env::{Action, GipfPosition, Outcome, Phase, Position};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::evaluation::{Evaluation, PROVEN, Score, WIN};
use super::limits::{Limits, MAX_DEPTH};
use super::ordering::{Ordering, action};
use super::selectivity::{Reductions, Selectivity};
use super::table::{Entry, Table};
use crate::Stop;
use crate::players::STACK_BYTES;
use crate::players::deadline::Deadline;
use node::ChildSearch;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The action to play.
    pub action: Action,
    /// Its score for the player to move.
    pub score: Score,
    /// The number of positions visited.
    pub nodes: u64,
    /// The number of turns looked ahead in full.
    pub depth: u32,
}

impl Found {
    /// Returns the better of two threads' results: a proven one, else that of the thread that has looked further ahead.
    /// The positions of both are added.
    fn with(self, other: Self) -> Self {
        let nodes = self.nodes + other.nodes;
        let worth = |found: &Self| (found.score.abs() > PROVEN, found.depth);
        let better = if worth(&other) > worth(&self) { other } else { self };
        Self { nodes, ..better }
    }
}

/// Ends the helpers of a search when it ends, even by a panic: they have no limits of their own.
struct EndsHelpers<'a>(&'a Stop);

impl Drop for EndsHelpers<'_> {
    fn drop(&mut self) {
        self.0.request();
    }
}

/// An action at the root.
#[derive(Clone, Copy)]
struct Candidate {
    action: Action,
    /// The positions visited for it in the latest search.
    work: u64,
}

/// The search of one game, with its state from move to move.
#[derive(Debug)]
pub struct Search {
    evaluation: Evaluation,
    selectivity: Selectivity,
    reductions: Reductions,
    /// The turns after the horizon in which captures are still searched.
    captures: usize,
    table: Option<Table>,
    ordering: Ordering,
    rng: ChaCha8Rng,
    /// The number of the first turn that is not searched.
    horizon: usize,
    nodes: u64,
    brake: Brake,
    /// Ends the search from outside.
    stop: Stop,
    /// The actions of the root that are left out.
    barred: Vec<Action>,
    /// The searches of the other threads: they share the table, and through it what they find.
    helpers: Vec<Search>,
}

/// When to stop.
#[derive(Debug)]
struct Brake {
    nodes: u64,
    clock: Deadline,
    /// The number of positions at which to check the clock and the stop flag.
    look: u64,
    passed: bool,
}

impl Brake {
    /// Positions between two readings of the clock.
    const PAUSE: u64 = 1024;

    fn new() -> Self {
        Self { nodes: u64::MAX, clock: Deadline::default(), look: u64::MAX, passed: false }
    }

    /// Nothing stops the search yet; the time of the decision begins.
    fn release(&mut self, time: Option<Duration>) {
        self.clock.begin(time);
        (self.nodes, self.look, self.passed) = (u64::MAX, u64::MAX, false);
    }

    /// From now on the limits hold.
    fn arm(&mut self, limits: &Limits) {
        (self.nodes, self.look) = (limits.nodes.unwrap_or(u64::MAX), 0);
    }

    #[inline]
    fn passed_at(&mut self, nodes: u64, stop: &Stop) -> bool {
        self.passed |= nodes >= self.nodes;
        if nodes >= self.look {
            self.look = nodes + Self::PAUSE;
            self.passed |= stop.requested() || self.clock.is_over();
        }
        self.passed
    }
}

impl Search {
    /// Creates a search with a table of 2^`bits` positions, or none for 0.
    pub fn new(evaluation: Evaluation, selectivity: Selectivity, captures: u32, bits: u32) -> Self {
        Self {
            evaluation,
            reductions: Reductions::new(&selectivity),
            selectivity,
            captures: captures as usize,
            table: (bits > 0).then(|| Table::new(bits)),
            ordering: Ordering::new(),
            rng: ChaCha8Rng::seed_from_u64(0),
            horizon: 0,
            nodes: 0,
            brake: Brake::new(),
            stop: Stop::default(),
            barred: Vec::new(),
            helpers: Vec::new(),
        }
    }

    /// Returns the search on this number of threads. Without a table they could not help each other, so it stays at
    /// one.
    ///
    /// What is found on several threads depends on their timing.
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.helpers = (1..threads).filter_map(|_| self.helper()).collect();
        self
    }

    /// Returns a search that shares the table of this one.
    fn helper(&self) -> Option<Self> {
        let table = Some(self.table.as_ref()?.shared());
        let captures = self.captures as u32;
        Some(Self { table, ..Self::new(self.evaluation.clone(), self.selectivity, captures, 0) })
    }

    /// Returns the binary logarithm of the positions that the table holds; none without a table.
    pub fn table_bits(&self) -> Option<u32> {
        self.table.as_ref().map(Table::bits)
    }

    /// Gives the search an empty table of 2^`bits` positions in place of one of another size.
    pub fn resize_table(&mut self, bits: u32) {
        let Some(table) = self.table.as_mut().filter(|table| table.bits() != bits) else { return };
        *table = Table::new(bits);
        for helper in &mut self.helpers {
            helper.table = Some(table.shared());
        }
    }

    /// Drops the state of the game before.
    pub fn new_game(&mut self, seed: u64) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
        let searches = std::iter::once((&mut self.rng, &mut self.ordering));
        let helpers = self.helpers.iter_mut().map(|helper| (&mut helper.rng, &mut helper.ordering));
        for (number, (rng, ordering)) in searches.chain(helpers).enumerate() {
            *rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(number as u64));
            ordering.clear();
        }
    }

    /// Searches a position until a limit is reached, the result is proven, or a stop is requested; reports the result
    /// after each depth. Ties between equally good actions are broken at random.
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
        if self.helpers.is_empty() {
            self.deepen(position, 1, limits, tell)
        } else {
            self.together(position, limits, tell)
        }
    }

    /// Searches a position as [`run`](Self::run) does, without some of its actions.
    ///
    /// # Panics
    /// If no other action is legal.
    pub fn run_without(&mut self, barred: &[Action], position: &GipfPosition, limits: &Limits, stop: &Stop) -> Found {
        self.bar(barred);
        let found = self.run(position, limits, stop, &mut |_| ());
        self.bar(&[]);
        found
    }

    fn bar(&mut self, actions: &[Action]) {
        let helpers = self.helpers.iter_mut().map(|helper| &mut helper.barred);
        helpers.chain([&mut self.barred]).for_each(|barred| actions.clone_into(barred));
    }

    /// Searches on all threads, each for itself, until this one is done ("lazy SMP"): the table spares each thread the
    /// work of the others. Half of them begin one turn deeper, so that not all are at the same place.
    fn together(&mut self, position: &GipfPosition, limits: &Limits, tell: &mut dyn FnMut(&Found)) -> Found {
        let (done, mut helpers) = (Stop::default(), std::mem::take(&mut self.helpers));
        let each = limits.nodes.map(|nodes| nodes.div_ceil(1 + helpers.len() as u64));
        let own = Limits { nodes: each, ..*limits };
        let found = std::thread::scope(|scope| {
            let running: Vec<_> = (1..)
                .zip(&mut helpers)
                .filter_map(|(number, helper)| {
                    helper.stop = done.clone();
                    let limits = Limits { time: None, ..own };
                    let work = move || helper.deepen(position, 1 + number % 2, &limits, &mut |_| ());
                    // A system that cannot start threads searches on one.
                    std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()
                })
                .collect();
            let ended = EndsHelpers(&done);
            let found = self.deepen(position, 1, &own, tell);
            drop(ended);
            let others = running.into_iter().map(|helper| helper.join().expect("a helper ends as the search does"));
            others.fold(found, Found::with)
        });
        self.helpers = helpers;
        found
    }

    /// Searches deeper and deeper on this thread, from a first depth on.
    fn deepen(&mut self, position: &GipfPosition, first: u32, limits: &Limits, tell: &mut dyn FnMut(&Found)) -> Found {
        let allowed = position.legal_actions().filter(|action| !self.barred.contains(action));
        let mut actions: Vec<_> = allowed.map(|action| Candidate { action, work: 0 }).collect();
        actions.shuffle(&mut self.rng);
        self.ordering.begin(position.turn());
        self.nodes = 0;
        // The search of one turn is always finished, so that there is something to play.
        self.brake.release(limits.time);
        if first > 1 {
            self.brake.arm(limits);
        }
        let mut found = Found { action: actions[0].action, score: 0, nodes: 0, depth: 0 };
        for depth in first..=limits.depth.min(MAX_DEPTH) {
            self.horizon = position.turn() + depth as usize;
            let expected = (depth > 3).then_some(found.score);
            let score = self.best_of(position, &mut actions, expected);
            found.action = actions[0].action;
            if self.brake.passed {
                break;
            }
            (found.score, found.depth, found.nodes) = (score, depth, self.nodes);
            tell(&found);
            if score.abs() > PROVEN {
                break;
            }
            self.brake.arm(limits);
        }
        Found { nodes: self.nodes, ..found }
    }

    /// Returns the best play from a position, beginning with this action, according to the table: as far as it is
    /// known, and at most the turns that were searched.
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

    /// Searches all actions in a window around the expected score, widened until the score lies within, and returns it;
    /// the best action moves to the front, the others are sorted by the work they took. If time runs out, only the
    /// actions searched so far count, the first of which is the best of the search before; with none searched the order
    /// stays.
    fn best_of(&mut self, position: &GipfPosition, actions: &mut [Candidate], expected: Option<Score>) -> Score {
        let mut width = self.selectivity.aspiration;
        let mut window = match expected {
            Some(score) if width > 0 && score.abs() < PROVEN => [score - width, score + width],
            _ => [-WIN, WIN],
        };
        loop {
            let score = self.best_within(position, actions, window);
            let [alpha, beta] = window;
            if self.brake.passed || score > alpha && score < beta || window == [-WIN, WIN] {
                return score;
            }
            width *= 4;
            let wide = width > 1000 || score.abs() > PROVEN;
            window = match wide {
                true => [-WIN, WIN],
                false if score <= alpha => [score - width, beta],
                false => [alpha, score + width],
            };
        }
    }

    /// Searches the actions in turn until one is too good, puts them in order, and returns the best score.
    fn best_within(
        &mut self,
        position: &GipfPosition,
        actions: &mut [Candidate],
        [mut alpha, beta]: [Score; 2],
    ) -> Score {
        let (mut best, mut most) = (0, -WIN);
        let (quiet, turns) = (position.phase() == Phase::Push, self.horizon - position.turn());
        for (number, Candidate { action, work }) in actions.iter_mut().enumerate() {
            let before = self.nodes;
            if quiet {
                self.ordering.place(position.turn(), action.index());
            }
            // The choice is made here, so less is pruned than below.
            let reduction = if quiet { self.reductions.get(turns, number / 2) } else { 0 };
            let child = ChildSearch { horizon: self.horizon, reduction, first: number == 0, window: [alpha, beta] };
            let score = self.score_of(position, *action, child);
            if self.brake.passed {
                break;
            }
            *work = self.nodes - before;
            most = most.max(score);
            if score > alpha {
                (alpha, best) = (score, number);
                if score >= beta {
                    break;
                }
            }
        }
        actions[..=best].rotate_right(1);
        if !self.brake.passed {
            actions[1..].sort_by_key(|candidate| std::cmp::Reverse(candidate.work));
        }
        most
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

/// Returns the key of the position, with everything else that decides its score: recurrence, and the limit if it is
/// near.
#[inline]
fn key(position: &GipfPosition) -> u64 {
    let left = position.placement_limit().map_or(u16::MAX, |limit| limit.saturating_sub(position.placements()));
    let left = if u32::from(left) <= MAX_DEPTH { u64::from(left) + 1 } else { 0 };
    let again = u64::from(position.occurrences() > 1);
    position.key() ^ (2 * left + again).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Makes the distance to a proven result count from the position, since the table is read at other turns too.
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

#[cfg(test)]
mod tests {
    use gipf_env::Variant;

    use super::*;

    #[test]
    fn of_two_threads_the_one_with_a_proof_is_heard_then_the_one_that_looked_further() {
        let action = GipfPosition::start(Variant::BASIC).legal_actions().next().unwrap();
        let found = |score, depth| Found { action, score, nodes: 1, depth };
        let [shallow, deep, proven, lost] = [found(20, 3), found(-5, 4), found(WIN - 9, 3), found(9 - WIN, 2)];
        for (one, other, better) in [(shallow, deep, deep), (proven, deep, proven), (deep, lost, lost)] {
            for heard in [one.with(other), other.with(one)] {
                assert_eq!(heard, Found { nodes: 2, ..better });
            }
        }
        assert_eq!(shallow.with(found(90, 3)).score, 20, "the main thread comes first");
    }
}

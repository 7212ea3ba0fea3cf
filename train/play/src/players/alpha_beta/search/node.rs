//! The search below the root.

use gipf_env::{Action, ActionIndex, GipfPosition, Phase, Position};

use super::super::captures::capturing_pushes;
use super::super::evaluation::{PROVEN, Score, WIN};
use super::super::ordering::{Candidate, action};
use super::super::table::{Bound, Entry};
use super::{Search, at_turn, final_score, from_turn, key};

/// A position whose actions are searched.
struct Node<'a> {
    position: &'a GipfPosition,
    /// The number of the first turn that is not searched.
    horizon: usize,
    window: [Score; 2],
    /// The best action of an earlier search.
    known: Option<ActionIndex>,
    /// The evaluation, where actions may be left out because of it.
    still: Option<Score>,
}

impl Node<'_> {
    fn turns(&self) -> usize {
        self.horizon.saturating_sub(self.position.turn())
    }
}

/// How an action is searched.
#[derive(Clone, Copy)]
pub(super) struct ChildSearch {
    /// The number of the first turn that is not searched.
    pub horizon: usize,
    /// The number of turns by which its first search is shallower, to see whether it deserves more.
    pub reduction: usize,
    /// Whether it is the first: it is searched in full, while the others are first tested for being better.
    pub first: bool,
    pub window: [Score; 2],
}

impl Search {
    /// Returns the score of an action for the player to move in `position`.
    #[inline]
    pub(super) fn score_of(&mut self, position: &GipfPosition, action: Action, child: ChildSearch) -> Score {
        let [alpha, beta] = child.window;
        let next = position.after(action);
        let same = next.to_move() == position.to_move();
        if !child.first {
            let asked = [alpha, alpha + 1];
            if child.reduction > 0 {
                let score = self.score_for(same, &next, child.horizon - child.reduction, asked);
                if score <= alpha {
                    return score;
                }
            }
            let score = self.score_for(same, &next, child.horizon, asked);
            if score <= alpha || score >= beta {
                return score;
            }
        }
        self.score_for(same, &next, child.horizon, child.window)
    }

    /// Returns the score of a position for the player to move in it, or for the other player.
    #[inline]
    fn score_for(&mut self, same: bool, position: &GipfPosition, horizon: usize, window: [Score; 2]) -> Score {
        let [alpha, beta] = window;
        if same { self.score(position, horizon, window) } else { -self.score(position, horizon, [-beta, -alpha]) }
    }

    /// Returns the score of a position: exact within the window, else a bound on the same side of it.
    fn score(&mut self, position: &GipfPosition, mut horizon: usize, window: [Score; 2]) -> Score {
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return final_score(position, outcome);
        }
        let quiet = position.phase() == Phase::Push;
        if quiet && position.turn() >= horizon {
            return self.score_of_captures(position, horizon, window);
        }
        if self.brake.passed_at(self.nodes, &self.stop) {
            return window[0];
        }
        let key = key(position);
        let known = self.table.as_ref().and_then(|table| table.get(key)).map(|entry| at_turn(entry, position.turn()));
        let wanted = horizon + self.captures - position.turn();
        if let Some(score) = known.and_then(|entry| entry.cutoff(wanted, window[0], window[1])) {
            return score;
        }
        let still = self.still(position, horizon, window);
        if let Some(score) = still.filter(|&score| self.is_too_good(score, horizon - position.turn(), window[1])) {
            return score;
        }
        let unknown = self.selectivity.unknown_turns;
        if known.is_none() && quiet && unknown > 0 && horizon >= position.turn() + unknown {
            horizon -= 1;
        }
        let node = Node { position, horizon, window, known: known.map(|entry| entry.action), still };
        let (score, best) = self.best_in(&node);
        let turns = horizon + self.captures - position.turn();
        if let Some(table) = self.table.as_ref().filter(|_| !self.brake.passed) {
            let bound = match score {
                score if score >= window[1] => Bound::AtLeast,
                score if score > window[0] => Bound::Exact,
                _ => Bound::AtMost,
            };
            table.put(key, from_turn(Entry { score, bound, turns: turns as u8, action: best }, position.turn()));
        }
        score
    }

    /// Returns the evaluation of a position near the horizon in a search that only asks whether it is better.
    #[inline]
    fn still(&self, position: &GipfPosition, horizon: usize, [alpha, beta]: [Score; 2]) -> Option<Score> {
        let turns = self.selectivity.static_turns.max(self.selectivity.futile_turns);
        let asked = position.phase() == Phase::Push && horizon - position.turn() <= turns && beta - alpha == 1;
        (asked && alpha.abs() < PROVEN).then(|| self.evaluation.evaluate(position))
    }

    #[inline]
    fn is_too_good(&self, still: Score, turns: usize, beta: Score) -> bool {
        turns <= self.selectivity.static_turns && still - self.selectivity.static_margin * turns as Score >= beta
    }

    /// Searches the actions until one is too good, and returns the best score and its action.
    fn best_in(&mut self, node: &Node<'_>) -> (Score, ActionIndex) {
        let &Node { position, horizon, window: [mut alpha, beta], known, .. } = node;
        let quiet = position.phase() == Phase::Push;
        let list = self.ordering.list(position, known);
        let first = list.start;
        let mut best = (-WIN, ActionIndex(0));
        for number in list {
            let candidate = self.ordering.get(first, number);
            if quiet && best.0 > -PROVEN && self.is_left_out(node, number - first, candidate) {
                continue;
            }
            if quiet {
                self.ordering.place(position.turn(), candidate.index);
            }
            let reduction =
                if quiet && !candidate.loud { self.reductions.get(node.turns(), number - first) } else { 0 };
            let child = ChildSearch { horizon, reduction, first: number == first, window: [alpha, beta] };
            let score = self.score_of(position, action(candidate.index), child);
            if score > best.0 {
                best = (score, candidate.index);
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                self.ordering.note(position, node.turns(), [first, number]);
                break;
            }
        }
        self.ordering.drop_list(first);
        best
    }

    /// Returns whether an action of a quiet position is not worth searching.
    #[inline]
    fn is_left_out(&self, node: &Node<'_>, number: usize, candidate: Candidate) -> bool {
        let (turns, selectivity) = (node.turns(), &self.selectivity);
        let Some(still) = node.still.filter(|_| !candidate.loud) else { return false };
        let late = selectivity.late.get(turns - 1).is_some_and(|&late| number >= late);
        let futile =
            turns <= selectivity.futile_turns && still + selectivity.futile_margin * turns as Score <= node.window[0];
        late || futile
    }

    /// Returns the score at the horizon: the evaluation, or the result of a capture, if that is more.
    fn score_of_captures(&mut self, position: &GipfPosition, horizon: usize, [mut alpha, beta]: [Score; 2]) -> Score {
        let mut best = self.evaluation.evaluate(position);
        if best >= beta || position.turn() >= horizon + self.captures {
            return best;
        }
        for push in capturing_pushes(position) {
            alpha = alpha.max(best);
            let child = ChildSearch { horizon, reduction: 0, first: true, window: [alpha, beta] };
            best = best.max(self.score_of(position, push, child));
            if best >= beta {
                break;
            }
        }
        best
    }
}

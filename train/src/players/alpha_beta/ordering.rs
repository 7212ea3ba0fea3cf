//! In which order actions are searched: the sooner the best, the more the rest is cut off.

use gipf_env::{Action, ActionIndex, GipfPosition, Phase};

use super::limits::{MAX_CAPTURES, MAX_DEPTH};

/// The size of the largest action space (section 6 of the rules).
const ACTIONS: usize = 373;

/// What is known from the search so far about which actions tend to be good, and the lists of actions in progress.
///
/// First comes the best action of an earlier search of the position, then two *killers*, the latest actions that were
/// too good elsewhere at the same distance from the horizon, then all others by how often they were too good.
#[derive(Clone, Debug)]
pub struct Ordering {
    history: Vec<[u32; 2]>,
    killers: Vec<[Option<ActionIndex>; 2]>,
    /// The lists of all positions on the current path, one behind the other.
    stack: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    index: ActionIndex,
    rank: u32,
}

/// How many actions of a list are sought out by rank: a cut-off comes early or not at all.
const SORTED: usize = 7;

const BEST: u32 = u32::MAX;
const KILLERS: [u32; 2] = [BEST - 1, BEST - 2];

impl Ordering {
    /// Knows nothing.
    pub fn new() -> Self {
        Self {
            history: vec![[0; 2]; ACTIONS],
            killers: vec![[None; 2]; (MAX_DEPTH + MAX_CAPTURES) as usize + 1],
            stack: Vec::new(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.history.fill([0; 2]);
        self.killers.fill([None; 2]);
        self.stack.clear();
    }

    /// Lists the legal actions, given the number of turns to be searched and the best action of an earlier search, and
    /// returns the numbers of the list, to be handed to [`Self::get`] one after the other.
    #[inline]
    pub fn list(&mut self, position: &GipfPosition, turns: usize, best: Option<ActionIndex>) -> std::ops::Range<usize> {
        let first = self.stack.len();
        let (player, killers) = (position.to_move().index(), self.killers[turns]);
        for index in position.action_set().indices() {
            let rank = if best == Some(index) {
                BEST
            } else if let Some(killer) = killers.iter().position(|&killer| killer == Some(index)) {
                KILLERS[killer]
            } else {
                self.history[index.get()][player]
            };
            self.stack.push(Candidate { index, rank });
        }
        first..self.stack.len()
    }

    /// Returns an action of the list that begins with number `first`, the most recent of those not yet dropped.
    #[inline]
    pub fn get(&mut self, first: usize, number: usize) -> ActionIndex {
        if number < first + SORTED {
            let rest = &mut self.stack[number..];
            let best = (0..rest.len()).rev().max_by_key(|&place| rest[place].rank).expect("the number is in the list");
            rest.swap(0, best);
        }
        self.stack[number].index
    }

    /// Drops the list that begins with this number.
    #[inline]
    pub fn drop_list(&mut self, first: usize) {
        self.stack.truncate(first);
    }

    /// Remembers that an action was too good for the opponent to let it come to it.
    #[inline]
    pub fn note(&mut self, position: &GipfPosition, turns: usize, index: ActionIndex) {
        if position.phase() != Phase::Push {
            return;
        }
        let killers = &mut self.killers[turns];
        if killers[0] != Some(index) {
            *killers = [Some(index), killers[0]];
        }
        let count = &mut self.history[index.get()][position.to_move().index()];
        *count = count.saturating_add((turns * turns) as u32).min(KILLERS[1] - 1);
    }
}

/// Returns the action with this index.
#[inline]
pub fn action(index: ActionIndex) -> Action {
    Action::from_index(index).expect("legal actions have indices in range")
}

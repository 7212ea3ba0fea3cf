//! The order in which actions are searched: the sooner the best, the more cutoffs.

use gipf_env::geometry::{ENTRIES, Entry};
use gipf_env::{Action, ActionIndex, ActionSpace, GipfPosition, Phase, Position};

use super::captures::Chances;

const ACTIONS: usize = ActionSpace::LARGEST.size();

/// Statistics of the search so far about which actions tend to be good, and the current lists of actions.
///
/// First comes the best action of an earlier search of the position, then the pushes that complete a row, then all
/// others. Both kinds are ordered by how often they were too good: in general, and as an answer to the opponent's last
/// action. Two *killers*, the latest actions that were too good elsewhere in the same turn, come before the pushes that
/// complete a row but were more often not good enough.
#[derive(Debug)]
pub struct Ordering {
    /// By action and player.
    history: Vec<[i32; 2]>,
    /// By the opponent's action and ours.
    answers: Vec<i16>,
    killers: Vec<[Option<ActionIndex>; 2]>,
    /// The lists of all positions on the current path, one after the other.
    stack: Vec<Candidate>,
    /// The ranks of their actions with their places, see [`key`].
    keys: Vec<i64>,
    /// The turn of the root, and the placements of the turns since.
    root: usize,
    placed: Vec<ActionIndex>,
}

/// An action of a list.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The action.
    pub index: ActionIndex,
    /// Whether it is a push that completes a row of the player, or not a placement.
    pub loud: bool,
}

/// The number of actions of a list that are picked by rank: few of the others are better than the rest.
const SORTED: usize = 16;

const BEST: i32 = i32::MAX;
const LOUD: i32 = 1 << 24;
const KILLERS: [i32; 2] = [LOUD - 1, LOUD - 2];
/// Where the count of an action levels off.
const MOST: i32 = 1 << 14;
/// The number of turns of a path that are distinguished.
const TURNS: usize = 128;

impl Ordering {
    /// Creates an empty ordering.
    pub fn new() -> Self {
        Self {
            history: vec![[0; 2]; ACTIONS],
            answers: vec![0; ACTIONS * ACTIONS],
            killers: vec![[None; 2]; TURNS],
            stack: Vec::new(),
            keys: Vec::new(),
            root: 0,
            placed: vec![ActionIndex(0); TURNS],
        }
    }

    /// Clears all statistics.
    pub fn clear(&mut self) {
        self.history.fill([0; 2]);
        self.answers.fill(0);
        // A search that begins in the middle of a turn reads the placement of that turn, which it never made.
        self.placed.fill(ActionIndex(0));
    }

    /// Begins a search at a position of this turn.
    pub fn begin(&mut self, turn: usize) {
        self.root = turn;
        self.killers.fill([None; 2]);
        self.stack.clear();
        self.keys.clear();
        for count in self.history.iter_mut().flatten() {
            *count /= 2;
        }
    }

    /// Notes the placement that is searched at a position of this turn.
    #[inline]
    pub fn place(&mut self, turn: usize, index: ActionIndex) {
        let place = self.ply(turn);
        self.placed[place] = index;
    }

    #[inline]
    fn ply(&self, turn: usize) -> usize {
        (turn - self.root).min(TURNS - 1)
    }

    /// Returns the row of the counts of answers to the opponent's last placement.
    #[inline]
    fn row(&self, turn: usize) -> usize {
        if turn == self.root { 0 } else { ACTIONS * self.placed[self.ply(turn - 1)].get() }
    }

    /// Lists the legal actions, given the best action of an earlier search, and returns the numbers of the list, to be
    /// handed to [`Self::get`] one after the other.
    #[inline]
    pub fn list(&mut self, position: &GipfPosition, best: Option<ActionIndex>) -> std::ops::Range<usize> {
        let first = self.stack.len();
        let player = position.to_move().index();
        let (killers, row) = (self.killers[self.ply(position.turn())], self.row(position.turn()));
        let chances = Chances::of(position);
        let likely = chances.entries();
        for index in position.action_set().indices() {
            let loud = is_loud(position, index, (&chances, likely));
            let count = self.history[index.get()][player] + 2 * i32::from(self.answers[row + index.get()]);
            let rank = if loud { LOUD + count } else { count };
            self.keys.push(key(rank, self.stack.len() - first));
            self.stack.push(Candidate { index, loud });
        }
        for (killer, rank) in killers.into_iter().zip(KILLERS).rev() {
            self.raise(first, killer, rank);
        }
        self.raise(first, best, BEST);
        first..self.stack.len()
    }

    /// Gives an action of the list another rank, unless it is a killer that has become loud.
    #[inline]
    fn raise(&mut self, first: usize, index: Option<ActionIndex>, rank: i32) {
        let Some(index) = index else { return };
        let Ok(place) = self.stack[first..].binary_search_by_key(&index, |candidate| candidate.index) else { return };
        if rank == BEST || !self.stack[first + place].loud {
            self.keys[first + place] = key(rank, place);
        }
    }

    /// Returns an action of the list that begins with number `first`, the most recent of those not yet dropped.
    #[inline]
    pub fn get(&mut self, first: usize, number: usize) -> Candidate {
        if number < first + SORTED {
            let most = self.keys[number..].iter().copied().max().expect("the number is in the list");
            let best = first + place(most);
            self.stack.swap(number, best);
            self.keys[best] = moved(self.keys[number], best - first);
            self.keys[number] = most;
        }
        self.stack[number]
    }

    /// Drops the list that begins with this number.
    #[inline]
    pub fn drop_list(&mut self, first: usize) {
        self.stack.truncate(first);
        self.keys.truncate(first);
    }

    /// Records that the action with this number in the list that begins with number `first` was too good for the
    /// opponent to allow the position, and those before it were not.
    #[inline]
    pub fn note(&mut self, position: &GipfPosition, turns: usize, [first, number]: [usize; 2]) {
        if position.phase() != Phase::Push {
            return;
        }
        let Candidate { index, loud, .. } = self.stack[number];
        let place = self.ply(position.turn());
        if !loud && self.killers[place][0] != Some(index) {
            self.killers[place] = [Some(index), self.killers[place][0]];
        }
        let (player, row) = (position.to_move().index(), self.row(position.turn()));
        let bonus = (16 * turns * turns).min(1600) as i32;
        for at in first..=number {
            let index = self.stack[at].index.get();
            let change = if at == number { bonus } else { -bonus };
            let count = &mut self.history[index][player];
            *count += change - *count * bonus / MOST;
            let count = &mut self.answers[row + index];
            *count += (change - i32::from(*count) * bonus / MOST) as i16;
        }
    }
}

/// Returns a rank and a place in the list as one number: the largest has the highest rank, and among equal ranks the
/// first place. So the best of many is found without a branch.
#[inline]
fn key(rank: i32, place: usize) -> i64 {
    i64::from(rank) << 16 | (0xffff - place as i64)
}

#[inline]
fn place(key: i64) -> usize {
    0xffff - (key & 0xffff) as usize
}

/// Returns the key of the same rank at another place.
#[inline]
fn moved(key: i64, place: usize) -> i64 {
    self::key((key >> 16) as i32, place)
}

#[inline]
fn is_loud(position: &GipfPosition, index: ActionIndex, (chances, likely): (&Chances, u64)) -> bool {
    let entry = if index.get() < ENTRIES {
        Entry::from_index(index.get())
    } else if let Action::Push(_, entry) = action(index) {
        entry
    } else {
        return true;
    };
    likely >> entry.index() & 1 == 1 && chances.completes_row(position, entry)
}

/// Returns the action with this index.
#[inline]
pub fn action(index: ActionIndex) -> Action {
    Action::from_index(index).expect("legal actions have indices in range")
}

//! The positions that may still recur.

use serde::{Deserialize, Serialize};

use crate::position::Player;

/// The number of keys kept in the position itself. Copying them costs less than following a pointer, and games rarely
/// have more: whenever a piece is lost from the game, the history starts again.
const NEAR: usize = 24;

/// The keys of the positions at the starts of phase push since a piece was last lost from the game.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub(super) struct History {
    near: Near,
    /// The keys for which there was no room in `near`.
    far: Vec<u64>,
}

/// The part that is copied as one block.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    keys: [u64; NEAR],
    used: u32,
    /// Whether White and Black have got pieces back since the history began. A push costs a piece of the reserve, and a
    /// jump uses up a potential, which never comes back: so no position can recur until both players have got pieces back.
    returned: [bool; 2],
}

impl History {
    /// Makes room for this many keys, so that adding them does not allocate.
    pub fn reserve(&mut self, keys: usize) {
        self.far.reserve(keys.saturating_sub(NEAR));
    }

    /// Adds the key of the position now reached, and returns how often it occurred before.
    #[inline]
    pub fn add(&mut self, key: u64) -> u8 {
        let before = if self.near.returned == [true; 2] { self.count(key) } else { 0 };
        self.push(key);
        before
    }

    /// Records pieces that went back to a player's reserve.
    pub fn note_return(&mut self, player: Player, pieces: u32) {
        self.near.returned[player.index()] |= pieces > 0;
    }

    /// Starts again: no position so far can recur.
    pub fn clear(&mut self) {
        (self.near.used, self.near.returned) = (0, [false; 2]);
        self.far.clear();
    }

    #[inline]
    fn push(&mut self, key: u64) {
        match self.near.keys.get_mut(self.near.used as usize) {
            Some(place) => {
                *place = key;
                self.near.used += 1;
            }
            None => self.push_far(key),
        }
    }

    #[cold]
    fn push_far(&mut self, key: u64) {
        self.far.push(key);
    }

    pub const fn is_empty(&self) -> bool {
        self.near.used == 0
    }

    #[inline(never)]
    fn count(&self, key: u64) -> u8 {
        self.keys().filter(|&earlier| earlier == key).count() as u8
    }

    fn keys(&self) -> impl Iterator<Item = u64> {
        self.near.keys[..self.near.used as usize].iter().chain(&self.far).copied()
    }
}

/// `clone_from` keeps the memory, so that games can be started over without allocating.
impl Clone for History {
    #[inline]
    fn clone(&self) -> Self {
        let far = if self.far.is_empty() { Vec::new() } else { self.far.clone() };
        Self { near: self.near, far }
    }

    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.near = source.near;
        if !(self.far.is_empty() && source.far.is_empty()) {
            self.far.clone_from(&source.far);
        }
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.near.returned == other.near.returned && self.keys().eq(other.keys())
    }
}

impl Eq for History {}

/// The serialized form: the keys, and who got pieces back.
type Written = (Vec<u64>, [bool; 2]);

impl From<Written> for History {
    fn from((keys, returned): Written) -> Self {
        let mut history = Self::default();
        for key in keys {
            history.push(key);
        }
        history.near.returned = returned;
        history
    }
}

impl From<History> for Written {
    fn from(history: History) -> Self {
        (history.keys().collect(), history.near.returned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_of_any_length_counts_and_is_copied() {
        let mut history = History::default();
        let mut copy = History::from((vec![7; 40], [true; 2]));
        history.note_return(Player::White, 1);
        history.note_return(Player::Black, 1);
        for length in 0..40 {
            assert_eq!(history.is_empty(), length == 0);
            copy.clone_from(&history);
            assert_eq!((&copy, &history.clone()), (&history, &history));
            assert_eq!(History::from(Written::from(history.clone())), history);
            assert_eq!(usize::from(history.add(length as u64 % 3)), length / 3);
            assert_ne!(copy, history);
        }
        history.clear();
        assert!(history.is_empty() && history == History::default());
        assert_eq!([history.add(1), history.add(1)], [0, 0]);
    }
}

//! What a game may add to its rules for learning.

use crate::position::Position;

/// A game that networks can learn: it may say which positions are equivalent, so that no position is learned, kept or
/// evaluated twice.
///
/// The defaults are right for every game, so `impl Learnable for MyGame {}` is enough. A game that says more needs
/// fewer games to learn from, fewer evaluations and less memory.
///
/// Laws, tested on every implementation: the image of a position has the images of its legal actions as legal actions;
/// symmetry 0 only forgets the history; a position without its history has the same legal actions. Playing the image of
/// an action leads to the image of the position that the action leads to, unless the game orders the decisions of a turn
/// by its board, as GIPF does with rows and the pieces that a player may spare: then the next decision may be another
/// one of the same turn, and the positions after the whole turn correspond.
pub trait Learnable: Position {
    /// Returns the number of symmetries, identity (number 0) included.
    fn symmetries(&self) -> usize {
        1
    }

    /// Returns the position under a symmetry, without the history of earlier positions; used to vary training samples.
    fn transformed(&self, symmetry: usize) -> Self {
        debug_assert_eq!(symmetry, 0);
        self.clone()
    }

    /// Returns what a legal action of this position becomes under a symmetry: it is legal in the transformed position.
    fn transformed_action(&self, symmetry: usize, action: Self::Action) -> Self::Action {
        debug_assert_eq!(symmetry, 0);
        action
    }

    /// Returns the position without the memory of earlier positions: what a training sample keeps.
    fn without_history(&self) -> Self {
        self.clone()
    }

    /// Returns the position as it would stand in a game from `start`: with the limits of that game, which may differ
    /// from those of the game that it comes from.
    fn in_game_from(&self, _start: &Self) -> Self {
        self.clone()
    }

    /// Returns whether this is a position of the game; one that was read from bytes may not be.
    fn is_valid(&self) -> bool {
        true
    }

    /// Returns a number that stands for what [`Position::observe`] writes and for the legal actions, if the game has
    /// one: two positions of a game that differ in either have the same number with probability 2⁻¹²⁸. Evaluations are
    /// cached under it, for positions that occur again.
    fn view_key(&self) -> Option<u128> {
        None
    }
}

//! What is learned from and what it is measured with.

/// What games give, in two parts that share no game.
#[derive(Clone, Debug, Default)]
pub struct Split<T> {
    /// To learn from.
    pub learned: T,
    /// To measure with.
    pub held_out: T,
}

impl<T> Split<T> {
    /// Returns the part that a game belongs to.
    pub const fn part(&mut self, is_held_out: bool) -> &mut T {
        if is_held_out { &mut self.held_out } else { &mut self.learned }
    }
}

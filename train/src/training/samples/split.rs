//! The games to learn from, and those to measure with.

/// What games give, in two parts with no game in common.
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

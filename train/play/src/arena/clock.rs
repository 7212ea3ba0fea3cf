//! The time that a contestant has left, and their flag (FAQ 5, 7, 11).

use std::time::Duration;

/// The time for finishing a turn once the flag has fallen (FAQ 11): one minute.
pub const LAST_TURN: Duration = Duration::from_mins(1);

/// The time that one contestant has left.
///
/// When it is used up the flag falls, and from then on [`LAST_TURN`] is left for the last turn. The caller passes in
/// the time that has passed: this reads no other clock.
///
/// ```
/// use gipf_play::arena::{Clock, Flag};
/// use std::time::Duration;
///
/// let mut clock = Clock::new(Duration::from_secs(300));
/// assert_eq!(clock.run(Duration::from_secs(299)), Flag::Up);
/// assert_eq!(clock.run(Duration::from_secs(2)), Flag::Fallen);
/// assert_eq!(clock.left(), Duration::from_secs(59));
/// assert_eq!(clock.run(Duration::from_secs(59)), Flag::Spent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    left: Duration,
    increment: Duration,
    flag: Flag,
}

/// The state of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// There is time left.
    Up,
    /// The time is used up; the turn that was started may be finished (FAQ 11).
    Fallen,
    /// The time for the last turn is used up as well.
    Spent,
}

impl Clock {
    /// Returns a clock with this much time for the whole game, replays included, and no increment.
    pub const fn new(time: Duration) -> Self {
        Self { left: time, increment: Duration::ZERO, flag: Flag::Up }
    }

    /// Returns the clock with this much time added at the end of every turn. Default: none, as in the FAQ.
    pub const fn with_increment(self, increment: Duration) -> Self {
        Self { increment, ..self }
    }

    /// Returns the time left; once the flag has fallen, the time for the last turn.
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Returns the time added at the end of every turn.
    pub const fn increment(&self) -> Duration {
        self.increment
    }

    /// Returns what the clock shows: the time left, and nothing once the flag has fallen.
    pub const fn shown(&self) -> Duration {
        match self.flag {
            Flag::Up => self.left,
            Flag::Fallen | Flag::Spent => Duration::ZERO,
        }
    }

    /// Returns the time after which the clock is spent, including the time for the last turn.
    pub const fn until_spent(&self) -> Duration {
        match self.flag {
            Flag::Up => self.left.saturating_add(LAST_TURN),
            Flag::Fallen | Flag::Spent => self.left,
        }
    }

    /// Returns the state of the flag.
    pub const fn flag(&self) -> Flag {
        self.flag
    }

    /// Lets time pass, and returns the state of the flag after it. With no time left at all, the flag has fallen.
    pub fn run(&mut self, elapsed: Duration) -> Flag {
        if let Some(left) = rest(self.left, elapsed) {
            self.left = left;
            return self.flag;
        }
        let over = elapsed.saturating_sub(self.left);
        let last_turn = if self.flag == Flag::Up { rest(LAST_TURN, over) } else { None };
        self.left = last_turn.unwrap_or(Duration::ZERO);
        self.flag = if last_turn.is_some() { Flag::Fallen } else { Flag::Spent };
        self.flag
    }

    /// Gives extra time: a penalty of the opponent (FAQ 5). If it makes up for the excess, the flag is up again, by our
    /// reading: otherwise the penalty would have no effect.
    pub fn add(&mut self, time: Duration) {
        self.left = self.left.saturating_add(time);
        if let Some(left) = rest(self.left, LAST_TURN).filter(|_| self.flag == Flag::Fallen) {
            (self.left, self.flag) = (left, Flag::Up);
        }
    }

    /// Ends a turn of its contestant: adds the increment, unless the flag has fallen.
    pub fn end_turn(&mut self) {
        if self.flag == Flag::Up {
            self.add(self.increment);
        }
    }
}

/// Returns the rest of a time, if anything is left.
fn rest(time: Duration, elapsed: Duration) -> Option<Duration> {
    time.checked_sub(elapsed).filter(|left| !left.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const SECOND: Duration = Duration::from_secs(1);

    /// In seconds: the time left is the time given less the time used, and the flag agrees with it.
    #[test]
    fn the_time_left_is_what_was_given_less_what_was_used() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut flags = [0; 3];
        for _ in 0..500 {
            let (time, increment) = (rng.random_range(1..200), rng.random_range(0..5));
            let mut clock = Clock::new(SECOND * time).with_increment(SECOND * increment);
            let mut balance = i64::from(time);
            while clock.flag() != Flag::Spent {
                let elapsed = rng.random_range(0..50);
                let before = clock.flag();
                assert_eq!(clock.shown().as_secs() as i64, balance.max(0));
                assert_eq!(clock.until_spent().as_secs() as i64, balance + 60);
                balance -= i64::from(elapsed);
                let flag = clock.run(SECOND * elapsed);
                let last_turn = if flag == Flag::Up { 0 } else { 60 };
                let left = (balance + last_turn).max(0);
                assert_eq!(clock.left().as_secs() as i64, left);
                assert!(flag >= before && (left == 0) == (flag == Flag::Spent));
                flags[flag as usize] += 1;
                clock.end_turn();
                balance += if flag == Flag::Up { i64::from(increment) } else { 0 };
            }
        }
        assert!(flags.iter().all(|&seen| seen > 400), "{flags:?}");
    }

    #[test]
    fn extra_time_makes_up_for_what_was_used_too_much_and_never_overflows() {
        for (late, left) in [(0, 120), (59, 61)] {
            let mut clock = Clock::new(SECOND);
            assert_eq!(clock.run(SECOND * (1 + late)), Flag::Fallen);
            clock.add(SECOND * 120);
            assert_eq!((clock.left(), clock.flag()), (SECOND * left, Flag::Up));
        }
        let mut clock = Clock::new(SECOND);
        clock.run(SECOND * 31);
        clock.add(SECOND * 30);
        assert_eq!((clock.left(), clock.flag()), (LAST_TURN, Flag::Fallen), "as if the flag had just fallen");
        let mut endless = Clock::new(Duration::MAX);
        endless.add(SECOND);
        assert_eq!((endless.run(SECOND), endless.left() + SECOND), (Flag::Up, Duration::MAX));
    }
}

//! When a search has to end so that its answer is there in time, even on a busy machine.

use std::time::Duration;

use crate::Instant;

/// A turn may exceed its time by one part in this many: the delays of a busy machine must fit into that.
const TOLERANCE: u32 = 5;
/// The share of the longest pause that is kept after each decision: the machine may have become quiet.
const KEPT: [u32; 2] = [7, 8];

/// The end of a decision's time, and the longest recent pause in which the system let other programs work.
///
/// On a busy machine a thread stands still for milliseconds, several times a turn, and it is as likely to do so at the
/// end of its time as earlier. So a search ends when its time is over, or when another pause as long as those before
/// would take it beyond the tolerance. On a quiet machine pauses last microseconds, and all of the time is used. A
/// pause of seconds, as when a program was suspended, says nothing about the next turn: when a turn begins, a pause
/// counts for at most half of its time.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadline {
    /// When the time is over, and the last moment at which the answer is in time.
    end: Option<[Instant; 2]>,
    looked: Option<Instant>,
    pause: Duration,
}

impl Deadline {
    /// Begins a decision with this much time, or without a limit.
    pub fn begin(&mut self, time: Option<Duration>) {
        self.looked = time.map(|_| Instant::now());
        self.end = time
            .zip(self.looked)
            .and_then(|(time, now)| Some([now.checked_add(time)?, now.checked_add(time + time / TOLERANCE)?]));
        self.pause = self.pause / KEPT[1] * KEPT[0];
        if let Some(time) = time {
            self.pause = self.pause.min(time / 2);
        }
    }

    /// Counts the time since the last look as work of one step, not as a pause.
    pub fn has_worked(&mut self) {
        self.looked = self.looked.map(|_| Instant::now());
    }

    /// Looks at the clock: returns whether it is time to answer.
    #[inline]
    pub fn is_over(&mut self) -> bool {
        let Some(end) = self.end else { return false };
        self.is_over_at(Instant::now(), end)
    }

    fn is_over_at(&mut self, now: Instant, [end, latest]: [Instant; 2]) -> bool {
        if let Some(before) = self.looked.replace(now) {
            self.pause = self.pause.max(now.saturating_duration_since(before));
        }
        now >= end || now + self.pause > latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// Plays a turn of 50 ms on a machine that alternately lets the thread work and stand still, and returns how long
    /// it took.
    fn turn(deadline: &mut Deadline, [work, pause]: [u64; 2]) -> Duration {
        deadline.begin(Some(ms(50)));
        let (start, end) = (deadline.looked.unwrap(), deadline.end.unwrap());
        let mut now = start;
        loop {
            for _ in 0..10 * work {
                now += ms(1) / 10;
                if deadline.is_over_at(now, end) {
                    return now - start;
                }
            }
            now += ms(pause);
        }
    }

    #[test]
    fn all_of_the_time_is_used_where_nothing_else_works() {
        let mut deadline = Deadline::default();
        for _ in 0..5 {
            assert_eq!(turn(&mut deadline, [7, 0]), ms(50));
        }
    }

    #[test]
    fn answers_are_in_time_between_pauses_of_any_length() {
        for pause in 1..40 {
            let mut deadline = Deadline::default();
            for work in 1..12 {
                let took = turn(&mut deadline, [work, pause]);
                assert!(took <= ms(60), "{took:?} with pauses of {pause} ms after {work} ms");
                assert!(took + ms(pause) + ms(1) >= ms(50), "{took:?} with pauses of {pause} ms");
            }
        }
    }

    #[test]
    fn pauses_are_forgotten_when_they_end() {
        let mut deadline = Deadline::default();
        turn(&mut deadline, [2, 30]);
        assert!(turn(&mut deadline, [1, 0]) < ms(50));
        let later = (0..16).map(|_| turn(&mut deadline, [1, 0])).last();
        assert_eq!(later, Some(ms(50)));
    }

    #[test]
    fn a_pause_of_seconds_leaves_the_turns_after_it_half_of_their_time() {
        let mut deadline = Deadline::default();
        turn(&mut deadline, [1, 3000]);
        for _ in 0..20 {
            assert!(turn(&mut deadline, [1, 0]) >= ms(25));
        }
        assert_eq!(turn(&mut deadline, [1, 0]), ms(50));
    }

    #[test]
    fn a_long_step_of_work_is_no_pause() {
        let mut deadline = Deadline::default();
        deadline.begin(Some(ms(50)));
        deadline.looked = deadline.looked.map(|looked| looked.checked_sub(ms(3000)).unwrap());
        deadline.has_worked();
        assert!(!deadline.is_over() && deadline.pause < ms(50), "{:?}", deadline.pause);
    }

    #[test]
    fn without_an_end_it_is_never_over() {
        let mut deadline = Deadline::default();
        deadline.begin(None);
        assert!(!deadline.is_over());
        deadline.begin(Some(Duration::MAX / 4));
        assert!(!deadline.is_over(), "a time that no clock can show");
    }
}

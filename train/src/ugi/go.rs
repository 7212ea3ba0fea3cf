//! How long to think about a turn.

use std::fmt;
use std::str::SplitWhitespace;
use std::time::Duration;

use gipf_env::Player;

use super::command::CommandError;

/// The limits that a `go` names, in any combination; whichever is reached first ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The time that each player has left, White first.
    pub left: [Option<Duration>; 2],
    /// The time that each player gets for a turn.
    pub increment: [Duration; 2],
    /// The time for this turn.
    pub move_time: Option<Duration>,
    /// The positions to look at in this turn.
    pub nodes: Option<u64>,
    /// The turns to look ahead.
    pub depth: Option<u32>,
    /// Whether to answer only when asked to stop.
    pub infinite: bool,
}

/// The turns that the time left has to last for, at any moment of the game: a game has some 30 turns of each player.
const TURNS_TO_COME: u32 = 20;
/// What is never used of the time left, since answers need time to arrive: this, or a twentieth if that is more.
const MARGIN: Duration = Duration::from_millis(50);
const MARGIN_PART: u32 = 20;
/// The part of a turn's limits that one of its decisions may use of what is left of them: most turns are one decision,
/// but a capture can bring more.
const DECISION: [u32; 2] = [4, 5];

impl Go {
    /// Reads the words after `go`; those it does not know are passed over.
    pub(super) fn parse(mut words: SplitWhitespace<'_>) -> Result<Self, CommandError> {
        let mut go = Self::default();
        while let Some(word) = words.next() {
            match word {
                "p1time" => go.left[0] = Some(milliseconds("p1time", words.next())?),
                "p2time" => go.left[1] = Some(milliseconds("p2time", words.next())?),
                "p1inc" => go.increment[0] = milliseconds("p1inc", words.next())?,
                "p2inc" => go.increment[1] = milliseconds("p2inc", words.next())?,
                "movetime" => go.move_time = Some(milliseconds("movetime", words.next())?),
                "nodes" => go.nodes = Some(number("nodes", words.next())?),
                "depth" => go.depth = Some(number("depth", words.next())?.min(u32::MAX.into()) as u32),
                "infinite" => go.infinite = true,
                // A runner waits for an answer, also if it said more than it had to.
                _ => {}
            }
        }
        Ok(go)
    }

    /// Returns how much time the player may use for his turn, if the time is limited.
    ///
    /// By the clock it is a twentieth of the time left and most of the increment, but never more than the time left
    /// less a margin; `movetime` is used as it is. With both, the smaller holds.
    pub fn time_for_turn(&self, player: Player) -> Option<Duration> {
        let (left, increment) = (self.left[player.index()], self.increment[player.index()]);
        let by_the_clock = left.map(|left| {
            let margin = MARGIN.max(left / MARGIN_PART);
            (left / TURNS_TO_COME).saturating_add(increment / 4 * 3).min(left.saturating_sub(margin))
        });
        [by_the_clock, self.move_time].into_iter().flatten().min()
    }

    /// Returns what one decision may use of what its turn has left.
    pub(crate) fn time_for_decision(left: Duration) -> Duration {
        left / DECISION[1] * DECISION[0]
    }

    /// Returns how many positions one decision may look at of what its turn has left.
    pub(crate) fn nodes_for_decision(left: u64) -> u64 {
        (u128::from(left) * u128::from(DECISION[0])).div_ceil(u128::from(DECISION[1])) as u64
    }
}

/// Writes the command as it is read, times in whole milliseconds.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = [("p1time", self.left[0]), ("p2time", self.left[1])];
        let increments = [("p1inc", self.increment[0]), ("p2inc", self.increment[1])];
        // An engine need not know that increments are zero if nothing is said.
        let has_clock = self.left != [None; 2] || self.increment != [Duration::ZERO; 2];
        let increments = increments.map(|(name, time)| (name, has_clock.then_some(time)));
        let times = times.into_iter().chain(increments).chain([("movetime", self.move_time)]);
        f.write_str("go")?;
        for (name, time) in times.filter_map(|(name, time)| Some((name, time?))) {
            write!(f, " {name} {}", time.as_millis())?;
        }
        for (name, number) in [("nodes", self.nodes), ("depth", self.depth.map(u64::from))] {
            number.map_or(Ok(()), |number| write!(f, " {name} {number}"))?;
        }
        f.write_str(if self.infinite { " infinite" } else { "" })
    }
}

/// Times before zero are what a clock shows that has run out.
fn milliseconds(name: &'static str, word: Option<&str>) -> Result<Duration, CommandError> {
    let word = word.unwrap_or_default();
    match word.strip_prefix('-') {
        Some(rest) if !rest.starts_with('+') && number(name, Some(rest)).is_ok() => Ok(Duration::ZERO),
        _ => number(name, Some(word)).map(Duration::from_millis),
    }
}

fn number(name: &'static str, word: Option<&str>) -> Result<u64, CommandError> {
    let word = word.unwrap_or_default();
    match word.parse() {
        Ok(number) => Ok(number),
        // Larger than any clock or search can count to: as good as no limit.
        Err(_) if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(u64::MAX),
        Err(_) => Err(CommandError::number(name, word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn no_turn_uses_more_than_the_time_left_less_a_margin() {
        for left in [0, 1, 49, 50, 51, 100, 999, 60_000, 86_400_000, u64::MAX] {
            for increment in [0, 1, 100, 5000, 3_600_000, u64::MAX] {
                let go = Go { left: [Some(ms(left)), None], increment: [ms(increment); 2], ..Go::default() };
                let time = go.time_for_turn(Player::White).unwrap();
                let most = ms(left).saturating_sub(ms(50).max(ms(left) / 20));
                assert!(time <= most, "{time:?} of {left} ms with {increment} ms");
                // The whole game can be played at this pace, and the clock is not left unused.
                assert!(left < 1000 || time >= (ms(left) / 20).min(most), "{time:?} of {left} ms");
                assert_eq!(go.time_for_turn(Player::Black), None, "nobody limits Black's time");
            }
        }
    }

    #[test]
    fn a_hundred_turns_by_the_clock_never_use_it_up() {
        for increment in [0, 20, 1000] {
            let mut left = ms(5000);
            for _ in 0..100 {
                let go = Go { left: [None, Some(left)], increment: [ms(increment); 2], ..Go::default() };
                left = left.checked_sub(go.time_for_turn(Player::Black).unwrap()).unwrap() + ms(increment);
                assert!(left >= ms(50), "{left:?} left with {increment} ms");
            }
        }
    }

    #[test]
    fn the_smaller_of_clock_and_move_time_holds() {
        let go = Go { left: [Some(ms(60_000)); 2], move_time: Some(ms(100)), ..Go::default() };
        assert_eq!(go.time_for_turn(Player::White), Some(ms(100)));
        let go = Go { move_time: Some(ms(100_000)), ..go };
        assert_eq!(go.time_for_turn(Player::White), Some(ms(3000)));
        assert_eq!(Go::default().time_for_turn(Player::White), None);
    }

    #[test]
    fn commands_are_written_as_they_are_read() {
        for text in [
            "go",
            "go p1time 60000 p2time 0 p1inc 1000 p2inc 10",
            "go p2time 5 p1inc 0 p2inc 0",
            "go movetime 100 nodes 7 depth 3",
            "go infinite",
        ] {
            assert_eq!(Go::parse(text.strip_prefix("go").unwrap().split_whitespace()).unwrap().to_string(), text);
        }
    }

    #[test]
    fn decisions_share_what_the_turn_has() {
        assert_eq!(Go::time_for_decision(ms(100)), ms(80));
        for left in [1, 2, 5, 100, u64::MAX] {
            assert!((1..=left).contains(&Go::nodes_for_decision(left)));
        }
    }
}

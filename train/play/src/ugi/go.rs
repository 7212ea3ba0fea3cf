//! The command `go`: the limits of a turn.

use std::str::SplitWhitespace;
use std::time::Duration;

use super::command::CommandError;
use crate::players::TurnBudget;

/// Reads the words after `go`; unknown ones are ignored.
pub(super) fn parse(mut words: SplitWhitespace<'_>) -> Result<TurnBudget, CommandError> {
    let mut turn = TurnBudget::default();
    while let Some(word) = words.next() {
        match word {
            "p1time" => turn.left[0] = Some(milliseconds("p1time", words.next())?),
            "p2time" => turn.left[1] = Some(milliseconds("p2time", words.next())?),
            "p1inc" => turn.increment[0] = milliseconds("p1inc", words.next())?,
            "p2inc" => turn.increment[1] = milliseconds("p2inc", words.next())?,
            "movetime" => turn.move_time = Some(milliseconds("movetime", words.next())?),
            "nodes" => turn.nodes = Some(number("nodes", words.next())?),
            "depth" => turn.depth = Some(number("depth", words.next())?.min(u32::MAX.into()) as u32),
            "infinite" => turn.infinite = true,
            // A runner waits for an answer, even after unknown words.
            _ => {}
        }
    }
    Ok(turn)
}

/// Returns the command in the form that is parsed, times in whole milliseconds.
pub fn go_line(turn: &TurnBudget) -> String {
    let times = [("p1time", turn.left[0]), ("p2time", turn.left[1])];
    let increments = [("p1inc", turn.increment[0]), ("p2inc", turn.increment[1])];
    // Zero increments are sent too, since an engine need not assume them.
    let has_clock = turn.left != [None; 2] || turn.increment != [Duration::ZERO; 2];
    let increments = increments.map(|(name, time)| (name, has_clock.then_some(time)));
    let times = times.into_iter().chain(increments).chain([("movetime", turn.move_time)]);
    let times = times.filter_map(|(name, time)| Some(format!(" {name} {}", time?.as_millis())));
    let numbers = [("nodes", turn.nodes), ("depth", turn.depth.map(u64::from))];
    let numbers = numbers.into_iter().filter_map(|(name, number)| Some(format!(" {name} {}", number?)));
    let infinite = turn.infinite.then(|| " infinite".to_owned());
    ["go".to_owned()].into_iter().chain(times).chain(numbers).chain(infinite).collect()
}

/// Negative times come from a clock that has run out.
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
        // Larger than any clock or search can count: the same as no limit.
        Err(_) if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(u64::MAX),
        Err(_) => Err(CommandError::number(name, word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_written_as_they_are_read() {
        for text in [
            "go",
            "go p1time 60000 p2time 0 p1inc 1000 p2inc 10",
            "go p2time 5 p1inc 0 p2inc 0",
            "go movetime 100 nodes 7 depth 3",
            "go infinite",
        ] {
            assert_eq!(go_line(&parse(text.strip_prefix("go").unwrap().split_whitespace()).unwrap()), text);
        }
    }
}

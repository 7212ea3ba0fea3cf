//! The command `go`: the limits of a turn, and the turns to think about.

use std::fmt;
use std::str::SplitWhitespace;
use std::time::Duration;

use super::command::CommandError;
use crate::players::TurnBudget;

/// What `go` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The limits of the turn.
    pub turn: TurnBudget,
    /// Whether to think on the opponent's time: no answer before `stop` or `ponderhit`, from which on the limits hold.
    pub ponder: bool,
    /// The turns to choose from; all legal ones if empty.
    pub search_moves: Vec<String>,
}

/// The words that `go` knows.
const WORDS: [&str; 10] =
    ["p1time", "p2time", "p1inc", "p2inc", "movetime", "nodes", "depth", "infinite", "ponder", "searchmoves"];

/// Reads the words after `go`; unknown ones are ignored, except after `searchmoves`, where they are turns.
pub(super) fn parse(words: SplitWhitespace<'_>) -> Result<Go, CommandError> {
    let (mut go, mut words) = (Go::default(), words.peekable());
    while let Some(word) = words.next() {
        let turn = &mut go.turn;
        match word {
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|word| !WORDS.contains(word)) {
                    go.search_moves.push(text.to_owned());
                }
                if go.search_moves.is_empty() {
                    return Err(CommandError::SearchMoves);
                }
            }
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
    Ok(go)
}

/// Writes the command in the form that is parsed.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&go_line(&self.turn))?;
        f.write_str(if self.ponder { " ponder" } else { "" })?;
        match self.search_moves.as_slice() {
            [] => Ok(()),
            turns => write!(f, " searchmoves {}", turns.join(" ")),
        }
    }
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
            "go movetime 5 ponder",
            "go depth 3 searchmoves e2 a1-b2;x",
        ] {
            assert_eq!(parse(text.strip_prefix("go").unwrap().split_whitespace()).unwrap().to_string(), text);
        }
        let go = parse("searchmoves e2 ponder d2 nodes 5".split_whitespace()).unwrap();
        assert_eq!((go.search_moves, go.ponder, go.turn.nodes), (vec!["e2".to_owned()], true, Some(5)));
        assert_eq!(parse("nodes 5 searchmoves".split_whitespace()), Err(CommandError::SearchMoves));
    }
}

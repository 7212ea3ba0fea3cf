//! Commands to an engine, parsed.

use super::go::{self, Go};
use crate::printable::obeyed;

/// A command to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `ugi`: who are you, and what can be set?
    Ugi,
    /// `isready`: answer when everything before it is done.
    IsReady,
    /// `setoption name X value Y`; names and values may hold blanks.
    SetOption {
        /// The option.
        name: String,
        /// Its value; empty if there is none.
        value: String,
    },
    /// `uginewgame`: another game follows.
    NewGame,
    /// `position …`: the position to think about.
    Position {
        /// The start of the game.
        start: Beginning,
        /// The turns since then.
        moves: Vec<String>,
    },
    /// `go …`: think, and answer with `bestmove`.
    Go(Go),
    /// `ponderhit`: the opponent has played the turn that was expected; from now on the limits hold.
    PonderHit,
    /// `stop`: answer now.
    Stop,
    /// `query …`.
    Query(Query),
    /// `quit`: end.
    Quit,
    /// An empty line, which means nothing.
    Nothing,
}

/// The start of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// `startpos`: the start of the current rule set.
    Start,
    /// `fen …`: the position of this text, whose rule set it names.
    Text(String),
}

/// A question of a match runner that does not know the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `p1turn`: is White to move?
    WhiteToMove,
    /// `gameover`.
    GameOver,
    /// `result`: `p1win`, `p2win`, `draw` or `none`.
    Outcome,
    /// `legal`: all turns that can be played.
    Legal,
    /// `position`: the position text.
    Position,
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no such command.
    #[error(
        "unknown command `{0}`: expected ugi, isready, setoption, uginewgame, position, go, ponderhit, stop, query or quit"
    )]
    Unknown(String),
    /// The words of `setoption` do not fit.
    #[error("setoption: expected `setoption name NAME value VALUE`")]
    SetOption,
    /// The words of `position` do not fit.
    #[error("position: found `{0}`, expected `startpos` or `fen` with a position text, then maybe `moves`")]
    Position(String),
    /// A word of `go` needs a number.
    #[error("go: {name} `{found}`: expected an integer")]
    Number {
        /// The word.
        name: &'static str,
        /// The word after it.
        found: String,
    },
    /// No turn follows `searchmoves`.
    #[error("go: searchmoves: expected turns after it")]
    SearchMoves,
    /// There is no such question.
    #[error("query: found `{0}`, expected p1turn, gameover, result, legal or position")]
    Query(String),
}

/// The words of a position text.
const TEXT_WORDS: usize = 8;
/// The number of characters of a foreign word that an answer quotes.
pub const SHOWN: usize = 40;

impl CommandError {
    /// Returns whether the line is a `go`: its sender waits for an answer.
    pub const fn is_of_go(&self) -> bool {
        matches!(self, Self::Number { .. } | Self::SearchMoves)
    }

    /// Returns whether the line is a `position`: the one before it no longer holds.
    pub const fn is_of_position(&self) -> bool {
        matches!(self, Self::Position(_))
    }

    pub(super) fn number(name: &'static str, word: &str) -> Self {
        Self::Number { name, found: shortened(word, SHOWN) }
    }
}

impl Command {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is not a command, or its words do not fit.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut words = line.split_whitespace();
        Ok(match words.next() {
            None => Self::Nothing,
            Some("ugi") => Self::Ugi,
            Some("isready") => Self::IsReady,
            Some("setoption") => parse_option(&words.collect::<Vec<_>>())?,
            Some("uginewgame") => Self::NewGame,
            Some("position") => parse_position(&words.collect::<Vec<_>>())?,
            Some("go") => Self::Go(go::parse(words)?),
            Some("ponderhit") => Self::PonderHit,
            Some("stop") => Self::Stop,
            Some("query") => Self::Query(parse_query(words.next())?),
            Some("quit") => Self::Quit,
            Some(word) => return Err(CommandError::Unknown(shortened(word, SHOWN))),
        })
    }
}

fn parse_option(words: &[&str]) -> Result<Command, CommandError> {
    let Some((&"name", rest)) = words.split_first() else { return Err(CommandError::SetOption) };
    let end = rest.iter().position(|&word| word == "value").unwrap_or(rest.len());
    if end == 0 {
        return Err(CommandError::SetOption);
    }
    let value = rest.get(end + 1..).unwrap_or_default();
    Ok(Command::SetOption { name: rest[..end].join(" "), value: value.join(" ") })
}

fn parse_position(words: &[&str]) -> Result<Command, CommandError> {
    let wrong = |word: Option<&&str>| CommandError::Position(shortened(word.unwrap_or(&""), SHOWN));
    let (start, rest) = match words {
        ["startpos", rest @ ..] => (Beginning::Start, rest),
        ["fen", rest @ ..] if rest.len() >= TEXT_WORDS => {
            (Beginning::Text(rest[..TEXT_WORDS].join(" ")), &rest[TEXT_WORDS..])
        }
        ["fen", rest @ ..] => return Err(CommandError::Position(shortened(&rest.join(" "), SHOWN))),
        _ => return Err(wrong(words.first())),
    };
    let moves = match rest {
        [] => Vec::new(),
        ["moves", moves @ ..] => moves.iter().map(|&word| word.to_owned()).collect(),
        _ => return Err(wrong(rest.first())),
    };
    Ok(Command::Position { start, moves })
}

fn parse_query(word: Option<&str>) -> Result<Query, CommandError> {
    match word {
        Some("p1turn") => Ok(Query::WhiteToMove),
        Some("gameover") => Ok(Query::GameOver),
        Some("result") => Ok(Query::Outcome),
        Some("legal") => Ok(Query::Legal),
        Some("position") => Ok(Query::Position),
        _ => Err(CommandError::Query(shortened(word.unwrap_or_default(), SHOWN))),
    }
}

/// Returns the beginning of another program's output, for a one-line message: without characters that control a
/// terminal.
pub fn shortened(text: &str, most: usize) -> String {
    text.chars().filter(|&character| !obeyed(character)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::TurnBudget;
    use std::time::Duration;

    fn read(line: &str) -> Command {
        Command::parse(line).unwrap()
    }

    #[test]
    fn positions_have_a_start_and_maybe_moves() {
        let moves = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(read("position startpos"), Command::Position { start: Beginning::Start, moves: Vec::new() });
        let text = "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0";
        let position = Command::Position { start: Beginning::Text(text.to_owned()), moves: moves(&["e2", "a1-b2;x"]) };
        assert_eq!(read(&format!("  position\tfen {text}  moves e2 a1-b2;x ")), position);
        for wrong in ["position", "position e2", "position fen standard w", "position startpos e2"] {
            assert!(matches!(Command::parse(wrong), Err(CommandError::Position(_))), "{wrong}");
        }
    }

    #[test]
    fn go_takes_its_limits_in_any_order() {
        let turn = |turn| Command::Go(Go { turn, ..Go::default() });
        let go = TurnBudget {
            left: [Some(Duration::from_secs(1)), Some(Duration::ZERO)],
            increment: [Duration::ZERO, Duration::from_millis(10)],
            depth: Some(3),
            ..TurnBudget::default()
        };
        assert_eq!(read("go depth 3 p2inc 10 p1time 1000 p2time -5"), turn(go));
        assert_eq!(read("go"), turn(TurnBudget::default()));
        assert_eq!(read("go infinite"), turn(TurnBudget { infinite: true, ..TurnBudget::default() }));
        let number = |name, found: &str| CommandError::Number { name, found: found.to_owned() };
        assert_eq!(Command::parse("go nodes x"), Err(number("nodes", "x")));
        assert_eq!(Command::parse("go movetime"), Err(number("movetime", "")));
        assert_eq!(Command::parse(&format!("go depth {}", "x".repeat(60_000))), Err(number("depth", &"x".repeat(40))));
        let endless = TurnBudget { nodes: Some(u64::MAX), left: [Some(Duration::ZERO), None], ..TurnBudget::default() };
        let digits = "9".repeat(30);
        assert_eq!(read(&format!("go nodes {digits} p1time -{digits}")), turn(endless));
        assert_eq!(
            read("go mate 5 movestogo 40 depth 3"),
            turn(TurnBudget { depth: Some(3), ..TurnBudget::default() })
        );
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_quoted() {
        let told = Command::parse("pla\u{1b}y\u{202e}\u{feff}\u{200b}er").unwrap_err();
        assert_eq!(told, CommandError::Unknown("player".to_owned()));
    }

    #[test]
    fn names_and_values_of_options_may_hold_blanks() {
        let set = |name: &str, value: &str| Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(read("setoption name Ply Limit value 4 5"), set("Ply Limit", "4 5"));
        assert_eq!(read("setoption name Agent"), set("Agent", ""));
        for wrong in ["setoption", "setoption name", "setoption name value 3", "setoption value 3"] {
            assert_eq!(Command::parse(wrong), Err(CommandError::SetOption), "{wrong}");
        }
    }
}

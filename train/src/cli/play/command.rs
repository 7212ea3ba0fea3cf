//! The commands that the user types.

use std::path::PathBuf;

/// One line typed by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// A move, or an answer to a question.
    Move(String),
    /// Show the board again.
    Board,
    /// List the legal actions with their numbers.
    List,
    /// Ask what a strong player would do.
    Hint,
    /// Take back the user's last turn.
    Undo,
    /// Keep the game in a file, or a copy of one that is kept already; by default in the file used before.
    Save(Option<PathBuf>),
    /// Give up the game.
    Resign,
    /// Leave the program.
    Quit,
    /// List the commands.
    Help,
    /// Nothing but blanks.
    Nothing,
}

impl Command {
    /// Returns what a line means; everything that is not a command is a move.
    pub fn of(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word.to_lowercase().as_str(), rest.is_empty()) {
            ("", _) => Self::Nothing,
            ("board" | "show", true) => Self::Board,
            ("list" | "moves", true) => Self::List,
            ("hint", true) => Self::Hint,
            ("undo", true) => Self::Undo,
            ("save", true) => Self::Save(None),
            ("save", false) => Self::Save(Some(PathBuf::from(rest))),
            ("resign", true) => Self::Resign,
            ("quit" | "exit" | "q", true) => Self::Quit,
            ("help" | "?" | "h", true) => Self::Help,
            _ => Self::Move(line.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_moves() {
        assert_eq!(Command::of("  HINT \n"), Command::Hint);
        assert_eq!(Command::of("save my game.json\r\n"), Command::Save(Some(PathBuf::from("my game.json"))));
        assert_eq!(Command::of("save"), Command::Save(None));
        assert_eq!(Command::of("take row b1-i4"), Command::Move("take row b1-i4".to_owned()));
        assert_eq!(Command::of("e1 e4"), Command::Move("e1 e4".to_owned()));
        assert_eq!(Command::of(" \t"), Command::Nothing);
    }
}

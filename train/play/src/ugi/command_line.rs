//! The words that start a program.

use std::fmt;
use std::str::FromStr;

/// A program and its arguments, as read from one text.
///
/// Blanks separate words; within single or double quotes they do not, and the quotes are dropped. Nothing else is
/// special: no shell reads the text.
///
/// ```
/// use gipf_play::ugi::CommandLine;
///
/// let line: CommandLine = "engine --name 'my engine' \"\"".parse()?;
/// assert_eq!((line.program.as_str(), line.arguments.as_slice()), ("engine", ["--name", "my engine",
/// ""].map(String::from).as_slice()));
/// # Ok::<(), gipf_play::ugi::CommandLineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program: a path, or a name that is looked up as usual.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    text: String,
}

/// Why a text does not name a program to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// There is no word.
    #[error("empty command: expected a program, with or without arguments")]
    Empty,
    /// A quote is not closed.
    #[error("the quote {0} is not closed: expected another one")]
    Unclosed(char),
}

impl FromStr for CommandLine {
    type Err = CommandLineError;

    fn from_str(text: &str) -> Result<Self, CommandLineError> {
        let mut words = words(text)?.into_iter();
        let program = words.next().filter(|word| !word.is_empty()).ok_or(CommandLineError::Empty)?;
        Ok(Self { program, arguments: words.collect(), text: text.trim().to_owned() })
    }
}

/// Writes the text that was read.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn words(text: &str) -> Result<Vec<String>, CommandLineError> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |open| Err(CommandLineError::Unclosed(open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together_and_nothing_else_has_a_meaning() {
        let read = |text: &str| words(text).unwrap();
        assert_eq!(read("  a\tb  c "), ["a", "b", "c"]);
        assert_eq!(read("'a b'c \"d'e\" $x `y` *"), ["a bc", "d'e", "$x", "`y`", "*"]);
        assert_eq!("".parse::<CommandLine>(), Err(CommandLineError::Empty));
        assert_eq!("'' a".parse::<CommandLine>(), Err(CommandLineError::Empty));
        assert_eq!("a 'b".parse::<CommandLine>(), Err(CommandLineError::Unclosed('\'')));
    }
}

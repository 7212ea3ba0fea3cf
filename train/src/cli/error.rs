//! Errors in one line.

use std::error::Error;
use std::ffi::OsString;
use std::io::ErrorKind;

use clap::error::{ContextKind, ContextValue};
use gipf_play::analysis::AnalysisError;
use gipf_play::arena::{BookError, MatchError};
use gipf_play::players::AgentError;
use gipf_play::printable;

use super::console::is_unheard;
use super::{Console, Exit, definition};
use crate::output::OutputError;

/// The arguments make no sense, either alone or together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongUse(pub String);

/// Reports why a command failed, in one line, and returns the exit that follows.
pub(super) fn report(error: &anyhow::Error, console: &mut Console<'_>) -> Exit {
    let is_piped =
        |error: &OutputError| matches!(error, OutputError::Io(_, why) if why.kind() == ErrorKind::BrokenPipe);
    let has_ended = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref().is_some_and(is_unheard) || cause.downcast_ref().is_some_and(is_piped)
    };
    if error.chain().any(has_ended) {
        return Exit::Success;
    }
    console.note(format_args!("error: {}", one_line(error)));
    if error.chain().any(is_wrong_use) { Exit::WrongUse } else { Exit::Failure }
}

/// Returns whether the request makes no sense, whatever the files hold; the library has its own errors for this.
fn is_wrong_use(cause: &(dyn Error + 'static)) -> bool {
    let agent = |error: &AgentError| {
        matches!(
            error,
            AgentError::Unknown(_) | AgentError::Setting { .. } | AgentError::Endless(_) | AgentError::NotTrained(_)
        )
    };
    let in_file = |error: &BookError| matches!(error, BookError::Empty(_) | BookError::Line { .. });
    let played = |error: &MatchError| !matches!(error, MatchError::Book(error) if in_file(error));
    let analysed = |error: &AnalysisError| matches!(error, AnalysisError::NoValues(_));
    cause.is::<WrongUse>()
        || is_of_dataset(cause)
        || cause.downcast_ref().is_some_and(agent)
        || cause.downcast_ref().is_some_and(played)
        || cause.downcast_ref().is_some_and(analysed)
}

#[cfg(feature = "dataset")]
fn is_of_dataset(cause: &(dyn Error + 'static)) -> bool {
    use crate::dataset::DatasetError;

    matches!(cause.downcast_ref(), Some(DatasetError::Same(_) | DatasetError::Twice(_)))
}

#[cfg(not(feature = "dataset"))]
const fn is_of_dataset(_: &(dyn Error + 'static)) -> bool {
    false
}

/// Returns what is wrong with the arguments, without the usage text that clap adds.
pub(super) fn in_one_line(error: &clap::Error, args: &[OsString]) -> String {
    let text = error.render().to_string();
    let told = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    // Useless lines: they explain how to pass -1 even where no number may be below 0.
    let is_vain = |line: &str| line.starts_with("For more information") || line.starts_with("tip: to pass");
    let told: Vec<_> = told.filter(|line| !line.is_empty() && !is_vain(line)).collect();
    let hint = meant_as_value(error, args).or_else(|| unreadable(error, args)).unwrap_or_default();
    let told = told.join(" ") + &hint;
    format!("{}; see --help", printable(&told))
}

/// Returns how to write a word that was not understood as the value of the option before it, if that option takes one:
/// after `=` a value may begin with -, and `--book` takes its value only there.
fn meant_as_value(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(surplus)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != clap::error::ErrorKind::UnknownArgument || surplus.starts_with("--") {
        return None;
    }
    let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
    // Of several letters after one -, clap names the first.
    let program = definition();
    let pair = words.windows(2).find(|pair| pair[1].starts_with(surplus) && takes_value(&program, &pair[0]))?;
    let (option, value) = (&pair[0], &pair[1]);
    Some(format!(": expected {option}={value} if it is the value of {option}"))
}

/// Returns the word that clap found to be no text but did not name.
fn unreadable(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let word = args.iter().find(|word| word.to_str().is_none())?;
    (error.kind() == clap::error::ErrorKind::InvalidUtf8).then(|| format!(": '{}'", word.to_string_lossy()))
}

/// Returns whether a word is an option with a value, of any command.
fn takes_value(command: &clap::Command, word: &str) -> bool {
    let Some(name) = word.strip_prefix("--") else { return false };
    let mut own = command.get_arguments().filter(|arg| arg.get_action().takes_values());
    own.any(|arg| arg.get_long() == Some(name)) || command.get_subcommands().any(|part| takes_value(part, word))
}

/// Returns the error and its causes, in one line; a cause that the error before it already contains is left out.
fn one_line(error: &anyhow::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.last().is_some_and(|before| before.ends_with(&cause)) {
            told.push(cause);
        }
    }
    printable(&told.join(": ").split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn causes_are_told_once_and_in_one_line() {
        let cause = io::Error::other("disk\n on  fire");
        let error = anyhow::Error::new(cause).context("run.json: disk\n on  fire").context("cannot save");
        assert_eq!(one_line(&error), "cannot save: run.json: disk on fire");
    }

    #[test]
    #[cfg(unix)]
    fn a_word_that_is_no_text_is_named() {
        use std::os::unix::ffi::OsStringExt;

        let name = OsString::from_vec(b"runs/caf\xe9".to_vec());
        let args = ["gipf".into(), "eval".into(), name];
        let told = in_one_line(&super::super::parsed(&args).unwrap_err(), &args);
        assert!(told.contains("UTF-8") && told.ends_with(": 'runs/caf\u{fffd}'; see --help"), "{told}");
    }
}

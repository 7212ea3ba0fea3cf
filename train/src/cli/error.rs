//! Errors in one line.

use std::error::Error;

use gipf_play::arena::{BookError, MatchError};
use gipf_play::players::AgentError;
use gipf_play::printable;

use super::console::is_unheard;
use super::{Console, Exit};

/// The arguments make no sense, each of them or together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongUse(pub String);

/// Reports why a command failed, in one line, and returns the exit that follows.
pub(super) fn report(error: &anyhow::Error, console: &mut Console<'_>) -> Exit {
    if error.chain().any(|cause| cause.downcast_ref().is_some_and(is_unheard)) {
        return Exit::Success;
    }
    console.note(format_args!("error: {}", one_line(error)));
    if error.chain().any(is_wrong_use) { Exit::WrongUse } else { Exit::Failure }
}

/// Returns whether what was asked for makes no sense, whatever the files hold; the library says so by errors of its own.
fn is_wrong_use(cause: &(dyn Error + 'static)) -> bool {
    let agent = |error: &AgentError| {
        matches!(
            error,
            AgentError::Unknown(_) | AgentError::Setting { .. } | AgentError::Endless(_) | AgentError::NotTrained(_)
        )
    };
    let in_file = |error: &BookError| matches!(error, BookError::Empty(_) | BookError::Line { .. });
    let played = |error: &MatchError| !matches!(error, MatchError::Book(error) if in_file(error));
    cause.is::<WrongUse>() || cause.downcast_ref().is_some_and(agent) || cause.downcast_ref().is_some_and(played)
}

/// Returns what is wrong with the arguments, without the usage text that clap adds.
pub(super) fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let told = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    // How to pass -1 all the same, where no number may be below 0.
    let is_vain = |line: &str| line.starts_with("For more information") || line.starts_with("tip: to pass");
    let told: Vec<_> = told.filter(|line| !line.is_empty() && !is_vain(line)).collect();
    format!("{}; see --help", printable(&told.join(" ")))
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
}

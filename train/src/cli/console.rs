//! The streams of a command, and its exit status.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use gipf_play::Stop;

/// The streams and signals of one run of the program, which may be on a thread of its own.
pub struct Console<'a> {
    /// Where a person's lines come from.
    pub input: &'a mut (dyn BufRead + Send),
    /// Where results go, from any thread.
    pub out: &'a mut (dyn Write + Send),
    /// Where errors and progress go.
    pub err: &'a mut (dyn Write + Send),
    /// Whether `out` is a terminal watched by a person.
    pub terminal: bool,
    /// Whether `out` shows colours.
    pub colours: bool,
    /// The wish to stop, as by Ctrl-C.
    pub stop: Stop,
}

impl Console<'_> {
    /// Prints a one-line warning; the work goes on.
    pub(super) fn warn(&mut self, text: &str) {
        // Nothing is left to be done if the stream for errors is closed.
        let _ = writeln!(self.err, "warning: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It succeeded.
    Success,
    /// It could not, or a check did not hold.
    Failure,
    /// The arguments make no sense.
    WrongUse,
    /// It was asked to stop, and saved its progress.
    Interrupted,
}

impl Exit {
    /// Returns the exit code for the shell.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::WrongUse => 2,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

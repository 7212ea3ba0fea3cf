//! The streams of a command, and its exit status.

use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use gipf_play::{Stop, printable, printable_lines};
use serde::Serialize;

use crate::output::OutputFile;

/// Longer input lines cannot be moves or turns.
const LONGEST_LINE: u64 = 4096;

/// The streams and signals of one run of the program, which may have its own thread.
pub struct Console<'a> {
    /// Where the user's lines come from.
    pub(super) input: &'a mut (dyn BufRead + Send),
    /// Where results go, from any thread.
    pub(super) out: &'a mut (dyn Write + Send),
    /// Where errors and progress go.
    pub(super) err: &'a mut (dyn Write + Send),
    /// Whether `out` is a terminal watched by a person.
    pub(super) terminal: bool,
    /// Whether `out` shows colours.
    pub(super) colours: bool,
    /// The request to stop, such as Ctrl-C.
    pub(super) stop: Stop,
    /// Whether an output goes straight to a stream, such as `/dev/stdout`, which may be `out`: nothing else goes there.
    is_out_taken: bool,
}

impl<'a> Console<'a> {
    /// Returns the streams of a program that nobody watches or stops: where lines come from, where results go, and where
    /// errors and progress go.
    pub fn new(
        input: &'a mut (dyn BufRead + Send),
        out: &'a mut (dyn Write + Send),
        err: &'a mut (dyn Write + Send),
    ) -> Self {
        Self { input, out, err, terminal: false, colours: false, stop: Stop::default(), is_out_taken: false }
    }

    /// Returns the same, with this request to stop.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Returns the same with these properties of `out`: whether a person watches it at a terminal, and whether it shows
    /// colours.
    pub(super) const fn shown(mut self, terminal: bool, colours: bool) -> Self {
        (self.terminal, self.colours) = (terminal, colours);
        self
    }
}

impl Console<'_> {
    /// Leaves the stream of the results to an output if that goes straight to a stream.
    pub(super) fn make_way(&mut self, output: &OutputFile) {
        self.is_out_taken |= output.is_straight();
    }

    /// Returns where to write messages about a product: where results go, unless an output goes there.
    pub(super) fn about(&mut self) -> &mut (dyn Write + Send) {
        if self.is_out_taken { self.err } else { self.out }
    }

    /// Returns the user's next line, if there is one; the rest of a very long line is skipped.
    pub(super) fn next_line(&mut self) -> io::Result<Option<String>> {
        if self.terminal {
            write!(self.out, "> ")?;
        }
        self.out.flush()?;
        let mut line = Vec::new();
        (&mut *self.input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
        }
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
    }

    /// Prints a one-line warning; the work continues.
    pub(super) fn warn(&mut self, text: &str) {
        self.note(format_args!("warning: {}", printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))));
    }

    /// Prints a line beside the results.
    pub(super) fn note(&mut self, line: impl Display) {
        // If the stream for errors is closed, nothing more can be done.
        let _ = writeln!(self.err, "{}", printable_lines(&line.to_string()));
    }

    /// Prints a line about a product or a verdict, which remains valid whether or not the line can be printed.
    pub(super) fn tell(&mut self, line: impl Display) {
        self.print(&printable_lines(&line.to_string()));
    }

    /// Prints a line of JSON in the same way.
    pub(super) fn tell_json(&mut self, value: &impl Serialize) -> serde_json::Result<()> {
        self.print(&serde_json::to_string(value)?);
        Ok(())
    }

    fn print(&mut self, text: &str) {
        // `finish` reports a failure.
        let about = self.about();
        let _ = writeln!(about, "{text}").and_then(|()| about.flush());
    }

    /// Returns once all results are printed, or nobody reads them any more.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self.out.flush() {
            Err(error) if is_unheard(&error) => Ok(()),
            done => done,
        }
    }
}

/// The stream of the results. Its failures can be distinguished from those of files. Once it has failed it stays failed; a
/// command that continues sees the failure at the end.
pub(super) struct Results<'a> {
    out: &'a mut (dyn Write + Send),
    failure: Option<Untold>,
}

/// The results could not be printed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot print: {told}")]
struct Untold {
    kind: io::ErrorKind,
    told: String,
}

/// Returns whether results could not be printed because their reader closed the pipe, as in `gipf perft … | head`.
pub(super) fn is_unheard(error: &io::Error) -> bool {
    let untold = error.get_ref().and_then(|inner| inner.downcast_ref::<Untold>());
    untold.is_some_and(|untold| untold.kind == io::ErrorKind::BrokenPipe)
}

impl<'a> Results<'a> {
    /// Returns the stream of the results that go to `out`.
    pub fn to(out: &'a mut (dyn Write + Send)) -> Self {
        Self { out, failure: None }
    }

    fn attempt<T>(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let untold = match self.failure.clone() {
            Some(untold) => untold,
            None => match act(self.out) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    Untold { kind: error.kind(), told: error.to_string() }
                }
                done => return done,
            },
        };
        self.failure = Some(untold.clone());
        Err(io::Error::new(untold.kind, untold))
    }
}

impl Write for Results<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush())
    }
}

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It succeeded.
    Success,
    /// It failed, or a check did not hold.
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

//! The streams of a command, and its exit status.

use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use gipf_play::Stop;
use serde::Serialize;

use crate::output::OutputFile;

/// Longer lines of a person are no moves and no turns.
const LONGEST_LINE: u64 = 4096;

/// The streams and signals of one run of the program, which may be on a thread of its own.
pub struct Console<'a> {
    /// Where a person's lines come from.
    pub(super) input: &'a mut (dyn BufRead + Send),
    /// Where results go, from any thread.
    pub(super) out: &'a mut (dyn Write + Send),
    /// Where errors and progress go.
    pub(super) err: &'a mut (dyn Write + Send),
    /// Whether `out` is a terminal watched by a person.
    pub(super) terminal: bool,
    /// Whether `out` shows colours.
    pub(super) colours: bool,
    /// The wish to stop, as by Ctrl-C.
    pub(super) stop: Stop,
    /// Whether an output goes straight to a stream, such as `/dev/stdout`, which may be `out`: nothing else is said there.
    is_out_taken: bool,
}

impl<'a> Console<'a> {
    /// Returns the streams of a program that no person watches and nobody stops: where lines come from, where results go,
    /// and where errors and progress go.
    pub fn new(
        input: &'a mut (dyn BufRead + Send),
        out: &'a mut (dyn Write + Send),
        err: &'a mut (dyn Write + Send),
    ) -> Self {
        Self { input, out, err, terminal: false, colours: false, stop: Stop::default(), is_out_taken: false }
    }

    /// Returns the same, stopped by this wish.
    #[must_use]
    pub fn stopped_by(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Returns the same for results that a person watches at a terminal, or that are shown in colours.
    pub(super) const fn shown(mut self, terminal: bool, colours: bool) -> Self {
        (self.terminal, self.colours) = (terminal, colours);
        self
    }
}

impl Console<'_> {
    /// Leaves the stream of the results to an output if it goes straight to a stream.
    pub(super) fn make_way(&mut self, output: &OutputFile) {
        self.is_out_taken |= output.is_straight();
    }

    /// Returns where to write what is said about a product: where results go, unless an output goes there.
    pub(super) fn about(&mut self) -> &mut (dyn Write + Send) {
        if self.is_out_taken { self.err } else { self.out }
    }

    /// Returns the next line of the person, if there is one; the rest of a very long line is skipped.
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

    /// Prints a one-line warning; the work goes on.
    pub(super) fn warn(&mut self, text: &str) {
        self.note(format_args!("warning: {}", text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }

    /// Prints a line beside the results.
    pub(super) fn note(&mut self, line: impl Display) {
        // Nothing is left to be done if the stream for errors is closed.
        let _ = writeln!(self.err, "{line}");
    }

    /// Prints a line about a product or a verdict, neither of which depends on whether anybody hears of it.
    pub(super) fn tell(&mut self, line: impl Display) {
        // What it fails with is found again by `finish`.
        let about = self.about();
        let _ = writeln!(about, "{line}").and_then(|()| about.flush());
    }

    /// Prints a line of JSON, likewise.
    pub(super) fn tell_json(&mut self, value: &impl Serialize) -> serde_json::Result<()> {
        self.tell(serde_json::to_string(value)?);
        Ok(())
    }

    /// Returns once all results are printed, or nobody hears them any more.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self.out.flush() {
            Err(error) if is_unheard(&error) => Ok(()),
            done => done,
        }
    }
}

/// The stream of the results. Its failures are told from those of files, and it fails for good: who goes on nevertheless finds
/// out at the end.
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

/// Returns whether results could not be printed because their reader has seen enough, as in `gipf perft … | head`.
pub(super) fn is_unheard(error: &io::Error) -> bool {
    let untold = error.get_ref().and_then(|inner| inner.downcast_ref::<Untold>());
    untold.is_some_and(|untold| untold.kind == io::ErrorKind::BrokenPipe)
}

impl<'a> Results<'a> {
    /// Returns the stream of the results that go here.
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

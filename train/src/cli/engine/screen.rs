//! The output of answers, from the listening and the thinking thread.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use gipf_play::printable;

/// Whole lines, each flushed at once.
pub(super) struct Screen<'a>(Mutex<&'a mut (dyn Write + Send)>);

impl<'a> Screen<'a> {
    pub fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Self(Mutex::new(out))
    }

    /// Writes a line.
    pub fn say(&self, line: &str) -> io::Result<()> {
        // A line that was interrupted by a panic is no reason to be silent from then on.
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{line}")?;
        out.flush()
    }

    /// Writes a one-line message for people.
    pub fn remark(&self, text: &str) -> io::Result<()> {
        let words: Vec<_> = text.split_whitespace().collect();
        self.say(&format!("info string {}", printable(&words.join(" "))))
    }
}

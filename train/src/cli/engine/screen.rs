//! Where answers go, from the thread that listens and the one that thinks.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use gipf_play::printable;

/// Whole lines, each sent on its way at once.
pub(super) struct Screen<'a>(Mutex<&'a mut (dyn Write + Send)>);

impl<'a> Screen<'a> {
    pub fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Self(Mutex::new(out))
    }

    /// Writes a line.
    pub fn say(&self, line: &str) -> io::Result<()> {
        // A line that was begun and broken off is no reason to be silent from then on.
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{line}")?;
        out.flush()
    }

    /// Writes what a person may want to know, in one line.
    pub fn remark(&self, text: &str) -> io::Result<()> {
        let words: Vec<_> = text.split_whitespace().collect();
        self.say(&format!("info string {}", printable(&words.join(" "))))
    }
}

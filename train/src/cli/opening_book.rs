//! The books that commands take openings from.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use gipf_env::Variant;
use gipf_play::Seal;
use gipf_play::arena::Book;

use super::Console;

/// Which book is meant.
#[derive(Clone, Debug)]
pub(super) enum WhichBook {
    /// The one of the rule set that comes with the program.
    Own,
    /// The one in a file.
    File(PathBuf),
}

impl WhichBook {
    /// Reads the value of an option: the name of a file, or nothing.
    #[expect(clippy::unnecessary_wraps, reason = "as clap wants it")]
    pub fn parse(text: &str) -> Result<Self, Infallible> {
        Ok(if text.is_empty() { Self::Own } else { Self::File(text.into()) })
    }

    /// Returns the book, and warns if it was changed since a program wrote it.
    ///
    /// # Errors
    /// If the file cannot be read, is not a book, or is for another rule set.
    pub fn read(&self, variant: Variant, console: &mut Console<'_>) -> Result<Book> {
        match self {
            Self::Own => Ok(Book::of(variant)),
            Self::File(path) => read_book(path, variant, console),
        }
    }
}

/// Reads the book of a file, which must be one for the rule set.
fn read_book(path: &Path, variant: Variant, console: &mut Console<'_>) -> Result<Book> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let book = Book::parse(&name, &text)?;
    ensure!(book.variant() == variant, "{name} is a book of {}: expected one of {variant}", book.variant());
    if book.seal() == Seal::Broken {
        console.warn(&format!("book {name}: not as it was written: its checksum differs"));
    }
    Ok(book)
}

//! The books that commands take openings from.

use std::path::Path;

use anyhow::Result;
use gipf_env::Variant;
use gipf_play::Seal;
use gipf_play::arena::Book;

use super::Console;

/// Returns the book in a file, or the rule set's own, which comes with the program, and warns if it was changed since a
/// program wrote it.
///
/// # Errors
/// If the file cannot be read, is not a book, or is for another rule set.
pub(super) fn read_book(path: Option<&Path>, variant: Variant, console: &mut Console<'_>) -> Result<Book> {
    let Some(path) = path else { return Ok(Book::of(variant)) };
    let book = Book::read(path, variant)?;
    if book.seal() == Seal::Broken {
        console.warn(&format!("book {}: not as it was written: its checksum differs", book.name()));
    }
    Ok(book)
}

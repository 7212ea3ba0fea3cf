//! The books that commands take openings from.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use gipf_env::Variant;
use gipf_models::read_text;
use gipf_play::Seal;
use gipf_play::arena::Book;

use super::Console;

/// Larger than a book of as many positions as `gipf book` finds.
const LARGEST: u64 = 64 << 20;

/// Returns the book of a file, or the one of the rule set that comes with the program, and warns if it was changed since a
/// program wrote it.
///
/// # Errors
/// If the file cannot be read, is not a book, or is for another rule set.
pub(super) fn read_book(path: Option<&Path>, variant: Variant, console: &mut Console<'_>) -> Result<Book> {
    let Some(path) = path else { return Ok(Book::of(variant)) };
    let name = path.display().to_string();
    let text = read_text(path, LARGEST).with_context(|| format!("cannot read {name}"))?;
    let book = Book::parse(&name, &text)?;
    ensure!(book.variant() == variant, "{name} is a book of {}: expected one of {variant}", book.variant());
    if book.seal() == Seal::Broken {
        console.warn(&format!("book {name}: not as it was written: its checksum differs"));
    }
    Ok(book)
}

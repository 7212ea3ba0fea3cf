//! Pages of a column, checked before the library decodes them: the library allocates as many values as a page claims
//! to have.

use gipf_env::ActionSpace;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;

use super::column::damaged;
use super::field::Field;

/// Passes on the pages of a column, unless they claim more values than the column can have.
pub(super) struct SoundPages {
    pages: Box<dyn PageReader>,
    field: &'static Field,
    /// The most values that the remaining pages can have, nulls and empty lists included.
    left: usize,
}

/// The fewest bytes of a value in a dictionary: those of a number, or of the length of a text.
const LEAST_BYTES: usize = 4;

impl SoundPages {
    /// Creates the reader of a column's pages, for a row group of `rows` rows.
    pub fn new(pages: Box<dyn PageReader>, field: &'static Field, rows: usize) -> Self {
        // No list is longer than a list of all actions.
        let each = if field.is_list() { ActionSpace::LARGEST.size() } else { 1 };
        Self { pages, field, left: rows * each }
    }

    fn checked(&mut self, page: Page) -> Result<Page> {
        let values = page.num_values() as usize;
        let fits = if let Page::DictionaryPage { buf, .. } = &page {
            values <= self.left.min(buf.len() / LEAST_BYTES)
        } else {
            let left = self.left.checked_sub(values);
            self.left = left.unwrap_or(0);
            left.is_some()
        };
        if fits { Ok(page) } else { Err(damaged(self.field)) }
    }
}

impl Iterator for SoundPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for SoundPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

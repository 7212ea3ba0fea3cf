//! Pages of a column, checked before the library decodes them: the library allocates as many values as a page claims
//! to have.

use gipf_env::geometry::SPOTS;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;

use super::column::{MOST_TEXT, damaged};
use super::field::{Element, Field};
use super::rounding::WHOLE;

/// Passes on the pages of a column, unless they claim more values than the column can have.
pub(super) struct SoundPages {
    pages: Box<dyn PageReader>,
    field: &'static Field,
    /// The most values that the remaining pages can have, nulls and empty lists included.
    left: usize,
}

/// The fewest bytes of a value in a dictionary: those of a number, or of the length of a text.
const LEAST_BYTES: usize = 4;
/// The most bytes that a value takes beside its own: two levels, and its place in a dictionary.
const BESIDE: usize = 8;
/// The most bytes of pages that do not grow with the number of rows, with room to spare.
const FIXED: usize = 1 << 16;

/// Returns the most values that a column can have in a row group of `rows` rows, nulls and empty lists included.
fn most_values(field: &Field, rows: usize) -> usize {
    // No list is longer than a policy: its units are at least 1 each.
    rows * if field.is_list() { WHOLE as usize } else { 1 }
}

/// Returns the most bytes that the pages of a column can have together, decompressed, in a row group of `rows` rows.
pub(super) fn most_bytes(field: &Field, rows: usize) -> u64 {
    let each = match field.element {
        Element::Bool => 1,
        Element::U8 | Element::U16 | Element::U32 | Element::I8 => 4,
        Element::U64 => 8,
        Element::Board => SPOTS,
        Element::Text => LEAST_BYTES + MOST_TEXT,
    };
    (most_values(field, rows) * (each + BESIDE) + FIXED) as u64
}

impl SoundPages {
    /// Creates the reader of a column's pages, for a row group of `rows` rows.
    pub fn new(pages: Box<dyn PageReader>, field: &'static Field, rows: usize) -> Self {
        Self { pages, field, left: most_values(field, rows) }
    }

    fn checked(&mut self, page: Page) -> Result<Page> {
        // Values that repeat the beginnings of those before them can be far longer than their page, and no writer of
        // datasets writes them.
        if page.encoding() == Encoding::DELTA_BYTE_ARRAY {
            return Err(damaged(self.field));
        }
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

#[cfg(test)]
mod tests {
    use super::super::table::FIELDS;
    use super::*;

    /// No pages.
    struct Nothing;

    impl Iterator for Nothing {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Self::Item> {
            None
        }
    }

    impl PageReader for Nothing {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            Ok(None)
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn data_page(num_values: u32, encoding: Encoding) -> Page {
        let levels = Encoding::RLE;
        let (def_level_encoding, rep_level_encoding) = (levels, levels);
        Page::DataPage {
            buf: Vec::new().into(),
            num_values,
            encoding,
            def_level_encoding,
            rep_level_encoding,
            statistics: None,
        }
    }

    #[test]
    fn pages_whose_values_outgrow_them_are_refused() {
        let field = FIELDS.iter().find(|field| field.element == Element::Text).unwrap();
        let accepts = |pages: &[(u32, Encoding)]| {
            let mut sound = SoundPages::new(Box::new(Nothing), field, 9);
            pages.iter().all(|&(values, encoding)| sound.checked(data_page(values, encoding)).is_ok())
        };
        assert!(accepts(&[(4, Encoding::PLAIN), (5, Encoding::RLE_DICTIONARY)]));
        assert!(!accepts(&[(4, Encoding::PLAIN), (6, Encoding::RLE_DICTIONARY)]));
        assert!(!accepts(&[(1, Encoding::DELTA_BYTE_ARRAY)]));
    }
}

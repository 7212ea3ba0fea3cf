//! Reading a dataset.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use gipf_env::{GipfPosition, Variant};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::parser::parse_message_type;

use super::column;
use super::field::Field;
use super::pages::SoundPages;
use super::table::{FIELDS, definition};
use super::{DataFile, DatasetError, Provenance, ROW_GROUP_ROWS, Row, headers};

/// The most rows of a file. A file is full at [`ROW_GROUP_ROWS`] plus the rest of the game that fills it; no real
/// game is longer than this allows.
pub(super) const MOST_ROWS: usize = 8 * ROW_GROUP_ROWS;

/// Reads one file of a dataset.
pub struct DatasetReader {
    path: PathBuf,
    parquet: SerializedFileReader<File>,
    /// The same file, to look at the headers of pages before the library reads them.
    file: File,
    provenance: Provenance,
}

impl DatasetReader {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read, is cut short, does not match its manifest, or is not a file of a dataset of this version.
    pub fn open(file: &DataFile) -> Result<Self, DatasetError> {
        let (path, file) = (file.path(), file.open()?);
        let same = file.try_clone().map_err(DatasetError::io(path, "open"))?;
        let parquet = SerializedFileReader::new(same).map_err(DatasetError::parquet(path))?;
        let metadata = parquet.metadata();
        let provenance = Provenance::from_metadata(path, metadata.file_metadata())?;
        let expected = parse_message_type(&definition()).expect("the definition of the columns is a Parquet schema");
        if metadata.file_metadata().schema() != &expected {
            return Err(DatasetError::foreign(path, "its columns are others"));
        }
        check_row_groups(metadata).map_err(|what| DatasetError::foreign(path, what))?;
        Ok(Self { path: path.to_owned(), parquet, file, provenance })
    }

    /// Returns where the games come from.
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Returns what, together with its number, decides whether a game of the file [is held out](super::is_held_out):
    /// the name of the file; in a part of a split also the source of the split, since otherwise all or none of the
    /// games of a part would be held out.
    pub fn key(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.provenance.split_from().map_or_else(|| name.to_string(), |whole| format!("{whole} {name}"))
    }

    /// Checks that the file claims to be of a rule set.
    pub(super) fn expect(&self, variant: Variant) -> Result<(), DatasetError> {
        DatasetError::check_variant(&self.path, self.provenance.variant, variant)
    }

    /// Checks that a position is of the rule set that the file claims.
    pub(super) fn check_variant(&self, position: &GipfPosition) -> Result<(), DatasetError> {
        DatasetError::check_variant(&self.path, position.variant(), self.provenance.variant)
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> u64 {
        self.parquet.metadata().file_metadata().num_rows() as u64
    }

    /// Returns the name and the compressed bytes of each column.
    pub fn column_bytes(&self) -> Vec<(&'static str, u64)> {
        let groups = self.parquet.metadata().row_groups();
        let bytes = |column| groups.iter().map(|group| group.column(column).compressed_size() as u64).sum();
        FIELDS.iter().enumerate().map(|(column, field)| (field.name, bytes(column))).collect()
    }

    /// Iterates over the rows; an error is the last item.
    pub fn rows(&self) -> Rows<'_> {
        Rows { reader: self, group: 0, rest: Vec::new().into_iter(), before: 0 }
    }

    /// Iterates over the games, each as its rows; an error is the last item.
    pub fn games(&self) -> Games<'_> {
        Games { rows: self.rows(), next: None }
    }

    /// Returns the number of row groups.
    pub(super) fn num_groups(&self) -> usize {
        self.parquet.num_row_groups()
    }

    fn read_group(&self, index: usize, before: u64) -> Result<Vec<Row>, DatasetError> {
        let mut rows = vec![Row::blank(); self.parquet.metadata().row_group(index).num_rows() as usize];
        for (column, field) in FIELDS.iter().enumerate() {
            let (cells, _) = self.read_column(index, column, column::read)?;
            for (place, cell) in cells.into_iter().enumerate() {
                if !(field.set)(&mut rows[place], &cell) {
                    return Err(self.wrong_value(field, before as usize + place, format!("{cell:?}")));
                }
            }
        }
        Ok(rows)
    }

    /// Reads a column of a row group; returns what was read, and the number of rows.
    pub(super) fn read_column<T>(
        &self,
        group: usize,
        column: usize,
        read: fn(&Field, usize, ColumnReader) -> parquet::errors::Result<T>,
    ) -> Result<(T, usize), DatasetError> {
        let group = self.parquet.get_row_group(group).map_err(DatasetError::parquet(&self.path))?;
        let (field, rows): (&'static Field, _) = (&FIELDS[column], group.metadata().num_rows() as usize);
        let read = || {
            let chunk = group.metadata().column(column);
            headers::check(&self.file, chunk, field, rows)?;
            let pages = SoundPages::new(group.get_column_page_reader(column)?, field, rows);
            read(field, rows, get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
        };
        // The library's decoders panic on some damaged pages; they share no state with what runs afterwards.
        let found = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(column::damaged(field)));
        Ok((found.map_err(DatasetError::parquet(&self.path))?, rows))
    }

    /// Returns the error for a damaged column.
    pub(super) fn damaged(&self, field: &Field) -> DatasetError {
        DatasetError::parquet(&self.path)(column::damaged(field))
    }

    /// Returns the error for a value that does not belong in its column, in a row counted from 0.
    pub(super) fn wrong_value(&self, field: &Field, row: usize, found: String) -> DatasetError {
        DatasetError::Value { path: self.path.clone(), row: row as u64 + 1, column: field.name, found }
    }
}

/// Opens some files, which must all be of one rule set: the one asked for, or else that of the first file. Returns
/// the rule set, and what was read from each file.
///
/// # Errors
/// If a file cannot be opened, or is of another rule set.
///
/// # Panics
/// If there is no file, and no rule set was asked for.
pub(super) fn survey<T>(
    files: &[DataFile],
    asked: Option<Variant>,
    wanted: impl Fn(&DatasetReader) -> T,
) -> Result<(Variant, Vec<T>), DatasetError> {
    let (mut variant, mut all) = (asked, Vec::with_capacity(files.len()));
    for file in files {
        let reader = DatasetReader::open(file)?;
        reader.expect(*variant.get_or_insert(reader.provenance.variant))?;
        all.push(wanted(&reader));
    }
    Ok((variant.expect("there is a file"), all))
}

/// Checks what the library takes for granted.
fn check_row_groups(metadata: &ParquetMetaData) -> Result<(), String> {
    for group in metadata.row_groups() {
        if !(0..=ROW_GROUP_ROWS as i64).contains(&group.num_rows()) {
            return Err(format!("a row group of {} rows", group.num_rows()));
        }
        let places = |column: &ColumnChunkMetaData| {
            [column.dictionary_page_offset().unwrap_or(0), column.data_page_offset(), column.compressed_size()]
        };
        if group.columns().iter().flat_map(places).any(|place| place < 0) {
            return Err("a column outside the file".to_owned());
        }
    }
    let rows: i64 = metadata.row_groups().iter().map(RowGroupMetaData::num_rows).sum();
    let told = metadata.file_metadata().num_rows();
    if told != rows {
        return Err(format!("it says {told} rows, and its row groups have {rows}"));
    }
    if rows > MOST_ROWS as i64 {
        return Err(format!("it has {rows} rows, of at most {MOST_ROWS}"));
    }
    Ok(())
}

/// The rows of a file, read one row group at a time.
pub struct Rows<'a> {
    reader: &'a DatasetReader,
    group: usize,
    /// The rest of the current row group.
    rest: std::vec::IntoIter<Row>,
    /// The number of rows in the groups before.
    before: u64,
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.rest.as_slice().is_empty() && self.group < self.reader.parquet.num_row_groups() {
            match self.reader.read_group(self.group, self.before) {
                Ok(rows) => {
                    self.group += 1;
                    self.before += rows.len() as u64;
                    self.rest = rows.into_iter();
                }
                Err(error) => {
                    self.group = usize::MAX;
                    return Some(Err(error));
                }
            }
        }
        self.rest.next().map(Ok)
    }
}

/// The games of a file.
pub struct Games<'a> {
    rows: Rows<'a>,
    /// The first row of the next game.
    next: Option<Row>,
}

impl Iterator for Games<'_> {
    type Item = Result<Vec<Row>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = match self.next.take() {
            Some(row) => row,
            None => match self.rows.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            },
        };
        let mut game = vec![first];
        for row in self.rows.by_ref() {
            match row {
                Ok(row) if row.game_id == game[0].game_id => game.push(row),
                Ok(row) => {
                    self.next = Some(row);
                    break;
                }
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(game))
    }
}

//! Writing a dataset.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_models::{temporary_in, write_whole};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde::Serialize;
use tempfile::NamedTempFile;

use super::column;
use super::field::definition;
use super::table::FIELDS;
use super::{DatasetError, Provenance, ROW_GROUP_ROWS, Row, card, parts, sidecar};
use crate::sample::PlayedGame;

/// Writes games to the files of a dataset.
///
/// Each file is written under a temporary name and takes its own when it is full, or at [`Self::finish`]. A writer that
/// is dropped before loses the games since the last full file, and leaves no half file under a name of the dataset. Beside
/// each file lies `games-….txt`, the same games in official notation.
#[derive(Debug)]
pub struct DatasetWriter {
    folder: PathBuf,
    provenance: Provenance,
    part_rows: usize,
    part: Option<Part>,
    summary: Summary,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The number of games.
    pub games: u64,
    /// The number of rows: decisions.
    pub rows: u64,
    /// The files, in order.
    pub files: Vec<PathBuf>,
}

/// The effort of the compressor, 1 to 22.
const LEVEL: i32 = 9;
/// The rows after which a file is closed.
const PART_ROWS: usize = 1 << 16;

impl DatasetWriter {
    /// Starts a dataset in a directory, which is made if need be.
    ///
    /// # Errors
    /// If the directory cannot be written to, or holds a dataset already.
    pub fn create(folder: &Path, provenance: Provenance) -> Result<Self, DatasetError> {
        fs::create_dir_all(folder).map_err(DatasetError::io(folder, "make the directory"))?;
        if let Some(file) = parts(folder)?.into_iter().next() {
            return Err(DatasetError::Exists(file));
        }
        let mut writer = Self {
            folder: folder.to_owned(),
            provenance,
            part_rows: PART_ROWS,
            part: None,
            summary: Summary::default(),
        };
        // An unwritable directory shows now, not when the first games have been played.
        writer.part = Some(Part::create(&writer.folder, &writer.provenance)?);
        Ok(writer)
    }

    /// Closes each file at the first game that brings it to this many rows.
    pub fn with_part_rows(self, part_rows: usize) -> Self {
        Self { part_rows, ..self }
    }

    /// Writes a game.
    ///
    /// # Errors
    /// If the game contradicts itself, and is then left out; or if writing fails.
    pub fn write_game(&mut self, game: &PlayedGame<GipfPosition>) -> Result<(), DatasetError> {
        if game.start.variant() != self.provenance.variant {
            let what = format!("it is of {}: expected {}", game.start.variant(), self.provenance.variant);
            return Err(DatasetError::Game { id: game.id, what });
        }
        let rows = Row::of_game(game)?;
        self.write_rows(rows)
    }

    /// Writes the rows of one game as they are, such as those of another dataset; nothing is checked.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_rows(&mut self, rows: Vec<Row>) -> Result<(), DatasetError> {
        let mut part = match self.part.take() {
            Some(part) => part,
            None => Part::create(&self.folder, &self.provenance)?,
        };
        self.summary.games += 1;
        self.summary.rows += rows.len() as u64;
        part.add(rows)?;
        if part.rows >= self.part_rows {
            return self.close(part);
        }
        self.part = Some(part);
        Ok(())
    }

    /// Completes the dataset, with its description, and returns what was written.
    ///
    /// # Errors
    /// If writing fails; the files completed before remain.
    pub fn finish(mut self) -> Result<Summary, DatasetError> {
        if let Some(part) = self.part.take().filter(|part| part.rows > 0) {
            self.close(part)?;
        }
        if self.summary.games > 0 {
            card::write(&self.folder, &self.provenance, &self.summary, card::WHOLE)?;
        }
        Ok(self.summary)
    }

    fn close(&mut self, part: Part) -> Result<(), DatasetError> {
        let path = self.folder.join(format!("games-{:05}.parquet", self.summary.files.len()));
        part.finish(&path)?;
        self.summary.files.push(path);
        Ok(())
    }
}

/// One file on its way.
#[derive(Debug)]
struct Part {
    temporary: NamedTempFile,
    parquet: SerializedFileWriter<File>,
    /// Rows that wait for their row group to be full.
    waiting: Vec<Row>,
    /// The games of the row groups written, in official notation.
    text: String,
    rows: usize,
}

impl Part {
    fn create(folder: &Path, provenance: &Provenance) -> Result<Self, DatasetError> {
        let unwritable = || DatasetError::io(folder, "write to the directory");
        let temporary = temporary_in(folder).map_err(unwritable())?;
        let file = temporary.reopen().map_err(unwritable())?;
        let schema = parse_message_type(&definition()).expect("the definition of the columns is a Parquet schema");
        let parquet = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties(provenance)));
        let parquet = parquet.map_err(DatasetError::writing(temporary.path()))?;
        Ok(Self { temporary, parquet, waiting: Vec::new(), text: String::new(), rows: 0 })
    }

    /// Adds the rows of a game, in a row group of its own if it does not fit with those that wait.
    fn add(&mut self, rows: Vec<Row>) -> Result<(), DatasetError> {
        if self.waiting.len() + rows.len() > ROW_GROUP_ROWS {
            self.write_waiting()?;
        }
        self.rows += rows.len();
        self.waiting.extend(rows);
        Ok(())
    }

    fn write_waiting(&mut self) -> Result<(), DatasetError> {
        let path = self.temporary.path().to_owned();
        let rows = std::mem::take(&mut self.waiting);
        self.text.push_str(&sidecar::text(&rows));
        // A single game without a limit can be longer than a row group.
        rows.chunks(ROW_GROUP_ROWS).try_for_each(|rows| self.write_group(rows)).map_err(DatasetError::writing(&path))
    }

    fn write_group(&mut self, rows: &[Row]) -> parquet::errors::Result<()> {
        let mut group = self.parquet.next_row_group()?;
        for field in FIELDS {
            let cells: Vec<_> = rows.iter().map(field.get).collect();
            let mut writer = group.next_column()?.expect("the file has a column for each field");
            column::write(field, &cells, &mut writer)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<(), DatasetError> {
        self.write_waiting()?;
        self.parquet.close().map_err(DatasetError::writing(path))?;
        self.temporary.as_file().sync_all().map_err(DatasetError::io(path, "write"))?;
        // The text comes first, so that no file of the dataset is without it; one left by a writer that was killed between
        // the two is replaced.
        let text = path.with_extension("txt");
        write_whole(&text, self.text.as_bytes()).map_err(DatasetError::io(&text, "write"))?;
        let named = self.temporary.persist_noclobber(path);
        named.map(drop).map_err(|error| DatasetError::io(path, "give the file its name")(error.error))
    }
}

/// Returns how the columns are laid out and compressed.
fn properties(provenance: &Provenance) -> WriterProperties {
    let level = ZstdLevel::try_new(LEVEL).expect("zstd has this level");
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(provenance.program.clone())
        .set_key_value_metadata(Some(provenance.to_metadata()));
    let encoded = FIELDS.iter().filter_map(|field| Some((field.path(), field.encoding()?)));
    let properties = encoded.fold(properties, |properties, (path, encoding)| {
        properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding)
    });
    properties.build()
}

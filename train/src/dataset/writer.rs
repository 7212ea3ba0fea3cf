//! Writing a dataset.

use std::path::Path;

use gipf_env::GipfPosition;

use super::folder::DatasetFolder;
use super::reader::MOST_ROWS;
use super::{DatasetError, DatasetReader, Plan, Row, Summary, card};
use crate::output::Existing;
use crate::training::PlayedGame;

/// Writes games to the files of a dataset.
///
/// Each file is written when it is full, or at [`Self::finish`], and the manifest after it. A writer that is dropped
/// before its end, or killed, leaves a partial dataset without the games since the last full file or the last
/// [`Self::keep`]. Giving the games from [`Self::games`] on to a new writer of the same plan results in the same
/// dataset, to the last bit.
#[derive(Debug)]
pub struct DatasetWriter {
    folder: DatasetFolder,
    plan: Plan,
    /// The rows of the next file.
    waiting: Vec<Row>,
    waiting_games: u64,
}

impl DatasetWriter {
    /// Starts a dataset in a directory, which is created if missing, or resumes a partial one of the same plan.
    ///
    /// # Errors
    /// If the directory holds another dataset that is not to be replaced, is in use, lies in a run, or cannot be
    /// written to.
    pub fn create(folder: &Path, plan: Plan, existing: Existing) -> Result<Self, DatasetError> {
        Ok(Self::of(DatasetFolder::open(folder, &plan, existing)?, plan))
    }

    /// Continues in a folder that was opened by this plan.
    pub(super) const fn of(folder: DatasetFolder, plan: Plan) -> Self {
        Self { folder, plan, waiting: Vec::new(), waiting_games: 0 }
    }

    /// Returns the number of games in full files, written by an earlier writer or by this one.
    pub fn games(&self) -> u64 {
        self.folder.manifest().files.iter().map(|entry| entry.games).sum()
    }

    /// Returns the games that an earlier writer has kept. They are no longer kept once a file is full.
    ///
    /// # Errors
    /// If their file cannot be read.
    pub fn kept(&self) -> Result<Vec<Vec<Row>>, DatasetError> {
        self.folder.open_file().map_or(Ok(Vec::new()), |file| DatasetReader::open(&file)?.games().collect())
    }

    /// Returns the rows of a game.
    ///
    /// # Errors
    /// If the game contradicts itself, or is of another rule set.
    pub fn rows_of(&self, game: &PlayedGame<GipfPosition>) -> Result<Vec<Row>, DatasetError> {
        self.plan.provenance.rows_of(game)
    }

    /// Writes a game.
    ///
    /// # Errors
    /// If the game contradicts itself (it is then left out), or writing fails.
    pub fn write_game(&mut self, game: &PlayedGame<GipfPosition>) -> Result<(), DatasetError> {
        self.write_rows(self.rows_of(game)?)
    }

    /// Writes the rows of one game as they are, such as those of another dataset; they are not checked.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_rows(&mut self, rows: Vec<Row>) -> Result<(), DatasetError> {
        self.waiting.extend(rows);
        self.waiting_games += 1;
        if self.waiting.len() >= self.plan.part_rows { self.flush() } else { Ok(()) }
    }

    /// Keeps all games written so far, and as many of `more` games, which come after missing ones, as one file can have,
    /// and returns the state. The dataset stays partial; the writer can go on.
    ///
    /// # Errors
    /// If writing fails.
    pub fn keep<'a>(&mut self, more: impl IntoIterator<Item = &'a Vec<Row>>) -> Result<Summary, DatasetError> {
        let (mut rows, mut games) = (self.waiting.clone(), self.waiting_games);
        for game in more {
            // Readers refuse a longer file. What does not fit is played again if the dataset is resumed.
            if rows.len() + game.len() <= MOST_ROWS {
                rows.extend_from_slice(game);
                games += 1;
            }
        }
        self.folder.keep(&rows, games, &self.plan)?;
        Ok(self.summary())
    }

    /// Writes a file of the waiting games, whether full or not.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn flush(&mut self) -> Result<(), DatasetError> {
        if self.waiting_games > 0 {
            self.folder.add(&self.waiting, self.waiting_games, &self.plan)?;
            self.waiting.clear();
            self.waiting_games = 0;
        }
        Ok(())
    }

    /// Returns the state on the disk.
    pub(super) fn summary(&self) -> Summary {
        let manifest = self.folder.manifest();
        let sum = |count: fn(&super::manifest::Entry) -> u64| manifest.entries().map(count).sum();
        let files = manifest.entries().map(|entry| self.folder.path().join(&entry.name)).collect();
        Summary { games: sum(|entry| entry.games), rows: sum(|entry| entry.rows), files }
    }

    /// Completes the dataset, with its description, and returns its summary.
    ///
    /// # Errors
    /// If writing fails; the files completed before remain.
    pub fn finish(mut self) -> Result<Summary, DatasetError> {
        self.flush()?;
        let summary = self.summary();
        if summary.games > 0 {
            card::write(self.folder.taken(), &self.plan.provenance, &summary, card::WHOLE)?;
        }
        self.folder.complete()?;
        Ok(summary)
    }
}

//! Games written in the order of their numbers, in whatever order they end.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use gipf_env::GipfPosition;

use super::{DatasetError, DatasetWriter, Row, Summary};
use crate::training::PlayedGame;

/// The time after which ended games are kept although their file is not full.
const KEEP_EVERY: Duration = Duration::from_mins(1);

/// Writes the games 0, 1, … of a dataset, which may end in any order. It resumes what an earlier writer has left.
#[derive(Debug)]
pub struct OrderedWriter {
    writer: DatasetWriter,
    /// The number of the next game to be written.
    next: u64,
    /// Games waiting to be written in order; at first those that an earlier writer has kept.
    ended: BTreeMap<u64, Vec<Row>>,
    kept: Instant,
}

impl OrderedWriter {
    /// Continues from the state of a writer.
    ///
    /// # Errors
    /// If the games that were kept cannot be read.
    pub fn new(writer: DatasetWriter) -> Result<Self, DatasetError> {
        let ended = writer.kept()?.into_iter().map(|rows| (rows[0].game_id, rows)).collect();
        let mut ordered = Self { next: writer.games(), ended, kept: Instant::now(), writer };
        ordered.write_ready()?;
        Ok(ordered)
    }

    /// Returns the number of games that have ended, whether now or before.
    pub fn games(&self) -> u64 {
        self.next + self.ended.len() as u64
    }

    /// Returns the number of the first game that is missing.
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Returns the numbers of the ended games that come after the first missing one.
    pub fn ahead(&self) -> BTreeSet<u64> {
        self.ended.keys().copied().collect()
    }

    /// Returns the games of a portion that are missing, as ranges.
    pub fn missing(&self, portion: Range<u64>) -> Vec<Range<u64>> {
        let first = portion.start.max(self.next);
        let ended = self.ended.keys().copied().filter(|id| (first..portion.end).contains(id));
        let ends = ended.clone().chain([portion.end]);
        let starts = [first].into_iter().chain(ended.map(|id| id + 1));
        starts.zip(ends).map(|(start, end)| start..end).filter(|range| !range.is_empty()).collect()
    }

    /// Takes a game that has ended, and writes all games up to the next missing one.
    ///
    /// # Errors
    /// If the game contradicts itself (it is then left out), or writing fails.
    pub fn add(&mut self, game: &PlayedGame<GipfPosition>) -> Result<(), DatasetError> {
        self.ended.insert(game.id, self.writer.rows_of(game)?);
        self.write_ready()
    }

    fn write_ready(&mut self) -> Result<(), DatasetError> {
        while let Some(rows) = self.ended.remove(&self.next) {
            self.writer.write_rows(rows)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Keeps all games that have ended, if this was not done for a while.
    ///
    /// # Errors
    /// If writing fails.
    pub fn keep_at_times(&mut self) -> Result<(), DatasetError> {
        if self.kept.elapsed() > KEEP_EVERY { self.keep().map(drop) } else { Ok(()) }
    }

    /// Keeps all games that have ended, or as many as fit into a file, and returns the state; the dataset stays partial.
    ///
    /// # Errors
    /// If writing fails.
    pub fn keep(&mut self) -> Result<Summary, DatasetError> {
        let summary = self.writer.keep(self.ended.values())?;
        self.kept = Instant::now();
        Ok(summary)
    }

    /// Completes the dataset, in which no game is missing, and returns its summary.
    ///
    /// # Errors
    /// If writing fails; the files completed before remain.
    pub fn finish(self) -> Result<Summary, DatasetError> {
        debug_assert!(self.ended.is_empty(), "a game is missing");
        self.writer.finish()
    }
}

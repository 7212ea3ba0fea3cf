//! The statistics of a dataset.

use std::collections::BTreeMap;
use std::fs;

use gipf_play::Stop;
use rayon::prelude::*;
use serde::Serialize;

use super::files::check_each_once;
use super::{DataFile, DatasetError, DatasetReader, Provenance, Row};

/// The statistics of some files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Census {
    /// The files.
    pub files: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// The games.
    pub games: u64,
    /// The decisions.
    pub rows: u64,
    /// Where the games come from, each place once.
    pub provenance: Vec<Provenance>,
    /// The games that ended for each reason.
    pub endings: BTreeMap<&'static str, u64>,
    /// The games that White won, that Black won, and that nobody won.
    pub results: [u64; 3],
    /// The decisions with each effort.
    pub efforts: BTreeMap<&'static str, u64>,
    /// The number of decisions of the shortest and of the longest game.
    pub lengths: Option<[u64; 2]>,
    /// The compressed bytes of each column.
    pub columns: BTreeMap<&'static str, u64>,
}

impl Census {
    /// Computes the statistics of some files, on all threads of the current rayon pool; `advance` is called with the
    /// number of rows read.
    ///
    /// # Errors
    /// If a file cannot be read or is given twice, or a stop is requested.
    pub fn of(files: &[DataFile], advance: &(dyn Fn(u64) + Sync), stop: &Stop) -> Result<Self, DatasetError> {
        check_each_once(files)?;
        let parts = files.par_iter().map(|file| Self::of_file(file, advance, stop)).collect::<Result<Vec<_>, _>>()?;
        let mut census = Self::default();
        for part in parts {
            census.add(part);
        }
        Ok(census)
    }

    /// Returns the mean number of bytes per row.
    pub fn bytes_a_row(&self) -> f64 {
        self.bytes as f64 / self.rows.max(1) as f64
    }

    fn of_file(file: &DataFile, advance: &(dyn Fn(u64) + Sync), stop: &Stop) -> Result<Self, DatasetError> {
        let reader = DatasetReader::open(file)?;
        let bytes = fs::metadata(file.path()).map_err(DatasetError::io(file.path(), "open"))?.len();
        let columns = reader.column_bytes().into_iter().collect();
        let provenance = vec![reader.provenance().clone()];
        let mut census = Self { files: 1, bytes, provenance, columns, ..Self::default() };
        for rows in reader.games() {
            let rows = rows?;
            if stop.requested() {
                return Err(DatasetError::Stopped);
            }
            census.count(&rows);
            advance(rows.len() as u64);
        }
        Ok(census)
    }

    fn count(&mut self, rows: &[Row]) {
        let (first, length) = (&rows[0], rows.len() as u64);
        self.games += 1;
        self.rows += length;
        *self.endings.entry(first.ending.word()).or_default() += 1;
        self.results[match first.result {
            1 => 0,
            -1 => 1,
            _ => 2,
        }] += 1;
        for row in rows {
            *self.efforts.entry(row.effort.word()).or_default() += 1;
        }
        self.lengths = joined(self.lengths, Some([length; 2]));
    }

    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.games += other.games;
        self.rows += other.rows;
        for provenance in other.provenance {
            if !self.provenance.contains(&provenance) {
                self.provenance.push(provenance);
            }
        }
        for (all, more) in
            [(&mut self.endings, other.endings), (&mut self.efforts, other.efforts), (&mut self.columns, other.columns)]
        {
            for (name, count) in more {
                *all.entry(name).or_default() += count;
            }
        }
        self.results.iter_mut().zip(other.results).for_each(|(all, more)| *all += more);
        self.lengths = joined(self.lengths, other.lengths);
    }
}

fn joined(one: Option<[u64; 2]>, other: Option<[u64; 2]>) -> Option<[u64; 2]> {
    match (one, other) {
        (Some([least, most]), Some([less, more])) => Some([least.min(less), most.max(more)]),
        (one, other) => one.or(other),
    }
}

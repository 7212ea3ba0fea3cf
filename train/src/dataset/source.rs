//! Datasets as the input of a fit.

use std::path::PathBuf;

use gipf_env::{GipfPosition, Variant};
use gipf_play::Stop;
use rayon::prelude::*;

use super::{Accepted, DataFile, DatasetError, DatasetReader, files_of, is_held_out, played_game};
use crate::training::fit::Split;
use crate::training::samples;

/// The files of some datasets, all of one rule set.
pub struct Source {
    variant: Variant,
    files: Vec<DataFile>,
    rows: u64,
}

impl Source {
    /// Finds the files of the datasets in some directories. Without a rule set it is that of the first file.
    ///
    /// # Errors
    /// If a directory has no dataset that is accepted, or one of its files is damaged or of another rule set.
    ///
    /// # Panics
    /// If there is no directory.
    pub fn open(folders: &[PathBuf], accepted: Accepted, variant: Option<Variant>) -> Result<Self, DatasetError> {
        let (files, mut rows, mut variant) = (files_of(folders, accepted)?, 0, variant);
        for file in &files {
            let reader = DatasetReader::open(file)?;
            let (found, expected) = (reader.provenance().variant, variant.unwrap_or(reader.provenance().variant));
            if found != expected {
                return Err(DatasetError::Variant { path: file.path().to_owned(), found, expected });
            }
            variant = Some(expected);
            rows += reader.num_rows();
        }
        Ok(Self { variant: variant.expect("there is a directory"), files, rows })
    }

    /// Returns the rule set of all games.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the number of rows.
    pub const fn num_rows(&self) -> u64 {
        self.rows
    }

    /// Reads the samples of all games on all threads of the current rayon pool, and holds back those of about a share
    /// of the games; `advance` is called with the rows read. Returns nothing if a stop was requested.
    ///
    /// # Errors
    /// If a file is damaged, or its rows contradict the rules.
    pub fn split(
        &self,
        hold_out: f64,
        advance: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Result<Option<Split<GipfPosition>>, DatasetError> {
        let read = |file: &DataFile| read_file(file, hold_out, advance, stop);
        let parts = self.files.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut split = Split::default();
        for part in parts {
            split.learned.append(&part.learned);
            split.held_out.append(&part.held_out);
        }
        Ok((!stop.requested()).then_some(split))
    }
}

fn read_file(
    file: &DataFile,
    hold_out: f64,
    advance: &(dyn Fn(u64) + Sync),
    stop: &Stop,
) -> Result<Split<GipfPosition>, DatasetError> {
    let (reader, mut split) = (DatasetReader::open(file)?, Split::default());
    let name = file.name();
    for rows in reader.games() {
        if stop.requested() {
            break;
        }
        let rows = rows?;
        let game = played_game(&rows).map_err(DatasetError::replay(file.path()))?;
        let held_out = is_held_out(&name, game.id, hold_out);
        let part = if held_out { &mut split.held_out } else { &mut split.learned };
        part.extend(samples(&game, 0.0));
        advance(rows.len() as u64);
    }
    Ok(split)
}

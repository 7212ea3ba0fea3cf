//! Datasets as what a network is fitted to.

use std::path::{Path, PathBuf};

use gipf_env::{GipfPosition, Variant};
use rayon::prelude::*;

use super::{DatasetError, DatasetReader, ReplayError, parts, played_game};
use crate::Stop;
use crate::fit::Split;
use crate::sample::samples;

/// The files of some datasets, all of one rule set.
pub struct Source {
    variant: Variant,
    files: Vec<PathBuf>,
    rows: u64,
}

/// Datasets that nothing can be learned from.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// There is no dataset in the directory.
    #[error("{}: no files games-*.parquet: expected the directory of a dataset", .0.display())]
    Empty(PathBuf),
    /// The games are of another rule set.
    #[error("{}: games of {found}: expected {expected}", path.display())]
    Variant {
        /// The file.
        path: PathBuf,
        /// Its rule set.
        found: Variant,
        /// The rule set asked for, or that of the first file.
        expected: Variant,
    },
    /// The rows contradict the rules.
    #[error("{}: {source}", path.display())]
    Replay {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ReplayError,
    },
}

impl Source {
    /// Finds the files of the datasets in some directories. Without a rule set it is that of the first file.
    ///
    /// # Errors
    /// If a directory has no dataset, or one of its files is damaged or of another rule set.
    ///
    /// # Panics
    /// If there is no directory.
    pub fn open(folders: &[PathBuf], variant: Option<Variant>) -> Result<Self, SourceError> {
        let (mut files, mut rows, mut variant) = (Vec::new(), 0, variant);
        for folder in folders {
            let found = parts(folder)?;
            if found.is_empty() {
                return Err(SourceError::Empty(folder.clone()));
            }
            for path in found {
                let reader = DatasetReader::open(&path)?;
                let (found, expected) = (reader.provenance().variant, variant.unwrap_or(reader.provenance().variant));
                if found != expected {
                    return Err(SourceError::Variant { path, found, expected });
                }
                variant = Some(expected);
                rows += reader.num_rows();
                files.push(path);
            }
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

    /// Reads the samples of all games on all threads of the current rayon pool, and holds back those of about a share of the
    /// games; `advance` is told of rows as they are read. Returns nothing if a stop was requested.
    ///
    /// # Errors
    /// If a file is damaged, or its rows contradict the rules.
    pub fn split(
        &self,
        hold_out: f64,
        advance: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Result<Option<Split<GipfPosition>>, SourceError> {
        let read = |path: &PathBuf| read_file(path, hold_out, advance, stop);
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
    path: &Path,
    hold_out: f64,
    advance: &(dyn Fn(u64) + Sync),
    stop: &Stop,
) -> Result<Split<GipfPosition>, SourceError> {
    let (reader, mut split) = (DatasetReader::open(path)?, Split::default());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for rows in reader.games() {
        if stop.requested() {
            break;
        }
        let rows = rows?;
        let game = played_game(&rows).map_err(|source| SourceError::Replay { path: path.to_owned(), source })?;
        let held_out = is_held_out(&name, game.id, hold_out);
        let part = if held_out { &mut split.held_out } else { &mut split.learned };
        part.extend(samples(&game));
        advance(rows.len() as u64);
    }
    Ok(split)
}

/// Returns whether a game is held out, of which a share is to be: it depends on the name of its file and on its number
/// alone, and a larger share holds out what a smaller one does.
pub fn is_held_out(file: &str, game: u64, share: f64) -> bool {
    let hash = blake3::hash(format!("{file} {game}").as_bytes());
    let number = u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"));
    f64::from(number) < share * (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_games_is_held_out_and_a_larger_share_holds_out_more() {
        let held_out =
            |share| (0..4000).filter(|&game| is_held_out("games-00000.parquet", game, share)).collect::<Vec<_>>();
        let (tenth, half) = (held_out(0.1), held_out(0.5));
        // Four standard deviations are 76 and 127.
        assert!(tenth.len().abs_diff(400) < 76 && half.len().abs_diff(2000) < 127, "{} {}", tenth.len(), half.len());
        assert!(tenth.iter().all(|game| half.contains(game)));
        assert_eq!((held_out(0.0).len(), held_out(1.0).len()), (0, 4000));
        assert!((0..4000).any(|game| is_held_out("games-00001.parquet", game, 0.5) != half.contains(&game)));
    }
}

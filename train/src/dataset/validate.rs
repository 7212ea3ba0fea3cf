//! Replays every game of a dataset by the rules.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{DataFile, DatasetError, DatasetReader, ReplayError, Row, replay};

/// The result of replaying the games of a dataset.
#[derive(Debug, Default)]
pub struct Validation {
    /// The games that follow the rules.
    pub games: u64,
    /// Their decisions.
    pub rows: u64,
    /// The games that are the same as an earlier one: equal start, limit and actions.
    pub duplicates: u64,
    /// The first contradiction of each file that has one, in the order of the files.
    pub faults: Vec<DatasetError>,
}

/// Replays every game of some files, on all threads of the current rayon pool; `advance` is called with the number of
/// rows checked.
///
/// The start and the actions of a game determine all other columns, except the results of the search, the number of
/// the game, and the end of a game that was resigned. A policy must be over legal actions. The checksums in the
/// manifest show that nothing else has changed since it was written, including the text of the games.
pub fn validate(files: &[DataFile], advance: &(dyn Fn(u64) + Sync)) -> Validation {
    let checked: Vec<_> = files.par_iter().map(|file| Checked::file(file, advance)).collect();
    let mut validation = Validation::default();
    let mut courses = Vec::new();
    for checked in checked {
        validation.games += checked.courses.len() as u64;
        validation.rows += checked.rows;
        courses.extend(checked.courses);
        validation.faults.extend(checked.fault);
    }
    let distinct: HashSet<_> = courses.iter().collect();
    validation.duplicates = (courses.len() - distinct.len()) as u64;
    validation
}

/// The result for a file, up to its first contradiction.
#[derive(Default)]
struct Checked {
    /// The courses of the games that follow the rules.
    courses: Vec<u128>,
    rows: u64,
    fault: Option<DatasetError>,
}

impl Checked {
    fn file(file: &DataFile, advance: &(dyn Fn(u64) + Sync)) -> Self {
        let mut checked = Self::default();
        checked.fault = checked.read(file, advance).err();
        checked
    }

    fn read(&mut self, file: &DataFile, advance: &(dyn Fn(u64) + Sync)) -> Result<(), DatasetError> {
        let (path, reader) = (file.path(), DatasetReader::open(file)?);
        file.check_text()?;
        let mut numbers = HashSet::new();
        for rows in reader.games() {
            let rows = rows?;
            let wrong = DatasetError::replay(path);
            if !numbers.insert(rows[0].game_id) {
                return Err(wrong(ReplayError::Apart { game: rows[0].game_id }));
            }
            reader.check_variant(&replay(&rows).map_err(wrong)?[0])?;
            self.courses.push(course(&rows));
            self.rows += rows.len() as u64;
            advance(rows.len() as u64);
        }
        Ok(())
    }
}

/// Returns a number that games share if they have the same start, limit and actions.
pub(super) fn course(rows: &[Row]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(rows[0].start.as_bytes()).update(&rows[0].limit.unwrap_or(0).to_le_bytes());
    for row in rows {
        hasher.update(&row.action.0.to_le_bytes());
    }
    u128::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

//! Datasets as the page shows them.

use std::fs;
use std::path::{Path, PathBuf};

use gipf_board::StoredGame;
use gipf_env::{Action, ActionIndex};
use gipf_play::Stop;
use serde_json::{Value, json};

use super::shelf::{inside, told};
use crate::dataset::{Accepted, Census, DataFile, DatasetReader, files_of, replay};

/// The maximum number of bytes that are counted while someone waits.
const MOST: u64 = 512 << 20;

/// Returns whether a folder looks like a dataset.
pub(super) fn is_dataset(path: &Path) -> bool {
    path.join("_manifest.json").is_file() || path.join("games-00000.parquet").is_file()
}

/// Returns what `gipf data info --partial --json` says, and whether the dataset is incomplete; of a dataset that is too large
/// to be counted, only that.
pub(super) fn info(path: &Path, stop: &Stop) -> Result<Value, String> {
    let files = files(path)?;
    let bytes: u64 = files.iter().filter_map(|file| fs::metadata(file.path()).ok()).map(|about| about.len()).sum();
    if bytes > MOST {
        let name = path.display();
        let uncounted = format!("{} MiB are too many to be counted while you wait: gipf data info {name}", bytes >> 20);
        return Ok(json!({ "uncounted": uncounted }));
    }
    let census = Census::of(&files, &|_| (), stop).map_err(told)?;
    let mut report = serde_json::to_value(&census).map_err(told)?;
    report["bytes_a_row"] = census.bytes_a_row().into();
    report["partial"] = files_of(&[PathBuf::from(path)], Accepted::Complete).is_err().into();
    Ok(report)
}

/// Returns a game by its number from 1.
pub(super) fn game(name: &str, path: &Path, number: u32, stop: &Stop) -> Result<StoredGame, String> {
    if number == 0 {
        return Err("there is no game 0: expected a number from 1".to_owned());
    }
    let mut before = 0;
    for file in files(path)? {
        // Without its manifest entry, so that a large file is not read completely for its checksum.
        let reader = DatasetReader::open(&DataFile::alone(file.path())).map_err(told)?;
        for rows in reader.games() {
            let rows = rows.map_err(told)?;
            before += 1;
            if stop.requested() {
                return Err("stopped".to_owned());
            }
            if before < number {
                continue;
            }
            replay(&rows).map_err(told)?;
            let setup = rows[0].start.parse().map_err(told)?;
            let action = |index: ActionIndex| Action::from_index(index).ok_or_else(|| "no action".to_owned());
            let actions = rows.iter().map(|row| action(row.action)).collect::<Result<_, _>>()?;
            let about = format!("game {number} of {name}: {}", rows[0].ending);
            return Ok(StoredGame { setup, actions, about });
        }
    }
    Err(format!("there is no game {number}: the dataset has {before}"))
}

/// Returns the files of a dataset, complete or not; all must lie inside its folder.
fn files(path: &Path) -> Result<Vec<DataFile>, String> {
    let files = files_of(&[PathBuf::from(path)], Accepted::Partial).map_err(told)?;
    for file in &files {
        inside(path, file.path())?;
    }
    Ok(files)
}

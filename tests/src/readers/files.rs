//! The laws of files that only programs write.

use std::path::Path;

use gipf_models::{Checkpoint, CheckpointError, TensorFileError};

use super::accepted;

/// A network: when written again, it reads the same. A changed input is sealed again, since its author could do so.
pub fn checkpoints(input: &[u8]) -> bool {
    let path = Path::new("fuzz");
    let read = match Checkpoint::from_bytes(path, input) {
        Err(CheckpointError::File(TensorFileError::Altered { found, expected, .. })) => {
            Checkpoint::from_bytes(path, &replaced(input, expected.as_bytes(), found.as_bytes()))
        }
        read => read,
    };
    let Some(checkpoint) = accepted(read) else { return false };
    let bytes = checkpoint.to_bytes(path).expect("what was read is written");
    assert_eq!(Checkpoint::from_bytes(path, &bytes).expect("what was written is read"), checkpoint);
    true
}

/// Replaces the first occurrence of these bytes by others of the same length.
fn replaced(input: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    if let Some(place) = input.windows(from.len().max(1)).position(|window| window == from) {
        bytes[place..place + from.len()].copy_from_slice(&to[..from.len()]);
    }
    bytes
}

/// A file of a dataset: games that follow the rules can be restored as they were played.
#[cfg(feature = "dataset")]
pub fn datasets(input: &[u8]) -> bool {
    use gipf_train::dataset::{DataFile, DatasetReader, played_game};

    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("there is room for a folder");
    }
    let path = FOLDER.with(|folder| folder.path().join("games.parquet"));
    #[expect(clippy::disallowed_methods, reason = "a file of anybody's")]
    std::fs::write(&path, input).expect("there is room for a file");
    let Some(reader) = accepted(DatasetReader::open(&DataFile::alone(&path))) else { return false };
    let mut found = 0;
    for rows in reader.games() {
        let Some(rows) = accepted(rows) else { return false };
        found += rows.len() as u64;
        if let Some(game) = accepted(played_game(&rows)) {
            assert_eq!(game.decisions.len(), rows.len());
        }
    }
    assert_eq!(reader.num_rows(), found, "a file has the rows that it says");
    found > 0
}

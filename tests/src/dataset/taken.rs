//! Partial datasets: those that only another program goes on with, that were moved away while they were written, and
//! that have more games than a file can have.

use std::fs;
use std::iter::{empty, repeat_n};

use gipf_env::Variant;
use gipf_train::Existing;
use gipf_train::dataset::{
    Accepted, DatasetError, DatasetReader, DatasetWriter, Plan, Provenance, ROW_GROUP_ROWS, files_of,
};

#[cfg(unix)]
use crate::dataset::games::write;
use crate::dataset::games::{create, provenance, random_games, read};
#[cfg(unix)]
use crate::dataset::manifest::bytes_of;

/// With the advice for other settings, whoever has a new version would give up his games.
#[test]
fn a_partial_dataset_of_another_program_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let begin = |program: &str| {
        let provenance = Provenance { program: program.to_owned(), ..provenance(Variant::STANDARD) };
        DatasetWriter::create(folder.path(), Plan::new("test", provenance), Existing::Refused)
    };
    let is_called_so = || {
        let told = begin("gipf-train 8.0.0").unwrap_err();
        assert!(matches!(told, DatasetError::OtherProgram { .. }), "{told}");
        let expected =
            "holds a partial dataset begun by gipf-train 7.0.0 (0a1b), which alone can go on with it: expected";
        assert!(told.to_string().contains(expected), "{told}");
    };
    drop(begin("gipf-train 7.0.0 (0a1b)").unwrap());
    is_called_so();

    // Older manifests do not name the program.
    let manifest = folder.path().join("_manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let old: Vec<_> = text.lines().filter(|line| !line.contains("\"program\"")).collect();
    assert_eq!(old.len() + 1, text.lines().count());
    fs::write(&manifest, old.join("\n")).unwrap();
    assert!(matches!(begin("gipf-train 8.0.0"), Err(DatasetError::OtherSettings(_))));
    let mut writer = begin("gipf-train 7.0.0 (0a1b)").unwrap();
    writer.keep(empty()).unwrap();
    drop(writer);
    is_called_so();

    begin("gipf-train 7.0.0 (0a1b)").unwrap().finish().unwrap();
    assert!(!fs::read_to_string(&manifest).unwrap().contains("\"program\""), "it is as it was in older versions");
}

/// The lock goes away with the folder, so that another program can take its place.
#[cfg(unix)]
#[test]
fn a_dataset_in_the_place_of_one_that_was_removed_stays() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let games = random_games(Variant::STANDARD, 6);
    let is_gone = |result: Result<(), DatasetError>| matches!(result, Err(DatasetError::Gone(path)) if path == out);
    let begun = |part_rows: usize| {
        let _ = fs::remove_dir_all(&out);
        create(&out, Variant::STANDARD, part_rows).unwrap()
    };
    let mut writer = begun(usize::MAX);
    writer.write_game(&games[0]).unwrap();
    fs::remove_dir_all(&out).unwrap();
    assert!(is_gone(writer.keep(empty()).map(drop)));
    assert!(!out.exists(), "nothing is written to where it was");

    let mut filling = begun(1);
    fs::remove_dir_all(&out).unwrap();
    write(&out, &games, usize::MAX);
    let complete = bytes_of(&out);
    assert!(is_gone(filling.write_game(&games[0])));
    for result in [writer.keep(empty()).map(drop), writer.finish().map(drop), filling.finish().map(drop)] {
        assert!(is_gone(result));
    }
    assert_eq!(bytes_of(&out), complete);
}

#[test]
fn as_many_games_are_kept_as_a_file_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path(), Variant::STANDARD, usize::MAX).unwrap();
    let rows = writer.rows_of(&random_games(Variant::STANDARD, 1)[0]).unwrap();
    let most = 8 * ROW_GROUP_ROWS / rows.len();
    assert_eq!(writer.keep(repeat_n(&rows, most + 1)).unwrap().games, most as u64);
    let file = files_of(&[folder.path().to_owned()], Accepted::Partial).unwrap().remove(0);
    assert_eq!(DatasetReader::open(&file).unwrap().num_rows(), (most * rows.len()) as u64);
}

/// If both had one name, the games kept before would be lost to a kill before the manifest names the next ones.
#[test]
fn games_kept_in_place_of_as_many_others_have_a_file_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path(), Variant::STANDARD, usize::MAX).unwrap();
    let games = random_games(Variant::STANDARD, 3);
    let mut names = Vec::new();
    for game in &games {
        let rows = writer.rows_of(game).unwrap();
        writer.keep([&rows]).unwrap();
        let files = files_of(&[folder.path().to_owned()], Accepted::Partial).unwrap();
        assert_eq!(read(&files), [rows]);
        names.push(files[0].name());
    }
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    assert_eq!(fs::read_dir(folder.path().join("_text")).unwrap().count(), 1, "the others are removed");
}

//! The two parts of a split: their common folder is read as both of them, and describes them.

use std::fs;
use std::path::Path;

use gipf_env::Variant;
use gipf_play::Stop;
use gipf_train::Existing;
use gipf_train::cli::Exit;
use gipf_train::dataset::{Accepted, DatasetError, Destination, Row, files_of, parts, split};

use crate::cli::{gipf, refused};
use crate::dataset::games::{random_games, read, write};

/// Splits 20 games into two parts in a folder, with this share of them for validation.
fn parted(folder: &Path, validation: f64) {
    let files = write(&folder.with_file_name("source"), &random_games(Variant::STANDARD, 20), 400);
    split(&files, Destination { folder, existing: Existing::Refused }, validation, &|_| {}, &Stop::default()).unwrap();
}

fn of_parts(folder: &Path) -> Vec<Vec<Row>> {
    ["train", "validation"].iter().flat_map(|part| read(&parts(&folder.join(part)).unwrap_or_default())).collect()
}

#[test]
fn the_folder_of_a_split_is_both_of_its_parts() {
    for validation in [0.0, 0.4, 1.0] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("parted");
        parted(&out, validation);
        let together = read(&parts(&out).unwrap());
        assert_eq!((together.len(), &together), (20, &of_parts(&out)));
        let [path, merged] = [&out, &folder.path().join("merged")].map(|path| path.to_str().unwrap().to_owned());
        for command in [&["data", "validate", &path][..], &["data", "merge", "--out", &merged, &path]] {
            let answer = gipf(command);
            assert_eq!(answer.exit, Exit::Success, "{command:?}: {}", answer.err);
            assert!(answer.out.contains("20 games, "), "{}", answer.out);
        }
    }
}

#[test]
fn a_folder_is_no_split_unless_both_parts_are_there_and_complete() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("parted");
    parted(&out, 0.4);
    // Parquet files that no manifest names are not ignored.
    fs::copy(out.join("train/games-00000.parquet"), out.join("games-00000.parquet")).unwrap();
    assert!(matches!(parts(&out), Err(DatasetError::NoManifest(_))));
    fs::remove_file(out.join("games-00000.parquet")).unwrap();

    let manifest = out.join("validation/_manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"complete\": true", "\"complete\": false")).unwrap();
    assert!(matches!(parts(&out), Err(DatasetError::Incomplete(path)) if path.ends_with("validation")));
    assert_eq!(read(&files_of(std::slice::from_ref(&out), Accepted::Partial).unwrap()).len(), 20);
    fs::remove_file(&manifest).unwrap();
    assert!(matches!(parts(&out), Err(DatasetError::Empty(path)) if path == out));
    refused(&["data", "info", folder.path().to_str().unwrap()], Exit::Failure, &["the directory of a dataset"]);
}

/// Every path in a description exists, relative to the directory that it describes.
#[test]
fn a_description_names_the_files_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    for (name, validation) in [("some", 0.4), ("none", 0.0), ("all", 1.0)] {
        let out = folder.path().join(name);
        parted(&out, validation);
        for folder in [out.clone(), out.join("train"), out.join("validation"), out.with_file_name("source")] {
            let Ok(text) = fs::read_to_string(folder.join("_README.md")) else { continue };
            let paths: Vec<_> = text.split(['"', '\'']).filter(|text| text.starts_with("DIR")).collect();
            assert!(paths.len() >= 5, "{text}");
            for path in paths {
                let path = path
                    .strip_prefix("DIR")
                    .unwrap()
                    .trim_start_matches('/')
                    .replace("*.parquet", "games-00000.parquet");
                assert!(folder.join(&path).exists(), "{}: {path}", folder.display());
            }
            let patterns: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("        path: ")).collect();
            for pattern in &patterns {
                assert!(folder.join(pattern.replace('*', "00000")).exists(), "{pattern}");
                assert!(text.contains(&format!("`{pattern}`")), "{pattern} is not told: {text}");
            }
        }
        fs::remove_dir_all(out.with_file_name("source")).unwrap();
    }
}

//! `gipf data`: faults of a dataset are found, and no game is lost when a dataset is rearranged.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gipf_env::notation::record;
use gipf_env::{Action, ActionIndex, GipfPosition, Position, Setup, Variant};
use gipf_train::cli::Exit;
use gipf_train::dataset::{ARRAYS, DataFile, DatasetReader, Row, is_held_out, parts, validate};
use gipf_train::training::PlayedGame;

use crate::cli::{gipf, refused};
use crate::dataset::games::{create, random_games, read, write};

/// Writes random self-play games, and returns the directory.
fn played(folder: &Path, name: &str, variant: &str, games: &str, seed: &str) -> PathBuf {
    let out = folder.join(name);
    let args = ["self-play", "--agent", "random", "--variant", variant, "--games", games, "--seed", seed, "--out"];
    let answer = gipf(&[&args[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    out
}

/// Writes rows unchanged, and returns the file.
fn planted(folder: &Path, games: &[Vec<Row>]) -> DataFile {
    let mut writer = create(folder, Variant::STANDARD, usize::MAX).unwrap();
    for rows in games {
        writer.write_rows(rows.clone()).unwrap();
    }
    writer.finish().unwrap();
    parts(folder).unwrap().remove(0)
}

fn data(command: &str, args: &[&str]) -> String {
    let answer = gipf(&[&["data", command][..], args].concat());
    assert_eq!(answer.exit, Exit::Success, "{args:?}: {}", answer.err);
    answer.out
}

/// Returns the starts and actions of all games of a dataset.
fn courses(folder: &Path) -> Vec<(String, Vec<ActionIndex>)> {
    let games = read(&parts(folder).unwrap());
    games.iter().map(|rows| (rows[0].start.clone(), rows.iter().map(|row| row.action).collect())).collect()
}

#[test]
fn games_that_follow_the_rules_are_valid_in_every_rule_set() {
    for variant in Variant::ALL {
        let folder = tempfile::tempdir().unwrap();
        let games = random_games(variant, 12);
        let files = write(folder.path(), &games, 300);
        let found = validate(&files, &|_| {});
        let rows = games.iter().map(|game| game.decisions.len() as u64).sum::<u64>();
        assert_eq!((found.games, found.rows, found.duplicates), (12, rows, 0));
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }
}

/// A column, and a change that makes it wrong.
type Plant = (&'static str, fn(&mut Row));

#[test]
fn every_planted_contradiction_is_found_in_its_column() {
    let folder = tempfile::tempdir().unwrap();
    let good = read(&write(&folder.path().join("good"), &random_games(Variant::STANDARD, 3), usize::MAX));
    let searched = good[1].iter().position(|row| row.policy.len() > 1).unwrap();
    let plants: [Plant; 16] = [
        ("action", |row| row.action = ActionIndex(42)),
        ("board", |row| row.board[7] = (row.board[7] + 1) % 9),
        ("legal_count", |row| row.legal_count -= 1),
        ("plies_left", |row| row.plies_left += 1),
        ("ply", |row| row.ply += 1),
        ("turn", |row| row.turn += 1),
        ("result", |row| row.result = -row.result),
        ("ending", |row| row.ending = gipf_env::Reason::Repetition),
        ("truncated", |row| row.truncated = !row.truncated),
        ("reserve_white", |row| row.reserve_white += 1),
        ("to_move", |row| row.to_move = row.to_move.other()),
        ("limit", |row| row.limit = Some(3)),
        ("gipf_right_black", |row| row.gipf_right_black = true),
        ("policy", |row| row.policy[0] -= 1),
        ("policy", |row| row.policy.truncate(1)),
        ("policy_actions", |row| row.policy_actions.reverse()),
    ];
    for (number, (column, plant)) in plants.into_iter().enumerate() {
        let mut games = good.clone();
        plant(&mut games[1][searched]);
        let out = folder.path().join(number.to_string());
        let file = planted(&out, &games);
        let answer = gipf(&["data", "validate", out.to_str().unwrap()]);
        let told = format!("error: {}: game 1, decision ", file.path().display());
        assert!(answer.err.starts_with(&told) && answer.err.lines().count() == 1, "{column}: {}", answer.err);
        assert!(answer.err.contains(&format!(": {column} contradicts")), "{column}: {}", answer.err);
        assert_eq!(answer.exit, Exit::Failure);
        assert!(answer.out.ends_with(" 1 file with contradictions\n"), "{}", answer.out);
    }
}

#[test]
fn a_whole_game_that_is_wrong_is_found_too() {
    let folder = tempfile::tempdir().unwrap();
    let good = read(&write(&folder.path().join("good"), &random_games(Variant::STANDARD, 3), usize::MAX));
    let found = |name: &str, games: &[Vec<Row>]| {
        let file = planted(&folder.path().join(name), games);
        let found = validate(&[file], &|_| {});
        (found.duplicates, found.faults.first().map(ToString::to_string).unwrap_or_default())
    };
    let renumbered = |id| good[0].iter().cloned().map(|row| Row { game_id: id, ..row }).collect::<Vec<_>>();
    assert_eq!(found("twice", &[good[0].clone(), renumbered(8)]), (1, String::new()));
    assert!(found("apart", &[good[0].clone(), good[1].clone(), renumbered(0)]).1.contains("do not stand together"));
    assert!(found("cut", &[good[0][..good[0].len() - 1].to_vec()]).1.contains("plies_left"));
    let broken = good[0].iter().cloned().map(|row| Row { start: "standard".to_owned(), ..row }).collect();
    assert!(found("start", &[broken]).1.contains("position text"));
    let foreign = read(&write(&folder.path().join("basic"), &random_games(Variant::BASIC, 1), usize::MAX));
    assert!(found("foreign", &foreign).1.contains("games of basic: expected standard"));
}

#[test]
fn merging_and_splitting_keeps_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let one = played(folder.path(), "one", "tournament", "30", "1");
    let other = played(folder.path(), "other", "tournament", "20", "2");
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    let all: Vec<_> = [one, other].iter().flat_map(|folder| courses(Path::new(folder))).collect();
    let told = data("merge", &["--out", &path("all"), one, other]);
    assert!(told.starts_with("50 games, "), "{told}");
    assert_eq!(courses(Path::new(&path("all"))), all);
    let merged = read(&parts(Path::new(&path("all"))).unwrap());
    assert!(merged.iter().enumerate().all(|(id, rows)| rows.iter().all(|row| row.game_id == id as u64)));
    let provenance = DatasetReader::open(&parts(Path::new(&path("all"))).unwrap()[0]).unwrap().provenance().clone();
    assert_eq!(provenance.settings["merged"].as_array().unwrap().len(), 2, "where they come from is kept");

    data("split", &["--out", &path("parted"), "--validation", "0.3", &path("all")]);
    let parted = ["parted/train", "parted/validation"].map(|part| read(&parts(&folder.path().join(part)).unwrap()));
    let is_right = |(place, game): (usize, &Vec<Row>)| {
        is_held_out("games-00000.parquet", game[0].game_id, 0.3) == (place >= parted[0].len())
    };
    assert!(parted.iter().flatten().enumerate().all(is_right) && parted.iter().all(|part| !part.is_empty()));
    let together: BTreeSet<_> = parted.iter().flatten().map(|rows| format!("{rows:?}")).collect();
    assert_eq!(together, merged.iter().map(|rows| format!("{rows:?}")).collect(), "to the last bit");
    data("validate", &[&path("all"), &path("parted/train"), &path("parted/validation")]);
    // When a part is split again, both halves have games, too.
    for part in ["train", "validation"] {
        data(
            "split",
            &["--out", &path(&format!("again-{part}")), "--validation", "0.5", &path(&format!("parted/{part}"))],
        );
        for half in ["train", "validation"] {
            assert!(!read(&parts(Path::new(&path(&format!("again-{part}/{half}")))).unwrap()).is_empty(), "{part}");
        }
    }
    let card = fs::read_to_string(path("parted/_README.md")).unwrap();
    assert!(card.contains("      - split: validation\n        path: validation/games-*.parquet\n"), "{card}");

    let told = data("merge", &["--no-duplicates", "--out", &path("distinct"), one, other, one]);
    assert!(told.starts_with("50 games, ") && told.ends_with("\n30 duplicate games left out\n"), "{told}");
    for command in ["merge", "split"] {
        let args = ["data", command, "--out", &path("twice"), one, other, one];
        refused(&args, Exit::WrongUse, &["one/games-00000.parquet is given twice", "expected each dataset once"]);
        assert!(!Path::new(&path("twice")).exists(), "{command}");
    }
    for args in [&["data", "export", "--out", &path("twice.npz"), one, one][..], &["data", "info", one, other, one]] {
        refused(args, Exit::WrongUse, &["one/games-00000.parquet is given twice", "expected each dataset once"]);
    }
    assert!(!Path::new(&path("twice.npz")).exists());
    let basic = played(folder.path(), "basic", "basic", "1", "1");
    let args = ["data", "merge", "--out", &path("mixed"), one, basic.to_str().unwrap()];
    refused(&args, Exit::Failure, &["games of basic: expected tournament"]);
    refused(
        &["data", "info", folder.path().to_str().unwrap()],
        Exit::Failure,
        &["expected the directory of a dataset"],
    );
}

#[test]
fn parts_of_several_datasets_are_valid_and_replace_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let one = played(folder.path(), "one", "basic", "12", "1");
    let other = played(folder.path(), "other", "basic", "9", "2");
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    data("split", &["--out", &path("parted"), "--validation", "0.4", one, other]);
    let halves = ["parted/train", "parted/validation"].map(path);
    data("validate", &[&halves[0], &halves[1]]);
    let games = halves.iter().flat_map(|half| read(&parts(Path::new(half)).unwrap()));
    let numbers: BTreeSet<_> = games.map(|rows| rows[0].game_id).collect();
    assert!(numbers.into_iter().eq(0..21), "each has a number of its own");

    let card = fs::read_to_string(Path::new(one).join("_README.md")).unwrap();
    refused(&["data", "split", "--out", one, one], Exit::Failure, &["_README.md exists"]);
    assert_eq!(fs::read_to_string(Path::new(one).join("_README.md")).unwrap(), card);
    // One half has become a different dataset; the other one stays complete.
    fs::remove_dir_all(&halves[1]).unwrap();
    played(&folder.path().join("parted"), "validation", "basic", "3", "5");
    let args = ["data", "split", "--validation", "0.4", "--out", &path("parted"), one, other];
    refused(&args, Exit::Failure, &["exists"]);
    data("validate", &[&halves[0], &halves[1]]);
    assert_eq!(gipf(&[&args[..], &["--force"]].concat()).exit, Exit::Success);
    let games = halves.iter().flat_map(|half| read(&parts(Path::new(half)).unwrap()));
    assert_eq!(games.count(), 21);
}

#[test]
fn games_of_another_rule_set_than_their_file_says_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path(), Variant::BASIC, usize::MAX).unwrap();
    let standard = create(&folder.path().join("standard"), Variant::STANDARD, usize::MAX).unwrap();
    for game in random_games(Variant::STANDARD, 2) {
        writer.write_rows(standard.rows_of(&game).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let (path, out) = (folder.path().to_str().unwrap(), folder.path().join("out"));
    let out = out.to_str().unwrap();
    for command in [
        &["data", "export", "--format", "npz", "--out", out, path][..],
        &["tune", "--data", path, "--out", out],
        &["data", "validate", path],
    ] {
        refused(command, Exit::Failure, &["games of standard: expected basic"]);
    }
}

#[test]
fn weights_are_not_fitted_to_games_without_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = played(folder.path(), "random", "standard", "4", "1");
    let out = folder.path().join("weights.bin");
    let args = ["tune", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap()];
    refused(&args, Exit::Failure, &["no quiet position with a value", "expected games of a player that searches"]);
    assert!(!out.exists());
    refused(
        &["tune", "--partial", "--out", out.to_str().unwrap()],
        Exit::WrongUse,
        &["--partial: expected --data DIR"],
    );
}

#[test]
fn licences_are_joined_so_that_all_of_them_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, licence) in [("one", "MIT OR Apache-2.0"), ("other", "CC-BY-4.0")] {
        let args = ["self-play", "--agent", "random", "--games", "1", "--licence", licence, "--out", &path(name)];
        assert_eq!(gipf(&args).exit, Exit::Success);
    }
    data("merge", &["--out", &path("all"), &path("one"), &path("other")]);
    let reader = DatasetReader::open(&parts(Path::new(&path("all"))).unwrap()[0]).unwrap();
    assert_eq!(reader.provenance().licence, "CC-BY-4.0 AND (MIT OR Apache-2.0)");
}

/// Returns the last position of a game from the text that was written with the dataset.
fn end_of(text: &str, start: &str) -> GipfPosition {
    let setup: Setup = start.parse().unwrap();
    let source = record::Source { setup: Some(setup.with_placement_limit(Some(400))), ..Default::default() };
    let record = record::read(text, &source).unwrap_or_else(|error| panic!("{error}: {text}")).record;
    end(record.setup(), record.actions().into_iter().map(Action::index))
}

fn end(setup: &Setup, actions: impl Iterator<Item = ActionIndex>) -> GipfPosition {
    let mut position = GipfPosition::from_setup(setup).unwrap();
    actions.for_each(|index| position.play(position.action_at(index).unwrap()).unwrap());
    position
}

#[test]
fn the_text_beside_a_file_has_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    for variant in ["basic", "standard", "tournament", "tournament+zertz"] {
        let out = played(folder.path(), variant, variant, "8", "3");
        let file = parts(&out).unwrap().remove(0);
        let beside = out.join("_text/games-00000.txt");
        let text = fs::read_to_string(&beside).unwrap();
        let checked = gipf(&["record", "check", beside.to_str().unwrap()]);
        assert_eq!(checked.exit, Exit::Success, "{}", checked.err);
        let texts: Vec<_> = text.split("[Game ").skip(1).collect();
        let games = read(&[file]);
        assert_eq!(texts.len(), games.len(), "{text}");
        for (text, rows) in texts.iter().zip(&games) {
            let turns = text.split_once("\n\n").unwrap().1;
            let setup: Setup = rows[0].start.parse().unwrap();
            let expected = end(&setup.with_placement_limit(rows[0].limit), rows.iter().map(|row| row.action));
            // Where rows cross, the text may mean another order of removals that leads to the same position.
            assert_eq!(end_of(turns, &rows[0].start).without_history(), expected.without_history(), "{text}");
        }
    }
    let out = played(folder.path(), "push-off", "push-off", "2", "1");
    let text = fs::read_to_string(out.join("_text/games-00000.txt")).unwrap();
    assert!(text.starts_with("% game 0 is left out: ") && text.contains("\n% game 1 is left out: "), "{text}");
}

#[test]
fn what_a_dataset_holds_is_told_as_text_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(Variant::STANDARD, 9);
    write(folder.path(), &games, 300);
    let path = folder.path().to_str().unwrap();
    let rows: usize = games.iter().map(|game: &PlayedGame<_>| game.decisions.len()).sum();
    let text = data("info", &[path]);
    assert!(text.starts_with(&format!("9 games, {rows} decisions in ")), "{text}");
    let json: serde_json::Value = serde_json::from_str(&data("info", &[path, "--json"])).unwrap();
    assert_eq!((&json["games"], &json["rows"]), (&9.into(), &rows.into()));
    let ended: u64 = json["endings"].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(ended, 9, "{json}");
    let sum =
        |list: &serde_json::Value| list.as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).sum::<u64>();
    assert_eq!(sum(&json["results"]), 9);
    assert_eq!(json["provenance"][0]["licence"], "CC0-1.0");
    assert!(json["columns"]["board"].as_u64().is_some() && json["bytes_a_row"].as_f64().is_some());
}

/// An archive names each of its members twice; `scripts/check-datasets` checks their content.
#[test]
fn arrays_for_numpy_have_a_row_for_each_decision() {
    let folder = tempfile::tempdir().unwrap();
    let out = played(folder.path(), "games", "standard+zertz", "4", "1");
    let file = folder.path().join("games.npz");
    let rows = read(&parts(&out).unwrap()).iter().map(Vec::len).sum::<usize>();
    let told = data("export", &["--format", "npz", "--out", file.to_str().unwrap(), out.to_str().unwrap()]);
    assert!(told.starts_with(&format!("{rows} decisions, ")) && told.contains(" 371 actions in "), "{told}");
    let bytes = fs::read(&file).unwrap();
    let help = gipf(&["data", "export", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let card = fs::read_to_string(out.join("_README.md")).unwrap();
    for [name, element, shape, about] in ARRAYS {
        assert!(help.contains(&format!("{name}: {element} {shape} {about}")), "{help}");
        assert!(card.contains(&format!("| `{name}` | {element} | {shape} | {about} |")), "{card}");
        let name = format!("{name}.npy");
        assert_eq!(bytes.windows(name.len()).filter(|window| *window == name.as_bytes()).count(), 2, "{name}");
    }
    assert_eq!(bytes.windows(4).filter(|window| *window == b".npy").count(), 2 * ARRAYS.len());
}

#[test]
fn the_licence_is_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("games");
    let args = ["self-play", "--agent", "random", "--games", "1", "--licence", "CC-BY-4.0", "--out"];
    assert_eq!(gipf(&[&args[..], &[out.to_str().unwrap()]].concat()).exit, Exit::Success);
    let reader = DatasetReader::open(&parts(&out).unwrap()[0]).unwrap();
    assert_eq!(reader.provenance().licence, "CC-BY-4.0");
    assert!(fs::read_to_string(out.join("_README.md")).unwrap().starts_with("---\nlicense: cc-by-4.0\n"));
}

#[test]
fn what_is_not_a_licence_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("games");
    for licence in ["*evil", "MIT\npretty_name: x", "<script>", ""] {
        let args = ["self-play", "--agent", "random", "--games", "1", "--licence", licence, "--out"];
        refused(&[&args[..], &[out.to_str().unwrap()]].concat(), Exit::WrongUse, &["expected an SPDX expression"]);
    }
    assert!(!out.exists());
}

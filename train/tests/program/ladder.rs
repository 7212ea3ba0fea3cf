//! The ladders that come with the program, in another folder.

use std::fs;
use std::path::Path;

use gipf_env::Variant;
use gipf_play::arena::ladder::{Store, shipped};
use gipf_train::cli::Exit;

use crate::{Answer, answer, command};

/// In a folder without a store, the results that come with the program are used, and games are added to a copy of them.
#[test]
fn the_ladder_that_comes_along_is_shown_and_played_on_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let Answer { exit, out, err } = answer(command(args).current_dir(&folder));
        (exit == Exit::Success, out, err)
    };
    let (_, shown, told) = run(&["ladder", "--show", "--variant", "basic"]);
    let own = shipped(Variant::BASIC).unwrap();
    let series = Store::parse(Path::new("basic.jsonl"), own).unwrap().series;
    let games: u64 = series.iter().map(|series| 2 * series.pairs.pairs()).sum();
    assert!(shown.starts_with(&format!("Ladder of basic: {games} games from the book basic")), "{shown}{told}");
    assert!(!folder.path().join("ladder").exists() && told.is_empty(), "{told}");
    let few = ["--games", "2", "--margin", "10000"];
    let (_, played, told) = run(&[&["ladder", "--variant", "basic"][..], &few].concat());
    let begun = format!("ladder/basic.jsonl: begun with the {games} games of the ladder that comes with the program\n");
    assert!(told.starts_with(&begun) && played.starts_with("Ladder of basic: "), "{told}{played}");
    let kept = fs::read_to_string(folder.path().join("ladder/basic.jsonl")).unwrap();
    assert!(kept.starts_with(own.rsplit_once("{\"series\"").unwrap().0));
    let (_, _, again) = run(&["ladder", "--show", "--variant", "basic"]);
    assert_eq!(again, "");
    let (found, _, told) = run(&["ladder", "--show", "--variant", "basic+zertz"]);
    assert!(!found && told.contains("ladder/basic+zertz.jsonl: there is no such file"), "{told}");
}

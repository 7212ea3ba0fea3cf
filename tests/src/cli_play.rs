//! `gipf play`, with lines typed by nobody.

use gipf_env::Variant;
use gipf_train::cli::Exit;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::{gipf_with_input, refused, write};

/// Plays against `random`, with these lines typed.
fn play(args: &[&str], lines: &[&str]) -> String {
    let args = [&["play", "random", "--seed", "3"], args].concat();
    let answer = gipf_with_input(&args, &(lines.join("\n") + "\n"));
    assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""), "{}", answer.out);
    answer.out
}

#[test]
fn a_person_plays_by_coordinates_and_numbers() {
    let out = play(&[], &["d1-f2", "3", "", "help", "list", "board"]);
    assert!(out.contains("White: d1-f2\nBlack: ") && out.matches("White: ").count() == 2, "{out}");
    assert!(out.contains("\n  1 a1-") && out.contains("[●]") && out.contains("gipf play --game FILE"), "{out}");
    assert!(!out.contains('\x1b'), "no colours but on a terminal");
    let black = play(&["--colour", "black", "--variant", "tournament"], &["1"]);
    assert!(black.find("White: G") < black.find("Black: G"), "{black}");
    assert_eq!(black.matches("Black: G").count(), 1, "{black}");
}

#[test]
fn a_move_that_is_not_understood_is_explained_and_asked_again() {
    let out = play(&[], &["e2", "castle", "e1-d3", "99", "d1-e2"]);
    let told: Vec<_> =
        ["e2 is occupied: name the dot", "`castle` is no move", "no line leads from e1 to d3", "1 to 30"]
            .into_iter()
            .map(|text| out.find(text).unwrap_or_else(|| panic!("{text}: {out}")))
            .collect();
    assert!(told.is_sorted() && told.last() < out.find("White: d1-").as_ref(), "{out}");
}

#[test]
fn captures_are_asked_about_in_words() {
    let gipfs = "standard g3/5/6/SGSg3/6/5/3G w 9 12 - 0 0";
    let out = play(&["--position", gipfs], &["e1-e2", "what", "leave", "take"]);
    let texts = [
        "3 pieces of White taken back: reserve 11",
        "GIPF-piece on e4 (yours): take it or leave it?",
        "`what` is no answer: take or leave the piece on e4",
        "White: leave",
        "GIPF-piece on e6 (your opponent's): take it or leave it?",
        "1 piece of Black captured, a GIPF-piece among them",
    ];
    let places: Vec<_> = texts.iter().map(|text| out.find(text).unwrap_or_else(|| panic!("{text}: {out}"))).collect();
    assert!(places.is_sorted(), "{out}");
    let crossing = play(&["--position", "basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0"], &["e1-e2", "list", "i5-a1"]);
    assert!(
        crossing.contains("The rows e1-e9 and a1-i5 touch: which first?\n  1 e1-e9    2 a1-i5\nWhite: a1-i5\n"),
        "{crossing}"
    );
}

#[test]
fn undo_takes_the_whole_turn_back_and_hint_helps() {
    let out = play(&[], &["undo", "d1-f2", "undo", "d1-f2", "hint"]);
    assert!(out.contains("There is no turn of yours to take back."), "{out}");
    let turns: Vec<_> = out.split("White: d1-f2\n").collect();
    assert_eq!(turns.len(), 3);
    assert!(turns[1].contains("Your last turn is taken back.") && turns[1].contains("placements 0"), "{out}");
    assert!(turns[2].contains("Hint: ") && turns[2].contains("the game may go on: White "), "{out}");
}

#[test]
fn a_game_is_kept_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let file = file.to_str().unwrap();
    let first = play(&["--variant", "tournament"], &["Ge2", &format!("save {file}"), "quit"]);
    assert!(first.contains(&format!("Saved. Go on later with: gipf play --game {file}")), "{first}");
    let second = play(&["--game", file], &["1"]);
    assert!(second.contains("tournament, placements 2, last G") && second.contains("White: "), "{second}");
    let third = play(&["--game", file], &["undo", "resign"]);
    assert!(third.contains("placements 4") && third.ends_with("White resigns: Black wins.\n"), "{third}");
    let other = play(&[], &["save", &format!("save {file}"), &format!("save {file}/x")]);
    assert!(other.contains("Name the file") && other.contains("exists: choose another name"), "{other}");
    assert!(other.contains("Not saved: "), "{other}");
    let settings = ["play", "--game", file, "--variant", "basic"];
    refused(&settings, Exit::WrongUse, &["--game", "expected none"]);
    write(folder.path(), "game.json", "{}");
    refused(&["play", "--game", file], Exit::Failure, &["game.json", "not a saved game"]);
}

#[test]
fn a_game_is_played_to_its_end_and_can_be_taken_up_again() {
    let lines = ["1"; 200];
    let out = play(&["--variant", "basic"], &lines);
    let endings = out.matches(" Type undo, save FILE or quit.").count();
    assert_eq!(endings, 1, "{out}");
    assert!(out.contains("White wins: Black cannot bring in a piece.") || out.contains("Black wins: White cannot"));
    let again = play(&["--variant", "basic"], &[&lines[..], &["undo", "hint"]].concat());
    assert!(again.contains("Your last turn is taken back.") && again.contains("Hint: "), "{again}");
}

#[test]
fn whatever_is_typed_the_dialogue_goes_on() {
    let words = [
        "1", "7", "take", "leave", "undo", "hint", "list", "e2", "Ge2", "b1-b5", "Zc1-c2", "c3-f3", "é\u{7f}", "",
        "save",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for variant in Variant::ALL.map(|variant| variant.to_string()) {
        let long = "e1-".repeat(3000);
        let mut lines: Vec<_> = (0..150).map(|_| words[rng.random_range(0..words.len())]).collect();
        lines.extend([&long, "board"]);
        let out = play(&["--variant", &variant], &lines);
        assert!(out.matches("White: ").count() > 10, "{out}");
    }
}

#[test]
fn play_refuses_what_makes_no_sense() {
    refused(&["play", "gamma"], Exit::WrongUse, &["gamma", "expected"]);
    refused(&["play", "--colour", "red"], Exit::WrongUse, &["red", "expected white or black"]);
    refused(&["play", "--position", "standard"], Exit::WrongUse, &["column 9", "board"]);
    refused(&["play", "--variant", "chess"], Exit::WrongUse, &["`chess`", "expected basic"]);
}

//! Files that were changed after they were written: bits flipped, bytes replaced, removed, duplicated or inserted, lines
//! moved, ends lost. Such a file is refused, or read with a warning, or it still says the same as before.

use std::path::Path;

use gipf_env::Variant;
use gipf_play::Seal;
use gipf_play::arena::Book;
use gipf_play::arena::ladder::{Store, shipped};
use gipf_train::cli::Exit;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::{Answer, gipf, gipf_with_input, write};

/// Returns the bytes with one change.
fn changed(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut new = bytes.to_vec();
    let place = rng.random_range(0..bytes.len());
    let longest = if rng.random_bool(0.3) { bytes.len() } else { 80 };
    let end = (place + rng.random_range(1..=longest)).min(bytes.len());
    match rng.random_range(0..9) {
        0 => new[place] ^= 1 << rng.random_range(0..8),
        1 => new[place] = rng.random_range(b' '..b'~'),
        2 => new.truncate(place),
        3 => drop(new.drain(place..end)),
        4 => drop(new.splice(place..place, bytes[place..end].to_vec())),
        5 => {
            let from = rng.random_range(0..bytes.len());
            let to = (from + end - place).min(bytes.len());
            new.splice(place..end, bytes[from..to].to_vec());
        }
        6 => drop(new.drain(..place)),
        number => {
            let mut lines: Vec<_> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            let [one, other] = [0, 0].map(|_: u8| rng.random_range(0..lines.len()));
            if number == 7 {
                lines.swap(one, other);
            } else {
                lines.remove(one);
            }
            new = lines.concat();
        }
    }
    new
}

/// Changes a file in many ways; unless `read` refuses the file or warns, it must return the same as before.
fn no_change_goes_unnoticed<T: PartialEq>(name: &str, text: &str, changes: u32, read: impl Fn(&[u8]) -> Option<T>) {
    let before = read(text.as_bytes());
    assert!(before.is_some(), "{name} is read without a word");
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let mut same = 0;
    for _ in 0..changes {
        let new = changed(text.as_bytes(), &mut rng);
        let Some(found) = read(&new) else { continue };
        assert!(Some(found) == before, "{name} is read otherwise without a word:\n{}", String::from_utf8_lossy(&new));
        same += 1;
    }
    println!("{name}: {same} of {changes} changes left it as it was, and all others are noticed");
}

/// Returns the output of a command, unless it refuses or warns.
fn silent(answer: Answer) -> Option<String> {
    (answer.exit == Exit::Success && answer.err.is_empty()).then_some(answer.out)
}

#[test]
fn ladders() {
    let text: String = shipped(Variant::BASIC).unwrap().to_owned();
    no_change_goes_unnoticed("a ladder", &text, 2000, |bytes| {
        let text = std::str::from_utf8(bytes).ok()?;
        let found = Store::parse(Path::new("l"), text).ok().filter(|found| found.flaws.is_empty())?;
        Some((found.head, found.series))
    });
}

#[test]
fn books() {
    let made = gipf(&["book", "--positions", "12", "--nodes", "100", "--bound", "200"]).out;
    no_change_goes_unnoticed("a book", &made, 2000, |bytes| {
        let book = Book::parse("b", std::str::from_utf8(bytes).ok()?).ok()?;
        assert!(book.len() <= 24);
        let openings: Vec<_> = (0..book.len()).map(|number| book.opening(number, 400).position).collect();
        (book.seal() != Seal::Broken).then_some(openings)
    });
}

#[test]
fn records_of_matches() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let file = file.to_str().unwrap();
    let args = ["eval", "random", "--against", "greedy", "--games", "4", "--placement-limit", "50", "--records", file];
    assert_eq!(gipf(&args).exit, Exit::Success);
    let text = std::fs::read_to_string(file).unwrap();
    no_change_goes_unnoticed("a record", &text, 2000, |bytes| {
        write(folder.path(), "changed.pgn", std::str::from_utf8(bytes).ok()?);
        let changed = folder.path().join("changed.pgn");
        silent(gipf(&["record", "convert", changed.to_str().unwrap(), "--to", "gpn"]))
    });
}

#[test]
fn games_of_people() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let file = file.to_str().unwrap();
    let played = gipf_with_input(&["play", "random", "--seed", "3", "--game", file], &"1\n".repeat(20));
    assert_eq!(played.exit, Exit::Success, "{}", played.err);
    let text = std::fs::read_to_string(file).unwrap();
    no_change_goes_unnoticed("a game", &text, 150, |bytes| {
        std::fs::write(file, bytes).unwrap();
        silent(gipf_with_input(&["play", "--game", file], "quit\n"))
    });
}

//! The rules against games that an independent implementation recorded, and the checker against planted errors.

use std::io::Read;

use flate2::read::GzDecoder;
use gipf_train::conformance::{ConformanceError, Mismatch, Subject, Summary, check};

const GAMES: &[u8] = include_bytes!("../../data/games.ndjson.gz");
const POSITIONS: &[u8] = include_bytes!("../../data/positions.ndjson.gz");

fn text(compressed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
    text
}

fn replay(records: &str) -> Result<(Summary, Vec<Mismatch>), ConformanceError> {
    let (mut summary, mut all) = (Summary::default(), Vec::new());
    for game in check(records.as_bytes()) {
        let game = game?;
        summary.add(&game);
        all.extend(game.mismatches);
    }
    Ok((summary, all))
}

#[test]
fn every_recorded_game_is_as_the_rules_say() {
    for (file, games, decisions) in [(GAMES, 105, 6274), (POSITIONS, 420, 3183)] {
        let (summary, mismatches) = replay(&text(file)).unwrap();
        assert_eq!(mismatches, []);
        assert_eq!((summary.games, summary.decisions), (games, decisions));
    }
}

/// Returns the mismatches after one change to the first game of the file, which is a basic one.
fn with_planted(from: &str, to: &str) -> Vec<Mismatch> {
    let file = text(GAMES);
    let game = file.lines().next().unwrap();
    assert_eq!(replay(game).unwrap().1, []);
    assert_eq!(replay(&format!("\u{feff}{game}")).unwrap().1, []);
    assert!(game.contains(from), "nothing to change: {from}");
    replay(&game.replacen(from, to, 1)).unwrap().1
}

#[test]
fn a_planted_error_of_every_kind_is_found_at_its_decision() {
    let cases = [
        (r#""board":"s2S"#, r#""board":"S2S"#, Some(1), Subject::Board),
        (r#""side":"b""#, r#""side":"w""#, Some(2), Subject::Side),
        (r#""reserve":[11,12]"#, r#""reserve":[12,12]"#, Some(2), Subject::Reserve),
        (r#""legal":[0,1"#, r#""legal":[1"#, Some(1), Subject::Legal),
        (r#""legal":[0,1"#, r#""legal":[0,0,1"#, Some(1), Subject::Legal),
        (r#""action":20"#, r#""action":42"#, Some(1), Subject::Action),
        (r#""action":20"#, r#""action":999"#, Some(1), Subject::Action),
        (r#""final":""#, r#""final":"S"#, None, Subject::Final),
        (r#""limit":400"#, r#""limit":2"#, Some(3), Subject::Legal),
        (r#""steps""#, r#""start":"basic 4","steps""#, None, Subject::Start),
    ];
    for (from, to, decision, subject) in cases {
        let found = with_planted(from, to);
        let planted = found.iter().find(|mismatch| mismatch.decision == decision && mismatch.subject == subject);
        let line = planted.unwrap_or_else(|| panic!("{from} to {to}: {found:?}")).to_string();
        assert!(line.starts_with("game 1") && !line.contains('\n'), "{line}");
    }
    for (to, found) in [(r#""legal":[1,0"#, "another order"), (r#""legal":[0,0,1"#, "an action twice")] {
        let told = with_planted(r#""legal":[0,1"#, to)[0].to_string();
        let expected = "game 1, decision 1: legal: expected each action once, in ascending order, found";
        assert_eq!(told, format!("{expected} {found}"));
    }
    let game = text(GAMES).lines().next().unwrap().to_owned();
    for wrong in ["white", "black", "repetition", "limit", "cut"] {
        let result = game.rsplit_once(r#""result":""#).unwrap();
        let (right, rest) = result.1.split_once('"').unwrap();
        let planted = format!(r#"{}"result":"{wrong}"{rest}"#, result.0);
        let subjects: Vec<_> = replay(&planted).unwrap().1.iter().map(|mismatch| mismatch.subject).collect();
        assert_eq!(subjects, if wrong == right { vec![] } else { vec![Subject::Result] });
    }
}

#[test]
fn a_file_that_is_no_record_is_refused_at_its_line() {
    let game = text(GAMES).lines().next().unwrap().to_owned();
    let cases = [
        ("{".to_owned(), "line 2, column 1, is not of a recorded game"),
        ("[]".to_owned(), "line 2, column "),
        (game[..game.len() / 2].to_owned(), "line 2, column "),
        (game.replacen(r#""potentials":0"#, r#""potentials":-1"#, 1), "line 2, column "),
        (game.replacen(r#""potentials":0"#, r#""colour":0"#, 1), "line 2, column "),
        (game.replacen(r#""rules":"basic""#, r#""rules":"chess""#, 1), "line 2: unknown variant `chess`"),
        (game.replacen(r#""potentials":0"#, r#""potentials":9"#, 1), "line 2: 9 potentials for basic"),
        (" ".repeat(2 << 20), "line 2 is longer than "),
    ];
    for (line, expected) in cases {
        let error = replay(&format!("{game}\n{line}\n{game}\n")).unwrap_err().to_string();
        assert!(error.starts_with(expected) && !error.contains('\n'), "{error}");
    }
    assert!(check(&b"\xff\xfe\n{}"[..]).next().unwrap().is_err());
    assert_eq!(check(&b"{\n{}"[..]).count(), 1, "nothing follows an error");
}

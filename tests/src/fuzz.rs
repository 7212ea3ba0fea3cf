//! Readers of untrusted text meet texts that are nearly right: no panic, no hang, and what is accepted makes sense.
//!
//! Inputs are drawn from a corpus of good texts and changed: bytes replaced, cut out, doubled, pieces of other texts put
//! in. As many as `GIPF_FUZZ_INPUTS` says for each reader; `scripts/fuzz` runs many more than a test does.

use std::time::{Duration, Instant};

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Notation, Record, Source};
use gipf_env::notation::{Ledger, ReadError, julio, official};
use gipf_env::{Action, GipfPosition, Setup, Variant};
use gipf_train::arena::Book;
use gipf_train::arena::ladder::{Head, PlayerId, Results, Series, Store};
use gipf_train::conformance;
use gipf_train::ugi::Command;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ladder::unchecked;
use crate::random::crowded;
use crate::recorded;

/// Inputs for each reader in a test run.
const INPUTS: u64 = 10_000;
/// Longer than any reader may take over one input, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(5);

/// A good text, and where it stands.
struct Good<T> {
    place: T,
    text: Vec<u8>,
}

impl<T> Good<T> {
    fn new(place: T, text: &str) -> Self {
        Self { place, text: text.as_bytes().to_vec() }
    }
}

fn inputs() -> u64 {
    std::env::var("GIPF_FUZZ_INPUTS").ok().map_or(INPUTS, |text| text.parse().expect("GIPF_FUZZ_INPUTS is a number"))
}

/// Hands inputs made from the corpus to a reader, which returns whether it accepted them, and says how many it did.
fn fuzz<T>(name: &str, corpus: &[Good<T>], mut read: impl FnMut(&T, &[u8]) -> bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(name.bytes().map(u64::from).sum());
    let (mut accepted, mut slowest) = (0, Duration::ZERO);
    for _ in 0..inputs() {
        let good = corpus.choose(&mut rng).expect("the corpus has texts");
        let input = mutated(&good.text, corpus, &mut rng);
        let start = Instant::now();
        accepted += u64::from(read(&good.place, &input));
        let took = start.elapsed();
        assert!(took < PATIENCE, "{name} took {took:?} over {:?}", String::from_utf8_lossy(&input));
        slowest = slowest.max(took);
    }
    println!("{name}: {} inputs, {accepted} accepted, slowest {slowest:?}", inputs());
    assert!(accepted > inputs() / 1000, "{name} accepts next to nothing, so the inputs are too wild to find faults");
}

/// Returns a text with a few changes, now and then none.
fn mutated<T>(text: &[u8], corpus: &[Good<T>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..rng.random_range(0..4) {
        let place = rng.random_range(0..=text.len());
        let end = (place + rng.random_range(0..6)).min(text.len());
        match rng.random_range(0..6) {
            0 => drop(text.drain(place..end)),
            1 => drop(text.splice(place..end, [rng.random::<u8>()])),
            2 => drop(text.splice(place..place, *b"\xe2\x80\x93")),
            3 => {
                let piece = text[place..end].to_vec();
                text.splice(place..place, piece.repeat(rng.random_range(1..4)));
            }
            _ => {
                let other = &corpus.choose(rng).expect("the corpus has texts").text;
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..8)).min(other.len());
                text.splice(place..end, other[from..to].iter().copied());
            }
        }
    }
    text
}

/// Returns whether the text was accepted; a refusal has one line and shows only a piece of what was read.
fn accepted<T, E: std::error::Error>(result: &Result<T, E>) -> bool {
    if let Err(error) = result {
        let message = error.to_string();
        assert!(!message.contains('\n') && message.chars().count() < 1000, "{message}");
    }
    result.is_ok()
}

fn as_text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

#[test]
fn position_texts() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions = Variant::ALL.into_iter().flat_map(|variant| (0..20).map(move |_| variant));
    let corpus: Vec<_> = positions.map(|variant| Good::new((), &crowded(variant, &mut rng).to_gpn())).collect();
    fuzz("position texts", &corpus, |&(), input| {
        let read = as_text(input).parse::<Setup>();
        if let Ok(setup) = &read {
            assert_eq!(setup.to_string().parse::<Setup>().as_ref(), Ok(setup));
            assert_eq!(GipfPosition::from_setup(setup).unwrap().validate(), Ok(()));
        }
        accepted(&read)
    });
}

/// Turns of recorded games, each with the ledger before it.
fn fuzz_turns(name: &str, corpus: &[Good<Ledger>], read: fn(&Ledger, &str) -> Result<Vec<Action>, ReadError>) {
    fuzz(name, corpus, |ledger, input| {
        let read = read(ledger, &as_text(input));
        let mut ledger = ledger.clone();
        for &action in read.iter().flatten() {
            ledger.play(action).expect("what is read can be played");
        }
        accepted(&read)
    });
}

#[test]
fn turns_in_the_official_notation() {
    let turns = recorded::games().into_iter().flat_map(|game| game.turns());
    let written =
        turns.zip([Form::Short, Form::Complete].into_iter().cycle()).filter_map(|((ledger, actions), form)| {
            let text = official::write_with_reserve(&ledger, &actions, form).ok()?;
            Some(Good::new(ledger, &text))
        });
    fuzz_turns("turns in the official notation", &written.collect::<Vec<_>>(), official::read);
}

#[test]
fn moves_in_julio974s_notation() {
    let spans = recorded::games().into_iter().flat_map(|game| game.spans());
    let written = spans.filter_map(|(ledger, actions)| {
        let text = julio::write(&ledger, &actions).ok()?;
        Some(Good::new(ledger, &text))
    });
    fuzz_turns("moves in Julio974's notation", &written.collect::<Vec<_>>(), julio::read);
}

#[test]
fn records_of_games() {
    let notations =
        [Notation::Text(Form::Short), Notation::Sheet(Form::Complete), Notation::Lines(Form::Short), Notation::Julio];
    let games = recorded::games().into_iter().zip(notations.into_iter().cycle());
    let written = games.filter_map(|(game, notation)| {
        let short = &game.actions[..game.actions.len().min(20)];
        let text = record::write(&Record::new(&game.setup, short, None).ok()?, notation).ok()?;
        Some(Good::new(game.setup, &text))
    });
    fuzz("records of games", &written.collect::<Vec<_>>(), |setup, input| {
        let family = None;
        let known = record::read(&as_text(input), &Source { family, setup: Some(setup.clone()) });
        let unknown = record::read(&as_text(input), &Source::default());
        for read in known.iter().chain(&unknown) {
            let again = Record::new(read.record.setup(), &read.record.actions(), None).unwrap();
            assert_eq!(again.actions(), read.record.actions());
        }
        accepted(&known) | accepted(&unknown)
    });
}

#[test]
fn lines_of_the_engine_protocol() {
    let lines = [
        "ugi",
        "isready",
        "setoption name Variant value basic+zertz",
        "position startpos moves d1-e2 e9-e8 g1-c3;xc2,d3,e4",
        "position fen standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0 moves b1-b3",
        "go p1time 60000 p2time 60000 p1inc 1000 p2inc 1000",
        "go nodes 100 movetime 50 depth 3",
        "go infinite",
        "stop",
        "query p1turn",
        "query result",
        "quit",
    ];
    let corpus: Vec<_> = lines.map(|line| Good::new((), line)).into_iter().collect();
    fuzz("lines of the engine protocol", &corpus, |&(), input| accepted(&Command::parse(&as_text(input))));
}

#[test]
fn recorded_games_of_another_program() {
    let record = r#"{"rules":"basic","potentials":0,"limit":2,"start":"basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0","steps":[{"board":"s2S/5/6/S5s/6/5/s2S","side":"w","reserve":[12,12],"legal":[0,1],"action":2}],"final":"","result":"limit"}"#;
    fuzz("recorded games of another program", &[Good::new((), record)], |&(), input| {
        conformance::check(input).all(|game| accepted(&game))
    });
}

#[test]
fn books_of_openings() {
    let texts = Variant::ALL.map(|variant| {
        let book = Book::of(variant);
        (0..20).map(|number| book.opening(number, 400)).collect::<Vec<_>>()
    });
    let line = |opening: &gipf_train::arena::Opening<GipfPosition>| {
        let mut course = gipf_train::ugi::Course::new(&opening.start.to_setup()).expect("a start");
        for &action in &opening.actions {
            course.play(action).expect("an opening was played");
        }
        let turns = if course.turns().is_empty() { String::new() } else { format!(" | {}", course.turns().join(" ")) };
        Good::new((), &format!("{}{turns}\n", opening.position.to_gpn()))
    };
    let corpus: Vec<_> = texts.iter().flatten().map(line).collect();
    fuzz("books of openings", &corpus, |&(), input| {
        let read = Book::parse("fuzz", &as_text(input));
        for opening in read.iter().flat_map(|book| (0..book.len()).map(|number| book.opening(number, 400))) {
            assert_eq!((opening.position.validate(), opening.position.outcome()), (Ok(()), None));
        }
        accepted(&read)
    });
}

#[test]
fn files_of_ladders() {
    // Without checksums, which would refuse all that is changed.
    let head = unchecked(&Head::new(&Book::of(Variant::BASIC), 0));
    let player = |number: u64| PlayerId { name: format!("alpha-beta:{number}"), fingerprint: number };
    let series = |number: u64| Series {
        players: [player(number), player(number + 1)],
        openings: vec![3, 200],
        pairs: gipf_train::arena::Pentanomial([0, 1, 0, 1, 0]),
        draws: 2,
        white_wins: 1,
        turns: [50, 51],
        nodes: [7, 12345],
        seconds: [0.125, 3.5],
        program: "0.1.0".to_owned(),
    };
    let line = |number| serde_json::to_string(&series(number)).unwrap();
    let corpus: Vec<_> =
        (0..4).map(|number| Good::new((), &format!("{head}\n{}\n{}\n", line(number), line(number + 1)))).collect();
    fuzz("files of ladders", &corpus, |&(), input| {
        let read = Store::parse(std::path::Path::new("fuzz"), &as_text(input));
        if let Ok(found) = &read {
            let results = Results::of(&found.series);
            if !results.players().is_empty() {
                let fit = results.rated((0, 0.0)).fit;
                assert!(fit.elo(0).is_finite() && fit.dispersion().is_finite());
            }
        }
        accepted(&read)
    });
}

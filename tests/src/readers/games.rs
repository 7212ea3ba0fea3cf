//! The laws of what people and programs write about games.

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Family, Notation, Reading, Record, RecordError, Source};
use gipf_env::notation::{Ledger, ReadError, Unwritable, julio, official};
use gipf_env::{Action, GipfPosition, Phase, Position, Setup};
use gipf_play::{Seal, TaggedGame};
use gipf_train::conformance;

use super::{accepted, as_text, assert_is_one_line};

/// A position text: when written again, it reads the same, and every legal action leads to a position that can be written.
pub fn positions(input: &[u8]) -> bool {
    let Some(setup) = accepted(as_text(input).parse::<Setup>()) else { return false };
    assert_eq!(setup.to_string().parse().as_ref(), Ok(&setup));
    let position = GipfPosition::from_setup(&setup).expect("a setup that was read is a position");
    assert_eq!(position.validate(), Ok(()));
    for action in position.legal_actions() {
        let mut next = position.clone();
        next.play(action).expect("the action is legal");
        assert_eq!(next.validate(), Ok(()), "after {action}");
        if next.outcome().is_none() && next.phase() == Phase::Push {
            let text = next.to_gpn();
            assert_eq!(text.parse::<Setup>().map(|setup| setup.to_string()), Ok(text), "after {action}");
        }
    }
    true
}

/// A position text, then turns in the official notation, one on each line.
pub fn official(input: &[u8]) -> bool {
    let write = |ledger: &Ledger, actions: &[Action]| {
        [Form::Short, Form::Complete].map(|form| official::write_with_reserve(ledger, actions, form)).into()
    };
    turns(input, &Turns { read: official::read, options: official::options, write: &write })
}

/// A position text, then moves in Julio974's notation, one on each line.
pub fn julio(input: &[u8]) -> bool {
    let write = |ledger: &Ledger, actions: &[Action]| vec![julio::write(ledger, actions)];
    turns(input, &Turns { read: julio::read, options: julio::options, write: &write })
}

/// Writes a turn in each of the forms of a notation.
type WriteTurn = dyn Fn(&Ledger, &[Action]) -> Vec<Result<String, Unwritable>>;

/// A notation of single turns.
struct Turns<'a> {
    read: fn(&Ledger, &str) -> Result<Vec<Action>, ReadError>,
    options: fn(&Ledger, &str) -> String,
    write: &'a WriteTurn,
}

/// Turns that are read can be played, and when written again, they lead to the same position.
fn turns(input: &[u8], notation: &Turns<'_>) -> bool {
    let text = as_text(input);
    let mut lines = text.lines();
    let Some(Ok(setup)) = lines.next().map(str::parse::<Setup>) else { return false };
    let mut ledger = Ledger::new(&setup).expect("a setup that was read is a position");
    let mut any = false;
    for line in lines {
        let Some(actions) = accepted((notation.read)(&ledger, line)) else {
            assert_is_one_line(&(notation.options)(&ledger, line));
            return any;
        };
        any = true;
        let next = after(&ledger, &actions);
        for written in (notation.write)(&ledger, &actions) {
            match written {
                Ok(text) => {
                    let again = (notation.read)(&ledger, &text).expect("what was written is read");
                    assert_eq!(after(&ledger, &again).position(), next.position(), "{text}");
                }
                Err(Unwritable::NotATurn(what)) => panic!("{line} was read, and is not {what}"),
                Err(_) => {}
            }
        }
        ledger = next;
    }
    any
}

/// Returns the ledger after decisions that were read.
fn after(ledger: &Ledger, actions: &[Action]) -> Ledger {
    let mut ledger = ledger.clone();
    for &action in actions {
        ledger.play(action).expect("what was read can be played");
    }
    ledger.take_finished();
    ledger
}

/// A whole game; a position text in the first line says where it starts.
pub fn records(input: &[u8]) -> bool {
    let text = as_text(input);
    let first = text.split_once('\n').and_then(|(first, rest)| Some((first.parse().ok()?, rest)));
    let (setup, text) = first.map_or((None, text.as_str()), |(setup, rest)| (Some(setup), rest));
    let read = |family| {
        let reading = accepted(record::read(text, &Source { family, setup: setup.clone(), ..Source::default() }));
        reading.iter().for_each(assert_can_be_told);
        reading.map(|reading| reading.family)
    };
    // A text detected as one notation may be readable in the other as well.
    let other = if record::family(text) == Family::Julio { Family::Official } else { Family::Julio };
    let [found, again] = [None, Some(other)].map(read);
    assert_ne!(found, Some(other));
    found.is_some() || again.is_some()
}

/// A record is the same as one made from its decisions, and when written and read again, it ends in the same position.
fn assert_can_be_told(Reading { record, .. }: &Reading) {
    let (setup, actions) = (record.setup(), record.actions());
    assert_eq!(Record::new(setup, &actions, record.conclusion()).as_ref(), Ok(record));
    let forms = [Form::Short, Form::Complete];
    let official = forms.map(|form| [Notation::Sheet(form), Notation::Text(form), Notation::Lines(form)]);
    for notation in official.into_iter().flatten().chain([Notation::Julio]) {
        let Ok(text) = record::write(record, notation) else { continue };
        let family = if notation == Notation::Julio { Family::Julio } else { Family::Official };
        match record::read(&text, &Source { family: Some(family), setup: Some(setup.clone()), ..Source::default() }) {
            Ok(again) => assert_eq!(position_after(&again.record), position_after(record), "{text}"),
            // Nothing was played, or only a turn that leaves nothing to write.
            Err(RecordError::Empty) => assert!(record.turns().len() <= 1, "{text}"),
            Err(error) => panic!("{text}{error}"),
        }
    }
}

/// Returns where a game ends; a turn that leaves nothing to write may be missing there.
fn position_after(record: &Record) -> GipfPosition {
    let mut ledger = Ledger::new(record.setup()).expect("a record has a start");
    for action in record.actions() {
        ledger.play(action).expect("the turns of a record were played");
    }
    ledger.position().clone()
}

/// Games with tags: when written, they read the same, and their checksums match.
pub fn tags(input: &[u8]) -> bool {
    let games = TaggedGame::all_of(&as_text(input));
    for game in &games {
        let text = game.to_string();
        let [read] = &TaggedGame::all_of(&text)[..] else { panic!("one game is written as one: {text}") };
        assert_eq!((read.seal(), read.turns()), (Seal::Intact, game.turns()), "{text}");
        assert_eq!(read.tags().count(), game.tags().count(), "{text}");
        assert_eq!(read.to_string(), text);
    }
    games.iter().any(|game| game.tags().next().is_some())
}

/// Recorded decisions of another program.
pub fn decisions(input: &[u8]) -> bool {
    let mut any = false;
    for game in conformance::check(input) {
        let Some(game) = accepted(game) else { return false };
        game.mismatches.iter().for_each(|mismatch| assert_is_one_line(&mismatch.to_string()));
        any = true;
    }
    any
}

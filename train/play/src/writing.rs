//! Writes a game with its tags, so that [`reading`](crate::reading) finds the same start and the same decisions.
//!
//! ```
//! use gipf_env::notation::record::{Record, Source};
//! use gipf_env::{GipfPosition, Position, Setup, Variant};
//! use gipf_play::{TaggedGame, reading, writing};
//!
//! let start = Setup::start(Variant::STANDARD);
//! let actions = [GipfPosition::from_setup(&start)?.action_set().nth(0).unwrap()];
//! let (turns, lacking) = writing::turns(&Record::new(&start, &actions, None)?, &actions);
//! let mut game = TaggedGame::new(turns);
//! writing::tell_start(&mut game, &start);
//! writing::tell_decisions(&mut game, lacking);
//! assert_eq!(reading::read(&game, &Source::default(), &mut Vec::new())?.actions, actions);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Family, Notation, Record, Source};
use gipf_env::{Action, Setup};

use crate::arena::GAMES;
use crate::reading::{DECISIONS, RULES, STARTS};
use crate::tagged_game::TaggedGame;

/// The tags that belong to the turns as they are written: where the game starts, what the turns lack, and the number of
/// games written together.
const OF_TURNS: [&str; 5] = ["SetUp", "PlacementLimit", "PlyLimit", DECISIONS, GAMES];

/// Removes the tags that belong to the turns, for a game whose turns are written anew.
pub fn forget_start(game: &mut TaggedGame) {
    game.remove(&[&STARTS[..], &RULES[..], &OF_TURNS[..]].concat());
}

/// Adds the tags that say where a game starts.
pub fn tell_start(game: &mut TaggedGame, start: &Setup) {
    game.add("Variant", start.variant.to_string());
    game.add("Start", start.to_string());
    start.placement_limit.into_iter().for_each(|limit| game.add("PlacementLimit", limit.to_string()));
}

/// Adds the decisions that the turns lack, if there are any.
pub fn tell_decisions(game: &mut TaggedGame, lacking: &[Action]) {
    let numbers: Vec<_> = lacking.iter().map(|action| action.index().to_string()).collect();
    if !numbers.is_empty() {
        game.add(DECISIONS, numbers.join(" "));
    }
}

/// Returns the turns of a game in the official notation, with its result on a line of its own, and the decisions that
/// they lack: those of an unfinished turn, or all of them where the notation cannot express the game so that it reads
/// back the same.
pub fn turns<'a>(record: &Record, actions: &'a [Action]) -> (String, &'a [Action]) {
    let alone = format!("{}\n", result(record));
    let Ok(written) = record::write(record, Notation::Text(Form::Complete)) else { return (alone, actions) };
    let turns = match record.conclusion() {
        Some(_) => written.trim_end().rsplit_once(char::is_whitespace).map_or("", |(turns, _)| turns),
        None => &written,
    };
    // In PGN a semicolon after a turn opens a comment to the end of the line.
    let text = [turns.trim_end(), &alone].join("\n").trim_start().to_owned();
    let source = Source { family: Some(Family::Official), setup: Some(record.setup().clone()), ..Source::default() };
    match record::read(&text, &source).map(|read| read.record.actions()) {
        Ok(read) if actions.starts_with(&read) => (text, &actions[read.len()..]),
        _ => (alone, actions),
    }
}

/// Returns the result of a game, as in PGN.
pub fn result(record: &Record) -> &'static str {
    match record.conclusion() {
        Some(Conclusion::Won(winner)) => TaggedGame::result(Some(winner)),
        Some(Conclusion::Void) => TaggedGame::result(None),
        None => "*",
    }
}

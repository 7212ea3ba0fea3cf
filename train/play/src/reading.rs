//! Reads a game with its tags: it is replayed by the rules, and nothing that it says is trusted.
//!
//! ```
//! use gipf_env::Variant;
//! use gipf_env::notation::record::Source;
//! use gipf_play::{TaggedGame, reading};
//!
//! let game = TaggedGame::all_of("[Variant \"basic\"]\n\n1.d2/c6\n").swap_remove(0);
//! let replayed = reading::read(&game, &Source::default(), &mut Vec::new())?;
//! assert_eq!((replayed.reading.record.variant(), replayed.actions.len()), (Variant::BASIC, 2));
//! # Ok::<(), reading::UnreadGame>(())
//! ```

use std::collections::HashMap;
use std::fmt::Display;

use gipf_env::notation::record::{self, Conclusion, Reading, Record, RecordError, SetupFrom, Source};
use gipf_env::text::truncate_escaped;
use gipf_env::{Action, ActionIndex, Player, Setup, Variant};

use crate::arena::GAMES;
use crate::checksum::Seal;
use crate::tagged_game::TaggedGame;

/// The tags of a position text: that of this project, and that of PGN.
pub const STARTS: [&str; 2] = ["Start", "FEN"];
/// The tags of a rule set: that of this project, and those of others.
pub const RULES: [&str; 3] = ["Variant", "RuleSet", "Rules"];
/// The tag of decisions that the turns lack: those of an unfinished turn, or of rules without notation.
pub(crate) const DECISIONS: &str = "Decisions";
/// The tag of the person's colour in a game that was kept by `gipf play`.
pub const PERSON: &str = "Person";

/// A game that was replayed.
#[derive(Debug)]
pub struct Replayed {
    /// The game, and how it was understood.
    pub reading: Reading,
    /// All decisions, also those of a last turn that is not finished.
    pub actions: Vec<Action>,
}

impl Replayed {
    /// Returns the decisions of a last turn that is not finished.
    pub fn unfinished(&self) -> &[Action] {
        &self.actions[self.reading.record.actions().len()..]
    }

    /// Returns the warning for who takes the record for the whole game.
    pub fn unfinished_note(&self) -> Option<String> {
        (!self.unfinished().is_empty()).then(|| "the last turn is not finished".to_owned())
    }
}

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadGame {
    /// Its turns cannot be played.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Something in square brackets is not a tag.
    #[error("`{0}` is not a tag: a tag is written [Name \"value\"], on a line of its own")]
    NoTag(String),
    /// A comment stands in braces.
    #[error("`{0}` is not understood: a comment is a line that begins with %")]
    Comment(String),
    /// A tag has an invalid value.
    #[error("tag {tag}: {why}")]
    Tag {
        /// Its name.
        tag: String,
        /// Why it is invalid.
        why: String,
    },
    /// Two tags contradict each other.
    #[error("the tags {} and {} disagree about where the game starts: expected one of them", .tags[0], .tags[1])]
    Differ {
        /// Their names.
        tags: [String; 2],
    },
}

impl UnreadGame {
    fn tag(tag: &str, why: impl Display) -> Self {
        Self::Tag { tag: tag.to_owned(), why: why.to_string() }
    }

    fn differ(tags: [&str; 2]) -> Self {
        Self::Differ { tags: tags.map(str::to_owned) }
    }
}

/// Replays a game, and adds to `notes` the warnings that do not keep it from being replayed. What the caller has
/// `given` replaces what the tags say.
///
/// # Errors
/// If the game cannot be played, or its tags contradict each other.
pub fn read(game: &TaggedGame, given: &Source, notes: &mut Vec<String>) -> Result<Replayed, UnreadGame> {
    notes.extend(seal_note(game).map(str::to_owned));
    notes.extend(repeated(game));
    check_turns(game.turns())?;
    let source = start_of(game, given, notes)?;
    let mut reading = record::read(game.turns(), &source)?;
    if given.setup.is_none() && reading.setup_from == SetupFrom::Caller {
        reading.setup_from = SetupFrom::Tags;
    }
    let replayed = with_decisions(reading, game)?;
    notes.extend(result_note(game, &replayed.reading.record));
    Ok(replayed)
}

/// Warns if a game is not as this program wrote it. Games written by hand have no checksum.
fn seal_note(game: &TaggedGame) -> Option<&'static str> {
    let is_of_this_program = [GAMES, PERSON].iter().any(|tag| game.value(tag).is_some());
    match game.seal() {
        Seal::Broken => Some("not as it was written: its checksum differs"),
        Seal::Absent if is_of_this_program => Some("not as it was written: its checksum is missing"),
        Seal::Absent | Seal::Intact => None,
    }
}

/// Warns of tags with several values, as where two games have run together.
fn repeated(game: &TaggedGame) -> Vec<String> {
    // The first value of each name, until it is told.
    let mut firsts: HashMap<String, Option<&str>> = HashMap::new();
    let notes = game.tags().filter_map(|(name, value)| {
        let first = firsts.entry(name.to_ascii_lowercase()).or_insert(Some(value)).take_if(|first| *first != value)?;
        let [first, value] = [first, value].map(|value| truncate_escaped(value, 40));
        Some(format!("tag {name} is `{first}`, and `{value}` is ignored: a game without turns ends with *"))
    });
    notes.collect()
}

/// Refuses what other programs write among the turns.
fn check_turns(turns: &str) -> Result<(), UnreadGame> {
    let line_of =
        |sign| turns.lines().find(|line: &&str| line.contains(sign)).map(|line| truncate_escaped(line.trim(), 60));
    match (line_of('['), line_of('{')) {
        (Some(line), _) => Err(UnreadGame::NoTag(line)),
        (None, Some(line)) => Err(UnreadGame::Comment(line)),
        (None, None) => Ok(()),
    }
}

/// Plays the decisions of the tag after those of the turns.
fn with_decisions(mut reading: Reading, game: &TaggedGame) -> Result<Replayed, UnreadGame> {
    let mut actions = reading.record.actions();
    let Some(text) = game.value(DECISIONS) else { return Ok(Replayed { reading, actions }) };
    for word in text.split_whitespace() {
        let action = word.parse().ok().and_then(|index| Action::from_index(ActionIndex(index)));
        actions.push(action.ok_or_else(|| UnreadGame::tag(DECISIONS, found(word, "the number of an action")))?);
    }
    reading.record = Record::new(reading.record.setup(), &actions, reading.record.conclusion())?;
    Ok(Replayed { reading, actions })
}

/// Warns if the tag of the result contradicts the game.
fn result_note(game: &TaggedGame, record: &Record) -> Option<String> {
    let tag = game.value("Result")?;
    let agrees = match tag {
        "1-0" => record.conclusion() == Some(Conclusion::Won(Player::White)),
        "0-1" => record.conclusion() == Some(Conclusion::Won(Player::Black)),
        "1/2-1/2" | "*" => !matches!(record.conclusion(), Some(Conclusion::Won(_))),
        _ => true,
    };
    let found = record.conclusion().map_or_else(|| "nobody has won".to_owned(), |end| end.to_string());
    (!agrees).then(|| format!("the tag Result says {tag}, but by the turns {found}"))
}

/// Returns where the game starts, if the caller or a tag states it, and adds to `notes` what was ignored.
fn start_of(game: &TaggedGame, given: &Source, notes: &mut Vec<String>) -> Result<Source, UnreadGame> {
    let found = match &given.setup {
        Some(setup) => {
            notes.extend(set_aside(game, setup));
            given.clone()
        }
        None => Source { family: given.family, ..by_tags(game, notes)? },
    };
    let setup = found.setup;
    let limit = limit(game)?;
    if setup.is_none() && limit.is_some() {
        notes.push("tag PlacementLimit is ignored: no tag says where the game starts".to_owned());
    }
    // The text of a position has no limit, so only a caller's own is already there.
    let setup = setup.map(|setup| Setup { placement_limit: setup.placement_limit.or(limit), ..setup });
    Ok(Source { setup, ..found })
}

/// Returns the placement limit that a tag states. Before 0.1.0 it was `PlyLimit`.
fn limit(game: &TaggedGame) -> Result<Option<u16>, UnreadGame> {
    let tag = ["PlacementLimit", "PlyLimit"].into_iter().find_map(|name| Some((name, game.value(name)?)));
    let read = |(name, text): (&str, &str)| {
        let unknown = |_| UnreadGame::tag(name, found(text, "a number of placements, 0 to 65535"));
        text.parse().map_err(unknown)
    };
    tag.map(read).transpose()
}

/// Returns the start of the game according to its tags, which must agree.
fn by_tags(game: &TaggedGame, notes: &mut Vec<String>) -> Result<Source, UnreadGame> {
    let mut start: Option<(&str, Setup)> = None;
    for (tag, text) in tags(game, &STARTS) {
        let setup: Setup = text.parse().map_err(|why| UnreadGame::tag(tag, why))?;
        match &start {
            Some((first, other)) if *other != setup => return Err(UnreadGame::differ([first, tag])),
            _ => start = Some((tag, setup)),
        }
    }
    let mut rules = start.as_ref().map(|(tag, setup)| (*tag, setup.variant));
    for (tag, text) in tags(game, &RULES) {
        match (text.parse::<Variant>(), &rules) {
            (Ok(variant), Some((first, other))) if *other != variant => return Err(UnreadGame::differ([first, tag])),
            (Ok(variant), None) => rules = Some((tag, variant)),
            (Ok(_), Some(_)) => {}
            (Err(_), _) if start.is_some() => notes.push(misunderstood(tag, text, "a rule set such as standard")),
            (Err(why), _) => return Err(UnreadGame::tag(tag, why)),
        }
    }
    check_set_up(game, start.as_ref(), notes)?;
    Ok(match (start, rules) {
        (Some((_, setup)), _) => Source { setup: Some(setup), ..Source::default() },
        (None, Some((_, variant))) => Source::of_variant(variant),
        (None, None) => Source::default(),
    })
}

/// The tag `SetUp` of PGN states whether the game has its own start.
fn check_set_up(game: &TaggedGame, start: Option<&(&str, Setup)>, notes: &mut Vec<String>) -> Result<(), UnreadGame> {
    match (game.value("SetUp"), start) {
        (None, _) | (Some("0"), None) | (Some("1"), Some(_)) => {}
        (Some("1"), None) => {
            return Err(UnreadGame::tag("SetUp", "a start of its own, which no tag Start or FEN gives"));
        }
        (Some("0"), Some((tag, setup))) => {
            if *setup != Setup::start(setup.variant) {
                notes.push(format!("tag SetUp says that the game starts as usual; it starts as the tag {tag} says"));
            }
        }
        (Some(other), _) => notes.push(misunderstood("SetUp", other, "0 or 1")),
    }
    Ok(())
}

fn misunderstood(tag: &str, text: &str, expected: &str) -> String {
    format!("tag {tag} is not understood: {}", found(text, expected))
}

fn found(text: &str, expected: &str) -> String {
    format!("found `{}`, expected {expected}", truncate_escaped(text, 40))
}

/// Returns the tags that contradict the caller.
fn set_aside(game: &TaggedGame, given: &Setup) -> Vec<String> {
    // Tags of a start have no limit.
    let unlimited = given.clone().with_placement_limit(None);
    let starts = tags(game, &STARTS).filter(|(_, text)| text.parse::<Setup>().as_ref() != Ok(&unlimited));
    let rules = tags(game, &RULES).filter(|(_, text)| text.parse::<Variant>().as_ref() != Ok(&given.variant));
    starts.chain(rules).map(|(tag, _)| format!("tag {tag} is ignored: the game is read as asked")).collect()
}

/// Returns the tags of these names, in the order of the game.
fn tags<'a>(game: &'a TaggedGame, names: &'static [&'static str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    game.tags().filter(|(name, _)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_of_the_readers_own_keeps_its_limit() {
        let start = Setup::start(Variant::BASIC);
        let game =
            TaggedGame::new("1.d2/b3\n*\n".to_owned()).with("Start", start.to_string()).with("PlacementLimit", "40");
        let limit = |given: Option<Setup>| {
            let mut notes = Vec::new();
            let read = read(&game, &Source { setup: given, ..Source::default() }, &mut notes).unwrap();
            assert_eq!(notes, [""; 0]);
            read.reading.record.setup().placement_limit
        };
        assert_eq!(limit(None), Some(40));
        assert_eq!(limit(Some(start.clone())), Some(40), "the text of a start has no limit");
        assert_eq!(limit(Some(start.with_placement_limit(Some(2)))), Some(2));
    }
}

//! Reading of one game with its tags, for every command that reads records.

use gipf_env::notation::record::{self, Conclusion, Reading, Record, Source};
use gipf_env::text::truncate_escaped;
use gipf_env::{Action, ActionIndex, Player};
use gipf_play::arena::GAMES;
use gipf_play::{Seal, TaggedGame};

use super::Known;
use super::start::start_of;
use super::why::Why;

/// The tag of decisions that the turns lack: those of an unfinished turn, or of rules without notation.
pub(in crate::cli) const DECISIONS: &str = "Decisions";
/// The tag of the person's colour in a game that was kept by `gipf play`.
pub(in crate::cli) const PERSON: &str = "Person";

/// A game that was played again.
#[derive(Debug)]
pub(in crate::cli) struct Replayed {
    pub reading: Reading,
    /// All decisions, also those of a last turn that is not finished.
    pub actions: Vec<Action>,
}

/// Plays a game again, and adds to `notes` warnings about a game that could be played.
pub(in crate::cli) fn read(game: &TaggedGame, known: &Known, notes: &mut Vec<String>) -> Result<Replayed, Why> {
    notes.extend(seal_note(game).map(str::to_owned));
    let source = Source { family: known.notation, setup: start_of(game, known, notes)? };
    let reading = record::read(game.turns(), &source)?;
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

/// Plays the decisions of the tag behind those of the turns.
fn with_decisions(mut reading: Reading, game: &TaggedGame) -> Result<Replayed, Why> {
    let mut actions = reading.record.actions();
    let Some(text) = game.value(DECISIONS) else { return Ok(Replayed { reading, actions }) };
    for word in text.split_whitespace() {
        let action = word.parse().ok().and_then(|index| Action::from_index(ActionIndex(index)));
        let unknown =
            || Why::tag(DECISIONS, format!("found `{}`, expected the number of an action", truncate_escaped(word, 20)));
        actions.push(action.ok_or_else(unknown)?);
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

//! The games of a file as text for people, in a file of its own.
//!
//! ```text
//! [Game "17"]
//! [Variant "standard"]
//! [Start "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0"]
//! [PlacementLimit "400"]
//! [Termination "no-move"]
//!
//! 1.b1-c3/h1-g2 2.…
//! 1-0
//! ```
//!
//! The turns are in complete official notation, as `gipf record` reads it. For a game that no published notation can
//! express, such as any game of push-off, a comment takes its place: a line that begins with `%`.

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Notation, Record};
use gipf_env::{Action, Outcome, Setup};
use gipf_play::TaggedGame;
use gipf_play::arena::TERMINATION;
use rayon::prelude::*;

use super::Row;

/// Returns the games of these rows, each with an empty line after it.
pub(super) fn text(rows: &[Row]) -> String {
    let games: Vec<_> = rows.chunk_by(|one, next| one.game_id == next.game_id).collect();
    games.par_iter().map(|rows| game_text(rows)).collect::<Vec<_>>().concat()
}

/// Returns the text of one game.
fn game_text(rows: &[Row]) -> String {
    let first = &rows[0];
    let turns = match turns(rows) {
        Ok(turns) => turns,
        Err(why) => return format!("% game {} is left out: {why}\n\n", first.game_id),
    };
    let game = TaggedGame::new(turns)
        .with("Game", first.game_id.to_string())
        .with("Variant", first.start.split(' ').next().unwrap_or_default())
        .with("Start", &first.start);
    let limit = first.limit.map(|limit| limit.to_string());
    let game = limit.into_iter().fold(game, |game, limit| game.with("PlacementLimit", limit));
    game.with(TERMINATION, first.ending.word()).unsealed() + "\n"
}

fn turns(rows: &[Row]) -> Result<String, String> {
    let first = &rows[0];
    let setup: Setup = first.start.parse().map_err(|error| format!("{error}"))?;
    let setup = setup.with_placement_limit(first.limit);
    let actions: Option<Vec<_>> = rows.iter().map(|row| Action::from_index(row.action)).collect();
    let actions = actions.ok_or("it has an action that does not exist")?;
    let outcome: Outcome = super::replay::outcome_of(first);
    let record = Record::new(&setup, &actions, Conclusion::of(outcome)).map_err(|error| error.to_string())?;
    record::write(&record, Notation::Text(Form::Complete)).map_err(|error| error.to_string())
}

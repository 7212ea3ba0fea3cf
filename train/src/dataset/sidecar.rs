//! The games of a file as text that people read, beside the file.
//!
//! ```text
//! [Game "17"]
//! [Variant "standard"]
//! [Start "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0"]
//! [PlyLimit "400"]
//! [Termination "no-move"]
//!
//! 1.b1-c3/h1-g2 2.…
//! 1-0
//! ```
//!
//! The turns are in official notation, complete, as `gipf record` reads them. A game that no published notation can
//! express, such as any of push-off, leaves a comment behind: a line that begins with `%`.

use std::fmt::Write as _;

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Notation, Record};
use gipf_env::{Action, Outcome, Setup};
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
    let mut text = format!("[Game \"{}\"]\n", first.game_id);
    let variant = first.start.split(' ').next().unwrap_or_default();
    let mut tag = |name: &str, value: &str| writeln!(text, "[{name} \"{value}\"]").expect("strings can grow");
    tag("Variant", variant);
    tag("Start", &first.start);
    if let Some(limit) = first.limit {
        tag("PlyLimit", &limit.to_string());
    }
    tag("Termination", first.ending.word());
    writeln!(text, "\n{turns}").expect("strings can grow");
    text
}

fn turns(rows: &[Row]) -> Result<String, String> {
    let first = &rows[0];
    let setup: Setup = first.start.parse().map_err(|error| format!("{error}"))?;
    let setup = setup.with_limit(first.limit);
    let actions: Option<Vec<_>> = rows.iter().map(|row| Action::from_index(row.action)).collect();
    let actions = actions.ok_or("it has an action that does not exist")?;
    let outcome: Outcome = super::replay::outcome_of(first);
    let record = Record::new(&setup, &actions, Conclusion::of(outcome)).map_err(|error| error.to_string())?;
    record::write(&record, Notation::Text(Form::Complete)).map_err(|error| error.to_string())
}

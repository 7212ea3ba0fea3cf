//! Files of games: one game in a notation, or many with tags before each, as in PGN.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use gipf_env::Action;
use gipf_env::notation::record::Reading;
use gipf_models::read_limited;
use gipf_play::TaggedGame;
use gipf_play::arena::GAMES;
use gipf_play::reading::{self, UnreadGame};

use super::Known;
use crate::cli::Console;

/// A game of a file.
pub(super) struct Game {
    /// The file, and the number of the game if the file has several.
    pub name: String,
    pub reading: Result<Reading, Unread>,
    /// The game as it is written.
    pub tagged: TaggedGame,
    /// The decisions of an unfinished last turn, which are not part of the record.
    pub unfinished: Vec<Action>,
    /// Flaws of the game that did not prevent reading it.
    pub notes: Vec<String>,
    /// The checksum of the whole file.
    #[cfg_attr(not(feature = "dataset"), expect(dead_code, reason = "datasets name it"))]
    pub source: blake3::Hash,
}

/// A game cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {why}")]
pub(super) struct Unread {
    name: String,
    why: UnreadGame,
}

/// The maximum size in bytes: larger than any collection of games that people have made.
const LARGEST: u64 = 64 << 20;

/// Reads all games of a file; - is standard input.
pub(super) fn games(path: &Path, known: &Known, console: &mut Console<'_>) -> Result<Vec<Game>> {
    let text = text_of(path, console)?;
    // Some editors begin a file with a byte order mark.
    let games = TaggedGame::all_of(&text);
    for lost in lost(&games) {
        console.warn(&format!("{}: {lost}", path.display()));
    }
    let (count, source) = (games.len(), blake3::hash(text.as_bytes()));
    let game = |(place, game): (usize, TaggedGame)| {
        let file = path.display();
        let name = if count == 1 { file.to_string() } else { format!("{file}, game {}", place + 1) };
        let (mut notes, mut unfinished) = (Vec::new(), Vec::new());
        let reading = reading::read(&game, &known.source(), &mut notes).map(|replayed| {
            unfinished = replayed.unfinished().to_vec();
            notes.extend(replayed.unfinished_note());
            replayed.reading
        });
        let reading = reading.map_err(|why| Unread { name: name.clone(), why });
        Game { reading, tagged: game, unfinished, name, notes, source }
    };
    Ok(games.into_iter().enumerate().map(game).collect())
}

impl Game {
    /// Prints the flaws.
    pub fn warn(&self, console: &mut Console<'_>) {
        for note in &self.notes {
            console.warn(&format!("{}: {note}", self.name));
        }
    }
}

fn text_of(path: &Path, console: &mut Console<'_>) -> Result<String> {
    let named = || format!("{}: expected a readable file of games", path.display());
    let read = if path == Path::new("-") {
        read_limited(&mut *console.input, LARGEST)
    } else {
        File::open(path).and_then(|file| read_limited(file, LARGEST))
    };
    let bytes = read.with_context(named)?;
    String::from_utf8(bytes).ok().with_context(|| format!("{}: not text in UTF-8, expected games", path.display()))
}

/// Reports missing or repeated games among those written together.
fn lost(games: &[TaggedGame]) -> Vec<String> {
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for count in games.iter().filter_map(|game| game.value(GAMES)?.parse().ok()) {
        *found.entry(count).or_default() += 1;
    }
    let is_lost = |&(&count, &found): &(&usize, &usize)| count == 0 || !found.is_multiple_of(count);
    let told =
        |(count, found)| format!("{found} games of those that were written {count} together: some are lost, or double");
    found.iter().filter(is_lost).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_are_lost_or_double_are_told() {
        let game = |count: &str| TaggedGame::new("*\n".to_owned()).with(GAMES, count);
        let both = [game("1"), game("2"), game("2")];
        assert!(lost(&both).is_empty() && lost(&[]).is_empty() && lost(&[game("many")]).is_empty());
        assert_eq!(lost(&both[1..2]).len(), 1);
        assert_eq!(lost(&[game("2"), game("2"), game("2"), game("0")]).len(), 2);
    }
}

//! Games as older programs saved them: their start and their actions, as JSON.

use gipf_env::{Action, ActionIndex, Player, Setup};
use serde::Deserialize;

use super::file::SavedGame;
use super::game::Game;
use super::said::Said;

const VERSION: u32 = 1;

/// The content of a file of that kind.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u32,
    start: String,
    limit: Option<u16>,
    person: Player,
    opponent: String,
    seed: u64,
    /// The indices of all actions.
    actions: Vec<ActionIndex>,
}

/// Reads a game and replays it from its start, or returns what is wrong.
pub(super) fn read(text: &str) -> Result<SavedGame, String> {
    let content: Content = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if content.version != VERSION {
        return Err(format!("version {}, expected {VERSION}", content.version));
    }
    let start: Setup = content.start.parse().map_err(|error| format!("the start of the game: {error}"))?;
    let mut game = Game::new(start.with_placement_limit(content.limit));
    for (number, &index) in (1..).zip(&content.actions) {
        let action =
            Action::from_index(index).ok_or_else(|| format!("action {number} of the game: no action {index}"))?;
        game.play(action).map_err(|error| format!("action {number} of the game: {error}"))?;
    }
    Ok(SavedGame {
        game,
        person: content.person,
        opponent: content.opponent,
        seed: content.seed,
        said: Said::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = r#"{"version":1,"start":"basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0","limit":9,"person":"black","opponent":"greedy","seed":5,"actions":[0,1]}"#;

    #[test]
    fn a_game_of_an_older_program_is_read() {
        let saved = read(GAME).unwrap();
        assert_eq!((saved.game.actions().len(), saved.game.setup().placement_limit), (2, Some(9)));
        assert_eq!((saved.person, saved.opponent.as_str(), saved.seed), (Player::Black, "greedy", 5));
    }

    #[test]
    fn one_that_makes_no_sense_is_refused() {
        let cases = [
            ("\"seed\"", "\"colour\"", "unknown field"),
            ("\"version\":1", "\"version\":7", "version 7, expected 1"),
            ("basic ", "chess ", "the start of the game: position text, column 1"),
            ("[0,", "[64,", "action 1 of the game: illegal action"),
            ("[0,", "[0,0,9999,", "action 3 of the game: no action 9999"),
        ];
        for (from, to, expected) in cases {
            let error = read(&GAME.replace(from, to)).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
    }
}

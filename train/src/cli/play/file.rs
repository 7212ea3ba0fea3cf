//! A game in a file: its start and its actions, as JSON. Reading one plays it again and trusts nothing.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gipf_env::{Action, ActionIndex, GpnError, IllegalAction, Player, Position, Setup};
use gipf_models::write_whole;
use serde::{Deserialize, Serialize};

use super::game::Game;

/// A game in a file: between whom, and how far.
#[derive(Clone, Debug)]
pub(super) struct SavedGame {
    pub game: Game,
    /// The colour of the person.
    pub person: Player,
    /// The opponent, as in the command.
    pub opponent: String,
    /// The seed of the opponent.
    pub seed: u64,
}

/// A game could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    #[error("{path}: cannot {action} the game: {source}", path = .path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{path}: not a saved game: {what}", path = .path.display())]
    Foreign { path: PathBuf, what: String },
    #[error("{path}: version {found} of saved games, expected {VERSION}", path = .path.display())]
    Version { path: PathBuf, found: u32 },
    #[error("{path}: the start of the game: {source}", path = .path.display())]
    Start { path: PathBuf, source: GpnError },
    #[error("{path}: action {number} of the game: {source}", path = .path.display())]
    Action { path: PathBuf, number: usize, source: IllegalAction },
}

const VERSION: u32 = 1;
/// Larger than any game of a person.
const LARGEST: u64 = 1 << 20;

/// What stands in the file. New fields come with a new version.
#[derive(Debug, Serialize, Deserialize)]
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

impl SavedGame {
    /// Writes the game to a file, which then holds all of it or, should that fail, what it held before.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        let content = Content {
            version: VERSION,
            start: self.game.setup().to_string(),
            limit: self.game.setup().limit,
            person: self.person,
            opponent: self.opponent.clone(),
            seed: self.seed,
            actions: self.game.actions().iter().map(|action| action.index()).collect(),
        };
        let text = serde_json::to_string(&content).expect("a game is plain values");
        write_whole(path, text.as_bytes()).map_err(|source| SaveError::Io {
            path: path.to_owned(),
            action: "save",
            source,
        })
    }

    /// Reads a game and plays it again from its start.
    pub fn load(path: &Path) -> Result<Self, SaveError> {
        let unreadable = |source| SaveError::Io { path: path.to_owned(), action: "read", source };
        let foreign = |what: String| SaveError::Foreign { path: path.to_owned(), what };
        let mut text = String::new();
        File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text)).map_err(unreadable)?;
        let content: Content = serde_json::from_str(&text).map_err(|error| foreign(error.to_string()))?;
        if content.version != VERSION {
            return Err(SaveError::Version { path: path.to_owned(), found: content.version });
        }
        let start: Result<Setup, _> = content.start.parse();
        let start = start.map_err(|source| SaveError::Start { path: path.to_owned(), source })?;
        let game = replayed(start.with_limit(content.limit), &content.actions);
        let game = game.map_err(|(number, source)| SaveError::Action { path: path.to_owned(), number, source })?;
        Ok(Self { game, person: content.person, opponent: content.opponent, seed: content.seed })
    }
}

/// Returns the game that these actions make, or the number of the first that is illegal.
fn replayed(start: Setup, actions: &[ActionIndex]) -> Result<Game, (usize, IllegalAction)> {
    let mut game = Game::new(start);
    for (place, &index) in actions.iter().enumerate() {
        let played = match game.position().action_at(index) {
            Some(action) => game.play(action),
            None => Err(no_action(index)),
        };
        played.map_err(|error| (place + 1, error))?;
    }
    Ok(game)
}

fn no_action(index: ActionIndex) -> IllegalAction {
    let action = Action::from_index(index).map_or_else(|| index.to_string(), |action| action.to_string());
    IllegalAction { action, expected: "one of the rule set".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::Variant;

    fn played(variant: Variant, decisions: usize) -> SavedGame {
        let mut game = Game::new(Setup::start(variant).with_limit(Some(9)));
        for number in 0..decisions {
            let set = game.position().action_set();
            game.play(set.nth(number % set.len()).unwrap()).unwrap();
        }
        SavedGame { game, person: Player::Black, opponent: "greedy".to_owned(), seed: 5 }
    }

    #[test]
    fn a_game_is_read_as_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.json");
        for variant in Variant::ALL {
            for decisions in [0, 1, 8] {
                let saved = played(variant, decisions);
                saved.save(&path).unwrap();
                let read = SavedGame::load(&path).unwrap();
                assert_eq!(read.game.actions(), saved.game.actions());
                assert_eq!(read.game.position(), saved.game.position());
                assert_eq!((read.person, read.opponent, read.seed), (saved.person, saved.opponent, saved.seed));
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn a_file_that_was_altered_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.json");
        played(Variant::BASIC, 2).save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let cases = [
            (text[..text.len() / 2].to_owned(), "not a saved game"),
            (text.replace("\"seed\"", "\"colour\""), "not a saved game: unknown field"),
            (text.replace("\"version\":1", "\"version\":7"), "version 7 of saved games, expected 1"),
            (text.replace("basic ", "chess "), "the start of the game: position text, column 1"),
            (text.replace("\"actions\":[0,", "\"actions\":[64,"), "action 1 of the game: illegal action take"),
            (text.replace("\"actions\":[0,", "\"actions\":[6,"), "action 1 of the game: illegal action"),
            (text.replace("\"actions\":[0,", "\"actions\":[0,0,9999,"), "action 3 of the game: illegal action 9999"),
        ];
        for (altered, expected) in cases {
            assert_ne!(altered, text, "{expected}");
            std::fs::write(&path, altered).unwrap();
            let error = SavedGame::load(&path).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
        assert!(matches!(SavedGame::load(folder.path()), Err(SaveError::Io { .. })));
    }

    #[test]
    fn a_save_that_fails_leaves_the_game_that_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.json");
        played(Variant::BASIC, 2).save(&path).unwrap();
        let error = played(Variant::BASIC, 3).save(&path.join("inside")).unwrap_err();
        assert!(error.to_string().contains("cannot save the game"), "{error}");
        assert_eq!(SavedGame::load(&path).unwrap().game.actions().len(), 2);
    }
}

//! A game in a file: a record with tags, as `gipf record` reads it. Reading one replays it and trusts nothing in it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use gipf_env::Player;
use gipf_env::notation::record::{Conclusion, Source};
use gipf_models::{FolderLock, LockError, folder_of, read_regular, sweep, write_whole};
use gipf_play::arena::{Cause, TERMINATION};
use gipf_play::reading::{self, PERSON};
use gipf_play::{TaggedGame, writing};

use super::game::{Ended, Game};
use super::older;
use super::said::Said;

/// A game in a file, with its players.
#[derive(Clone, Debug)]
pub(super) struct SavedGame {
    pub game: Game,
    /// The user's colour.
    pub person: Player,
    /// The opponent, as in the command.
    pub opponent: String,
    /// The seed of the opponent.
    pub seed: u64,
    /// Everything else that the file says.
    pub said: Said,
}

/// A game could not be saved or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    #[error("{path}: cannot {action} the game: {source}", path = .path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{path}: not a saved game: {what}", path = .path.display())]
    Foreign { path: PathBuf, what: String },
    #[error("{}: changed by another program, which may have gone on with the game: expected it as it was", .0.display())]
    Changed(PathBuf),
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// The file in which a game is kept. Changes by other programs are never overwritten.
#[derive(Debug)]
pub(super) struct GameFile {
    path: PathBuf,
    /// Its content as this program knows it; `None` if there is no file.
    known: Option<Vec<u8>>,
}

impl GameFile {
    /// Returns a file that does not exist yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), known: None }
    }

    /// Reads the game of an existing file, and removes leftovers of killed programs beside it; also returns notes on the
    /// game for the user.
    pub fn load(path: &Path) -> Result<(Self, SavedGame, Vec<String>), SaveError> {
        let text = read(path)?;
        if let Some(folder) = fs::canonicalize(path).ok().as_deref().and_then(Path::parent) {
            sweep(folder);
        }
        let (saved, notes) = SavedGame::of(&text).map_err(|what| SaveError::Foreign { path: path.to_owned(), what })?;
        Ok((Self { path: path.to_owned(), known: Some(text.into_bytes()) }, saved, notes))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game to the file, which then holds all of it or, should that fail, what it held before.
    pub fn save(&mut self, game: &SavedGame) -> Result<(), SaveError> {
        let text = game.tagged().to_string().into_bytes();
        let _looking = self.looking()?;
        if self.found() != self.known {
            return Err(SaveError::Changed(self.path.clone()));
        }
        if self.known.as_ref() == Some(&text) {
            return Ok(());
        }
        write_whole(&self.path, &text).map_err(|source| SaveError::Io {
            path: self.path.clone(),
            action: "save",
            source,
        })?;
        self.known = self.path.is_file().then_some(text);
        Ok(())
    }

    /// Locks the folder while the file is compared and written, if the folder can be read.
    fn looking(&self) -> Result<Option<FolderLock>, SaveError> {
        let folder = folder_of(&self.path);
        match FolderLock::hold(folder) {
            Err(held @ LockError::Held(_)) => Err(held.into()),
            lock => Ok(lock.ok()),
        }
    }

    /// Returns the current content of the file; `None` if it is not a regular file.
    fn found(&self) -> Option<Vec<u8>> {
        self.path.is_file().then(|| fs::read(&self.path).ok()).flatten()
    }
}

/// Returns the text of a file.
fn read(path: &Path) -> Result<String, SaveError> {
    read_regular(path, LARGEST).map_err(|source| SaveError::Io { path: path.to_owned(), action: "read", source })
}

/// The maximum size in bytes: larger than any game that people play.
const LARGEST: u64 = 1 << 20;
/// The tag of the opponent's seed.
const SEED: &str = "Seed";

impl SavedGame {
    /// Reads a game and replays it from its start; also returns notes on the text for the user.
    fn of(text: &str) -> Result<(Self, Vec<String>), String> {
        if text.trim_start().starts_with('{') {
            older::read(text).map(|saved| (saved, Vec::new()))
        } else {
            Self::read(text)
        }
    }

    /// Returns the game as it is written to the file.
    fn tagged(&self) -> TaggedGame {
        let (record, actions) = (self.game.record(), self.game.actions());
        let (turns, lacking) = writing::turns(&record, actions);
        let person = self.said.tag(name_of(self.person)).unwrap_or("you");
        let names = Player::BOTH.map(|player| if player == self.person { person } else { &self.opponent });
        let result = writing::result(&record);
        let mut game = TaggedGame::new(turns)
            .with("Event", self.said.tag("Event").unwrap_or("gipf play"))
            .with("White", names[0])
            .with("Black", names[1])
            .with("Result", result)
            .with(PERSON, self.person.to_string())
            .with(SEED, self.seed.to_string());
        writing::tell_start(&mut game, record.setup());
        writing::tell_decisions(&mut game, lacking);
        self.said.add_to(game, actions, result)
    }

    /// Reads a game from its text.
    fn read(text: &str) -> Result<(Self, Vec<String>), String> {
        let games = TaggedGame::all_of(text);
        let [game] = games.as_slice() else { return Err(format!("found {} games, expected one", games.len())) };
        let person = tag(game, PERSON, "White or Black", |text| {
            Player::BOTH.into_iter().find(|player| player.to_string() == text)
        })?;
        let seed = tag(game, SEED, "a number", |text| text.parse().ok())?;
        let opponent = tag(game, name_of(person.other()), "the opponent", |text| Some(text.to_owned()))?;
        let mut notes = Vec::new();
        let replayed = reading::read(game, &Source::default(), &mut notes).map_err(|why| why.to_string())?;
        let mut played = Game::new(replayed.reading.record.setup().clone());
        for action in replayed.actions {
            played.play(action).map_err(|error| error.to_string())?;
        }
        if let Some(conclusion) = replayed.reading.record.conclusion() {
            played.end(ended(conclusion, game.value(TERMINATION)));
        }
        let said = Said::of(game, played.actions(), writing::result(&played.record()));
        Ok((Self { game: played, person, opponent, seed, said }, notes))
    }
}

/// Returns how a game ended if its rules did not end it: a loss without another cause is a resignation.
fn ended(conclusion: Conclusion, termination: Option<&str>) -> Ended {
    match conclusion {
        Conclusion::Won(winner) if termination.is_none_or(|text| Cause::stated(text) == Some(Cause::Resignation)) => {
            Ended::Resigned(winner.other())
        }
        _ => Ended::Ruled(conclusion),
    }
}

/// Returns the value of a tag, which must exist.
fn tag<T>(game: &TaggedGame, name: &str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let text = game.value(name).ok_or_else(|| format!("no tag {name}, expected one as `save` writes it"))?;
    read(text).ok_or_else(|| {
        format!("tag {name}: found `{}`, expected {expected}", gipf_env::text::truncate_escaped(text, 40))
    })
}

/// Returns the tag of a player's name.
const fn name_of(player: Player) -> &'static str {
    match player {
        Player::White => "White",
        Player::Black => "Black",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::{Setup, Variant};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn played(variant: Variant, decisions: usize) -> SavedGame {
        let mut rng = ChaCha8Rng::seed_from_u64(decisions as u64);
        let mut game = Game::new(Setup::start(variant).with_placement_limit(Some(60)));
        for _ in 0..decisions {
            let set = game.position().action_set();
            if !set.is_empty() {
                game.play(set.nth(rng.random_range(0..set.len())).unwrap()).unwrap();
            }
        }
        SavedGame {
            game,
            person: Player::Black,
            opponent: "mcts:a \"b\".safetensors".to_owned(),
            seed: 5,
            said: Said::default(),
        }
    }

    #[test]
    fn a_game_is_read_as_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        for variant in Variant::ALL {
            for decisions in (0..90).step_by(7) {
                let saved = played(variant, decisions);
                let _ = fs::remove_file(&path);
                GameFile::new(&path).save(&saved).unwrap();
                let (_, read, notes) = GameFile::load(&path).unwrap();
                assert_eq!(notes, [""; 0], "{}", saved.tagged());
                assert_eq!(read.game.actions(), saved.game.actions());
                assert_eq!(read.game.position(), saved.game.position());
                assert_eq!((read.person, read.opponent, read.seed), (saved.person, saved.opponent, saved.seed));
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn a_file_that_makes_no_sense_is_refused_and_one_that_was_altered_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        let text = played(Variant::BASIC, 6).tagged().to_string();
        let cases = [
            ("[Person \"Black\"]\n", "", "no tag Person"),
            ("\"Black\"", "\"Blue\"", "tag Person: found `Blue`, expected White or Black"),
            ("[Seed \"5\"]", "[Seed \"-5\"]", "tag Seed: found `-5`"),
            ("basic s", "chess s", "tag Start: position text, column 1"),
            ("\n1.", "\n1.e5/", "move 1"),
            ("[Event", "*\n[Event", "found 2 games, expected one"),
        ];
        for (from, to, expected) in cases {
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let error = GameFile::load(&path).unwrap_err().to_string();
            assert!(error.contains("not a saved game: ") && error.contains(expected), "{expected}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
        fs::write(&path, text.replace("\"5\"", "\"6\"")).unwrap();
        let (_, read, notes) = GameFile::load(&path).unwrap();
        assert_eq!((read.seed, notes), (6, vec!["not as it was written: its checksum differs".to_owned()]));
        assert!(matches!(GameFile::load(folder.path()), Err(SaveError::Io { .. })));
    }

    #[test]
    fn what_others_say_of_a_game_stays_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        let text = played(Variant::BASIC, 6).tagged().to_string();
        let told =
            [("\"you\"", "\"Ann\""), ("gipf play", "a club"), ("[Person", "[Round \"3\"]\n[round \"4\"]\n[Person")];
        let text = told.iter().fold(text, |text, (from, to)| text.replacen(from, to, 1)) + "% a fine beginning\n";
        fs::write(&path, text).unwrap();
        let (mut file, mut saved, _) = GameFile::load(&path).unwrap();
        for decisions in 6..9 {
            file.save(&saved).unwrap();
            let kept = fs::read_to_string(&path).unwrap();
            for words in
                ["[Black \"Ann\"]", "[Event \"a club\"]", "[Round \"3\"]", "[round \"4\"]", "% a fine beginning"]
            {
                assert_eq!(kept.matches(words).count(), 1, "{decisions}, {words}: {kept}");
            }
            let (_, read, notes) = GameFile::load(&path).unwrap();
            assert_eq!((read.game.actions().len(), notes.len()), (decisions, 1), "{notes:?}");
            assert!(notes[0].starts_with("tag round is `3`, and `4` is ignored"), "{notes:?}");
            let next = saved.game.position().action_set().nth(0).unwrap();
            saved.game.play(next).unwrap();
        }
    }

    #[test]
    fn a_save_that_fails_leaves_the_game_that_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        let (two, three) = (played(Variant::BASIC, 2), played(Variant::BASIC, 3));
        GameFile::new(&path).save(&two).unwrap();
        let error = GameFile::new(&path.join("inside")).save(&three).unwrap_err();
        assert!(error.to_string().contains("cannot save the game"), "{error}");
        assert_eq!(GameFile::load(&path).unwrap().1.game.actions().len(), 2);
    }

    #[test]
    fn a_game_with_which_another_program_has_gone_on_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        let games = [2, 3, 5].map(|decisions| played(Variant::BASIC, decisions));
        GameFile::new(&path).save(&games[0]).unwrap();
        let [mut forgotten, mut other] = [(); 2].map(|()| GameFile::load(&path).unwrap().0);
        other.save(&games[2]).unwrap();
        for file in [&mut forgotten, &mut GameFile::new(&path)] {
            assert!(matches!(file.save(&games[1]), Err(SaveError::Changed(_))));
        }
        assert!(matches!(forgotten.save(&games[0]), Err(SaveError::Changed(_))), "what it has is not what is kept");
        fs::write(folder.path().join(".gipf-a.tmp"), "half").unwrap();
        assert_eq!(GameFile::load(&path).unwrap().1.game.actions().len(), 5);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "what a killed program left is gone");
        other.save(&games[1]).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(other.save(&games[2]), Err(SaveError::Changed(_))), "who removed it wants it gone");
    }
}

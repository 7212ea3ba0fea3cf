//! The dialogue between a person and an agent.

use std::path::Path;

use anyhow::{Context, Result};
use gipf_env::{Action, GipfPosition, Phase, Style};
use gipf_play::players::{Agent, TurnLimits};

use super::command::Command;
use super::file::{GameFile, SavedGame};
use super::game::Ended;
use super::hint::Adviser;
use super::spelling::{list, read, write};
use super::story;
use crate::cli::suggested;
use crate::cli::{Console, Exit};
use crate::output::{check_named, check_outside_runs};

/// A game between a person at the console and an agent.
pub(super) struct Session<'a, 'b> {
    pub console: &'a mut Console<'b>,
    pub saved: SavedGame,
    pub opponent: Box<dyn Agent<GipfPosition>>,
    pub adviser: Adviser,
    /// The file in which the game is kept, if it has one.
    pub file: Option<GameFile>,
    /// Why the current game is not on the disk, if it should be.
    pub unsaved: Option<String>,
}

/// Whether the dialogue continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// The user types the next line.
    Ask,
    /// The game has changed: show it.
    Show,
    /// The dialogue is over.
    Leave,
}

const HELP: &str = "\
A move    e2          a piece onto the vacant spot e2
          e1-e4       a piece from the dot e1 along the line to e4, pushing what stands there
          Ge2, Gd1-f2 the same with a GIPF-piece (Z: with a piece loaded with a potential)
          Jc3-f3      a jump with the potential on c3
          b1-i4       the row on this line first, when you are asked
          take, leave the piece that you are asked about
          remove      the pieces next to the row, or leave them, in push-off
          7           the seventh move of the list
Commands  list        all legal moves with their numbers
          hint        what a strong player would do
          undo        take your last turn back
          board       show the board again
          save FILE   keep the game there, or a copy of it if it is kept in another file;
                      go on later with: gipf play --game FILE
          resign, quit, help";

impl Session<'_, '_> {
    /// Plays until the user leaves; fails if the game should then be on the disk and is not.
    pub fn run(mut self) -> Result<Exit> {
        let ended = self.talk();
        let exit = self.leave();
        ended.and(exit)
    }

    fn talk(&mut self) -> Result<()> {
        let game = &self.saved.game;
        self.opponent.begin(game.position(), &[], self.saved.seed);
        self.say(&format!(
            "You play {} against {}. Type a move such as e2 or e1-e4, or `help`.",
            self.saved.person, self.saved.opponent
        ))?;
        let mut then = Then::Show;
        while then != Then::Leave {
            if then == Then::Show {
                self.let_opponent_play()?;
                self.show()?;
            }
            then = match self.console.next_line()? {
                Some(line) => self.answer(&Command::of(&line))?,
                None => Then::Leave,
            };
        }
        Ok(())
    }

    /// Tries once more to save the game, however the dialogue ended, and reports a failure.
    fn leave(&mut self) -> Result<Exit> {
        if let Some(file) = &mut self.file {
            self.unsaved = file.save(&self.saved).err().map(|error| error.to_string());
        }
        let Some(why) = &self.unsaved else { return Ok(Exit::Success) };
        let told = format!("The game is not kept as it is now: {why}.");
        self.say(&told)?;
        Ok(Exit::Failure)
    }

    fn position(&self) -> &GipfPosition {
        self.saved.game.position()
    }

    fn say(&mut self, text: &str) -> Result<()> {
        writeln!(self.console.out, "{text}")?;
        Ok(())
    }

    /// Shows the board, and the question or the outcome.
    fn show(&mut self) -> Result<()> {
        let style = if self.console.colours { Style::Ansi } else { Style::Plain };
        let (last, text) = self.saved.game.last_placement().unzip();
        let drawing = self.position().drawing().with_style(style).with_last(last).with_last_text(text);
        let drawing = format!("\n{drawing}");
        self.say(&drawing)?;
        match story::end(&self.saved.game) {
            Some(end) => self.say(&format!("{end} Type undo, save FILE or quit.")),
            // The drawing says who is to place a piece; other questions need a sentence.
            None if self.position().phase() == Phase::Push => Ok(()),
            None => self.say(&story::question(self.position())),
        }
    }

    fn answer(&mut self, command: &Command) -> Result<Then> {
        match command {
            Command::Nothing => {}
            Command::Help => self.say(HELP)?,
            Command::Board => self.show()?,
            Command::List => self.list()?,
            Command::Hint => self.hint()?,
            Command::Undo => return self.undo(),
            Command::Save(file) => self.save(file.as_deref())?,
            Command::Move(text) => return self.play(text),
            Command::Resign => return self.resign(),
            Command::Quit => return self.quit(),
        }
        Ok(Then::Ask)
    }

    fn play(&mut self, text: &str) -> Result<Then> {
        if let Some(end) = story::end(&self.saved.game) {
            self.say(&format!("The game is over. {end}"))?;
            return Ok(Then::Ask);
        }
        match read(self.position(), text) {
            Ok(action) => {
                self.act(action)?;
                Ok(Then::Show)
            }
            Err(misread) => {
                self.say(&format!("{misread}."))?;
                Ok(Then::Ask)
            }
        }
    }

    fn let_opponent_play(&mut self) -> Result<()> {
        while !self.saved.game.is_over() && self.position().to_move() != self.saved.person {
            let action = self.opponent.choose(self.saved.game.position(), &TurnLimits::default())?.action;
            self.act(action)?;
        }
        self.keep()
    }

    /// Plays an action and prints what it changed.
    fn act(&mut self, action: Action) -> Result<()> {
        let before = self.position().clone();
        self.saved.game.play(action).context("bug: the move was checked, yet it is illegal")?;
        for line in story::told(&before, action, self.saved.game.position()) {
            self.say(&line)?;
        }
        Ok(())
    }

    fn list(&mut self) -> Result<()> {
        if self.saved.game.is_over() {
            return self.say("The game is over.");
        }
        let position = self.position();
        let actions = list(position);
        let texts: Vec<_> = actions
            .iter()
            .enumerate()
            .map(|(place, &action)| format!("{:>3} {:<7}", place + 1, write(position, action)))
            .collect();
        for row in texts.chunks(7) {
            self.say(row.concat().trim_end())?;
        }
        Ok(())
    }

    fn hint(&mut self) -> Result<()> {
        if self.saved.game.is_over() {
            return self.say("The game is over.");
        }
        let advice = self.adviser.advise(self.saved.game.position());
        self.say(&format!("Hint: {advice}"))
    }

    fn undo(&mut self) -> Result<Then> {
        if self.saved.game.undo_turn_of(self.saved.person) {
            self.say("Your last turn is taken back.")?;
            return Ok(Then::Show);
        }
        self.say("There is no turn of yours to take back.")?;
        Ok(Then::Ask)
    }

    fn save(&mut self, path: Option<&Path>) -> Result<()> {
        let is_other = |path: &&Path| self.file.as_ref().is_none_or(|file| file.path() != *path);
        let other = path.filter(is_other);
        if let Some(taken) = other.filter(|path| path.exists()) {
            return self.say(&format!("{} exists: choose another name.", taken.display()));
        }
        let check = |path| check_named(path).and_then(|()| check_outside_runs(path));
        if let Some(Err(error)) = other.map(check) {
            return self.say(&format!("Not saved: {error}."));
        }
        let mut other = other.map(GameFile::new);
        let Some(file) = other.as_mut().or(self.file.as_mut()) else {
            return self.say("Name the file, as in: save my-game.txt");
        };
        match file.save(&self.saved) {
            Ok(()) => {
                let place = suggested::path(file.path());
                self.unsaved = None;
                if let Some(kept) = self.file.as_ref().filter(|_| other.is_some()) {
                    let kept = suggested::path(kept.path());
                    return self.say(&format!("A copy is in {place}; the game is still kept in {kept}."));
                }
                self.file = other.or(self.file.take());
                self.say(&format!("Saved. Go on later with: gipf play --game {place}"))
            }
            // The game continues: another file may work.
            Err(error) => {
                self.unsaved = Some(error.to_string());
                self.say(&format!("Not saved: {error}."))
            }
        }
    }

    /// Saves the game to its file, if it has one.
    fn keep(&mut self) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        match file.save(&self.saved) {
            Ok(()) => Ok(()),
            Err(error) => self.say(&format!("Not saved: {error}.")),
        }
    }

    fn resign(&mut self) -> Result<Then> {
        if self.saved.game.is_over() {
            self.say("The game is over already.")?;
            return Ok(Then::Ask);
        }
        let person = self.saved.person;
        self.saved.game.end(Ended::Resigned(person));
        self.say(&format!("{person} resigns: {} wins.", person.other()))?;
        Ok(Then::Leave)
    }

    fn quit(&mut self) -> Result<Then> {
        if let Some(file) = &mut self.file
            && file.save(&self.saved).is_ok()
        {
            let told = format!("The game is kept. Go on with: gipf play --game {}", suggested::path(file.path()));
            self.say(&told)?;
        }
        Ok(Then::Leave)
    }
}

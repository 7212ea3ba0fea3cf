//! A game as sent by UGI: its start, and its turns, each in one word.

use std::collections::HashSet;

use gipf_env::notation::official::{self, Form};
use gipf_env::notation::{Ledger, ReadError, Unwritable};
use gipf_env::rules::InvalidPosition;
use gipf_env::{Action, GipfPosition, IllegalAction, Position, Setup, Variant};

use super::KEEPS_ALL;

/// A game with its turns in official complete notation, without the reserves.
///
/// ```
/// use gipf_env::{Setup, Variant};
/// use gipf_play::ugi::UgiGame;
///
/// let mut course = UgiGame::new(&Setup::start(Variant::TOURNAMENT))?;
/// for text in ["Ge2", "Gd1-d2", "Gd1-d2"] {
///     course.play_turn(text)?;
/// }
/// assert_eq!(course.turns(), ["Ge2", "Gd2", "Gd1-d3"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UgiGame {
    start: String,
    ledger: Ledger,
    /// The ledger before the decisions of the turn in progress.
    begun: Ledger,
    turns: Vec<String>,
}

impl UgiGame {
    /// Begins a game.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    pub fn new(setup: &Setup) -> Result<Self, InvalidPosition> {
        let ledger = Ledger::new(setup)?;
        Ok(Self { start: setup.to_string(), begun: ledger.clone(), ledger, turns: Vec::new() })
    }

    /// Returns whether the turns of a rule set can be sent: all but push-off have a notation.
    pub const fn is_told(variant: Variant) -> bool {
        !variant.is_push_off()
    }

    /// Returns the position text of the start.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Returns the position now.
    pub const fn position(&self) -> &GipfPosition {
        self.ledger.position()
    }

    /// Returns the turns so far, without one in progress.
    pub fn turns(&self) -> &[String] {
        &self.turns
    }

    /// Returns the turn that ended the game without a decision, if one did: pieces were removed without a question.
    pub fn undecided_end(&self) -> Option<String> {
        let (position, turn) = (self.ledger.position(), self.ledger.turn());
        let ended = position.outcome().is_some() && turn.actions.is_empty() && !turn.before.is_empty();
        ended.then(|| written_turn(&self.ledger, &[]))
    }

    /// Returns the decisions of the whole turn that is due, from any text of the official notation, or [`KEEPS_ALL`].
    ///
    /// # Errors
    /// If the text is not a turn that can be played now.
    pub fn read(&self, text: &str) -> Result<Vec<Action>, ReadError> {
        read_turn(&self.ledger, text)
    }

    /// Returns all turns that can be played now, each once, as they are written: an empty list if the game is over, and
    /// nothing if there are more than `most` ways to play a turn.
    pub fn legal_turns(&self, most: usize) -> Option<Vec<String>> {
        let (mut open, mut found, mut texts) = (vec![(self.ledger.clone(), Vec::new())], Vec::new(), HashSet::new());
        if self.position().outcome().is_some() {
            return Some(found);
        }
        let mut ways = 0;
        while let Some((ledger, decided)) = open.pop() {
            for action in ledger.position().legal_actions() {
                let (mut next, mut actions) = (ledger.clone(), decided.clone());
                next.play(action).expect("it is legal");
                actions.push(action);
                if next.take_finished().is_empty() && next.position().outcome().is_none() {
                    open.push((next, actions));
                    continue;
                }
                let text = written_turn(&self.ledger, &actions);
                if texts.insert(text.clone()) {
                    found.push(text);
                }
                ways += 1;
                if ways > most {
                    return None;
                }
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Returns the position text now; within a turn, that of its start.
    pub fn position_text(&self) -> String {
        self.ledger.setup().to_string()
    }

    /// Plays an action.
    ///
    /// # Errors
    /// If it is not legal; nothing changes.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        if self.ledger.turn().actions.is_empty() {
            self.begun.clone_from(&self.ledger);
        }
        self.ledger.play(action)?;
        // A forced removal is not a turn that anybody could send.
        let finished = self.ledger.take_finished().into_iter().filter(|turn| !turn.actions.is_empty());
        self.turns.extend(finished.map(|turn| written_turn(&self.begun, &turn.actions)));
        Ok(())
    }

    /// Plays the whole turn of a text; see [`read`](Self::read).
    ///
    /// # Errors
    /// If the text is not a turn that can be played now; nothing changes.
    pub fn play_turn(&mut self, text: &str) -> Result<(), ReadError> {
        for action in self.read(text)? {
            self.play(action).expect("what was read is legal");
        }
        Ok(())
    }

    /// Returns the turns that these actions make from here on; a turn that they do not finish is left out.
    pub fn told(&self, actions: &[Action]) -> Vec<String> {
        let mut course = Self { turns: Vec::new(), ..self.clone() };
        let _legal = actions.iter().try_for_each(|&action| course.play(action));
        course.turns
    }

    /// Writes the game as a UGI command: `position fen …`.
    pub fn command(&self) -> String {
        let moves = if self.turns.is_empty() { String::new() } else { format!(" moves {}", self.turns.join(" ")) };
        format!("position fen {}{moves}", self.start)
    }
}

/// Returns the text of a whole turn, given the ledger at its start. Where no text is unambiguous, the best one is used.
pub(crate) fn written_turn(begun: &Ledger, actions: &[Action]) -> String {
    match official::write(begun, actions, Form::Complete) {
        Ok(text) | Err(Unwritable::Unclear { text, .. }) => text,
        // Push-off has no texts either, and its games are not sent.
        Err(_) => KEEPS_ALL.to_owned(),
    }
}

/// Returns the decisions of the whole turn that a ledger has begun, from any text of the official notation or [`KEEPS_ALL`].
pub(crate) fn read_turn(ledger: &Ledger, text: &str) -> Result<Vec<Action>, ReadError> {
    let keeping = if text == KEEPS_ALL { keeping_all(ledger) } else { None };
    keeping.map_or_else(|| official::read(ledger, text), Ok)
}

/// Returns the decisions with which a player keeps all pieces, if the turn can end so.
fn keeping_all(begun: &Ledger) -> Option<Vec<Action>> {
    let (mut ledger, mut actions) = (begun.clone(), Vec::new());
    while ledger.position().outcome().is_none() {
        let keeps = |action: &Action| matches!(action, Action::TakeRow(_) | Action::Keep);
        let action = ledger.position().legal_actions().find(keeps)?;
        ledger.play(action).expect("it is legal");
        actions.push(action);
    }
    (official::write(begun, &actions, Form::Complete) == Err(Unwritable::Nothing)).then_some(actions)
}

//! The turns of a record, each with the position at which it was decided.

use gipf_env::notation::Ledger;
use gipf_env::notation::record::Record;
use gipf_env::{Action, GipfPosition, Player, Position};

use super::text::{ledger_at, turn_text};
use crate::players::forced;

/// A turn as it was played.
pub(super) struct PlayedTurn {
    pub player: Player,
    /// The position text of its start.
    pub start: String,
    pub text: String,
    pub actions: Vec<Action>,
    /// The number of its decisions before the first with a choice; none if it has no such decision.
    pub first_choice: Option<usize>,
    /// The game before its first decision.
    pub ledger: Ledger,
    /// The position after it.
    pub end: GipfPosition,
}

/// The turns of a game, and the game at its end.
pub(super) struct PlayedGame {
    pub turns: Vec<PlayedTurn>,
    pub end: Ledger,
}

impl PlayedGame {
    /// Replays a record.
    pub fn of(record: &Record) -> Self {
        let mut ledger = ledger_at(record.setup()).expect("a record has a start");
        let turns = record.turns().iter().map(|turn| {
            let before = ledger.clone();
            let mut first_choice = None;
            for (place, &action) in turn.actions.iter().enumerate() {
                if first_choice.is_none() && ledger.position().num_legal_actions() > 1 {
                    first_choice = Some(place);
                }
                ledger.play(action).expect("the turns of a record were played");
            }
            ledger.take_finished();
            PlayedTurn {
                player: turn.player,
                start: turn.setup.to_string(),
                text: turn_text(&before, &turn.actions),
                actions: turn.actions.clone(),
                first_choice,
                ledger: before,
                end: ledger.position().clone(),
            }
        });
        let turns = turns.collect();
        Self { turns, end: ledger }
    }

    /// Returns the positions to think about, each as the game before its turn and the decisions in between: the turns
    /// with a choice in order, then the end of the game.
    pub fn questions<'a>(&'a self) -> Vec<Question<'a>> {
        let of_turn = |turn: &'a PlayedTurn| {
            let place = turn.first_choice?;
            Some(Question { ledger: &turn.ledger, forced: turn.actions[..place].to_vec() })
        };
        self.turns
            .iter()
            .filter_map(of_turn)
            .chain([Question { ledger: &self.end, forced: forced(self.end.position()).0 }])
            .collect()
    }
}

/// A position to think about.
pub(super) struct Question<'a> {
    /// The game at the start of the turn.
    pub ledger: &'a Ledger,
    /// The decisions before the first with a choice.
    pub forced: Vec<Action>,
}

impl Question<'_> {
    /// Returns the position at which there is a choice, or the game is over.
    pub fn position(&self) -> GipfPosition {
        let mut position = self.ledger.position().clone();
        for &action in &self.forced {
            position.play_unchecked(action);
        }
        position
    }
}

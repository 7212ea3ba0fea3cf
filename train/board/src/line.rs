//! The turns of a game in words.

use gipf_env::{Action, GipfPosition, Player, Position, Setup};
use gipf_play::ugi::UgiGame;
use serde::Serialize;

use crate::error::BoardError;

/// A turn that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnText {
    /// The turn in the publisher's complete notation; the decisions in words where the game has no notation.
    pub text: String,
    /// Whose turn it was.
    pub player: Player,
    /// The number of actions of the game after it.
    pub end: usize,
}

/// Returns the turns that these actions have finished, and the position text of the start of the next one.
///
/// # Errors
/// If an action is not legal.
pub fn turns(setup: &Setup, actions: &[Action]) -> Result<(Vec<TurnText>, String), BoardError> {
    let mut game = UgiGame::new(setup)?;
    let (mut turns, mut begun) = (Vec::new(), 0);
    for (place, &action) in actions.iter().enumerate() {
        let (player, told) = (game.position().turn_of(), game.turns().len());
        game.play(action).map_err(|why| BoardError::Illegal { number: place + 1, why })?;
        let end = place + 1;
        for text in &game.turns()[told..] {
            let text = if UgiGame::is_told(setup.variant) { text.clone() } else { words(&actions[begun..end]) };
            turns.push(TurnText { text, player, end });
            begun = end;
        }
    }
    Ok((turns, game.position_text()))
}

/// Returns the turns that these actions make from a position on, in words, one after the other.
pub fn told(position: &GipfPosition, actions: &[Action]) -> String {
    let (mut position, mut texts) = (position.clone(), Vec::new());
    for &action in actions {
        let before = (position.turn(), position.to_move());
        texts.push(action.to_string());
        if position.play(action).is_err() {
            break;
        }
        if (position.turn(), position.to_move()) != before {
            texts.push("·".to_owned());
        }
    }
    if texts.last().is_some_and(|text| text == "·") {
        texts.pop();
    }
    texts.join(" ")
}

fn words(actions: &[Action]) -> String {
    actions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

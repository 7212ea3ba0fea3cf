//! Turns as texts, in a game that continues from one to the next.

use gipf_env::notation::{Ledger, ReadError};
use gipf_env::{Action, Setup};

use crate::ugi::{UgiGame, read_turn, written_turn};

/// Returns the text of the whole turn that these decisions make.
pub(super) fn turn_text(ledger: &Ledger, actions: &[Action]) -> String {
    if !UgiGame::is_told(ledger.position().variant()) {
        return actions.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    }
    written_turn(ledger, actions)
}

/// Returns the turns that these decisions make; a last turn that is not finished is left out.
pub(super) fn turn_texts(ledger: &Ledger, actions: &[Action]) -> Vec<String> {
    let (mut begun, mut now, mut decided) = (ledger.clone(), ledger.clone(), Vec::new());
    let mut texts = Vec::new();
    for &action in actions {
        if now.play(action).is_err() {
            break;
        }
        decided.push(action);
        if !now.take_finished().is_empty() {
            texts.push(turn_text(&begun, &decided));
            decided.clear();
            begun = now.clone();
        }
    }
    texts
}

/// Plays a turn from a text of another program, and returns the turn as this program writes it.
pub(super) fn play_text(ledger: &mut Ledger, text: &str) -> Result<String, ReadError> {
    let actions = read_turn(ledger, text)?;
    let written = turn_text(ledger, &actions);
    for action in actions {
        ledger.play(action).expect("what was read is legal");
    }
    ledger.take_finished();
    Ok(written)
}

/// Returns the ledger at the start of a game, without the turns that ended before its first decision.
pub(super) fn ledger_at(setup: &Setup) -> Option<Ledger> {
    let mut ledger = Ledger::new(setup).ok()?;
    ledger.take_finished();
    Some(ledger)
}

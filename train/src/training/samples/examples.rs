//! The tuning examples that a game gives.

use gipf_env::{Action, GipfPosition, Phase, Position};
use gipf_play::players::alpha_beta::View;
use gipf_play::players::alpha_beta::tuning::Example;

use super::sample::{Decision, PlayedGame, result_for};

/// Returns an example for each quiet position of a game in which the player searched: its target is the result of the
/// game by a share of `trust`, 0 to 1, and for the rest what the search expected; in a game that was cut off, which
/// decides nothing, only the latter.
///
/// Where the player completed a row, the search goes on below the horizon, so the evaluation alone does not decide there.
pub fn examples(game: &PlayedGame<GipfPosition>, trust: f32) -> impl Iterator<Item = Example> {
    game.decisions.iter().filter_map(move |decision| {
        let expected = decision.root_value.filter(|_| is_quiet(decision))?;
        let result = result_for(game.outcome, decision.position.to_move()).map_or(expected, f32::from);
        let value = trust * result + (1.0 - trust) * expected;
        Some(Example { view: View::of(&decision.position), target: f32::midpoint(1.0, value) })
    })
}

fn is_quiet(decision: &Decision<GipfPosition>) -> bool {
    let position = &decision.position;
    match position.action_at(decision.action) {
        Some(Action::Push(_, entry)) => position.phase() == Phase::Push && !position.completes_row(entry),
        _ => false,
    }
}

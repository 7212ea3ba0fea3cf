//! Rebuilding the positions of a game from its rows, and the whole game.

use gipf_env::{GipfPosition, Outcome, Player, Position, Reason, Setup};

use super::field::Field;
use super::row::can_end;
use super::table::FIELDS;
use super::{ReplayError, Row, rounding};
use crate::training::{Decision, PlayedGame};

/// Returns the position at each row of one game, with its history, and checks the rows against the rules.
///
/// # Errors
/// At the first row with a column that does not follow from the start and the actions.
pub fn replay(rows: &[Row]) -> Result<Vec<GipfPosition>, ReplayError> {
    let first = rows.first().ok_or(ReplayError::Empty)?;
    let mut position = start(first.game_id, &first.start, first.limit)?;
    let outcome = outcome_of(first);
    let mut positions = Vec::with_capacity(rows.len());
    for (ply, row) in rows.iter().enumerate() {
        let wrong = |what| ReplayError::Row { game: first.game_id, ply: ply as u32, what };
        let mut expected =
            Row { game_id: first.game_id, start: first.start.clone(), limit: first.limit, ..row.clone() };
        expected.place(ply, rows.len(), outcome);
        expected.show(&position);
        compare(row, &expected, &position).map_err(wrong)?;
        positions.push(position.clone());
        let action = position.action_at(row.action).ok_or_else(|| wrong("action"))?;
        position.play(action).map_err(|_| wrong("action"))?;
    }
    if !can_end(position.outcome(), outcome) {
        return Err(ReplayError::Row { game: first.game_id, ply: rows.len() as u32 - 1, what: "result" });
    }
    Ok(positions)
}

/// Returns the start of a game, from its text and its limit.
pub(super) fn start(game: u64, text: &str, limit: Option<u16>) -> Result<GipfPosition, ReplayError> {
    let setup: Setup = text.parse().map_err(|source| ReplayError::Start { game, source })?;
    let setup = setup.with_placement_limit(limit);
    Ok(GipfPosition::from_setup(&setup).expect("a setup that was read is valid"))
}

/// Returns the game of these rows, up to the rounding of the columns: a probability is off by less than 1/255, a
/// value by at most 1/254.
///
/// # Errors
/// As for [`replay`].
pub fn played_game(rows: &[Row]) -> Result<PlayedGame<GipfPosition>, ReplayError> {
    let positions = replay(rows)?;
    let (first, start) = (&rows[0], positions[0].clone());
    let outcome = outcome_of(first);
    let decisions = rows.iter().zip(positions).map(|(row, position)| decision(row, &position)).collect();
    Ok(PlayedGame { id: first.game_id, start, decisions, outcome })
}

fn decision(row: &Row, position: &GipfPosition) -> Decision<GipfPosition> {
    Decision {
        position: position.without_history(),
        action: row.action,
        policy: row.probabilities(),
        root_value: row.root_value.map(rounding::value),
        network_value: row.network_value.map(rounding::value),
        effort: row.effort,
        surprise: 0.0,
    }
}

/// Returns the first column in which a row differs from the expected one.
fn compare(row: &Row, expected: &Row, position: &GipfPosition) -> Result<(), &'static str> {
    if row != expected {
        let differs = |field: &&Field| (field.get)(row) != (field.get)(expected);
        return Err(FIELDS.iter().find(differs).expect("a row is what its columns say").name);
    }
    row.wrong_policy(&position.action_set()).map_or(Ok(()), Err)
}

/// Returns how the game ended according to a row.
pub(super) fn outcome_of(row: &Row) -> Outcome {
    outcome(row.result, row.ending)
}

/// Returns how a game ended, from the columns that say so.
pub(super) fn outcome(result: i8, reason: Reason) -> Outcome {
    let winner = match result {
        0 => None,
        result if result > 0 => Some(Player::White),
        _ => Some(Player::Black),
    };
    Outcome { winner, reason }
}

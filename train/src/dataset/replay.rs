//! Rebuilding the positions of a game from its rows, and the whole game.

use gipf_env::{GipfPosition, Outcome, Player, Position, Setup, Variant};

use super::field::Field;
use super::row::can_end;
use super::table::FIELDS;
use super::{ReplayError, Row, rounding};
use crate::training::{Decision, PlayedGame, Sample, SearchKind, result_for, share_turns};

/// Returns the position at each row of one game, with its history, and checks the rows against the rules.
///
/// # Errors
/// At the first row of which a column does not follow from the start and the actions.
pub fn replay(rows: &[Row]) -> Result<Vec<GipfPosition>, ReplayError> {
    let first = rows.first().ok_or(ReplayError::Empty)?;
    let mut position = start_of(first)?;
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

fn start_of(row: &Row) -> Result<GipfPosition, ReplayError> {
    let setup: Setup = row.start.parse().map_err(|source| ReplayError::Start { game: row.game_id, source })?;
    let setup = setup.with_placement_limit(row.limit);
    Ok(GipfPosition::from_setup(&setup).expect("a setup that was read is valid"))
}

/// The columns that [`known_samples`] needs.
pub(super) fn is_needed(field: &Field) -> bool {
    let needed =
        ["game_id", "start", "limit", "action", "effort", "policy_actions", "policy", "root_value", "result", "ending"];
    needed.contains(&field.name)
}

/// Returns the samples of a game as [`samples`] does of its [`played_game`], from rows that a checksum vouches for: columns
/// that follow from the others are neither needed nor compared, and of what is not learned only the actions are.
///
/// # Errors
/// If an action, or a policy to be learned, is not legal where it stands.
///
/// [`samples`]: crate::training::samples
pub(super) fn known_samples(rows: &[Row]) -> Result<(Variant, Vec<Sample<GipfPosition>>), ReplayError> {
    let first = rows.first().ok_or(ReplayError::Empty)?;
    let (mut position, outcome, mut found) = (start_of(first)?, outcome_of(first), Vec::new());
    for (ply, row) in rows.iter().enumerate() {
        let wrong = |what| ReplayError::Row { game: first.game_id, ply: ply as u32, what };
        let legal = position.action_set();
        if row.effort == SearchKind::Full {
            row.wrong_policy(&legal).map_or(Ok(()), |what| Err(wrong(what)))?;
            found.push(Sample {
                position: position.without_history(),
                policy: row.probabilities(),
                result: result_for(outcome, position.to_move()),
                root_value: row.root_value.map(rounding::value),
                value_weight: 1.0,
            });
        }
        let action = position.action_at(row.action).filter(|&action| legal.contains(action));
        position.play_unchecked(action.ok_or_else(|| wrong("action"))?);
    }
    share_turns(&mut found);
    Ok((position.variant(), found))
}

/// Returns the game of these rows, except for the rounding of the columns: a probability is off by less
/// than 1/255, a value by at most 1/254.
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

/// Returns the first column in which a row is not as expected.
fn compare(row: &Row, expected: &Row, position: &GipfPosition) -> Result<(), &'static str> {
    if row != expected {
        let differs = |field: &&Field| (field.get)(row) != (field.get)(expected);
        return Err(FIELDS.iter().find(differs).expect("a row is what its columns say").name);
    }
    row.wrong_policy(&position.action_set()).map_or(Ok(()), Err)
}

/// Returns how the game ended according to a row.
pub(super) fn outcome_of(row: &Row) -> Outcome {
    let winner = match row.result {
        0 => None,
        result if result > 0 => Some(Player::White),
        _ => Some(Player::Black),
    };
    Outcome { winner, reason: row.ending }
}

//! Rebuilding the positions of a game from its rows, and the whole game.

use gipf_env::{GipfPosition, GpnError, Outcome, Position, Setup};

use super::Row;
use super::row::can_end;
use crate::sample::{Decision, Effort, PlayedGame};

/// The rows of a game contradict the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is no row.
    #[error("no rows: expected those of one game")]
    Empty,
    /// The start is no position.
    #[error("game {game}: {source}")]
    Start {
        /// The number of the game.
        game: u64,
        /// What is wrong with its start.
        source: GpnError,
    },
    /// A row does not follow from those before it.
    #[error("game {game}, decision {ply}: {what} contradicts the rows before")]
    Row {
        /// The number of the game.
        game: u64,
        /// The number of the decision.
        ply: u32,
        /// What contradicts.
        what: &'static str,
    },
}

/// Returns the position at each row of one game, with its history, and checks the rows against the rules.
///
/// # Errors
/// At the first row whose board, side, legal actions, action or result do not follow from the start and the actions.
pub fn replay(rows: &[Row]) -> Result<Vec<GipfPosition>, ReplayError> {
    let first = rows.first().ok_or(ReplayError::Empty)?;
    let setup: Setup = first.start.parse().map_err(|source| ReplayError::Start { game: first.game_id, source })?;
    let setup = setup.with_limit(first.limit);
    let mut position = GipfPosition::from_setup(&setup).expect("a setup that was read is valid");
    let mut positions = Vec::with_capacity(rows.len());
    for (ply, row) in rows.iter().enumerate() {
        let wrong = |what| ReplayError::Row { game: row.game_id, ply: row.ply, what };
        compare(row, ply, &position).map_err(wrong)?;
        positions.push(position.clone());
        let action = position.action_at(row.action).ok_or_else(|| wrong("the action"))?;
        position.play(action).map_err(|_| wrong("the action"))?;
    }
    compare_outcome(rows, &position)?;
    Ok(positions)
}

/// Returns the game that the rows of one game were written of; probabilities of 0 are left out of its policies.
///
/// A row without a policy counts as one without a search, whatever it says of its effort.
///
/// # Errors
/// As [`replay`].
pub fn played_game(rows: &[Row]) -> Result<PlayedGame<GipfPosition>, ReplayError> {
    let positions = replay(rows)?;
    let (first, start) = (&rows[0], positions[0].clone());
    let outcome = outcome_of(first).expect("the rows were replayed, and so have a result");
    let decisions = rows.iter().zip(positions).map(|(row, position)| decision(row, &position)).collect();
    Ok(PlayedGame { id: first.game_id, start, decisions, outcome })
}

fn decision(row: &Row, position: &GipfPosition) -> Decision<GipfPosition> {
    let policy = row.legal.iter().copied().zip(row.policy.iter().flatten().copied());
    Decision {
        position: position.without_history(),
        action: row.action,
        policy: policy.filter(|&(_, probability)| probability > 0.0).collect(),
        root_value: row.root_value,
        network_value: row.network_value,
        effort: if row.policy.is_some() { row.effort } else { Effort::None },
        surprise: 0.0,
    }
}

fn compare(row: &Row, ply: usize, position: &GipfPosition) -> Result<(), &'static str> {
    let checks = [
        (row.ply as usize == ply, "the number of the decision"),
        (row.gpn == position.to_gpn(), "the position text"),
        (row.to_move == position.to_move(), "the player to move"),
        (row.phase == position.phase(), "the phase"),
        (row.question == position.question(), "the piece in question"),
        (row.pending.iter().copied().eq(position.pending()), "the pieces to be asked about"),
        (row.handled.iter().copied().eq(position.handled_lines()), "the lines handled"),
        (row.placements == position.placements(), "the number of placements"),
        (row.legal.iter().copied().eq(position.action_set().indices()), "the list of legal actions"),
        (row.policy.as_ref().is_none_or(|policy| policy.len() == row.legal.len()), "the length of the policy"),
    ];
    checks.into_iter().find(|&(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(what))
}

fn compare_outcome(rows: &[Row], end: &GipfPosition) -> Result<(), ReplayError> {
    for row in rows {
        if !outcome_of(row).is_some_and(|outcome| can_end(end.outcome(), outcome)) {
            return Err(ReplayError::Row { game: row.game_id, ply: row.ply, what: "the result" });
        }
    }
    Ok(())
}

/// Returns how a row says that the game ended.
fn outcome_of(row: &Row) -> Option<Outcome> {
    let winner = match row.result {
        1 => Some(row.to_move),
        0 => None,
        -1 => Some(row.to_move.other()),
        _ => return None,
    };
    Some(Outcome { winner, reason: row.ending })
}

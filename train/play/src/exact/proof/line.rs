//! The line of play behind a proof.

use gipf_env::{Player, Position};

use super::search::Search;

/// The cost limit for one position of the line that the table has lost, in positions visited.
const REMINDER: u64 = 1 << 16;
/// The most decisions of a line.
const LONGEST: usize = 1000;

/// Returns the winner's fastest known win against the longest defence, up to where it is known.
pub(super) fn of_win<P: Position>(search: &mut Search<'_, P>, root: &P, winner: Player) -> Vec<P::Action> {
    let (mut position, mut line) = (root.clone(), Vec::new());
    while position.outcome().is_none() && line.len() < LONGEST {
        let Some(action) = best(search, &position, winner) else { break };
        position.play_unchecked(action);
        line.push(action);
    }
    line
}

fn best<P: Position>(search: &mut Search<'_, P>, position: &P, winner: Player) -> Option<P::Action> {
    let attacks = position.to_move() == winner;
    let mut found = known(search, position, winner);
    // For the winner one reply that is known to win is enough; for the loser all replies must be known to lose.
    let complete = |found: &[(u16, P::Action)]| {
        if attacks { !found.is_empty() } else { found.len() == position.num_legal_actions() }
    };
    if !complete(&found) {
        remind(search, position, winner);
        found = known(search, position, winner);
    }
    let by_distance = |(distance, _): &(u16, P::Action)| *distance;
    let best =
        if attacks { found.into_iter().min_by_key(by_distance) } else { found.into_iter().max_by_key(by_distance) };
    best.map(|(_, action)| action)
}

/// Returns the actions that are known to lead to the win, with the decisions it takes from there.
fn known<P: Position>(search: &Search<'_, P>, position: &P, winner: Player) -> Vec<(u16, P::Action)> {
    let distance = |action: P::Action| search.proven_distance(&position.after(action), winner);
    position.legal_actions().filter_map(|action| distance(action).map(|distance| (distance, action))).collect()
}

/// Proves again what the table has lost.
fn remind<P: Position>(search: &mut Search<'_, P>, position: &P, winner: Player) {
    for action in position.legal_actions() {
        let wins = search.ask(&position.after(action), winner, REMINDER) == Some(true);
        if wins && position.to_move() == winner {
            return;
        }
    }
}

/// Returns play in which neither player gives the other a win, up to the first repetition, the end, or an unknown
/// position.
pub(super) fn of_draw<P: Position>(search: &mut Search<'_, P>, root: &P) -> Vec<P::Action> {
    let (mut position, mut line, mut seen) = (root.clone(), Vec::new(), vec![root.clone()]);
    while position.outcome().is_none() && line.len() < LONGEST {
        let opponent = position.to_move().other();
        let holds = |action: &P::Action| search.ask(&position.after(*action), opponent, REMINDER) == Some(false);
        let Some(action) = position.legal_actions().find(holds) else { break };
        position.play_unchecked(action);
        line.push(action);
        if search.is_among(&seen, &position) {
            break;
        }
        seen.push(position.clone());
    }
    line
}

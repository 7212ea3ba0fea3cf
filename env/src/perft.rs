//! Counting games to a depth: the standard check of a rules implementation (section 10 of the rules).

use std::collections::HashSet;

use crate::position::Position;
use crate::rules::{GipfPosition, Phase};

/// Returns the number of sequences of `depth` decisions from a position.
///
/// A game that ends earlier contributes nothing.
///
/// ```
/// use gipf_env::{GipfPosition, Variant, perft};
///
/// let start = GipfPosition::start(Variant::STANDARD);
/// assert_eq!(perft(&start, 3), 29_016);
/// ```
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let mut spare = vec![position.clone(); depth.saturating_sub(1) as usize];
    count(position, &mut spare, depth)
}

/// `spare` has a position for each ply but the last, so that none is allocated while counting.
fn count<P: Position>(position: &P, spare: &mut [P], depth: u32) -> u64 {
    let Some((next, deeper)) = spare.split_first_mut() else {
        return if depth == 0 { 1 } else { position.num_legal_actions() as u64 };
    };
    let mut sum = 0;
    for action in position.legal_actions() {
        next.clone_from(position);
        next.play_unchecked(action);
        sum += count(next, deeper, depth - 1);
    }
    sum
}

/// Returns for each legal action how many of the sequences of `depth` decisions begin with it; depth 0 counts as 1.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Action, u64)> {
    let below = depth.saturating_sub(1);
    position.legal_actions().map(|action| (action, perft(&position.after(action), below))).collect()
}

/// Returns the number of paths of `depth` whole turns through distinct quiet positions.
///
/// A quiet position is the next push decision, after every removal of both players, or the end of the game. Among
/// the successors of one position equal ones count once, however many ways lead to them; a finished game counts at its
/// own depth only. Positions are equal when board, side to move, reserves, rights, potentials and result agree.
///
/// Repetition plays no part: no third occurrence lies within the depths that can be counted.
pub fn perft_distinct(position: &GipfPosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let successors = quiet_successors(position);
    if depth == 1 {
        return successors.len() as u64;
    }
    successors.iter().map(|next| perft_distinct(next, depth - 1)).sum()
}

/// Returns the distinct quiet positions one whole turn later, without their histories: repetitions are counted from there.
///
/// From a position in the middle of a removal, these are the positions at the next placement, or at the end of the game.
pub fn quiet_successors(position: &GipfPosition) -> Vec<GipfPosition> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open: Vec<_> = position.legal_actions().map(|action| position.after(action)).collect();
    while let Some(next) = open.pop() {
        if next.phase() == Phase::Push || next.outcome().is_some() {
            let quiet = next.quiet();
            if seen.insert(quiet.identity()) {
                found.push(quiet);
            }
        } else {
            open.extend(next.legal_actions().map(|action| next.after(action)));
        }
    }
    found
}

//! What could have been played instead, for messages.

use crate::action::Action;
use crate::position::Position;
use crate::rules::Phase;

use super::ledger::Ledger;
use crate::text::listed;

/// More than anyone reads, yet few enough to list.
const MOST: usize = 500;

/// Returns all sequences of decisions from a ledger until `is_over` holds, up to a limit.
///
/// If `placement` returns a placement for a ledger, no other is tried there.
pub(super) fn spans(
    ledger: &Ledger,
    is_over: impl Fn(&Ledger) -> bool,
    placement: impl Fn(&Ledger) -> Option<Action>,
) -> Vec<Vec<Action>> {
    let mut start = ledger.clone();
    start.take_finished();
    let mut open = vec![(start, Vec::new())];
    let mut spans = Vec::new();
    while let Some((ledger, actions)) = open.pop() {
        if spans.len() + open.len() >= MOST || is_over(&ledger) {
            spans.push(actions);
            continue;
        }
        let position = ledger.position();
        let only = if position.phase() == Phase::Push { placement(&ledger) } else { None };
        let legal: Vec<_> = position.legal_actions().collect();
        for action in only.map_or(legal, |action| vec![action]).into_iter().rev() {
            let (mut ledger, mut actions) = (ledger.clone(), actions.clone());
            ledger.play(action).expect("it was taken from the legal actions");
            actions.push(action);
            open.push((ledger, actions));
        }
    }
    spans
}

/// The most spans that are tried: where a notation can write none of them, each takes a search.
const TRIED: usize = 16;

/// Returns the first of the spans as texts, and how many more there are if all were listed.
pub(super) fn texts(spans: &[Vec<Action>], write: impl Fn(&[Action]) -> Option<String>) -> String {
    let count = (spans.len() < MOST).then_some(spans.len());
    listed(spans.iter().take(TRIED).filter_map(|actions| write(actions)), count)
}

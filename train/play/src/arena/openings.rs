//! Random openings, so that no two games are the same and none depends on one line of play.

use std::collections::HashSet;

use gipf_env::Position;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::Stop;
use crate::checksum::number_of;

/// A position to play games from, and the actions that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<P: Position> {
    /// The start of the game.
    pub start: P,
    /// The actions of the opening.
    pub actions: Vec<P::Action>,
    /// The position after them.
    pub position: P,
}

impl<P: Position> Opening<P> {
    /// Returns the empty opening.
    pub fn none(start: &P) -> Self {
        Self { start: start.clone(), actions: Vec::new(), position: start.clone() }
    }

    pub(super) fn play(&mut self, action: P::Action) {
        self.position.play_unchecked(action);
        self.actions.push(action);
    }
}

/// Why openings could not be drawn: there are fewer than asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found only {found} distinct openings of {turns} turns: expected {wanted}; ask for {remedy}")]
pub struct OpeningsError {
    found: usize,
    turns: usize,
    wanted: usize,
    remedy: &'static str,
}

/// Returns `count` openings to positions that all differ and that uniformly random play reaches from `start` in `turns`
/// turns.
///
/// Equal seeds give equal openings, and those of a smaller count are the first of a larger.
///
/// # Errors
/// If they are not found in a hundred times as many attempts.
pub fn distinct_openings<P: Position>(
    start: &P,
    turns: usize,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening<P>>, OpeningsError> {
    drawn_openings(start, Draw { turns, count, seed }, &Stop::default())
}

/// The openings to be drawn.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub turns: usize,
    pub count: usize,
    pub seed: u64,
}

/// Returns distinct openings as [`distinct_openings`] does; after a stop, those found before it.
pub(super) fn drawn_openings<P: Position>(
    start: &P,
    Draw { turns, count, seed }: Draw,
    stop: &Stop,
) -> Result<Vec<Opening<P>>, OpeningsError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut keys = HashSet::new();
    let (mut openings, mut ended) = (Vec::new(), 0);
    for _ in 0..100 * count {
        if stop.requested() {
            return Ok(openings);
        }
        if openings.len() == count {
            break;
        }
        let opening = played_at_random(start, turns, &mut rng);
        if opening.position.outcome().is_some() {
            ended += 1;
        } else if keys.insert(key_of(&opening.position)) {
            openings.push(opening);
        }
    }
    if openings.len() == count {
        return Ok(openings);
    }
    let most_end = ended > 50 * count;
    let remedy =
        if most_end { "shorter openings or a larger placement limit" } else { "fewer games or longer openings" };
    Err(OpeningsError { found: openings.len(), turns, wanted: count, remedy })
}

/// Returns an opening of `turns` turns of uniformly random play, or of fewer if the game ends earlier.
pub(super) fn played_at_random<P: Position>(start: &P, turns: usize, rng: &mut ChaCha8Rng) -> Opening<P> {
    let mut opening = Opening::none(start);
    let end = start.turn() + turns;
    while opening.position.turn() < end {
        let Some(action) = opening.position.legal_actions().choose(rng) else { break };
        opening.play(action);
    }
    opening
}

/// Returns a number that stands for the position, the same on every machine: games that others played are compared by it.
pub(super) fn key_of<P: Position>(position: &P) -> u64 {
    let text = serde_json::to_vec(position).expect("positions are plain values");
    number_of(blake3::Hasher::new().update(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::toy::TicTacToe;
    use gipf_env::{GipfPosition, Variant};

    #[test]
    fn a_wish_to_stop_ends_the_search_for_openings() {
        let (start, stop) = (GipfPosition::start(Variant::STANDARD), Stop::default());
        stop.request();
        // One turn has far fewer: the search would take minutes.
        let draw = Draw { turns: 1, count: 1 << 30, seed: 0 };
        assert_eq!(drawn_openings(&start, draw, &stop), Ok(Vec::new()));
    }

    #[test]
    fn openings_are_distinct_repeatable_and_of_the_length_asked_for() {
        for variant in Variant::OFFICIAL {
            let start = GipfPosition::start(variant);
            let openings = distinct_openings(&start, 4, 200, 7).unwrap();
            let keys: HashSet<_> = openings.iter().map(|opening| opening.position.key()).collect();
            assert_eq!(keys.len(), 200);
            assert!(openings.iter().all(|Opening { position, .. }| position.placements() == 4));
            for Opening { start, actions, position } in &openings {
                let mut again = start.clone();
                for &action in actions {
                    again.play(action).unwrap();
                }
                assert_eq!((&again, again.outcome()), (position, None));
            }
            assert_eq!(distinct_openings(&start, 4, 50, 7).unwrap(), openings[..50]);
            assert_ne!(distinct_openings(&start, 4, 50, 8).unwrap(), openings[..50]);
        }
    }

    #[test]
    fn more_openings_than_there_are_is_an_error() {
        let start = TicTacToe::default();
        assert_eq!(distinct_openings(&start, 1, 9, 0).unwrap().len(), 9);
        let error = distinct_openings(&start, 1, 10, 0).unwrap_err();
        assert_eq!((error.found, error.turns, error.wanted), (9, 1, 10));
        assert!(error.to_string().ends_with("expected 10; ask for fewer games or longer openings"), "{error}");
        let error = distinct_openings(&start, 9, 1, 0).unwrap_err();
        assert!(error.to_string().ends_with("ask for shorter openings or a larger placement limit"), "{error}");
    }
}

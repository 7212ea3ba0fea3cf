//! Which pushes complete a row, found without playing them.

use gipf_env::geometry::{ENTRIES, Entry};
use gipf_env::{Action, GipfPosition, Pushed};

/// Iterates over the pushes of a basic piece with which the player to move completes a row of his own.
#[inline]
pub fn capturing_pushes(position: &GipfPosition) -> impl Iterator<Item = Action> {
    let mut legal = position.action_set().words()[0] & ((1 << ENTRIES) - 1);
    std::iter::from_fn(move || {
        while legal != 0 {
            let entry = Entry::from_index(legal.trailing_zeros() as usize);
            legal &= legal - 1;
            if position.completes_row(entry) {
                return Some(Action::Push(Pushed::Single, entry));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::bitboard::Bitboard;
    use gipf_env::geometry::Line;
    use gipf_env::{Phase, Position, Variant};
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    /// A row completed is a row that is removed, or asked about: the push is not the end of the turn, or pieces go.
    #[test]
    fn pushes_are_found_that_lead_to_a_removal_by_the_player() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut found = 0;
        for game in 0..60 {
            let variant = [Variant::BASIC, Variant::STANDARD, Variant::TOURNAMENT, Variant::PUSH_OFF][game % 4];
            let mut position = GipfPosition::start(variant);
            while let Some(action) = position.legal_actions().choose(&mut rng) {
                if position.phase() == Phase::Push {
                    let captures: Vec<_> = capturing_pushes(&position).collect();
                    for push in position.legal_actions().filter(|a| matches!(a, Action::Push(Pushed::Single, _))) {
                        let removes = if variant.is_push_off() { completes_row } else { removes };
                        assert_eq!(captures.contains(&push), removes(&position, push), "{push} in {position:?}");
                    }
                    found += captures.len();
                }
                position.play(action).unwrap();
            }
        }
        assert!(found > 100, "{found} captures are too few to say anything");
    }

    /// In push-off a piece can come back without a row: the pieces are moved one by one.
    fn completes_row(position: &GipfPosition, push: Action) -> bool {
        let Action::Push(_, entry) = push else { unreachable!("only pushes are compared") };
        let own = position.board().pieces_of(position.to_move());
        let ray: Vec<_> = entry.ray().collect();
        let moved = ray.windows(2).filter(|pair| own.contains(pair[0])).map(|pair| pair[1]);
        let after: Bitboard =
            own.without(entry.line().spots()).into_iter().chain(moved).chain([entry.first_spot()]).collect();
        let is_row = |line: Line| {
            line.first_entry().ray().collect::<Vec<_>>().windows(4).any(|four| four.iter().all(|&s| after.contains(s)))
        };
        Line::all().any(is_row)
    }

    fn removes(position: &GipfPosition, push: Action) -> bool {
        let me = position.to_move();
        let mut next = position.clone();
        next.play(push).unwrap();
        let asked = next.phase() == Phase::Post && next.outcome().is_none();
        asked || next.reserve(me) >= position.reserve(me)
    }
}

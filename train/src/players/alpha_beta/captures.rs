//! Which pushes complete a row, found without playing them.

use gipf_env::geometry::{ENTRIES, Entry};
use gipf_env::{Action, GipfPosition, Pushed};

/// Iterates over the pushes of a basic piece with which the player to move completes a row of his own.
#[inline]
pub fn capturing_pushes(position: &GipfPosition) -> impl Iterator<Item = Action> + use<> {
    let board = position.board();
    let (own, occupied) = (board.pieces_of(position.to_move()).bits(), board.occupied().bits());
    let push_off = position.variant().is_push_off();
    let mut legal = position.action_set().words()[0] & ((1 << ENTRIES) - 1);
    std::iter::from_fn(move || {
        while legal != 0 {
            let entry = legal.trailing_zeros() as usize;
            legal &= legal - 1;
            let after = if push_off { RAYS[entry].moved_off(own) } else { RAYS[entry].pushed(own, occupied) };
            if fours(after, 1) | fours(after, 8) | fours(after, 9) != 0 {
                return Some(Action::Push(Pushed::Single, Entry::from_index(entry)));
            }
        }
        None
    })
}

/// The spots that a push from an entry passes over.
#[derive(Clone, Copy)]
struct Ray {
    spots: u64,
    first: u64,
    /// The bits of a step.
    shift: i32,
}

const RAYS: [Ray; ENTRIES] = {
    let mut rays = [Ray { spots: 0, first: 0, shift: 0 }; ENTRIES];
    let mut index = 0;
    while index < ENTRIES {
        let entry = Entry::from_index(index);
        let first = 1 << entry.first_spot().bit();
        rays[index] = Ray { spots: entry.line().spots().bits(), first, shift: entry.direction().shift() };
        index += 1;
    }
    rays
};

impl Ray {
    /// Returns where `own` stand after a push into this line, which must not be full.
    #[inline]
    const fn pushed(&self, own: u64, occupied: u64) -> u64 {
        let vacant = self.spots & !occupied;
        let pushed = if self.shift > 0 {
            self.spots & ((vacant & vacant.wrapping_neg()) - 1)
        } else {
            let first_vacant = 1_u64 << vacant.ilog2();
            self.spots & !(first_vacant | (first_vacant - 1))
        };
        let moved = (own & pushed).rotate_left((self.shift & 63) as u32);
        own & !pushed | moved | self.first
    }

    /// Returns where `own` stand after a push that moves the whole line, in push-off.
    #[inline]
    const fn moved_off(&self, own: u64) -> u64 {
        let moved = (own & self.spots).rotate_left((self.shift & 63) as u32) & self.spots;
        own & !self.spots | moved | self.first
    }
}

#[inline]
const fn fours(pieces: u64, step: u32) -> u64 {
    let pairs = pieces & pieces >> step;
    pairs & pairs >> (2 * step)
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

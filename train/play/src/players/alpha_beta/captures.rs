//! The pushes that complete a row, found without playing them.

use gipf_env::geometry::{self, ENTRIES, Entry};
use gipf_env::{Action, GipfPosition, Pushed};

use super::evaluation::{FOURS, STEPS};

/// Iterates over the pushes of a basic piece with which the player to move completes their own row.
#[inline]
pub fn capturing_pushes(position: &GipfPosition) -> impl Iterator<Item = Action> {
    let legal = position.action_set().words()[0] & ((1 << ENTRIES) - 1);
    let chances = Chances::of(position);
    let mut likely = legal & chances.entries();
    std::iter::from_fn(move || {
        while likely != 0 {
            let entry = Entry::from_index(likely.trailing_zeros() as usize);
            likely &= likely - 1;
            if chances.completes_row(position, entry) {
                return Some(Action::Push(Pushed::Single, entry));
            }
        }
        None
    })
}

/// The places where the player to move may complete a row: most pushes are ruled out without playing them.
#[derive(Clone, Copy)]
pub struct Chances {
    own: u64,
    /// For each direction of lines, the spots that would complete a row of another direction if they were the player's.
    spots: [u64; 3],
    /// Nothing is ruled out: push-off moves all pieces of a line, and a row of GIPF-pieces that stands may be removed
    /// after any push.
    any: bool,
}

impl Chances {
    /// Returns the chances of the player to move.
    #[inline]
    pub fn of(position: &GipfPosition) -> Self {
        let own = position.board().pieces_of(position.to_move()).bits();
        let [north, north_east, south_east] = [0, 1, 2].map(|axis| completing(own, axis));
        let spots = [north_east | south_east, north | south_east, north | north_east];
        Self { own, spots, any: position.variant().is_push_off() || (0..3).any(|axis| has_row(own, axis)) }
    }

    /// Returns the entries of the lines on which a push may complete a row, as a set of entry indices; those of full lines
    /// may be among them.
    ///
    /// The pieces that a push moves stay on their line. So a row on that line already has three pieces on it, and a row
    /// across it lacks only the spot where they cross.
    #[inline]
    pub fn entries(&self) -> u64 {
        if self.any {
            return u64::MAX;
        }
        // Without branches: which lines have chances is close to random.
        LINES.iter().fold(0, |entries, line| {
            let own = line.spots & self.own;
            let without_two = own & own.wrapping_sub(1);
            let without_two = without_two & without_two.wrapping_sub(1);
            let possible = line.spots & self.spots[line.axis] | without_two;
            entries | line.entries & u64::from(possible != 0).wrapping_neg()
        })
    }

    /// Returns whether a legal push at this entry completes a row, if it is one of [`entries`](Self::entries).
    #[inline]
    pub fn completes_row(&self, position: &GipfPosition, entry: Entry) -> bool {
        if self.any {
            return position.completes_row(entry);
        }
        let Line { spots, axis, .. } = LINES[entry.line().index()];
        let own = position.own_after_push(entry).bits() & spots;
        own & self.spots[axis] != 0 || has_row(own, axis)
    }
}

/// A line as the search for rows sees it.
#[derive(Clone, Copy)]
struct Line {
    spots: u64,
    /// The two entries at its ends.
    entries: u64,
    /// Its direction, 0 to 2.
    axis: usize,
}

/// All lines.
static LINES: [Line; geometry::LINES] = {
    let mut lines = [Line { spots: 0, entries: 0, axis: 0 }; geometry::LINES];
    let mut entry = 0;
    while entry < ENTRIES {
        let line = Entry::from_index(entry).line();
        let known = &mut lines[line.index()];
        *known = Line { spots: line.spots().bits(), entries: known.entries | 1 << entry, axis: line.index() / 7 };
        entry += 1;
    }
    lines
};

#[inline]
fn has_row(own: u64, axis: usize) -> bool {
    let pairs = own & own >> STEPS[axis];
    pairs & pairs >> (2 * STEPS[axis]) != 0
}

/// Returns the spots that make four in line, along a direction, with three pieces of the set.
#[inline]
fn completing(own: u64, axis: usize) -> u64 {
    let step = STEPS[axis];
    let [a, b, c, d] = [0, 1, 2, 3].map(|place| own >> (place * step));
    let (ab, cd) = (a & b, c & d);
    let fours = FOURS[axis];
    b & cd & fours | (a & cd & fours) << step | (ab & d & fours) << (2 * step) | (ab & c & fours) << (3 * step)
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

    /// A completed row is removed, or the player is asked about it: the push does not end the turn, or pieces leave the
    /// board.
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

    /// In push-off a piece can return without a row: the pieces are moved one by one.
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

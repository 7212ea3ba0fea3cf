//! The patterns of a position, as indices of weights.

use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player, Variant};

use super::lines::{self, LENGTHS, STATES};

/// The evaluation's input: everything from the view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The player's pieces, the opponent's, and the special ones among both: GIPF-pieces, or in basic+zertz loaded pieces,
    /// which may be spared as well.
    pub sets: [u64; 3],
    /// The reserves, the player's first.
    pub reserves: [u8; 2],
    /// Whether GIPF-pieces may still be brought in, by the player and by the opponent.
    pub rights: [bool; 2],
    /// The potentials in hand and the used ones on the board, for each player; counted in basic+zertz alone.
    pub potentials: [[u8; 2]; 2],
}

/// Returns whether patterns cover the pieces of a rule set: those of the official rule sets, but not loaded pieces
/// together with GIPF-pieces.
pub fn cover(variant: Variant) -> bool {
    !variant.is_push_off() && (!variant.has_zertz() || variant.opening() == Opening::Basic)
}

/// Returns whether loaded pieces take the place of GIPF-pieces.
pub fn is_loaded(variant: Variant) -> bool {
    variant.has_zertz() && cover(variant)
}

impl View {
    /// Returns the view of the player to move.
    pub fn of(position: &GipfPosition) -> Self {
        if is_loaded(position.variant()) { Self::with_potentials(position) } else { Self::without_potentials(position) }
    }

    /// Returns the view in which loaded pieces and used potentials are basic pieces.
    #[inline]
    pub fn without_potentials(position: &GipfPosition) -> Self {
        let me = position.to_move();
        let (board, players) = (position.board(), [me, me.other()]);
        let [own, other] = players.map(|player: Player| board.pieces_of(player).bits());
        Self {
            sets: [own, other, board.gipfs().bits()],
            reserves: players.map(|player| position.reserve(player)),
            rights: players.map(|player| position.gipf_right(player)),
            potentials: [[0; 2]; 2],
        }
    }

    /// Returns the view in which loaded pieces take the place of GIPF-pieces, and potentials are counted.
    #[inline]
    pub fn with_potentials(position: &GipfPosition) -> Self {
        let (view, me, board) = (Self::without_potentials(position), position.to_move(), position.board());
        let potentials = [me, me.other()].map(|player| {
            let used = (board.pieces_of(player) & board.used()).count();
            [position.potentials(player), used as u8]
        });
        let [own, other, _] = view.sets;
        Self { sets: [own, other, board.loaded().bits()], potentials, ..view }
    }

    /// Returns the counts of a player, 0 for the one to move: special pieces, basic pieces on the board and in reserve.
    #[inline]
    pub fn counts(&self, player: usize) -> Counts {
        let pieces = self.sets[player].count_ones() as usize;
        let gipfs = (self.sets[player] & self.sets[2]).count_ones() as usize;
        let reserve = usize::from(self.reserves[player]);
        let used = usize::from(self.potentials[player][1]);
        Counts {
            reserve: reserve.min(Counts::MOST),
            material: (reserve + pieces + gipfs - used).min(Counts::MOST),
            gipfs: gipfs.min(Counts::GIPFS - 1),
        }
    }

    /// Returns the number of a player's pair of potentials, in hand and used.
    #[inline]
    pub fn potentials(&self, player: usize) -> usize {
        let [hand, used] = self.potentials[player].map(|number| usize::from(number).min(Counts::POTENTIALS - 1));
        hand * Counts::POTENTIALS + used
    }
}

/// What a player has, with numbers capped where the evaluation stops distinguishing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Basic pieces in reserve.
    pub reserve: usize,
    /// Basic pieces in reserve and on the board; a special piece counts twice.
    pub material: usize,
    /// Special pieces on the board.
    pub gipfs: usize,
}

impl Counts {
    /// The largest number of basic pieces that is distinguished.
    pub const MOST: usize = 18;
    /// The numbers of special pieces that are distinguished.
    pub const GIPFS: usize = 10;
    /// The numbers of potentials that are distinguished, in hand and used.
    pub const POTENTIALS: usize = 7;
    /// The number of pairs of reserve and material, for one player.
    pub const PAIRS: usize = (Self::MOST + 1) * (Self::MOST + 1);

    /// Returns the number of the pair of reserve and material.
    #[inline]
    pub const fn pair(self) -> usize {
        self.reserve * (Self::MOST + 1) + self.material
    }
}

/// The meaning of each weight.
///
/// Lines come first, by length: their colours, then their pieces, which are distinguished only where a special piece
/// stands. A line and the same line read backwards share their weights. All tables are indexed by the number of the
/// line's pieces. Then come the counts, and in basic+zertz those of potentials.
#[derive(Clone, Debug)]
pub struct Layout {
    colours: [Vec<u32>; 4],
    pieces: [Vec<u32>; 4],
    counts: u32,
    /// The number of weights of each player's pair of potentials.
    of_potentials: usize,
}

/// The weights of one player's counts: reserve, material, both together, GIPF-pieces, those with the reserve, the
/// right.
const OF_COUNTS: usize = 2 * (Counts::MOST + 1) + Counts::PAIRS + Counts::GIPFS * (Counts::MOST + 2) + 1;

/// The index that stands for no weight.
pub const NONE: u32 = u32::MAX;

impl Layout {
    /// Numbers the weights for a rule set.
    pub fn of(variant: Variant) -> Self {
        let of_potentials = if is_loaded(variant) { Counts::POTENTIALS * Counts::POTENTIALS } else { 0 };
        Self { of_potentials, ..Self::new() }
    }

    /// Numbers the weights for rule sets without potentials.
    pub fn new() -> Self {
        let mut next = 0;
        let colours = LENGTHS.map(|length| {
            numbered(length, &mut next, |states| Some(states.into_iter().map(|state| COLOUR[state]).collect()))
        });
        let has_gipf = |states: Vec<usize>| states.iter().any(|&state| state > 2).then_some(states);
        let pieces = LENGTHS.map(|length| numbered(length, &mut next, has_gipf));
        Self { colours, pieces, counts: next, of_potentials: 0 }
    }

    /// Returns the number of weights; the last is that of being to move.
    pub fn count(&self) -> usize {
        self.counts as usize + 2 * (OF_COUNTS + self.of_potentials) + 1
    }

    /// Returns the weights of a line's colours and of its pieces, `u32::MAX` for none; the length counts from 4.
    #[inline]
    pub fn of_line(&self, length: usize, index: usize) -> [u32; 2] {
        [self.colours[length][index], self.pieces[length][index]]
    }

    /// Returns the weights of a player's reserve, material and both together.
    pub fn of_pair(&self, player: usize, reserve: usize, material: usize) -> [u32; 3] {
        let base = self.counts + (player * OF_COUNTS) as u32;
        let numbers = Counts::MOST + 1;
        let pair = 2 * numbers + Counts { reserve, material, gipfs: 0 }.pair();
        [reserve, numbers + material, pair].map(|at| base + at as u32)
    }

    /// Returns the weights of a player's GIPF-pieces, alone and with the reserve.
    pub fn of_gipfs(&self, player: usize, gipfs: usize, reserve: usize) -> [u32; 2] {
        let base = self.counts as usize + player * OF_COUNTS + 2 * (Counts::MOST + 1) + Counts::PAIRS;
        [base + gipfs, base + Counts::GIPFS + gipfs * (Counts::MOST + 1) + reserve].map(|at| at as u32)
    }

    /// Returns the weight of a player's right to bring in GIPF-pieces.
    pub fn of_right(&self, player: usize) -> u32 {
        self.counts + ((player + 1) * OF_COUNTS) as u32 - 1
    }

    /// Returns the weight of a player's pair of potentials, if there are any.
    pub fn of_potentials(&self, player: usize, pair: usize) -> Option<u32> {
        let base = self.counts as usize + 2 * OF_COUNTS + player * self.of_potentials;
        (pair < self.of_potentials).then_some((base + pair) as u32)
    }

    /// Returns the weight of being to move.
    pub fn of_tempo(&self) -> u32 {
        self.count() as u32 - 1
    }

    /// Calls `each` with every weight that a view adds up.
    pub fn for_each(&self, view: &View, mut each: impl FnMut(u32)) {
        lines::for_each(view.sets, |length, index| {
            self.of_line(length, index).into_iter().filter(|&weight| weight != NONE).for_each(&mut each);
        });
        for player in 0..2 {
            let Counts { reserve, material, gipfs } = view.counts(player);
            self.of_pair(player, reserve, material).into_iter().for_each(&mut each);
            self.of_gipfs(player, gipfs, reserve).into_iter().for_each(&mut each);
            if view.rights[player] {
                each(self.of_right(player));
            }
            self.of_potentials(player, view.potentials(player)).into_iter().for_each(&mut each);
        }
        each(self.of_tempo());
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self::new()
    }
}

/// The colour of each state of a spot: vacant, the player's, the opponent's.
const COLOUR: [usize; STATES] = [0, 1, 2, 1, 2];

/// Numbers the lines of a length by the value of `seen` for their states, forwards or backwards; [`NONE`] where it has
/// none.
fn numbered(length: usize, next: &mut u32, seen: impl Fn(Vec<usize>) -> Option<Vec<usize>>) -> Vec<u32> {
    let mut numbers = std::collections::HashMap::new();
    let mut number = |states: Vec<usize>| {
        let Some(forwards) = seen(states) else { return NONE };
        let backwards: Vec<_> = forwards.iter().rev().copied().collect();
        *numbers.entry(forwards.min(backwards)).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    };
    (0..STATES.pow(length as u32)).map(|index| number(lines::states(index, length))).collect()
}

#[cfg(test)]
mod tests {
    use gipf_env::GpnError;

    use super::*;

    fn view(gpn: &str) -> Result<View, GpnError> {
        gpn.parse().map(|position: GipfPosition| View::of(&position))
    }

    /// Of White: a single, a loaded piece, a used potential and one in hand; of Black: a loaded piece and one in hand.
    const LOADED: &str = "basic+zertz 4/5/1S1Z2/3J3/2z3/5/4 w 13 14 - 1 1";

    #[test]
    fn loaded_pieces_are_special_and_potentials_are_counted_in_basic_alone() {
        let loaded = view(LOADED).unwrap();
        assert_eq!(loaded.sets.map(u64::count_ones), [3, 1, 2]);
        assert_eq!(loaded.potentials, [[1, 1], [1, 0]]);
        // 13 in reserve, a single, and twice a loaded piece; a used potential is not a basic piece.
        assert_eq!([0, 1].map(|player| loaded.counts(player).material), [16, 16]);
        assert_eq!([0, 1].map(|player| loaded.counts(player).gipfs), [1, 1]);
        let standard =
            view(&LOADED.replace("basic", "standard").replace("4/5/", "2G1/5/").replace("/5/4 w", "/5/1g2 w"));
        let standard = standard.unwrap();
        assert_eq!((standard.sets[2].count_ones(), standard.potentials), (2, [[0; 2]; 2]), "GIPF-pieces alone");
    }

    #[test]
    fn each_number_of_potentials_has_its_weight() {
        let layout = Layout::of(Variant::BASIC.with_zertz());
        let of = |view: &View| {
            let mut numbers = Vec::new();
            layout.for_each(view, |number| numbers.push(number));
            assert!(numbers.iter().all(|&number| (number as usize) < layout.count()));
            numbers
        };
        let loaded = view(LOADED).unwrap();
        let mut all = std::collections::HashSet::from([of(&loaded)]);
        for player in 0..2 {
            for kind in 0..2 {
                let mut other = loaded;
                other.potentials[player][kind] += 1;
                // Pieces stay as they are, except for those that a used potential takes from the material.
                assert!(all.insert(of(&other)), "{other:?}");
            }
        }
        assert_eq!(layout.count(), Layout::new().count() + 2 * 49);
        assert_eq!(Layout::of(Variant::TOURNAMENT).count(), Layout::new().count());
    }
}

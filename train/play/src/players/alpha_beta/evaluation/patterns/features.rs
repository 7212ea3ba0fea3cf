//! The patterns of a position, as indices of weights.

use gipf_env::{GipfPosition, Player};

use super::lines::{self, LENGTHS, STATES};

/// The evaluation's input: everything from the view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The player's pieces, the opponent's, and the GIPF-pieces among both.
    pub sets: [u64; 3],
    /// The reserves, the player's first.
    pub reserves: [u8; 2],
    /// Whether GIPF-pieces may still be brought in, by the player and by the opponent.
    pub rights: [bool; 2],
}

impl View {
    /// Returns the view of the player to move.
    #[inline]
    pub fn of(position: &GipfPosition) -> Self {
        let me = position.to_move();
        let (board, players) = (position.board(), [me, me.other()]);
        let [own, other] = players.map(|player: Player| board.pieces_of(player).bits());
        Self {
            sets: [own, other, board.gipfs().bits()],
            reserves: players.map(|player| position.reserve(player)),
            rights: players.map(|player| position.gipf_right(player)),
        }
    }

    /// Returns the counts of a player, 0 for the one to move: GIPF-pieces, basic pieces on the board and in reserve.
    #[inline]
    pub fn counts(&self, player: usize) -> Counts {
        let pieces = self.sets[player].count_ones() as usize;
        let gipfs = (self.sets[player] & self.sets[2]).count_ones() as usize;
        let reserve = usize::from(self.reserves[player]);
        Counts {
            reserve: reserve.min(Counts::MOST),
            material: (reserve + pieces + gipfs).min(Counts::MOST),
            gipfs: gipfs.min(Counts::GIPFS - 1),
        }
    }
}

/// What a player has, with numbers capped where the evaluation stops distinguishing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Basic pieces in reserve.
    pub reserve: usize,
    /// Basic pieces in reserve and on the board.
    pub material: usize,
    /// GIPF-pieces on the board.
    pub gipfs: usize,
}

impl Counts {
    /// The largest number of basic pieces that is distinguished.
    pub const MOST: usize = 18;
    /// The numbers of GIPF-pieces that are distinguished.
    pub const GIPFS: usize = 10;
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
/// Lines come first, by length: their colours, then their pieces, which are distinguished only where a GIPF-piece
/// stands. A line and the same line read backwards share their weights. All tables are indexed by the number of the
/// line's pieces.
#[derive(Clone, Debug)]
pub struct Layout {
    colours: [Vec<u32>; 4],
    pieces: [Vec<u32>; 4],
    counts: u32,
}

/// The weights of one player's counts: reserve, material, both together, GIPF-pieces, those with the reserve, the
/// right.
const OF_COUNTS: usize = 2 * (Counts::MOST + 1) + Counts::PAIRS + Counts::GIPFS * (Counts::MOST + 2) + 1;

/// The index of no weight.
pub const NONE: u32 = u32::MAX;

impl Layout {
    /// Numbers the weights.
    pub fn new() -> Self {
        let mut next = 0;
        let colours = LENGTHS.map(|length| {
            numbered(length, &mut next, |states| Some(states.into_iter().map(|state| COLOUR[state]).collect()))
        });
        let has_gipf = |states: Vec<usize>| states.iter().any(|&state| state > 2).then_some(states);
        let pieces = LENGTHS.map(|length| numbered(length, &mut next, has_gipf));
        Self { colours, pieces, counts: next }
    }

    /// Returns the number of weights; the last is that of being to move.
    pub fn count(&self) -> usize {
        self.counts as usize + 2 * OF_COUNTS + 1
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

//! The parts of the tree that are searched less deeply, or not at all.

use gipf_env::math::wide;

use super::evaluation::Score;

/// How much of the tree the search prunes without proof. Proven results stay proven: where all actions searched lose,
/// none is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selectivity {
    /// With at most this many turns to go, a position is cut off as too good by its evaluation alone.
    pub static_turns: usize,
    /// The margin by which the evaluation must be too good, for each turn to go.
    pub static_margin: Score,
    /// With at most this many turns to go, actions that capture nothing are left out where the evaluation is far too
    /// low.
    pub futile_turns: usize,
    /// The margin by which the evaluation must be too low, for each turn to go.
    pub futile_margin: Score,
    /// The number of actions after which actions that capture nothing are left out, by turns to go; the first entry is
    /// for one turn.
    pub late: [usize; 3],
    /// From this number on, actions that capture nothing are searched less deeply; 0 for never.
    pub reduced_from: usize,
    /// The constant part of the reduction, in hundredths of a turn; depth and number add to it.
    pub reduction: usize,
    /// The divisor of the part by depth and number, in hundredths.
    pub reduction_divisor: usize,
    /// With at least this many turns to go, a position without a table entry is searched one turn less deeply; 0 for
    /// never.
    pub unknown_turns: usize,
    /// The width of the first window around the score of the depth before, each way; 0 for no limit.
    pub aspiration: Score,
}

impl Selectivity {
    /// Prunes nothing: the search is then plain minimax, only faster.
    pub const NONE: Self = Self {
        static_turns: 0,
        static_margin: 0,
        futile_turns: 0,
        futile_margin: 0,
        late: [usize::MAX; 3],
        reduced_from: 0,
        reduction: 0,
        reduction_divisor: 100,
        unknown_turns: 0,
        aspiration: 0,
    };

    /// The selectivity of the baseline AI.
    pub const PLAY: Self = Self {
        static_turns: 3,
        static_margin: 120,
        futile_turns: 2,
        futile_margin: 120,
        late: [12, 20, 30],
        reduced_from: 3,
        reduction: 30,
        reduction_divisor: 220,
        unknown_turns: 4,
        aspiration: 40,
    };
}

/// The reductions in turns, by turns to go and number of the action.
#[derive(Debug)]
pub struct Reductions(Vec<[u8; Self::NUMBERS]>);

impl Reductions {
    const TURNS: usize = 24;
    const NUMBERS: usize = 64;

    /// Computes the table.
    pub fn new(selectivity: &Selectivity) -> Self {
        let of = |turns: usize, number: usize| {
            if selectivity.reduced_from == 0 || number < selectivity.reduced_from || turns < 2 {
                return 0;
            }
            let logs = wide::ln(turns as f64) * wide::ln(number as f64 + 1.0);
            let sum = selectivity.reduction as f64 / 100.0 + logs * 100.0 / selectivity.reduction_divisor as f64;
            (sum as usize).min(turns - 1) as u8
        };
        Self((0..Self::TURNS).map(|turns| std::array::from_fn(|number| of(turns, number))).collect())
    }

    /// Returns the reduction.
    #[inline]
    pub fn get(&self, turns: usize, number: usize) -> usize {
        usize::from(self.0[turns.min(Self::TURNS - 1)][number.min(Self::NUMBERS - 1)])
    }
}

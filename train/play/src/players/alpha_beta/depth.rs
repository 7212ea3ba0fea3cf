//! The eight depths of the baseline AI.

use super::limits::Limits;
use crate::players::scale::scale;

scale! {
    /// A nominal depth of the baseline AI, `alpha-beta:N`: depth n looks n turns ahead, depth 8 nine, less where little is
    /// expected, and from depth 2 on it also searches the captures of the two turns after.
    ///
    /// Score against the depth below over 200 paired games, of depths 6 and 7 over 120 from the book, of depth 8 over 56
    /// and 94 on the ladders, and positions visited in a turn of standard; depth 8 takes some 43 milliseconds for them.
    ///
    /// | depth | basic | standard | tournament | positions a turn |
    /// |--:|--:|--:|--:|--:|
    /// | 1 against random | | 100 % | | 42 |
    /// | 1 against greedy | | 100 % | | 42 |
    /// | 2 | 100 % | 100 % | 99.5 % | 240 |
    /// | 3 | 90 % | 92 % | 91 % | 860 |
    /// | 4 | 90 % | 90.5 % | 90.5 % | 2 400 |
    /// | 5 | 87 % | 89 % | 86 % | 5 600 |
    /// | 6 | 82 % | 81 % | 85 % | 14 000 |
    /// | 7 | 82 % | 82.5 % | 82.5 % | 32 000 |
    /// | 8 | | 96.4 % | 95.7 % | 193 000 |
    Depth, 8, "depth"
}

impl Depth {
    /// Returns the limits of the search at this depth.
    pub const fn limits(self) -> Limits {
        match self.0 {
            1 => Limits { captures: 0, ..Limits::depth(1) },
            // One turn more would not be enough to beat the depth below in three games of four.
            8 => Limits::depth(9),
            number => Limits::depth(number as u32),
        }
    }
}

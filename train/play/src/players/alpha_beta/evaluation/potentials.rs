//! The evaluation where there are ZÈRTZ-potentials: the patterns of the rule set without them, and the values of
//! potentials.

use std::sync::Arc;

use gipf_env::GipfPosition;

use super::{Patterns, Score};

/// The evaluation for a rule set with potentials.
#[derive(Clone, Debug)]
pub struct Potentials {
    /// Loaded pieces and used potentials count as pieces of their colour on the lines.
    patterns: Arc<Patterns>,
    values: Values,
}

/// The values of potentials, in hundredths of a captured basic piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Values {
    /// One in hand, which is lost with the first single that is pushed.
    hand: Score,
    /// A loaded piece on the board: it can jump, and may be spared when its row is captured.
    loaded: Score,
    /// A correction for a used one, which the patterns take for a basic piece: there is none under it.
    used: Score,
}

const VALUES: Values = Values { hand: 40, loaded: 60, used: -80 };

impl Potentials {
    /// Adds the values of potentials to patterns.
    pub const fn new(patterns: Arc<Patterns>) -> Self {
        Self { patterns, values: VALUES }
    }

    /// Returns the value of a position without an outcome, for the player to move.
    #[inline]
    pub fn evaluate(&self, position: &GipfPosition) -> Score {
        let (me, board) = (position.to_move(), position.board());
        let [own, other] = [me, me.other()].map(|player| {
            let pieces = board.pieces_of(player);
            let on_board = |set| (pieces & set).count() as Score;
            self.values.hand * Score::from(position.potentials(player))
                + self.values.loaded * on_board(board.loaded())
                + self.values.used * on_board(board.used())
        });
        self.patterns.evaluate(position) + own - other
    }
}

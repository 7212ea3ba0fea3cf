//! Proven results and how they pass up the tree (Winands, Björnsson, Saito: Monte-Carlo Tree Search Solver, 2008).

use gipf_env::{Outcome, Player};

use super::tree::Edge;

/// A result that no play can change any more, for one player; ordered from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proven {
    /// The player loses against best play.
    Loss,
    /// Neither player can do better than no result: a draw, or a game that the placement limit cuts off.
    Draw,
    /// The player wins with best play.
    Win,
}

impl Proven {
    /// Returns -1, 0 or +1.
    pub const fn value(self) -> f32 {
        match self {
            Self::Loss => -1.0,
            Self::Draw => 0.0,
            Self::Win => 1.0,
        }
    }
}

/// What is proven about a subtree, from White's view.
///
/// The tree has no transpositions, so a verdict is about the position *with* its history: repetitions and the placement
/// limit count as draws, as they are on this path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeVerdict {
    Open,
    BlackWins,
    Draw,
    WhiteWins,
}

impl TreeVerdict {
    pub fn of(outcome: Outcome) -> Self {
        match outcome.winner {
            Some(Player::White) => Self::WhiteWins,
            Some(Player::Black) => Self::BlackWins,
            None => Self::Draw,
        }
    }

    #[inline]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }

    /// Returns the verdict from the view of a player, if there is one.
    #[inline]
    pub const fn seen_by(self, player: Player) -> Option<Proven> {
        match (self, player) {
            (Self::Open, _) => None,
            (Self::Draw, _) => Some(Proven::Draw),
            (Self::WhiteWins, Player::White) | (Self::BlackWins, Player::Black) => Some(Proven::Win),
            (Self::WhiteWins, Player::Black) | (Self::BlackWins, Player::White) => Some(Proven::Loss),
        }
    }

    /// Returns the proven value for White.
    #[inline]
    pub const fn value(self) -> Option<f32> {
        match self.seen_by(Player::White) {
            Some(proven) => Some(proven.value()),
            None => None,
        }
    }

    /// Returns the verdict that this player has won.
    const fn won_by(player: Player) -> Self {
        match player {
            Player::White => Self::WhiteWins,
            Player::Black => Self::BlackWins,
        }
    }

    /// Returns whether this player should avoid it if there is another choice.
    #[inline]
    pub const fn is_lost_for(self, player: Player) -> bool {
        matches!((self, player), (Self::WhiteWins, Player::Black) | (Self::BlackWins, Player::White))
    }
}

/// Returns what follows for a decision of this player from the verdicts on all actions: one win is enough; without one,
/// every action must be proven, and they take the best.
pub(super) fn judge(to_move: Player, edges: &[Edge]) -> TreeVerdict {
    let win = TreeVerdict::won_by(to_move);
    if edges.iter().any(|edge| edge.verdict == win) {
        return win;
    }
    if edges.iter().any(|edge| edge.verdict.is_open()) {
        return TreeVerdict::Open;
    }
    let drawn = edges.iter().any(|edge| edge.verdict == TreeVerdict::Draw);
    if drawn { TreeVerdict::Draw } else { TreeVerdict::won_by(to_move.other()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TreeVerdict::{BlackWins, Draw, Open, WhiteWins};
    use gipf_env::ActionIndex;

    fn judged(to_move: Player, verdicts: &[TreeVerdict]) -> TreeVerdict {
        let edge = |&verdict| Edge { verdict, ..Edge::new(ActionIndex(0)) };
        judge(to_move, &verdicts.iter().map(edge).collect::<Vec<_>>())
    }

    #[test]
    fn one_win_is_enough_and_a_loss_needs_all() {
        assert_eq!(judged(Player::White, &[Open, BlackWins, WhiteWins]), WhiteWins);
        assert_eq!(judged(Player::White, &[Open, BlackWins, BlackWins]), Open);
        assert_eq!(judged(Player::White, &[Draw, BlackWins, BlackWins]), Draw);
        assert_eq!(judged(Player::White, &[BlackWins, BlackWins]), BlackWins);
        assert_eq!(judged(Player::Black, &[BlackWins, Open]), BlackWins);
        assert_eq!(judged(Player::Black, &[WhiteWins, Draw]), Draw);
    }
}

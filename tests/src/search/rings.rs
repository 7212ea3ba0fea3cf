//! The baseline AI against the evaluation of an older program for the game, as that was described.
//!
//! The description: 20 for a captured piece, 1 for a piece on the board, ring weights 5, 2 and 1, a GIPF-piece half
//! again as much, -5 for a last GIPF-piece, and of both sums their difference divided by their sum. It is read so: the
//! ring weights are for the centre, the six spots around it and the twelve around these, and come on top of the 1 for
//! the piece; the eighteen spots at the edge have none; "half again as much" is of both together; captured are the
//! opponent's pieces that are neither on the board nor in their reserve.
//!
//! `GIPF_RINGS=400` plays this many games for each figure of METHODS.md, and prints their scores.

use gipf_env::geometry::Spot;
use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player, Variant};
use gipf_play::arena::{MatchConfig, MatchReport};
use gipf_play::players::alpha_beta::{Evaluation, Limits, Score};
use gipf_play::players::{AlphaBeta, Contender};

use crate::matches::arena::between;
use crate::wishes;

// All numbers of the description, doubled, so that half again as much for a GIPF-piece is an integer.

/// For each opposing basic piece captured.
const CAPTURED: Score = 2 * 20;
/// For each piece on the board.
const PIECE: Score = 2;
/// For a piece on the centre, on the six spots around it, on the twelve around these; nothing at the edge.
const RING: [Score; 4] = [2 * 5, 2 * 2, 2, 0];
/// If there is one GIPF-piece left.
const LAST_GIPF: Score = -2 * 5;

/// The score of a player who has everything. In the middle of a game a captured piece then is worth some hundred, as in
/// the other evaluations, so that the margins of the search mean the same.
const WHOLE: Score = 600;

/// Returns the value of a position without an outcome, for the player to move: (own - opponent's) / (own + opponent's)
/// of what the two have in captured pieces, and in pieces on the board by their ring, a GIPF-piece half again as much.
///
/// A player's sum counts as 0 where it is less, so that the quotient lies between -1 and 1.
fn evaluate(position: &GipfPosition) -> Score {
    let me = position.to_move();
    let (own, other) = (of_player(position, me), of_player(position, me.other()));
    WHOLE * (own - other) / (own + other).max(1)
}

fn of_player(position: &GipfPosition, player: Player) -> Score {
    let (board, opponent) = (position.board(), player.other());
    let own = board.pieces_of(player);
    let gipfs = own & board.gipfs();
    let worth = |spot: Spot| PIECE + RING[usize::from(spot.ring())];
    let pieces: Score = own.into_iter().map(worth).sum();
    let more: Score = gipfs.into_iter().map(|spot| worth(spot) / 2).sum();
    let left = Score::from(board.material(opponent) + position.reserve(opponent));
    let captured = material(position.variant().opening()) - left;
    let last = if gipfs.count() == 1 { LAST_GIPF } else { 0 };
    (pieces + more + CAPTURED * captured.max(0) + last).max(0)
}

/// Returns the basic pieces with which a player begins, those on the board included; a handicap has more.
const fn material(opening: Opening) -> Score {
    match opening {
        Opening::Basic => 15,
        Opening::Standard | Opening::Tournament | Opening::PushOff => 18,
    }
}

/// Returns how the baseline AI does against the same search with this evaluation, both looking this many turns ahead.
fn report(variant: Variant, depth: u32, games: usize) -> MatchReport {
    let rings = move || AlphaBeta::with_evaluation(Limits::depth(depth), Evaluation::Given(evaluate), 16);
    let patterns = move || AlphaBeta::new(Limits::depth(depth), variant);
    let rings = Contender { name: "rings".to_owned(), build: Box::new(move || Box::new(rings())) };
    let patterns = Contender { name: "patterns".to_owned(), build: Box::new(move || Box::new(patterns())) };
    between(&MatchConfig::new(variant, games / 2), [patterns, rings])
}

#[test]
fn the_baseline_ai_beats_an_older_evaluation_clearly() {
    let asked = wishes::number("GIPF_RINGS");
    let standard = [2, 3, 4].map(|depth| (Variant::STANDARD, depth));
    // A minute and more.
    let slow = [(Variant::TOURNAMENT, 3)].into_iter().filter(|_| asked.is_some());
    for (variant, depth) in standard.into_iter().chain([(Variant::BASIC, 3)]).chain(slow) {
        let report = report(variant, depth, asked.unwrap_or(40));
        println!("{variant}, depth {depth}: {report}");
        assert!(report.score > 0.85, "{report}");
    }
}

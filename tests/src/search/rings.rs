//! The baseline AI against the evaluation of an older program for the game, as published in a description.
//!
//! The description: 20 for a captured piece, 1 for a piece on the board, ring weights 5, 2 and 1, a GIPF-piece half
//! again as much, -5 for a last GIPF-piece, and the difference of both players' sums divided by the total. It is read as
//! follows: the ring weights are for the centre, the six spots around it and the twelve around these, in addition to the
//! 1 for the piece; the eighteen spots at the edge have no weight; "half again as much" applies to both together; captured
//! pieces are those of the opponent that are neither on the board nor in the opponent's reserve.
//!
//! `GIPF_RINGS=400` plays this many games for each figure in METHODS.md, and prints the scores.

use gipf_env::geometry::Spot;
use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player, Variant};
use gipf_play::arena::{MatchConfig, MatchReport};
use gipf_play::players::alpha_beta::{Evaluation, Limits, Score};
use gipf_play::players::{AlphaBeta, Contender};

use crate::matches::arena::between;
use crate::wishes;

// All numbers of the description are doubled, so that half again as much for a GIPF-piece is an integer.

/// For each opposing basic piece captured.
const CAPTURED: Score = 2 * 20;
/// For each piece on the board.
const PIECE: Score = 2;
/// For a piece on the centre, on one of the six spots around it, of the twelve around these; nothing at the edge.
const RING: [Score; 4] = [2 * 5, 2 * 2, 2, 0];
/// For a player with only one GIPF-piece left.
const LAST_GIPF: Score = -2 * 5;

/// The score of a player who has everything. With it, a captured piece in the middle of a game is worth some hundred, as
/// in the other evaluations, so the margins of the search mean the same.
const WHOLE: Score = 600;

/// Returns the value of a position without an outcome, for the player to move: (own - opponent's) / (own + opponent's) of
/// the players' sums for captured pieces, and for pieces on the board by ring, a GIPF-piece half again as much.
///
/// A negative sum of a player counts as 0, so that the quotient lies between -1 and 1.
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

/// Returns the basic pieces that a player begins with, including those on the board; with a handicap there are more.
const fn material(opening: Opening) -> Score {
    match opening {
        Opening::Basic => 15,
        Opening::Standard | Opening::Tournament | Opening::PushOff => 18,
    }
}

/// Returns the report of the baseline AI against the same search with this evaluation, both looking this many turns ahead.
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
    // This takes more than a minute.
    let slow = [(Variant::TOURNAMENT, 3)].into_iter().filter(|_| asked.is_some());
    for (variant, depth) in standard.into_iter().chain([(Variant::BASIC, 3)]).chain(slow) {
        let report = report(variant, depth, asked.unwrap_or(40));
        println!("{variant}, depth {depth}: {report}");
        assert!(report.score > 0.85, "{report}");
    }
}

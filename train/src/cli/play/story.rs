//! The events of a game, in words.

use gipf_env::rules::Kind;
use gipf_env::{Action, GipfPosition, Outcome, Phase, Player, Reason};

use super::game::{Ended, Game};
use super::spelling::{list, write};

/// Returns what an action and its forced consequences changed, one sentence per line.
pub(super) fn told(before: &GipfPosition, action: Action, after: &GipfPosition) -> Vec<String> {
    let player = before.to_move();
    let mut lines = vec![format!("{player}: {}", write(before, action))];
    lines.extend(Player::BOTH.into_iter().filter_map(|player| gone(before, action, after, player)));
    lines
}

/// Returns which pieces of a player left the board, if any.
fn gone(before: &GipfPosition, action: Action, after: &GipfPosition, player: Player) -> Option<String> {
    let pieces = |position: &GipfPosition| position.board().pieces_of(player).count();
    let gipfs = |position: &GipfPosition| (position.board().pieces_of(player) & position.board().gipfs()).count();
    let placed = u32::from(player == before.to_move() && action.is_placement());
    let placed_gipf = u32::from(placed == 1 && matches!(action, Action::Push(gipf_env::Pushed::Gipf, _)));
    let removed = pieces(before) + placed - pieces(after);
    if removed == 0 {
        return None;
    }
    let gipfs = gipfs(before) + placed_gipf - gipfs(after);
    let which = match gipfs {
        0 => String::new(),
        1 => ", a GIPF-piece among them".to_owned(),
        count => format!(", {count} GIPF-pieces among them"),
    };
    let noun = if removed == 1 { "piece" } else { "pieces" };
    let spent = spent(action) * u8::from(placed == 1);
    let returned = after.reserve(player) + spent - before.reserve(player);
    // In push-off, a GIPF-piece is a single piece, and leaves the game when it is captured.
    let material = |position: &GipfPosition| {
        let board = position.board();
        let push_off = position.variant().is_push_off();
        if push_off { board.pieces_of(player).count() as u8 } else { board.material(player) }
    };
    let lost = material(before) + spent - material(after) - returned;
    let fate = match (returned, lost) {
        (0, _) => "captured".to_owned(),
        (_, 0) => format!("taken back: reserve {}", after.reserve(player)),
        _ => format!("removed, {lost} captured, {returned} taken back: reserve {}", after.reserve(player)),
    };
    Some(format!("  {removed} {noun} of {player} {fate}{which}"))
}

/// Returns the number of basic pieces that an action takes out of the reserve.
const fn spent(action: Action) -> u8 {
    match action {
        Action::Push(gipf_env::Pushed::Gipf, _) => 2,
        Action::Push(..) => 1,
        Action::TakeRow(_) | Action::Keep | Action::Take | Action::Jump(..) | Action::Leave | Action::Remove => 0,
    }
}

/// Returns the question to the player.
pub(super) fn question(position: &GipfPosition) -> String {
    let player = position.to_move();
    if let Some(spot) = position.question() {
        let (owner, kind) = position.board().piece_at(spot).expect("the piece in question stands on the board");
        let kind = if kind == Kind::Gipf { "GIPF-piece" } else { "loaded piece" };
        let whose = if owner == player { "yours" } else { "your opponent's" };
        return format!("{kind} on {spot} ({whose}): take it or leave it?");
    }
    if position.variant().is_push_off() && position.phase() == Phase::Post {
        let pieces: Vec<_> = position.pending().into_iter().map(|spot| spot.to_string()).collect();
        return format!("{player} leaves or removes the pieces next to the row: {}.", pieces.join(", "));
    }
    if position.phase() == Phase::Push {
        return format!("{player} {}.", placing(position));
    }
    let rows: Vec<_> = list(position).into_iter().map(|row| write(position, row)).collect();
    let (last, others) = rows.split_last().expect("a choice of rows has at least two");
    format!("The rows {} and {last} touch: which first?", others.join(", "))
}

/// Returns what a player does in the main part of a turn: place a piece, jump, or either.
fn placing(position: &GipfPosition) -> &'static str {
    match position.pushes_and_jumps() {
        [_, false] => "places a piece",
        [false, true] => "jumps with a potential",
        [true, true] => "places a piece, or jumps with a potential",
    }
}

/// Returns how a game ended, if it has.
pub(super) fn end(game: &Game) -> Option<String> {
    if let Some(outcome) = game.position().outcome() {
        return Some(ending(outcome));
    }
    Some(match game.ended()? {
        Ended::Resigned(loser) => ending(Outcome::win(loser.other(), Reason::Resignation)),
        Ended::Ruled(conclusion) => format!("The record says: {conclusion}."),
    })
}

/// Returns how the rules ended a game.
fn ending(outcome: Outcome) -> String {
    let why = match outcome.reason {
        Reason::NoGipf => "has no GIPF-piece left on the board",
        Reason::NoMove => "cannot bring in a piece",
        Reason::Repetition => return "The position has occurred for the third time: the game is void.".to_owned(),
        Reason::Limit => return "The limit of placements is reached: the game is cut off, undecided.".to_owned(),
        Reason::Resignation => "has resigned",
        Reason::OwnRule => "has lost",
    };
    match outcome.winner {
        Some(winner) => format!("{winner} wins: {} {why}.", winner.other()),
        None => "Nobody wins.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::play::spelling::read;
    use gipf_env::Variant;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn after(gpn: &str, moves: &[&str]) -> (GipfPosition, Vec<String>) {
        let mut position = GipfPosition::from_gpn(gpn).unwrap();
        let mut lines = Vec::new();
        for text in moves {
            let action = read(&position, text).unwrap();
            let before = position.clone();
            position.play(action).unwrap();
            lines = told(&before, action, &position);
        }
        (position, lines)
    }

    #[test]
    fn captures_are_told_in_words() {
        let four = "basic 4/5/6/SSSs3/6/5/4 w 9 12 - 0 0";
        let (position, lines) = after(four, &["e1-e2"]);
        let own = "  4 pieces of White taken back: reserve 12";
        assert_eq!(lines, ["White: e1-e6", own, "  1 piece of Black captured"]);
        assert_eq!(position.to_move(), Player::Black);
        assert_eq!(after(four, &["e9-e8"]).1, ["White: e8"]);

        let gipfs = "standard g3/5/6/SGSg3/6/5/3G w 9 12 - 0 0";
        let (_, lines) = after(gipfs, &["e1-e2"]);
        assert_eq!(lines, ["White: e1-e6", "  3 pieces of White taken back: reserve 11"]);
        let (_, lines) = after(gipfs, &["e1-e2", "take"]);
        assert_eq!(lines, ["White: take", "  1 piece of White taken back: reserve 13, a GIPF-piece among them"]);
        let (_, lines) = after(gipfs, &["e1-e2", "leave", "take"]);
        assert_eq!(lines, ["White: take", "  1 piece of Black captured, a GIPF-piece among them"]);
    }

    #[test]
    fn questions_are_asked_in_words() {
        let (position, _) = after("standard g3/5/6/SGSg3/6/5/3G w 9 12 - 0 0", &["e1-e2"]);
        assert_eq!(question(&position), "GIPF-piece on e4 (yours): take it or leave it?");
        let (position, _) = after("standard g3/5/6/SGSg3/6/5/3G w 9 12 - 0 0", &["e1-e2", "leave"]);
        assert_eq!(question(&position), "GIPF-piece on e6 (your opponent's): take it or leave it?");
        let (position, _) = after("basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0", &["e1-e2"]);
        assert_eq!(question(&position), "The rows e1-e9 and a1-i5 touch: which first?");
        for (reserve, asked) in
            [(0, "White jumps with a potential."), (3, "White places a piece, or jumps with a potential.")]
        {
            let (position, _) = after(&format!("basic+zertz 4/5/6/2sZs2/6/5/4 w {reserve} 6 - 0 0"), &[]);
            assert_eq!(question(&position), asked);
        }
    }

    #[test]
    fn every_change_of_random_games_is_told() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for variant in Variant::ALL.repeat(5) {
            let mut position = GipfPosition::start(variant);
            while position.outcome().is_none() {
                let actions = list(&position);
                let before = position.clone();
                let action = actions[rng.random_range(0..actions.len())];
                position.play(action).unwrap();
                let pieces = |position: &GipfPosition| position.board().occupied().count();
                let placed = u32::from(action.is_placement());
                let removed = told(&before, action, &position).len() > 1;
                assert_eq!(removed, pieces(&position) != pieces(&before) + placed);
                assert!(!question_or_ending(&position).is_empty());
            }
        }
    }

    fn question_or_ending(position: &GipfPosition) -> String {
        position.outcome().map_or_else(|| question(position), ending)
    }
}

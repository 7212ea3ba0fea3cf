//! How a game stands, as the page shows it.

use gipf_env::bitboard::Bitboard;
use gipf_env::geometry::{Entry, Spot};
use gipf_env::rules::Kind;
use gipf_env::{Action, GipfPosition, Outcome, Phase, Player, Position, Pushed, Reason, Setup};
use serde::Serialize;

use crate::error::BoardError;
use crate::game::GameText;
use crate::line::{TurnText, turns};

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The rule set.
    pub variant: String,
    /// Position text of the start.
    pub start: String,
    /// Position text of the turn in progress, which is that of its start; once the game is over, of what is left.
    pub gpn: String,
    /// Who decides.
    pub to_move: Player,
    /// What is asked of the player, in words.
    pub question: String,
    /// The pieces on the board.
    pub pieces: Vec<Piece>,
    /// Basic pieces in the reserves of White and Black.
    pub reserves: [u8; 2],
    /// Basic pieces of White and Black that were captured; none where the rule set captures nothing.
    pub captured: Option<[u8; 2]>,
    /// ZÈRTZ-potentials in the hands of White and Black.
    pub potentials: [u8; 2],
    /// The spots that the question is about.
    pub at_stake: Vec<usize>,
    /// What may be done; nothing once the game is over.
    pub legal: Vec<Legal>,
    /// The turns so far.
    pub turns: Vec<TurnText>,
    /// The spot on which the last placement brought in a piece.
    pub last: Option<usize>,
    /// The line along which it was pushed, as its spots.
    pub pushed: Vec<usize>,
    /// Who has won, if the game is over: nobody, or a player.
    pub winner: Option<Player>,
    /// How the game ended, in words, if it has.
    pub outcome: Option<String>,
    /// Whether the game is void: matches play it again, with colours and remaining clocks exchanged.
    pub void: bool,
}

/// A piece on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The spot.
    pub spot: usize,
    /// Whose it is.
    pub player: Player,
    /// `single`, `gipf`, `loaded` or `used`.
    pub kind: &'static str,
}

/// What a player may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Legal {
    /// The number of the action.
    pub action: u16,
    /// The action in words.
    pub text: String,
    /// `push`, `row`, `keep`, `take`, `jump`, `leave` or `remove`.
    pub does: &'static str,
    /// What is brought in, for a push: `single`, `gipf` or `loaded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<&'static str>,
    /// The number of the entry, for a push.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// The spots concerned: the pieces that a push moves one spot on, nearest first, in push-off all of the line; those of a
    /// row; from and to of a jump.
    pub spots: Vec<usize>,
}

impl View {
    /// Returns how a game stands.
    ///
    /// # Errors
    /// If it is not a game.
    pub fn of(game: &GameText) -> Result<Self, BoardError> {
        let (setup, actions) = (game.setup()?, game.actions()?);
        let (turns, gpn) = turns(&setup, &actions)?;
        Ok(Self { gpn, turns, ..Self::at(&setup, &actions, &game.positions()?) })
    }

    /// Returns how a game stands after these actions, given the position before each of them and the last one, without the
    /// texts of turns and position.
    pub(crate) fn at(setup: &Setup, actions: &[Action], positions: &[GipfPosition]) -> Self {
        let position = positions.last().expect("there is always the start");
        let placed = actions.iter().rposition(|action| action.is_placement());
        let push = placed.map(|place| legal(&positions[place], actions[place]));
        Self {
            variant: setup.variant.to_string(),
            start: setup.to_string(),
            gpn: String::new(),
            to_move: position.to_move(),
            question: question(position),
            pieces: Spot::all().filter_map(|spot| piece(position, spot)).collect(),
            reserves: Player::BOTH.map(|player| position.reserve(player)),
            captured: captured(&positions[0], position),
            potentials: Player::BOTH.map(|player| position.potentials(player)),
            at_stake: spots(position.at_stake()),
            legal: position.legal_actions().map(|action| legal(position, action)).collect(),
            turns: Vec::new(),
            last: position.placed_by(placed.map(|place| actions[place])).map(Spot::index),
            pushed: push.map(|push| push.spots).unwrap_or_default(),
            winner: position.outcome().and_then(|outcome| outcome.winner),
            outcome: position.outcome().map(|outcome| ended(position, outcome)),
            void: position.outcome().is_some_and(|outcome| outcome.reason == Reason::Repetition),
        }
    }
}

fn spots(board: Bitboard) -> Vec<usize> {
    board.into_iter().map(Spot::index).collect()
}

fn piece(position: &GipfPosition, spot: Spot) -> Option<Piece> {
    let (player, kind) = position.board().piece_at(spot)?;
    let kind = match kind {
        Kind::Single => "single",
        Kind::Gipf => "gipf",
        Kind::Loaded => "loaded",
        Kind::Used => "used",
    };
    Some(Piece { spot: spot.index(), player, kind })
}

/// Returns the basic pieces that each player has lost since the start.
fn captured(start: &GipfPosition, now: &GipfPosition) -> Option<[u8; 2]> {
    let has = |position: &GipfPosition, player| position.reserve(player) + position.board().material(player);
    let lost = |player| has(start, player).saturating_sub(has(now, player));
    (!start.variant().is_push_off()).then(|| Player::BOTH.map(lost))
}

/// Returns what a legal action does.
fn legal(position: &GipfPosition, action: Action) -> Legal {
    let of = |does, spots| Legal {
        action: action.index().0,
        text: action.to_string(),
        does,
        piece: None,
        entry: None,
        spots,
    };
    match action {
        Action::Push(pushed, entry) => {
            Legal { piece: Some(piece_of(pushed)), entry: Some(entry.index()), ..of("push", moved(position, entry)) }
        }
        Action::TakeRow(line) => of("row", spots(position.capture_set(line))),
        Action::Jump(spot, direction) => {
            let to = position.landing(spot, direction);
            of("jump", [Some(spot), to].into_iter().flatten().map(Spot::index).collect())
        }
        Action::Keep => of("keep", spots(position.at_stake())),
        Action::Take => of("take", spots(position.at_stake())),
        Action::Leave => of("leave", spots(position.at_stake())),
        Action::Remove => of("remove", spots(position.at_stake())),
    }
}

/// Returns the spots of the pieces that a push moves: up to the first gap, in push-off all of the line.
fn moved(position: &GipfPosition, entry: Entry) -> Vec<usize> {
    let (occupied, over_gaps) = (position.board().occupied(), position.variant().is_push_off());
    let up_to = entry.ray().take_while(|&spot| over_gaps || occupied.contains(spot));
    up_to.filter(|&spot| occupied.contains(spot)).map(Spot::index).collect()
}

const fn piece_of(pushed: Pushed) -> &'static str {
    match pushed {
        Pushed::Single => "single",
        Pushed::Gipf => "gipf",
        Pushed::Loaded => "loaded",
    }
}

/// Returns what the player is asked, in words that a beginner understands.
fn question(position: &GipfPosition) -> String {
    let player = position.to_move();
    if let Some(spot) = position.question() {
        let (owner, kind) = position.board().piece_at(spot).expect("the piece in question is on the board");
        let whose = if owner == player { "your" } else { "the opponent's" };
        let what = if kind == Kind::Gipf { "GIPF-piece" } else { "piece with a potential" };
        return format!(
            "{player}: {whose} {what} on {} is in the row. Keep it on the board, or take it off?",
            spot.point()
        );
    }
    if position.outcome().is_some() {
        return String::new();
    }
    match position.phase() {
        Phase::Push => format!("{player}: {}.", placing(position)),
        Phase::Pre | Phase::Post if position.variant().is_push_off() => {
            format!("{player}: the row touches pieces at its ends. Leave them, or remove them?")
        }
        Phase::Pre | Phase::Post => format!("{player}: several rows of four. Which one do you remove first?"),
    }
}

/// Returns what a player may do in the main part of a turn, and how: bring in a piece, jump, or either.
fn placing(position: &GipfPosition) -> &'static str {
    match position.pushes_and_jumps() {
        [_, false] => "bring in a piece. Choose a dot at the edge, then a direction",
        [false, true] => "jump with a potential. Choose where it lands",
        [true, true] => {
            "bring in a piece, or jump with a potential. Choose a dot at the edge, then a direction; or where it lands"
        }
    }
}

/// Returns how the game ended, in words.
fn ended(position: &GipfPosition, outcome: Outcome) -> String {
    let Some(winner) = outcome.winner else {
        return match outcome.reason {
            Reason::Repetition => "Nobody wins: the same position for the third time.".to_owned(),
            Reason::Limit => "Nobody wins: the game was cut off at its limit.".to_owned(),
            _ => "Nobody wins.".to_owned(),
        };
    };
    let loser = winner.other();
    match outcome.reason {
        Reason::NoGipf => format!("{winner} wins: {loser} has no GIPF-piece on the board any more."),
        Reason::NoMove if position.reserve(loser) == 0 => {
            format!("{winner} wins: {loser} has no piece left to bring in.")
        }
        Reason::NoMove => format!("{winner} wins: {loser} cannot move."),
        _ => format!("{winner} wins."),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gipf_env::Variant;
    use gipf_env::notation::placement;

    use super::*;

    fn pieces(position: &GipfPosition) -> BTreeMap<usize, Piece> {
        Spot::all().filter_map(|spot| piece(position, spot)).map(|piece| (piece.spot, piece)).collect()
    }

    /// Returns the pieces once those of a push have moved one spot on, and one has come in.
    fn pushed(position: &GipfPosition, push: &Legal, entry: Entry) -> BTreeMap<usize, Piece> {
        let ray: Vec<usize> = entry.ray().map(Spot::index).collect();
        let before = pieces(position);
        let moved = push.spots.iter().filter_map(|spot| {
            let to = *ray.get(ray.iter().position(|on_ray| on_ray == spot)? + 1)?;
            Some((to, Piece { spot: to, ..before[spot].clone() }))
        });
        let stay = before.iter().filter(|(spot, _)| !push.spots.contains(spot));
        let new = Piece { spot: ray[0], player: position.to_move(), kind: push.piece.unwrap() };
        stay.map(|(&spot, piece)| (spot, piece.clone())).chain(moved).chain([(ray[0], new)]).collect()
    }

    #[test]
    fn a_push_moves_the_pieces_that_it_names_and_no_others() {
        for variant in Variant::ALL {
            let (mut compared, mut over_a_gap, mut state) = (0, 0, 1);
            for _ in 0..5 {
                let mut position = GipfPosition::start(variant);
                while let Some(action) = drawn(&position, &mut state) {
                    let before = position.clone();
                    position.play(action).unwrap();
                    let Action::Push(_, entry) = action else { continue };
                    let push = legal(&before, action);
                    let expected = pushed(&before, &push, entry);
                    // Where rows are removed, fewer are left.
                    if pieces(&position).len() == expected.len() {
                        assert_eq!(pieces(&position), expected, "{} {action}", before.to_gpn());
                        compared += 1;
                        let near =
                            entry.ray().zip(&push.spots).take_while(|(spot, moved)| spot.index() == **moved).count();
                        over_a_gap += usize::from(near < push.spots.len());
                    }
                }
            }
            assert!(compared > 50, "{variant}: {compared}");
            assert_eq!(over_a_gap > 0, variant.is_push_off(), "{variant}: {over_a_gap}");
        }
    }

    #[test]
    fn the_question_names_what_can_be_done() {
        let asked = |gpn: &str| question(&GipfPosition::from_gpn(gpn).unwrap());
        for (board, words) in [
            ("7 w 3 6 - 0 0", "White: bring in a piece. Choose a dot"),
            ("2sZs2 w 0 6 - 0 0", "White: jump with a potential. Choose where it lands."),
            ("2sZs2 w 3 6 - 0 0", "White: bring in a piece, or jump with a potential. Choose a dot"),
        ] {
            let (column, rest) = board.split_once(' ').unwrap();
            let asked = asked(&format!("basic+zertz 4/5/6/{column}/6/5/4 {rest}"));
            assert!(asked.starts_with(words), "{board}: {asked}");
        }
    }

    #[test]
    fn in_the_middle_of_a_turn_the_position_text_is_that_of_its_start() {
        let start: Setup = "standard g2G/5/6/GSS4/6/5/g2G w 10 12 - 0 0".parse().unwrap();
        let push = placement::read(&GipfPosition::from_setup(&start).unwrap(), "e1-e2").unwrap();
        let view = View::of(&GameText::new(&start, &[push])).unwrap();
        assert_eq!((view.gpn, view.legal.len()), (start.to_string(), 2));
    }

    fn drawn(position: &GipfPosition, state: &mut u64) -> Option<Action> {
        let actions: Vec<_> = position.legal_actions().collect();
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (!actions.is_empty()).then(|| actions[(*state >> 33) as usize % actions.len()])
    }
}

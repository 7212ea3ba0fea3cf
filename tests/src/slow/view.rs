//! What the rules and their slow implementation say about a position, in the same terms.

use gipf_env::geometry::Line;
use gipf_env::{GipfPosition, Phase, Player, Position};

use crate::slow::{self, Colour, SlowPosition};

/// Everything that both implementations say about a position.
#[derive(Debug, PartialEq)]
pub struct View {
    board: String,
    reserves: [i32; 2],
    potentials: [i32; 2],
    gipf_rights: [bool; 2],
    placements: i32,
    occurrences: usize,
    legal: Vec<usize>,
    /// The winner, if any, and the reason.
    end: Option<(Option<Player>, String)>,
    /// What determines how the game continues, while it does.
    turn: Option<Turn>,
}

/// Who decides about what, and what is left of the turn.
#[derive(Debug, PartialEq)]
struct Turn {
    to_move: Player,
    /// Whose turn it is.
    side: Player,
    phase: Phase,
    handled: Vec<usize>,
    /// The pieces that are or will be asked about.
    pending: Vec<String>,
    question: Option<String>,
}

/// Returns the player of a colour.
pub fn player(colour: Colour) -> Player {
    Player::BOTH[colour.index()]
}

impl View {
    /// Returns what the slow implementation says.
    pub fn of_slow(slow: &SlowPosition) -> Self {
        let phase = match slow.phase {
            slow::Phase::Pre => Phase::Pre,
            slow::Phase::Push => Phase::Push,
            slow::Phase::Post => Phase::Post,
        };
        let mut handled = slow.handled.clone();
        handled.sort_unstable();
        let asked: Vec<String> = slow.pending.iter().map(ToString::to_string).collect();
        let mut pending = if slow.evaluation.asks_about_sides { slow.beside_opened() } else { slow.pending.clone() };
        pending.sort_unstable();
        let turn = || Turn {
            to_move: player(slow.to_move()),
            side: player(slow.side),
            phase,
            handled,
            pending: pending.iter().map(ToString::to_string).collect(),
            question: asked.first().cloned(),
        };
        Self {
            board: slow.board_field(),
            reserves: slow.reserve,
            potentials: slow.potentials,
            gipf_rights: slow.gipf_right,
            placements: slow.placements,
            occurrences: slow.occurrences,
            legal: slow.legal_actions(),
            end: slow.end.map(|end| (end.winner.map(player), end.reason.to_owned())),
            turn: slow.end.is_none().then(turn),
        }
    }

    /// Returns what the rules say.
    pub fn of_fast(fast: &GipfPosition) -> Self {
        let turn = || Turn {
            to_move: fast.to_move(),
            side: fast.turn_of(),
            phase: fast.phase(),
            handled: fast.handled_lines().map(Line::index).collect(),
            pending: fast.pending().into_iter().map(|spot| spot.to_string()).collect(),
            question: fast.question().map(|spot| spot.to_string()),
        };
        Self {
            board: fast.board().to_string(),
            reserves: Player::BOTH.map(|player| fast.reserve(player).into()),
            potentials: Player::BOTH.map(|player| fast.potentials(player).into()),
            gipf_rights: Player::BOTH.map(|player| fast.gipf_right(player)),
            placements: fast.placements().into(),
            occurrences: fast.occurrences().into(),
            legal: fast.legal_actions().map(|action| action.index().get()).collect(),
            end: fast.outcome().map(|outcome| (outcome.winner, outcome.reason.word().to_owned())),
            turn: fast.outcome().is_none().then(turn),
        }
    }
}

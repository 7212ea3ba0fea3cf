//! The columns: name, meaning and type of each, and its value in a row. No other place lists them.

use gipf_env::geometry::{LINES, Line, SPOTS, Spot};
use gipf_env::{ActionIndex, Phase, Player, Reason, Variant};

use super::board::CODES;
use super::cell::Cell;
use super::field::{Element, Field, Shape};
use crate::training::SearchKind;

/// Returns the definition of the whole file.
pub(super) fn definition() -> String {
    let fields: Vec<_> = FIELDS.iter().map(Field::definition).collect();
    format!("message decision {{ {} }}", fields.join(" "))
}

const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pre => "pre",
        Phase::Push => "push",
        Phase::Post => "post",
    }
}

const fn player(player: Player) -> &'static str {
    match player {
        Player::White => "white",
        Player::Black => "black",
    }
}

/// Sets a value if there is one, and returns whether there was one.
fn put<T>(place: &mut T, value: Option<T>) -> bool {
    value.map(|value| *place = value).is_some()
}

/// Sets a value that can be null, and returns whether the cell holds such a value.
fn put_optional<T>(place: &mut Option<T>, cell: &Cell, read: impl Fn(&Cell) -> Option<T>) -> bool {
    let null = *cell == Cell::Null;
    *place = if null { None } else { read(cell) };
    null || place.is_some()
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// All columns, in the order of the file.
pub(super) const FIELDS: &[Field] = &[
    Field {
        name: "game_id",
        about: "number of the game",
        element: Element::U64,
        shape: Shape::One,
        get: |row| Cell::Number(row.game_id.cast_signed()),
        set: |row, cell| put(&mut row.game_id, cell.number().map(i64::cast_unsigned)),
    },
    Field {
        name: "ply",
        about: "number of the decision in the game, from 0",
        element: Element::U32,
        shape: Shape::One,
        get: |row| Cell::Number(row.ply.into()),
        set: |row, cell| put(&mut row.ply, cell.number()),
    },
    Field {
        name: "plies_left",
        about: "decisions of the game that follow this one",
        element: Element::U32,
        shape: Shape::One,
        get: |row| Cell::Number(row.plies_left.into()),
        set: |row, cell| put(&mut row.plies_left, cell.number()),
    },
    Field {
        name: "turn",
        about: "number of the turn, from 0; a turn can hold several decisions of one player",
        element: Element::U32,
        shape: Shape::One,
        get: |row| Cell::Number(row.turn.into()),
        set: |row, cell| put(&mut row.turn, cell.number()),
    },
    Field {
        name: "start",
        about: "position text (GPN) of the start of the game; with the actions it restores every decision",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(&row.start),
        set: |row, cell| put(&mut row.start, cell.text()),
    },
    Field {
        name: "limit",
        about: "placements at which the game is cut off, if there is a limit",
        element: Element::U16,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.limit.map(|limit| Cell::Number(limit.into()))),
        set: |row, cell| put_optional(&mut row.limit, cell, Cell::number),
    },
    Field {
        name: "board",
        about: "a byte for each spot, in the order of the position text, from b2 on: 0 vacant; White's 1 single, 2 \
                GIPF-piece, 3 loaded with a potential, 4 used potential; Black's 5 to 8",
        element: Element::Board,
        shape: Shape::One,
        get: |row| Cell::Bytes(row.board.to_vec()),
        set: |row, cell| put(&mut row.board, cell.bytes(CODES)),
    },
    Field {
        name: "phase",
        about: "`push`: a placement; `pre`, `post`: removal before, after it",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(phase(row.phase)),
        set: |row, cell| put(&mut row.phase, cell.word(&[Phase::Pre, Phase::Push, Phase::Post], phase)),
    },
    Field {
        name: "question",
        about: "spot 0..36 of the piece to keep or take, if that is the question",
        element: Element::U8,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.question.map(|spot| Cell::Number(spot.index() as i64))),
        set: |row, cell| put_optional(&mut row.question, cell, |cell| cell.index(SPOTS).map(Spot::from_index)),
    },
    Field {
        name: "pending",
        about: "spots of the row in hand still to be asked about, that in question included",
        element: Element::U8,
        shape: Shape::List,
        get: |row| Cell::numbers(row.pending.iter().map(|spot| spot.index() as i64)),
        set: |row, cell| put(&mut row.pending, cell.items(SPOTS, Spot::from_index)),
    },
    Field {
        name: "handled",
        about: "lines 0..20 handled in this removal phase, that of the row in hand included",
        element: Element::U8,
        shape: Shape::List,
        get: |row| Cell::numbers(row.handled.iter().map(|line| line.index() as i64)),
        set: |row, cell| put(&mut row.handled, cell.items(LINES, Line::from_index)),
    },
    Field {
        name: "occurrences",
        about: "how often the position at the last start of phase push has occurred; the third time ends the game",
        element: Element::U8,
        shape: Shape::One,
        get: |row| Cell::Number(row.occurrences.into()),
        set: |row, cell| put(&mut row.occurrences, cell.number()),
    },
    Field {
        name: "reserve_white",
        about: "basic pieces in White's reserve",
        element: Element::U8,
        shape: Shape::One,
        get: |row| Cell::Number(row.reserve_white.into()),
        set: |row, cell| put(&mut row.reserve_white, cell.number()),
    },
    Field {
        name: "reserve_black",
        about: "basic pieces in Black's reserve",
        element: Element::U8,
        shape: Shape::One,
        get: |row| Cell::Number(row.reserve_black.into()),
        set: |row, cell| put(&mut row.reserve_black, cell.number()),
    },
    Field {
        name: "potentials_white",
        about: "potentials in White's hand",
        element: Element::U8,
        shape: Shape::One,
        get: |row| Cell::Number(row.potentials_white.into()),
        set: |row, cell| put(&mut row.potentials_white, cell.number()),
    },
    Field {
        name: "potentials_black",
        about: "potentials in Black's hand",
        element: Element::U8,
        shape: Shape::One,
        get: |row| Cell::Number(row.potentials_black.into()),
        set: |row, cell| put(&mut row.potentials_black, cell.number()),
    },
    Field {
        name: "gipf_right_white",
        about: "whether White may still bring in GIPF-pieces",
        element: Element::Bool,
        shape: Shape::One,
        get: |row| Cell::Flag(row.gipf_right_white),
        set: |row, cell| put(&mut row.gipf_right_white, cell.flag()),
    },
    Field {
        name: "gipf_right_black",
        about: "whether Black may still bring in GIPF-pieces",
        element: Element::Bool,
        shape: Shape::One,
        get: |row| Cell::Flag(row.gipf_right_black),
        set: |row, cell| put(&mut row.gipf_right_black, cell.flag()),
    },
    Field {
        name: "to_move",
        about: "`white` or `black`: who decides",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(player(row.to_move)),
        set: |row, cell| put(&mut row.to_move, cell.word(&Player::BOTH, player)),
    },
    Field {
        name: "legal_count",
        about: "number of legal actions",
        element: Element::U16,
        shape: Shape::One,
        get: |row| Cell::Number(row.legal_count.into()),
        set: |row, cell| put(&mut row.legal_count, cell.number()),
    },
    Field {
        name: "action",
        about: "index of the action taken",
        element: Element::U16,
        shape: Shape::One,
        get: |row| Cell::Number(row.action.0.into()),
        set: |row, cell| put(&mut row.action, cell.index(ACTIONS).map(action)),
    },
    Field {
        name: "effort",
        about: "`full`: a full search or an agent's choice, whose policy is a target; `cheap`: a short search; `none`: drawn \
                at random, or forced",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(row.effort.word()),
        set: |row, cell| put(&mut row.effort, cell.word(&SearchKind::ALL, SearchKind::word)),
    },
    Field {
        name: "policy_actions",
        about: "the actions to which the search gave a probability, ascending, or an agent's choice; empty without either",
        element: Element::U16,
        shape: Shape::List,
        get: |row| Cell::numbers(row.policy_actions.iter().map(|index| index.0)),
        set: |row, cell| put(&mut row.policy_actions, cell.items(ACTIONS, action)),
    },
    Field {
        name: "policy",
        about: "their probabilities in units of 1/255; they sum to 255, and what rounds to 0 is left out",
        element: Element::U8,
        shape: Shape::List,
        get: |row| Cell::numbers(row.policy.iter().copied()),
        set: |row, cell| put(&mut row.policy, cell.items(1 << u8::BITS, |units| units as u8)),
    },
    Field {
        name: "root_value",
        about: "the search's value for the player to move, in units of 1/127; null without a search, and of agents without an opinion",
        element: Element::I8,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.root_value.map(|value| Cell::Number(value.into()))),
        set: |row, cell| put_optional(&mut row.root_value, cell, |cell| cell.number().filter(|&value| is_value(value))),
    },
    Field {
        name: "network_value",
        about: "the network's own value for the player to move, in units of 1/127; null without a network",
        element: Element::I8,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.network_value.map(|value| Cell::Number(value.into()))),
        set: |row, cell| {
            put_optional(&mut row.network_value, cell, |cell| cell.number().filter(|&value| is_value(value)))
        },
    },
    Field {
        name: "result",
        about: "how the game ended: 1 White won, -1 Black won, 0 neither",
        element: Element::I8,
        shape: Shape::One,
        get: |row| Cell::Number(row.result.into()),
        set: |row, cell| put(&mut row.result, cell.number().filter(|result| (-1..=1).contains(result))),
    },
    Field {
        name: "ending",
        about: "`no-gipf`, `no-move`, `repetition`, `limit`; `resignation` where a person gave up",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(row.ending.word()),
        set: |row, cell| put(&mut row.ending, cell.word(&Reason::ALL, Reason::word)),
    },
    Field {
        name: "truncated",
        about: "whether a limit cut the game off, so that `result` says nothing",
        element: Element::Bool,
        shape: Shape::One,
        get: |row| Cell::Flag(row.truncated),
        set: |row, cell| put(&mut row.truncated, cell.flag()),
    },
];

/// Returns whether a number is a value in units of 1/127.
pub(super) const fn is_value(value: i8) -> bool {
    value >= -127
}

/// The size of the largest action space.
pub(super) const ACTIONS: usize = Variant::PUSH_OFF.num_actions();

const fn action(index: usize) -> ActionIndex {
    ActionIndex(index as u16)
}

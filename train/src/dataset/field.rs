//! The columns: name, meaning and type of each, and its value in a row. The one place that lists them.

use gipf_env::geometry::{LINES, Line, SPOTS, Spot};
use gipf_env::{ActionIndex, Phase, Player, Reason, Variant};

use super::cell::Cell;
use super::row::Row;
use crate::sample::Effort;

/// A column of the file.
pub(super) struct Field {
    pub name: &'static str,
    /// What it means, for the description beside the files.
    pub about: &'static str,
    pub element: Element,
    pub shape: Shape,
    /// Returns the value of a row.
    pub get: fn(&Row) -> Cell,
    /// Sets the value of a row, and returns whether it is one of this column.
    pub set: fn(&mut Row, &Cell) -> bool,
}

/// The type of a value, or of the values of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    U8,
    U16,
    U32,
    U64,
    I8,
    F32,
    Bool,
    Text,
}

/// How many values a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    One,
    OneOrNull,
    List,
    ListOrNull,
}

impl Field {
    /// Returns the type as readers of the file see it.
    pub fn type_name(&self) -> String {
        let element = match self.element {
            Element::U8 => "uint8",
            Element::U16 => "uint16",
            Element::U32 => "uint32",
            Element::U64 => "uint64",
            Element::I8 => "int8",
            Element::F32 => "float32",
            Element::Bool => "bool",
            Element::Text => "string",
        };
        match self.shape {
            Shape::One => element.to_owned(),
            Shape::OneOrNull => format!("{element} or null"),
            Shape::List => format!("list of {element}"),
            Shape::ListOrNull => format!("list of {element}, or null"),
        }
    }

    /// Returns the definition in the language of Parquet schemas.
    pub fn definition(&self) -> String {
        let (physical, logical) = match self.element {
            Element::U8 => ("INT32", " (INTEGER(8,false))"),
            Element::U16 => ("INT32", " (INTEGER(16,false))"),
            Element::U32 => ("INT32", " (INTEGER(32,false))"),
            Element::U64 => ("INT64", " (INTEGER(64,false))"),
            Element::I8 => ("INT32", " (INTEGER(8,true))"),
            Element::F32 => ("FLOAT", ""),
            Element::Bool => ("BOOLEAN", ""),
            Element::Text => ("BYTE_ARRAY", " (STRING)"),
        };
        let name = self.name;
        let repetition = if self.nullable() { "OPTIONAL" } else { "REQUIRED" };
        if self.is_list() {
            let items = format!("REPEATED GROUP list {{ REQUIRED {physical} element{logical}; }}");
            format!("{repetition} GROUP {name} (LIST) {{ {items} }}")
        } else {
            format!("{repetition} {physical} {name}{logical};")
        }
    }

    pub const fn is_list(&self) -> bool {
        matches!(self.shape, Shape::List | Shape::ListOrNull)
    }

    pub const fn nullable(&self) -> bool {
        matches!(self.shape, Shape::OneOrNull | Shape::ListOrNull)
    }
}

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

const fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Full => "full",
        Effort::Cheap => "cheap",
        Effort::None => "none",
    }
}

/// Sets a value if there is one, and returns whether there was.
fn put<T>(place: &mut T, value: Option<T>) -> bool {
    value.map(|value| *place = value).is_some()
}

/// Sets a value that can be null, and returns whether it is one.
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
        name: "gpn",
        about: "position text of the board, side, reserves and rights at this decision",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(&row.gpn),
        set: |row, cell| put(&mut row.gpn, cell.text()),
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
        name: "placements",
        about: "placements made, jumps included",
        element: Element::U16,
        shape: Shape::One,
        get: |row| Cell::Number(row.placements.into()),
        set: |row, cell| put(&mut row.placements, cell.number()),
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
        name: "to_move",
        about: "`white` or `black`: who decides",
        element: Element::Text,
        shape: Shape::One,
        get: |row| text(player(row.to_move)),
        set: |row, cell| put(&mut row.to_move, cell.word(&Player::BOTH, player)),
    },
    Field {
        name: "legal",
        about: "indices of the legal actions, ascending",
        element: Element::U16,
        shape: Shape::List,
        get: |row| Cell::numbers(row.legal.iter().map(|index| index.0)),
        set: |row, cell| put(&mut row.legal, cell.items(ACTIONS, action)),
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
        get: |row| text(effort(row.effort)),
        set: |row, cell| put(&mut row.effort, cell.word(&[Effort::Full, Effort::Cheap, Effort::None], effort)),
    },
    Field {
        name: "policy",
        about: "the search's probability for each action of `legal`, in its order, or 1 for an agent's choice; null without \
                either",
        element: Element::F32,
        shape: Shape::ListOrNull,
        get: |row| Cell::optional(row.policy.clone().map(Cell::Reals)),
        set: |row, cell| put_optional(&mut row.policy, cell, Cell::reals),
    },
    Field {
        name: "root_value",
        about: "the search's value for the player to move, -1 to 1; null without a search, and of agents without an opinion",
        element: Element::F32,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.root_value.map(Cell::Real)),
        set: |row, cell| put_optional(&mut row.root_value, cell, Cell::real),
    },
    Field {
        name: "network_value",
        about: "the network's own value for the player to move, -1 to 1; null without a network",
        element: Element::F32,
        shape: Shape::OneOrNull,
        get: |row| Cell::optional(row.network_value.map(Cell::Real)),
        set: |row, cell| put_optional(&mut row.network_value, cell, Cell::real),
    },
    Field {
        name: "result",
        about: "how the game ended for the player to move: 1 won, -1 lost, 0 otherwise",
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

/// The size of the largest action space.
const ACTIONS: usize = Variant::PUSH_OFF.num_actions();

const fn action(index: usize) -> ActionIndex {
    ActionIndex(index as u16)
}

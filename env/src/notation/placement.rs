//! The part of a turn that brings in a piece, as players of a real game would write it.
//!
//! ```text
//! e2                 onto the vacant spot e2, from any dot
//! e1-e2 … e1-e8      from the dot e1 along the line on which the spot lies
//! Ge2, Gd1-f2        the same with a GIPF-piece; Z: with a piece loaded with a ZÈRTZ-potential
//! Jc3-f2             a jump with the potential on c3 to f2
//! ```
//!
//! Pushing onto a vacant spot is the same move from every dot, so `d1-e2` and `e1-e2` then mean the same as `e2`.
//!
//! ```
//! use gipf_env::notation::placement;
//! use gipf_env::{GipfPosition, Variant};
//!
//! let position = GipfPosition::start(Variant::STANDARD);
//! let push = placement::read(&position, "e1-e2")?;
//! // Written with the spot on which the furthest displaced piece comes to rest.
//! assert_eq!(placement::write(&position, push), "e1-e3");
//! let refused = placement::read(&position, "e2").unwrap_err();
//! assert_eq!(refused.to_string(), "e2 is occupied: name the dot to push from, as in d1-e2 or e1-e2 or f1-e2");
//! # Ok::<(), placement::PlacementError>(())
//! ```
//!
//! Push-off moves whole lines, so there the origin always matters: a placement is the dot with the first spot.

use crate::action::{Action, Pushed};
use crate::geometry::{Direction, Dot, Entry, Line, Point, Spot};
use crate::position::{Player, Position};
use crate::rules::{GipfPosition, Phase};

use crate::text::{excerpt, listed, with_hyphens};

/// Why a text is not a legal placement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// It does not look like a placement.
    #[error("`{0}` is not a placement: write e2 (onto a vacant spot) or e1-e2 (from a dot)")]
    NotAPlacement(String),
    /// A part of it is not a point.
    #[error("`{0}` is not a point of the board: columns are a to i, numbers as on the rim, such as e5")]
    NotAPoint(String),
    /// A piece stands on the spot, so the dot matters.
    #[error("{spot} is occupied: name the dot to push from, as in {pushes}")]
    Occupied {
        /// The spot.
        spot: Spot,
        /// Texts that would work.
        pushes: String,
    },
    /// A dot alone does not say in which direction.
    #[error("{dot} is a dot: name the spot to push to as well, as in {pushes}")]
    DotAlone {
        /// The dot.
        dot: Dot,
        /// Texts that would work.
        pushes: String,
    },
    /// Pieces do not enter at the spot.
    #[error("{0} is not on the edge, where pieces enter: name one of the outermost spots, or dot and spot")]
    NotOnEdge(Spot),
    /// No line leads from one to the other.
    #[error("no line leads from {from} to {to}: {hint}")]
    NoLine {
        /// The first point.
        from: Point,
        /// The second one.
        to: Point,
        /// What would work.
        hint: String,
    },
    /// Every spot of the line is occupied.
    #[error("the line {0} is full: nothing can be pushed onto it")]
    Full(Line),
    /// The far piece must stay on the board.
    #[error("the line {0} ends in a GIPF-piece, which may not be pushed off the board")]
    GipfAtTheEnd(Line),
    /// In push-off the whole line moves, so the spot alone is not enough.
    #[error("{spot} alone does not say which line moves: name the dot as well, as in {pushes}")]
    NoOrigin {
        /// The spot.
        spot: Spot,
        /// Texts that would work.
        pushes: String,
    },
    /// The player may not bring in such a piece.
    #[error("{player} cannot bring that in: {why}")]
    NoRight {
        /// The player.
        player: Player,
        /// The rule.
        why: &'static str,
    },
    /// There is no such jump.
    #[error("no jump from {from} to {to}: {why}")]
    NoJump {
        /// The first point.
        from: Point,
        /// The second one.
        to: Point,
        /// What is possible.
        why: String,
    },
    /// The position does not ask for a placement.
    #[error("no piece can be brought in now: {0}")]
    NotNow(String),
}

/// Returns the legal placement that a text means.
///
/// # Errors
/// If it does not mean a legal placement.
pub fn read(position: &GipfPosition, text: &str) -> Result<Action, PlacementError> {
    parse(&with_hyphens(text))?.resolve(position)
}

/// Returns the full text of a legal placement, which [`read`] understands.
///
/// Other actions are written as [`Action`] writes them.
pub fn write(position: &GipfPosition, action: Action) -> String {
    match action {
        Action::Push(_, entry) if position.variant().is_push_off() => entry.to_string(),
        Action::Push(pushed, entry) => {
            let letter = pushed.letter();
            match furthest(position, entry) {
                spot if spot == entry.first_spot() => format!("{letter}{spot}"),
                spot => format!("{letter}{}-{spot}", entry.dot()),
            }
        }
        Action::Jump(from, direction) => match position.landing(from, direction) {
            Some(to) => format!("J{from}-{to}"),
            None => action.to_string(),
        },
        _ => action.to_string(),
    }
}

/// Returns a short list of legal placements for a message; if there are none, what the position asks instead.
pub fn options(position: &GipfPosition) -> String {
    if position.phase() != Phase::Push || position.outcome().is_some() {
        return position.expected_text();
    }
    let actions: Vec<_> = position.legal_actions().collect();
    listed(actions.iter().map(|&action| write(position, action)), actions.len())
}

/// A placement as it stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// Onto a point, from anywhere.
    Onto(Pushed, Point),
    /// From a point in the direction of another.
    From(Pushed, Point, Point),
    /// A jump.
    Jump(Point, Point),
}

/// Parses a text, whatever the position.
pub(super) fn parse(text: &str) -> Result<Placement, PlacementError> {
    let (piece, rest) = match text.chars().next() {
        Some(letter @ ('G' | 'Z' | 'J')) => (Some(letter), &text[1..]),
        _ => (None, text),
    };
    let point = |part: &str| part.parse::<Point>().map_err(|_| not_a_point(text, part));
    let pushed = match piece {
        Some('G') => Pushed::Gipf,
        Some('Z') => Pushed::Loaded,
        _ => Pushed::Single,
    };
    match rest.split_once('-') {
        None if piece == Some('J') => Err(PlacementError::NotAPlacement(excerpt(text))),
        None => Ok(Placement::Onto(pushed, point(rest)?)),
        Some((from, to)) if piece == Some('J') => Ok(Placement::Jump(point(from)?, point(to)?)),
        Some((from, to)) => Ok(Placement::From(pushed, point(from)?, point(to)?)),
    }
}

/// A part that is nearly a point is reported as one.
fn not_a_point(text: &str, part: &str) -> PlacementError {
    let nearly = (1..=3).contains(&part.chars().count()) && part.chars().any(|character| character.is_ascii_digit());
    if nearly { PlacementError::NotAPoint(excerpt(part)) } else { PlacementError::NotAPlacement(excerpt(text)) }
}

impl Placement {
    /// Returns the legal action that this means in a position.
    pub(super) fn resolve(self, position: &GipfPosition) -> Result<Action, PlacementError> {
        if position.phase() != Phase::Push || position.outcome().is_some() {
            return Err(PlacementError::NotNow(position.expected_text()));
        }
        match self {
            Self::Onto(pushed, to) => resolve_onto(position, pushed, to),
            Self::From(pushed, from, to) => resolve_from(position, pushed, from, to),
            Self::Jump(from, to) => resolve_jump(position, from, to),
        }
    }
}

fn resolve_onto(position: &GipfPosition, pushed: Pushed, to: Point) -> Result<Action, PlacementError> {
    let Some(spot) = to.spot() else {
        let dot = to.dot().expect("a point of the board is a dot or a spot");
        return Err(PlacementError::DotAlone { dot, pushes: pushes(position, pushed, |entry| entry.dot() == dot)? });
    };
    let Some(entry) = Entry::all().find(|entry| entry.first_spot() == spot) else {
        return Err(PlacementError::NotOnEdge(spot));
    };
    let pushes_onto = || pushes(position, pushed, |entry| entry.first_spot() == spot);
    if position.board().occupied().contains(spot) {
        Err(PlacementError::Occupied { spot, pushes: pushes_onto()? })
    } else if position.variant().is_push_off() {
        Err(PlacementError::NoOrigin { spot, pushes: pushes_onto()? })
    } else {
        legal(position, pushed, entry)
    }
}

fn resolve_from(position: &GipfPosition, pushed: Pushed, from: Point, to: Point) -> Result<Action, PlacementError> {
    let leads_there = |entry: &Entry| entry.dot().point() == from && entry.ray().any(|spot| spot.point() == to);
    match Entry::all().find(leads_there) {
        Some(entry) => legal(position, pushed, position.canonical_entry(entry)),
        None => Err(PlacementError::NoLine { from, to, hint: hint_without_line(position, pushed, from) }),
    }
}

fn hint_without_line(position: &GipfPosition, pushed: Pushed, from: Point) -> String {
    if from.dot().is_some() {
        match pushes(position, pushed, |entry| entry.dot().point() == from) {
            Ok(pushes) => format!("pushes from there are written as in {pushes}"),
            Err(why) => why.to_string(),
        }
    } else if position.variant().has_zertz() {
        format!("{from} is a spot; a push begins at a dot, and a jump is written as in Jc3-f2")
    } else {
        format!("{from} is a spot, and a push begins at a dot")
    }
}

fn resolve_jump(position: &GipfPosition, from: Point, to: Point) -> Result<Action, PlacementError> {
    let lands =
        |spot: Spot, direction: &Direction| position.landing(spot, *direction).is_some_and(|at| at.point() == to);
    let direction = |spot: Spot| Direction::ALL.into_iter().find(|direction| lands(spot, direction));
    let action = from.spot().and_then(|spot| direction(spot).map(|direction| Action::Jump(spot, direction)));
    let action = action.filter(|&action| position.action_set().contains(action));
    action.ok_or_else(|| PlacementError::NoJump { from, to, why: why_no_jump(position, from) })
}

fn why_no_jump(position: &GipfPosition, from: Point) -> String {
    let jumps = || position.legal_actions().filter(|action| matches!(action, Action::Jump(..)));
    let from_here: Vec<_> =
        jumps().filter(|action| matches!(action, Action::Jump(spot, _) if spot.point() == from)).collect();
    if !from_here.is_empty() {
        format!("from there {}", listed(from_here.iter().map(|&jump| write(position, jump)), from_here.len()))
    } else if jumps().next().is_none() {
        "no jump is possible now; a push begins at a dot".to_owned()
    } else {
        "only the player's pieces with a potential jump, over adjacent pieces to the next vacant spot".to_owned()
    }
}

fn legal(position: &GipfPosition, pushed: Pushed, entry: Entry) -> Result<Action, PlacementError> {
    let action = Action::Push(pushed, entry);
    if position.action_set().contains(action) {
        return Ok(action);
    }
    let one_of_kind = |other: &Action| matches!(other, Action::Push(kind, _) if *kind == pushed);
    if position.legal_actions().any(|action| one_of_kind(&action)) {
        let line = entry.line();
        let push_off = position.variant().is_push_off();
        return Err(if push_off { PlacementError::GipfAtTheEnd(line) } else { PlacementError::Full(line) });
    }
    Err(PlacementError::NoRight { player: position.to_move(), why: why_no_right(position, pushed) })
}

fn why_no_right(position: &GipfPosition, pushed: Pushed) -> &'static str {
    let player = position.to_move();
    let is_full = |line: Line| line.spots().without(position.board().occupied()).is_empty();
    match pushed {
        _ if Line::all().all(is_full) => "every line is full",
        Pushed::Gipf if position.gipf_right(player) => "a GIPF-piece needs two pieces in reserve",
        Pushed::Gipf => "no GIPF-pieces may be brought in any more",
        Pushed::Loaded if position.potentials(player) == 0 => "no potential is in hand",
        _ if position.reserve(player) == 0 => "the reserve is empty; only a jump is possible, as in Jc3-f2",
        _ => "the first piece must be a GIPF-piece: put a G before it, as in Ge2",
    }
}

/// Returns the spot on which the furthest piece moved by a push comes to rest.
fn furthest(position: &GipfPosition, entry: Entry) -> Spot {
    let occupied = position.board().occupied();
    entry.ray().find(|&spot| !occupied.contains(spot)).unwrap_or_else(|| entry.first_spot())
}

/// Returns the legal pushes of this kind at the entries wanted.
///
/// # Errors
/// If there are none: why the first of them is refused.
fn pushes(position: &GipfPosition, pushed: Pushed, wanted: impl Fn(Entry) -> bool) -> Result<String, PlacementError> {
    let (mut texts, mut refused) = (Vec::new(), None);
    for entry in Entry::all().filter(|&entry| wanted(entry)) {
        match legal(position, pushed, position.canonical_entry(entry)) {
            Ok(_) => texts.push(format!("{}{entry}", pushed.letter())),
            Err(why) => drop(refused.get_or_insert(why)),
        }
    }
    match refused {
        Some(why) if texts.is_empty() => Err(why),
        _ => Ok(texts.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns every way to write a placement.
    fn spellings(position: &GipfPosition, action: Action) -> Vec<String> {
        let mut texts = vec![write(position, action)];
        if let Action::Push(pushed, entry) = action {
            let same = Entry::all().filter(|&other| position.canonical_entry(other) == entry);
            let from = |entry: Entry| entry.ray().map(move |spot| format!("{}{}-{spot}", pushed.letter(), entry.dot()));
            texts.extend(same.flat_map(from));
        }
        texts
    }

    #[test]
    fn every_spelling_of_every_legal_placement_is_read_and_no_two_are_written_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for variant in Variant::ALL.repeat(4) {
            let mut position = GipfPosition::start(variant);
            while position.outcome().is_none() {
                let actions: Vec<_> = position.legal_actions().collect();
                if position.phase() == Phase::Push {
                    let mut texts: Vec<_> = actions.iter().map(|&action| write(&position, action)).collect();
                    texts.sort();
                    texts.dedup();
                    assert_eq!(texts.len(), actions.len());
                    for &action in &actions {
                        for text in spellings(&position, action) {
                            assert_eq!(read(&position, &text), Ok(action), "{text}");
                        }
                    }
                }
                position.play(actions[rng.random_range(0..actions.len())]).unwrap();
            }
        }
    }

    #[test]
    fn a_refusal_says_what_would_do() {
        let cases = [
            (
                "push-off g2G/5/6/G5g/6/5/g2G w 18 18 - 0 0",
                "d2",
                "d2 alone does not say which line moves: name the dot",
            ),
            (
                "push-off g2G/5/6/G5g/6/5/g2G w 18 18 - 0 0",
                "e1-e2",
                "the line e1-e9 ends in a GIPF-piece, which may not",
            ),
            ("basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0", "e1-e2", "the line e1-e9 is full: nothing can be pushed"),
            (
                "basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0",
                "e2",
                "e2 is occupied: name the dot to push from, as in d1-e2 or f1-e2",
            ),
            ("basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0", "e1", "the line e1-e9 is full: nothing can be pushed"),
            (
                "basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0",
                "e1-d2",
                "no line leads from e1 to d2: the line e1-e9 is full: nothing can be pushed",
            ),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "Ge2", "White cannot bring that in: no GIPF-pieces may"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "Ze1", "White cannot bring that in: no potential is in"),
            ("tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0", "e2", "White cannot bring that in: the first piece must be"),
            (
                "standard 4/1S3/2G3/SSSS3/3S2/5/3g w 6 8 - 0 0",
                "e2",
                "no piece can be brought in now: White must take one",
            ),
        ];
        for (gpn, text, expected) in cases {
            let position = GipfPosition::from_gpn(gpn).unwrap();
            let told = read(&position, text).unwrap_err().to_string();
            assert!(told.starts_with(expected), "{text}: {told}");
        }
    }

    /// Returns the texts that a refusal suggests in place of a text.
    fn suggested(refused: &PlacementError) -> Vec<&str> {
        use PlacementError::{DotAlone, NoLine, NoOrigin, Occupied};
        match refused {
            Occupied { pushes, .. } | DotAlone { pushes, .. } | NoOrigin { pushes, .. } => {
                pushes.split(" or ").collect()
            }
            NoLine { hint, .. } => {
                hint.split_once("as in ").map_or(Vec::new(), |(_, pushes)| pushes.split(" or ").collect())
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_a_refusal_suggests_is_read() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let edge = Spot::all().filter(|spot| spot.ring() == 3).map(Spot::point);
        let points: Vec<_> = Dot::all().map(Dot::point).chain(edge).collect();
        let of = |letter| points.iter().flat_map(move |point| ["", "-e6"].map(|to| format!("{letter}{point}{to}")));
        let texts: Vec<String> = ["", "G", "Z"].into_iter().flat_map(of).collect();
        let mut read_back = 0;
        for variant in Variant::ALL.repeat(3) {
            let mut position = GipfPosition::start(variant);
            while position.outcome().is_none() && position.placements() < 60 {
                if position.phase() == Phase::Push && position.placements().is_multiple_of(5) {
                    for refused in texts.iter().filter_map(|text| read(&position, text).err()) {
                        for text in suggested(&refused).into_iter().filter(|&text| text != "Jc3-f2") {
                            assert!(read(&position, text).is_ok(), "{refused}");
                            read_back += 1;
                        }
                    }
                }
                let legal = position.action_set();
                position.play(legal.nth(rng.random_range(0..legal.len())).unwrap()).unwrap();
            }
        }
        assert!(read_back > 10_000, "{read_back}");
    }
}

//! The grammar of a turn.

use crate::geometry::{Line, Point, Spot};
use crate::notation::error::{Failure, ReadError};
use crate::notation::placement::{self, Placement};
use crate::notation::search::MOST_NOTES;
use crate::rules::Kind;
use crate::text::{excerpt, with_hyphens};

/// A turn as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TurnText {
    /// Removals, those before the placement first.
    pub notes: Vec<Note>,
    /// How many of them stand before it.
    pub before: usize,
    /// The placement, and how it was written.
    pub placement: Option<(Placement, String)>,
    /// The reserve in brackets.
    pub reserve: Option<u32>,
}

/// The removal of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub text: String,
    pub line: Option<Line>,
    pub items: Vec<Item>,
}

/// A piece removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub kind: Option<Kind>,
    pub spot: Spot,
    pub star: bool,
}

/// The longest text of a turn, in bytes.
const LONGEST: usize = 2048;

/// Reads a turn; blanks may stand anywhere.
pub(super) fn parse(text: &str) -> Result<TurnText, ReadError> {
    if text.len() > LONGEST {
        return Err(ReadError::TooLong { most: LONGEST, unit: "bytes" });
    }
    let text: String = with_hyphens(text).chars().filter(|character| !character.is_whitespace()).collect();
    let (text, reserve) = split_reserve(&text)?;
    let mut turn = TurnText { notes: Vec::new(), before: 0, placement: None, reserve };
    for part in text.split(';') {
        add_part(&mut turn, part)?;
    }
    let most = MOST_NOTES / 2;
    if turn.before > most || turn.notes.len() - turn.before > most {
        return Err(ReadError::TooLong { most, unit: "removals before or after the placement" });
    }
    Ok(turn)
}

fn add_part(turn: &mut TurnText, part: &str) -> Result<(), ReadError> {
    if part.starts_with('x') || part.ends_with('x') {
        turn.notes.push(parse_note(part)?);
        turn.before += usize::from(turn.placement.is_none());
        return Ok(());
    }
    if part.is_empty() {
        return Err(ReadError::syntax(part, "a turn is a placement such as e1-e2, with removals before and after `;`"));
    }
    if part.contains(',') {
        return Err(ReadError::syntax(part, "a list of removed pieces has an `x` before it"));
    }
    if part.starts_with('X') {
        return Err(ReadError::syntax(part, "a removal is a small x; a large one marks the loser of a game"));
    }
    if turn.placement.is_some() {
        return Err(ReadError::syntax(part, "only one piece is brought in per turn, and removals begin with an `x`"));
    }
    let placement = placement::parse(part).map_err(Failure::from)?;
    turn.placement = Some((placement, part.to_owned()));
    Ok(())
}

/// Splits off a number in brackets at the end.
fn split_reserve(text: &str) -> Result<(&str, Option<u32>), ReadError> {
    let Some((rest, number)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) else {
        return Ok((text, None));
    };
    if number.starts_with(|character: char| character.is_ascii_lowercase()) {
        // The dots of a line.
        return Ok((text, None));
    }
    let digits = (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.parse() {
        Ok(reserve) if digits => Ok((rest, Some(reserve))),
        _ => Err(ReadError::syntax(number, "brackets at the end hold the reserve, such as (11)")),
    }
}

/// Reads a list with its `x` before it or after it.
fn parse_note(part: &str) -> Result<Note, ReadError> {
    let rest = part.strip_prefix('x').or_else(|| part.strip_suffix('x')).unwrap_or(part);
    let (line, rest) = match rest.strip_prefix('(') {
        Some(bracket) => {
            let (line, rest) = split_line(bracket, part)?;
            (Some(line), rest)
        }
        None => (None, rest),
    };
    let mut items: Vec<Item> = Vec::new();
    for item in rest.split(',').filter(|_| !rest.is_empty()) {
        let item = parse_item(item, part)?;
        if items.iter().any(|other| other.spot == item.spot) {
            return Err(ReadError::Twice { spot: item.spot, part: excerpt(part) });
        }
        items.push(item);
    }
    Ok(Note { text: part.to_owned(), line, items })
}

fn split_line<'a>(bracket: &'a str, part: &str) -> Result<(Line, &'a str), ReadError> {
    const EXPECTED: &str = "brackets hold the two end dots of a line, such as (b1-i4)";
    let wrong = || ReadError::syntax(part, EXPECTED);
    let (inside, rest) = bracket.split_once(')').ok_or_else(wrong)?;
    let (one, other) = inside.split_once('-').ok_or_else(wrong)?;
    let ends = [one, other].map(|end| end.parse::<Point>().ok());
    let is_line = |line: &Line| {
        let dots = [line.first_entry(), line.last_entry()].map(|entry| Some(entry.dot().point()));
        dots == ends || [dots[1], dots[0]] == ends
    };
    Line::all().find(is_line).map(|line| (line, rest)).ok_or_else(wrong)
}

fn parse_item(item: &str, part: &str) -> Result<Item, ReadError> {
    const EXPECTED: &str = "removed pieces are spots separated by commas, such as xc2,Gd3,e4*";
    let (kind, rest) = match item.chars().next() {
        Some('G') => (Some(Kind::Gipf), &item[1..]),
        Some('Z') => (Some(Kind::Loaded), &item[1..]),
        Some('j') => (Some(Kind::Used), &item[1..]),
        _ => (None, item),
    };
    let (name, star) = rest.strip_suffix('*').map_or((rest, false), |name| (name, true));
    let point: Point = name.parse().map_err(|_| ReadError::syntax(item, EXPECTED))?;
    match (point.spot(), point.dot()) {
        (Some(spot), _) => Ok(Item { kind, spot, star }),
        (None, Some(dot)) => Err(ReadError::Dot { dot, part: excerpt(part) }),
        (None, None) => Err(ReadError::syntax(item, EXPECTED)),
    }
}

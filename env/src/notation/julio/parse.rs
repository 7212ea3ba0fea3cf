//! The grammar of a move with its marks.

use crate::action::Pushed;
use crate::geometry::{Line, Point, Spot};
use crate::notation::error::ReadError;
use crate::notation::search::MOST_NOTES;
use crate::text::excerpt;

use super::place::Place;

/// A move as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MoveText {
    pub place: Place,
    pub marks: Vec<Mark>,
}

/// A row to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub text: String,
    pub line: Option<Line>,
    pub spots: Vec<Spot>,
}

/// The annotations of a move.
const ANNOTATIONS: [&str; 6] = ["!!", "??", "!?", "?!", "!", "?"];
/// The longest text of a move, in bytes.
const LONGEST: usize = 1024;

/// Reads a move; blanks may stand anywhere.
pub(super) fn parse(text: &str) -> Result<MoveText, ReadError> {
    if text.len() > LONGEST {
        return Err(ReadError::TooLong { most: LONGEST, unit: "bytes" });
    }
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let annotation = ANNOTATIONS.into_iter().find(|end| text.ends_with(end)).unwrap_or("");
    let mut parts = text[..text.len() - annotation.len()].split('X');
    let place = parse_place(parts.next().unwrap_or(""))?;
    let marks: Vec<_> = parts.map(parse_mark).collect::<Result<_, _>>()?;
    if marks.len() > MOST_NOTES {
        return Err(ReadError::TooLong { most: MOST_NOTES, unit: "marks" });
    }
    Ok(MoveText { place, marks })
}

fn parse_place(text: &str) -> Result<Place, ReadError> {
    const EXPECTED: &str =
        "a move is a spot such as e2, or a dot such as e1 or c1*, with a G before it for a GIPF-piece";
    let (pushed, rest) = match text.strip_prefix('G') {
        Some(rest) => (Pushed::Gipf, rest),
        None => (Pushed::Single, text),
    };
    let (name, star) = rest.strip_suffix('*').map_or((rest, false), |name| (name, true));
    let point: Point = name.parse().map_err(|_| ReadError::syntax(text, EXPECTED))?;
    Ok(Place { pushed, point, star })
}

fn parse_mark(text: &str) -> Result<Mark, ReadError> {
    let (line, rest) = split_line(text)?;
    let whole = format!("X{text}");
    let mut spots = Vec::new();
    for name in pairs(rest) {
        let spot = parse_spot(&name, &whole)?;
        if spots.contains(&spot) {
            return Err(ReadError::Twice { spot, part: excerpt(&whole) });
        }
        spots.push(spot);
    }
    Ok(Mark { text: whole, line, spots })
}

fn parse_spot(name: &str, mark: &str) -> Result<Spot, ReadError> {
    const EXPECTED: &str = "an X is followed by a line, such as 5 or c or a*, and the spots of the GIPF-pieces removed";
    let point: Point = name.parse().map_err(|_| ReadError::syntax(mark, EXPECTED))?;
    match (point.spot(), point.dot()) {
        (Some(spot), _) => Ok(spot),
        (None, Some(dot)) => Err(ReadError::Dot { dot, part: excerpt(mark) }),
        (None, None) => Err(ReadError::syntax(mark, EXPECTED)),
    }
}

fn pairs(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(2).map(|pair| pair.iter().collect()).collect()
}

/// Splits off the line at the start of a mark, if there is one: a letter with a digit is a spot.
fn split_line(text: &str) -> Result<(Option<Line>, &str), ReadError> {
    const EXPECTED: &str = "lines are b to h, 2 to 8, and a* to d* or 1* to 4*";
    let mut characters = text.chars();
    let (first, second) = (characters.next(), characters.next());
    let length = match (first, second) {
        (Some(_), Some('*')) => 2,
        (Some('0'..='9'), _) => 1,
        (Some(letter), Some('0'..='9')) if letter.is_ascii_lowercase() => 0,
        (Some(letter), _) if letter.is_ascii_lowercase() => 1,
        _ => 0,
    };
    let first_length = first.map_or(0, char::len_utf8);
    let at = if length == 2 { first_length + 1 } else { length * first_length };
    let (name, rest) = text.split_at(at);
    if name.is_empty() {
        return Ok((None, rest));
    }
    let line = Line::all().find(|&line| names(line).iter().any(|other| other == name));
    line.map(|line| (Some(line), rest)).ok_or_else(|| ReadError::syntax(&format!("X{text}"), EXPECTED))
}

/// Returns the names of a line, the usual one first.
pub(super) fn names(line: Line) -> Vec<String> {
    let dot = line.first_entry().dot().to_string();
    let (letter, number) = dot.split_at(1);
    match line.index() / 7 {
        0 => vec![letter.to_owned()],
        1 if line.first_entry().index() == 0 => vec![format!("{number}*"), format!("{letter}*")],
        1 if letter == "a" => vec![format!("{number}*")],
        1 => vec![format!("{letter}*")],
        _ => vec![number.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_published_names() {
        let lines = |name: &str| -> Vec<String> {
            Line::all().filter(|&line| names(line).iter().any(|own| own == name)).map(|line| line.to_string()).collect()
        };
        let table = [
            ("b", "b1-b6"),
            ("h", "h1-h6"),
            ("2", "a2-f1"),
            ("5", "a5-i1"),
            ("6", "b6-i2"),
            ("8", "d8-i4"),
            ("a*", "a1-i5"),
            ("1*", "a1-i5"),
            ("4*", "a4-f8"),
            ("b*", "b1-i4"),
            ("d*", "d1-i2"),
        ];
        for (name, line) in table {
            assert_eq!(lines(name), [line], "{name}");
        }
    }

    #[test]
    fn a_letter_with_a_digit_is_a_spot_and_alone_a_line() {
        let mark = |text: &str| {
            let mark = parse(text).unwrap().marks.remove(0);
            (mark.line.map(|line| line.to_string()), mark.spots.iter().map(Spot::to_string).collect::<Vec<_>>())
        };
        assert_eq!(mark("e2Xb3"), (None, vec!["b3".to_owned()]));
        assert_eq!(mark("e2Xbb3"), (Some("b1-b6".to_owned()), vec!["b3".to_owned()]));
        assert_eq!(mark("e2X5g3e5!?"), (Some("a5-i1".to_owned()), vec!["g3".to_owned(), "e5".to_owned()]));
        assert_eq!(mark("e2X a* ??"), (Some("a1-i5".to_owned()), vec![]));
    }
}

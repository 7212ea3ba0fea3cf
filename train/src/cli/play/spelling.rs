//! Moves as people write them, and back.
//!
//! ```text
//! e2                 onto the vacant spot e2, from whichever dot
//! e1-e2 … e1-e5      from the dot e1 along the line on which the second point lies
//! Ge2, Gd1-f2        the same with a GIPF-piece; Z: with a piece loaded with a potential
//! Jc3-f2             a jump with the potential on c3 to f2
//! b1-i4              the row on this line first, either end first
//! take, leave        the piece that the question is about
//! 7                  the seventh in the list
//! ```
//!
//! Lower-case letters, blanks, and moves without a dash are understood as well.

use gipf_env::geometry::{Point, Spot};
use gipf_env::notation::placement::{self, PlacementError};
use gipf_env::text::truncate_escaped;
use gipf_env::{Action, GipfPosition, Phase, Position};

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misread {
    #[error("`{0}` is not a move: write e2 (onto a vacant spot) or e1-e2 (from a dot), or pick a number from `list`")]
    NotAMove(String),
    #[error(transparent)]
    Placement(#[from] PlacementError),
    #[error("{0}")]
    NotNow(&'static str),
    #[error("there is no number {number} in the list: it has 1 to {count}")]
    NoNumber { number: String, count: usize },
    #[error("`{text}` is not an answer: take or leave the piece on {spot}")]
    NoAnswer { text: String, spot: Spot },
    #[error("`{text}` is none of the rows to choose from: {rows}")]
    NoRow { text: String, rows: String },
}

/// Returns the legal action that a text means.
pub(super) fn read(position: &GipfPosition, text: &str) -> Result<Action, Misread> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return numbered(position, text);
    }
    match (position.question(), position.phase()) {
        (Some(spot), _) => read_answer(text, spot),
        (None, Phase::Post) if position.variant().is_push_off() => read_answer_about_ends(text),
        (None, Phase::Push) => read_placement(position, text),
        (None, Phase::Pre | Phase::Post) => read_row(position, text),
    }
}

/// Returns the full text of a legal action, which [`read`] understands: a push with the spot on which the furthest
/// piece comes to rest.
pub(super) fn write(position: &GipfPosition, action: Action) -> String {
    match action {
        Action::Push(..) | Action::Jump(..) => placement::write(position, action),
        Action::TakeRow(line) => line.to_string(),
        Action::Keep => "leave".to_owned(),
        Action::Take => "take".to_owned(),
        Action::Leave | Action::Remove => action.to_string(),
    }
}

/// Returns the legal actions, in the order of the list.
pub(super) fn list(position: &GipfPosition) -> Vec<Action> {
    position.legal_actions().collect()
}

/// Returns a quotation of foreign text for a message.
pub(super) fn quoted(text: &str) -> String {
    truncate_escaped(text, 30)
}

fn numbered(position: &GipfPosition, text: &str) -> Result<Action, Misread> {
    let actions = list(position);
    let place = text.parse().ok().and_then(|number: usize| number.checked_sub(1));
    let action = place.and_then(|place| actions.get(place)).copied();
    action.ok_or_else(|| Misread::NoNumber { number: quoted(text), count: actions.len() })
}

fn read_answer(text: &str, spot: Spot) -> Result<Action, Misread> {
    match text.to_lowercase().as_str() {
        "take" | "t" | "x" => Ok(Action::Take),
        "leave" | "l" | "keep" | "k" => Ok(Action::Keep),
        _ => Err(Misread::NoAnswer { text: quoted(text), spot }),
    }
}

fn read_answer_about_ends(text: &str) -> Result<Action, Misread> {
    match text.to_lowercase().as_str() {
        "remove" | "r" => Ok(Action::Remove),
        "leave" | "l" => Ok(Action::Leave),
        _ => Err(Misread::NotNow("leave or remove the pieces next to the row?")),
    }
}

fn read_row(position: &GipfPosition, text: &str) -> Result<Action, Misread> {
    let rows: Vec<_> = list(position);
    let text = text.to_lowercase();
    let named = text.trim_start_matches("take").trim_start().trim_start_matches("row");
    let ends = points(&symbols(named)).ok();
    let is_meant = |action: &&Action| match (action, ends.as_deref()) {
        (Action::TakeRow(line), Some(&[one, other])) => {
            let dots = [line.first_entry(), line.last_entry()].map(|entry| entry.dot().point());
            dots == [one, other] || dots == [other, one]
        }
        _ => false,
    };
    rows.iter().find(is_meant).copied().ok_or_else(|| {
        let rows: Vec<_> = rows.iter().map(|&row| write(position, row)).collect();
        Misread::NoRow { text: quoted(&text), rows: rows.join(", ") }
    })
}

/// Spells the text out as a record would, and reads the result.
fn read_placement(position: &GipfPosition, text: &str) -> Result<Action, Misread> {
    let all = symbols(&text.to_lowercase());
    let (prefix, rest) = split_prefix(&all);
    let points = match points(rest) {
        Ok(points) => points,
        Err(_) if !looks_like_points(rest) => return Err(Misread::NotAMove(quoted(text))),
        Err(wrong) => return Err(Misread::Placement(PlacementError::NotAPoint(quoted(&wrong)))),
    };
    let letter = prefix.map(|letter| letter.to_ascii_uppercase());
    let spelled = match (letter, points.as_slice()) {
        (Some('J') | None, &[from, to]) if from.spot().is_some() => format!("J{from}-{to}"),
        (Some('J'), _) => return Err(Misread::NotNow("a jump is written from spot to spot, as in Jc3-f2")),
        (letter, &[to]) => format!("{}{to}", letter.map_or_else(String::new, String::from)),
        (letter, &[from, to]) => format!("{}{from}-{to}", letter.map_or_else(String::new, String::from)),
        _ => return Err(Misread::NotAMove(quoted(text))),
    };
    Ok(placement::read(position, &spelled)?)
}

/// Returns the text without the separators between points.
fn symbols(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace() && !"-–>()".contains(*character)).collect()
}

/// Splits off the letter of the piece: a letter that is followed by another one.
fn split_prefix(text: &str) -> (Option<char>, &str) {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(letter @ ('g' | 'z' | 'j')), Some(next)) if next.is_alphabetic() => (Some(letter), &text[1..]),
        _ => (None, text),
    }
}

/// Returns whether a text consists of pairs of a letter and a digit, which name points, if of another board.
fn looks_like_points(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let is_point = |pair: &[char]| matches!(pair, [letter, digit] if letter.is_alphabetic() && digit.is_ascii_digit());
    !characters.is_empty() && characters.chunks(2).all(is_point)
}

/// Returns the sequence of points in the text, or the first part that is not a point.
fn points(text: &str) -> Result<Vec<Point>, String> {
    let characters: Vec<char> = text.chars().collect();
    let names = characters.chunks(2).map(|pair| pair.iter().collect::<String>());
    names.map(|name| name.parse().map_err(|_| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::Variant;
    use gipf_env::geometry::Entry;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Returns every way to write an action in the notation.
    fn spellings(position: &GipfPosition, action: Action) -> Vec<String> {
        let mut texts = vec![write(position, action)];
        match action {
            Action::Push(pushed, entry) => {
                let same = |other: &Entry| position.canonical_entry(*other) == entry;
                for entry in Entry::all().filter(same) {
                    let rest = entry.ray().map(|spot| format!("{}{}-{spot}", pushed.letter(), entry.dot()));
                    texts.extend(rest);
                }
            }
            Action::Jump(from, _) => {
                let to = texts[0].split_once('-').unwrap().1.to_owned();
                texts.push(format!("{from}-{to}"));
            }
            Action::TakeRow(line) => {
                let [first, last] = [line.first_entry(), line.last_entry()].map(Entry::dot);
                texts.extend([
                    format!("{last}-{first}"),
                    format!("take row {first}-{last}"),
                    format!("({first}-{last})"),
                ]);
            }
            Action::Keep => texts.extend(["keep", "k", "l"].map(str::to_owned)),
            Action::Take => texts.extend(["t", "x"].map(str::to_owned)),
            Action::Leave => texts.push("l".to_owned()),
            Action::Remove => texts.push("r".to_owned()),
        }
        let varied = texts.clone().into_iter().flat_map(|text| {
            [
                text.to_lowercase(),
                text.to_uppercase(),
                text.replace('-', ""),
                text.replace('-', " – "),
                format!(" {text} "),
            ]
        });
        texts.extend(varied.collect::<Vec<_>>());
        texts
    }

    #[test]
    fn every_spelling_of_every_legal_action_is_understood() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut kinds = [0; 6];
        for variant in Variant::ALL.repeat(6) {
            let mut position = GipfPosition::start(variant);
            while position.outcome().is_none() {
                let actions = list(&position);
                for (number, &action) in actions.iter().enumerate() {
                    kinds[kind(action)] += 1;
                    assert_eq!(read(&position, &(number + 1).to_string()), Ok(action));
                    for text in spellings(&position, action) {
                        assert_eq!(read(&position, &text), Ok(action), "{text} in {}", position.to_gpn());
                    }
                }
                position.play(actions[rng.random_range(0..actions.len())]).unwrap();
            }
        }
        assert!(kinds.iter().all(|&count| count > 2), "{kinds:?}");
    }

    fn kind(action: Action) -> usize {
        match action {
            Action::Push(..) => 0,
            Action::Jump(..) => 1,
            Action::TakeRow(_) => 2,
            Action::Keep => 3,
            Action::Take => 4,
            Action::Leave | Action::Remove => 5,
        }
    }

    #[test]
    fn two_legal_actions_are_never_written_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for variant in Variant::ALL {
            let mut position = GipfPosition::start(variant);
            while position.outcome().is_none() {
                let actions = list(&position);
                let mut texts: Vec<_> = actions.iter().map(|&action| write(&position, action)).collect();
                texts.sort();
                texts.dedup();
                assert_eq!(texts.len(), actions.len());
                position.play(actions[rng.random_range(0..actions.len())]).unwrap();
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_answered_with_what_would_be() {
        let cases = [
            (
                "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
                "e2",
                "e2 is occupied: name the dot to push from, as in d1-e2 or e1-e2 or f1-e2",
            ),
            (
                "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
                "e1",
                "e1 is a dot: name the spot to push to as well, as in e1-e2",
            ),
            (
                "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
                "e1-d3",
                "no line leads from e1 to d3: pushes from there are written as in e1-e2",
            ),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "e1-e0", "`e0` is not a point"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "k4", "`k4` is not a point"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "e5", "e5 is not on the edge"),
            (
                "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
                "Gd2",
                "White cannot bring that in: no GIPF-pieces may be brought in any more",
            ),
            (
                "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
                "Zd2",
                "White cannot bring that in: no potential is in hand",
            ),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "b2-b4", "no jump from b2 to b4"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "0", "there is no number 0 in the list: it has 1 to 30"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "castle", "`castle` is not a move"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "undo 3", "`undo 3` is not a move"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "just 1", "`just 1` is not a move"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "Gk4", "`k4` is not a point"),
            ("standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0", "", "`` is not a move"),
            (
                "tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0",
                "e2",
                "White cannot bring that in: the first piece must be a GIPF-piece",
            ),
            ("basic 4/5/6/SsSsSsS/6/5/4 w 9 12 - 0 0", "e1-e2", "the line e1-e9 is full"),
            (
                "standard 4/5/6/GGGS3/6/5/3g w 9 12 - 0 0",
                "maybe",
                "`maybe` is not an answer: take or leave the piece on e2",
            ),
            ("basic 4/1S3/2S3/SSSS3/3S2/5/4 w 9 12 - 0 0", "e2", "`e2` is none of the rows to choose from: e1-e9"),
        ];
        for (gpn, text, expected) in cases {
            let position = GipfPosition::from_gpn(gpn).unwrap();
            let told = read(&position, text).unwrap_err().to_string();
            assert!(told.starts_with(expected), "{text}: {told}");
        }
    }

    #[test]
    fn nothing_that_is_typed_brings_the_reader_down() {
        let position = GipfPosition::start(Variant::TOURNAMENT.with_zertz());
        for text in
            ["é", "ge", "g", "gé2", "-", "J", "j-", "e1-e2-e3", "99999999999999999999999", "\u{202e}", "e1–é", "zz"]
        {
            let told = read(&position, text).unwrap_err().to_string();
            assert!(!told.contains('\u{202e}'), "{told}");
        }
        assert!(read(&position, &"e1".repeat(100_000)).unwrap_err().to_string().len() < 300);
    }
}

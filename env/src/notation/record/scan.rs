//! The turns of a text, not yet understood, and the result it states.

use crate::geometry::Point;
use crate::position::Player;
use crate::rules::Variant;
use crate::text::excerpt;

use super::Conclusion;
use super::error::RecordError;

/// The most turns that are read: more than any game has.
const MOST_TURNS: usize = 2000;
/// The longest text after one number, in bytes.
const LONGEST_ROW: usize = 8192;

/// A turn as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// The number before it, if the text has numbers.
    pub number: Option<usize>,
    /// The column in which it stands, if the columns are those of White and Black.
    pub column: Option<Player>,
    pub text: String,
}

/// The result that a text states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// 1-0: White has won, or in Julio974's notation the player who moved first.
    First,
    /// 0-1: the other player has won.
    Second,
    /// Nobody has won.
    Void,
    /// *, as in PGN: the game is not over, or does not count.
    Open,
    /// The X stands in this player's column.
    Lost(Player),
}

impl Stated {
    /// Returns the conclusion stated, if there is one, where `first` is the player who wins a 1-0.
    pub const fn conclusion(self, first: Player) -> Option<Conclusion> {
        match self {
            Self::First => Some(Conclusion::Won(first)),
            Self::Second => Some(Conclusion::Won(first.other())),
            Self::Void => Some(Conclusion::Void),
            Self::Lost(player) => Some(Conclusion::Won(player.other())),
            Self::Open => None,
        }
    }
}

/// The first line of a text of Julio974's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub variant: Variant,
    /// The player who moves first, if the header says so.
    pub first: Option<Player>,
}

/// A text split into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scanned {
    pub header: Option<Header>,
    /// The number before the first turn, if the text has numbers.
    pub first_number: Option<usize>,
    pub turns: Vec<Written>,
    pub stated: Option<Stated>,
}

/// Splits a text of the official notation into its parts.
pub(super) fn official(text: &str) -> Result<Scanned, RecordError> {
    let (text, stated) = split_result(text);
    let text = without_dots(text);
    let (mut turns, mut first_number, mut lost) = (Vec::new(), None, None);
    if text.contains('.') {
        for (number, body) in numbered(&text)? {
            first_number.get_or_insert(number);
            if lost.is_some() {
                return Err(RecordError::after_result(body.trim()));
            }
            let row = Row::of(number, body)?;
            lost = row.lost;
            add_row(&mut turns, row, body)?;
        }
    } else {
        let parts = text.lines().flat_map(|line| line.split('/')).flat_map(after_reserves);
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        turns.extend(parts.map(|part| Written { number: None, column: None, text: part.to_owned() }));
    }
    checked(Scanned { header: None, first_number, turns, stated: agreed(stated, lost)? })
}

/// In PGN three dots, after the number or its own dot, stand for the missing turn of White.
fn without_dots(text: &str) -> String {
    let parts: Vec<_> = text.split("...").collect();
    let (last, before) = parts.split_last().expect("there is at least one part");
    let number = |part: &&str| format!("{}./", part.trim_end().trim_end_matches('.'));
    before.iter().map(number).chain([(*last).to_owned()]).collect()
}

/// Returns what the result and the X say, which must agree.
fn agreed(stated: Option<Stated>, lost: Option<Player>) -> Result<Option<Stated>, RecordError> {
    let by_x = lost.map(Stated::Lost);
    let conclusion = |stated: Option<Stated>| stated.and_then(|stated| stated.conclusion(Player::White));
    match (conclusion(stated), conclusion(by_x)) {
        (Some(stated), Some(by_x)) if stated != by_x => Err(RecordError::Results { stated, by_x }),
        _ => Ok(by_x.or(stated)),
    }
}

/// Splits a text of Julio974's notation into its parts.
pub(super) fn julio(text: &str) -> Result<Scanned, RecordError> {
    let (header, text) = julio_header(text).map_or((None, text), |(header, rest)| (Some(header), rest));
    let (text, stated) = split_result(text);
    let mut turns: Vec<Written> = Vec::new();
    let (mut first_number, mut number, mut in_row) = (None, None, 0);
    for word in text.split_whitespace() {
        let (found, rest) = split_number(word)?;
        if let Some(found) = found {
            let expected = number.map_or(found, |number| number + 1);
            if found != expected {
                return Err(RecordError::Number { found: found.to_string(), expected });
            }
            if number.is_some() && in_row != 2 {
                return Err(wrong_row(number, in_row, &turns));
            }
            first_number.get_or_insert(found);
            (number, in_row) = (Some(found), 0);
        }
        match turns.last_mut() {
            _ if rest.is_empty() => {}
            // A mark or an annotation, with a blank before it.
            Some(last) if found.is_none() && rest.starts_with(['X', '!', '?']) => last.text.push_str(rest),
            _ => {
                turns.push(Written { number, column: None, text: rest.to_owned() });
                in_row += 1;
            }
        }
    }
    if number.is_some() && !(1..=2).contains(&in_row) {
        return Err(wrong_row(number, in_row, &turns));
    }
    checked(Scanned { header, first_number, turns, stated })
}

/// Returns the header of a text and what follows it.
pub(super) fn julio_header(text: &str) -> Option<(Header, &str)> {
    let names = [("Short-cut", Variant::STANDARD), ("Basic", Variant::BASIC), ("Tournament", Variant::TOURNAMENT)];
    let (variant, rest) = names.into_iter().find_map(|(name, variant)| Some((variant, after_word(text, name)?)))?;
    let orders = [("White-Black", Player::White), ("Black-White", Player::Black)];
    let order = orders.into_iter().find_map(|(name, first)| Some((first, after_word(rest, name)?)));
    Some(match order {
        Some((first, rest)) => (Header { variant, first: Some(first) }, rest),
        None => (Header { variant, first: None }, rest),
    })
}

fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.trim_start().strip_prefix(word)?;
    rest.chars().next().is_none_or(char::is_whitespace).then_some(rest)
}

fn checked(scanned: Scanned) -> Result<Scanned, RecordError> {
    match scanned.turns.len() {
        0 if scanned.stated.is_none() => Err(RecordError::Empty),
        found if found > MOST_TURNS => Err(RecordError::TooManyTurns(MOST_TURNS)),
        _ => Ok(scanned),
    }
}

/// Splits off the result at the end, also with halves or a star as in PGN.
pub(super) fn split_result(text: &str) -> (&str, Option<Stated>) {
    if let Some(before) = text.trim_end().strip_suffix('*').filter(|before| stands_alone(before)) {
        return (before, Some(Stated::Open));
    }
    let halves = ["½", "1/2"].map(|half| (half, half, Stated::Void));
    let ends = [[("1", "0", Stated::First), ("0", "1", Stated::Second)], halves].concat();
    let trimmed = text.trim_end();
    for (one, other, stated) in ends {
        let before = trimmed.strip_suffix(other).and_then(|text| text.strip_suffix('-')?.strip_suffix(one));
        if let Some(before) = before.filter(|text| ends_a_turn(text)) {
            return (before, Some(stated));
        }
    }
    (text, None)
}

/// Returns whether a star after this text stands alone. After a blank it may be meant for the last piece of a list, but
/// there it says nothing that the list does not.
fn stands_alone(before: &str) -> bool {
    before.is_empty() || before.ends_with(char::is_whitespace)
}

/// Returns whether a result can follow: blanks are optional, and a coordinate has one digit only.
fn ends_a_turn(text: &str) -> bool {
    let mut backwards = text.chars().rev();
    let Some(last) = backwards.next() else { return true };
    let is_coordinate = last.is_ascii_digit() && backwards.next().is_some_and(|column| ('a'..='i').contains(&column));
    is_coordinate || last.is_whitespace() || "/).xX*!?".contains(last)
}

/// Returns the numbers of a text, which must be consecutive, with what follows each.
fn numbered(text: &str) -> Result<Vec<(usize, &str)>, RecordError> {
    let mut rows: Vec<(usize, &str)> = Vec::new();
    let mut starts = text.match_indices('.').map(|(dot, _)| (number_before(text, dot), dot)).peekable();
    let first = starts.peek().map_or(0, |&(start, _)| start);
    if !text[..first].trim().is_empty() {
        return Err(RecordError::Number { found: excerpt(text[..first].trim()), expected: 1 });
    }
    while let Some((start, dot)) = starts.next() {
        let end = starts.peek().map_or(text.len(), |&(next, _)| next);
        let expected = rows.last().map_or(1, |&(number, _)| number + 1);
        let digits = text[start..dot].trim_end();
        let number = digits.parse().ok().filter(|&number| digits.len() <= 4 && (rows.is_empty() || number == expected));
        let number =
            number.ok_or_else(|| RecordError::Number { found: format!("`{}.`", excerpt(digits)), expected })?;
        rows.push((number, text.get(dot + 1..end).unwrap_or("")));
    }
    Ok(rows)
}

/// Returns where the number before a dot begins; a digit after a column's letter belongs to the coordinate.
fn number_before(text: &str, dot: usize) -> usize {
    let before = text[..dot].trim_end();
    let rest = before.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_column = rest.ends_with(|character: char| ('a'..='i').contains(&character));
    if is_column && rest.len() < before.len() { rest.len() + 1 } else { rest.len() }
}

/// What stands after a number of the official notation.
struct Row {
    number: usize,
    turns: [Option<String>; 2],
    lost: Option<Player>,
}

impl Row {
    fn of(number: usize, body: &str) -> Result<Self, RecordError> {
        if body.len() > LONGEST_ROW {
            return Err(RecordError::LongRow { number, most: LONGEST_ROW });
        }
        let mut row = Self { number, turns: [None, None], lost: None };
        if body.contains('/') {
            let parts: Vec<_> = body.split('/').collect();
            for (column, part) in parts.iter().enumerate() {
                let part = part.trim();
                let (part, lost) = part.strip_suffix('X').map_or((part, false), |part| (part.trim(), true));
                row.add(column, (!part.is_empty()).then_some(part), lost, body)?;
            }
            return Ok(row);
        }
        for (column, unit) in units(body).into_iter().enumerate() {
            match unit.strip_suffix('X') {
                // After Black's turn it is still in Black's column.
                Some("") => row.add(column.min(1), None, true, body)?,
                Some(turn) => row.add(column, Some(turn), true, body)?,
                None => row.add(column, Some(&unit), false, body)?,
            }
        }
        Ok(row)
    }

    fn add(&mut self, column: usize, turn: Option<&str>, lost: bool, body: &str) -> Result<(), RecordError> {
        if column > 1 {
            return Err(RecordError::Turns { number: self.number, found: column + 1, text: excerpt(body.trim()) });
        }
        if let Some(turn) = turn {
            if self.lost.is_some() {
                return Err(RecordError::after_result(turn));
            }
            self.turns[column] = Some(turn.to_owned());
        }
        if lost && self.lost.replace(Player::BOTH[column]).is_some() {
            return Err(RecordError::after_result("X"));
        }
        Ok(())
    }
}

/// Adds the turns of a row. Columns must alternate, and only the first number may lack White's turn; so only the last
/// may lack Black's.
fn add_row(turns: &mut Vec<Written>, row: Row, body: &str) -> Result<(), RecordError> {
    let found = row.turns.iter().flatten().count();
    let wrong = |number, text: &str| RecordError::Turns { number, found, text: excerpt(text.trim()) };
    if found == 0 && row.lost.is_none() {
        return Err(wrong(row.number, body));
    }
    for (player, text) in Player::BOTH.into_iter().zip(row.turns) {
        let Some(text) = text else { continue };
        match turns.last() {
            Some(last) if player == Player::Black && last.number != Some(row.number) => {
                return Err(wrong(row.number, body));
            }
            Some(last) if last.column == Some(player) && player == Player::White => {
                return Err(RecordError::Turns { number: row.number - 1, found: 1, text: excerpt(&last.text) });
            }
            Some(last) if last.column == Some(player) => return Err(wrong(row.number, body)),
            _ => turns.push(Written { number: Some(row.number), column: Some(player), text }),
        }
    }
    Ok(())
}

/// Splits a row without `/` at the blanks that can separate turns: within a turn, blanks may stand anywhere.
///
/// A reserve ends its turn, with or without a blank after it.
fn units(body: &str) -> Vec<String> {
    let parts = joined(body.split_whitespace(), is_cut);
    let words = parts.iter().flat_map(|part| after_reserves(part));
    let units = joined(words, belongs_together);
    if units.iter().filter(|&unit| unit != "X").count() <= 2 {
        return units;
    }
    // A piece beside an `x` is more likely a turn of its own than the only one of a list.
    joined(units.iter().map(String::as_str), is_list_of_one)
}

/// Joins the words that belong together.
fn joined<'a>(words: impl Iterator<Item = &'a str>, belongs: fn(&str, &str) -> bool) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for word in words {
        match units.last_mut() {
            Some(last) if belongs(last, word) => last.push_str(word),
            _ => units.push(word.to_owned()),
        }
    }
    units
}

/// Returns whether the blank between two words is within a coordinate, a list or brackets, whatever surrounds it.
fn is_cut(before: &str, word: &str) -> bool {
    let is_coordinate = |column: char| ('a'..='i').contains(&column) && word.starts_with(|c: char| c.is_ascii_digit());
    before.ends_with([';', ',', '-', '(', 'G', 'Z', 'J', 'j'])
        || word.starts_with([';', ',', '-', '(', ')', '*'])
        || before.ends_with(is_coordinate)
}

/// Splits a word after each number in brackets; an X stays with its turn.
fn after_reserves(part: &str) -> Vec<&str> {
    let is_number = |text: &str| text.starts_with(|character: char| character.is_ascii_digit());
    let (mut words, mut begin, mut inside) = (Vec::new(), 0, None);
    for (at, bracket) in part.match_indices(['(', ')']) {
        if bracket == "(" {
            inside = Some(at + 1);
        } else if inside.is_some_and(|inside| is_number(&part[inside..at])) && !part[at + 1..].starts_with('X') {
            words.push(&part[begin..=at]);
            (begin, inside) = (at + 1, None);
        }
    }
    words.push(&part[begin..]);
    words.retain(|word| !word.is_empty());
    words
}

fn belongs_together(before: &str, word: &str) -> bool {
    let (last, first) = (before.rsplit(';').next().unwrap_or(""), word.split(';').next().unwrap_or(""));
    let is_list = |part: &str| part.contains([',', '*']) && !part.contains(['x', '-']);
    before.ends_with('x') && is_list(first) || is_list(last) && word.starts_with('x')
}

fn is_list_of_one(before: &str, word: &str) -> bool {
    let (last, first) = (before.rsplit(';').next().unwrap_or(""), word.split(';').next().unwrap_or(""));
    let is_spot = |part: &str| part.parse::<Point>().is_ok();
    let item = first.split('(').next().unwrap_or("").trim_end_matches('*');
    last == "x" && is_spot(item.strip_prefix(['G', 'Z', 'j']).unwrap_or(item)) || is_spot(last) && first == "x"
}

/// Splits the number off a word of Julio974's notation.
fn split_number(word: &str) -> Result<(Option<usize>, &str), RecordError> {
    let Some((digits, rest)) = word.split_once('.') else { return Ok((None, word)) };
    let number = digits.parse().ok().filter(|_| digits.len() <= 4 && !digits.starts_with('+'));
    match number {
        Some(number) => Ok((Some(number), rest)),
        None => Err(RecordError::Number { found: format!("`{}.`", excerpt(digits)), expected: 1 }),
    }
}

fn wrong_row(number: Option<usize>, found: usize, turns: &[Written]) -> RecordError {
    let texts: Vec<_> = turns[turns.len() - found..].iter().map(|turn| turn.text.as_str()).collect();
    RecordError::Turns { number: number.unwrap_or(1), found, text: excerpt(&texts.join(" ")) }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn words_end_after_numbers_in_brackets() {
        for (text, words) in [
            ("e2(17)e8(17)", vec!["e2(17)", "e8(17)"]),
            ("e2(17)X;xa1", vec!["e2(17)X;xa1"]),
            ("a(b)c(1)d", vec!["a(b)c(1)", "d"]),
            ("(1)X)2", vec!["(1)X)", "2"]),
            ("))(", vec!["))("]),
        ] {
            assert_eq!(after_reserves(text), words, "{text}");
        }
    }

    #[test]
    fn brackets_take_time_in_proportion_to_their_number() {
        let began = Instant::now();
        for text in [")", "()", "(a)", "("].map(|text| text.repeat(1 << 18)) {
            assert_eq!(after_reserves(&text), [text.as_str()]);
        }
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    }
}

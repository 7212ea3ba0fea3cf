//! The results of an analysis, as comments in the record of the game.
//!
//! ```text
//! % Analysis by pretrained, 500 nodes a turn
//! % Turn 7, White g7-d6: +0.061; Gg7-d6 +0.061 47% then f8-c6 …; g7-d6 -0.044 24% …; 500 nodes; inaccuracy, loses 0.106
//! % End: +1.000 certain; a4-d4 +1.000 5% then h5; …; 103 nodes
//! ```
//!
//! The line of a turn has the value before it, whether that is certain, the candidate turns (each with its value, its
//! share of the simulations and the line expected after it), and the nodes. Values are White's, -1 to 1. The turn that
//! was played and the kind of mistake are for people: [`read`] skips them and draws all conclusions anew. Turns without
//! a choice have no line.

use std::fmt::Write;

use gipf_env::Player;
use gipf_env::notation::record::Record;
use gipf_env::notation::{Ledger, ReadError};
use gipf_env::text::truncate_escaped;

use super::look::{Known, Look, LookedAt, in_hundredths, in_thousandths};
use super::text::play_text;
use super::turns::PlayedGame;
use super::{AnalysedTurn, Analysis};
use crate::TaggedGame;
use crate::ugi::UgiGame;

const HEAD: &str = "Analysis by ";
const TURN: &str = "Turn ";
const END: &str = "End: ";
const CERTAIN: &str = " certain";
const NODES: &str = " nodes";
/// The most turns read for one position, and for a line: more than any program writes.
const MOST: usize = 400;
/// The number of characters of a comment that a message quotes.
const SHOWN: usize = 60;

/// Why comments cannot be read as an analysis of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// The turns of the rule set cannot be written.
    #[error("push-off has no notation for turns, so an analysis of it cannot be kept in a record")]
    NoNotation,
    /// A line has the wrong format.
    #[error("comment `{line}`: expected {expected}")]
    Line {
        /// The line.
        line: String,
        /// What was expected instead.
        expected: &'static str,
    },
    /// A turn cannot be played there.
    #[error("comment on turn {number}, `{text}`: {why}")]
    Turn {
        /// The number of the turn, from 1; for the end of the game, the number of turns plus one.
        number: usize,
        /// The turn.
        text: String,
        /// Why it cannot be played.
        why: Box<ReadError>,
    },
    /// A turn with a choice, or the end, has no line.
    #[error("no comment on turn {0}: expected one on each turn with a choice, and on the end")]
    Missing(usize),
}

/// Returns the comments that no analysis wrote. People's comments may begin in the same way, so the beginning alone
/// does not decide.
pub fn others<'a>(comments: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let comments: Vec<_> = comments.into_iter().collect();
    let is_other = |place: &usize| own(&comments, *place).is_none();
    (0..comments.len()).filter(is_other).map(|place| comments[place]).collect()
}

/// The content of a comment of an analysis.
enum Own<'a> {
    /// The analyst.
    Head(&'a str),
    /// The number of a turn, and the text about it.
    Turn(&'a str, &'a str),
    /// The text about the end.
    End(&'a str),
}

/// Returns the content of one of some comments, if it has the form that [`write()`] gives it. The first line of an
/// analysis can name anybody, so only the last such line before the other lines counts.
fn own<'a>(comments: &[&'a str], place: usize) -> Option<Own<'a>> {
    let comment = comments[place];
    match comment.strip_prefix(HEAD) {
        Some(analyst) => {
            let mut next = comments[place + 1..].iter().take_while(|comment| !comment.starts_with(HEAD));
            next.any(|comment| look_of(comment).is_some()).then_some(Own::Head(analyst))
        }
        None => look_of(comment),
    }
}

/// Returns the content of a comment on a turn or the end: each has a value and the nodes.
fn look_of(comment: &str) -> Option<Own<'_>> {
    let (found, text) = if let Some(text) = comment.strip_prefix(END) {
        (Own::End(text), text)
    } else {
        let (head, text) = comment.strip_prefix(TURN)?.split_once(": ")?;
        let (number, turn) = head.split_once(", ")?;
        Player::BOTH.iter().find(|player| turn.starts_with(&format!("{player} ")))?;
        (is_number(number).then_some(Own::Turn(number, text))?, text)
    };
    let mut parts = text.split("; ");
    let value = parts.next()?;
    let is_told = is_value(value.strip_suffix(CERTAIN).unwrap_or(value));
    let has_nodes = parts.any(|part| part.strip_suffix(NODES).is_some_and(is_number));
    (is_told && has_nodes).then_some(found)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text is a sign, a digit, a point and three digits.
fn is_value(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']);
    let (whole, part) = unsigned.and_then(|text| text.split_once('.')).unwrap_or_default();
    is_number(whole) && is_number(part) && (whole.len(), part.len()) == (1, 3)
}

/// Returns an analysis as comments, one line each, without the comment sign.
///
/// # Errors
/// If the rule set has no notation.
pub fn write(analysis: &Analysis) -> Result<Vec<String>, CommentError> {
    if !UgiGame::is_told(analysis.variant) {
        return Err(CommentError::NoNotation);
    }
    let head = format!("{HEAD}{}", crate::printable(&analysis.analyst));
    let decided = analysis.turns.iter().filter(|turn| !turn.forced);
    let turns = decided.zip(analysis.looks()).map(|(turn, look)| {
        let AnalysedTurn { number, player, played, .. } = turn;
        format!("{TURN}{number}, {player} {played}: {}{}", told(&look), judged(turn))
    });
    Ok([head].into_iter().chain(turns).chain([format!("{END}{}", told(&analysis.end))]).collect())
}

/// Returns a game with an analysis in its comments, in place of any earlier one; everything else is unchanged.
///
/// # Errors
/// If the rule set has no notation.
pub fn annotate(game: TaggedGame, analysis: &Analysis) -> Result<TaggedGame, CommentError> {
    let others: Vec<_> = others(game.comments()).into_iter().map(str::to_owned).collect();
    Ok(game.with_comments(others.into_iter().chain(write(analysis)?)))
}

fn judged(turn: &AnalysedTurn) -> String {
    turn.severity.map_or_else(String::new, |severity| format!("; {severity}, loses {:.3}", turn.loss))
}

fn told(look: &Look) -> String {
    let mut text = format!("{:+.3}{}", look.value, if look.known.is_some() { CERTAIN } else { "" });
    for LookedAt { turn, value, share, line } in &look.candidates {
        let share = share.map_or_else(String::new, |share| format!(" {:.0}%", 100.0 * share));
        let then = if line.is_empty() { String::new() } else { format!(" then {}", line.join(" ")) };
        write!(text, "; {turn} {value:+.3}{share}{then}").expect("strings can grow");
    }
    text + &format!("; {}{NODES}", look.nodes)
}

/// Reads the analysis of a game from the comments of its record, given without the comment sign; none if there is no
/// analysis. Other comments are ignored.
///
/// # Errors
/// If a comment of an analysis cannot be read, names a turn that cannot be played, or is missing.
pub fn read<'a>(
    record: &Record,
    comments: impl IntoIterator<Item = &'a str>,
) -> Result<Option<Analysis>, CommentError> {
    let comments: Vec<_> = comments.into_iter().collect();
    let all = comments.iter().enumerate().filter_map(|(place, comment)| Some((*comment, own(&comments, place)?)));
    let all: Vec<_> = all.collect();
    let head = all.iter().find_map(|(_, own)| if let Own::Head(analyst) = own { Some(*analyst) } else { None });
    let Some(analyst) = head else { return Ok(None) };
    if !UgiGame::is_told(record.variant()) {
        return Err(CommentError::NoNotation);
    }
    let game = PlayedGame::of(record);
    let mut looks: Vec<Option<Look>> = vec![None; game.turns.len() + 1];
    for (comment, own) in all {
        let (number, text) = match own {
            Own::Head(_) => continue,
            Own::Turn(number, text) => (turn_of(number, comment, game.turns.len())?, text),
            Own::End(text) => (game.turns.len() + 1, text),
        };
        let ledger = game.turns.get(number - 1).map_or(&game.end, |turn| &turn.ledger);
        looks[number - 1] = Some(look(text, &Place { number, ledger, comment })?);
    }
    let choices = game.turns.iter().map(|turn| turn.first_choice.is_some()).chain([true]);
    let needed = (1..).zip(choices.zip(looks)).filter(|(_, (is_choice, _))| *is_choice);
    let looks = needed.map(|(number, (_, look))| look.ok_or(CommentError::Missing(number)));
    Ok(Some(Analysis::of(record, &looks.collect::<Result<Vec<_>, _>>()?, crate::printable(analyst))))
}

/// Where a comment belongs.
struct Place<'a> {
    number: usize,
    ledger: &'a Ledger,
    comment: &'a str,
}

fn wrong(comment: &str, expected: &'static str) -> CommentError {
    CommentError::Line { line: truncate_escaped(comment, SHOWN), expected }
}

/// Reads the number of a turn of a game with this many turns.
fn turn_of(number: &str, comment: &str, turns: usize) -> Result<usize, CommentError> {
    let number = number.parse().ok().filter(|number| (1..=turns).contains(number));
    number.ok_or_else(|| wrong(comment, "the number of a turn of the game"))
}

fn look(text: &str, place: &Place<'_>) -> Result<Look, CommentError> {
    let mut parts = text.split("; ");
    let first = parts.next().unwrap_or_default();
    let (first, is_certain) = first.strip_suffix(CERTAIN).map_or((first, false), |first| (first, true));
    let value = number(first).ok_or_else(|| wrong(place.comment, "a value from -1 to 1"))?;
    let mut look = Look { value, known: is_certain.then(|| known(value)), candidates: Vec::new(), nodes: 0 };
    for part in parts.take(MOST) {
        if let Some(nodes) = part.strip_suffix(NODES) {
            look.nodes = nodes.parse().map_err(|_| wrong(place.comment, "a number of nodes"))?;
            break;
        }
        look.candidates.push(looked_at(part, place)?);
    }
    Ok(look)
}

fn known(value: f32) -> Known {
    match value {
        value if value > 0.5 => Known::White,
        value if value < -0.5 => Known::Black,
        _ => Known::Draw,
    }
}

/// Reads a turn with its value, its share of the simulations, and the line expected after it.
fn looked_at(part: &str, place: &Place<'_>) -> Result<LookedAt, CommentError> {
    let mut words = part.split(' ').take(MOST);
    let turn = words.next().unwrap_or_default();
    let value = words.next().and_then(number).ok_or_else(|| wrong(place.comment, "a value after a turn"))?;
    let mut ledger = place.ledger.clone();
    let mut play = |text: &str| {
        let text_of_error = || truncate_escaped(text, SHOWN);
        play_text(&mut ledger, text).map_err(|why| CommentError::Turn {
            number: place.number,
            text: text_of_error(),
            why: Box::new(why),
        })
    };
    let turn = play(turn)?;
    let mut next = words.next();
    let share = next.and_then(|word| word.strip_suffix('%')).and_then(|word| word.parse::<u8>().ok());
    if share.is_some() {
        next = words.next();
    }
    if !matches!(next, None | Some("then")) {
        return Err(wrong(place.comment, "`then` before the turns of a line"));
    }
    let line = words.map(play).collect::<Result<Vec<_>, _>>()?;
    let share = share.map(|share| in_hundredths(f32::from(share.min(100)) / 100.0));
    Ok(LookedAt { turn, value, share, line })
}

fn number(text: &str) -> Option<f32> {
    text.parse::<f32>().ok().filter(|value| (-1.0..=1.0).contains(value)).map(in_thousandths)
}

#[cfg(test)]
pub(super) mod tests {
    use gipf_env::notation::record::{self, Source};
    use gipf_env::{GipfPosition, Position, Setup, Variant};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::text::{ledger_at, turn_texts};
    use super::super::turns::Question;
    use super::*;

    /// Plays at most this many random decisions.
    fn random_actions(position: &GipfPosition, most: usize, rng: &mut ChaCha8Rng) -> Vec<gipf_env::Action> {
        let (mut next, mut actions) = (position.clone(), Vec::new());
        while next.outcome().is_none() && actions.len() < most {
            let action = next.action_set().nth(rng.random_range(0..next.num_legal_actions())).unwrap();
            next.play_unchecked(action);
            actions.push(action);
        }
        actions
    }

    /// A look as a search could return it, with random values.
    fn any_look(question: &Question<'_>, rng: &mut ChaCha8Rng) -> Look {
        let position = question.position();
        if let Some(outcome) = position.outcome() {
            return Look::at_end(outcome);
        }
        let mut any = |most: i32| in_thousandths(rng.random_range(-most..=most) as f32 / 1000.0);
        let (values, is_known) = ([any(1000), any(1000)], any(1000) > 0.5);
        let mut candidates = Vec::new();
        for value in values {
            let line = [&question.forced[..], &random_actions(&position, 12, rng)].concat();
            let mut texts = turn_texts(question.ledger, &line).into_iter();
            let Some(turn) = texts.next() else { continue };
            let share = (value > 0.0).then(|| in_hundredths(rng.random()));
            candidates.push(LookedAt { turn, value, share, line: texts.collect() });
        }
        let known = [Known::White, Known::Draw, Known::Black][rng.random_range(0..3)];
        let value = if is_known { known.value() } else { values[0] };
        Look { value, known: is_known.then_some(known), candidates, nodes: rng.random_range(0..1_000_000) }
    }

    /// Returns the analyses of random games, with random values.
    pub(in super::super) fn any_analyses(count: u64) -> Vec<(Record, Analysis)> {
        let mut analyses = Vec::new();
        for seed in 0..count {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let told: Vec<_> = Variant::ALL.into_iter().filter(|&variant| UgiGame::is_told(variant)).collect();
            let setup = Setup::start(told[seed as usize % told.len()]).with_placement_limit(Some(60));
            let start = GipfPosition::from_setup(&setup).unwrap();
            let most = rng.random_range(0..300);
            let record = Record::new(&setup, &random_actions(&start, most, &mut rng), None).unwrap();
            let game = PlayedGame::of(&record);
            let looks: Vec<_> = game.questions().iter().map(|question| any_look(question, &mut rng)).collect();
            let analysis = Analysis::of(&record, &looks, "an analyst, 5 nodes a turn".to_owned());
            assert_eq!(analysis.looks(), looks);
            analyses.push((record, analysis));
        }
        analyses
    }

    #[test]
    fn what_was_written_is_read_the_same() {
        let mut lines = 0;
        for (record, analysis) in any_analyses(60) {
            let written = match write(&analysis) {
                Ok(written) => written,
                Err(error) => panic!("{error}"),
            };
            lines += written.len();
            let of_people =
                ["a remark", "Turn 1 was our pet opening", "Analysis by Carl, 2 days a turn", "End: a draw"];
            let noted: Vec<_> = of_people.into_iter().chain(written.iter().map(String::as_str)).collect();
            assert_eq!(others(noted.iter().copied()), of_people);
            let apart: Vec<_> =
                [written[0].as_str(), "a remark"].into_iter().chain(noted[5..].iter().copied()).collect();
            assert_eq!(others(apart.iter().copied()), ["a remark"]);
            assert!(matches!(read(&record, apart), Ok(Some(_)) | Err(CommentError::Turn { .. })));
            match read(&record, noted) {
                Ok(read) => assert_eq!(read.as_ref(), Some(&analysis), "{}", written.join("\n")),
                // A few turns of random play with potentials have no unambiguous text.
                Err(CommentError::Turn { why, .. }) => assert!(matches!(*why, ReadError::Ambiguous { .. }), "{why}"),
                Err(error) => panic!("{error}"),
            }
        }
        assert!(lines > 1000, "{lines}");
    }

    #[test]
    fn a_turn_that_leaves_nothing_to_write_is_read_as_it_is_written() {
        let setup: Setup = "tournament GGGG/5/6/7/6/5/gg2 w 0 2 - 0 0".parse().unwrap();
        let mut ledger = ledger_at(&setup).unwrap();
        let texts = turn_texts(&ledger, &[gipf_env::Action::Keep; 4]);
        assert_eq!(texts, ["-"]);
        assert_eq!(play_text(&mut ledger, &texts[0]).as_deref(), Ok("-"));
        assert!(ledger.position().outcome().is_some());
    }

    #[test]
    fn comments_of_others_are_refused_by_name_and_never_panic() {
        let record = record::read("1.d2/b3 2.c2", &Source::default()).unwrap().record;
        let refused = |line: &str| read(&record, ["Analysis by x", line]).unwrap_err().to_string();
        for (line, expected) in [
            ("Turn 4, White d2: +0.100; 3 nodes", "the number of a turn of the game"),
            ("Turn 0, White d2: +0.100; 3 nodes", "the number of a turn of the game"),
            ("Turn 1, White d2: +9.100; 3 nodes", "a value from -1 to 1"),
            ("Turn 1, White d2: +0.100; d2; 3 nodes", "a value after a turn"),
            ("Turn 1, White d2: +0.100; d2 NaN; 3 nodes", "a value after a turn"),
            ("Turn 1, White d2: +0.100; d2 0.1 next b5; 3 nodes", "`then` before the turns"),
            ("Turn 1, White d2: +0.100; d2 0.1 then d2; 3 nodes", "comment on turn 1, `d2`: "),
            ("Turn 1, White d2: +0.100; z9 0.1; 3 nodes", "comment on turn 1, `z9`: "),
            ("End: +0.000; 99999999999999999999 nodes", "a number of nodes"),
            ("End: +0.000; 3 nodes", "no comment on turn 1"),
        ] {
            assert!(refused(line).contains(expected), "{line}: {}", refused(line));
        }
        let whole = "End: +0.000; 3 nodes";
        assert_eq!(read(&record, ["a remark", whole]), Ok(None), "nobody says whose analysis it is");
        for line in
            ["Turn 1", "Turn 1, White d2: high", "Turn 1, d2: +0.100; 3 nodes", "End: 0; 3 nodes", "End: +0.000"]
        {
            assert_eq!(read(&record, ["Analysis by x", line]), Ok(None), "{line}");
            assert_eq!(others(["Analysis by x", line]), ["Analysis by x", line]);
        }
        let ledger = ledger_at(record.setup()).unwrap();
        assert_eq!(turn_texts(&ledger, &record.actions()), ["d2", "b3", "c2"]);
    }
}

//! What was found about a game, as comments in its record.
//!
//! ```text
//! % Analysis by pretrained, 500 nodes a turn
//! % Turn 7, White g7-d6: +0.061; Gg7-d6 +0.061 47% then f8-c6 …; g7-d6 -0.044 24% …; 500 nodes; inaccuracy, loses 0.106
//! % End: +1.000 certain; a4-d4 +1.000 5% then h5; …; 103 nodes
//! ```
//!
//! A line of a turn has the value before it, whether that is certain, the turns thought of with the value of each, the
//! part of the simulations and the line expected after it, and the nodes. Values are White's, -1 to 1. The turn that was
//! played and the kind of mistake are for people and are passed over by [`read`], which draws all conclusions anew.
//! Turns without a choice have no line.

use std::fmt::Write;

use gipf_env::notation::record::Record;
use gipf_env::notation::{Ledger, ReadError};
use gipf_env::text::truncate_escaped;

use super::look::{Known, Look, LookedAt, in_hundredths, in_thousandths};
use super::text::play_text;
use super::turns::PlayedGame;
use super::{AnalysedTurn, Analysis};
use crate::ugi::UgiGame;

const HEAD: &str = "Analysis by ";
const TURN: &str = "Turn ";
const END: &str = "End: ";
const CERTAIN: &str = " certain";
const NODES: &str = " nodes";
/// The most turns that are read of one position, and of a line: more than any program writes.
const MOST: usize = 400;
/// The number of characters of a comment that a message quotes.
const SHOWN: usize = 60;

/// Why comments are not those of an analysis of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommentError {
    /// The turns of the rule set cannot be written.
    #[error("push-off has no notation for turns, so an analysis of it cannot be kept in a record")]
    NoNotation,
    /// A line is not as one is written.
    #[error("comment `{line}`: expected {expected}")]
    Line {
        /// The line.
        line: String,
        /// What it should be like.
        expected: &'static str,
    },
    /// A turn cannot be played there.
    #[error("comment on turn {number}, `{text}`: {why}")]
    Turn {
        /// The number of the turn, from 1; one more than turns for the end of the game.
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

/// Returns whether a comment is one of those that [`write()`] makes.
pub fn is_of_analysis(comment: &str) -> bool {
    let of_turn = comment.strip_prefix(TURN).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    comment.starts_with(HEAD) || comment.starts_with(END) || of_turn
}

/// Returns an analysis as comments, a line each, without the sign before them.
///
/// # Errors
/// If the rule set has no notation.
pub fn write(analysis: &Analysis) -> Result<Vec<String>, CommentError> {
    if !UgiGame::is_told(analysis.variant) {
        return Err(CommentError::NoNotation);
    }
    let head = format!("{HEAD}{}", crate::printable(&analysis.analyst));
    let turns = analysis.turns.iter().filter(|turn| !turn.forced).map(|turn| {
        let look =
            Look { value: turn.value, known: turn.known, candidates: turn.candidates.clone(), nodes: turn.nodes };
        let AnalysedTurn { number, player, played, .. } = turn;
        format!("{TURN}{number}, {player} {played}: {}{}", told(&look), judged(turn))
    });
    Ok([head].into_iter().chain(turns).chain([format!("{END}{}", told(&analysis.end))]).collect())
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

/// Reads the analysis of a game from the comments of its record, without the sign before them; none if there is none.
/// Comments of another kind are passed over.
///
/// # Errors
/// If a comment of an analysis cannot be read, names a turn that cannot be played, or is missing.
pub fn read<'a>(
    record: &Record,
    comments: impl IntoIterator<Item = &'a str>,
) -> Result<Option<Analysis>, CommentError> {
    let of_analysis: Vec<_> = comments.into_iter().filter(|comment| is_of_analysis(comment)).collect();
    let Some(analyst) = of_analysis.iter().find_map(|comment| comment.strip_prefix(HEAD)) else { return Ok(None) };
    if !UgiGame::is_told(record.variant()) {
        return Err(CommentError::NoNotation);
    }
    let game = PlayedGame::of(record);
    let mut looks: Vec<Option<Look>> = vec![None; game.turns.len() + 1];
    for comment in of_analysis.iter().filter(|comment| !comment.starts_with(HEAD)) {
        let (number, text) = place(comment, game.turns.len())?;
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

/// Returns the number of the turn of a comment, and what stands about it.
fn place(comment: &str, turns: usize) -> Result<(usize, &str), CommentError> {
    if let Some(text) = comment.strip_prefix(END) {
        return Ok((turns + 1, text));
    }
    let text = comment.strip_prefix(TURN).and_then(|rest| rest.split_once(": "));
    let (head, text) = text.ok_or_else(|| wrong(comment, "a colour, a turn and a value"))?;
    let number = head.split_once(',').and_then(|(number, _)| number.parse().ok());
    let number = number.filter(|number| (1..=turns).contains(number));
    Ok((number.ok_or_else(|| wrong(comment, "the number of a turn of the game"))?, text))
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

/// Reads a turn with its value, its part of the simulations, and the line expected after it.
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

    /// Plays at random, at most so many decisions.
    fn random_actions(position: &GipfPosition, most: usize, rng: &mut ChaCha8Rng) -> Vec<gipf_env::Action> {
        let (mut next, mut actions) = (position.clone(), Vec::new());
        while next.outcome().is_none() && actions.len() < most {
            let action = next.action_set().nth(rng.random_range(0..next.num_legal_actions())).unwrap();
            next.play_unchecked(action);
            actions.push(action);
        }
        actions
    }

    /// A look that a search could have had, with any values.
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
            let noted = ["a remark", "Turning to move 3: fine"].into_iter().chain(written.iter().map(String::as_str));
            match read(&record, noted) {
                Ok(read) => assert_eq!(read.as_ref(), Some(&analysis), "{}", written.join("\n")),
                // A few turns of random play with potentials have no text that only means them.
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
            ("Turn 4, White: +0.1", "the number of a turn of the game"),
            ("Turn 0, White: +0.1", "the number of a turn of the game"),
            ("Turn 1", "a colour, a turn and a value"),
            ("Turn 1, White d2: high", "a value from -1 to 1"),
            ("Turn 1, White d2: NaN", "a value from -1 to 1"),
            ("Turn 1, White d2: 0.1; d2", "a value after a turn"),
            ("Turn 1, White d2: 0.1; d2 0.1 next b5", "`then` before the turns"),
            ("Turn 1, White d2: 0.1; d2 0.1 then d2", "comment on turn 1, `d2`: "),
            ("Turn 1, White d2: 0.1; z9 0.1; 3 nodes", "comment on turn 1, `z9`: "),
            ("End: 0; -3 nodes", "a number of nodes"),
            ("End: 0", "no comment on turn 1"),
        ] {
            assert!(refused(line).contains(expected), "{line}: {}", refused(line));
        }
        assert_eq!(read(&record, ["a remark", "End: 0"]), Ok(None), "nobody says whose analysis it is");
        let ledger = ledger_at(record.setup()).unwrap();
        assert_eq!(turn_texts(&ledger, &record.actions()), ["d2", "b3", "c2"]);
    }
}

//! Games as texts: they are read, and written again, with everything that their records say besides the turns.

use gipf_env::notation::record::{Conclusion, Record, Source};
use gipf_env::text::without_mark;
use gipf_env::{Player, Variant};
use gipf_play::analysis::comments;
use gipf_play::arena::{Cause, TERMINATION};
use gipf_play::reading::{self, Replayed};
use gipf_play::{Seal, TaggedGame, writing};
use serde::{Deserialize, Serialize};

use crate::ask::{Answer, Review, word};
use crate::error::BoardError;
use crate::game::GameText;

/// What a record says about a game besides its turns. The page keeps it, and hands it back when the game is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// The tags in order, each with its name and its value.
    pub tags: Vec<(String, String)>,
    /// The comments in order.
    pub comments: Vec<String>,
    /// The number of decisions that this was said about.
    pub decisions: usize,
    /// Who won, or `void`, if it says so.
    pub conclusion: Option<String>,
    /// Whether it had a checksum that matched.
    pub is_sealed: bool,
}

/// How a game ended that the rules did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GivenUp {
    pub by: Player,
    pub cause: Cause,
}

/// The most comments of a review that are kept in a record.
const COMMENTS: usize = 5000;
/// The tag of the result.
const RESULT: &str = "Result";

/// Reads a record with its tags and comments (the first, if there are several), or a position text.
pub(crate) fn read(text: &str) -> Result<Answer, BoardError> {
    // A position text begins with its rule set; a record never does.
    let unmarked = without_mark(text).trim();
    if unmarked.split_whitespace().next().is_some_and(|word| word.parse::<Variant>().is_ok()) {
        let setup = unmarked.parse()?;
        let game = GameText::new(&setup, &[]);
        game.position()?;
        return Ok(Answer::game(game, format!("position, {}", setup.variant)));
    }
    let mut games = TaggedGame::all_of(text);
    let (count, tagged) = (games.len(), games.swap_remove(0));
    let mut notes = Vec::new();
    let Replayed { reading, actions } = reading::read(&tagged, &Source::default(), &mut notes)?;
    let which = (count > 1).then(|| format!("the first of {count} games"));
    let understood: Vec<_> = [reading.to_string()].into_iter().chain(which).chain(notes).collect();
    // Comments that are not an analysis of this game are people's comments.
    let analysis = comments::read(&reading.record, tagged.comments()).unwrap_or_default();
    let conclusion = reading.record.conclusion().map(word);
    Ok(Answer::Game {
        game: GameText::new(reading.record.setup(), &actions),
        understood: understood.join("; "),
        conclusion: conclusion.clone(),
        cause: tagged.value(TERMINATION).and_then(Cause::stated).map(Cause::word),
        review: analysis.map(Review::of),
        said: Box::new(Said {
            tags: tagged.tags().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            comments: tagged.comments().map(str::to_owned).collect(),
            decisions: actions.len(),
            conclusion,
            is_sealed: tagged.seal() == Seal::Intact,
        }),
    })
}

/// Writes a game with what its record said, and with the comments of a review. Tags about the ending stay only while
/// the game still ends there.
pub(crate) fn write(
    game: &GameText,
    given_up: Option<GivenUp>,
    review: &[String],
    said: &Said,
) -> Result<Answer, BoardError> {
    let (setup, actions) = (game.setup()?, game.actions()?);
    let is_whole = said.decisions == actions.len();
    let was_void = is_whole && said.conclusion == Some(word(Conclusion::Void));
    let lost = given_up.map(|given_up| Conclusion::Won(given_up.by.other()));
    let record = Record::new(&setup, &actions, lost.or_else(|| was_void.then_some(Conclusion::Void)))?;
    let (turns, left) = writing::turns(&record, &actions);

    let mut written = TaggedGame::new(turns).with_comments(remarks(&said.comments, review, is_whole));
    for (name, value) in &said.tags {
        let is_result = name.eq_ignore_ascii_case(RESULT);
        written.add(name, if is_result { writing::result(&record) } else { value });
    }
    writing::forget_start(&mut written);
    written.remove(&[TERMINATION]);
    // The page plays without limits.
    writing::tell_start(&mut written, &setup);
    writing::tell_decisions(&mut written, left);
    if is_whole && record.conclusion().map(word) == said.conclusion {
        let terminations = said.tags.iter().filter(|(name, _)| name.eq_ignore_ascii_case(TERMINATION));
        terminations.for_each(|(name, value)| written.add(name, value));
    } else if let Some(GivenUp { cause, .. }) = given_up {
        written.add(TERMINATION, cause.word());
    }
    let seal = if said.is_sealed { Seal::Intact } else { Seal::Absent };
    Ok(Answer::Record { text: written.sealed_as(seal) })
}

/// Returns the comments of a record, without an analysis that covers only a part of the game.
fn remarks(said: &[String], review: &[String], is_whole: bool) -> Vec<String> {
    let all = said.iter().map(String::as_str);
    let kept = if review.is_empty() && is_whole { all.collect() } else { comments::others(all) };
    kept.into_iter().map(str::to_owned).chain(review.iter().take(COMMENTS).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::tests::{games, told};
    use serde_json::{Value, json};

    fn read(text: &str) -> Value {
        told(json!({ "read": { "text": text } })).unwrap()["game"].clone()
    }

    /// Writes a game with what its record said when it was read, and more decisions.
    fn written(read: &Value, more: &[Value]) -> String {
        let mut game = read["game"].clone();
        game["actions"].as_array_mut().unwrap().extend(more.iter().cloned());
        let text = told(json!({ "write": { "game": game, "said": read["said"] } })).unwrap();
        text["record"]["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn every_game_is_read_as_it_was_written_also_in_the_midst_of_a_turn() {
        for variant in Variant::ALL {
            let views = games(variant, 5);
            for count in (0..views.len()).step_by(7).chain([views.len() - 1]) {
                let (start, actions) = (&views[0]["gpn"], &views[views.len() - 1]["played"]);
                let actions = &actions.as_array().unwrap()[..count];
                let game = json!({ "start": start, "actions": actions });
                let text = told(json!({ "write": { "game": game } })).unwrap()["record"]["text"].clone();
                let found = read(text.as_str().unwrap());
                assert_eq!(found["game"]["actions"], json!(actions), "{text}");
                assert_eq!(found["conclusion"].is_null(), views[count]["outcome"].is_null(), "{text}");
            }
        }
    }

    #[test]
    fn what_was_said_of_a_game_stays_as_long_as_it_holds() {
        let text = "[White \"Ann\"]\n[Result \"1/2-1/2\"]\n[Date \"2024.05.01\"]\n[Termination \"agreed\"]\n\n\
                    1.d2/c6\n1/2-1/2\n% a fine beginning\n";
        let found = read(text);
        assert_eq!(found["conclusion"], "void");
        let whole = written(&found, &[]);
        for words in ["\"Ann\"", "\"2024.05.01\"", "\"agreed\"", "Result \"1/2-1/2\"", "\n1/2-1/2\n", "% a fine"] {
            assert!(whole.contains(words), "{words}: {whole}");
        }
        assert_eq!(written(&read(&whole), &[]), whole);
        let longer = written(&found, &[json!(0)]);
        for words in ["\"Ann\"", "% a fine", "Result \"*\"", "\n*\n"] {
            assert!(longer.contains(words), "{words}: {longer}");
        }
        assert!(!longer.contains("agreed") && !longer.contains("1/2"), "{longer}");
    }

    #[test]
    fn a_seal_is_kept_and_none_is_made() {
        let game = TaggedGame::new("1.d2/c6\n*\n".to_owned()).with("White", "Ann").with("Variant", "basic");
        for (text, seal) in [(game.to_string(), Seal::Intact), (game.unsealed(), Seal::Absent)] {
            let again = written(&read(&text), &[]);
            assert_eq!(TaggedGame::all_of(&again)[0].seal(), seal, "{again}");
        }
    }
}

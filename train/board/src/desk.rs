//! Answers what the page asks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gipf_env::notation::record::{Conclusion, Record};
use gipf_env::{GipfPosition, Player, Position, Variant};
use gipf_play::Stop;
use gipf_play::analysis::{Effort, Work, analyse};
use gipf_play::arena::Cause;
use gipf_play::players::TurnLimits;

use crate::ask::{Answer, Ask, Review};
use crate::error::BoardError;
use crate::game::GameText;
use crate::geometry::BoardLines;
use crate::opponents::{Mind, Opponents};
use crate::record::{GivenUp, read, write};
use crate::report::{Replay, report};
use crate::shelf::{Shelf, StoredGame};
use crate::study::{Solution, exercises, posed};
use crate::thinking::think;
use crate::view::View;

/// Answers what the page asks, for any number of pages at once.
pub struct Desk {
    opponents: Opponents,
    shelf: Option<Arc<dyn Shelf>>,
}

impl Default for Desk {
    fn default() -> Self {
        Self::new(Opponents::shipped())
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("players", &self.opponents.iter().count()).finish_non_exhaustive()
    }
}

/// The most positions visited in a turn of a review.
const REVIEW: u64 = 100_000;

/// Receives partial answers.
type Tell<'a> = &'a mut (dyn FnMut(Answer) + Send);

impl Desk {
    /// Returns a desk that offers these players.
    pub fn new(opponents: Opponents) -> Self {
        Self { opponents, shelf: None }
    }

    /// Returns the desk with runs, ladders and datasets to look at; the networks of the runs are players too.
    pub fn with_shelf(self, shelf: Arc<dyn Shelf>) -> Self {
        Self { opponents: self.opponents.with_shelf(Arc::clone(&shelf)), shelf: Some(shelf) }
    }

    /// Answers a question, and passes partial answers to `tell`. A stop ends a long question as soon as there is an
    /// answer.
    ///
    /// # Errors
    /// If the question has no answer; nothing has changed.
    pub fn answer(&self, ask: &Ask, stop: &Stop, tell: &mut (dyn FnMut(Answer) + Send)) -> Result<Answer, BoardError> {
        match ask {
            Ask::Hello {} => Ok(self.hello()),
            Ask::Look { game } => Ok(Answer::View(Box::new(View::of(game)?))),
            Ask::Move { game, player, seed } => self.play(game, player, u64::from(*seed), stop),
            Ask::Analyse { game, player, nodes } => {
                let mut mind = self.opponents.mind(player, game.setup()?.variant)?;
                let position = unfinished(game)?;
                let mut report = |thoughts: &_| tell(Answer::Thoughts(Clone::clone(thoughts)));
                Ok(Answer::Thoughts(think(&mut mind, &position, *nodes, stop, &mut report)))
            }
            Ask::Review { game, resigned, player, nodes } => {
                let nodes = u64::from(*nodes).clamp(1, REVIEW);
                self.review(&record_of(game, *resigned)?, player, nodes, stop, tell)
            }
            Ask::Read { text } => read(text),
            Ask::Write { game, resigned, out_of_time, comments, said } => {
                let cause = if *out_of_time { Cause::Time } else { Cause::Resignation };
                write(game, resigned.map(|by| GivenUp { by, cause }), comments, said)
            }
            Ask::Puzzles { game, player, nodes } => {
                let analyst = self.opponents.contender(player, game.setup()?.variant)?;
                let puzzles = exercises(&record_of(game, None)?, &analyst, *nodes, stop)?;
                Ok(Answer::Puzzles { puzzles })
            }
            Ask::Posed { variant } => Ok(Answer::Puzzles { puzzles: posed(variant) }),
            Ask::Solve { game } => Ok(Answer::Solved(Solution::of(&unfinished(game)?, stop))),
            Ask::Page { game, about, remarks } => {
                let replay = Replay::of(game, about, remarks)?;
                Ok(Answer::Page { html: report(about, &[], &[replay]) })
            }
            Ask::Shelf {} => {
                Ok(Answer::Shelf { items: self.shelf.as_ref().map_or_else(Vec::new, |shelf| shelf.list()) })
            }
            Ask::Open { name, known } => self.open(name, known.as_deref(), stop),
            Ask::Stored { name, number } => self.stored(name, *number, stop),
        }
    }

    /// Returns whether a question takes so long that another one should end it.
    pub const fn takes_long(ask: &Ask) -> bool {
        matches!(
            ask,
            Ask::Move { .. } | Ask::Analyse { .. } | Ask::Review { .. } | Ask::Puzzles { .. } | Ask::Solve { .. }
        )
    }

    /// Returns whether a question is answered by all cores together.
    #[cfg(feature = "server")]
    pub(crate) const fn is_spread(ask: &Ask) -> bool {
        matches!(ask, Ask::Review { .. } | Ask::Puzzles { .. } | Ask::Open { .. })
    }

    /// Returns whether a question reads files, which may be so large that others should not wait for it; another one
    /// that reads should end it.
    pub const fn reads(ask: &Ask) -> bool {
        matches!(ask, Ask::Open { .. } | Ask::Stored { .. })
    }

    /// Returns the file that a question needs and that was not [given](gipf_models::give) yet.
    #[cfg(target_family = "wasm")]
    pub(crate) fn needs(&self, ask: &Ask) -> Option<gipf_models::Shipped> {
        let file = match ask {
            Ask::Move { game, player, .. }
            | Ask::Analyse { game, player, .. }
            | Ask::Review { game, player, .. }
            | Ask::Puzzles { game, player, .. } => self.opponents.file(player, game.setup().ok()?.variant),
            Ask::Posed { variant } => gipf_play::analysis::puzzle_file(variant.parse().ok()?),
            _ => None,
        };
        file.filter(|file| file.bytes().is_empty())
    }

    fn hello(&self) -> Answer {
        Answer::Hello {
            board: BoardLines::new(),
            variants: Variant::ALL.iter().map(ToString::to_string).collect(),
            players: self.opponents.now(),
        }
    }

    fn open(&self, name: &str, known: Option<&str>, stop: &Stop) -> Result<Answer, BoardError> {
        let shelf = self.shelf.as_ref().ok_or(BoardError::Shelf)?;
        let shown = shelf.open(name, stop).map_err(BoardError::Shown)?;
        let stamp = shown.stamp();
        Ok(if known == Some(&*stamp) { Answer::Same {} } else { Answer::Shown { shown, stamp } })
    }

    fn stored(&self, name: &str, number: u32, stop: &Stop) -> Result<Answer, BoardError> {
        let shelf = self.shelf.as_ref().ok_or(BoardError::Shelf)?;
        let StoredGame { setup, actions, about } = shelf.game(name, number, stop).map_err(BoardError::Shown)?;
        Ok(Answer::game(GameText::new(&setup, &actions), about))
    }

    /// Plays the turn that is due.
    fn play(&self, game: &GameText, player: &str, seed: u64, stop: &Stop) -> Result<Answer, BoardError> {
        let mut position = unfinished(game)?;
        let mut mind = self.opponents.mind(player, position.variant())?;
        let (mover, turn) = (position.to_move(), position.turn());
        let limits = TurnLimits::until(stop);
        let (mut actions, mut value) = (Vec::new(), None);
        let agent = mind.agent();
        agent.begin(&position, &[], seed);
        while position.outcome().is_none() && position.to_move() == mover && position.turn() == turn {
            let choice = agent.choose(&position, &limits).expect("agents of this program do not fail");
            value = choice.value.map(|value| value * mover.sign());
            actions.push(choice.action.index().0);
            position.play(choice.action).expect("agents choose legal actions");
            agent.observe(choice.action);
        }
        Ok(Answer::Move { actions, value })
    }

    /// Values each turn of a game.
    fn review(
        &self,
        record: &Record,
        player: &str,
        nodes: u64,
        stop: &Stop,
        tell: Tell<'_>,
    ) -> Result<Answer, BoardError> {
        let analyst = self.opponents.contender(player, record.variant())?;
        let (all, tell) = (record.turns().len(), Mutex::new(tell));
        let progress = |done: usize| {
            let mut tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
            tell(Answer::Progress { done, all });
        };
        let effort = Effort { nodes: Some(nodes), ..Effort::default() };
        let analysis = analyse(record, &analyst, &Work { effort, progress: &progress, stop })?;
        Ok(Answer::Review(Review::of(analysis)))
    }
}

impl Mind {
    fn agent(&mut self) -> &mut dyn gipf_play::players::Agent<GipfPosition> {
        match self {
            Self::Search(search) => &mut **search,
            Self::Other(agent) => &mut **agent,
        }
    }
}

fn unfinished(game: &GameText) -> Result<GipfPosition, BoardError> {
    let position = game.position()?;
    if position.outcome().is_some() { Err(BoardError::Over) } else { Ok(position) }
}

/// Returns the record of a game; a turn that is not finished is left out.
fn record_of(game: &GameText, resigned: Option<Player>) -> Result<Record, BoardError> {
    let conclusion = resigned.map(|player| Conclusion::Won(player.other()));
    Ok(Record::new(&game.setup()?, &game.actions()?, conclusion)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::{Value, json};

    pub(crate) fn told(ask: Value) -> Result<Value, String> {
        let ask: Ask = serde_json::from_value(ask).map_err(|error| error.to_string())?;
        let answer = Desk::default().answer(&ask, &Stop::default(), &mut |_| ());
        answer.map(|answer| serde_json::to_value(answer).unwrap()).map_err(|error| error.to_string())
    }

    /// Plays a game in which each action is drawn from those that the page is given; returns all views that it is
    /// given, with the actions so far.
    pub(crate) fn games(variant: Variant, seed: u64) -> Vec<Value> {
        let (mut actions, mut views, mut state) = (Vec::new(), Vec::new(), seed);
        loop {
            let game = json!({ "variant": variant.to_string(), "actions": actions });
            let mut view = told(json!({ "look": { "game": game } })).unwrap()["view"].clone();
            view["played"] = json!(actions);
            let legal = view["legal"].as_array().unwrap().clone();
            views.push(view);
            if legal.is_empty() || actions.len() == 150 {
                return views;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            actions.push(legal[(state >> 33) as usize % legal.len()]["action"].clone());
        }
    }

    #[test]
    fn what_the_page_is_told_can_be_played_to_the_end() {
        for variant in Variant::ALL {
            for view in games(variant, 7) {
                let pieces = view["pieces"].as_array().unwrap();
                let is_over = view["outcome"].is_string();
                assert_eq!(is_over, view["legal"].as_array().unwrap().is_empty());
                assert_eq!(is_over, view["question"] == "", "{view}");
                for legal in view["legal"].as_array().unwrap() {
                    let spots = legal["spots"].as_array().unwrap();
                    let on_board = |spot: &Value| pieces.iter().any(|piece| piece["spot"] == *spot);
                    let moved = if legal["does"] == "jump" { &spots[..1] } else { &spots[..] };
                    assert!(moved.iter().all(on_board), "{legal}");
                    assert_eq!(legal["does"] == "push", legal["entry"].is_u64());
                }
            }
        }
    }

    #[test]
    fn a_player_plays_the_whole_turn_that_is_due() {
        for variant in Variant::ALL {
            for view in games(variant, 3).into_iter().step_by(9).filter(|view| view["outcome"].is_null()).take(4) {
                let game = json!({ "start": view["gpn"] });
                // In the middle of a turn, a position text is that of the turn's start.
                let asked = told(json!({ "look": { "game": game } })).unwrap()["view"].clone();
                if asked["outcome"].is_string() {
                    continue;
                }
                let played = told(json!({ "move": { "game": game, "player": "alpha-beta:1", "seed": 1 } })).unwrap();
                let game = json!({ "start": view["gpn"], "actions": played["move"]["actions"] });
                let after = told(json!({ "look": { "game": game } })).unwrap()["view"].clone();
                let passed = after["outcome"].is_string() || after["to_move"] != asked["to_move"];
                assert!(passed || variant.is_push_off(), "{played} {after}");
            }
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_with_its_review() {
        let moves = [0, 5, 9, 2, 11, 7];
        let game = json!({ "variant": "basic", "actions": moves });
        let review = json!({ "review": { "game": game, "player": "alpha-beta:1", "nodes": 50 } });
        let review = told(review).unwrap()["review"].clone();
        assert_eq!(review["analysis"]["turns"].as_array().unwrap().len(), moves.len());
        let write = json!({ "write": { "game": game, "resigned": "white", "comments": review["comments"] } });
        let text = told(write).unwrap()["record"]["text"].clone();
        let read = told(json!({ "read": { "text": text } })).unwrap()["game"].clone();
        assert_eq!((&read["game"]["actions"], &read["conclusion"]), (&json!(moves), &json!("black")));
        assert_eq!(read["review"]["comments"], review["comments"]);
        let gpn = "standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0";
        assert_eq!(told(json!({ "read": { "text": gpn } })).unwrap()["game"]["game"]["start"], gpn);
    }

    #[test]
    fn the_tags_of_a_record_are_heeded_and_of_several_games_the_first_is_read() {
        let read = |text: &str| told(json!({ "read": { "text": text } })).unwrap()["game"].clone();
        let game = read("[Variant \"basic\"]\n[SetUp \"2\"]\n\n1.d2/c6\n*\n\n[Variant \"standard\"]\n\n1.d2\n");
        assert!(game["game"]["start"].as_str().unwrap().starts_with("basic "), "{game}");
        let understood = game["understood"].as_str().unwrap();
        for words in ["basic", "; the first of 2 games", "; tag SetUp is not understood"] {
            assert!(understood.contains(words), "{understood}");
        }
        // Push-off has no notation: all of it is decisions.
        let mut position = GipfPosition::start(Variant::PUSH_OFF);
        let decisions = [(); 3].map(|()| {
            let first = position.legal_actions().next().unwrap();
            position.play(first).unwrap();
            first.index().0
        });
        let words = decisions.map(|index| index.to_string()).join(" ");
        let game = read(&format!("[Variant \"push-off\"]\n[Decisions \"{words}\"]\n\n*\n"));
        assert_eq!(game["game"]["actions"], json!(decisions), "{game}");
        for (tags, words) in [("[Variant \"chess\"]", "tag Variant"), ("[Decisions \"x\"]", "tag Decisions")] {
            let error = told(json!({ "read": { "text": format!("{tags}\n\n1.d2\n") } })).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_loss_on_time_is_none_by_resignation() {
        let game = json!({ "variant": "basic", "actions": [0, 5] });
        for out_of_time in [false, true] {
            let write = json!({ "write": { "game": game, "resigned": "white", "out_of_time": out_of_time } });
            let text = told(write).unwrap()["record"]["text"].clone();
            let read = told(json!({ "read": { "text": text } })).unwrap()["game"].clone();
            let cause = if out_of_time { "time" } else { "resignation" };
            assert_eq!((&read["conclusion"], &read["cause"]), (&json!("black"), &json!(cause)), "{text}");
        }
    }

    #[test]
    fn an_endgame_is_proven() {
        let game = json!({ "start": "basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0" });
        let solved = told(json!({ "solve": { "game": game } })).unwrap()["solved"].clone();
        assert_eq!(solved["result"], "white", "{solved}");
        let after = json!({ "start": game["start"], "actions": solved["line"] });
        assert!(told(json!({ "look": { "game": after } })).is_ok());
    }

    #[test]
    fn what_is_no_question_gets_one_line() {
        for (ask, words) in [
            (json!({ "look": { "game": { "start": "basic 5/5" } } }), "start"),
            (json!({ "look": { "game": { "variant": "chess" } } }), "chess"),
            (json!({ "look": { "game": { "actions": [60000] } } }), "60000"),
            (json!({ "look": { "game": { "actions": [62] } } }), "action 1"),
            (json!({ "look": { "game": { "actions": vec![0; 5000] } } }), "at most"),
            (json!({ "move": { "game": {}, "player": "/etc/passwd", "seed": 0 } }), "offered"),
            (json!({ "move": { "game": { "variant": "push-off" }, "player": "pretrained", "seed": 0 } }), "push-off"),
            (json!({ "read": { "text": "1. x9" } }), ""),
            (json!({ "hello": { "more": 1 } }), "more"),
            (json!({ "solve": { "game": { "actions": [62] } } }), "action 1"),
            (json!({ "page": { "game": { "actions": vec![0; 1001] }, "about": "" } }), "at most"),
            (json!({ "open": { "name": "../../etc/passwd" } }), "nothing to look at"),
            (json!({ "stored": { "name": "x", "number": 1 } }), "nothing to look at"),
            (json!({ "move": { "game": {}, "player": "runs/x @ 3", "seed": 0 } }), "offered"),
            (json!("hello"), ""),
        ] {
            let error = told(ask.clone()).unwrap_err();
            assert!(error.contains(words) && !error.contains('\n'), "{ask}: {error}");
        }
    }

    #[test]
    fn with_a_number_of_nodes_only_the_seconds_differ() {
        for (player, visits) in [("pretrained", 63..=64), ("alpha-beta:3", 0..=0)] {
            let ask = json!({ "analyse": { "game": { "variant": "basic" }, "player": player, "nodes": 64 } });
            let [one, other] = [(); 2].map(|()| {
                let mut thoughts = told(ask.clone()).unwrap()["thoughts"].clone();
                thoughts.as_object_mut().unwrap().remove("seconds");
                thoughts
            });
            assert_eq!(one, other);
            let all = one["candidates"].as_array().unwrap().iter();
            let all: u64 = all.map(|candidate| candidate["visits"].as_u64().unwrap()).sum();
            assert!(visits.contains(&all), "{player}: {all}");
        }
    }

    /// A worker that is computing hears nothing, so the page must know which questions take long.
    #[test]
    fn the_page_knows_what_takes_long() {
        let line = include_str!("../page/local.js").lines().find(|line| line.starts_with("const LONG")).unwrap();
        let (game, player) = (json!({}), "level:1");
        for (name, ask) in [
            ("hello", json!({})),
            ("look", json!({ "game": game })),
            ("move", json!({ "game": game, "player": player, "seed": 1 })),
            ("analyse", json!({ "game": game, "player": player })),
            ("review", json!({ "game": game, "player": player, "nodes": 1 })),
            ("read", json!({ "text": "" })),
            ("write", json!({ "game": game })),
            ("puzzles", json!({ "game": game, "player": player, "nodes": 1 })),
            ("posed", json!({ "variant": "basic" })),
            ("solve", json!({ "game": game })),
            ("page", json!({ "game": game, "about": "" })),
            ("shelf", json!({})),
            ("open", json!({ "name": "" })),
            ("stored", json!({ "name": "", "number": 1 })),
        ] {
            let ask = serde_json::from_value(json!({ name: ask })).unwrap();
            assert_eq!(line.contains(&format!("'{name}'")), Desk::takes_long(&ask), "{name}");
        }
    }
}

//! Games of matches as text for rating programs and people, similar to the PGN of chess.
//!
//! ```text
//! [Event "?"]
//! [Site "?"]
//! [Date "????.??.??"]
//! [Round "1"]
//! [White "alpha-beta:1"]
//! [Black "random"]
//! [Result "1-0"]
//! [Variant "standard"]
//! [Start "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0"]
//! [OpeningTurns "4"]
//! [PlacementLimit "400"]
//! [Termination "no-move"]
//! [Games "8"]
//! [Checksum "…"]
//!
//! 1.d2 h1-h3 2.c2 g6 3.…
//! 1-0
//! % Checksum: …
//! ```
//!
//! After the seven tags of PGN come the rule set, the position text of the start, the number of turns in the random
//! opening, the placement limit, and why the game ended: a reason of the rules, or the loser's fault; and on a sheet
//! the number of games written together. The checksum covers all other lines and is at both ends, so that a change or
//! the loss of one end is detected. The turns are in official complete notation without the reserves.
//!
//! Games by the clock also have the tag `TimeControl`, `60+1` for 60 seconds and one more per turn. Where a game was
//! void by repetition and replayed, all its games are written: rounds `3.1`, `3.2` and so on, the void ones with the
//! result `*`.

use std::fmt;

use gipf_env::text::wrapped;
use gipf_env::{GipfPosition, Player, Position};

use super::game::{Ending, GameRecord};
use super::openings::Opening;
use super::pairs::{Match, Pair};
use super::time_control::TimeControl;
use crate::tagged_game::TaggedGame;
use crate::ugi::{KEEPS_ALL, UgiGame};

/// The games of matches, one after the other, as written to a file.
#[derive(Clone, Debug)]
pub struct RecordSheet {
    date: String,
    games: Vec<TaggedGame>,
}

impl RecordSheet {
    /// Returns an empty sheet for games of a day, written `YYYY.MM.DD`.
    pub const fn new(date: String) -> Self {
        Self { date, games: Vec::new() }
    }

    /// Adds the games of a match, in the order of their numbers; round 1 is the first game of the first opening.
    ///
    /// # Panics
    /// If the rule set has no notation.
    pub fn add(&mut self, played: &Match) {
        let [a, b] = played.report.agents.each_ref().map(|agent| agent.name.as_str());
        let names = PairNames { agents: [a, b], control: played.report.clock };
        for pair in &played.pairs {
            self.add_pair(pair, &played.openings[pair.number], names);
        }
    }

    /// Adds the games of a pair, played from this opening.
    ///
    /// # Panics
    /// If the rule set has no notation.
    pub fn add_pair(
        &mut self,
        pair: &Pair,
        opening: &Opening<GipfPosition>,
        PairNames { agents, control }: PairNames<'_>,
    ) {
        let [a, b] = agents;
        for (place, (game, names)) in pair.games.iter().zip([[a, b], [b, a]]).enumerate() {
            let round = 2 * pair.number + place + 1;
            let date = Some(self.date.as_str());
            for (number, part) in game.void.iter().chain([game]).enumerate() {
                // Every replay exchanges the colours.
                let names = if number % 2 == 0 { names } else { [names[1], names[0]] };
                let of_round = (!game.void.is_empty()).then_some(number + 1);
                let text = GameText { round, of_round, date, names, control, opening, game: part };
                self.games.push(text.tagged());
            }
        }
    }

    /// Returns the text. Each game says how many there are, so that a reader notices if one is lost.
    pub fn text(&self) -> String {
        let count = self.games.len().to_string();
        let game = |game: &TaggedGame| format!("{}\n", game.clone().with(GAMES, count.as_str()));
        self.games.iter().map(game).collect()
    }

    /// Returns the text of games that may be incomplete: they do not say how many there are.
    pub(super) fn partial_text(&self) -> String {
        self.games.iter().flat_map(|game| [game.to_string(), "\n".to_owned()]).collect()
    }
}

/// The players of a match, and their time.
#[derive(Clone, Copy, Debug)]
pub struct PairNames<'a> {
    /// The names of A and B; A is White in the first game of a pair.
    pub agents: [&'a str; 2],
    /// The time of each player, if there is a clock.
    pub control: Option<TimeControl>,
}

/// The tag that says how many games were written together.
pub const GAMES: &str = "Games";

/// The tag that says why a game ended, as in PGN.
pub const TERMINATION: &str = "Termination";

/// A game to be written, with its players and date.
#[derive(Clone, Copy, Debug)]
pub struct GameText<'a> {
    /// The number of the game in its match, from 1.
    pub round: usize,
    /// The number of the game among the void ones and the one that counts, from 1, if there were void games.
    pub of_round: Option<usize>,
    /// The day as `YYYY.MM.DD`, if known.
    pub date: Option<&'a str>,
    /// The names of White and Black.
    pub names: [&'a str; 2],
    /// The time of each player, if there was a clock.
    pub control: Option<TimeControl>,
    /// The opening before the players' decisions.
    pub opening: &'a Opening<GipfPosition>,
    /// The game that they played.
    pub game: &'a GameRecord,
}

/// The most characters in a line of turns.
const WIDTH: usize = 99;

impl GameText<'_> {
    /// Returns the tags and their values, in order.
    fn tags(&self, start: &str) -> Vec<(&'static str, String)> {
        let [white, black] = self.names.map(str::to_owned);
        let limit = self.opening.start.placement_limit().map(|limit| ("PlacementLimit", limit.to_string()));
        let part = self.of_round.map_or_else(String::new, |part| format!(".{part}"));
        let mut tags = vec![
            ("Event", "?".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", self.date.unwrap_or("????.??.??").to_owned()),
            ("Round", format!("{}{part}", self.round)),
            ("White", white),
            ("Black", black),
            ("Result", result(&self.game.ending).to_owned()),
            ("Variant", self.opening.start.variant().to_string()),
            ("Start", start.to_owned()),
            ("OpeningTurns", self.opening.position.turn().to_string()),
        ];
        tags.extend(limit);
        tags.extend(self.control.map(|control| ("TimeControl", control.tag())));
        tags.push((TERMINATION, termination(&self.game.ending)));
        tags
    }

    /// Returns the game with its tags.
    fn tagged(&self) -> TaggedGame {
        let course = self.course();
        // On a line of its own: for PGN a semicolon opens a comment to the end of the line.
        let turns = format!("{}{}\n", self.turns(&course), result(&self.game.ending));
        let tags = self.tags(course.start()).into_iter();
        tags.fold(TaggedGame::new(turns), |game, (name, value)| game.with(name, value))
    }

    /// Returns the turns in lines, each with its line break. A last turn without a text is left out: the result says
    /// enough.
    fn turns(&self, course: &UgiGame) -> String {
        let first = self.opening.start.to_move();
        let end = course.undecided_end();
        let told = course.turns().iter().chain(&end).filter(|turn| *turn != KEEPS_ALL);
        let words = told.enumerate().map(|(place, turn)| numbered(place, first, turn));
        wrapped(words, " ", WIDTH).into_iter().map(|line| line + "\n").collect()
    }

    fn course(&self) -> UgiGame {
        let mut course = UgiGame::new(&self.opening.start.to_setup()).expect("a match starts from a valid position");
        let start = &self.opening.start;
        let played = self.game.actions.iter().map(|&index| start.action_at(index).expect("the game has this action"));
        for action in self.opening.actions.iter().copied().chain(played) {
            course.play(action).expect("the game was played");
        }
        course
    }
}

impl fmt::Display for GameText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tagged().fmt(f)
    }
}

/// Writes a turn with its number, if it is White's or the first of the game.
fn numbered(place: usize, first: Player, turn: &str) -> String {
    let half = place + first.index();
    match (half % 2, place) {
        (0, _) => format!("{}.{turn}", half / 2 + 1),
        (_, 0) => format!("{}...{turn}", half / 2 + 1),
        _ => turn.to_owned(),
    }
}

fn result(ending: &Ending) -> &'static str {
    if *ending == Ending::Void { "*" } else { TaggedGame::result(ending.winner()) }
}

fn termination(ending: &Ending) -> String {
    match ending {
        Ending::Played(outcome) => outcome.reason.to_string(),
        Ending::Ruled { cause, .. } => cause.to_string(),
        Ending::Void => ending.to_string(),
        Ending::Forfeit { fault, .. } => format!("forfeit: {fault}"),
    }
}

//! Positions with one good turn, found in games.
//!
//! A position becomes a puzzle if one turn is good for its player and all others are clearly worse, by a search ten
//! times as long or by proof. Its difficulty is how long the analyst has to search before it finds the turn.

use std::fmt;
use std::str::FromStr;

use gipf_env::notation::record::Record;
use gipf_env::notation::{Ledger, ReadError};
use gipf_env::{Action, GpnError, Player, Position, Setup};

use super::look::{Look, in_thousandths};
use super::search::Mind;
use super::text::{ledger_at, play_text};
use super::turns::Question;
use super::{AnalysisError, Effort};
use crate::players::{Contender, expected};
use crate::{Stop, in_order, ugi::UgiGame};

/// What makes a position a puzzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuzzleConfig {
    /// The nodes for the first search of each position; those that may be puzzles are searched again with ten times as
    /// many.
    pub nodes: u64,
    /// The least result that the player must expect after the turn, -1 to 1.
    pub least: f32,
    /// By how much every other turn must be worse.
    pub gain: f32,
}

impl Default for PuzzleConfig {
    /// Returns 800 nodes, a result of at least 0, and a gain of at least 0.3: every other turn is a blunder.
    fn default() -> Self {
        Self { nodes: 800, least: 0.0, gain: 0.3 }
    }
}

/// A position with one good turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// The position.
    pub setup: Setup,
    /// The turn to be found, and those expected after it, in official complete notation.
    pub line: Vec<String>,
    /// The result that its player expects after the turn, -1 to 1, in thousandths.
    pub value: f32,
    /// The result expected after the best of all other turns.
    pub next: f32,
    /// Whether the result after the turn is proven.
    pub is_certain: bool,
    /// How hard it is for a search to find, 1 to 5.
    pub difficulty: u8,
}

/// The nodes of increasingly long searches: each that does not find the turn makes it one step harder.
const STEPS: [u64; 4] = [8, 32, 128, 512];
/// How many times as long as the first search the second one is.
const LONGER: u64 = 10;

/// Returns the puzzles of a game, in the order of its turns. The work is done in parallel on all threads.
///
/// # Errors
/// If it is asked to stop, or the agent has no values.
pub fn find_puzzles(
    record: &Record,
    analyst: &Contender<gipf_env::GipfPosition>,
    config: &PuzzleConfig,
    stop: &Stop,
) -> Result<Vec<Puzzle>, AnalysisError> {
    let setups: Vec<_> =
        record.turns().iter().filter(|turn| !turn.actions.is_empty()).map(|turn| &turn.setup).collect();
    let found = in_order(setups.len() as u64, |numbers| {
        let finder = Finder { analyst, config, stop };
        let asked = numbers.take_while(|_| !stop.requested());
        asked.map(|number| (number, finder.puzzle(setups[number as usize]))).collect()
    });
    if stop.requested() {
        return Err(AnalysisError::Stopped);
    }
    Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Looks for puzzles on one thread.
struct Finder<'a> {
    analyst: &'a Contender<gipf_env::GipfPosition>,
    config: &'a PuzzleConfig,
    stop: &'a Stop,
}

impl Finder<'_> {
    fn puzzle(&self, setup: &Setup) -> Result<Option<Puzzle>, AnalysisError> {
        let setup = Setup { placement_limit: None, ..setup.clone() };
        let Some(ledger) = ledger_at(&setup).filter(has_choice) else { return Ok(None) };
        let first = self.look(&ledger, self.config.nodes, 2)?;
        if !self.may_be_one(&first, setup.to_move) {
            return Ok(None);
        }
        let longer = self.look(&ledger, LONGER * self.config.nodes, 1)?;
        let (Some(before), Some(best)) = (first.candidates.first(), longer.candidates.first()) else { return Ok(None) };
        let sign = setup.to_move.sign();
        if before.turn != best.turn || sign * longer.value < self.config.least {
            return Ok(None);
        }
        let Some(next) = self.best_of_others(&ledger, &best.turn)? else { return Ok(None) };
        if sign * longer.value - next < self.config.gain {
            return Ok(None);
        }
        let line = [std::slice::from_ref(&best.turn), &best.line].concat();
        let difficulty = self.difficulty(&ledger, &best.turn)?;
        let (value, is_certain) = (in_thousandths(sign * longer.value), longer.known.is_some());
        Ok(Some(Puzzle { setup, line, value, next: in_thousandths(next), is_certain, difficulty }))
    }

    fn look(&self, ledger: &Ledger, nodes: u64, candidates: usize) -> Result<Look, AnalysisError> {
        let effort = Effort { nodes: Some(nodes), candidates, ..Effort::default() };
        Mind::of(self.analyst, effort, self.stop).look(&Question { ledger, forced: Vec::new() })
    }

    fn may_be_one(&self, look: &Look, player: Player) -> bool {
        let [best, second] = look.candidates.as_slice() else { return false };
        let gain = player.sign() * (best.value - second.value);
        player.sign() * best.value >= self.config.least && gain >= self.config.gain
    }

    /// Returns what the player expects after the best turn that begins with another decision; none if the turn itself has
    /// more than one decision with a choice, since only one could be checked.
    fn best_of_others(&self, ledger: &Ledger, turn: &str) -> Result<Option<f32>, AnalysisError> {
        let solution = gipf_env::notation::official::read(ledger, turn).unwrap_or_default();
        let Some(&first) = solution.first() else { return Ok(None) };
        if !is_only_choice(ledger, &solution) {
            return Ok(None);
        }
        let (position, mut agent) = (ledger.position(), (self.analyst.build)());
        let effort = Effort { nodes: Some(self.config.nodes), ..Effort::default() };
        let (limits, mut best) = (effort.limits(self.stop), -1.0_f32);
        for action in position.legal_actions().filter(|&action| action != first) {
            let after = position.after(action);
            agent.begin(&after, &[], 0);
            let found = expected(agent.as_mut(), &after, &limits)?;
            let no_values = || AnalysisError::NoValues(self.analyst.name.clone());
            best = best.max(position.to_move().sign() * found.value.ok_or_else(no_values)?);
        }
        Ok(Some(best))
    }

    fn difficulty(&self, ledger: &Ledger, turn: &str) -> Result<u8, AnalysisError> {
        for (level, nodes) in (1..).zip(STEPS) {
            if self.look(ledger, nodes, 1)?.candidates.first().is_some_and(|found| found.turn == turn) {
                return Ok(level);
            }
        }
        Ok(STEPS.len() as u8 + 1)
    }
}

fn has_choice(ledger: &Ledger) -> bool {
    ledger.position().outcome().is_none() && ledger.position().num_legal_actions() > 1
}

/// Returns whether only the first decision of a turn has a choice.
fn is_only_choice(ledger: &Ledger, turn: &[Action]) -> bool {
    let mut position = ledger.position().clone();
    turn.iter().enumerate().all(|(place, &action)| {
        let is_free = position.num_legal_actions() > 1;
        position.play_unchecked(action);
        is_free == (place == 0)
    })
}

/// Returns up to `count` puzzles, equally many of each difficulty as far as there are enough, the largest gains first.
pub fn spread(mut puzzles: Vec<Puzzle>, count: usize) -> Vec<Puzzle> {
    puzzles.sort_by(|a, b| (b.value - b.next).total_cmp(&(a.value - a.next)));
    let mut levels: Vec<Vec<Puzzle>> = vec![Vec::new(); STEPS.len() + 1];
    for puzzle in puzzles.into_iter().rev() {
        levels[usize::from(puzzle.difficulty.clamp(1, 5)) - 1].push(puzzle);
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && levels.iter().any(|level| !level.is_empty()) {
        let open = count - chosen.len();
        chosen.extend(levels.iter_mut().filter_map(Vec::pop).take(open));
    }
    chosen.sort_by_key(|puzzle| puzzle.difficulty);
    chosen
}

/// Writes a puzzle as one line, in the form that is read.
impl fmt::Display for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setup, line, value, next, is_certain, difficulty } = self;
        let certain = if *is_certain { " certain" } else { "" };
        write!(f, "{setup} | {} | {difficulty} {value:+.3} {next:+.3}{certain}", line.join(" "))
    }
}

/// Why a line is not a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    /// It does not have three parts.
    #[error("expected a position, a bar, turns, a bar, and difficulty and values")]
    Parts,
    /// The position text is invalid.
    #[error(transparent)]
    Position(#[from] GpnError),
    /// The rules do not allow the position, or the rule set has no notation.
    #[error("expected a position of a rule set with a notation, in which a turn can be played")]
    NoTurn,
    /// A turn cannot be played.
    #[error("turn {0}: {1}")]
    Turn(usize, Box<ReadError>),
    /// The numbers are wrong.
    #[error("expected a difficulty of 1 to 5 and two values from -1 to 1")]
    Numbers,
}

impl FromStr for Puzzle {
    type Err = PuzzleError;

    fn from_str(text: &str) -> Result<Self, PuzzleError> {
        let parts: Vec<_> = text.split('|').map(str::trim).collect();
        let [gpn, turns, numbers] = parts.as_slice() else { return Err(PuzzleError::Parts) };
        let setup: Setup = gpn.parse()?;
        if !UgiGame::is_told(setup.variant) {
            return Err(PuzzleError::NoTurn);
        }
        let mut ledger = ledger_at(&setup).filter(has_choice).ok_or(PuzzleError::NoTurn)?;
        let mut line = Vec::new();
        for (number, turn) in (1..).zip(turns.split_whitespace()) {
            let read = play_text(&mut ledger, turn);
            line.push(read.map_err(|why| PuzzleError::Turn(number, Box::new(why)))?);
        }
        let words: Vec<_> = numbers.split_whitespace().collect();
        let [difficulty, value, next, rest @ ..] = words.as_slice() else { return Err(PuzzleError::Numbers) };
        let number = |text: &str| {
            let number = text.parse::<f32>().ok().filter(|value| (-1.0..=1.0).contains(value));
            number.map(in_thousandths).ok_or(PuzzleError::Numbers)
        };
        let level = difficulty.parse().ok().filter(|level| (1..=5).contains(level)).ok_or(PuzzleError::Numbers)?;
        if line.is_empty() || !matches!(rest, [] | ["certain"]) {
            return Err(if line.is_empty() { PuzzleError::NoTurn } else { PuzzleError::Numbers });
        }
        let (value, next) = (number(value)?, number(next)?);
        Ok(Self { setup, line, value, next, is_certain: !rest.is_empty(), difficulty: level })
    }
}

impl Puzzle {
    /// Returns whether a turn is the one to be found, in any spelling; removals that differ make it another turn.
    ///
    /// # Errors
    /// If the text is not a turn that can be played.
    ///
    /// # Panics
    /// Never: the position was valid when the puzzle was made.
    pub fn is_solved_by(&self, text: &str) -> Result<bool, ReadError> {
        let mut ledger = ledger_at(&self.setup).expect("a puzzle has a position");
        let (mut solution, played) = (ledger.clone(), play_text(&mut ledger, text)?);
        let is_same = self.line.first() == Some(&played);
        let found = self.line.first().map(|turn| play_text(&mut solution, turn));
        Ok(is_same || found.is_some_and(|read| read.is_ok()) && solution.position().key() == ledger.position().key())
    }
}

#[cfg(test)]
mod tests {
    use gipf_env::Variant;

    use super::*;
    use crate::Stop;
    use crate::players::{AgentSpec, TurnLimits};

    /// Games with a random turn now and then, so that there is something to find.
    fn games(count: u64) -> Vec<Record> {
        let play = |seed| {
            let contender = |name: &str| name.parse::<AgentSpec>().unwrap().contender(Variant::BASIC).unwrap();
            let mut agents = ["alpha-beta:2", "random"].map(|name| (contender(name).build)());
            let setup = Setup::start(Variant::BASIC).with_placement_limit(Some(80));
            let mut position = gipf_env::GipfPosition::from_setup(&setup).unwrap();
            for agent in &mut agents {
                agent.begin(&position, &[], seed);
            }
            let mut actions = Vec::new();
            while position.outcome().is_none() {
                let turn = position.turn() as u64;
                let agent = &mut agents[usize::from((turn * 7 + seed).is_multiple_of(3))];
                let action = agent.choose(&position, &TurnLimits::default()).unwrap().action;
                position.play(action).unwrap();
                actions.push(action);
            }
            Record::new(&setup, &actions, None).unwrap()
        };
        (0..count).map(play).collect()
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "searches for long")]
    fn puzzles_have_one_good_turn_and_survive_a_text() {
        let analyst = "alpha-beta:8".parse::<AgentSpec>().unwrap().contender(Variant::BASIC).unwrap();
        let stop = Stop::default();
        let config = PuzzleConfig { nodes: 300, gain: 0.15, ..PuzzleConfig::default() };
        let found = games(10).iter().flat_map(|game| find_puzzles(game, &analyst, &config, &stop).unwrap()).collect();
        let chosen = spread(found, 12);
        assert!(chosen.len() >= 2, "{}", chosen.len());
        for puzzle in &chosen {
            assert!(puzzle.value - puzzle.next >= 0.149 && puzzle.value >= 0.0, "{puzzle}");
            assert_eq!(puzzle.to_string().parse::<Puzzle>().as_ref(), Ok(puzzle));
            assert_eq!(puzzle.is_solved_by(&puzzle.line[0]), Ok(true));
            let legal = UgiGame::new(&puzzle.setup).unwrap().legal_turns(1000).unwrap();
            let solved = legal.iter().filter(|turn| puzzle.is_solved_by(turn) == Ok(true)).count();
            assert!((1..=2).contains(&solved), "{puzzle}: two orders of removal are one turn");
            assert!(puzzle.is_solved_by("z9").is_err());
        }
        assert!(chosen.is_sorted_by_key(|puzzle| puzzle.difficulty));
    }

    #[test]
    fn lines_that_are_no_puzzles_are_refused() {
        let told = |text: &str| text.parse::<Puzzle>().unwrap_err().to_string();
        let start = Setup::start(Variant::BASIC).to_string();
        let push_off = Variant::ALL.into_iter().find(|variant| variant.is_push_off()).unwrap();
        for (text, expected) in [
            ("basic".to_owned(), "a bar"),
            (format!("{start} | d2 | 3 +0.5"), "two values"),
            (format!("{start} | d2 | 6 +0.5 +0.1"), "1 to 5"),
            (format!("{start} | d2 | 5 +1.5 +0.1"), "-1 to 1"),
            (format!("{start} | d2 | 5 NaN +0.1"), "-1 to 1"),
            (format!("{start} | | 5 +0.5 +0.1"), "a turn can be played"),
            (format!("{start} | d2 z9 | 5 +0.5 +0.1"), "turn 2: "),
            (format!("{} | e2 | 5 +0.5 +0.1", Setup::start(push_off)), "with a notation"),
        ] {
            assert!(told(&text).contains(expected), "{text}: {}", told(&text));
        }
    }
}

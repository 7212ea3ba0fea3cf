//! Replays recorded games and compares every answer of the rules with the record.
//!
//! A record is a line of JSON: the rule set, the start, and for each decision the board, the player, the reserves, the
//! legal actions and the action taken; then the final board and the result. Records are read line by line and nothing
//! in them is trusted.

use std::fmt;
use std::io::{self, BufRead, Read};

use gipf_env::rules::{SetupError, UnknownVariant};
use gipf_env::text::{BYTE_ORDER_MARK, truncate_escaped};
use gipf_env::{Action, ActionIndex, GipfPosition, GpnError, Outcome, Player, Position, Reason, Setup, Variant};
use serde::{Deserialize, Serialize};

/// The counts of a comparison, over all records read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Games replayed.
    pub games: usize,
    /// Decisions compared in them.
    pub decisions: usize,
    /// Differences found.
    pub mismatches: usize,
}

/// A difference between the rules and the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The line of the game in its file, from 1.
    pub game: usize,
    /// The number of the decision in the game, from 1; `None` for the start and the end.
    pub decision: Option<usize>,
    /// The kind of difference.
    pub subject: Subject,
    /// The value in the record.
    pub expected: String,
    /// The value according to the rules.
    pub found: String,
}

/// A compared property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Whether the start is a position of the rule set.
    Start,
    /// The pieces at a decision.
    Board,
    /// The player who decides.
    Side,
    /// The reserves of White and Black.
    Reserve,
    /// The legal actions.
    Legal,
    /// The action taken: it must be legal.
    Action,
    /// The pieces at the end.
    Final,
    /// How the game ended.
    Result,
}

/// Why a file of records cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConformanceError {
    /// The file cannot be read.
    #[error("line {line}: {source}")]
    Read {
        /// The line that was being read.
        line: usize,
        /// The reason.
        source: io::Error,
    },
    /// A line is longer than any record.
    #[error("line {line} is longer than {LONGEST_LINE} bytes, expected one recorded game")]
    TooLong {
        /// The line.
        line: usize,
    },
    /// A line is not a record.
    #[error("line {line}, column {column}, is not of a recorded game: {what}")]
    Json {
        /// The line.
        line: usize,
        /// The column at which it is wrong, in bytes from 1.
        column: usize,
        /// The fault.
        what: String,
    },
    /// A record is of an unknown game.
    #[error("line {line}: {source}")]
    RuleSet {
        /// The line.
        line: usize,
        /// The name found.
        source: UnknownVariant,
    },
    /// A record begins with settings that its rule set does not have.
    #[error("line {line}: {source}")]
    Setup {
        /// The line.
        line: usize,
        /// The fault.
        source: SetupError,
    },
}

/// Returns the result for each game in `records`, one per line, in order.
///
/// ```
/// use gipf_train::conformance::{Summary, check};
///
/// let record = r#"{"rules": "basic", "potentials": 0, "limit": 9, "final": "s2S/5/6/S5s/6/5/s2S", "result": "cut",
///     "steps": [{"board": "s2S/5/6/S5s/6/5/s2S", "side": "w", "reserve": [12, 11], "legal": [], "action": 2}]}"#;
/// let mut summary = Summary::default();
/// for game in check(record.replace('\n', "").as_bytes()) {
///     summary.add(&game?);
/// }
/// // The reserve, the list of legal actions, and the final board, which lacks the piece that was brought in.
/// assert_eq!(summary.to_string(), "1 games, 1 decisions, 3 mismatches");
/// # Ok::<(), gipf_train::conformance::ConformanceError>(())
/// ```
pub fn check<R: BufRead>(records: R) -> Games<R> {
    Games { records, line: 0, text: Vec::new() }
}

/// The games of a file, replayed one after the other; the first error ends them.
#[derive(Debug)]
pub struct Games<R> {
    records: R,
    line: usize,
    text: Vec<u8>,
}

/// The result for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The decisions compared.
    pub decisions: usize,
    /// Every difference found, in the order of the game.
    pub mismatches: Vec<Mismatch>,
}

impl Summary {
    /// Counts one more game.
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        self.decisions += game.decisions;
        self.mismatches += game.mismatches.len();
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, decisions, mismatches } = self;
        write!(f, "{games} games, {decisions} decisions, {mismatches} mismatches")
    }
}

/// Writes the difference in one line, such as `game 3, decision 7: reserve: expected [9, 8], found [9, 9]`.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.game)?;
        if let Some(decision) = self.decision {
            write!(f, ", decision {decision}")?;
        }
        write!(f, ": {}: expected {}, found {}", self.subject, self.expected, self.found)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Start => "start",
            Self::Board => "board",
            Self::Side => "side",
            Self::Reserve => "reserve",
            Self::Legal => "legal",
            Self::Action => "action",
            Self::Final => "final",
            Self::Result => "result",
        })
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<Game, ConformanceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.next_record().and_then(|record| record.map(|record| self.replay(&record)).transpose());
        if game.is_err() {
            // The rest of the file is not read.
            self.line = usize::MAX;
        }
        game.transpose()
    }
}

impl<R: BufRead> Games<R> {
    fn next_record(&mut self) -> Result<Option<Record>, ConformanceError> {
        while self.line < usize::MAX && self.read_line()? {
            if !self.text.trim_ascii().is_empty() {
                return serde_json::from_slice(self.text.trim_ascii_end()).map_err(|error| self.not_a_record(&error));
            }
        }
        Ok(None)
    }

    /// Reads the next line, and returns whether there was one.
    fn read_line(&mut self) -> Result<bool, ConformanceError> {
        self.line += 1;
        let line = self.line;
        self.text.clear();
        let mut bounded = self.records.by_ref().take(LONGEST_LINE as u64 + 1);
        bounded.read_until(b'\n', &mut self.text).map_err(|source| ConformanceError::Read { line, source })?;
        if line == 1 && self.text.starts_with(BYTE_ORDER_MARK.as_bytes()) {
            self.text.drain(..BYTE_ORDER_MARK.len());
        }
        if self.text.len() > LONGEST_LINE {
            return Err(ConformanceError::TooLong { line });
        }
        Ok(!self.text.is_empty())
    }

    fn not_a_record(&self, error: &serde_json::Error) -> ConformanceError {
        let text = error.to_string();
        // The message ends with a position within the one parsed line: that part is cut off.
        let what = truncate_escaped(text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what), 200);
        ConformanceError::Json { line: self.line, column: error.column(), what }
    }

    fn replay(&self, record: &Record) -> Result<Game, ConformanceError> {
        let line = self.line;
        let variant = record.rules.parse().map_err(|source| ConformanceError::RuleSet { line, source })?;
        let mut replay = GameReplay { game: line, decisions: 0, mismatches: Vec::new() };
        match record.setup(variant).map_err(|source| ConformanceError::Setup { line, source })? {
            Ok(setup) => replay.run(record, &setup),
            Err(refused) => replay.differ(None, Subject::Start, "a position", &refused),
        }
        Ok(Game { decisions: replay.decisions, mismatches: replay.mismatches })
    }
}

/// The maximum length in bytes: longer than the record of any game of 400 placements.
const LONGEST_LINE: usize = 1 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    rules: String,
    potentials: u8,
    start: Option<String>,
    limit: Option<u16>,
    steps: Vec<Step>,
    #[serde(rename = "final")]
    end: String,
    result: Ending,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    board: String,
    side: Side,
    reserve: [u8; 2],
    legal: Vec<u16>,
    action: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Side {
    #[serde(rename = "w")]
    White,
    #[serde(rename = "b")]
    Black,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ending {
    White,
    Black,
    Repetition,
    Limit,
    /// The record stops before the game ends.
    Cut,
}

impl Record {
    /// Returns where the game starts, or why the position text was refused.
    fn setup(&self, variant: Variant) -> Result<Result<Setup, String>, SetupError> {
        let read = match &self.start {
            Some(text) => text.parse().map_err(|error: GpnError| format!("`{error}`")),
            None if self.potentials == 0 && !variant.has_zertz() => Ok(Setup::start(variant)),
            None => Ok(Setup::start(variant).with_potentials(self.potentials)?),
        };
        Ok(read.map(|setup: Setup| setup.with_placement_limit(self.limit)))
    }
}

impl From<Player> for Side {
    fn from(player: Player) -> Self {
        match player {
            Player::White => Self::White,
            Player::Black => Self::Black,
        }
    }
}

impl From<Option<Outcome>> for Ending {
    fn from(outcome: Option<Outcome>) -> Self {
        match outcome.map(|outcome| (outcome.winner, outcome.reason)) {
            None => Self::Cut,
            Some((Some(Player::White), _)) => Self::White,
            Some((Some(Player::Black), _)) => Self::Black,
            Some((None, Reason::Limit)) => Self::Limit,
            Some((None, _)) => Self::Repetition,
        }
    }
}

/// A game being replayed.
struct GameReplay {
    game: usize,
    decisions: usize,
    mismatches: Vec<Mismatch>,
}

impl GameReplay {
    fn run(&mut self, record: &Record, setup: &Setup) {
        let mut position = GipfPosition::from_setup(setup).expect("a setup that was read or is a start is valid");
        for step in &record.steps {
            self.decisions += 1;
            self.compare_step(step, &position);
            let action = position.action_at(ActionIndex(step.action));
            let legal = action.filter(|&action| position.action_set().contains(action));
            let Some(action) = legal else {
                return self.differ(Some(self.decisions), Subject::Action, &named(step.action), "an illegal action");
            };
            position.play_unchecked(action);
        }
        self.compare(None, Subject::Final, [&record.end, &position.board().to_string()]);
        self.compare(None, Subject::Result, [&record.result, &Ending::from(position.outcome())]);
    }

    fn compare_step(&mut self, step: &Step, position: &GipfPosition) {
        let decision = Some(self.decisions);
        let reserves = Player::BOTH.map(|player| position.reserve(player));
        let legal: Vec<_> = position.action_set().indices().map(|index| index.0).collect();
        self.compare(decision, Subject::Board, [&step.board, &position.board().to_string()]);
        self.compare(decision, Subject::Side, [&step.side, &Side::from(position.to_move())]);
        self.compare(decision, Subject::Reserve, [&step.reserve, &reserves]);
        if legal != step.legal {
            let [expected, found] = difference(&step.legal, &legal);
            self.differ(decision, Subject::Legal, &expected, &found);
        }
    }

    fn compare<T: PartialEq + fmt::Debug>(&mut self, decision: Option<usize>, subject: Subject, pair: [&T; 2]) {
        let [expected, found] = pair;
        if expected != found {
            self.differ(decision, subject, &format!("{expected:?}"), &format!("{found:?}"));
        }
    }

    fn differ(&mut self, decision: Option<usize>, subject: Subject, expected: &str, found: &str) {
        let (expected, found) = (expected.to_owned(), found.to_owned());
        self.mismatches.push(Mismatch { game: self.game, decision, subject, expected, found });
    }
}

/// Returns in words how a recorded list of legal actions differs from that of the rules: what was expected, and found.
fn difference(recorded: &[u16], legal: &[u16]) -> [String; 2] {
    let is_within = |list: &[u16], other: &[u16]| list.iter().all(|index| other.contains(index));
    if is_within(recorded, legal) && is_within(legal, recorded) {
        let found = if recorded.len() == legal.len() { "another order" } else { "an action twice" };
        return ["each action once, in ascending order", found].map(str::to_owned);
    }
    [only_in(recorded, legal), only_in(legal, recorded)]
}

/// Returns the first actions of the list that are not in the other one; if there are none, the length of the list.
fn only_in(list: &[u16], other: &[u16]) -> String {
    const SHOWN: usize = 8;
    let missing: Vec<_> = list.iter().filter(|index| !other.contains(index)).collect();
    let named: Vec<_> = missing.iter().take(SHOWN).map(|&&index| named(index)).collect();
    match missing.len().checked_sub(SHOWN) {
        _ if missing.is_empty() => format!("{} actions", list.len()),
        None | Some(0) => named.join(", "),
        Some(more) => format!("{} and {more} more", named.join(", ")),
    }
}

fn named(index: u16) -> String {
    match Action::from_index(ActionIndex(index)) {
        Some(action) => format!("{index} ({action})"),
        None => format!("{index} (no action)"),
    }
}

//! Small GIPF: the basic game on a board small enough to be solved.

mod board;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::learnable::Learnable;
use crate::position::{ActionIndex, ObservationLayout, Outcome, Player, Position, Reason};
use crate::rules::Phase;

use board::{ENTRIES, LINES, LONGEST, SPOTS, SYMMETRIES, TRACKS};

/// A position of *small GIPF*: the rules of basic GIPF on 19 spots, with rows of three and few pieces.
///
/// ```text
///           d7
///       c6      e6            18 dots a1 to g4 round 19 spots b2 to f4. 15 lines of 3 to 5 spots, as
///   b5      d6      f5        on the full board of 4 to 7, and three in a row instead of four, so
/// a4    c5      e5    g4      that here too a row covers the middle of its line.
///   b4      d5      f4
/// a3    c4      e4    g3      One player's turn: remove own rows, push a piece in, remove own rows.
///   b3      d4      f3        Own pieces of what is removed return to the reserve, others are lost.
/// a2    c3      e3    g2      A player with none to push in loses.
///   b2      d3      f2
/// a1    c2      e2    g1
///   b1      d2      f1
///       c1      e1
///           d1
/// ```
///
/// The board begins empty. A turn limit ends the game without a winner, [`SmallGipf::LIMIT`] by default; there is no
/// rule about repetition, so a table without history agrees with the game as long as the limit is far.
///
/// * Action i < 30 pushes a piece in at entry i, numbered by dot, then direction; of the entries onto one vacant spot
///   only the first is legal. Action 30 + l takes the row on line l first, which is asked where own rows to be removed
///   touch. 45 actions.
/// * Observation `[7, 5, 5]`: the pieces of the player to move, those of the opponent; one mark plane with the spots of
///   the rows to choose from; scalars: both reserves in tenths, whether rows are chosen before the push, and the
///   turns left to the limit in sixteenths, at most 1.
/// * Twelve symmetries.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SmallGipf {
    /// The pieces of White and Black, one bit for each spot.
    pieces: [u32; 2],
    reserves: [u8; 2],
    to_move: Player,
    phase: Phase,
    /// The lines of the rows to choose from, if that is the question.
    choices: u16,
    turn: u16,
    limit: u16,
    outcome: Option<Outcome>,
}

/// One decision of [`SmallGipf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallAction {
    /// Push a piece in at this entry, 0 to 29.
    Push(u8),
    /// Take the row on this line first, 0 to 14.
    TakeRow(u8),
}

impl fmt::Display for SmallAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Push(entry) if usize::from(entry) < ENTRIES => f.write_str(&board::entry_name(usize::from(entry))),
            Self::TakeRow(line) if usize::from(line) < LINES => {
                write!(f, "take row {}", board::line_name(usize::from(line)))
            }
            // Messages of refusals also name what does not exist.
            Self::Push(entry) => write!(f, "push at entry {entry}"),
            Self::TakeRow(line) => write!(f, "take row {line}"),
        }
    }
}

/// Why pieces and reserves are not a position of small GIPF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "pieces {0:#x} and {1:#x}: expected two disjoint sets of the 19 spots, at most 9 pieces each including the reserve"
)]
pub struct InvalidSmallGipf(pub u32, pub u32);

/// The most pieces of a player: one of the 19 spots is then always vacant, so that only the reserve decides who can
/// push.
const MOST: u32 = 9;

impl Default for SmallGipf {
    /// Returns the start of a game with [`SmallGipf::PIECES`] pieces for each player.
    fn default() -> Self {
        Self::starting_with(Self::PIECES)
    }
}

impl SmallGipf {
    /// The number of pieces of each player in the game that is solved.
    pub const PIECES: u8 = 5;
    /// The number of turns after which a game is cut off, unless another is asked for.
    pub const LIMIT: u16 = 200;

    /// Returns the start of a game: an empty board, and this many pieces in each reserve.
    ///
    /// # Panics
    /// Unless the number is 1 to 9.
    pub fn starting_with(pieces: u8) -> Self {
        assert!((1..=MOST).contains(&u32::from(pieces)), "a player has 1 to 9 pieces, not {pieces}");
        Self::new([0; 2], [pieces; 2]).expect("an empty board is valid")
    }

    /// Returns the start of White's turn with these pieces, one bit for each spot, and reserves; rows that White must
    /// remove are removed.
    ///
    /// # Errors
    /// If this is not a position.
    pub fn new(pieces: [u32; 2], reserves: [u8; 2]) -> Result<Self, InvalidSmallGipf> {
        let apart = pieces[0] & pieces[1] == 0 && (pieces[0] | pieces[1]) >> SPOTS == 0;
        let has_few = |player: usize| pieces[player].count_ones() + u32::from(reserves[player]) <= MOST;
        if !(apart && has_few(0) && has_few(1)) {
            return Err(InvalidSmallGipf(pieces[0], pieces[1]));
        }
        let mut position = Self::with_phase(pieces, reserves, Phase::Pre);
        position.advance();
        Ok(position)
    }

    fn with_phase(pieces: [u32; 2], reserves: [u8; 2], phase: Phase) -> Self {
        let (to_move, limit) = (Player::White, Self::LIMIT);
        Self { pieces, reserves, to_move, phase, choices: 0, turn: 0, limit, outcome: None }
    }

    /// Returns the position with a limit of turns, counted from the start of the game.
    pub fn with_placement_limit(self, limit: u16) -> Self {
        Self { limit, ..self }
    }

    /// Returns the pieces of a player, one bit for each spot, by column, then upwards.
    pub const fn pieces_of(&self, player: Player) -> u32 {
        self.pieces[player.index()]
    }

    /// Returns the pieces in a player's reserve.
    pub const fn reserve(&self, player: Player) -> u8 {
        self.reserves[player.index()]
    }

    /// Returns the part of the turn.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns a number that stands for all that decides how the game can continue, except the limit: seen from the
    /// player to move, and the same for all twelve images.
    pub fn canonical_key(&self) -> u64 {
        let [mine, theirs] = [self.to_move, self.to_move.other()].map(Player::index);
        let image = |symmetry| {
            let [mine, theirs] = [mine, theirs].map(|player| board::map_spots(symmetry, self.pieces[player]));
            u64::from(mine) << SPOTS | u64::from(theirs)
        };
        let pieces = (0..SYMMETRIES).map(image).min().expect("there are twelve");
        let reserves = u64::from(self.reserves[mine]) << 4 | u64::from(self.reserves[theirs]);
        pieces << 10 | reserves << 2 | self.phase as u64
    }

    fn occupied(&self) -> u32 {
        self.pieces[0] | self.pieces[1]
    }

    /// Returns the legal pushes, one bit for each entry.
    fn pushes(&self) -> u32 {
        let occupied = self.occupied();
        let (mut open, mut vacant) = (0, !occupied);
        for (entry, track) in TRACKS.iter().enumerate() {
            let first = 1 << track.spots()[0];
            let is_first = vacant & first != 0;
            let has_gap = || track.spots().iter().any(|spot| occupied >> spot & 1 == 0);
            if is_first || occupied & first != 0 && has_gap() {
                open |= 1 << entry;
            }
            vacant &= !first;
        }
        open
    }

    /// Returns the numbers of the legal actions, one bit each.
    fn legal(&self) -> u64 {
        match (self.outcome, self.phase) {
            (Some(_), _) => 0,
            (None, Phase::Push) => u64::from(self.pushes()),
            (None, Phase::Pre | Phase::Post) => u64::from(self.choices) << ENTRIES,
        }
    }

    fn push(&mut self, entry: usize) {
        let me = self.to_move.index();
        let mut carried = [me == 0, me == 1];
        for &spot in TRACKS[entry].spots() {
            let here = self.pieces.map(|pieces| pieces >> spot & 1 == 1);
            for (pieces, carried) in self.pieces.iter_mut().zip(carried) {
                *pieces = *pieces & !(1 << spot) | u32::from(carried) << spot;
            }
            carried = here;
            if here == [false; 2] {
                break;
            }
        }
        self.reserves[me] -= 1;
        self.phase = Phase::Post;
    }

    fn remove(&mut self, line: usize) {
        let (me, set) = (self.to_move.index(), board::capture_set(line, self.occupied()));
        self.reserves[me] += (self.pieces[me] & set).count_ones() as u8;
        self.pieces = self.pieces.map(|pieces| pieces & !set);
    }

    /// Goes on to the next decision, or to the end.
    fn advance(&mut self) {
        while self.outcome.is_none() && self.phase != Phase::Push {
            let rows = board::rows(self.pieces[self.to_move.index()]);
            if rows == 0 {
                self.end_phase();
            } else if let Some(line) = self.row_apart(rows) {
                self.remove(line);
            } else {
                self.choices = rows;
                return;
            }
        }
        self.choices = 0;
    }

    fn end_phase(&mut self) {
        if self.phase == Phase::Pre {
            self.phase = Phase::Push;
            if self.reserves[self.to_move.index()] == 0 {
                self.outcome = Some(Outcome::win(self.to_move.other(), Reason::NoMove));
            }
            return;
        }
        self.turn += 1;
        (self.phase, self.to_move) = (Phase::Pre, self.to_move.other());
        if self.turn >= self.limit {
            self.outcome = Some(Outcome::draw(Reason::Limit));
        }
    }

    /// Returns the first line whose capture set has no spot in common with that of any other row.
    fn row_apart(&self, rows: u16) -> Option<usize> {
        let occupied = self.occupied();
        let lines = move || (0..LINES).filter(move |line| rows >> line & 1 == 1);
        let apart = |line: &usize| {
            let set = board::capture_set(*line, occupied);
            lines().all(|other| other == *line || board::capture_set(other, occupied) & set == 0)
        };
        lines().find(apart)
    }
}

impl Position for SmallGipf {
    type Action = SmallAction;

    fn num_actions(&self) -> usize {
        ENTRIES + LINES
    }

    fn observation_layout(&self) -> ObservationLayout {
        let cells = (0..SPOTS).map(board::cell).collect();
        ObservationLayout { pieces: 2, marks: 1, scalars: 4, rows: LONGEST, columns: LONGEST, cells }
    }

    fn to_move(&self) -> Player {
        self.to_move
    }

    fn turn(&self) -> usize {
        usize::from(self.turn)
    }

    fn legal_actions(&self) -> impl Iterator<Item = SmallAction> {
        let mut left = self.legal();
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() as u16;
            left &= left.wrapping_sub(1);
            action_at(ActionIndex(index))
        })
    }

    /// An entry or line that does not exist has the index of another action, or of none.
    fn is_legal(&self, action: SmallAction) -> bool {
        let index = self.action_index(action);
        action_at(index) == Some(action) && self.legal() >> index.get() & 1 == 1
    }

    fn num_legal_actions(&self) -> usize {
        self.legal().count_ones() as usize
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn play_unchecked(&mut self, action: SmallAction) {
        match action {
            SmallAction::Push(entry) => self.push(usize::from(entry)),
            SmallAction::TakeRow(line) => self.remove(usize::from(line)),
        }
        self.advance();
    }

    fn action_index(&self, action: SmallAction) -> ActionIndex {
        ActionIndex(match action {
            SmallAction::Push(entry) => u16::from(entry),
            SmallAction::TakeRow(line) => ENTRIES as u16 + u16::from(line),
        })
    }

    fn action_at(&self, index: ActionIndex) -> Option<SmallAction> {
        action_at(index)
    }

    fn observe(&self, planes: &mut [f32]) {
        const CELLS: usize = LONGEST * LONGEST;
        let [me, you] = [self.to_move, self.to_move.other()].map(Player::index);
        let lines = (0..LINES).filter(|line| self.choices >> line & 1 == 1);
        let asked = lines.fold(0, |spots, line| spots | board::LINE_SPOTS[line]);
        planes[..3 * CELLS].fill(0.0);
        for (plane, spots) in [self.pieces[me], self.pieces[you], asked].into_iter().enumerate() {
            for spot in (0..SPOTS).filter(|spot| spots >> spot & 1 == 1) {
                planes[CELLS * plane + board::cell(spot)] = 1.0;
            }
        }
        let left = f32::from(self.limit.saturating_sub(self.turn).min(16)) / 16.0;
        let before = f32::from(u8::from(self.phase == Phase::Pre));
        let scalars = [f32::from(self.reserves[me]) / 10.0, f32::from(self.reserves[you]) / 10.0, before, left];
        for (plane, scalar) in planes[3 * CELLS..].chunks_exact_mut(CELLS).zip(scalars) {
            plane.fill(scalar);
        }
    }
}

impl Learnable for SmallGipf {
    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transformed(&self, symmetry: usize) -> Self {
        let lines = (0..LINES).filter(|line| self.choices >> line & 1 == 1);
        let choices = lines.fold(0, |mapped, line| mapped | 1 << board::map_line(symmetry, line));
        Self { pieces: self.pieces.map(|pieces| board::map_spots(symmetry, pieces)), choices, ..self.clone() }
    }

    fn transformed_action(&self, symmetry: usize, action: SmallAction) -> SmallAction {
        match action {
            SmallAction::TakeRow(line) => SmallAction::TakeRow(board::map_line(symmetry, usize::from(line)) as u8),
            SmallAction::Push(entry) => {
                let image = board::map_entry(symmetry, usize::from(entry));
                let [from, to] = [usize::from(entry), image].map(|entry| TRACKS[entry].spots()[0]);
                let is_vacant = self.occupied() >> from & 1 == 0;
                let same = |entry: &usize| TRACKS[*entry].spots()[0] == to;
                let lowest = (0..ENTRIES).find(same).filter(|_| is_vacant);
                SmallAction::Push(lowest.unwrap_or(image) as u8)
            }
        }
    }

    fn in_game_from(&self, start: &Self) -> Self {
        self.clone().with_placement_limit(start.limit)
    }
}

fn action_at(index: ActionIndex) -> Option<SmallAction> {
    match index.get() {
        entry if entry < ENTRIES => Some(SmallAction::Push(entry as u8)),
        action if action < ENTRIES + LINES => Some(SmallAction::TakeRow((action - ENTRIES) as u8)),
        _ => None,
    }
}

/// Draws the board, `O` for White and `X` for Black, then who is to move and the reserves.
impl fmt::Display for SmallGipf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let glyph = |spot: usize| match self.pieces.map(|pieces| pieces >> spot & 1) {
            [1, _] => 'O',
            [_, 1] => 'X',
            _ => '.',
        };
        let mut drawing = vec![vec![' '; 9]; 9];
        for spot in 0..SPOTS {
            // Half a step up for each column to the right, a whole one for each spot up.
            let (column, row) = (board::cell(spot) / LONGEST, board::cell(spot) % LONGEST);
            drawing[6 + column - 2 * row][2 * column] = glyph(spot);
        }
        for line in drawing {
            writeln!(f, "{}", line.into_iter().collect::<String>().trim_end())?;
        }
        writeln!(f, "{} to move, reserves {} and {}", self.to_move, self.reserves[0], self.reserves[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> u32 {
        let is_named = |spot: &usize| names.contains(&board::spot_name(*spot).as_str());
        (0..SPOTS).filter(is_named).fold(0, |set, spot| set | 1 << spot)
    }

    #[test]
    fn between_rows_that_touch_the_player_chooses_and_gets_back_what_goes() {
        //       .
        //     .   .
        //   .   O   X
        //     .   .              d3 d4 d5 and c3 d4 e4 are rows of White;
        //   .   O   .            the piece on f4 stands next to the second.
        //     O   O
        //   .   O   X
        //     .   .
        //       .
        let white = set(&["d3", "d4", "d5", "c3", "e4"]);
        let mut position = SmallGipf::new([white, set(&["f5", "f4"])], [0, 3]).unwrap();
        let asked: Vec<_> = position.legal_actions().map(|action| action.to_string()).collect();
        assert_eq!((position.phase(), &*asked.join(", ")), (Phase::Pre, "take row d1-d7, take row a1-g4"));
        position.play(SmallAction::TakeRow(5)).unwrap();
        assert_eq!(position.phase(), Phase::Push);
        assert_eq!(position.pieces, [set(&["d3", "d5"]), set(&["f5"])]);
        assert_eq!((position.reserves, position.to_move()), ([3, 3], Player::White));
    }

    #[test]
    fn without_a_piece_to_push_in_the_player_loses_and_impossible_positions_are_refused() {
        let lost = SmallGipf::new([set(&["d4"]), 0], [0, 1]).unwrap();
        assert_eq!(lost.outcome(), Some(Outcome::win(Player::Black, Reason::NoMove)));
        for (pieces, reserves) in [([1, 1], [1, 1]), ([1 << SPOTS, 0], [1, 1]), ([0, 7], [1, 7])] {
            assert!(SmallGipf::new(pieces, reserves).is_err());
        }
    }

    #[test]
    fn a_limit_cuts_the_game_off_after_the_turn() {
        let mut position = SmallGipf::default().with_placement_limit(1);
        position.play(SmallAction::Push(0)).unwrap();
        assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Limit)));
        assert_eq!(position.play(SmallAction::Push(0)).unwrap_err().action, "a1-b2");
    }

    #[test]
    fn past_a_limit_set_later_no_turns_are_left() {
        let mut position = SmallGipf::default();
        for _ in 0..2 {
            let action = position.legal_actions().next().unwrap();
            position.play(action).unwrap();
        }
        let position = position.with_placement_limit(1);
        let mut planes = vec![f32::NAN; position.observation_layout().size()];
        position.observe(&mut planes);
        assert_eq!(planes.last(), Some(&0.0));
    }

    #[test]
    fn only_the_actions_that_have_numbers_are_legal() {
        let choice = SmallGipf::new([set(&["d3", "d4", "d5", "c3", "e4"]), 0], [0, 3]).unwrap();
        for position in [SmallGipf::default(), choice] {
            let legal: Vec<_> = position.legal_actions().collect();
            let all = (0..=u8::MAX).flat_map(|number| [SmallAction::Push(number), SmallAction::TakeRow(number)]);
            for action in all {
                let played = position.clone().play(action);
                assert_eq!(played.is_ok(), legal.contains(&action), "{action}");
            }
        }
    }
}

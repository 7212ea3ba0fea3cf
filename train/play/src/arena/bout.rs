//! One encounter under tournament conditions: a game with clocks and warnings, replayed until it has a result.
//!
//! The rules are those of the official FAQ for play between people. It has no clock, input or output of its own: the
//! caller measures the time and passes it in.

use std::time::Duration;

use gipf_env::rules::InvalidPosition;
use gipf_env::{Action, GipfPosition, Outcome, Player, Position, Pushed, Reason, Setup};

use super::clock::{Clock, Flag};
use super::ruling::{BoutResult, Cause, Contestant, Event, Refused};

/// The extra time of the opponent of a player who was warned for the second time (FAQ 5): two minutes.
pub const EXTRA_TIME: Duration = Duration::from_mins(2);

/// The default for the most games of a bout.
const MOST_GAMES: u8 = 8;

/// A game with clocks and a referee, and its replays.
///
/// * **Time** (FAQ 11). Players whose flag falls may finish the turn that they have started, for which they get
///   [`LAST_TURN`](super::LAST_TURN). A win by this turn counts, even if only because the opponent has no piece to
///   bring in. Otherwise they lose when the turn or that time is over.
/// * **Warnings** (FAQ 5). The first costs nothing, the second gives the opponent [`EXTRA_TIME`], the third loses.
///   Warnings are for how a player handles pieces and clock; an illegal action gets no warning: it is refused, and
///   another one must be chosen (FAQ 12).
/// * **Repetition** (FAQ 7). The third occurrence of a position makes the game void. It is replayed from the position
///   in which the first game began, an opening played before it included, with colours exchanged. Each contestant keeps
///   the time left, so the clocks of the colours are exchanged too; by our reading contestants also keep their
///   warnings, since they still play for the same result.
///
/// Once there is a result, nothing changes any more.
///
/// ```
/// use gipf_env::{Player, Position, Setup, Variant};
/// use gipf_play::arena::{Bout, Clock, Contestant, Event};
/// use std::time::Duration;
///
/// let setup = Setup::start(Variant::STANDARD);
/// let mut bout = Bout::new(&setup, [Clock::new(Duration::from_secs(600)); 2])?;
/// let action = bout.position().legal_actions().next().ok_or("nothing is legal")?;
/// assert_eq!(bout.play(Player::White, action, Duration::from_secs(12))?, Event::GoesOn);
/// assert_eq!(bout.clock(Player::White).left(), Duration::from_secs(588));
/// bout.resign(Player::White)?;
/// assert_eq!(bout.result().and_then(|result| result.winner), Some(Contestant::Second));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bout {
    /// Where every game begins.
    start: GipfPosition,
    position: GipfPosition,
    /// Indexed by contestant, as are the warnings.
    clocks: [Clock; 2],
    warnings: [u8; 2],
    white: Contestant,
    games: u8,
    most_games: u8,
    result: Option<BoutResult>,
}

impl Bout {
    /// Begins a bout, with the clocks of White and Black in its first game.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    pub fn new(setup: &Setup, clocks: [Clock; 2]) -> Result<Self, InvalidPosition> {
        Ok(Self::from_position(GipfPosition::from_setup(setup)?, clocks))
    }

    /// Begins a bout in the position after an opening; its history counts for repetitions.
    pub fn from_position(start: GipfPosition, clocks: [Clock; 2]) -> Self {
        let mut bout = Self {
            position: start.clone(),
            start,
            clocks,
            warnings: [0; 2],
            white: Contestant::First,
            games: 1,
            most_games: MOST_GAMES,
            result: None,
        };
        bout.judge(None);
        bout
    }

    /// Returns the bout with another number of games, void ones included, after which it ends without a winner; one
    /// game is always played. Default: 8.
    pub fn with_most_games(self, most_games: u8) -> Self {
        Self { most_games, ..self }
    }

    /// Returns the position of the current game, or at the end of the last one.
    pub const fn position(&self) -> &GipfPosition {
        &self.position
    }

    /// Returns the contestant who plays a colour in the current game.
    pub const fn contestant(&self, player: Player) -> Contestant {
        match player {
            Player::White => self.white,
            Player::Black => self.white.other(),
        }
    }

    /// Returns the clock of a colour in the current game.
    pub const fn clock(&self, player: Player) -> &Clock {
        &self.clocks[self.contestant(player).index()]
    }

    /// Returns the warnings of the contestant who plays a colour in the current game, replays included.
    pub const fn warnings(&self, player: Player) -> u8 {
        self.warnings[self.contestant(player).index()]
    }

    /// Returns the number of games begun: 1 and the replays.
    pub const fn games(&self) -> u8 {
        self.games
    }

    /// Returns how the bout ended, if it has.
    pub const fn result(&self) -> Option<BoutResult> {
        self.result
    }

    /// Plays an action of the player to move, who has thought for `elapsed` since the last accepted act.
    ///
    /// # Errors
    /// If the bout is over, the other player is to move, or the action is not legal. Then nothing changes: the clock
    /// keeps running, and the time of the next try counts from the same moment as this one's.
    pub fn play(&mut self, player: Player, action: Action, elapsed: Duration) -> Result<Event, Refused> {
        self.check_under_way()?;
        if player != self.position.to_move() {
            return Err(Refused::NotToMove { player });
        }
        if self.is_wrong_first_piece(action) {
            return Err(Refused::FirstPiece { player, action });
        }
        let mut next = self.position.clone();
        next.play(action)?;
        let ran = self.run_clock(elapsed);
        if self.result.is_some() {
            return Ok(ran);
        }
        let (turn, mover) = (self.position.turn(), self.contestant(self.position.turn_of()));
        self.position = next;
        let turn_over = self.position.turn() != turn || self.position.outcome().is_some();
        if turn_over {
            self.clocks[mover.index()].end_turn();
        }
        Ok(self.judge(turn_over.then_some(mover)).unwrap_or(ran))
    }

    /// Lets `elapsed` pass on the clock of the player to move without an action.
    ///
    /// # Errors
    /// If the bout is over.
    pub fn wait(&mut self, elapsed: Duration) -> Result<Event, Refused> {
        self.check_under_way()?;
        Ok(self.run_clock(elapsed))
    }

    /// Warns a player who obstructs the opponent's play (FAQ 5).
    ///
    /// # Errors
    /// If the bout is over.
    pub fn warn(&mut self, player: Player) -> Result<Event, Refused> {
        self.check_under_way()?;
        let (offender, opponent) = (self.contestant(player), self.contestant(player.other()));
        self.warnings[offender.index()] += 1;
        Ok(match self.warnings(player) {
            1 => Event::Warned(player),
            2 => {
                self.clocks[opponent.index()].add(EXTRA_TIME);
                Event::ExtraTime(player.other())
            }
            _ => self.end(Some(opponent), Cause::Penalty),
        })
    }

    /// Resigns for a player, who need not be to move.
    ///
    /// # Errors
    /// If the bout is over.
    pub fn resign(&mut self, player: Player) -> Result<Event, Refused> {
        self.check_under_way()?;
        Ok(self.end(Some(self.contestant(player.other())), Cause::Resignation))
    }

    fn check_under_way(&self) -> Result<(), Refused> {
        self.result.map_or(Ok(()), |result| Err(Refused::Over(result)))
    }

    /// If only GIPF-pieces can be brought in, it is the player's first piece of a tournament game.
    fn is_wrong_first_piece(&self, action: Action) -> bool {
        let Action::Push(pushed, entry) = action else { return false };
        let (legal, entry) = (self.position.action_set(), self.position.canonical_entry(entry));
        let can_push = |pushed| legal.contains(Action::Push(pushed, entry));
        pushed != Pushed::Gipf && can_push(Pushed::Gipf) && !can_push(Pushed::Single)
    }

    /// The clock of the player who decides runs; in push-off it need not be that player's turn.
    fn run_clock(&mut self, elapsed: Duration) -> Event {
        let player = self.position.to_move();
        let thinking = self.contestant(player);
        let clock = &mut self.clocks[thinking.index()];
        let before = clock.flag();
        match clock.run(elapsed) {
            Flag::Spent => self.end(Some(thinking.other()), Cause::Time),
            Flag::Fallen if before == Flag::Up => Event::FlagFell(player),
            Flag::Up | Flag::Fallen => Event::GoesOn,
        }
    }

    /// Ends or replays the game if the board decides it, or a flag that fell in the turn of `mover`.
    ///
    /// In push-off both flags may fall in one turn: then the flag of the mover counts, who thought first.
    fn judge(&mut self, mover: Option<Contestant>) -> Option<Event> {
        let outcome = self.position.outcome();
        if let Some(Outcome { winner: Some(winner), reason }) = outcome {
            return Some(self.end(Some(self.contestant(winner)), Cause::Board(reason)));
        }
        let is_late = |contestant: &Contestant| self.clocks[contestant.index()].flag() != Flag::Up;
        if let Some(late) = mover.and_then(|mover| [mover, mover.other()].into_iter().find(is_late)) {
            return Some(self.end(Some(late.other()), Cause::Time));
        }
        let reason = outcome?.reason;
        Some(if reason == Reason::Repetition { self.replay() } else { self.end(None, Cause::Board(reason)) })
    }

    fn replay(&mut self) -> Event {
        // If the start itself is void, so are all replays.
        if self.games >= self.most_games || self.start.outcome().is_some() {
            return self.end(None, Cause::Replays);
        }
        self.games += 1;
        self.white = self.white.other();
        self.position = self.start.clone();
        Event::Replay
    }

    fn end(&mut self, winner: Option<Contestant>, cause: Cause) -> Event {
        let result = BoutResult { winner, cause };
        self.result = Some(result);
        Event::Over(result)
    }
}

//! The entries of the official FAQ that are about people (5, 7, 11, 12), one test each, and the laws of a bout.

use std::time::Duration;

use gipf_env::{Action, ActionIndex, GipfPosition, Player, Position, Reason, Setup, Variant};
use gipf_play::arena::{Bout, BoutResult, Cause, Clock, Contestant, EXTRA_TIME, Event, Flag, LAST_TURN, Refused};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::drawn::{board_is, drawn};

const SECOND: Duration = Duration::from_secs(1);
/// Eight turns that return to where they began: each player builds a row of four, which goes back to their reserve.
const CYCLE: [&str; 8] = ["d1-e2", "a1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2"];

/// Begins a bout with this many seconds for White and Black.
fn begun(setup: &Setup, seconds: [u32; 2]) -> Bout {
    Bout::new(setup, seconds.map(|seconds| Clock::new(SECOND * seconds))).unwrap()
}

fn named(position: &GipfPosition, name: &str) -> Action {
    let all = (0..position.num_actions() as u16).filter_map(|index| position.action_at(ActionIndex(index)));
    all.into_iter().find(|action| action.to_string() == name).unwrap()
}

/// Plays an action, legal or not, of the player to move, who has thought for this many seconds.
fn act(bout: &mut Bout, name: &str, seconds: u32) -> Result<Event, Refused> {
    bout.play(bout.position().to_move(), named(bout.position(), name), SECOND * seconds)
}

fn over(winner: Contestant, cause: Cause) -> Event {
    Event::Over(BoutResult { winner: Some(winner), cause })
}

fn left(bout: &Bout) -> [u64; 2] {
    Player::BOTH.map(|player| bout.clock(player).left().as_secs())
}

/// The regulations of the FAQ say how pieces are handled; breaking them is up to a referee, who warns. The second
/// warning gives the opponent two minutes, the one after it loses the game.
#[test]
fn faq_05_the_second_warning_costs_two_minutes_and_the_third_the_game() {
    let setup = drawn(
        "standard w 12 12 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        G · · · · · g
         · · · · · ·
          · · · · ·
           g · · G",
    );
    let mut bout = begun(&setup, [300, 300]);
    assert_eq!(bout.warn(Player::Black), Ok(Event::Warned(Player::Black)));
    assert_eq!((left(&bout), bout.warnings(Player::Black)), ([300, 300], 1), "the first warning is nothing but one");
    assert_eq!(bout.warn(Player::White), Ok(Event::Warned(Player::White)), "each player has their own warnings");
    assert_eq!(bout.warn(Player::Black), Ok(Event::ExtraTime(Player::White)));
    assert_eq!((left(&bout), EXTRA_TIME, bout.result()), ([420, 300], SECOND * 120, None));
    assert!(board_is(bout.position(), "g2G/5/6/G5g/6/5/g2G"), "a warning is not a turn");
    assert_eq!(act(&mut bout, "b1-b2", 400), Ok(Event::GoesOn), "the extra time can be used");
    assert_eq!(bout.warn(Player::Black), Ok(over(Contestant::First, Cause::Penalty)));
    assert_eq!((bout.warnings(Player::White), bout.warnings(Player::Black)), (1, 3));
    // A turn starts by putting a piece on a dot: there is no other way to bring one in.
    let start = GipfPosition::from_setup(&setup).unwrap();
    assert!(start.legal_actions().all(|action| matches!(action, Action::Push(_, entry) if entry.dot().index() < 24)));
}

/// Two players with four pieces each who form rows again and again: the third occurrence makes the game void, and it is
/// played again with colours and remaining times exchanged.
#[test]
fn faq_07_a_game_void_by_repetition_is_replayed_with_colours_and_clocks_exchanged() {
    let setup = drawn(
        "basic w 4 4 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut bout = begun(&setup, [100, 200]).with_most_games(2);
    for (number, name) in CYCLE.iter().chain(&CYCLE).enumerate() {
        assert_eq!(bout.games(), 1, "the second occurrence, after 8 turns, changes nothing");
        let event = act(&mut bout, name, if number % 2 == 0 { 1 } else { 3 });
        assert_eq!(event, Ok(if number < 15 { Event::GoesOn } else { Event::Replay }));
    }
    assert_eq!((bout.games(), left(&bout)), (2, [200 - 8 * 3, 100 - 8]));
    assert_eq!(bout.contestant(Player::White), Contestant::Second);
    assert_eq!(bout.position(), &GipfPosition::from_setup(&setup).unwrap());
    // A void game is not a tie. Only when no game is left to replay does nobody win, which is reported.
    for name in CYCLE.iter().chain(&CYCLE) {
        assert_eq!(bout.result(), None);
        act(&mut bout, name, 0).unwrap();
    }
    assert_eq!(bout.result(), Some(BoutResult { winner: None, cause: Cause::Replays }));
}

/// Time does not decide a repetition, but a repetition does not save a player whose flag has fallen: a void game has no
/// winner.
#[test]
fn faq_07_a_void_game_does_not_save_whose_flag_has_fallen() {
    let setup: Setup = "basic 4/5/6/7/6/5/4 w 4 4 - 0 0".parse().unwrap();
    let mut bout = begun(&setup, [100, 200]);
    for name in CYCLE.iter().chain(&CYCLE[..7]) {
        assert_eq!(act(&mut bout, name, 1), Ok(Event::GoesOn));
    }
    assert_eq!(bout.wait(SECOND * 195), Ok(Event::FlagFell(Player::Black)));
    assert_eq!(act(&mut bout, CYCLE[7], 1), Ok(over(Contestant::First, Cause::Time)));
}

/// A player whose flag falls while taking the opponent's last GIPF-piece has won, and so has one who starts the turn
/// with a fallen flag. If the turn brings no winner, they have lost.
#[test]
fn faq_11_a_turn_is_finished_after_the_flag_fell_and_its_result_counts() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S G g · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let first_wins = over(Contestant::First, Cause::Board(Reason::NoGipf));
    let mut in_the_midst = begun(&setup, [10, 10]);
    assert_eq!(act(&mut in_the_midst, "d1-e2", 9), Ok(Event::GoesOn));
    assert_eq!(act(&mut in_the_midst, "keep", 2), Ok(Event::FlagFell(Player::White)));
    assert_eq!((in_the_midst.clock(Player::White).flag(), in_the_midst.result()), (Flag::Fallen, None));
    let mut nothing_taken = in_the_midst.clone();
    assert_eq!(act(&mut in_the_midst, "take", 1), Ok(first_wins));
    assert_eq!(act(&mut nothing_taken, "keep", 1), Ok(over(Contestant::Second, Cause::Time)));
    let mut before_it = begun(&setup, [10, 10]);
    assert_eq!(before_it.wait(SECOND * 10), Ok(Event::FlagFell(Player::White)));
    assert_eq!(act(&mut before_it, "d1-e2", 30), Ok(Event::GoesOn), "the turn may still be started");
    let mut own_loss = before_it.clone();
    assert_eq!(act(&mut before_it, "take", 10), Ok(Event::GoesOn));
    assert_eq!(act(&mut before_it, "take", 10), Ok(first_wins));
    act(&mut own_loss, "take", 0).unwrap();
    assert_eq!(act(&mut own_loss, "keep", 0), Ok(over(Contestant::Second, Cause::Board(Reason::NoGipf))));
    // The player gets one more minute for the turn, and no more.
    let mut slow = begun(&setup, [10, 10]);
    assert_eq!(slow.wait(SECOND * 69), Ok(Event::FlagFell(Player::White)));
    assert_eq!((left(&slow), LAST_TURN), ([1, 10], SECOND * 60));
    assert_eq!(act(&mut slow, "d1-e2", 1), Ok(over(Contestant::Second, Cause::Time)));
    assert!(board_is(slow.position(), "4/5/6/1SSGg2/6/5/4"), "the move came too late");
}

/// The same holds when the opponent has played their last piece: the turn is finished, and the opponent cannot bring in one.
#[test]
fn faq_11_whose_opponent_has_no_piece_left_wins_with_his_flag_down() {
    let setup = drawn(
        "basic b 5 1 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        s s · s s · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut bout = begun(&setup, [10, 10]);
    assert_eq!(act(&mut bout, "a1-b2", 1), Ok(Event::GoesOn), "Black's last piece");
    assert_eq!(bout.wait(SECOND * 11), Ok(Event::FlagFell(Player::White)));
    let mut refilled = bout.clone();
    assert_eq!(act(&mut bout, "a4-b5", 1), Ok(over(Contestant::First, Cause::Board(Reason::NoMove))));
    // This push makes a row for Black, who gets pieces back: the turn brings no winner, and White has lost by time.
    assert_eq!(act(&mut refilled, "e1-e2", 1), Ok(over(Contestant::Second, Cause::Time)));
}

/// A player who begins the tournament game with a single has not lost: the move is invalid and must be made again.
#[test]
fn faq_12_a_single_as_first_piece_is_refused_and_replaced() {
    let setup = drawn(
        "tournament w 18 18 Gg 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut bout = begun(&setup, [100, 100]);
    for player in Player::BOTH {
        let before = bout.position().clone();
        for name in ["d1-e2", "e1-e2"] {
            let action = named(&before, name);
            assert_eq!(act(&mut bout, name, 20), Err(Refused::FirstPiece { player, action }));
        }
        assert_eq!((bout.position(), bout.result(), bout.warnings(player)), (&before, None, 0));
        assert_eq!(bout.clock(player).left(), SECOND * 100, "the time goes on: that of the next try contains it");
        let name = if player == Player::White { "Gd1-e2" } else { "Ga1-b2" };
        assert_eq!(act(&mut bout, name, 25), Ok(Event::GoesOn));
        assert_eq!(bout.clock(player).left(), SECOND * 75);
    }
    assert_eq!(act(&mut bout, "e1-e2", 0), Ok(Event::GoesOn), "the second piece may be a single");
    // Any other illegal action is refused in the same way, for its own reason.
    let error = act(&mut bout, "keep", 0).unwrap_err();
    assert!(matches!(error, Refused::Illegal(_)), "{error}");
    let action = named(bout.position(), "d1-e2");
    assert_eq!(bout.play(Player::White, action, SECOND), Err(Refused::NotToMove { player: Player::White }));
}

/// A bout, and a separate account of the milliseconds that each contestant was given and has used.
struct Audit {
    bout: Bout,
    rng: ChaCha8Rng,
    increment: i64,
    given: [i64; 2],
    used: [i64; 2],
    scripted: bool,
    script: usize,
    /// The game and the turn in which a flag fell.
    last_turn: Option<(u8, usize)>,
}

impl Audit {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let scripted = seed.is_multiple_of(3);
        let variant = *Variant::ALL.choose(&mut rng).unwrap();
        let setup = Setup::start(variant).with_placement_limit(Some(60));
        let cycle = "basic 4/5/6/7/6/5/4 w 4 4 - 0 0".parse().unwrap();
        let generous = if rng.random_bool(0.5) { 10 } else { 1 };
        let given = [0; 2].map(|_| generous * rng.random_range(1..100_000));
        let increment = rng.random_range(0..500);
        let millis = |time: i64| Duration::from_millis(time as u64);
        let clocks = given.map(|given| Clock::new(millis(given)).with_increment(millis(increment)));
        let bout = Bout::new(if scripted { &cycle } else { &setup }, clocks).unwrap().with_most_games(3);
        Self { bout, rng, increment, given, used: [0; 2], scripted, script: 0, last_turn: None }
    }

    fn run(mut self) -> Bout {
        for _ in 0..2000 {
            if self.bout.result().is_some() {
                break;
            }
            match self.rng.random_range(0..1000) {
                0..20 => self.attempt_something_illegal(),
                20..50 => self.wait(),
                50..90 => self.warn(),
                90..95 => drop(self.bout.resign(Player::BOTH[self.rng.random_range(0..2)]).unwrap()),
                _ => self.play(),
            }
            self.check();
        }
        assert!(self.bout.result().is_some(), "a bout has an end");
        self.check_that_the_result_is_final();
        self.bout
    }

    fn action(&mut self) -> Action {
        let position = self.bout.position();
        if self.scripted {
            named(position, CYCLE[self.script % CYCLE.len()])
        } else {
            position.legal_actions().choose(&mut self.rng).unwrap()
        }
    }

    fn think(&mut self) -> (usize, i64) {
        let thinking = self.bout.contestant(self.bout.position().to_move());
        (thinking.index(), self.rng.random_range(0..8000))
    }

    fn play(&mut self) {
        let (action, (thinking, millis)) = (self.action(), self.think());
        let before = self.bout.clone();
        let (position, mover) = (before.position(), before.contestant(before.position().turn_of()));
        let event = self.bout.play(position.to_move(), action, Duration::from_millis(millis as u64)).unwrap();
        self.script += 1;
        self.used[thinking] += millis;
        let replayed = self.bout.games() > before.games();
        assert_eq!(event == Event::Replay, replayed);
        self.note_fallen_flag(event, position.turn());
        let after = self.bout.position();
        let turn_over = replayed || position.turn() != after.turn() || after.outcome().is_some();
        if turn_over && self.given[mover.index()] > self.used[mover.index()] {
            self.given[mover.index()] += self.increment;
        }
        if replayed {
            assert_eq!(self.bout.position().placements(), 0);
            self.script = 0;
        }
    }

    fn wait(&mut self) {
        let (thinking, millis) = self.think();
        let turn = self.bout.position().turn();
        let event = self.bout.wait(Duration::from_millis(millis as u64)).unwrap();
        self.used[thinking] += millis;
        self.note_fallen_flag(event, turn);
    }

    fn note_fallen_flag(&mut self, event: Event, turn: usize) {
        if matches!(event, Event::FlagFell(_)) {
            self.last_turn = Some((self.bout.games(), turn));
        }
    }

    fn warn(&mut self) {
        let player = *Player::BOTH.choose(&mut self.rng).unwrap();
        if self.bout.warn(player) == Ok(Event::ExtraTime(player.other())) {
            self.given[self.bout.contestant(player.other()).index()] += 120_000;
        }
    }

    /// Refusals change nothing, not even a clock.
    fn attempt_something_illegal(&mut self) {
        let before = format!("{:?}", self.bout);
        let (player, legal) = (self.bout.position().to_move(), self.bout.position().action_set());
        let all =
            (0..self.bout.position().num_actions() as u16).filter_map(|index| Action::from_index(ActionIndex(index)));
        let illegal = all.filter(|&action| !legal.contains(action)).choose(&mut self.rng).unwrap();
        assert!(self.bout.play(player, illegal, SECOND * 1000).is_err());
        let action = self.action();
        assert!(self.bout.play(player.other(), action, SECOND * 1000).is_err());
        assert_eq!(format!("{:?}", self.bout), before);
    }

    /// No clock is below zero without a fallen flag, or for longer than its turn and its minute.
    fn check(&self) {
        let bout = &self.bout;
        let first = if bout.games() % 2 == 1 { Contestant::First } else { Contestant::Second };
        assert_eq!(bout.contestant(Player::White), first, "colours alternate from game to game");
        for player in Player::BOTH {
            let (clock, index) = (bout.clock(player), bout.contestant(player).index());
            let balance = self.given[index] - self.used[index];
            let expected = if clock.flag() == Flag::Up { balance } else { (balance + 60_000).max(0) };
            assert_eq!(clock.left().as_millis() as i64, expected);
            assert_eq!(clock.flag() == Flag::Up, balance > 0);
            assert!(clock.flag() != Flag::Spent || bout.result().is_some());
        }
        let fallen = Player::BOTH.into_iter().any(|player| bout.clock(player).flag() != Flag::Up);
        if let Some(last) = self.last_turn.filter(|_| fallen && bout.result().is_none()) {
            assert_eq!((bout.games(), bout.position().turn()), last, "a flag that fell ends the bout with the turn");
        }
        if let Some(result) = bout.result() {
            check_cause(bout, result);
        }
    }

    fn check_that_the_result_is_final(&mut self) {
        let (before, result) = (format!("{:?}", self.bout), self.bout.result().unwrap());
        let refused = Err(Refused::Over(result));
        for player in Player::BOTH {
            assert_eq!(self.bout.play(player, Action::Keep, SECOND), refused);
            assert_eq!((self.bout.warn(player), self.bout.resign(player)), (refused.clone(), refused.clone()));
        }
        assert_eq!(self.bout.wait(SECOND), refused);
        assert_eq!(format!("{:?}", self.bout), before);
    }
}

fn check_cause(bout: &Bout, result: BoutResult) {
    let loser = result.winner.map(Contestant::other);
    let colour = |contestant| Player::BOTH.into_iter().find(|&player| bout.contestant(player) == contestant).unwrap();
    let outcome = bout.position().outcome();
    match result.cause {
        Cause::Board(reason) => {
            assert_eq!(outcome.map(|outcome| outcome.reason), Some(reason));
            assert_eq!(outcome.and_then(|outcome| outcome.winner), result.winner.map(colour));
            assert!(loser.is_some() != (reason == Reason::Limit), "{reason}");
        }
        Cause::Time => assert!(bout.clock(colour(loser.unwrap())).flag() > Flag::Up),
        Cause::Penalty => assert_eq!(bout.warnings(colour(loser.unwrap())), 3),
        Cause::Resignation => assert!(loser.is_some() && outcome.is_none()),
        Cause::Replays => assert!(loser.is_none() && bout.games() == 3),
    }
}

#[test]
fn clocks_colours_and_results_of_random_bouts_obey_the_laws() {
    let mut causes = std::collections::HashMap::<Cause, u32>::new();
    let (mut replays, mut saved) = (0, 0);
    for seed in 0..4000 {
        let bout = Audit::new(seed).run();
        let result = bout.result().unwrap();
        *causes.entry(result.cause).or_default() += 1;
        replays += u32::from(bout.games()) - 1;
        let late = |player| result.winner == Some(bout.contestant(player)) && bout.clock(player).flag() == Flag::Fallen;
        saved += u32::from(matches!(result.cause, Cause::Board(_)) && Player::BOTH.into_iter().any(late));
    }
    let of = |cause| causes.get(&cause).copied().unwrap_or_default();
    for cause in [Cause::Time, Cause::Penalty, Cause::Resignation, Cause::Replays, Cause::Board(Reason::Limit)] {
        assert!(of(cause) > 50, "{cause}: {causes:?}");
    }
    assert!(of(Cause::Board(Reason::NoMove)) + of(Cause::Board(Reason::NoGipf)) > 50, "{causes:?}");
    assert!(replays > 300 && saved > 5, "{replays} replays, {saved} wins after a fallen flag: {causes:?}");
}

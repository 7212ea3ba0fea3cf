//! Matches by the clock: games that are bouts, and how they are recorded.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gipf_env::{Action, ActionIndex, GipfPosition, Outcome, Player, Position, Reason, Setup, Variant};
use gipf_play::Stop;
use gipf_play::arena::{
    Cause, Conditions, Ending, GameRecord, LAST_TURN, MatchConfig, MatchReport, Monitor, Opening, RecordSheet,
    TimeControl, play_bout, play_match,
};
use gipf_play::players::{Agent, AgentSpec, Choice, Clocks, Fault, TurnBudget, TurnLimits};
use gipf_train::cli::Exit;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::agents::checkpoint;
use crate::cli::{gipf, refused};

/// Eight turns that return to the position they began with, an empty board with four pieces each.
const CYCLE: [&str; 8] = ["d1-e2", "a1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2"];
const EMPTY: &str = "basic 4/5/6/7/6/5/4 w 4 4 - 0 0";

/// A question to a fake: the position, the number of decisions of the game so far, and the game of the bout, from 1.
struct Asked<'a> {
    position: &'a GipfPosition,
    decisions: usize,
    game: usize,
}

/// Returns what a fake decides, and how many milliseconds that takes.
type Script<'a> = &'a (dyn Fn(Asked<'_>) -> (Result<Action, Fault>, u64) + Sync);

/// An agent that uses up time on a fake clock, without any real delay.
struct Fake<'a> {
    script: Script<'a>,
    watch: &'a AtomicU64,
    seeds: Vec<u64>,
    decisions: usize,
    /// The questions to the fake, with the limits and clocks that it was given.
    told: Vec<Told>,
}

/// The game, the player that was asked, the limits and the clocks.
type Told = (usize, Player, TurnLimits, Clocks);

impl Agent<GipfPosition> for Fake<'_> {
    fn begin(&mut self, start: &GipfPosition, opening: &[Action], seed: u64) {
        assert_eq!((start.turn(), opening.len()), (0, opening.len().min(8)));
        self.seeds.push(seed);
        self.decisions = 0;
    }

    fn observe(&mut self, _action: Action) {
        self.decisions += 1;
    }

    fn choose(&mut self, position: &GipfPosition, limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        let game = self.seeds.len();
        self.told.push((game, position.to_move(), limits.clone(), limits.clocks.expect("it plays by the clock")));
        let (decided, took) = (self.script)(Asked { position, decisions: self.decisions, game });
        self.watch.fetch_add(took, Ordering::SeqCst);
        decided.map(Choice::unsearched)
    }
}

/// A bout that two fakes have played with the same script.
struct Played {
    game: GameRecord,
    /// The questions to each contestant.
    told: [Vec<Told>; 2],
    seeds: [Vec<u64>; 2],
}

fn played(opening: &Opening<GipfPosition>, clock: &str, script: Script<'_>) -> Played {
    let (watch, stop) = (AtomicU64::new(5), Stop::default());
    let fake = || Fake { script, watch: &watch, seeds: Vec::new(), decisions: 0, told: Vec::new() };
    let [mut first, mut second] = [fake(), fake()];
    let now = || ms(watch.load(Ordering::SeqCst));
    let conditions = Conditions { control: clock.parse().unwrap(), now: &now, stop: &stop };
    let game = play_bout(opening, [&mut first, &mut second], [1, 2], &conditions).unwrap();
    Played { game, told: [first.told, second.told], seeds: [first.seeds, second.seeds] }
}

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn position(text: &str) -> GipfPosition {
    GipfPosition::from_setup(&text.parse::<Setup>().unwrap()).unwrap()
}

fn named(position: &GipfPosition, name: &str) -> Action {
    let all = (0..position.num_actions() as u16).filter_map(|index| position.action_at(ActionIndex(index)));
    all.into_iter().find(|action| action.to_string() == name).unwrap()
}

fn late(winner: Player) -> Ending {
    Ending::Ruled { winner: Some(winner), cause: Cause::Time }
}

#[test]
fn whose_flag_falls_finishes_his_turn_and_loses() {
    let opening = Opening::none(&GipfPosition::start(Variant::STANDARD));
    // In the third turn, White's second, 1 s is left of ten; the turn may take another minute.
    for (took, actions) in [(1_000, 3), (60_999, 3), (61_000, 2), (500_000, 2)] {
        let script =
            |asked: Asked<'_>| (Ok(asked.position.legal_actions().next().unwrap()), [9_000, 7, took][asked.decisions]);
        let Played { game, told, .. } = played(&opening, "10s", &script);
        assert_eq!((game.ending, game.actions.len()), (late(Player::Black), actions), "{took} ms");
        assert_eq!((game.time, game.own_turns), ([ms(9_000 + took), ms(7)], [2, 1]), "the last turn is charged");
        assert_eq!(told[0][1].3.patience, ms(1_000) + LAST_TURN);
    }
    let script = |asked: Asked<'_>| {
        (Ok(asked.position.legal_actions().next().unwrap()), [9_000, 7, 999, 9_993][asked.decisions])
    };
    assert_eq!(played(&opening, "10s", &script).game.ending, late(Player::White), "Black's is used up to the last");
}

/// The flag falls in the middle of a turn that takes Black's last GIPF-piece, or does not (FAQ 11).
#[test]
fn a_turn_that_wins_on_the_board_wins_with_the_flag_down() {
    let opening = Opening::none(&position("standard 4/5/6/1SSGg2/6/5/4 w 5 5 - 0 0"));
    let won = Ending::Played(Outcome { winner: Some(Player::White), reason: Reason::NoGipf });
    for (last, ending) in [("take", won), ("keep", late(Player::Black))] {
        let script = |asked: Asked<'_>| {
            let name = ["d1-e2", "keep", last][asked.decisions];
            (Ok(named(asked.position, name)), [9_000, 2_000, 1_000][asked.decisions])
        };
        let Played { game, told, .. } = played(&opening, "10s", &script);
        assert_eq!((game.ending, game.actions.len(), game.turns), (ending, 3, 1));
        let patience: Vec<_> = told[0].iter().map(|(.., clocks)| clocks.patience).collect();
        assert_eq!(patience, [ms(70_000), ms(61_000), ms(59_000)]);
        let left = told[0].iter().all(|(.., clocks)| clocks.turn.left == [Some(ms(10_000)); 2]);
        assert!(left, "a turn gets the clocks as it began");
        assert_eq!(told[0][2].2.time, Some(Duration::ZERO), "it has nothing left to think with");
    }
}

/// Returns a random decision, and how many milliseconds it takes.
fn at_random(asked: &Asked<'_>, seed: u64) -> (Action, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(1_000 * seed + asked.decisions as u64);
    (asked.position.legal_actions().choose(&mut rng).unwrap(), rng.random_range(0..3_000))
}

/// The clocks show the initial time less the time used, plus the increment of every turn. Whatever they show, the
/// decisions of a turn together may use no more than the turn was given.
#[test]
fn increments_are_credited_and_decisions_share_what_their_turn_has() {
    let opening = Opening::none(&GipfPosition::start(Variant::TOURNAMENT));
    let mut shared = 0;
    for seed in 0..40 {
        let script = |asked: Asked<'_>| {
            let (action, took) = at_random(&asked, seed);
            (Ok(action), took)
        };
        let Played { game, told, .. } = played(&opening, "600s+2s", &script);
        let mut told = told.each_ref().map(|told| told.iter());
        let (mut position, mut clocks) = (opening.start.clone(), [600_000; 2]);
        let (mut at_begin, mut used) = (clocks, 0);
        for decisions in 0..game.actions.len() {
            let (player, turn) = (position.to_move(), position.turn());
            let (_, colour, limits, clocks_told) = told[player.index()].next().unwrap();
            assert_eq!((*colour, clocks_told.turn.increment), (player, [ms(2_000); 2]));
            assert_eq!(clocks_told.turn.left, at_begin.map(|left| Some(ms(left))));
            assert_eq!(clocks_told.patience, ms(clocks[player.index()]) + LAST_TURN);
            let rest = clocks_told.turn.time_for_turn(player).unwrap().saturating_sub(ms(used));
            let time = limits.time.unwrap();
            assert!(time <= rest && 2 * time >= rest);
            shared += usize::from(used > 0);
            let (action, took) = at_random(&Asked { position: &position, decisions, game: 1 }, seed);
            position.play(action).unwrap();
            clocks[player.index()] -= took;
            used += took;
            if position.turn() != turn {
                clocks[player.index()] += 2_000;
                (at_begin, used) = (clocks, 0);
            }
        }
        assert_eq!(Ending::Played(position.outcome().unwrap()), game.ending);
    }
    assert!(shared > 20, "turns of more than one decision are seen: {shared}");
}

/// Repeats the cycle, with 1 ms for a turn of White and 3 ms for one of Black, until one decision takes forever.
fn cycling(asked: &Asked<'_>, end: [usize; 2]) -> (Result<Action, Fault>, u64) {
    let action = named(asked.position, CYCLE[asked.decisions % 8]);
    let took = [1, 3][asked.position.to_move().index()];
    (Ok(action), if [asked.game, asked.decisions] == end { 1_000_000 } else { took })
}

#[test]
fn a_void_game_is_replayed_with_colours_and_clocks_exchanged() {
    let opening = Opening::none(&position(EMPTY));
    let Played { game, told, seeds } = played(&opening, "100ms", &|asked| cycling(&asked, [2, 2]));
    assert_eq!((game.void.len(), game.void[0].actions.len(), &game.void[0].ending), (1, 16, &Ending::Void));
    assert_eq!((game.actions.len(), game.own_turns), (2, [2, 1]));
    assert_eq!(game.ending, late(Player::Black), "one result, of the game that counts");
    let begun: Vec<_> = told[1].iter().find(|(game, ..)| *game == 2).into_iter().collect();
    assert_eq!((begun[0].1, begun[0].3.turn.left), (Player::White, [Some(ms(100 - 8 * 3)), Some(ms(100 - 8))]));
    for (seeds, first) in seeds.iter().zip([1, 2]) {
        assert!(seeds.len() == 2 && seeds[0] == first && seeds[1] != first, "a replay need not go the same way");
    }
}

#[test]
fn replays_begin_at_the_end_of_the_opening_and_have_an_end() {
    let start = position(EMPTY);
    let mut opening = Opening::none(&start);
    for name in CYCLE {
        let action = named(&opening.position, name);
        opening.position.play(action).unwrap();
        opening.actions.push(action);
    }
    let Played { game, seeds, .. } = played(&opening, "1s", &|asked| cycling(&asked, [0, 0]));
    assert_eq!((game.ending, game.void.len()), (Ending::Ruled { winner: None, cause: Cause::Replays }, 7));
    let lengths = game.void.iter().map(|game| game.actions.len()).chain([game.actions.len()]);
    assert!(
        lengths.clone().all(|length| length == 8),
        "the opening was the first round: {:?}",
        lengths.collect::<Vec<_>>()
    );
    assert_eq!(seeds[0].len(), 8, "all games begin alike");
}

#[test]
fn who_never_answers_loses_by_time_and_who_crashes_forfeits() {
    let opening = Opening::none(&GipfPosition::start(Variant::STANDARD));
    let silence = || Fault::Silence { command: "go".into(), waited: ms(70_000) };
    let crash = || Fault::Crash("gone".to_owned());
    let forfeit = |fault| Ending::Forfeit { loser: Player::White, fault };
    let cases: [(&(dyn Fn() -> Fault + Sync), u64, Ending); 4] = [
        (&silence, 70_000, late(Player::Black)),
        // It did not even get ready for the game.
        (&silence, 0, forfeit(silence())),
        (&crash, 5, forfeit(crash())),
        (&crash, 70_000, forfeit(crash())),
    ];
    for (fault, took, ending) in cases {
        let Played { game, .. } = played(&opening, "10s", &|_| (Err(fault()), took));
        assert_eq!((game.ending, game.actions.len()), (ending, 0));
    }
}

fn report(args: &[&str]) -> MatchReport {
    let answer = gipf(&[&["eval"], args, &["--json"]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    serde_json::from_str(answer.out.trim()).unwrap()
}

#[test]
fn eval_plays_by_the_clock() {
    let report = report(&["alpha-beta:1", "--against", "alpha-beta:2", "--clock", "2s+10ms", "--games", "4"]);
    assert_eq!((report.games, report.clock), (4, "2s+10ms".parse().ok()));
    assert!(report.to_string().contains("\n  clock        2s+10ms for each, 0 void games replayed\n"), "{report}");
    let unlimited = gipf(&["eval", "random", "--against", "random", "--games", "2", "--json"]);
    assert!(!unlimited.out.contains("clock") && !unlimited.out.contains("rulings"), "{}", unlimited.out);
}

#[test]
fn losses_by_time_are_reported_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let args = ["alpha-beta:6", "--against", "random", "--clock", "1ms", "--games", "2"];
    let report = report(&[&args[..], &["--records", file.to_str().unwrap()]].concat());
    assert_eq!((report.losses, report.endings["time"], report.agents[0].rulings["time"]), (2, 2, 2), "{report}");
    assert!(report.agents[1].rulings.is_empty());
    assert!(report.to_string().contains("\n  lost         time 2 by alpha-beta:6\n"), "{report}");
    let records = fs::read_to_string(&file).unwrap();
    let tags = "[PlacementLimit \"400\"]\n[TimeControl \"0.001\"]\n[Termination \"time\"]\n";
    assert_eq!(records.matches(tags).count(), 2, "{records}");
}

#[test]
fn void_games_are_written_beside_the_one_that_counts() {
    let agents = ["random", "greedy"].map(|name| name.parse::<AgentSpec>().unwrap().contender(Variant::BASIC).unwrap());
    let config =
        MatchConfig { clock: "60s+1s".parse().ok(), placement_limit: 5, ..MatchConfig::new(Variant::BASIC, 1) };
    let monitor = Monitor { progress: &|_| (), stop: &Stop::default(), keeper: None };
    let mut one = play_match(&config, [&agents[0], &agents[1]], monitor).unwrap();
    let opening = Opening::none(&position(EMPTY));
    one.pairs[0].games[0] = played(&opening, "1s", &|asked| cycling(&asked, [3, 2])).game;
    one.openings = vec![opening.clone()];
    one.pairs[0].games[1] = played(&opening, "1s", &|asked| cycling(&asked, [1, 2])).game;
    let mut sheet = RecordSheet::new("2000.01.01".to_owned());
    sheet.add(&one);
    let tags = |name: &str| -> Vec<_> {
        let text = sheet.text();
        let lines = text.lines().filter_map(|line| line.strip_prefix(&format!("[{name} \"")));
        lines.map(|line| line.trim_end_matches("\"]").to_owned()).collect()
    };
    assert_eq!(tags("Round"), ["1.1", "1.2", "1.3", "2"]);
    assert_eq!(tags("White"), ["random", "greedy", "random", "greedy"]);
    assert_eq!(tags("Result"), ["*", "*", "0-1", "0-1"]);
    assert_eq!(tags("Termination"), ["void by repetition", "void by repetition", "time", "time"]);
    assert_eq!(tags("TimeControl"), ["60+1"; 4]);
}

/// Agents with a limit other than time keep to that limit.
#[test]
fn agents_limited_in_time_or_not_at_all_heed_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let [sims, time] = ["sims=4", "time=1s"].map(|setting| format!("mcts:{network},{setting}"));
    let heeding = ["alpha-beta:time=5ms", "alpha-beta:depth=9,time=1s", "alpha-beta:captures=1", time.as_str()];
    let others = ["random", "greedy", "alpha-beta:3", "alpha-beta:depth=4", "alpha-beta:nodes=9", sims.as_str()];
    let start = GipfPosition::start(Variant::STANDARD);
    let clocks = Some(Clocks { turn: TurnBudget::default(), patience: LAST_TURN });
    // When the clock has run out, an agent that heeds it searches next to nothing.
    let spent = TurnLimits { time: Some(Duration::ZERO), clocks, ..TurnLimits::default() };
    for name in heeding.into_iter().chain(others) {
        let nodes = |limits: &TurnLimits| {
            let mut agent = (name.parse::<AgentSpec>().unwrap().contender(Variant::STANDARD).unwrap().build)();
            agent.begin(&start, &[], 1);
            agent.choose(&start, limits).unwrap().nodes
        };
        if heeding.contains(&name) {
            assert!(nodes(&spent) < 200, "{name}");
        } else {
            assert_eq!(nodes(&spent), nodes(&TurnLimits::default()), "{name}");
        }
    }
    // Without the clock they would think for a minute about every decision.
    let slow = format!("mcts:{network},time=60s");
    for agent in ["alpha-beta:time=60s", &slow] {
        let report =
            report(&[agent, "--against", "random", "--clock", "1s", "--games", "2", "--placement-limit", "20"]);
        assert!(report.games == 2 && report.agents[0].rulings.is_empty(), "{report}");
        assert!(report.agents[0].ms_per_turn > 5.0, "it uses its time: {report}");
    }
}

#[test]
fn what_is_no_clock_is_refused_in_one_line() {
    for clock in ["60", "0s", "1s+", "1s+x"] {
        refused(&["eval", "random", "--clock", clock], Exit::WrongUse, &["--clock", clock, "such as 60s, 5m+3s"]);
    }
    let both = ["eval", "random", "--clock", "60s", "--move-time", "1s"];
    refused(&both, Exit::WrongUse, &["--clock", "cannot be used with", "--move-time"]);
    assert!("60s+1s".parse::<TimeControl>().is_ok());
}

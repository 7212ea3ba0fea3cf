//! The UGI protocol: no bytes break the engine, what is written can be read, and agents keep to the limits of `go`.

use std::time::Duration;

use gipf_env::{Action, GipfPosition, Position, Setup, Variant};
use gipf_play::players::{AgentSpec, TurnLimits};
use gipf_play::ugi::{KEEPS_ALL, UgiGame};
use gipf_train::cli::{self, Console, Exit};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::engine::{Shown, line, talk};

/// Words that a reader of the protocol knows, and some that it does not.
const WORDS: &[&str] = &[
    "ugi",
    "isready",
    "setoption",
    "name",
    "value",
    "Variant",
    "Agent",
    "Seed",
    "PlacementLimit",
    "PlyLimit",
    "Potentials",
    "standard",
    "basic+zertz",
    "push-off",
    "alpha-beta:1",
    "random",
    "uginewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0",
    "tournament+zertz 4/5/6/7/6/5/4 w 18 18 Gg 6 6",
    "i5-g5",
    "a1-c3",
    "e2",
    "Ge2",
    "xb2,c3;",
    "Jc3-f3",
    "go",
    "p1time",
    "p2inc",
    "movetime",
    "nodes",
    "depth",
    "infinite",
    "0",
    "1",
    "-1",
    "18446744073709551616",
    "4294967296",
    "stop",
    "query",
    "p1turn",
    "gameover",
    "result",
    "GIPF",
    "\u{1f3b2}",
    "\0",
];

fn random_line(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut line = Vec::new();
    for _ in 0..rng.random_range(0..8) {
        match rng.random_range(0..12) {
            0 => (0..rng.random_range(0..40)).for_each(|_| line.push((rng.next_u32() >> 8) as u8)),
            _ => line.extend(WORDS.choose(rng).unwrap().bytes()),
        }
        line.push(b' ');
    }
    line
}

#[test]
fn no_input_ends_the_engine_but_its_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut refusals = 0;
    for number in 0..2000 {
        let mut input = Vec::new();
        for _ in 0..rng.random_range(1..12) {
            input.extend(random_line(&mut rng));
            input.push(b'\n');
        }
        let shown = Shown::default();
        let (mut out, mut err) = (shown.clone(), Vec::new());
        let mut bytes = [&input[..], b"\nisready"].concat();
        bytes.truncate(bytes.len() - number % 2 * 8);
        let input = &mut &bytes[..];
        let mut console = Console::new(input, &mut out, &mut err);
        let exit = cli::run(["gipf", "engine", "--agent", "greedy"], &mut console);
        let text = shown.text();
        assert_eq!((exit, err.len()), (Exit::Success, 0), "{bytes:?}");
        assert!(number % 2 == 1 || text.contains("readyok"), "{bytes:?}");
        refusals += text.matches("info string").count();
        for line in text.lines() {
            let known = ["id ", "option ", "ugiok", "readyok", "response ", "info ", "bestmove "];
            assert!(known.iter().any(|word| line.starts_with(word)), "{line}");
            assert!(!line.starts_with("bestmove ") || line.split(' ').count() == 2, "{line}");
        }
    }
    assert!(refusals > 4000, "{refusals} refusals are too few to say anything");
}

/// What a course writes is read as the same decisions, or as others that lead to the same position.
#[test]
fn turns_of_all_games_are_read_as_they_are_written() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let told = || Variant::ALL.into_iter().filter(|&variant| UgiGame::is_told(variant));
    let mut several = 0;
    for variant in told().cycle().take(300) {
        let mut course = UgiGame::new(&Setup::start(variant).with_placement_limit(Some(150))).unwrap();
        let mut mirror = course.clone();
        while let Some(action) = course.position().legal_actions().choose(&mut rng) {
            let before = course.turns().len();
            course.play(action).unwrap();
            if course.turns().len() > before {
                let text = course.turns().last().unwrap();
                let actions: Vec<Action> =
                    mirror.read(text).unwrap_or_else(|error| panic!("{variant}: {text}: {error}"));
                several += usize::from(actions.len() > 1);
                mirror.play_turn(text).unwrap();
                assert_eq!(mirror.position(), course.position(), "{variant}: {text}");
                assert!(!text.contains(char::is_whitespace));
            }
        }
        assert!(GipfPosition::outcome(course.position()).is_some());
    }
    assert!(several > 250, "{several} turns of several decisions are too few to say anything");
}

/// White has a row of four GIPF-pieces to take or keep, and no piece in reserve.
pub const GIPFS_ONLY: &str = "tournament GGGG/5/6/7/6/5/gg2 w 0 2 - 0 0";

#[test]
fn a_turn_that_leaves_nothing_to_write_can_be_sent() {
    let start = UgiGame::new(&GIPFS_ONLY.parse().unwrap()).unwrap();
    let legal = start.legal_turns(20_000).unwrap();
    assert!(legal.len() > 10 && legal.iter().any(|turn| turn == KEEPS_ALL), "{legal:?}");
    for text in &legal {
        let mut course = start.clone();
        course.play_turn(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(course.turns().len(), 1, "{text}");
    }
    let sent = format!("position fen {GIPFS_ONLY} moves {KEEPS_ALL}");
    let shown = talk(&[], [&*sent, "query gameover", "query result"].map(line).into());
    assert_eq!(shown, "response true\nresponse p2win\n");
    let elsewhere = UgiGame::new(&Setup::start(Variant::TOURNAMENT)).unwrap();
    assert!(elsewhere.read(KEEPS_ALL).is_err(), "it has a piece to bring in");
}

#[test]
fn agents_keep_to_limits_as_they_say() {
    let position = GipfPosition::start(Variant::STANDARD);
    let spec: AgentSpec = "alpha-beta:3".parse().unwrap();
    let mut agent = (spec.contender(Variant::STANDARD).unwrap().build)();
    let mut depth = |limits: &TurnLimits| {
        let mut told = Vec::new();
        let choice = agent.choose_and_tell(&position, limits, &mut |choice| told.push(choice.depth)).unwrap();
        assert_eq!(told, (1..=choice.depth).collect::<Vec<_>>(), "every depth is reported");
        choice.depth
    };
    let free = TurnLimits::default;
    assert_eq!(depth(&free()), 3, "the agent's own limit");
    assert_eq!(depth(&TurnLimits { depth: Some(4), ..free() }), 4, "a limit of the same kind");
    let timed = TurnLimits { time: Some(Duration::from_secs(5)), ..free() };
    assert_eq!(depth(&timed), 3, "a limit of another kind");
    assert_eq!(depth(&TurnLimits { sharing: 2, ..free() }), 3, "a depth is not shared");
    let lifted = TurnLimits { nodes: Some(20_000), lifted: true, ..free() };
    assert!(depth(&lifted) > 3, "no limit of its own");
    let stopped = TurnLimits { lifted: true, ..free() };
    stopped.stop.request();
    assert_eq!(depth(&stopped), 1, "stopped before it began");
}

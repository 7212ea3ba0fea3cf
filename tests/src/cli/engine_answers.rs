//! `gipf engine`: every `go` gets exactly one answer, whatever came before.

use gipf_env::{Setup, Variant};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::agents::checkpoint;
use crate::cli::engine::{Typed, line, talk};

/// Arguments of `go` that end a search soon.
const LIMITS: [&str; 7] = ["", "nodes 40", "depth 1", "movetime 5", "p1time -3", "infinite depth", "depth x"];
const RULE_SETS: [&str; 7] =
    ["basic", "standard", "tournament", "basic+zertz", "standard+zertz", "tournament+zertz", "push-off"];

/// Returns a line that may come between two searches.
fn said(agents: &[&str], rng: &mut ChaCha8Rng) -> String {
    let any = |texts: &[&str], rng: &mut ChaCha8Rng| (*texts.choose(rng).unwrap()).to_owned();
    match rng.random_range(0..9) {
        0 | 1 => format!("setoption name Agent value {}", any(agents, rng)),
        2 | 3 => format!("setoption name Variant value {}", any(&RULE_SETS, rng)),
        4 => format!("position fen {}", Setup::start(*Variant::ALL.choose(rng).unwrap())),
        5 => any(&["position startpos", "position startpos moves i5-g5", "position startpos moves e2 e2"], rng),
        6 => any(&["setoption name Seed value 3", "setoption name PlyLimit value 1", "setoption name Potentials"], rng),
        7 => any(&["uginewgame", "stop", "query result", "dance"], rng),
        _ => "isready".to_owned(),
    }
}

/// Returns an endless search, the lines that come meanwhile, and its stop.
fn busy(agents: &[&str], rng: &mut ChaCha8Rng) -> Vec<Typed> {
    let meanwhile = (0..rng.random_range(0..4)).map(|_| {
        let text = said(agents, rng);
        // With `stop` here, the search would end too early.
        line(if text == "stop" { "go" } else { &text })
    });
    let meanwhile: Vec<_> = meanwhile.collect();
    // After a refused position, or with an agent that is not available, nothing would be searched.
    let begins = ["setoption name Agent value alpha-beta:1", "position startpos", "go infinite"];
    begins.map(line).into_iter().chain(meanwhile).chain([line("stop")]).collect()
}

#[test]
fn every_go_gets_one_answer_whatever_went_before() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::BASIC);
    let network = format!("mcts:{network},sims=3");
    let agents =
        ["random", "greedy", "alpha-beta:1", "level:2", "pretrained:sims=2", &network, "mcts:no/such,sims=2", "gamma"];
    for seed in 0..12 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut typed, mut searches) = (Vec::new(), 0);
        for _ in 0..25 {
            typed.extend((0..rng.random_range(0..5)).map(|_| line(&said(&agents, &mut rng))));
            if rng.random_range(0..3) == 0 {
                typed.extend(busy(&agents, &mut rng));
            } else {
                if rng.random() {
                    typed.push(line("position startpos"));
                }
                typed.push(line(&format!("go {}", LIMITS.choose(&mut rng).unwrap())));
                typed.push(line("stop"));
            }
            searches += 1;
            typed.push(Typed::Wait("bestmove", searches));
        }
        let shown = talk(&["--agent", "random"], typed);
        assert_eq!(shown.lines().filter(|line| line.starts_with("bestmove ")).count(), searches, "{seed}: {shown}");
        assert!(!shown.contains("a mistake"), "{seed}: {shown}");
        assert!(shown.lines().filter(|line| line.starts_with("bestmove ") && *line != "bestmove 0000").count() > 3);
    }
}

#[test]
fn an_agent_never_plays_a_rule_set_that_it_was_not_built_for() {
    let folder = tempfile::tempdir().unwrap();
    let network = format!("mcts:{},sims=2", checkpoint(folder.path(), Variant::STANDARD));
    let after_ready = format!("position fen {}", Setup::start(Variant::STANDARD.with_zertz()));
    let ways: [&[&str]; 2] = [
        &["setoption name Variant value basic+zertz", "isready", "uginewgame", "position startpos"],
        &["isready", &after_ready],
    ];
    for way in ways {
        let mut typed: Vec<_> = ["position startpos", "go", "stop"].map(line).into();
        typed.push(Typed::Wait("bestmove", 1));
        typed.extend(way.iter().map(|text| line(text)));
        typed.extend([line("go"), Typed::Wait("bestmove", 2), line("setoption name Variant value standard")]);
        typed.extend([line("position startpos"), line("go"), Typed::Wait("bestmove", 3)]);
        let shown = talk(&["--agent", &network], typed);
        let best: Vec<_> = shown.lines().filter(|line| line.starts_with("bestmove ")).collect();
        assert!(best.len() == 3 && best[1] == "bestmove 0000", "{shown}");
        assert!(best[0] != "bestmove 0000" && best[2] != "bestmove 0000", "{shown}");
        let why = shown.lines().take_while(|line| *line != "bestmove 0000").last().unwrap();
        assert!(why.contains("is a network for standard: expected ") && why.ends_with("+zertz"), "{shown}");
    }
}

//! `--threads`: how many threads a command uses, and that its results do not depend on that number.

#[cfg(feature = "learn")]
use std::{fs, path::Path};

use gipf_train::cli::Exit;

use crate::cli::gipf;
#[cfg(feature = "learn")]
use crate::cli::refused;

/// Returns what a command prints on this many threads, without the times.
fn told(args: &[&str], threads: &str) -> String {
    let answer = gipf(&[args, &["--threads", threads]].concat());
    assert_eq!(answer.exit, Exit::Success, "{args:?}: {}", answer.err);
    let times = ["ms_per_turn", "\"seconds\""];
    let untimed = |line: &str| line.split(',').filter(|part| !times.iter().any(|time| part.contains(time))).collect();
    answer.out.lines().map(untimed).collect::<Vec<String>>().join("\n")
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let commands: [&[&str]; 3] = [
        &["perft", "--depth", "4"],
        &["book", "--positions", "5", "--nodes", "200", "--bound", "100"],
        &["eval", "alpha-beta:1", "--against", "greedy", "--games", "20", "--json"],
    ];
    for args in commands {
        let [one, three] = ["1", "3"].map(|threads| told(args, threads));
        assert!(!one.is_empty());
        assert_eq!(one, three, "{args:?}");
    }
}

#[cfg(feature = "learn")]
#[test]
fn games_and_networks_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [one, three] = ["1", "3"].map(|threads| {
        let path = |name: &str| folder.path().join(format!("{name}-{threads}")).to_str().unwrap().to_owned();
        let (run, data, net) = (path("run"), path("data"), path("net"));
        let train = ["train", "--preset", "smoke", "--iterations", "1", "--set", "run.games=4", "--run", &run];
        told(&train, threads);
        told(&["self-play", "--agent", "alpha-beta:1", "--games", "6", "--out", &data], threads);
        let fit = ["fit", "--data", &data, "--steps", "4", "--out", &net];
        told(&fit, threads);
        let bytes = |path: &str| fs::read(path).unwrap();
        assert!(told(&["data", "validate", &data], threads).contains("6 games"));
        let games = fs::read_to_string(Path::new(&data).join("_text/games-00000.txt")).unwrap();
        (bytes(&format!("{run}/checkpoints/000001.safetensors")), games, bytes(&net))
    });
    assert!(one == three, "a network or a game differs");
}

#[cfg(feature = "learn")]
#[test]
fn the_number_of_threads_has_bounds() {
    for number in ["0", "1025", "-1", "many"] {
        refused(&["perft", "--depth", "1", &format!("--threads={number}")], Exit::WrongUse, &["--threads"]);
    }
    assert_eq!(gipf(&["perft", "--depth", "1", "--threads", "1024"]).exit, Exit::Success);
    for command in ["train", "self-play", "fit", "eval", "ladder", "tune", "book", "perft", "bench", "data", "record"] {
        let help = gipf(&[command, "--help"]);
        assert!(help.out.contains("--threads <N>"), "{command}: {}", help.out);
        assert!(!help.out.contains("The arguments of a command"), "the command describes itself: {}", help.out);
    }
    assert!(gipf(&["data", "validate", "--help"]).out.contains("--threads <N>"));
}

//! Commands that were interrupted resume with the players they began with, and with no others.

use std::fs;

use gipf_env::Variant;
use gipf_play::players::alpha_beta::{Layout, packed};
use gipf_train::cli::Exit;

use crate::cli::{gipf, interrupted, refused};

/// Writes weights of the baseline AI, different ones for each number.
fn write_weights(file: &str, number: usize) {
    let weights: Vec<_> = (0..Layout::new().count()).map(|place| ((place + number) % 7) as i16).collect();
    fs::write(file, packed(&weights, Variant::STANDARD)).unwrap();
}

/// Interrupts a command with a player whose weights are in a file, and checks that it resumes with the same weights only.
#[track_caller]
fn assert_goes_on_alike(args: &[&str], weights: &str, told: &str) {
    write_weights(weights, 1);
    interrupted(args);
    write_weights(weights, 2);
    refused(args, Exit::Failure, &[told]);
    write_weights(weights, 1);
    let answer = gipf(args);
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
}

#[test]
fn matches_go_on_with_the_weights_with_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (weights, games) = (path("weights.bin"), path("games.pgn"));
    let agent = format!("alpha-beta:1,eval={weights}");
    let args = ["eval", "random", "--against", &agent, "--games", "2", "--records", &games];
    assert_goes_on_alike(&args, &weights, "games.pgn.partial holds games of other matches");
}

#[cfg(feature = "learn")]
#[test]
fn datasets_go_on_with_the_weights_with_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (weights, out) = (path("weights.bin"), path("games"));
    let agent = format!("alpha-beta:1,eval={weights}");
    let args = ["self-play", "--agent", &agent, "--games", "2", "--out", &out];
    assert_goes_on_alike(&args, &weights, "holds a partial dataset made by another network");
}

//! Weights of the baseline AI, fitted to the games of a dataset.

use std::fs;

use gipf_train::cli::Exit;

use crate::cli::gipf;

#[cfg_attr(debug_assertions, ignore = "plays and fits, the same as without assertions")]
#[test]
fn weights_fitted_to_a_dataset_foretell_other_games_and_depend_on_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let data = path("games");
    let play = ["self-play", "--agent", "alpha-beta:1", "--variant", "basic", "--games", "300", "--out", &data];
    assert_eq!(gipf(&play).exit, Exit::Success);
    let tuned = |name: &str, trust: &str, threads: &str| {
        let out = path(name);
        let args = ["tune", "--data", &data, "--trust", trust, "--threads", threads, "--out", &out];
        let answer = gipf(&args);
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        (answer.out, fs::read(out).unwrap())
    };
    let (told, by_results) = tuned("results.bin", "0", "1");
    let loss = told.split("of those held out ").nth(1).unwrap().lines().next().unwrap().parse::<f64>().unwrap();
    // Weights of zero give even chances in every position.
    assert!((0.2..0.98 * std::f64::consts::LN_2).contains(&loss), "{told}");
    assert!(tuned("again.bin", "0", "3").1 == by_results, "on three threads");
    assert!(tuned("search.bin", "1", "1").1 != by_results, "what the searches expected is something else");
}

//! Reports: a single file about a run, which loads nothing and replaces nothing.

use std::fs;

use gipf_train::cli::Exit;

use crate::{gipf, refused};

#[test]
fn a_report_is_one_file_of_curves_and_a_game_and_stays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (run, out, again) = (at("<b>&run"), at("report.html"), at("again.html"));
    let small = ["--set", "run.games=4", "--set", "evaluation.games=2", "--set", "evaluation.final_games=2"];
    let train = gipf(&[&["train", "--preset", "smoke", "--iterations", "2", "--run", &run][..], &small].concat());
    assert_eq!(train.exit, Exit::Success, "{}", train.err);
    for file in [&out, &again] {
        let report = gipf(&["report", &run, "--games", "1", "--out", file]);
        assert_eq!(report.exit, Exit::Success, "{}", report.err);
        assert!(report.out.contains("1 run, 1 game"), "{}", report.out);
    }
    let page = fs::read_to_string(&out).unwrap();
    assert_eq!(page, fs::read_to_string(&again).unwrap());
    assert!(page.contains("policy_loss") && page.contains("against itself") && !page.contains("<b>"));
    for word in ["src=", "http://127", "url(", "@import", "<link rel=\"stylesheet"] {
        assert!(!page.contains(word), "{word}");
    }
    refused(&["report", &run, "--out", &out], Exit::Failure, &["report.html exists", "--force"]);
    assert_eq!(gipf(&["report", &run, "--games", "0", "--force", "--out", &out]).exit, Exit::Success);
    assert!(!fs::read_to_string(&out).unwrap().contains("against itself"));
    refused(&["report", &at("nothing"), "--out", &at("x.html")], Exit::Failure, &["there is no run here"]);
    refused(&["report", &run, "--out", &format!("{run}/x.html")], Exit::Failure, &["belongs to the run"]);
    assert!(!folder.path().join("x.html").exists());
}

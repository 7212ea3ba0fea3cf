//! `gipf solve`: its answers can be played, its limits are kept, and its exit codes give the result.

use gipf_env::notation::record::{self, Conclusion, Source};
use gipf_env::{Player, Setup};
use gipf_play::Stop;
use gipf_train::cli::{self, Console, Exit};
use serde_json::Value;

use crate::cli::{gipf, refused};

const BASIC: &str = "basic 4/2S2/3s2/7/1SSs2/Ss3/s3 w 6 3 - 0 0";
const STANDARD: &str = "standard 1S2/1S3/sSSS2/SsGgSsS/s5/5/4 b 5 3 - 0 0";

fn json(args: &[&str]) -> (Exit, Value) {
    let answer = gipf(&[args, &["--json"]].concat());
    (answer.exit, serde_json::from_str(&answer.out).unwrap())
}

#[test]
fn a_proven_win_comes_with_a_line_that_can_be_played_to_its_end() {
    for (gpn, turns) in [(BASIC, 7), (STANDARD, 6)] {
        let (exit, answer) = json(&["solve", gpn, "--memory", "50MB"]);
        assert_eq!((exit, answer["result"].as_str()), (Exit::Success, Some("white")));
        assert_eq!((answer["turns"].as_u64(), answer["line_fastest"].as_bool()), (Some(turns), Some(true)));
        assert_eq!(answer["ended"], "decided");
        assert_eq!(answer["can_force_a_win"], serde_json::json!([true, false]));
        let setup: Setup = gpn.parse().unwrap();
        let source = Source { setup: Some(setup), ..Source::default() };
        let read = record::read(answer["line"].as_str().unwrap(), &source).unwrap().record;
        assert_eq!(read.conclusion(), Some(Conclusion::Won(Player::White)));
        let actions: Vec<_> = read.actions().iter().map(|action| u64::from(action.index().0)).collect();
        let told: Vec<_> = answer["actions"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        assert_eq!(actions, told);
    }
    let told = gipf(&["solve", BASIC]).out;
    assert!(told.starts_with("White wins: proven in ") && told.contains("the fastest win, 7 turns:\n1."), "{told}");
}

#[test]
fn what_is_not_decided_within_the_limits_is_no_success() {
    let start = Setup::start(gipf_env::Variant::TOURNAMENT).to_string();
    let answer = gipf(&["solve", &start, "--time", "100ms", "--memory", "1MB"]);
    assert_eq!(answer.exit, Exit::Failure);
    assert!(
        answer.out.starts_with("not decided: the time is spent; ") && answer.out.ends_with(" 1 MB\n"),
        "{}",
        answer.out
    );
    let (_, answer) = json(&["solve", &start, "--time", "100ms"]);
    assert_eq!((answer["result"].as_str(), answer["ended"].as_str()), (Some("undecided"), Some("time")));
}

#[test]
fn an_interrupted_proof_tells_what_it_knows() {
    let (mut out, mut err, stop) = (Vec::new(), Vec::new(), Stop::default());
    stop.request();
    let input = &mut std::io::empty();
    let mut console = Console::new(input, &mut out, &mut err).stopped_by(stop);
    let start = Setup::start(gipf_env::Variant::BASIC).to_string();
    assert_eq!(cli::run(["gipf", "solve", start.as_str()], &mut console), Exit::Interrupted);
    assert!(String::from_utf8(out).unwrap().starts_with("not decided: interrupted; "));
}

#[test]
fn small_gipf_is_solved_with_its_counts() {
    let answer = gipf(&["solve", "--small", "--pieces", "3"]);
    assert_eq!(answer.exit, Exit::Success);
    assert!(answer.out.starts_with("small GIPF with 3 pieces each: the start is a draw for White\n6223 positions"));
    let (_, answer) = json(&["solve", "--small", "--pieces", "3"]);
    assert_eq!((answer["result"].as_str(), answer["draws"].as_u64()), (Some("draw"), Some(140)));
    let (_, proof) = json(&["solve", BASIC]);
    for shared in ["result", "positions", "seconds", "memory"] {
        assert!(answer.get(shared).is_some() && proof.get(shared).is_some(), "{shared}");
    }
    assert_eq!(answer["wins"].as_array().unwrap().len(), 6);
}

#[test]
fn senseless_requests_are_refused() {
    refused(&["solve", "basic 4/5 w"], Exit::WrongUse, &["GPN"]);
    refused(&["solve"], Exit::WrongUse, &["GPN", "--small"]);
    refused(&["solve"], Exit::WrongUse, &["GPN"]);
    refused(&["solve", BASIC, "--small"], Exit::WrongUse, &["--small"]);
    refused(&["solve", BASIC, "--memory", "much"], Exit::WrongUse, &["--memory", "1GB"]);
    refused(&["solve", BASIC, "--pieces", "5"], Exit::WrongUse, &["--pieces"]);
    refused(&["solve", "--small", "--pieces", "9"], Exit::WrongUse, &["--pieces"]);
}

//! What all commands have in common, and the small commands.

use gipf_train::cli::Exit;

use super::{gipf, gipf_with_input, refused, write};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

fn data(file: &str) -> String {
    format!("{DATA}/{file}")
}

#[test]
fn every_command_teaches_itself_with_an_example() {
    let help = gipf(&["--help"]);
    assert_eq!(help.exit, Exit::Success);
    let commands = help.out.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<_> = names.filter_map(|line| line.split(' ').next()).filter(|&name| name != "help").collect();
    assert!(names.len() >= 2, "{names:?}");
    for name in names {
        let help = gipf(&[name, "--help"]);
        assert_eq!(help.exit, Exit::Success);
        assert!(help.out.contains(&format!("gipf {name} ")) && help.out.contains("Example"), "{name}: {}", help.out);
    }
    assert!(gipf(&["--version"]).out.starts_with("gipf 0"));
    assert_eq!(gipf(&[]).exit, Exit::WrongUse);
}

#[test]
fn perft_prints_a_line_for_each_depth() {
    assert_eq!(gipf(&["perft", "--depth", "3"]).out, "1 30\n2 924\n3 29016\n");
    let args = ["perft", "--variant", "tournament", "--depth", "3", "--distinct"];
    assert_eq!(gipf(&args).out, "1 18\n2 348\n3 14112\n");
    let position = "basic 4/5/6/7/6/5/4 w 1 1 - 0 0";
    let answer = gipf(&["perft", "--depth", "2", "--position", position, "--divide"]);
    assert_eq!(answer.out.lines().count(), 18);
    assert!(answer.out.starts_with("a1-b2 20\n"), "{}", answer.out);
}

#[test]
fn perft_refuses_what_makes_no_sense() {
    refused(&["perft", "--variant", "chess", "--depth", "1"], Exit::WrongUse, &["`chess`", "expected basic"]);
    refused(&["perft"], Exit::WrongUse, &["--depth"]);
    refused(&["perft", "--depth", "0"], Exit::WrongUse, &["'0'", "--depth"]);
    let broken = "standard g2G/5/6/G5x/6/5/g2G w 12 12 - 0 0";
    refused(&["perft", "--depth", "1", "--position", broken], Exit::WrongUse, &["column 20", "`x`"]);
    let basic = "basic 4/5/6/7/6/5/4 w 1 1 - 0 0";
    let other = ["perft", "--depth", "1", "--position", basic, "--variant", "standard"];
    refused(&other, Exit::WrongUse, &["basic", "standard"]);
    refused(&["fly"], Exit::WrongUse, &["'fly'"]);
}

#[test]
fn check_counts_what_it_replayed() {
    let answer = gipf(&["check", &data("games.ndjson.gz"), &data("positions.ndjson.gz")]);
    assert_eq!(answer.exit, Exit::Success);
    assert_eq!(answer.out, "525 games, 9457 decisions, 0 mismatches\n");
}

#[test]
fn check_fails_at_a_mismatch_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "planted.ndjson", PLANTED);
    let answer = gipf(&["check", &file]);
    assert_eq!(answer.exit, Exit::Failure);
    let (found, summary) = answer.out.split_once('\n').unwrap();
    assert!(found.starts_with(&format!("{file}: game 1, decision 1: reserve: expected ")), "{found}");
    assert_eq!(summary, "1 games, 1 decisions, 1 mismatches\n");
    let json = gipf(&["check", "--json", &file]);
    let lines: Vec<serde_json::Value> = json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["subject"], &lines[0]["decision"]), (&"reserve".into(), &1.into()));
    assert_eq!(lines[1]["mismatches"], 1);
}

#[test]
fn check_reads_from_standard_input_and_tells_in_json_what_it_cannot_read() {
    let answer = gipf_with_input(&["check", "-"], &format!("{PLANTED}\n"));
    let told = answer.out;
    assert!(told.starts_with("-: game 1, decision 1") && told.ends_with(" 1 mismatches\n"), "{told}");
    let answer = gipf(&["check", "--json", "no-such-file"]);
    let lines: Vec<serde_json::Value> = answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((answer.exit, answer.err.as_str(), lines.len()), (Exit::Failure, "", 2));
    let error = lines[0]["error"].as_str().unwrap();
    assert!(lines[0]["file"] == "no-such-file" && error.starts_with("expected a readable file"), "{}", answer.out);
}

/// A game that stops after White's first move to e2, with a wrong reserve for White.
pub const PLANTED: &str = concat!(
    r#"{"rules":"basic","potentials":0,"limit":400,"start":"basic 4/5/6/7/6/5/4 w 1 1 - 0 0","steps":[{"#,
    r#""board":"4/5/6/7/6/5/4","side":"w","reserve":[2,1],"#,
    r#""legal":[0,1,3,5,9,10,13,14,17,18,22,24,26,28,30,32,36,38],"action":17}],"#,
    r#""final":"4/5/6/S6/6/5/4","result":"cut"}"#
);

#[test]
fn check_refuses_files_that_are_no_records() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write(folder.path(), "broken.ndjson", "{\"rules\": \"basic\"\n");
    refused(&["check", "no-such-file"], Exit::Failure, &["no-such-file", "expected a readable file"]);
    refused(&["check", &broken], Exit::Failure, &["broken.ndjson", "line 1"]);
    let cut = folder.path().join("cut.ndjson.gz");
    std::fs::write(&cut, &std::fs::read(data("games.ndjson.gz")).unwrap()[..1000]).unwrap();
    let empty = write(folder.path(), "empty.ndjson", "");
    refused(&["check", &data("games.ndjson.gz"), &empty], Exit::Failure, &["empty.ndjson", "no game is recorded"]);
    let all = gipf(&["check", "no-such-file", &empty, &data("positions.ndjson.gz")]);
    assert_eq!((all.exit, all.err.lines().count()), (Exit::Failure, 2), "{}", all.err);
    assert!(all.out.ends_with(" 0 mismatches\n") && !all.out.starts_with("0 games"), "the last is read: {}", all.out);
    refused(&["check", cut.to_str().unwrap()], Exit::Failure, &["cut.ndjson.gz", "incomplete"]);
    refused(&["check"], Exit::WrongUse, &["<FILE>"]);
}

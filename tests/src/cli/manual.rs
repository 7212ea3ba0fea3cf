//! Completion scripts and manual pages: they are complete, and never replace another file.

use std::fs;
use std::path::Path;

use gipf_train::cli::Exit;

use super::{a_run, gipf, refused, write};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Returns the names of the commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = gipf(&["--help"]).out;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !["", "help"].contains(name)).map(str::to_owned).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.collect()
}

#[test]
fn completions_of_every_shell_know_every_command_and_its_options() {
    for shell in SHELLS {
        let script = gipf(&["completions", shell]);
        assert_eq!((script.exit, script.err.as_str()), (Exit::Success, ""));
        for word in commands().iter().map(String::as_str).chain(["convert", "simulations", "positions"]) {
            assert!(script.out.contains(word), "{shell} does not know {word}");
        }
    }
    refused(&["completions", "tcsh"], Exit::WrongUse, &["'tcsh'", "bash"]);
    refused(&["completions"], Exit::WrongUse, &["<SHELL>"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    // Both folders are created.
    let out = folder.path().join("share/man1");
    let answer = gipf(&["man", "--out", out.to_str().unwrap()]);
    assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""));
    let names = names_in(&out);
    assert!(answer.out.starts_with(&format!("{} pages in ", names.len())), "{}", answer.out);
    for command in commands() {
        let page = fs::read_to_string(out.join(format!("gipf-{command}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains(".SH EXTRA\n.nf\nExample"), "{command}: {page}");
        let head = page.lines().find(|line| line.starts_with(".TH ")).unwrap();
        assert!(head.contains(&format!("\"gipf {}", env!("CARGO_PKG_VERSION"))), "{head}");
        assert_eq!((page.matches("\n.nf\n").count(), page.matches("\n.fi\n").count()), (1, 1), "{command}: {page}");
    }
    let long = fs::read_to_string(out.join("gipf-record-analyse.1")).unwrap();
    assert!(long.contains("names the mistakes") && long.contains("side by side on all cores"), "{long}");
    let deep = fs::read_to_string(out.join("gipf-record-convert.1")).unwrap();
    assert!(deep.contains("gipf record convert"), "{deep}");
    assert!(fs::read_to_string(out.join("gipf.1")).unwrap().contains("Exit codes"));
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    // A call that was interrupted leaves some pages; the same call again writes the others.
    fs::remove_file(out.join("gipf-play.1")).unwrap();
    assert_eq!(gipf(&["man", "--out", out.to_str().unwrap()]).out, answer.out);
    assert_eq!(names_in(&out), names);
}

#[test]
fn a_manual_page_replaces_no_file_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mine = write(path, "gipf-play.1", "mine");
    let out = path.to_str().unwrap();
    refused(&["man", "--out", out], Exit::Failure, &["gipf-play.1 exists", "--force"]);
    assert_eq!((names_in(path).len(), fs::read_to_string(&mine).unwrap().as_str()), (1, "mine"));
    assert_eq!(gipf(&["man", "--out", out, "--force"]).exit, Exit::Success);
    assert!(fs::read_to_string(&mine).unwrap().contains("gipf-play"));
    refused(&["man", "--out", &mine], Exit::Failure, &["cannot make", "gipf-play.1"]);
    let run = a_run(path);
    refused(&["man", "--out", run.join("share/man1").to_str().unwrap()], Exit::Failure, &["belongs to the run"]);
    assert_eq!(names_in(&run).len(), 2, "what is refused leaves no trace");
}

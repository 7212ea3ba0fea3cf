//! What only the binary itself can show: exit codes, closed pipes, Ctrl-C. The rest is tested in-process.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

fn gipf(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gipf"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn the_exit_code_says_how_it_went() {
    let code = |args: &[&str]| gipf(args).output().unwrap().status.code();
    assert_eq!(code(&["perft", "--depth", "2"]), Some(0));
    assert_eq!(code(&["check", "no-such-file"]), Some(1));
    assert_eq!(code(&["perft", "--depth", "two"]), Some(2));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut child = gipf(&["perft", "--depth", "5"]).spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "1 30\n");
    drop(out);
    let end = child.wait_with_output().unwrap();
    assert_eq!((end.status.code(), String::from_utf8(end.stderr).unwrap()), (Some(0), String::new()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_130() {
    let mut child = gipf(&["perft", "--depth", "12"]).spawn().unwrap();
    let mut line = String::new();
    // The first line says that it is at work, and that its handler stands.
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

//! Behaviour that only the program itself can show: exit codes, closed pipes, signals and kills, several instances at once.
//! The rest is tested in-process.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests make files and start the program as a user does"
)]

#[cfg(feature = "dataset")]
mod dataset_killed;
#[cfg(unix)]
mod external;
mod ladder;
#[cfg(feature = "learn")]
mod outputs;
#[cfg(all(feature = "learn", feature = "board"))]
mod report;
#[cfg(feature = "learn")]
mod runs_begun;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gipf_train::cli::Exit;

/// The program.
const GIPF: &str = env!("CARGO_BIN_EXE_gipf");

/// The output and exit of one run of the program.
struct Answer {
    exit: Exit,
    out: String,
    err: String,
}

/// Returns the program with these arguments, ready to be started.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(GIPF);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end.
fn answer(command: &mut Command) -> Answer {
    let output = command.output().unwrap();
    let exits = [Exit::Success, Exit::Failure, Exit::WrongUse, Exit::Interrupted];
    let exit = exits.into_iter().find(|exit| output.status.code() == Some(exit.code().into()));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    Answer { exit: exit.unwrap_or_else(|| panic!("{}: {err}", output.status)), out, err }
}

/// Runs the program with these arguments.
fn gipf(args: &[&str]) -> Answer {
    answer(&mut command(args))
}

/// Runs the program, which must refuse in one line that contains these texts.
fn refused(args: &[&str], exit: Exit, texts: &[&str]) {
    let answer = gipf(args);
    assert_eq!(answer.exit, exit, "{args:?}: {}", answer.err);
    assert!(answer.err.starts_with("error: ") && answer.err.lines().count() == 1, "{args:?}: {}", answer.err);
    for text in texts {
        assert!(answer.err.contains(text), "{args:?}: {} lacks `{text}`", answer.err);
    }
}

/// Writes a file, and returns its path.
fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_exit_code_says_how_it_went() {
    let code = |args: &[&str]| command(args).output().unwrap().status.code();
    assert_eq!(code(&["perft", "--depth", "2"]), Some(0));
    assert_eq!(code(&["check", "no-such-file"]), Some(1));
    assert_eq!(code(&["perft", "--depth", "two"]), Some(2));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut child = command(&["perft", "--depth", "5"]).spawn().unwrap();
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
    let mut child = command(&["perft", "--depth", "12"]).spawn().unwrap();
    let mut line = String::new();
    // The first line shows that it is at work, and that its handler is installed.
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

//! The program, run in-process over byte streams.

pub mod agents;
mod altered;
mod analyse;
mod commands;
pub mod engine;
mod engine_answers;
mod engine_thought;
mod export;
mod ladder;
mod manual;
mod play;
mod rate;
mod record;
mod solve;
mod threads;
#[cfg(feature = "learn")]
mod train;
mod unheard;

use std::path::{Path, PathBuf};

use gipf_play::Stop;
use gipf_tests::readers::program::run;
use gipf_train::cli::{self, Console, Exit};

/// The answer of a run of the program.
pub struct Answer {
    pub exit: Exit,
    pub out: String,
    pub err: String,
}

/// Runs the program with these arguments.
pub fn gipf(args: &[&str]) -> Answer {
    gipf_with_input(args, "")
}

/// Runs the program with these arguments and typed lines.
pub fn gipf_with_input(args: &[&str], input: &str) -> Answer {
    let (exit, out, err) = run(args, input.as_bytes());
    Answer { exit, out, err }
}

/// Runs the program, which must refuse with one line that contains these texts.
pub fn refused(args: &[&str], exit: Exit, texts: &[&str]) {
    let answer = gipf(args);
    assert_eq!(answer.exit, exit, "{args:?}: {}", answer.err);
    assert!(answer.err.starts_with("error: ") && answer.err.lines().count() == 1, "{args:?}: {}", answer.err);
    for text in texts {
        assert!(answer.err.contains(text), "{args:?}: {} lacks `{text}`", answer.err);
    }
}

/// Runs the program with a stop requested before it begins; returns what it printed apart from its results.
pub fn interrupted(args: &[&str]) -> String {
    let (input, mut out, mut err, stop) = (&mut &b""[..], Vec::new(), Vec::new(), Stop::default());
    stop.request();
    let exit = cli::run(["gipf"].iter().chain(args), &mut Console::new(input, &mut out, &mut err).stopped_by(stop));
    let err = String::from_utf8(err).unwrap();
    assert_eq!(exit, Exit::Interrupted, "{args:?}: {err}");
    err
}

/// Creates a directory that looks like a run from outside, with two entries, and returns it.
pub fn a_run(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    std::fs::create_dir_all(run.join("state")).unwrap();
    std::fs::write(run.join("config.toml"), "").unwrap();
    run
}

/// Writes a file, and returns its path.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

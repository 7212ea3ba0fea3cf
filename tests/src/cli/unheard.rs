//! Results that nobody reads, or that cannot be printed: what was made stays, and the exit code stays the same.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use gipf_play::Stop;
use gipf_train::cli::{self, Console, Exit};

use super::commands::PLANTED;
use super::{gipf, write};

/// An output that fails from the beginning.
struct Failing(ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the program with stdout and stderr that fail in this way; returns its errors where stderr works.
fn failing(args: &[&str], out: ErrorKind, err: Option<ErrorKind>, stop: Stop) -> (Exit, String) {
    let (mut told, mut deaf) = (Vec::new(), err.map(Failing));
    let err: &mut (dyn Write + Send) = match &mut deaf {
        Some(deaf) => deaf,
        None => &mut told,
    };
    let (input, out) = (&mut &b""[..], &mut Failing(out));
    let mut console = Console::new(input, out, err).stopped_by(stop);
    let exit = cli::run(["gipf"].iter().chain(args), &mut console);
    (exit, String::from_utf8(told).unwrap())
}

/// Runs the program with nobody reading its output, as in `2>&1 | true`.
fn unheard(args: &[&str]) -> Exit {
    failing(args, ErrorKind::BrokenPipe, Some(ErrorKind::BrokenPipe), Stop::default()).0
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let (exit, err) = failing(&["perft", "--depth", "1"], ErrorKind::BrokenPipe, None, Stop::default());
    assert_eq!((exit, err.as_str()), (Exit::Success, ""));
}

#[test]
fn any_other_failure_of_the_output_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let planted = write(folder.path(), "planted.ndjson", PLANTED);
    let out = folder.path().join("games.txt");
    let games = ["eval", "random", "--against", "random", "--games", "2", "--records", out.to_str().unwrap()];
    for command in [&["perft", "--depth", "1"][..], &["check", &planted], &games] {
        let (exit, err) = failing(command, ErrorKind::StorageFull, None, Stop::default());
        assert_eq!((exit, err.as_str()), (Exit::Failure, "error: cannot print: no storage space\n"), "{command:?}");
    }
    assert!(out.exists());
}

/// Commands that make a file or a folder, without its path at the end.
fn makers(folder: &Path) -> Vec<String> {
    let game = write(folder, "game.txt", "1.Ge1-e4\n");
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/pretrained/basic.safetensors");
    let mut all = vec![
        "book --positions 2 --nodes 50 --bound 10000 --out".to_owned(),
        "tune --games 4 --generations 2 --rounds 1 --out".to_owned(),
        "eval random --against random --against greedy --games 2 --records".to_owned(),
        format!("record convert {game} --to lines --out"),
        "man --out".to_owned(),
        format!("export {network} --to onnx --out"),
        format!("export {network} --to safetensors --json --out"),
        format!("average {network} {network} --out"),
    ];
    if cfg!(feature = "dataset") {
        let data = folder.join("data");
        let data = data.to_str().unwrap();
        let play = "self-play --agent random --games 6 --out";
        assert_eq!(gipf(&words(&format!("{play} {data}"))).exit, Exit::Success);
        all.extend([play.to_owned(), format!("data merge --no-duplicates {data} --out")]);
        all.extend(["split", "export"].map(|command| format!("data {command} {data} --out")));
        if cfg!(feature = "learn") {
            all.push(format!("fit --data {data} --steps 1 --batch 4 --out"));
        }
    }
    all
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Returns the bytes of a file, or of all files in a folder and its subfolders, in order of their names.
fn bytes_of(path: &Path) -> Vec<u8> {
    if !path.is_dir() {
        return fs::read(path).unwrap();
    }
    let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().flat_map(|entry| bytes_of(entry)).collect()
}

#[test]
fn what_is_made_unheard_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [heard, silent] = ["heard", "silent"].map(|name| folder.path().join(name));
    for command in makers(folder.path()) {
        let with = |out: &'_ Path| format!("{command} {}", out.display());
        let (loud, quiet) = (with(&heard), with(&silent));
        let (loud, quiet) = (words(&loud), words(&quiet));
        assert_eq!(gipf(&loud).exit, Exit::Success, "{loud:?}");
        assert_eq!(unheard(&quiet), Exit::Success, "{quiet:?}");
        assert!(bytes_of(&silent) == bytes_of(&heard), "{command:?}");
        for made in [&heard, &silent] {
            if made.is_dir() { fs::remove_dir_all(made).unwrap() } else { fs::remove_file(made).unwrap() }
        }
    }
}

#[test]
fn a_verdict_is_the_same_unheard() {
    let folder = tempfile::tempdir().unwrap();
    let planted = write(folder.path(), "planted.ndjson", PLANTED);
    let wrong = write(folder.path(), "wrong.txt", "1.Ge1-e9\n");
    let start = "tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0";
    let mut commands = vec![
        vec!["check", &planted],
        vec!["check", "--json", &planted],
        vec!["record", "check", &wrong],
        vec!["record", "check", "--json", &wrong],
        vec!["solve", start, "--time", "20ms", "--memory", "1MB"],
    ];
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    if cfg!(feature = "dataset") {
        let play = format!("self-play --agent random --games 2 --out {data}");
        assert_eq!(gipf(&words(&play)).exit, Exit::Success);
        fs::write(folder.path().join("data/_text/games-00000.txt"), "damaged").unwrap();
        commands.push(vec!["data", "validate", data]);
    }
    for command in commands {
        assert_eq!(gipf(&command).exit, Exit::Failure, "{command:?}");
        assert_eq!(unheard(&command), Exit::Failure, "{command:?}");
    }
}

#[test]
fn who_is_stopped_unheard_says_so_by_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let stopped = |args: &[&str]| {
        let stop = Stop::default();
        stop.request();
        failing(args, ErrorKind::BrokenPipe, Some(ErrorKind::BrokenPipe), stop).0
    };
    let mut commands = vec![
        vec!["tune", "--games", "4", "--out", out],
        vec!["book", "--positions", "2", "--out", out],
        vec!["eval", "random", "--against", "random", "--records", out],
        vec!["ladder", "random", "--store", out],
    ];
    if cfg!(feature = "dataset") {
        commands.push(vec!["self-play", "--agent", "random", "--games", "9", "--out", out]);
    }
    for command in commands {
        assert_eq!(stopped(&command), Exit::Interrupted, "{command:?}");
    }
}

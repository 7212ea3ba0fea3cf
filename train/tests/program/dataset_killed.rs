//! The program, ended at any moment while it writes datasets: the same command resumes and arrives at the same bytes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gipf_train::dataset::{Accepted, files_of, parts, validate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::GIPF;

/// The number of times that each command is killed, unless it finishes earlier.
const ENDS: usize = 8;

/// The way in which a program is ended.
#[derive(Clone, Copy, Debug)]
enum Signal {
    /// The program runs no code after it.
    Kill,
    /// As by Ctrl-C.
    Interrupt,
    /// As by a service manager.
    Terminate,
}

impl Signal {
    fn send(self, child: &Child) {
        let name = match self {
            Self::Kill => "KILL",
            Self::Interrupt => "INT",
            Self::Terminate => "TERM",
        };
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }
}

fn start(args: &[&str], out: &Path) -> Child {
    let mut command = Command::new(GIPF);
    command.args(args).arg("--out").arg(out).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Runs a command to its end, and returns how long it took.
fn run(args: &[&str], out: &Path) -> Duration {
    let begin = Instant::now();
    assert!(start(args, out).wait().unwrap().success(), "{args:?}");
    begin.elapsed()
}

/// Ends a command at random moments until it has written everything, and compares the result with that of an undisturbed
/// run. The incomplete datasets in between, in these folders, are refused, but the games in them are valid.
fn assert_goes_on(args: &[&str], folders: &[&str], signals: &[Signal]) {
    let folder = tempfile::tempdir().unwrap();
    let [whole, out] = ["whole", "out"].map(|name| folder.path().join(name));
    let mut time = run(args, &whole).as_secs_f64();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut ended = 0;
    for number in 0..ENDS {
        let mut child = start(args, &out);
        std::thread::sleep(Duration::from_secs_f64(time * rng.random_range(0.05..0.8)));
        signals[number % signals.len()].send(&child);
        match child.wait().unwrap().success() {
            true if ended > 0 => break,
            // The machine has become faster, so the command finished first.
            true => {
                std::fs::remove_dir_all(&out).unwrap();
                time /= 2.0;
                continue;
            }
            false => ended += 1,
        }
        for folder in folders {
            assert_partial(&out.join(folder));
        }
    }
    assert!(ended > 0, "{args:?} was too fast to be ended");
    if !folders.iter().all(|folder| parts(&out.join(folder)).is_ok()) {
        run(args, &out);
    }
    let compared = Command::new("diff").arg("-r").args([&out, &whole]).output().unwrap();
    assert!(compared.status.success(), "{}", String::from_utf8_lossy(&compared.stdout));
}

fn assert_partial(folder: &Path) {
    let Ok(files) = files_of(&[folder.to_owned()], Accepted::Partial) else { return };
    let found = validate(&files, &|_| {});
    assert!(found.faults.is_empty() && found.duplicates == 0, "{:?}", found.faults);
}

const SELF_PLAY: [&str; 6] = ["self-play", "--agent", "random", "--games", "8000", "--random-plies=100"];

#[test]
fn self_play_that_is_killed_goes_on_to_the_same_bytes() {
    assert_goes_on(&SELF_PLAY, &[""], &[Signal::Kill]);
}

#[test]
fn self_play_that_is_interrupted_goes_on_to_the_same_bytes() {
    assert_goes_on(&SELF_PLAY, &[""], &[Signal::Interrupt, Signal::Kill, Signal::Terminate]);
}

#[test]
fn merge_and_split_that_are_killed_go_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    run(&SELF_PLAY, &one);
    run(&[&SELF_PLAY[..], &["--seed", "2"]].concat(), &other);
    let [one, other] = [&one, &other].map(|path| path.to_str().unwrap());
    assert_goes_on(&["data", "merge", one, other], &[""], &[Signal::Kill, Signal::Terminate, Signal::Interrupt]);
    assert_goes_on(&["data", "split", "--validation", "0.4", one], &["train", "validation"], &[Signal::Kill]);
}

#[test]
fn an_interrupted_program_keeps_all_games_that_had_ended() {
    for signal in [Signal::Interrupt, Signal::Terminate] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("games");
        let mut child = start(&["self-play", "--agent", "random", "--games", "1000000"], &out);
        std::thread::sleep(Duration::from_millis(1500));
        signal.send(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(parts(&out).is_err(), "it is partial");
        let found = validate(&files_of(&[out], Accepted::Partial).unwrap(), &|_| {});
        assert!(found.faults.is_empty() && found.games > 100 && found.duplicates == 0, "{} games", found.games);
    }
}

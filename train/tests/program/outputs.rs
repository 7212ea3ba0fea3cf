//! The outputs of commands: no file is replaced unasked or left half written, and problems are found before any work.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gipf_train::cli::Exit;
use tempfile::TempDir;

use crate::{GIPF, gipf, refused};

/// A folder with a dataset and two networks, for commands that read these.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let played = gipf(&["self-play", "--agent", "random", "--games", "6", "--out", &at("games")]);
    assert_eq!(played.exit, Exit::Success, "{}", played.err);
    for name in ["a.safetensors", "b.safetensors"] {
        let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/pretrained/basic.safetensors");
        fs::copy(network, at(name)).unwrap();
    }
    fs::write(at("game.txt"), "1.Ge1-e4\n").unwrap();
    folder
}

/// Every command that writes one file, without the path of that file.
fn writers(folder: &Path) -> Vec<Vec<String>> {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let line = |words: &[&str]| {
        words.iter().map(|word| word.strip_prefix('@').map_or((*word).to_owned(), at)).collect::<Vec<_>>()
    };
    vec![
        line(&["average", "@a.safetensors", "@b.safetensors", "--out"]),
        line(&["book", "--positions", "2", "--nodes", "50", "--bound", "10000", "--out"]),
        line(&["tune", "--games", "4", "--generations", "1", "--rounds", "1", "--out"]),
        line(&["fit", "--data", "@games", "--steps", "1", "--batch", "4", "--out"]),
        line(&["data", "export", "@games", "--out"]),
        line(&["record", "convert", "@game.txt", "--to", "lines", "--out"]),
        line(&["export", "@a.safetensors", "--variant", "basic", "--to", "onnx", "--out"]),
        line(&["eval", "random", "--against", "random", "--games", "2", "--records"]),
    ]
}

fn with<'a>(command: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    command.iter().map(String::as_str).chain(more.iter().copied()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_that_exists_is_replaced_by_force_only_and_one_of_a_run_never() {
    let folder = folder();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let run = folder.path().join("run");
    fs::create_dir_all(run.join("state")).unwrap();
    fs::write(run.join("config.toml"), "").unwrap();
    let inside = run.join("best.safetensors");
    fs::write(&inside, "of the run").unwrap();
    for command in writers(folder.path()) {
        fs::write(out, "precious").unwrap();
        refused(&with(&command, &[out]), Exit::Failure, &["out exists", "--force"]);
        assert_eq!(fs::read_to_string(out).unwrap(), "precious", "{command:?}");
        let before = names(folder.path());
        let answer = gipf(&with(&command, &[out, "--force"]));
        assert_eq!(answer.exit, Exit::Success, "{command:?}: {}", answer.err);
        assert_ne!(fs::read(out).unwrap(), b"precious", "{command:?}");
        assert_eq!(names(folder.path()), before, "{command:?}");
        refused(&with(&command, &[inside.to_str().unwrap(), "--force"]), Exit::Failure, &["belongs to the run"]);
        assert_eq!(fs::read_to_string(&inside).unwrap(), "of the run", "{command:?}");
    }
}

/// The commands would work for a very long time: endless games, steps and positions.
#[test]
fn a_place_that_cannot_be_written_is_found_before_any_work() {
    let folder = folder();
    let [missing, directory] = ["no/such/folder/out", "new/"].map(|name| folder.path().join(name));
    let [missing, directory] = [&missing, &directory].map(|path| path.to_str().unwrap());
    let began = Instant::now();
    for command in [
        &["eval", "alpha-beta:7", "--against", "alpha-beta:7", "--games", "20000", "--opening", "9", "--records"][..],
        &["tune", "--games", "10000000", "--out"],
        &["book", "--positions", "100000", "--out"],
    ] {
        refused(&[command, &[missing]].concat(), Exit::Failure, &["no/such/folder/out"]);
        refused(&[command, &[directory]].concat(), Exit::Failure, &["new/ names a directory", "the name of a file"]);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[cfg(unix)]
#[test]
fn links_are_followed_modes_kept_and_pipes_written_to() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = folder();
    let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("file", &link).unwrap();
    for command in writers(folder.path()) {
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let answer = gipf(&with(&command, &[link.to_str().unwrap(), "--force"]));
        assert_eq!(answer.exit, Exit::Success, "{command:?}: {}", answer.err);
        let written = fs::read(&file).unwrap();
        assert!(link.is_symlink() && written != b"old", "{command:?}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{command:?}");
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        let answer = gipf(&with(&command, &[pipe.to_str().unwrap()]));
        assert_eq!(answer.exit, Exit::Success, "{command:?}: {}", answer.err);
        assert!(!reader.join().unwrap().is_empty(), "{command:?}");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "{command:?}");
    }
}

/// Otherwise a command's messages about its product would be in the product, or overwrite its first bytes.
#[cfg(target_os = "linux")]
#[test]
fn what_goes_to_the_standard_output_is_the_product_alone() {
    let folder = folder();
    let [file, straight] = ["file", "straight"].map(|name| folder.path().join(name));
    for command in writers(folder.path()) {
        let whole = gipf(&with(&command, &[file.to_str().unwrap(), "--force"]));
        assert_eq!(whole.exit, Exit::Success, "{command:?}: {}", whole.err);
        let out = fs::File::create(&straight).unwrap();
        let told = crate::command(&with(&command, &["/dev/stdout"])).stdout(out).output().unwrap();
        assert!(told.status.success(), "{command:?}");
        assert!(fs::read(&straight).unwrap() == fs::read(&file).unwrap(), "{command:?}");
        assert_eq!(told.stderr.is_empty(), whole.out.is_empty(), "{command:?}");
    }
}

/// A reader of the results that leaves has seen enough; a reader of the product that leaves has not received all of it.
#[cfg(unix)]
#[test]
fn a_product_whose_reader_leaves_is_no_success() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(fs::File::open(pipe).unwrap())
    });
    let games = folder.path().join("games");
    let args = ["data", "export", games.to_str().unwrap(), "--out", pipe.to_str().unwrap()];
    refused(&args, Exit::Failure, &["pipe", "cannot write", "Broken pipe"]);
    reader.join().unwrap();
}

/// A library that completes the file when it is dropped would print a line of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_in_one_line() {
    let folder = folder();
    let games = folder.path().join("games");
    let args = ["data", "export", games.to_str().unwrap(), "--out", "/dev/full"];
    refused(&args, Exit::Failure, &["/dev/full", "cannot write", "No space left"]);
}

/// A command that reads from a pipe would wait until somebody writes to it, and has nothing to save there.
#[cfg(unix)]
#[test]
fn what_is_gone_on_with_is_a_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = pipe.to_str().unwrap();
    for command in [&["ladder", "random", "greedy", "--store", path][..], &["play", "random", "--game", path]] {
        let writer = pipe.clone();
        // If a command reads nevertheless, it sees the end of the pipe at once.
        std::thread::spawn(move || fs::OpenOptions::new().write(true).open(writer));
        refused(command, Exit::Failure, &["pipe", "expected a regular file"]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn start(args: &[&str]) -> Child {
    Command::new(GIPF).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until a condition holds.
fn wait(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_mins(2), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_match_that_was_killed_goes_on_with_its_games_and_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let matches = ["eval", "alpha-beta:2", "--against", "greedy", "--against", "alpha-beta:1", "--games", "24"];
    let command = |file: &str| [&matches[..], &["--json", "--records", file]].concat().join(" ");
    let args = |command: &'_ str| command.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(gipf(&with(&args(&command(&whole)), &[])).exit, Exit::Success);

    let again = args(&command(&killed));
    let partial = format!("{killed}.partial");
    // A kill may leave the last line incomplete.
    let is_pair = |line: &&str| line.starts_with("% pair ") && line.ends_with('\n');
    let pairs = || fs::read_to_string(&partial).map_or(0, |text| text.split_inclusive('\n').filter(is_pair).count());
    for wanted in [3, 8] {
        let mut child = start(&with(&again, &[]));
        wait("pairs", || pairs() >= wanted || Path::new(&killed).exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(!Path::new(&killed).exists(), "no half is taken for the whole");
    let kept = pairs();
    assert!(kept >= 8, "{kept}");
    let checked = gipf(&["record", "check", &partial]);
    assert_eq!(checked.exit, Exit::Success, "{}", checked.err);
    refused(&with(&again, &["--seed", "5"]), Exit::Failure, &["killed.partial", "other matches"]);
    let answer = gipf(&with(&again, &[]));
    assert!(answer.err.contains(&format!("going on with {} games", 2 * kept)), "{}", answer.err);
    assert_eq!(fs::read_to_string(&killed).unwrap(), fs::read_to_string(&whole).unwrap());
    assert!(!Path::new(&partial).exists());
}

#[cfg(unix)]
#[test]
fn sigterm_saves_as_an_interrupt_does() {
    let folder = folder();
    let data = folder.path().join("games");
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for signal in ["-TERM", "-INT"] {
        let out = at(&format!("net{signal}"));
        let fit = ["fit", "--data", data.to_str().unwrap(), "--seconds", "600", "--every", "1", "--out", &out];
        let mut child = Command::new(GIPF).args(fit).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        // The second line is the first report: it learns.
        assert!(lines.by_ref().take(2).all(|line| line.is_ok()));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert!(gipf_models::Checkpoint::load(Path::new(&out)).is_ok(), "{signal}");
    }
}

/// Half a result must not replace a whole one, even where a new whole one may.
#[cfg(unix)]
#[test]
fn what_was_stopped_is_kept_beside_the_file_that_it_was_to_replace() {
    let folder = folder();
    let data = folder.path().join("games");
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (net, weights) = (at("a.safetensors"), at("weights.bin"));
    fs::write(&weights, "precious").unwrap();
    let fit = ["fit", "--data", data.to_str().unwrap(), "--seconds", "600", "--every", "1", "--out", &net, "--force"];
    let few = ["--agent", "alpha-beta:nodes=40", "--games", "4", "--rounds", "1", "--generations", "1000000"];
    let tune = [&["tune", "--out", &weights, "--force"][..], &few].concat();
    for (command, out, told) in [(&fit[..], &net, "stopped after "), (&tune, &weights, " of 1000000 generations")] {
        let before = fs::read(out).unwrap();
        let (out_of, err) = (Stdio::piped(), Stdio::piped());
        let mut child = Command::new(GIPF).args(command).stdout(out_of).stderr(err).spawn().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        assert!(lines.by_ref().take(2).all(|line| line.is_ok()));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let err = String::from_utf8(output.stderr).unwrap();
        let kept = format!("{out}.1");
        assert!(err.contains(told) && err.trim_end().ends_with(&kept), "{err}");
        assert!(!rest.iter().any(|line| line.starts_with("done")), "{rest:?}");
        assert_eq!(fs::read(out).unwrap(), before, "the whole one stays");
        assert!(fs::metadata(&kept).unwrap().len() > 100, "{kept}");
    }
}

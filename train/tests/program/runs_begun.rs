//! Runs that were killed, copied, edited or forked in progress: the same command resumes, and nothing is lost.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gipf_play::run::Manifest;
use gipf_train::cli::Exit;
use gipf_train::training::{Config, NewRun, RunDirectory};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{GIPF, gipf, refused};

/// How often a run is killed at its beginning, and how often a run in progress is copied.
const KILLS: usize = 30;
const FORKS: usize = 8;

fn train<'a>(run: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let small = ["--preset", "smoke", "--set", "run.games=4", "--set", "evaluation.games=2", "--set"];
    let args = [&["train", "--run", run, "--set", "evaluation.final_games=2"][..], &small, &["replay.reuse=0.5"], more];
    args.concat()
}

fn last(run: &Path, iterations: u32) -> Vec<u8> {
    fs::read(run.join(format!("checkpoints/{iterations:06}.safetensors"))).unwrap()
}

/// Most moments lie before the first manifest; `--from` has the most to copy.
#[test]
fn a_run_that_is_killed_at_its_beginning_goes_on_by_the_same_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (base, whole) = (at("base"), at("whole"));
    assert_eq!(gipf(&train(&base, &["--iterations", "2"])).exit, Exit::Success);
    let network = format!("{base}/checkpoints/000002.safetensors");
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (name, from) in [("run", Some(&base)), ("network", Some(&network)), ("nothing", None)] {
        let from: Vec<_> = from.iter().flat_map(|from| ["--from", from.as_str()]).collect();
        let more = [&from[..], &["--iterations", "3"]].concat();
        let whole = format!("{whole}-{name}");
        assert_eq!(gipf(&train(&whole, &more)).exit, Exit::Success);
        let run = at(name);
        let (args, mut killed) = (train(&run, &more), 0);
        for _ in 0..KILLS / 3 {
            let mut child = Command::new(GIPF).args(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(rng.random_range(1..80)));
            child.kill().unwrap();
            killed += usize::from(!child.wait().unwrap().success());
        }
        let answer = gipf(&args);
        assert_eq!(answer.exit, Exit::Success, "{name}, killed {killed} times: {}", answer.err);
        assert!(last(Path::new(&run), 3) == last(Path::new(&whole), 3), "{name}");
        assert_eq!(
            fs::read_to_string(format!("{run}/metrics.jsonl")).unwrap().lines().count(),
            fs::read_to_string(format!("{whole}/metrics.jsonl")).unwrap().lines().count(),
        );
        let other = train(&run, &["--iterations", "3", "--set", "run.seed=77"]);
        refused(&other, Exit::WrongUse, &["settings of its own"]);
    }
}

#[test]
fn a_copy_without_its_state_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let args = train(run.to_str().unwrap(), &["--iterations", "2"]);
    assert_eq!(gipf(&args).exit, Exit::Success);
    let before = last(&run, 2);
    fs::remove_dir_all(run.join("state")).unwrap();
    for args in [&args[..], &["train", "--run", run.to_str().unwrap()]] {
        refused(args, Exit::Failure, &["without its state/manifest.json"]);
    }
    assert!(last(&run, 2) == before);
    assert_eq!(fs::read_to_string(run.join("metrics.jsonl")).unwrap().lines().count(), 2);
}

#[test]
fn what_was_edited_in_a_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let name = run.to_str().unwrap();
    assert_eq!(gipf(&train(name, &["--iterations", "2"])).exit, Exit::Success);
    let go_on = |iterations: &str| gipf(&["train", "--run", name, "--iterations", iterations]);
    let edit = |file: &str, change: &dyn Fn(String) -> String| {
        let text = fs::read_to_string(run.join(file)).unwrap();
        fs::write(run.join(file), change(text)).unwrap();
    };
    edit("config.toml", &|text| text.replace("batch_size = ", "batch_size = 1"));
    assert!(go_on("3").err.contains("config.toml was changed"));
    edit("metrics.jsonl", &|text| text.lines().take(2).flat_map(|line| [line, "\n"]).collect());
    assert!(go_on("4").err.contains("metrics.jsonl has lost the line of iteration 3"));
    // Text that people write into the settings is kept; a run that cannot resume is not changed.
    edit("config.toml", &|text| format!("# my note\n{}", text.replace("iterations = 4", "iterations = 4 # four")));
    assert!(go_on("5").err.contains("config.toml was changed"));
    let text = fs::read_to_string(run.join("config.toml")).unwrap();
    assert!(text.starts_with("# my note\n") && text.contains("\niterations = 5 # four\n"), "{text}");
    assert_eq!(go_on("6").err, "", "that it is longer is no change by hand");
    let whole = fs::read_to_string(run.join("config.toml")).unwrap();
    for (from, to, told) in [
        ("features = 8", "features = 4", "has features=8: expected features=4"),
        ("variant = \"standard\"", "variant = \"basic\"", "is a network for standard: expected basic"),
    ] {
        let wrong = whole.replacen(from, to, 1);
        assert_ne!(wrong, whole);
        fs::write(run.join("config.toml"), &wrong).unwrap();
        refused(&["train", "--run", name, "--iterations", "9"], Exit::Failure, &[told]);
        assert_eq!(fs::read_to_string(run.join("config.toml")).unwrap(), wrong);
    }
    fs::write(run.join("config.toml"), &whole).unwrap();
    edit("metrics.jsonl", &|text| text.replacen("{\"iteration\":2", "{\"iteration\":x", 1));
    refused(&["train", "--run", name], Exit::Failure, &["metrics.jsonl", "line 2"]);
    edit("config.toml", &|_| String::new());
    refused(&["train", "--run", name], Exit::Failure, &["config.toml", "is empty"]);
}

/// Files that would keep a reader waiting, and directories that are not runs.
#[cfg(unix)]
#[test]
fn other_things_than_files_and_other_directories_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let [run, other] = ["run", "other"].map(|name| folder.path().join(name));
    let name = run.to_str().unwrap();
    assert_eq!(gipf(&train(name, &["--iterations", "1"])).exit, Exit::Success);
    let again = ["train", "--run", name, "--iterations", "2"];
    let checked = ["config.toml", "metrics.jsonl", "state/manifest.json", "state/samples-000001.bin"];
    let others = ["state/learner-000001.safetensors", "checkpoints/000001.safetensors", "events.out.tfevents.gipf"];
    for file in checked.into_iter().chain(others) {
        let (file, kept) = (run.join(file), folder.path().join("kept"));
        fs::rename(&file, &kept).unwrap();
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        refused(&again, Exit::Failure, &[file.file_name().unwrap().to_str().unwrap(), "expected a regular file"]);
        fs::remove_file(&file).unwrap();
        fs::rename(&kept, &file).unwrap();
    }
    let (log, kept) = (run.join("metrics.jsonl"), folder.path().join("kept"));
    fs::rename(&log, &kept).unwrap();
    std::os::unix::fs::symlink(&kept, &log).unwrap();
    refused(&again, Exit::Failure, &["metrics.jsonl", "expected a file, not a link"]);
    fs::create_dir(&other).unwrap();
    fs::write(other.join("config.toml"), "[package]\nname = \"thesis\"\n").unwrap();
    refused(&["train", "--run", other.to_str().unwrap()], Exit::Failure, &["config.toml"]);
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1, "it is nobody's run");
}

/// The program chooses their names, so they must not get in each other's way.
#[test]
fn several_runs_without_a_name_begin_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["train", "--preset", "smoke", "--iterations", "1", "--set", "run.games=2"];
    let start = || {
        let mut command = Command::new(GIPF);
        command.args(small).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for child in [(); 4].map(|()| start()) {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(fs::read_dir(folder.path().join("runs")).unwrap().count(), 4);
}

/// As if the disk were full.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let limited = format!("ulimit -f 8; exec {GIPF} {}", train(run.to_str().unwrap(), &[]).join(" "));
    let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.starts_with("error: ") && told.contains("File too large"), "{told}");
}

/// The trainer removes the samples and the learner's state that the fork is about to copy.
#[test]
fn a_run_under_way_can_be_forked_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut args = train(run.to_str().unwrap(), &["--iterations", "100000"]);
    args.extend(["--set", "replay.window=1"]);
    let mut trainer = Command::new(GIPF).args(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !run.join("checkpoints/000001.safetensors").exists() {
        assert!(began.elapsed() < Duration::from_mins(2) && trainer.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(10));
    }
    let config = Config::parse(&fs::read_to_string(run.join("config.toml")).unwrap()).unwrap();
    let forked = (0..FORKS).map(|number| {
        let fork = folder.path().join(format!("fork-{number}"));
        RunDirectory::fork(&run, &NewRun::new(&fork, &config))?;
        let (directory, _, manifest) = RunDirectory::open(&fork)?;
        let metrics = directory.metrics()?.len();
        assert_eq!(metrics, manifest.iterations as usize);
        assert!(manifest.window.iter().all(|file| directory.read_samples::<gipf_env::GipfPosition>(file).is_ok()));
        Ok::<_, gipf_play::run::RunError>(())
    });
    let forked: Result<Vec<_>, _> = forked.collect();
    trainer.kill().unwrap();
    trainer.wait().unwrap();
    forked.unwrap();
}

fn begun(path: &Path) -> RunDirectory {
    let config = Config::preset("smoke").unwrap();
    let new = NewRun::new(path, &config);
    let run = RunDirectory::create(&new).unwrap();
    run.write_config(&new, Manifest::default()).unwrap();
    run
}

#[test]
fn what_a_killed_program_has_not_removed_goes_when_the_run_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let old = begun(folder.path()).learner_state(7);
    fs::write(&old, "of an earlier iteration").unwrap();
    RunDirectory::open(folder.path()).unwrap();
    assert!(!old.exists());
}

/// In a folder with a path of this length a file's name still fits, but no longer name beside it: writing it fails.
#[cfg(target_os = "linux")]
#[test]
fn settings_whose_change_broke_off_are_not_said_to_be_edited() {
    let folder = tempfile::tempdir().unwrap();
    drop(begun(folder.path()));
    let config = folder.path().join("config.toml");
    let mut far = fs::canonicalize(folder.path()).unwrap();
    while far.as_os_str().len() < 4085 {
        far.push("d".repeat((4085 - far.as_os_str().len()).clamp(2, 200) - 1));
    }
    fs::create_dir_all(&far).unwrap();
    fs::rename(&config, far.join("c")).unwrap();
    std::os::unix::fs::symlink(far.join("c"), &config).unwrap();
    let (run, mut settings, mut manifest) = RunDirectory::open(folder.path()).unwrap();
    run.set_iterations(9, &mut settings, &mut manifest).unwrap_err();
    assert_eq!(settings.run.iterations, 2);
    drop(run);
    // As if it had been killed a moment later.
    let text = fs::read_to_string(&config).unwrap().replace("iterations = 2", "iterations = 9");
    fs::write(&config, text).unwrap();
    let (run, settings, _) = RunDirectory::open(folder.path()).unwrap();
    assert_eq!((run.remarks(), settings.run.iterations), (&[][..], 9));
}

//! The program, killed while it writes datasets: what is left is whole.

use std::process::{Command, Stdio};
use std::time::Duration;

use gipf_train::dataset::{parts, validate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const GIPF: &str = env!("CARGO_BIN_EXE_gipf-under-test");
/// How often the program is killed.
const KILLS: usize = 24;

/// Games at random are so short that a file is full after a fraction of a second; the moments are spread over several.
#[test]
fn a_program_that_is_killed_leaves_only_whole_valid_files() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut with_files, mut files) = (0, 0);
    for kill in 0..KILLS {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("games");
        let mut command = Command::new(GIPF);
        command.args(["self-play", "--agent", "random", "--games", "1000000", "--seed", &kill.to_string(), "--out"]);
        let mut child = command.arg(&out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(rng.random_range(50..2000)));
        // This is SIGKILL: nothing of the program runs after it.
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was killed before its end");
        let found = parts(&out).unwrap_or_default();
        with_files += usize::from(!found.is_empty());
        files += found.len();
        let validation = validate(&found, &|_| {});
        assert!(validation.faults.is_empty(), "{:?}", validation.faults);
        for file in &found {
            assert!(file.with_extension("txt").is_file(), "{} has no text", file.display());
        }
    }
    assert!(with_files * 3 > KILLS, "{with_files} of {KILLS} left files, {files} in all");
}

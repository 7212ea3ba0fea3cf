//! The manifest of a dataset: partial, damaged or mixed datasets are refused, nothing is lost, and files of others stay.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gipf_env::Variant;
use gipf_models::FolderLock;
use gipf_play::Stop;
use gipf_train::Existing;
use gipf_train::cli::Exit;
use gipf_train::dataset::{
    Accepted, DatasetError, DatasetWriter, Destination, Duplicates, Plan, files_of, merge, parts, split,
};
use gipf_train::training::PlayedGame;

use crate::cli::{a_run, gipf, interrupted, refused};
use crate::dataset::games::{create, provenance, random_games, read, write};

/// Returns the bytes of all files in a folder and its subfolders, by their paths in it.
pub fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
    files
}

#[track_caller]
fn assert_same(found: &Path, expected: &Path) {
    let (found, expected) = (bytes_of(found), bytes_of(expected));
    let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    for (name, bytes) in &found {
        assert!(*bytes == expected[name], "{} differs", name.display());
    }
}

fn games() -> Vec<PlayedGame<gipf_env::GipfPosition>> {
    random_games(Variant::STANDARD, 40)
}

/// Writes games in files of 400 rows, and stops after keeping the last of them and some games after a gap.
fn stopped(folder: &Path, written: usize, ahead: &[usize]) {
    let games = games();
    let mut writer = create(folder, Variant::STANDARD, 400).unwrap();
    let done = writer.games() as usize;
    games[done..written].iter().for_each(|game| writer.write_game(game).unwrap());
    let ahead: Vec<_> = ahead.iter().map(|&game| writer.rows_of(&games[game]).unwrap()).collect();
    writer.keep(&ahead).unwrap();
}

#[test]
fn a_stopped_dataset_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    write(&whole, &games(), 400);
    for (written, ahead) in [(0, vec![]), (0, vec![3, 5]), (17, vec![]), (25, vec![27, 30]), (39, vec![]), (40, vec![])]
    {
        let out = folder.path().join(format!("{written}-{}", ahead.len()));
        stopped(&out, written, &ahead);
        let paths = [out.clone()];
        assert!(matches!(parts(&out), Err(DatasetError::Incomplete(_))));
        let kept = files_of(&paths, Accepted::Partial).map_or(0, |files| read(&files).len());
        assert_eq!(kept, written + ahead.len(), "every game that had ended is kept");

        let mut writer = create(&out, Variant::STANDARD, 400).unwrap();
        let (done, kept) = (writer.games() as usize, writer.kept().unwrap());
        assert_eq!(done + kept.len(), written + ahead.len());
        games()[done..].iter().for_each(|game| writer.write_game(game).unwrap());
        writer.finish().unwrap();
        assert_same(&out, &whole);
    }
}

/// Returns the number of full files that a dataset has.
fn full_files(folder: &Path) -> usize {
    let text = fs::read(folder.join("_manifest.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&text).unwrap()["files"].as_array().unwrap().len()
}

/// Resumes a dataset of all games, and completes it.
fn go_on(folder: &Path) {
    let mut writer = create(folder, Variant::STANDARD, 400).unwrap();
    let done = writer.games() as usize;
    games()[done..].iter().for_each(|game| writer.write_game(game).unwrap());
    writer.finish().unwrap();
}

/// Returns a dataset of all games, and one of the same games that was stopped on the way.
fn whole_and_stopped(folder: &Path) -> [PathBuf; 2] {
    let [whole, out] = ["whole", "out"].map(|name| folder.join(name));
    write(&whole, &games(), 400);
    stopped(&out, 35, &[37]);
    [whole, out]
}

/// A program can be killed between any two system calls: files that it had not yet named are removed, those that it had
/// named are there.
#[test]
fn what_a_killed_writer_left_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, out] = whole_and_stopped(folder.path());
    let next = full_files(&out);
    assert!(next >= 2, "{next}");
    for stem in [format!("{next:05}"), format!("{next:05}-open-3"), format!("{:05}-open-7", next - 1)] {
        fs::write(out.join(format!("games-{stem}.parquet")), "half").unwrap();
        fs::write(out.join(format!("_text/games-{stem}.txt")), "half").unwrap();
    }
    for stray in [".gipf-a.tmp", "_text/.gipf-b.tmp"] {
        fs::write(out.join(stray), "half").unwrap();
    }
    let others = ["notes.txt", "_text/games-5.txt", "_text/games-00777.txt", "_text/notes.txt"];
    for other in others {
        fs::write(out.join(other), "mine").unwrap();
    }
    go_on(&out);
    for other in others {
        assert_eq!(fs::read_to_string(out.join(other)).unwrap(), "mine");
        fs::remove_file(out.join(other)).unwrap();
    }
    assert_same(&out, &whole);
}

/// If it were completed with them, readers would refuse the dataset.
#[test]
fn who_resumes_refuses_files_of_others_and_leaves_them() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, out] = whole_and_stopped(folder.path());
    for other in ["mine.parquet", "games-00077.parquet", "games-00000-open-3.parquet", "games-1.parquet"] {
        fs::write(out.join(other), "mine").unwrap();
        let before = bytes_of(&out);
        for (rows, existing) in [(400, Existing::Refused), (400, Existing::Replaced), (500, Existing::Replaced)] {
            let plan = Plan { part_rows: rows, ..Plan::new("test", provenance(Variant::STANDARD)) };
            let told = DatasetWriter::create(&out, plan, existing).unwrap_err();
            assert!(matches!(&told, DatasetError::Unnamed(path) if path.ends_with(other)), "{told}");
            assert_eq!(bytes_of(&out), before);
        }
        fs::remove_file(out.join(other)).unwrap();
    }
    go_on(&out);
    assert_same(&out, &whole);
}

/// If a command is killed while it removes the files of the old dataset, the same command replaces the rest.
#[test]
fn a_dataset_half_replaced_is_no_dataset_and_is_replaced_again() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, out] = ["whole", "out"].map(|name| folder.path().join(name));
    let few = &games()[..5];
    write(&whole, few, 500);
    for (removed, is_complete) in [(&[][..], true), (&[], false), (&["games-00000.parquet"], false)] {
        let _ = fs::remove_dir_all(&out);
        write(&out, &games(), 400);
        if !is_complete {
            let manifest = out.join("_manifest.json");
            let text = fs::read_to_string(&manifest).unwrap();
            fs::write(&manifest, text.replacen("\"complete\": true", "\"complete\": false", 1)).unwrap();
            assert!(matches!(parts(&out), Err(DatasetError::Incomplete(_))));
        }
        for name in removed {
            fs::remove_file(out.join(name)).unwrap();
        }
        let plan = Plan { part_rows: 500, ..Plan::new("test", provenance(Variant::STANDARD)) };
        let mut writer = DatasetWriter::create(&out, plan, Existing::Replaced).unwrap();
        for game in few {
            writer.write_game(game).unwrap();
        }
        writer.finish().unwrap();
        assert_same(&out, &whole);
    }
}

#[test]
fn a_partial_dataset_of_another_network_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let begin = |parent: &str, games: u64| {
        let parents = vec![parent.to_owned()];
        let plan = Plan { parents, games: Some(games), ..Plan::new("test", provenance(Variant::STANDARD)) };
        DatasetWriter::create(folder.path(), plan, Existing::Refused).map(drop)
    };
    begin("one", 5).unwrap();
    let told = begin("other", 5).unwrap_err();
    assert!(matches!(told, DatasetError::OtherParents(_)) && told.to_string().contains("made by another network"));
    assert!(matches!(begin("one", 6), Err(DatasetError::OtherSettings(_))));
    begin("one", 5).unwrap();
}

#[test]
fn one_writer_at_a_time_and_only_of_the_same_plan() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let writer = create(&out, Variant::STANDARD, 400).unwrap();
    assert!(matches!(create(&out, Variant::STANDARD, 400), Err(DatasetError::InUse(_))));
    drop(writer);
    stopped(&out, 20, &[]);
    let before = bytes_of(&out);
    let told = create(&out, Variant::STANDARD, 500).unwrap_err().to_string();
    assert!(told.contains("holds a partial dataset of other settings: expected"), "{told}");
    assert!(matches!(create(&out, Variant::BASIC, 400), Err(DatasetError::OtherSettings(_))));
    assert_eq!(bytes_of(&out), before);
    // Files that the manifest names must be as they were written.
    fs::write(out.join("games-00000.parquet"), "PAR1").unwrap();
    assert!(
        matches!(create(&out, Variant::STANDARD, 400), Err(DatasetError::Damaged(path)) if path.ends_with("games-00000.parquet"))
    );
}

/// The first part is complete; another program is about to complete the second.
#[test]
fn who_cannot_have_both_parts_of_a_split_changes_neither() {
    let folder = tempfile::tempdir().unwrap();
    let [games, parted] = ["games", "parted"].map(|name| folder.path().join(name));
    write(&games, &random_games(Variant::STANDARD, 20), usize::MAX);
    let [games, out] = [&games, &parted].map(|path| path.to_str().unwrap());
    let command = ["data", "split", "--validation", "0.4", "--out", out, games];
    assert_eq!(gipf(&command).exit, Exit::Success);
    let complete = bytes_of(&parted);
    let manifest = parted.join("validation/_manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"complete\": true", "\"complete\": false", 1)).unwrap();
    let under_way = bytes_of(&parted);
    assert_ne!(under_way, complete);

    let lock = FolderLock::take(&parted.join("validation"), "_lock").unwrap();
    let other = ["data", "split", "--force", "--validation", "0.6", "--out", out, games];
    for command in [&command[..], &other] {
        refused(command, Exit::Failure, &["validation", "written by another program"]);
        assert!(bytes_of(&parted) == under_way, "{command:?} changed something");
    }
    drop(lock);
    assert_eq!(gipf(&command).exit, Exit::Success);
    assert!(bytes_of(&parted) == complete);
}

/// Checks that every command that reads this folder refuses it with these texts.
fn readers_say(folder: &Path, texts: &[&str]) {
    let path = folder.to_str().unwrap();
    let out = folder.with_file_name("new");
    let out = out.to_str().unwrap();
    let commands: [&[&str]; 7] = [
        &["data", "info", path],
        &["data", "validate", path],
        &["data", "merge", "--out", out, path],
        &["data", "split", "--out", out, path],
        &["data", "export", "--out", out, path],
        &["fit", "--steps", "1", "--out", out, "--data", path],
        &["train", "--preset", "smoke", "--run", out, "--from-data", path],
    ];
    let learns = |command: &&&[&str]| ["fit", "train"].contains(&command[0]);
    for command in commands.iter().filter(|command| cfg!(feature = "learn") || !learns(command)) {
        refused(command, Exit::Failure, texts);
    }
    assert!(!Path::new(out).exists());
}

#[test]
fn readers_refuse_what_is_partial_damaged_or_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let [partial, out, old] = ["partial", "out", "old"].map(|name| folder.path().join(name));
    stopped(&partial, 20, &[22]);
    readers_say(&partial, &["not complete", "--partial"]);
    for file in files_of(std::slice::from_ref(&partial), Accepted::Partial).unwrap() {
        readers_say(file.path(), &["partial", "not complete", "--partial"]);
        assert_eq!(files_of(&[file.path().to_owned()], Accepted::Partial).unwrap().len(), 1);
    }
    let told = gipf(&["data", "info", "--partial", partial.to_str().unwrap()]);
    assert!(told.out.starts_with("21 games, "), "{}{}", told.out, told.err);

    let files = write(&out, &games(), 400);
    // Older datasets have no manifest.
    fs::create_dir(&old).unwrap();
    for file in &files {
        fs::copy(file.path(), old.join(file.name())).unwrap();
    }
    readers_say(&old, &["_manifest.json", "--partial"]);
    assert_eq!(read(&files_of(std::slice::from_ref(&old), Accepted::Partial).unwrap()), read(&files));
    assert_eq!(
        files_of(&[old.join("games-00000.parquet")], Accepted::Complete).unwrap().len(),
        1,
        "a file alone is whole"
    );

    let stray = out.join("games-00100.parquet");
    fs::copy(files[0].path(), &stray).unwrap();
    readers_say(&out, &["games-00100.parquet: the manifest beside it does not name it"]);
    refused(&["data", "info", stray.to_str().unwrap()], Exit::Failure, &["does not name it"]);
    fs::remove_file(stray).unwrap();

    fs::remove_file(files[1].path()).unwrap();
    readers_say(&out, &["games-00001.parquet", "cannot open"]);
}

/// A search value cannot be derived from anything else: only the checksum reveals a change.
#[test]
fn any_flipped_bit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &random_games(Variant::STANDARD, 5), usize::MAX).remove(0);
    let path = folder.path().to_str().unwrap();
    assert_eq!(gipf(&["data", "validate", path]).exit, Exit::Success);
    let text = folder.path().join("_text/games-00000.txt");
    for (path, kind) in [(file.path(), "games-00000.parquet"), (&text, "games-00000.txt")] {
        let whole = fs::read(path).unwrap();
        for place in (0..whole.len()).step_by(whole.len() / 40) {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            fs::write(path, bytes).unwrap();
            for named in [folder.path(), file.path()] {
                let args = ["data", "validate", named.to_str().unwrap()];
                refused_with_output(&args, &format!("{kind}: damaged: expected the checksum"));
            }
        }
        fs::write(path, whole).unwrap();
    }
}

fn refused_with_output(args: &[&str], text: &str) {
    let answer = gipf(args);
    assert_eq!(answer.exit, Exit::Failure, "{}", answer.out);
    assert!(answer.err.contains(text) && answer.err.lines().count() == 1, "{}", answer.err);
}

#[test]
fn only_what_the_manifest_names_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("games");
    let path = out.to_str().unwrap();
    let play = |seed: &str, force: &[&str]| {
        let args = ["self-play", "--agent", "random", "--games", "5", "--seed", seed, "--out", path];
        gipf(&[&args[..], force].concat())
    };
    assert_eq!(play("1", &[]).exit, Exit::Success);
    let first = bytes_of(&out);
    let told = play("2", &[]);
    assert!(told.err.contains("games-00000.parquet exists") && told.err.contains("--force"), "{}", told.err);
    fs::write(out.join("games-00009.parquet"), "somebody's").unwrap();
    let told = play("2", &["--force"]);
    assert!(told.err.contains("games-00009.parquet: the manifest beside it does not name it"), "{}", told.err);
    fs::remove_file(out.join("games-00009.parquet")).unwrap();
    assert_eq!(bytes_of(&out), first);
    fs::write(out.join("notes.txt"), "mine").unwrap();
    assert_eq!(play("2", &["--force"]).exit, Exit::Success);
    assert_eq!(fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
    assert_ne!(bytes_of(&out)[Path::new("games-00000.parquet")], first[Path::new("games-00000.parquet")]);
    // Parquet files without a manifest must not be removed.
    fs::remove_file(out.join("_manifest.json")).unwrap();
    let told = play("1", &["--force"]);
    assert!(told.err.contains("games-00000.parquet exists"), "{}", told.err);
}

#[test]
fn no_dataset_is_written_into_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = a_run(folder.path()).join("checkpoints/games");
    let args = ["self-play", "--agent", "random", "--games", "1", "--force", "--out", out.to_str().unwrap()];
    refused(&args, Exit::Failure, &["belongs to the run", "expected a directory outside of it"]);
    assert!(!out.parent().unwrap().exists());
}

/// A command that was stopped says so, and either leaves nothing or can be resumed.
#[test]
fn a_dataset_that_is_rearranged_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let [source, out, whole] = ["source", "out", "whole"].map(|name| folder.path().join(name));
    write(&source, &games(), 400);
    let [from, to] = [&source, &out].map(|path| path.to_str().unwrap());
    let npz = folder.path().join("arrays.npz");
    let export = ["data", "export", from, "--out", npz.to_str().unwrap()];
    assert_eq!(interrupted(&export), "stopped: nothing is written\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no half is left");
    for command in ["merge", "split"] {
        let args = |to| ["data", command, "--out", to, from];
        assert_eq!(interrupted(&args(to)), "stopped: the same command resumes\n");
        for place in [to, whole.to_str().unwrap()] {
            let answer = gipf(&args(place));
            assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        }
        assert_same(&out, &whole);
        for folder in [&out, &whole] {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

/// The error does not recommend `--force` for files that it does not replace.
#[test]
fn what_is_of_no_dataset_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["mine.parquet", "_README.md"] {
        let out = folder.path().join(name.replace('.', "-"));
        fs::create_dir(&out).unwrap();
        fs::write(out.join(name), "mine").unwrap();
        for more in [&[][..], &["--force"]] {
            let args = ["self-play", "--agent", "random", "--games", "1", "--out", out.to_str().unwrap()];
            let told = format!("{name} exists, and is not replaced: expected a directory without a dataset\n");
            refused(&[&args[..], more].concat(), Exit::Failure, &[&told]);
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }
}

#[test]
fn an_export_is_not_written_over_what_it_is_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    write(&data, &games(), 400);
    let before = bytes_of(&data);
    for name in ["games-00000.parquet", "_manifest.json", "_text/games-00000.txt", "_new"] {
        let out = data.join(name);
        let args = ["data", "export", data.to_str().unwrap(), "--force", "--out", out.to_str().unwrap()];
        refused(&args, Exit::WrongUse, &[name, "is an input: expected another place"]);
    }
    assert_eq!(bytes_of(&data), before);
    let beside = data.join("arrays.npz");
    let args = ["data", "export", data.to_str().unwrap(), "--out", beside.to_str().unwrap()];
    assert_eq!(gipf(&args).exit, Exit::Success);
}

#[test]
fn a_dataset_is_not_written_over_what_it_is_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("train");
    write(&out, &games(), 400);
    let (before, files) = (bytes_of(&out), parts(&out).unwrap());
    let onto = |folder| Destination { folder, existing: Existing::Replaced };
    assert!(matches!(
        merge(&files, onto(&out), Duplicates::Keep, &|_| {}, &Stop::default()),
        Err(DatasetError::Same(_))
    ));
    assert!(matches!(split(&files, onto(folder.path()), 0.5, &|_| {}, &Stop::default()), Err(DatasetError::Same(_))));
    assert_eq!(bytes_of(&out), before);
}

/// After a kill between the ends of the two parts, one part is complete and the other is not.
#[test]
fn a_split_of_which_one_part_is_complete_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [source, whole, out] = ["source", "whole", "out"].map(|name| folder.path().join(name));
    let files = write(&source, &games(), 400);
    let run = |folder: &Path| {
        split(&files, Destination { folder, existing: Existing::Refused }, 0.4, &|_| {}, &Stop::default())
    };
    run(&whole).unwrap();
    for part in ["train", "validation"] {
        run(&out).unwrap();
        let manifest = out.join(part).join("_manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace("\"complete\": true", "\"complete\": false")).unwrap();
        run(&out).unwrap();
        assert_same(&out, &whole);
        assert!(matches!(run(&out), Err(DatasetError::Exists(_))));
        fs::remove_dir_all(&out).unwrap();
    }
}

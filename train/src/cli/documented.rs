//! Every command shown in documents and help texts is understood: its arguments are parsed, and nothing is run.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use gipf_play::ugi::CommandLine;

use super::{definition, parsed};

/// Returns the documents of the repository.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["", "docs", "docs/methods", "env", "models", "models/pretrained", "train/play", "train/python"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder of the repository"));
    let files = files.map(|entry| entry.expect("its entries can be read").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Returns the examples of a command and of its subcommands, by name.
fn examples(command: &Command, found: &mut BTreeMap<String, String>) {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    found.insert(format!("help of {}", command.get_name()), text);
    command.get_subcommands().for_each(|part| examples(part, found));
}

/// Returns the lines that begin with the program, without pipes, redirections and comments; lines with a pattern for
/// several files are left out.
fn lines(text: &str) -> Vec<String> {
    let text: Vec<_> = text.split("\\\n").map(str::trim_start).collect();
    let text = text.join(" ").replace("cargo run --release --", "gipf").replace(" PLAYER", " greedy");
    let commands = text.lines().map(str::trim).filter(|line| line.starts_with("gipf "));
    let ends = ["   ", " #", " | ", " < ", " > ", " && ", " 2>"];
    let cut = |line: &str| ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    let commands = commands.map(|line| line[..cut(line)].trim_end().to_owned());
    commands.filter(|line| !line.contains(['*', '{'])).collect()
}

#[test]
fn every_command_that_is_documented_is_understood() {
    let read = |path: PathBuf| (path.display().to_string(), fs::read_to_string(&path).expect("a text"));
    let mut texts: BTreeMap<_, _> = documents().into_iter().map(read).collect();
    examples(&definition(), &mut texts);
    let (mut known, mut wrong) = (0, Vec::new());
    for (place, line) in texts.iter().flat_map(|(place, text)| lines(text).into_iter().map(move |line| (place, line))) {
        let Ok(CommandLine { program, arguments, .. }) = line.parse() else {
            wrong.push(format!("{place}: {line}: quotes"));
            continue;
        };
        let args: Vec<_> = std::iter::once(program).chain(arguments).map(Into::into).collect();
        match parsed(&args) {
            Ok(_) => known += 1,
            // The command asked for help or the version.
            Err(error) if !error.use_stderr() => known += 1,
            Err(error) => wrong.push(format!("{place}: {line}: {}", error.render())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known > 150, "{known} lines are too few");
}

#[test]
fn no_line_of_an_example_is_longer_than_a_terminal_is_wide() {
    let mut texts = BTreeMap::new();
    examples(&definition(), &mut texts);
    let long: Vec<_> = texts.values().flat_map(|text| text.lines()).filter(|line| line.chars().count() > 78).collect();
    assert!(texts.len() > 30 && long.is_empty(), "wrapped, they cannot be copied: {long:#?}");
}

/// Returns the commands that can be run, each as it is typed and as it is defined.
fn commands(command: &Command, typed: &[String], found: &mut Vec<(Vec<String>, Command)>) {
    let typed = [typed, &[command.get_name().to_owned()]].concat();
    if command.has_subcommands() {
        command.get_subcommands().for_each(|part| commands(part, &typed, found));
    } else {
        found.push((typed, command.clone()));
    }
}

#[test]
fn options_for_numbers_say_in_words_what_they_expect() {
    let (mut all, mut known) = (Vec::new(), 0);
    commands(&definition(), &[], &mut all);
    let numbers = [TypeId::of::<u8>(), TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>()].into_iter();
    let numbers = numbers.chain([TypeId::of::<usize>(), TypeId::of::<i32>(), TypeId::of::<f32>(), TypeId::of::<f64>()]);
    let numbers: Vec<_> = numbers.collect();
    // An option with two numbers asks for the second before it reads the first.
    let is_asked = |option: &&Arg| {
        option.get_num_args().is_none() && numbers.iter().any(|kind| option.get_value_parser().type_id() == *kind)
    };
    for (typed, command) in all {
        for name in command.get_arguments().filter(is_asked).filter_map(Arg::get_long) {
            let option = format!("--{name}");
            for value in ["-1", "many"] {
                let args = [&typed[..], &[option.clone(), value.to_owned()]].concat();
                let told = parsed(&args.iter().map(Into::into).collect::<Vec<_>>()).unwrap_err().to_string();
                assert!(told.contains(&option) && told.contains(": expected a "), "{args:?}: {told}");
            }
            known += 1;
        }
    }
    assert!(known > 50, "{known} options are too few");
}

/// Documentation above a variant would replace that of its arguments in every help text.
#[test]
fn no_documentation_of_arguments_is_hidden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let mut known = 0;
    for file in ["mod.rs", "bench/mod.rs", "data/mod.rs", "record/mod.rs"] {
        let source = fs::read_to_string(folder.join(file)).expect("a file of commands");
        let (_, after) = source.split_once("\nenum Command {\n").expect("an enum of commands");
        let (variants, _) = after.split_once("\n}\n").expect("the end of an enum");
        assert!(!variants.contains("///"), "{file}: expected documentation of the arguments, and none here");
        known += variants.matches("Args").count();
    }
    let mut all = Vec::new();
    commands(&definition(), &[], &mut all);
    assert!(known >= all.len() && all.iter().all(|(_, command)| command.get_about().is_some()));
}

#[test]
fn the_definition_of_the_arguments_is_sound() {
    definition().debug_assert();
}

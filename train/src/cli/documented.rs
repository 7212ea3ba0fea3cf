//! What documents and helps say to type is understood: the arguments are parsed, and nothing is done.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory, Parser};
use gipf_play::ugi::CommandLine;

use super::Cli;

/// Returns the documents of the repository.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["", "docs", "docs/methods", "env", "models", "models/pretrained", "train/play", "train/python"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder of the repository"));
    let files = files.map(|entry| entry.expect("its entries can be read").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Returns the examples of a command and of those in it, by its name.
fn examples(command: &Command, found: &mut BTreeMap<String, String>) {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    found.insert(format!("help of {}", command.get_name()), text);
    command.get_subcommands().for_each(|part| examples(part, found));
}

/// Returns the lines that begin with the program, without what a shell does with them and what is said about them; those with a
/// pattern for several files are left out.
fn lines(text: &str) -> Vec<String> {
    let text: Vec<_> = text.split("\\\n").map(str::trim_start).collect();
    let text = text.join(" ").replace("cargo run --release --", "gipf").replace(" PLAYER", " greedy");
    let commands = text.lines().map(str::trim).filter(|line| line.starts_with("gipf "));
    let ends = ["   ", " #", " | ", " > ", " && ", " 2>"];
    let cut = |line: &str| ends.iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
    let commands = commands.map(|line| line[..cut(line)].trim_end().to_owned());
    commands.filter(|line| !line.contains(['*', '{'])).collect()
}

#[test]
fn every_command_that_is_documented_is_understood() {
    let read = |path: PathBuf| (path.display().to_string(), fs::read_to_string(&path).expect("a text"));
    let mut texts: BTreeMap<_, _> = documents().into_iter().map(read).collect();
    examples(&Cli::command(), &mut texts);
    let (mut known, mut wrong) = (0, Vec::new());
    for (place, line) in texts.iter().flat_map(|(place, text)| lines(text).into_iter().map(move |line| (place, line))) {
        let Ok(CommandLine { program, arguments, .. }) = line.parse() else {
            wrong.push(format!("{place}: {line}: quotes"));
            continue;
        };
        match Cli::try_parse_from(std::iter::once(program).chain(arguments)) {
            Ok(_) => known += 1,
            // It was asked for.
            Err(error) if !error.use_stderr() => known += 1,
            Err(error) => wrong.push(format!("{place}: {line}: {}", error.render())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known > 150, "{known} lines are too few");
}

#[test]
fn the_definition_of_the_arguments_is_sound() {
    Cli::command().debug_assert();
}

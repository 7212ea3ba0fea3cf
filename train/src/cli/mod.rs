//! The command line: one file per subcommand, over streams that the caller provides.

mod agent;
mod average;
mod bench;
#[cfg(feature = "board")]
mod board;
mod book;
mod cache;
mod check;
mod completions;
mod console;
#[cfg(any(feature = "dataset", feature = "learn"))]
mod counted;
#[cfg(feature = "dataset")]
mod data;
#[cfg(all(test, feature = "board", feature = "learn", feature = "dataset"))]
mod documented;
mod engine;
mod error;
mod eval;
mod export;
#[cfg(all(feature = "learn", feature = "dataset"))]
mod fit;
mod ladder;
mod man;
mod network;
mod opening_book;
mod output;
mod perft;
mod play;
mod process;
mod progress;
mod rate;
mod record;
mod renamed;
#[cfg(feature = "board")]
mod report;
#[cfg(feature = "dataset")]
mod self_play;
#[cfg(feature = "learn")]
mod settings;
mod solve;
mod suggested;
mod threads;
#[cfg(feature = "learn")]
mod train;
mod tune;
mod values;

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use console::Results;
pub use console::{Console, Exit};
pub use error::WrongUse;
pub use process::main;

use self::threads::Parallel;
use crate::COMMIT;

static VERSION: LazyLock<String> = LazyLock::new(|| match COMMIT {
    Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    None => env!("CARGO_PKG_VERSION").to_owned(),
});

/// Learns, plays and checks the board game GIPF.
#[derive(Debug, Parser)]
#[command(name = "gipf", version = VERSION.as_str(), after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 failure, 2 wrong use, 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "learn")]
    Train(Parallel<train::Args>),
    #[cfg(feature = "dataset")]
    SelfPlay(Parallel<self_play::Args>),
    #[cfg(all(feature = "learn", feature = "dataset"))]
    Fit(Parallel<fit::Args>),
    Average(average::Args),
    Export(export::Args),
    #[cfg(feature = "dataset")]
    Data(Parallel<data::Args>),
    #[cfg(feature = "board")]
    Board(board::Args),
    #[cfg(feature = "board")]
    Report(report::Args),
    Play(play::Args),
    Eval(Parallel<eval::Args>),
    Ladder(Parallel<ladder::Args>),
    Rate(Parallel<rate::Args>),
    Engine(engine::Args),
    Solve(solve::Args),
    Perft(Parallel<perft::Args>),
    Check(check::Args),
    Bench(Parallel<bench::Args>),
    Book(Parallel<book::Args>),
    Record(Parallel<record::Args>),
    Tune(Parallel<tune::Args>),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the program with these arguments, the first being its name, and returns how it ended.
///
/// Every error is reported in one line on `console.err`: it names the input and what was expected.
pub fn run<T: Into<OsString> + Clone>(args: impl IntoIterator<Item = T>, console: &mut Console<'_>) -> Exit {
    let args = args.into_iter().map(Into::into).collect();
    let Console { input, out, err, terminal, colours, stop, .. } = console;
    let out = &mut Results::to(*out);
    let (terminal, colours) = (*terminal, *colours);
    let mut answering = Console::new(*input, out, *err).stopped_by(stop.clone()).shown(terminal, colours);
    answer(args, &mut answering)
}

fn answer(args: Vec<OsString>, console: &mut Console<'_>) -> Exit {
    for note in renamed::notes(&args) {
        console.warn(&note);
    }
    let args = without_help_of_help(args);
    let command = match parsed(&args) {
        Ok(cli) => cli.command,
        Err(error) => return refuse(&error, &args, console),
    };
    let result = execute(command, console).and_then(|exit| console.finish().map(|()| exit).map_err(Into::into));
    result.unwrap_or_else(|error| error::report(&error, console))
}

/// Returns the arguments, in which a request for the help of `help` becomes one for that of the program.
fn without_help_of_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|command| command == "help") {
        args.retain(|arg| arg != "--help" && arg != "-h");
    }
    args
}

/// Reads the arguments.
fn parsed(args: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&definition().try_get_matches_from(args)?)
}

/// Returns the definition of the arguments.
fn definition() -> clap::Command {
    with_negative_numbers(Cli::command())
}

/// Returns the same command, in which a number below 0 is taken as the value of the option before it, so that the error
/// says what that option expects.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_numbers = |arg: Arg| {
        let is_value = !arg.is_positional() && arg.get_action().takes_values();
        if is_value { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(takes_numbers).mut_subcommands(with_negative_numbers)
}

fn execute(command: Command, console: &mut Console<'_>) -> anyhow::Result<Exit> {
    match command {
        #[cfg(feature = "learn")]
        Command::Train(command) => command.run(train::run, console),
        #[cfg(feature = "dataset")]
        Command::SelfPlay(command) => command.run(self_play::run, console),
        #[cfg(all(feature = "learn", feature = "dataset"))]
        Command::Fit(command) => command.run(fit::run, console),
        Command::Average(args) => average::run(&args, console),
        Command::Export(args) => export::run(&args, console),
        #[cfg(feature = "dataset")]
        Command::Data(command) => command.run(data::run, console),
        #[cfg(feature = "board")]
        Command::Board(args) => board::run(&args, console),
        #[cfg(feature = "board")]
        Command::Report(args) => report::run(&args, console),
        Command::Play(args) => play::run(&args, console),
        Command::Eval(command) => command.run(eval::run, console),
        Command::Ladder(command) => command.run(ladder::run, console),
        Command::Rate(command) => command.run(rate::run, console),
        Command::Engine(args) => engine::run(&args, console),
        Command::Solve(args) => solve::run(&args, console),
        Command::Perft(command) => command.run(perft::run, console),
        Command::Check(args) => check::run(&args, console),
        Command::Bench(command) => command.run(bench::run, console),
        Command::Book(command) => command.run(book::run, console),
        Command::Record(command) => command.run(record::run, console),
        Command::Tune(command) => command.run(tune::run, console),
        Command::Completions(args) => completions::run(&args, console),
        Command::Man(args) => man::run(&args, console),
    }
}

/// Answers a request for help or the version, or prints in one line what is wrong with the arguments.
fn refuse(error: &clap::Error, args: &[OsString], console: &mut Console<'_>) -> Exit {
    let text = error.render();
    let text = if console.colours { text.ansi().to_string() } else { text.to_string() };
    // If these streams are closed, nothing more can be done.
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let told = console.out.write_all(text.as_bytes()).map_err(Into::into).and_then(|()| Ok(console.finish()?));
            told.map_or_else(|error| error::report(&error, console), |()| Exit::Success)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = console.err.write_all(text.as_bytes());
            Exit::WrongUse
        }
        _ => {
            let _ = writeln!(console.err, "{}", error::in_one_line(error, args));
            Exit::WrongUse
        }
    }
}

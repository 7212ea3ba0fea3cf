//! The command line: one file per subcommand, over streams that the caller provides.

mod agent;
mod average;
mod bench;
mod book;
mod cache;
mod check;
mod console;
#[cfg(feature = "dataset")]
mod data;
mod engine;
mod error;
mod eval;
#[cfg(all(feature = "learn", feature = "dataset"))]
mod fit;
mod ladder;
mod opening_book;
mod perft;
mod play;
mod progress;
mod record;
#[cfg(feature = "dataset")]
mod self_play;
mod share;
mod solve;
#[cfg(feature = "learn")]
mod train;
mod tune;

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

pub use console::{Console, Exit};
pub use error::WrongUse;

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
    Train(train::Args),
    #[cfg(feature = "dataset")]
    SelfPlay(self_play::Args),
    #[cfg(all(feature = "learn", feature = "dataset"))]
    Fit(fit::Args),
    Average(average::Args),
    #[cfg(feature = "dataset")]
    Data(data::Args),
    Play(play::Args),
    Eval(eval::Args),
    Ladder(ladder::Args),
    Engine(engine::Args),
    Solve(solve::Args),
    Perft(perft::Args),
    Check(check::Args),
    Bench(bench::Args),
    Book(book::Args),
    Record(record::Args),
    Tune(tune::Args),
}

/// Runs the program with these arguments, the first being its name, and returns how it ended.
///
/// Every error is reported in one line on `console.err`: it names the input and what was expected.
pub fn run<T: Into<OsString> + Clone>(args: impl IntoIterator<Item = T>, console: &mut Console<'_>) -> Exit {
    let command = match Cli::try_parse_from(args) {
        Ok(cli) => cli.command,
        Err(error) => return refuse(&error, console),
    };
    let result = execute(command, console).and_then(|exit| console.out.flush().map(|()| exit).map_err(Into::into));
    result.unwrap_or_else(|error| error::report(&error, console))
}

fn execute(command: Command, console: &mut Console<'_>) -> anyhow::Result<Exit> {
    match command {
        #[cfg(feature = "learn")]
        Command::Train(args) => train::run(&args, console),
        #[cfg(feature = "dataset")]
        Command::SelfPlay(args) => self_play::run(&args, console),
        #[cfg(all(feature = "learn", feature = "dataset"))]
        Command::Fit(args) => fit::run(&args, console),
        Command::Average(args) => average::run(&args, console),
        #[cfg(feature = "dataset")]
        Command::Data(args) => data::run(&args, console),
        Command::Play(args) => play::run(&args, console),
        Command::Eval(args) => eval::run(&args, console),
        Command::Ladder(args) => ladder::run(&args, console),
        Command::Engine(args) => engine::run(&args, console),
        Command::Solve(args) => solve::run(&args, console),
        Command::Perft(args) => perft::run(&args, console),
        Command::Check(args) => check::run(&args, console),
        Command::Bench(args) => bench::run(&args, console),
        Command::Book(args) => book::run(&args, console),
        Command::Record(args) => record::run(&args, console),
        Command::Tune(args) => tune::run(&args, console),
    }
}

/// Answers a request for help or the version, or says in one line what is wrong with the arguments.
fn refuse(error: &clap::Error, console: &mut Console<'_>) -> Exit {
    let text = error.render();
    let text = if console.colours { text.ansi().to_string() } else { text.to_string() };
    // Nothing is left to be done if these streams are closed.
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = console.out.write_all(text.as_bytes());
            Exit::Success
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = console.err.write_all(text.as_bytes());
            Exit::WrongUse
        }
        _ => {
            let _ = writeln!(console.err, "{}", error::in_one_line(error));
            Exit::WrongUse
        }
    }
}

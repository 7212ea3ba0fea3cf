//! The laws of the program's input: from match runners, in settings files, in names.

use std::path::Path;

use gipf_play::arena::Book;
use gipf_play::arena::ladder::{Results, Store};
use gipf_play::players::AgentSpec;
use gipf_play::ugi::{Beginning, Command, CommandError, Line, read_line};
use gipf_train::cli::{self, Console, Exit};
use gipf_train::training::Config;

use super::{accepted, as_text, assert_is_one_line};

/// Lines to an engine: when written again, each is the same command.
pub fn protocol(input: &[u8]) -> bool {
    let lines = lines(input);
    let commands: Vec<_> = lines.iter().filter_map(|line| accepted(Command::parse(line))).collect();
    for command in &commands {
        if let Some(text) = text_of(command) {
            assert_eq!(Command::parse(&text).as_ref(), Ok(command), "{text}");
        }
    }
    !commands.is_empty()
}

fn lines(mut input: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    while let Line::Text(line) = read_line(&mut input).expect("memory can be read") {
        lines.push(line);
    }
    lines
}

/// Returns a command that has arguments as a line.
fn text_of(command: &Command) -> Option<String> {
    match command {
        Command::SetOption { name, value } => Some(format!("setoption name {name} value {value}")),
        Command::Position { start, moves } => {
            let start = match start {
                Beginning::Start => "startpos",
                Beginning::Text(text) => &format!("fen {text}"),
            };
            Some(format!("position {start} moves {}", moves.join(" ")))
        }
        Command::Go(go) => Some(go.to_string()),
        _ => None,
    }
}

/// A dialogue with the engine. No line asks for another agent, since such an agent could read files or take long.
pub fn engine(input: &[u8]) -> bool {
    let lines = lines(input);
    let typed: Vec<_> = lines.into_iter().filter(|line| !line.to_ascii_lowercase().contains("agent")).collect();
    let (exit, out, err) = run(&["engine", "--agent", "random"], (typed.join("\n") + "\n").as_bytes());
    assert_eq!((exit, err.as_str()), (Exit::Success, ""));
    let heard: Vec<_> = typed.iter().map(|line| Command::parse(line)).collect();
    let end = heard.iter().position(|command| *command == Ok(Command::Quit)).unwrap_or(heard.len());
    assert_is_answered(&heard[..end], &out);
    heard.iter().any(|command| matches!(command, Ok(Command::Position { .. } | Command::Go(_))))
}

/// Every question gets its answer, and every `go` one move; while a search runs, a `go` is refused.
fn assert_is_answered(heard: &[Result<Command, CommandError>], out: &str) {
    let said = |start: &str| out.lines().filter(|line| line.starts_with(start)).count();
    let asked = |is_such: fn(&Command) -> bool| heard.iter().flatten().filter(|command| is_such(command)).count();
    assert_eq!(said("ugiok"), asked(|command| *command == Command::Ugi), "{out}");
    assert_eq!(said("readyok"), asked(|command| *command == Command::IsReady), "{out}");
    assert_eq!(said("response "), asked(|command| matches!(command, Command::Query(_))), "{out}");
    let wrong = heard.iter().filter(|command| matches!(command, Err(error) if error.is_of_go())).count();
    let (gos, moves) = (asked(|command| matches!(command, Command::Go(_))), said("bestmove "));
    let refused = said("info string a search is running") + wrong;
    assert!(moves <= gos + wrong && moves + refused >= gos, "{out}");
    assert!(!out.contains(|character: char| character.is_control() && character != '\n'), "{out:?}");
}

/// A check of the games in a file: one line of JSON for each game, and one line of text for each problem.
pub fn check(input: &[u8]) -> bool {
    let (exit, out, err) = run(&["record", "check", "--json", "-"], input);
    for line in err.lines() {
        assert!(["warning: ", "error: "].iter().any(|start| line.starts_with(start)), "{err}");
        assert_is_one_line(line);
    }
    for line in out.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON");
    }
    assert!(matches!(exit, Exit::Success | Exit::Failure) && !(out.is_empty() && err.is_empty()), "{exit:?}");
    exit == Exit::Success
}

/// Runs the program with these arguments and this input; returns its exit code, its output and its errors.
pub fn run(args: &[&str], mut input: &[u8]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut input, &mut out, &mut err);
    let exit = cli::run(["gipf"].iter().chain(args), &mut console);
    let text = |bytes| String::from_utf8(bytes).expect("the program writes text");
    (exit, text(out), text(err))
}

/// The settings of a run: when written again, they are the same.
pub fn settings(input: &[u8]) -> bool {
    let Some(config) = accepted(Config::parse(&as_text(input))) else { return false };
    let text = config.to_text();
    assert_eq!(Config::parse(&text).expect("what was written is read"), config, "{text}");
    true
}

/// The name of an agent: when written again, it is the same agent.
pub fn agents(input: &[u8]) -> bool {
    let Some(agent) = accepted(as_text(input).parse::<AgentSpec>()) else { return false };
    let text = agent.to_string();
    assert_eq!(text.parse::<AgentSpec>().expect("what was written is read"), agent, "{text}");
    true
}

/// A book of openings: every opening can be played from.
pub fn books(input: &[u8]) -> bool {
    let Some(book) = accepted(Book::parse("fuzz", &as_text(input))) else { return false };
    for opening in (0..book.len()).map(|number| book.opening(number, 400)) {
        assert_eq!((opening.position.validate(), opening.position.outcome()), (Ok(()), None));
    }
    true
}

/// The file of a ladder: ratings can be computed from it.
pub fn ladders(input: &[u8]) -> bool {
    let Some(found) = accepted(Store::parse(Path::new("fuzz"), &as_text(input))) else { return false };
    let results = Results::of(&found.series);
    if !results.players().is_empty() {
        let fit = results.rated((0, 0.0)).fit;
        assert!(fit.elo(0).is_finite() && fit.dispersion().is_finite());
    }
    true
}

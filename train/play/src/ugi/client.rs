//! The client of an engine in another process.

#![expect(clippy::disallowed_types, reason = "the one place that starts other programs")]

use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::command_line::CommandLine;
use super::go;
use super::line::{Line, read_line};
use crate::Stop;
use crate::players::TurnBudget;

/// A running engine. When it is dropped, the program is asked to end, and soon after killed.
#[derive(Debug)]
pub struct Client {
    program: Child,
    /// None once the program has failed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    name: Option<String>,
    options: Vec<String>,
}

/// Why an engine failed; it is not asked again.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no such program, or it cannot be run.
    #[error("`{command}` cannot be started: {cause}")]
    Start {
        /// The command line.
        command: String,
        /// The cause.
        cause: io::Error,
    },
    /// The program has ended.
    #[error("{0}")]
    Ended(String),
    /// The program does not answer.
    #[error("no answer to `{command}` within {:.3} s", waited.as_secs_f64())]
    Silence {
        /// The unanswered command.
        command: &'static str,
        /// The time that it had.
        waited: Duration,
    },
}

/// The limits of the wait for an answer.
#[derive(Clone, Debug)]
pub struct Patience {
    /// The longest time.
    pub time: Duration,
    /// Ends the wait earlier.
    pub stop: Stop,
}

/// An engine's report on its search: the last value of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The value of the position for the engine, in hundredths of a piece.
    pub score: Option<i32>,
    /// The positions that it visited.
    pub nodes: u64,
    /// The number of turns that it looked ahead.
    pub depth: u32,
}

/// The time for a program to introduce itself, and to get ready for a game: some load large files.
const READY: Duration = Duration::from_secs(10);
/// The time for a program to end when asked to.
const LEAVE: Duration = Duration::from_millis(200);
/// The interval between two checks of the stop flag while waiting.
const NAP: Duration = Duration::from_millis(50);
/// The number of lines that may wait to be read; a program that writes more is blocked.
const WAITING: usize = 1024;

impl Client {
    /// Starts the program and lets it introduce itself.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer as an engine does.
    pub fn start(command: &CommandLine) -> Result<Self, ClientError> {
        let mut program =
            process(command).spawn().map_err(|cause| ClientError::Start { command: command.to_string(), cause })?;
        let input = program.stdin.take();
        let output = program.stdout.take().expect("the output was asked for");
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || forward(output, &sender));
        let mut client = Self { program, input, lines, name: None, options: Vec::new() };
        client.introduce()?;
        Ok(client)
    }

    /// Returns the name that the engine gives itself, if any.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Sets an option, if the engine has it.
    ///
    /// # Errors
    /// If the program has ended.
    pub fn set(&mut self, option: &str, value: &str) -> Result<(), ClientError> {
        if self.options.iter().any(|name| name == option) {
            self.say(&format!("setoption name {option} value {value}"))?;
        }
        Ok(())
    }

    /// Gets the engine ready for a game.
    ///
    /// # Errors
    /// If the program has ended, or is not ready in time.
    pub fn new_game(&mut self) -> Result<(), ClientError> {
        self.say("uginewgame")?;
        self.wait_until_ready(&READY.into())
    }

    /// Asks for a move: `position` is the command of this name, `go` sets the time to think, and `patience` the wait
    /// for each answer. Returns the engine's move as it wrote it, and its report.
    ///
    /// # Errors
    /// If the program has ended, or does not accept the position or answer in time.
    pub fn play(
        &mut self,
        position: &str,
        turn: &TurnBudget,
        patience: &Patience,
    ) -> Result<(String, Report), ClientError> {
        self.say(position)?;
        self.wait_until_ready(patience)?;
        self.say(&go::go_line(turn))?;
        let mut report = Report::default();
        let found = self.listen("go", patience, |line| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("bestmove") => return Some(words.next().unwrap_or_default().to_owned()),
                Some("info") => report.read(&words.collect::<Vec<_>>()),
                _ => {}
            }
            None
        })?;
        Ok((found, report))
    }

    fn introduce(&mut self) -> Result<(), ClientError> {
        self.say("ugi")?;
        let (mut name, mut options) = (None, Vec::new());
        self.listen("ugi", &READY.into(), |line| {
            let words: Vec<_> = line.split_whitespace().collect();
            match words.as_slice() {
                ["id", "name", rest @ ..] => name = Some(rest.join(" ")),
                ["option", "name", rest @ ..] => {
                    let end = rest.iter().position(|&word| word == "type").unwrap_or(rest.len());
                    options.push(rest[..end].join(" "));
                }
                ["ugiok", ..] => return Some(()),
                _ => {}
            }
            None
        })?;
        (self.name, self.options) = (name, options);
        self.wait_until_ready(&READY.into())
    }

    fn wait_until_ready(&mut self, patience: &Patience) -> Result<(), ClientError> {
        self.say("isready")?;
        self.listen("isready", patience, |line| (line.trim() == "readyok").then_some(()))
    }

    fn say(&mut self, line: &str) -> Result<(), ClientError> {
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|_| self.ended())
    }

    /// Reads lines until one is the answer.
    fn listen<A>(
        &mut self,
        command: &'static str,
        patience: &Patience,
        mut answer: impl FnMut(&str) -> Option<A>,
    ) -> Result<A, ClientError> {
        let waited = patience.time;
        let end = Instant::now() + waited;
        loop {
            // Lines already read are delivered after any time; a program that never stops writing counts as silent too.
            let end = if patience.stop.requested() { Instant::now() } else { end };
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(NAP)) {
                Ok(line) if !left.is_zero() => {
                    if let Some(found) = answer(&line) {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {
                    self.input = None;
                    return Err(ClientError::Silence { command, waited });
                }
            }
        }
    }

    /// Returns how the program ended, and gives it up.
    fn ended(&mut self) -> ClientError {
        self.input = None;
        ClientError::Ended(match self.status_within(LEAVE) {
            Some(status) => format!("the program ended ({status})"),
            None => "the program closed its input or output".to_owned(),
        })
    }

    fn status_within(&mut self, time: Duration) -> Option<std::process::ExitStatus> {
        let end = Instant::now() + time;
        loop {
            match self.program.try_wait() {
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.input.is_some() && self.say("quit").is_ok() {
            self.input = None;
            self.status_within(LEAVE);
        }
        // No error can be handled here: a program that has ended cannot be killed, and has left its status.
        #[cfg(unix)]
        if let Ok(None) = self.program.try_wait() {
            // With what a script has started, which would go on alone.
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.program), Signal::KILL);
        }
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Makes a wait that only the time ends.
impl From<Duration> for Patience {
    fn from(time: Duration) -> Self {
        Self { time, stop: Stop::default() }
    }
}

impl Report {
    /// Reads the words after `info`.
    fn read(&mut self, words: &[&str]) {
        if words.first() == Some(&"string") {
            return;
        }
        let after = |name: &str| words.iter().position(|&word| word == name).and_then(|place| words.get(place + 1));
        self.score = after("cp").and_then(|word| word.parse().ok()).or(self.score);
        self.nodes = after("nodes").and_then(|word| word.parse().ok()).unwrap_or(self.nodes);
        self.depth = after("depth").and_then(|word| word.parse().ok()).unwrap_or(self.depth);
    }
}

fn process(command: &CommandLine) -> Process {
    let mut process = Process::new(&command.program);
    process.args(&command.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C is for the match, which ends cleanly; the program is then asked to end.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}

/// Passes on the program's output until it ends or nobody listens.
fn forward(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    loop {
        let heard = match read_line(&mut output) {
            Ok(Line::Text(line)) => lines.send(line).is_ok(),
            Ok(Line::TooLong(_)) => true,
            Ok(Line::End) | Err(_) => false,
        };
        if !heard {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_keep_what_was_said_last_and_texts_say_nothing() {
        let mut report = Report::default();
        for line in ["depth 3 score cp -20 nodes 100 nps 5", "string nodes 7 score cp 9", "nodes 200 pv e2", "depth x"]
        {
            report.read(&line.split(' ').collect::<Vec<_>>());
        }
        assert_eq!(report, Report { score: Some(-20), nodes: 200, depth: 3 });
    }
}

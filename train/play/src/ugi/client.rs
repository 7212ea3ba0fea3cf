//! The client of an engine in another process.

use std::io::{self, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::command_line::CommandLine;
use super::go;
use super::line::{Line, read_line};
use super::program::Program;
use crate::Stop;
use crate::players::TurnBudget;

/// A running engine. When it is dropped, the program is asked to end, and killed soon after with everything that it
/// started.
#[derive(Debug)]
pub struct Client {
    program: Program,
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
        /// The time that it had, in a turn for all commands of the turn.
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

/// A wait that has begun.
#[derive(Clone, Copy)]
struct Wait<'a> {
    patience: &'a Patience,
    end: Instant,
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
        let (program, input, output) =
            Program::start(command).map_err(|cause| ClientError::Start { command: command.to_string(), cause })?;
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || forward(output, &sender));
        let mut client = Self { program, input: Some(input), lines, name: None, options: Vec::new() };
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
        self.wait_until_ready(Patience::from(READY).begin())
    }

    /// Asks for a move: `position` is the command of this name, `turn` sets the time to think, and `patience` the wait for
    /// the move, during which the engine also has to take in the position. Returns the move as the engine wrote it, and
    /// its report.
    ///
    /// # Errors
    /// If the program has ended, or does not accept the position or answer in time.
    pub fn play(
        &mut self,
        position: &str,
        turn: &TurnBudget,
        patience: &Patience,
    ) -> Result<(String, Report), ClientError> {
        let wait = patience.begin();
        self.say(position)?;
        self.wait_until_ready(wait)?;
        self.say(&go::go_line(turn))?;
        let mut report = Report::default();
        let found = self.listen("go", wait, |line| {
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
        let patience = Patience::from(READY);
        self.listen("ugi", patience.begin(), |line| {
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
        self.wait_until_ready(patience.begin())
    }

    fn wait_until_ready(&mut self, wait: Wait<'_>) -> Result<(), ClientError> {
        self.say("isready")?;
        self.listen("isready", wait, |line| (line.trim() == "readyok").then_some(()))
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
        Wait { patience, end }: Wait<'_>,
        mut answer: impl FnMut(&str) -> Option<A>,
    ) -> Result<A, ClientError> {
        loop {
            // Lines already read are delivered even when the time is over; a program that never stops writing counts as
            // silent too.
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
                    return Err(ClientError::Silence { command, waited: patience.time });
                }
            }
        }
    }

    /// Returns how the program ended, and gives it up.
    fn ended(&mut self) -> ClientError {
        self.input = None;
        ClientError::Ended(match self.program.status_within(LEAVE) {
            Some(status) => format!("the program ended ({status})"),
            None => "the program closed its input or output".to_owned(),
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.input.is_some() && self.say("quit").is_ok() {
            self.input = None;
            self.program.status_within(LEAVE);
        }
    }
}

impl Patience {
    /// Begins to wait.
    fn begin(&self) -> Wait<'_> {
        Wait { patience: self, end: Instant::now() + self.time }
    }
}

/// Makes a wait that ends only by time.
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

    /// Starts an engine that runs this text first, and keeps to the protocol except in these cases.
    #[cfg(unix)]
    fn engine(first: &str, cases: &str) -> Client {
        let usual = "ugi) echo ugiok;; isready) echo readyok;; quit) exit 0;;";
        let text = format!("{first} while read -r line; do case \"$line\" in {cases} {usual} esac; done");
        Client::start(&format!("sh -c '{text}'").parse().unwrap()).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_turn_has_its_time_once_and_not_for_each_answer() {
        let mut client = engine("", "position*) sleep 0.6;; go*) sleep 0.6; echo bestmove e2;;");
        let patience = Duration::from_secs(1).into();
        let answer = client.play("position startpos", &TurnBudget::default(), &patience);
        assert!(matches!(answer, Err(ClientError::Silence { .. })), "{answer:?}");
    }

    /// Waits for a sign that comes when nothing of the engine should be left.
    #[cfg(unix)]
    #[test]
    fn what_an_engine_has_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let [sign, mark] = ["sign", "mark"].map(|name| folder.path().join(name));
        let helper = format!(
            "(while [ ! -e \"{}\" ]; do sleep 0.05; done; touch \"{}\") > /dev/null &",
            sign.display(),
            mark.display()
        );
        for cases in ["", "go*) exit 3;;"] {
            let mut client = engine(&helper, cases);
            if !cases.is_empty() {
                let answer = client.play("position startpos", &TurnBudget::default(), &READY.into());
                assert!(matches!(answer, Err(ClientError::Ended(_))), "{answer:?}");
            }
            drop(client);
        }
        std::fs::write(sign, "").unwrap();
        thread::sleep(Duration::from_millis(500));
        assert!(!mark.exists());
    }
}

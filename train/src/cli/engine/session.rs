//! The dialogue between a match runner and the engine.

use std::io;
use std::thread::Scope;
use std::time::Instant;

use anyhow::{Context, Result};
use gipf_env::{Player, Setup};
use gipf_play::Stop;
use gipf_play::ugi::{Beginning, Command, CommandError, Go, LONGEST_LINE, NO_MOVE, Query, SHOWN, UgiGame, shortened};

use super::guarded::guarded;
use super::mind::Mind;
use super::options::Options;
use super::screen::Screen;
use super::thinking::{Task, Thinking};

/// An engine at work.
pub(super) struct Session<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    screen: &'env Screen<'env>,
    options: Options,
    course: UgiGame,
    /// Why the last `position` was refused: nothing is searched or said about the one before it.
    refused: Option<String>,
    /// `None` before it is needed, and while it thinks.
    mind: Option<Mind>,
    thinking: Option<Thinking<'scope>>,
}

/// The answer to commands that are not allowed during a search.
const BUSY: &str = "a search is running: expected stop, ponderhit, isready, query or quit";
/// The maximum number of ways to play a turn that `query legal` goes through.
const MOST_TURNS: usize = 20_000;

/// Whether the dialogue continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The next line is read.
    Listen,
    /// The dialogue is over.
    Leave,
}

impl<'scope, 'env> Session<'scope, 'env> {
    /// Returns an engine that is given the start of a game.
    pub fn new(scope: &'scope Scope<'scope, 'env>, screen: &'env Screen<'env>, options: Options) -> Self {
        let course = begun(&options.start());
        Self { scope, screen, options, course, refused: None, mind: None, thinking: None }
    }

    /// Answers a line.
    pub fn answer(&mut self, line: &str) -> Result<Then> {
        self.collect();
        match Command::parse(line) {
            Ok(Command::Quit) => return Ok(Then::Leave),
            Ok(command) => self.obey(command)?,
            Err(error) => self.reject(&error)?,
        }
        Ok(Then::Listen)
    }

    /// Answers a line that was too long to be read, given its first word.
    pub fn skip(&mut self, word: &str) -> Result<Then> {
        self.collect();
        let why = format!("a line of more than {LONGEST_LINE} bytes is skipped");
        match word {
            "position" => self.refuse_position(&why)?,
            "go" => self.refuse_search(&why)?,
            _ => self.screen.remark(&why)?,
        }
        Ok(Then::Listen)
    }

    /// Writes what is wrong with a line.
    fn reject(&mut self, error: &CommandError) -> io::Result<()> {
        if error.is_of_position() {
            return self.refuse_position(&error.to_string());
        }
        if error.is_of_go() {
            return self.refuse_search(&error.to_string());
        }
        self.screen.remark(&error.to_string())
    }

    /// Writes why no search begins. The sender of a `go` waits for an answer to it, unless a search is about to give one.
    fn refuse_search(&mut self, why: &str) -> io::Result<()> {
        self.screen.remark(why)?;
        self.await_stopped();
        if self.thinking.is_none() { self.pass() } else { Ok(()) }
    }

    /// Answers a `go` for which no search begins.
    fn pass(&self) -> io::Result<()> {
        self.screen.say(&format!("bestmove {NO_MOVE}"))
    }

    /// Writes that there is no position from now on, and why.
    fn refuse_position(&mut self, why: &str) -> io::Result<()> {
        self.refused = Some(why.to_owned());
        self.screen.remark(&format!("error: {why}"))
    }

    fn obey(&mut self, command: Command) -> Result<()> {
        if matches!(command, Command::SetOption { .. } | Command::NewGame | Command::Position { .. } | Command::Go(_)) {
            self.await_stopped();
        }
        let busy = self.thinking.is_some();
        match command {
            Command::Ugi => self.introduce()?,
            Command::IsReady => self.make_ready()?,
            Command::Stop => self.thinking.iter().for_each(Thinking::stop),
            Command::PonderHit => self.thinking.iter().for_each(Thinking::hit),
            Command::Query(query) => self.respond(query)?,
            Command::Position { .. } if busy => {
                self.screen.remark(BUSY)?;
                self.refused = Some("position: a search was running".to_owned());
            }
            Command::SetOption { .. } | Command::NewGame | Command::Go(_) if busy => self.screen.remark(BUSY)?,
            Command::SetOption { name, value } => {
                if let Err(error) = self.options.set(&name, &value) {
                    self.screen.remark(&format!("setoption: {error}"))?;
                }
            }
            Command::NewGame => self.begin_game(),
            Command::Position { start, moves } => match self.position(&start, &moves) {
                Ok(course) => (self.course, self.refused) = (course, None),
                Err(error) => self.refuse_position(&format!("position: {error:#}"))?,
            },
            Command::Go(go) => self.go(&go)?,
            Command::Nothing | Command::Quit => {}
        }
        Ok(())
    }

    fn introduce(&self) -> io::Result<()> {
        self.screen.say(concat!("id name gipf ", env!("CARGO_PKG_VERSION")))?;
        self.screen.say("id author the gipf contributors")?;
        self.options.lines().iter().try_for_each(|line| self.screen.say(line))?;
        self.screen.say("ugiok")
    }

    /// Takes the agent back from a search that has answered.
    fn collect(&mut self) {
        if self.thinking.as_ref().is_some_and(Thinking::has_answered) {
            self.mind = self.thinking.take().and_then(Thinking::into_mind);
        }
    }

    /// Waits for the answer of a search that was asked to stop: not every runner waits for it before its next command.
    fn await_stopped(&mut self) {
        if self.thinking.as_ref().is_some_and(Thinking::is_stopping) {
            self.mind = self.thinking.take().and_then(Thinking::into_mind);
        }
    }

    fn make_ready(&mut self) -> io::Result<()> {
        if self.thinking.is_none()
            && let Err(error) = self.build_mind()
        {
            self.screen.remark(&format!("{error:#}"))?;
        }
        self.screen.say("readyok")
    }

    /// Builds the agent, unless it was built for the rule set of the position.
    fn build_mind(&mut self) -> Result<()> {
        let (spec, seed) = (self.options.player(), self.options.seed);
        let position = self.course.position();
        if !self.mind.as_ref().is_some_and(|mind| mind.fits(&spec, position.variant(), seed)) {
            // An agent that was built for other settings must not play, even if building this one fails.
            self.mind = None;
            let mut mind = guarded(|| Mind::build(&spec, position.variant(), seed))??;
            mind.begin(position);
            self.mind = Some(mind);
        }
        Ok(())
    }

    fn begin_game(&mut self) {
        (self.course, self.refused) = (begun(&self.options.start()), None);
        if let Some(mind) = &mut self.mind {
            mind.begin(self.course.position());
        }
    }

    fn position(&self, start: &Beginning, moves: &[String]) -> Result<UgiGame> {
        let setup = match start {
            Beginning::Start => self.options.start(),
            Beginning::Text(text) => self.options.limited(text.parse::<Setup>()?),
        };
        anyhow::ensure!(UgiGame::is_told(setup.variant), "{} has no notation for turns", setup.variant);
        let mut course = UgiGame::new(&setup)?;
        for (number, text) in moves.iter().enumerate() {
            let shown: String = text.chars().take(80).collect();
            course.play_turn(text).with_context(|| format!("move {} `{shown}`", number + 1))?;
        }
        Ok(course)
    }

    fn respond(&self, query: Query) -> io::Result<()> {
        if self.has_no_position()? {
            return self.screen.say("response error");
        }
        let position = self.course.position();
        let truth = |truth: bool| truth.to_string();
        let answer = match query {
            Query::WhiteToMove => truth(position.to_move() == Player::White),
            Query::GameOver => truth(position.outcome().is_some()),
            Query::Outcome => match position.outcome().map(|outcome| outcome.winner) {
                None => "none",
                Some(None) => "draw",
                Some(Some(Player::White)) => "p1win",
                Some(Some(Player::Black)) => "p2win",
            }
            .to_owned(),
            Query::Position => self.course.position_text(),
            Query::Legal => match self.course.legal_turns(MOST_TURNS) {
                Some(turns) if turns.is_empty() => "none".to_owned(),
                Some(turns) => turns.join(" "),
                None => {
                    self.screen.remark(&format!("error: query: more than {MOST_TURNS} ways to play a turn"))?;
                    "error".to_owned()
                }
            },
        };
        self.screen.say(&format!("response {answer}"))
    }

    /// Returns whether the last position was refused, and says so.
    fn has_no_position(&self) -> io::Result<bool> {
        if let Some(why) = &self.refused {
            self.screen.remark(&format!("error: there is no position, since the last one was refused: {why}"))?;
        }
        Ok(self.refused.is_some())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if self.has_no_position()? {
            return self.pass();
        }
        let mut among = Vec::new();
        for text in &go.search_moves {
            match self.course.read(text) {
                Ok(actions) => among.push(actions),
                Err(why) => {
                    self.screen.remark(&format!("error: go: searchmoves `{}`: {why}", shortened(text, SHOWN)))?;
                    return self.pass();
                }
            }
        }
        // If the runner has not waited for `isready`, the agent is built in the time of the turn.
        let began = Instant::now();
        if let Err(error) = self.build_mind() {
            self.screen.remark(&format!("{error:#}"))?;
        }
        match self.mind.take() {
            Some(mind) => {
                let (turn, ponder) = (go.turn, go.ponder);
                let (lines, names_reply) = (self.options.multi_pv as usize, self.options.ponder);
                let (course, stop, hit, screen) = (self.course.clone(), Stop::default(), Stop::default(), self.screen);
                let task = Task { course, began, turn, ponder, among, lines, names_reply, stop, hit, screen };
                self.thinking = Some(Thinking::start(self.scope, task, mind));
                Ok(())
            }
            None => self.pass(),
        }
    }
}

/// However the dialogue ends, the search must end: the program waits for it.
impl Drop for Session<'_, '_> {
    fn drop(&mut self) {
        self.thinking.iter().for_each(Thinking::stop);
    }
}

fn begun(start: &Setup) -> UgiGame {
    UgiGame::new(start).expect("the start of a game is a valid position")
}

#[cfg(test)]
mod tests {
    use gipf_env::{Action, GipfPosition, Variant};
    use gipf_play::players::{Agent, AgentSpec, Choice, Fault, TurnLimits};

    use super::*;

    /// Fails whenever it is asked for a choice.
    struct Broken;

    impl Agent<GipfPosition> for Broken {
        fn begin(&mut self, _start: &GipfPosition, _opening: &[Action], _seed: u64) {}

        fn choose(&mut self, _position: &GipfPosition, _limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
            panic!("the mind\nis broken")
        }
    }

    /// Waits for the answer of a search, if one is running.
    fn finish(session: &mut Session<'_, '_>) {
        session.mind = session.thinking.take().and_then(Thinking::into_mind).or(session.mind.take());
    }

    #[test]
    fn a_search_that_fails_is_told_and_answered_and_the_next_one_plays() {
        let mut out = Vec::new();
        let screen = Screen::new(&mut out);
        std::thread::scope(|scope| {
            let (spec, variant, seed) = (AgentSpec::Greedy, Variant::STANDARD, 0);
            let mut session = Session::new(scope, &screen, Options::new(spec.clone(), variant, seed));
            session.mind = Some(Mind { spec, variant, seed, agent: Box::new(Broken) });
            for line in ["go", "go infinite"] {
                session.answer(line).unwrap();
                session.answer("stop").unwrap();
                finish(&mut session);
                session.answer("isready").unwrap();
            }
        });
        let shown = String::from_utf8(out).unwrap();
        let lines: Vec<_> = shown.lines().filter(|line| !line.starts_with("info depth")).collect();
        let told = lines[0].starts_with("info string a mistake") && lines[0].contains("session.rs:");
        assert!(told && lines[0].ends_with("the mind is broken"), "{shown}");
        assert_eq!(lines[1..3], ["bestmove 0000", "readyok"], "{shown}");
        assert!(lines[3].starts_with("bestmove ") && lines[3] != "bestmove 0000", "a fresh agent: {shown}");
        assert_eq!((lines[4], lines.len()), ("readyok", 5), "{shown}");
    }
}

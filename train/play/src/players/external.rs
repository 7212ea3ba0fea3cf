//! Other programs as agents, by the Universal Game Interface.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gipf_env::{Action, GipfPosition, Setup, Variant};

use super::{Agent, Choice, Contender, Fault, TurnBudget, TurnLimits};
use crate::ugi::{Client, ClientError, CommandLine, Patience, UgiGame, shortened, value_of_score};

/// The number of characters of an answer that a fault quotes: a program may answer anything, at any length.
const SHOWN: usize = 80;

/// The terms for a program.
#[derive(Clone, Debug)]
struct Terms {
    command: CommandLine,
    /// The time for a turn without a clock.
    time: Duration,
    /// The delay allowed for an answer.
    grace: Duration,
}

/// Idle processes.
type Idle = Arc<Mutex<Vec<Client>>>;

/// Why a program cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Turns could not be sent to it.
    #[error("{0} has no notation: expected another rule set, since turns are sent to programs in notation")]
    NoNotation(Variant),
    /// It cannot be started.
    #[error(transparent)]
    Start(ClientError),
    /// It does not behave like an engine.
    #[error("`{command}`: {cause}")]
    NoEngine {
        /// The program with its arguments.
        command: CommandLine,
        /// What it did instead.
        cause: ClientError,
    },
}

/// Starts a program once, to see that it is an engine, and returns it as a contender.
///
/// `time` is the time for each turn, `grace` how late an answer may be, to cover transmission, not thinking. With
/// clocks neither applies: the program gets the clocks, and all the time until its answer arrives is charged to it.
///
/// A finished agent leaves its process to the next one; all processes end with the contender and the last agent.
///
/// # Errors
/// If the program cannot be started or does not answer, or the rule set has no notation.
pub fn program(
    command: CommandLine,
    variant: Variant,
    time: Duration,
    grace: Duration,
) -> Result<Contender<GipfPosition>, ProgramError> {
    if !UgiGame::is_told(variant) {
        return Err(ProgramError::NoNotation(variant));
    }
    let client = Client::start(&command).map_err(|cause| match cause {
        ClientError::Start { .. } => ProgramError::Start(cause),
        cause => ProgramError::NoEngine { command: command.clone(), cause },
    })?;
    let idle = Arc::new(Mutex::new(vec![client]));
    let (name, terms) = (command.to_string(), Terms { command, time, grace });
    let build = move || Box::new(External::new(terms.clone(), Arc::clone(&idle))) as Box<dyn Agent<_>>;
    Ok(Contender { name, build: Box::new(build) })
}

/// An agent that is a process of a program.
///
/// A program that has failed loses the game and is restarted for the next one.
#[derive(Debug)]
pub struct External {
    terms: Terms,
    idle: Idle,
    client: Option<Client>,
    game: UgiGame,
    /// The rest of the turn in the program's answer.
    planned: VecDeque<Action>,
    /// Why the program cannot play the current game.
    fault: Option<Fault>,
}

impl Agent<GipfPosition> for External {
    fn begin(&mut self, start: &GipfPosition, opening: &[Action], seed: u64) {
        let setup = start.to_setup();
        self.game = course(&setup);
        self.planned.clear();
        for &action in opening {
            self.observe(action);
        }
        self.fault = self.make_ready(&setup, seed).err().map(|error| self.give_up(error.into()));
    }

    fn observe(&mut self, action: Action) {
        self.game.play(action).expect("only legal actions are played");
    }

    fn choose(&mut self, position: &GipfPosition, limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        let Terms { time, grace, .. } = self.terms;
        let own = TurnBudget { move_time: Some(time.max(Duration::from_millis(1))), ..TurnBudget::default() };
        let (turn, time) = limits.clocks.map_or((own, time + grace), |clocks| (clocks.turn, clocks.patience));
        self.answer(position, &turn, &Patience { time, stop: limits.stop.clone() })
    }
}

impl External {
    fn new(terms: Terms, idle: Idle) -> Self {
        let game = course(&Setup::start(Variant::STANDARD));
        Self { terms, idle, client: None, game, planned: VecDeque::new(), fault: None }
    }

    fn make_ready(&mut self, setup: &Setup, seed: u64) -> Result<(), ClientError> {
        if self.client.is_none() {
            let idle = lock(&self.idle).pop();
            self.client = Some(idle.map_or_else(|| Client::start(&self.terms.command), Ok)?);
        }
        let client = self.client.as_mut().expect("it was started above");
        client.set("Variant", &setup.variant.to_string())?;
        let limit = setup.placement_limit.unwrap_or(0).to_string();
        // Each program is sent the options that it offers; this one called it PlyLimit before 0.1.0.
        client.set("PlacementLimit", &limit)?;
        client.set("PlyLimit", &limit)?;
        // Other programs may accept smaller numbers only.
        client.set("Seed", &(seed >> 33).to_string())?;
        client.new_game()
    }

    /// Returns the next decision of the turn already answered, or asks the program.
    fn answer(
        &mut self,
        position: &GipfPosition,
        turn: &TurnBudget,
        patience: &Patience,
    ) -> Result<Choice<Action>, Fault> {
        debug_assert_eq!(position, self.game.position(), "every action is observed");
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        match self.planned.pop_front() {
            Some(action) => Ok(Choice::unsearched(action)),
            None => self.ask(turn, patience).map_err(|fault| self.give_up(fault)),
        }
    }

    /// Asks the program, and returns the first decision of its turn.
    fn ask(&mut self, turn: &TurnBudget, patience: &Patience) -> Result<Choice<Action>, Fault> {
        let command = self.game.command();
        let client = self.client.as_mut().ok_or_else(|| Fault::Crash("the program is gone".to_owned()))?;
        let (text, report) = client.play(&command, turn, patience)?;
        let actions = self
            .game
            .read(&text)
            .map_err(|error| Fault::IllegalMove(format!("`{}`: {error}", shortened(&text, SHOWN))))?;
        self.planned = actions.into();
        let action =
            self.planned.pop_front().ok_or_else(|| Fault::IllegalMove(format!("`{}`", shortened(&text, SHOWN))))?;
        let value = report.score.map(value_of_score);
        Ok(Choice { action, value, nodes: report.nodes, depth: report.depth })
    }

    /// Ends the program after a failure.
    fn give_up(&mut self, fault: Fault) -> Fault {
        self.client = None;
        self.fault = Some(fault.clone());
        fault
    }
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Silence { command, waited } => Self::Silence { command: command.into(), waited },
            ended => Self::Crash(ended.to_string()),
        }
    }
}

impl Drop for External {
    fn drop(&mut self) {
        lock(&self.idle).extend(self.client.take());
    }
}

fn course(setup: &Setup) -> UgiGame {
    UgiGame::new(setup).expect("a game starts from a valid position")
}

fn lock(idle: &Idle) -> MutexGuard<'_, Vec<Client>> {
    // A list stays valid even if a user of it panicked.
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

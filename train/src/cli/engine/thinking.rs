//! A search on a thread of its own, so that the engine keeps listening.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use gipf_env::Action;
use gipf_play::Stop;
use gipf_play::players::{Choice, Fault, TurnBudget, TurnLimits, Used};
use gipf_play::ugi::{NO_MOVE, UgiGame, score_of_value};

use super::guarded::guarded;
use super::mind::Mind;
use super::screen::Screen;

/// A search that is running.
pub(super) struct Thinking<'scope> {
    stop: Stop,
    answered: Arc<AtomicBool>,
    thread: ScopedJoinHandle<'scope, Option<Mind>>,
}

/// The task of a search.
pub(super) struct Task<'env> {
    pub course: UgiGame,
    pub go: TurnBudget,
    pub stop: Stop,
    pub screen: &'env Screen<'env>,
}

/// The interval at which a finished search checks whether it may answer; it is woken as well.
const NAP: Duration = Duration::from_millis(20);

impl<'scope> Thinking<'scope> {
    /// Lets an agent think.
    pub fn start<'env>(scope: &'scope Scope<'scope, 'env>, task: Task<'env>, mut mind: Mind) -> Self {
        let (stop, answered) = (task.stop.clone(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&answered);
        let thread = scope.spawn(move || {
            let mut search = TurnSearch::new(&task);
            let found = guarded(|| search.decide(&mut mind));
            let (best, mind) = match found {
                Ok(best) => (best, Some(mind)),
                Err(mistake) => {
                    // If nobody reads any longer, the engine is about to end.
                    let _ = task.screen.remark(&mistake.to_string());
                    (NO_MOVE.to_owned(), None)
                }
            };
            search.wait_if_asked_to();
            // The next command may arrive once the answer is written. If nobody reads any more, the engine is about to
            // end.
            flag.store(true, Ordering::SeqCst);
            let _ = task.screen.say(&format!("bestmove {best}"));
            mind
        });
        Self { stop, answered, thread }
    }

    /// Asks for the answer.
    pub fn stop(&self) {
        self.stop.request();
        self.thread.thread().unpark();
    }

    /// Returns whether the answer was asked for.
    pub fn is_stopping(&self) -> bool {
        self.stop.requested()
    }

    /// Returns whether the answer is given, or just being given.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::SeqCst) || self.thread.is_finished()
    }

    /// Waits for the end, and returns the agent; none if it failed.
    pub fn into_mind(self) -> Option<Mind> {
        self.thread.join().ok().flatten()
    }
}

/// The decisions of one turn, one after the other.
struct TurnSearch<'a, 'env> {
    task: &'a Task<'env>,
    course: UgiGame,
    /// The decisions of the turn so far.
    decided: Vec<Action>,
    began: Instant,
    /// The positions that the earlier decisions have visited.
    nodes: u64,
}

impl<'a, 'env> TurnSearch<'a, 'env> {
    fn new(task: &'a Task<'env>) -> Self {
        Self { task, course: task.course.clone(), decided: Vec::new(), began: Instant::now(), nodes: 0 }
    }

    /// Returns the turn that the agent plays; the results are reported meanwhile.
    fn decide(&mut self, mind: &mut Mind) -> String {
        let turns = self.course.turns().len();
        let over = self.course.position().outcome().is_some();
        let (mut last, mut line) = (None, Vec::new());
        while !over && self.course.turns().len() == turns {
            let choice = self.choose(mind).expect("agents of this program do not fail");
            line = [&self.decided[..], &mind.agent.expected_line(self.course.position())].concat();
            self.play(choice);
            // A decision that was forced says nothing about the turn.
            last = last.filter(|_| choice.nodes == 0).or(Some(choice));
        }
        if let Some(choice) = last {
            let sum = Choice { nodes: self.nodes, ..choice };
            let line = if line.len() < self.decided.len() { &self.decided } else { &line };
            // If nobody reads any more, the engine is about to end.
            let _ = self.tell(&sum, line);
        }
        self.course.turns().get(turns).map_or(NO_MOVE, String::as_str).to_owned()
    }

    fn choose(&self, mind: &mut Mind) -> Result<Choice<Action>, Fault> {
        let mut tell = |choice: &Choice<Action>| {
            let so_far = Choice { nodes: self.nodes + choice.nodes, ..*choice };
            let line = [&self.decided[..], &[choice.action]].concat();
            // If nobody reads any more, the engine is about to end.
            let _ = self.tell(&so_far, &line);
        };
        mind.agent.choose_and_tell(self.course.position(), &self.limits(), &mut tell)
    }

    fn play(&mut self, choice: Choice<Action>) {
        self.course.play(choice.action).expect("agents choose legal actions");
        self.decided.push(choice.action);
        self.nodes += choice.nodes;
    }

    /// Returns the limits of the next decision.
    fn limits(&self) -> TurnLimits {
        let used = Used { time: self.began.elapsed(), nodes: self.nodes };
        self.task.go.for_decision(self.course.position().to_move(), used, &self.task.stop)
    }

    fn wait_if_asked_to(&self) {
        while self.task.go.infinite && !self.task.stop.requested() {
            thread::park_timeout(NAP);
        }
    }

    /// Writes an info line, with the turns that these actions make.
    fn tell(&self, choice: &Choice<Action>, line: &[Action]) -> io::Result<()> {
        let time = self.began.elapsed();
        let pace = choice.nodes as f64 / time.as_secs_f64().max(1e-6);
        let score = choice.value.map_or(String::new(), |value| format!(" score cp {}", score_of_value(value)));
        let turns = self.task.course.told(line);
        let line = if turns.is_empty() { String::new() } else { format!(" pv {}", turns.join(" ")) };
        let Choice { depth, nodes, .. } = choice;
        let (pace, time) = (pace as u64, time.as_millis());
        self.task.screen.say(&format!("info depth {depth}{score} nodes {nodes} nps {pace} time {time}{line}"))
    }
}

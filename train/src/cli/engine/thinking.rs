//! A search on its own thread, so that the engine keeps listening.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use gipf_env::Action;
use gipf_play::Stop;
use gipf_play::players::{Choice, Fault, TurnBudget, TurnLimits, Used, expected};
use gipf_play::ugi::{NO_MOVE, UgiGame, score_of_value};

use super::guarded::guarded;
use super::mind::Mind;
use super::screen::Screen;

/// A search that is running.
pub(super) struct Thinking<'scope> {
    stop: Stop,
    hit: Stop,
    answered: Arc<AtomicBool>,
    thread: ScopedJoinHandle<'scope, Option<Mind>>,
}

/// The task of a search.
pub(super) struct Task<'env> {
    pub course: UgiGame,
    /// When the search was asked for.
    pub began: Instant,
    /// The limits of the turn.
    pub turn: TurnBudget,
    /// Whether to think without limits first, until `hit`.
    pub ponder: bool,
    /// The turns to choose from; all if empty.
    pub among: Vec<Vec<Action>>,
    /// The number of turns to report.
    pub lines: usize,
    /// Whether the answer names the expected reply.
    pub names_reply: bool,
    /// Asks for the answer.
    pub stop: Stop,
    /// The opponent has played as expected, or the answer is asked for.
    pub hit: Stop,
    pub screen: &'env Screen<'env>,
}

/// The interval at which a finished search checks whether it may answer; it is also woken.
const NAP: Duration = Duration::from_millis(20);
/// The nodes of the first round of an endless search that reports several turns; each round has twice as many.
const ROUND: u64 = 256;
const MOST_OF_ROUND: u64 = 1 << 20;

impl<'scope> Thinking<'scope> {
    /// Lets an agent think.
    pub fn start<'env>(scope: &'scope Scope<'scope, 'env>, task: Task<'env>, mut mind: Mind) -> Self {
        let (stop, hit) = (task.stop.clone(), task.hit.clone());
        let answered = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&answered);
        let thread = scope.spawn(move || {
            let mut search = TurnSearch::new(&task);
            let found = guarded(|| {
                search.ponder(&mut mind);
                search.decide(&mut mind)
            });
            let (best, mind) = match found {
                Ok(best) => (best, Some(mind)),
                Err(mistake) => {
                    // If nobody reads any more, the engine is about to end.
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
        Self { stop, hit, answered, thread }
    }

    /// Asks for the answer.
    pub fn stop(&self) {
        self.stop.request();
        self.hit();
    }

    /// Lets a search in the opponent's time continue in its own time.
    pub fn hit(&self) {
        self.hit.request();
        self.thread.thread().unpark();
    }

    /// Returns whether the answer was asked for.
    pub fn is_stopping(&self) -> bool {
        self.stop.requested()
    }

    /// Returns whether the answer has been given, or is being given.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::SeqCst) || self.thread.is_finished()
    }

    /// Waits for the end, and returns the agent; `None` if it failed.
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
        Self { task, course: task.course.clone(), decided: Vec::new(), began: task.began, nodes: 0 }
    }

    /// Thinks in the opponent's time; what is found is in the agent's memory when its own time begins.
    fn ponder(&mut self, mind: &mut Mind) {
        if !self.task.ponder {
            return;
        }
        if self.course.position().outcome().is_none() {
            let limits = TurnLimits { lifted: true, ..TurnLimits::until(&self.task.hit) };
            let mut tell = |choice: &Choice<Action>| {
                // If nobody reads any more, the engine is about to end.
                let _ = self.tell(choice, &[choice.action], None);
            };
            let _found = mind.agent.choose_and_tell(self.course.position(), &limits, &mut tell);
        }
        self.wait_for_hit();
        self.began = Instant::now();
    }

    fn wait_for_hit(&self) {
        while self.task.ponder && !self.task.hit.requested() {
            thread::park_timeout(NAP);
        }
    }

    /// Returns the turn that the agent plays, with the reply that it expects if that is asked for; reports results
    /// meanwhile.
    fn decide(&mut self, mind: &mut Mind) -> String {
        let line = if self.task.among.is_empty() { self.decide_freely(mind) } else { self.decide_among(mind) };
        let turns = self.task.course.told(&line);
        let best = turns.first().map_or(NO_MOVE, String::as_str);
        match turns.get(1) {
            Some(reply) if self.task.names_reply => format!("{best} ponder {reply}"),
            _ => best.to_owned(),
        }
    }

    /// Returns the decisions of the turn, and those expected after it.
    fn decide_freely(&mut self, mind: &mut Mind) -> Vec<Action> {
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
        if !line.starts_with(&self.decided) {
            line.clone_from(&self.decided);
        }
        if let Some(choice) = last.filter(|_| self.task.lines == 1) {
            let sum = Choice { nodes: self.nodes, ..choice };
            // If nobody reads any more, the engine is about to end.
            let _ = self.tell(&sum, &line, None);
        }
        line
    }

    fn choose(&self, mind: &mut Mind) -> Result<Choice<Action>, Fault> {
        if self.task.lines > 1 {
            return self.choose_of_several(mind);
        }
        let mut tell = |choice: &Choice<Action>| {
            let so_far = Choice { nodes: self.nodes + choice.nodes, ..*choice };
            let line = [&self.decided[..], &[choice.action]].concat();
            // If nobody reads any more, the engine is about to end.
            let _ = self.tell(&so_far, &line, None);
        };
        mind.agent.choose_and_tell(self.course.position(), &self.limits(), &mut tell)
    }

    /// Chooses, and reports several actions; without a limit, repeats this with more nodes each time.
    fn choose_of_several(&self, mind: &mut Mind) -> Result<Choice<Action>, Fault> {
        let (mut nodes, mut visited) = (ROUND, 0);
        loop {
            let all = self.limits();
            let limits = if self.task.turn.infinite { TurnLimits { nodes: Some(nodes), ..all } } else { all };
            let found = mind.agent.consider(self.course.position(), &limits, self.task.lines)?;
            visited += found.choice.nodes;
            for (number, candidate) in (1..).zip(&found.candidates) {
                let nodes = self.nodes + visited;
                let choice = Choice { action: candidate.action, value: candidate.value, nodes, ..found.choice };
                let line = [&self.decided[..], &candidate.line].concat();
                // If nobody reads any more, the engine is about to end.
                let _ = self.tell(&choice, &line, Some(number));
            }
            // A search that used less than its limit has found all that it can.
            let is_done = found.choice.nodes < nodes / 2;
            if !self.task.turn.infinite || self.task.stop.requested() || is_done {
                return Ok(Choice { nodes: visited, ..found.choice });
            }
            nodes = (2 * nodes).min(MOST_OF_ROUND);
        }
    }

    /// Chooses among the turns of `searchmoves`: the position after each is searched with an equal part of the limits.
    fn decide_among(&mut self, mind: &mut Mind) -> Vec<Action> {
        let mut nodes = ROUND;
        let mut before: Option<Vec<Action>> = None;
        loop {
            let all = self.limits();
            let looks = self.task.among.iter().map(|turn| self.look_after(mind, turn, &all, nodes));
            let mut found: Vec<_> = looks.collect();
            // A round that was cut short by a stop cannot be compared with a complete one.
            if let Some(line) = before.filter(|_| self.task.stop.requested()) {
                return line;
            }
            self.rank(mind, &mut found);
            let visited = found.iter().map(|(choice, _)| choice.nodes).sum::<u64>();
            self.nodes += visited;
            for (number, (choice, line)) in (1..).zip(&found).take(self.task.lines) {
                let number = (self.task.lines > 1).then_some(number);
                // If nobody reads any more, the engine is about to end.
                let _ = self.tell(&Choice { nodes: self.nodes, ..*choice }, line, number);
            }
            let is_done = visited < nodes / 2;
            let best = found.into_iter().next().map_or_else(Vec::new, |(_, line)| line);
            if !self.task.turn.infinite || self.task.stop.requested() || is_done {
                return best;
            }
            before = Some(best);
            nodes = (2 * nodes).min(MOST_OF_ROUND);
        }
    }

    /// Sorts the turns of `searchmoves`, the best first. An agent that expects no results has a preference.
    fn rank(&self, mind: &mut Mind, found: &mut [(Choice<Action>, Vec<Action>)]) {
        if found.iter().any(|(choice, _)| choice.value.is_none()) {
            let preferred = mind.agent.prefer(self.task.course.position(), &self.task.among);
            found[..=preferred].rotate_right(1);
        } else {
            found.sort_by(|(a, _), (b, _)| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
        }
    }

    /// Returns the result expected for the player to move if a turn is played, and the line, which begins with that turn.
    fn look_after(
        &self,
        mind: &mut Mind,
        turn: &[Action],
        all: &TurnLimits,
        nodes: u64,
    ) -> (Choice<Action>, Vec<Action>) {
        let mut next = self.task.course.position().clone();
        for &action in turn {
            next.play(action).expect("the turn was read");
        }
        let parts = self.task.among.len() as u32;
        let nodes = all.nodes.map(|nodes| nodes.div_ceil(parts.into())).or(self.task.turn.infinite.then_some(nodes));
        let depth = all.depth.map(|depth| depth.saturating_sub(1).max(1));
        let time = all.time.map(|time| time / parts);
        let limits = TurnLimits { time, nodes, depth, sharing: parts, ..all.clone() };
        let found = expected(mind.agent.as_mut(), &next, &limits).expect("agents of this program do not fail");
        let value = found.value.map(|value| self.task.course.position().to_move().sign() * value);
        let choice = Choice { action: turn[0], value, nodes: found.nodes, depth: found.depth + 1 };
        (choice, [turn, &found.line].concat())
    }

    fn play(&mut self, choice: Choice<Action>) {
        self.course.play(choice.action).expect("agents choose legal actions");
        self.decided.push(choice.action);
        self.nodes += choice.nodes;
    }

    /// Returns the limits of the next decision.
    fn limits(&self) -> TurnLimits {
        let used = Used { time: self.began.elapsed(), nodes: self.nodes };
        self.task.turn.for_decision(self.course.position().to_move(), used, &self.task.stop)
    }

    fn wait_if_asked_to(&self) {
        self.wait_for_hit();
        while self.task.turn.infinite && !self.task.stop.requested() {
            thread::park_timeout(NAP);
        }
    }

    /// Writes an info line with the turns that these actions form, and its number if several are reported.
    fn tell(&self, choice: &Choice<Action>, line: &[Action], number: Option<usize>) -> io::Result<()> {
        let time = self.began.elapsed();
        let pace = choice.nodes as f64 / time.as_secs_f64().max(1e-6);
        let score = choice.value.map_or(String::new(), |value| format!(" score cp {}", score_of_value(value)));
        let turns = self.task.course.told(line);
        let line = if turns.is_empty() { String::new() } else { format!(" pv {}", turns.join(" ")) };
        let Choice { depth, nodes, .. } = choice;
        let number = number.map_or(String::new(), |number| format!(" multipv {number}"));
        let (pace, time) = (pace as u64, time.as_millis());
        self.task.screen.say(&format!("info depth {depth}{number}{score} nodes {nodes} nps {pace} time {time}{line}"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use gipf_env::{GipfPosition, Setup, Variant};
    use gipf_play::players::{Agent, AgentSpec};

    use super::*;

    fn task<'env>(screen: &'env Screen<'env>, setup: &Setup, among: &[&str]) -> Task<'env> {
        let course = UgiGame::new(setup).unwrap();
        let among = among.iter().map(|turn| course.read(turn).unwrap()).collect();
        let (turn, stop, hit) = (TurnBudget::default(), Stop::default(), Stop::default());
        let began = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        Task { course, began, turn, ponder: false, among, lines: 1, names_reply: false, stop, hit, screen }
    }

    fn mind(agent: Box<dyn Agent<GipfPosition>>) -> Mind {
        Mind { spec: AgentSpec::Greedy, variant: Variant::BASIC, seed: 0, agent }
    }

    #[test]
    fn only_a_turn_that_was_pondered_begins_with_the_hit() {
        let mut out = Vec::new();
        let screen = Screen::new(&mut out);
        for ponder in [false, true] {
            let task = Task { ponder, ..task(&screen, &Setup::start(Variant::BASIC), &[]) };
            task.hit.request();
            let mut search = TurnSearch::new(&task);
            search.ponder(&mut mind(Box::new(gipf_play::players::Greedy::default())));
            assert_eq!(search.began != task.began, ponder, "building the agent is part of the turn");
        }
    }

    #[test]
    fn agents_without_values_choose_among_the_named_turns_themselves() {
        let mut out = Vec::new();
        let screen = Screen::new(&mut out);
        let setup: Setup = "basic 4/5/6/1SSSs2/6/5/4 w 9 11 - 0 0".parse().unwrap();
        let captures = UgiGame::new(&setup).unwrap().legal_turns(1000).unwrap();
        let capture = captures.iter().find(|turn| turn.contains('x')).unwrap();
        let best = |spec: &AgentSpec, seed: u32, among: &[&str]| {
            let mut mind = Mind::build(spec, Variant::BASIC, seed).unwrap();
            mind.begin(UgiGame::new(&setup).unwrap().position());
            TurnSearch::new(&task(&screen, &setup, among)).decide(&mut mind)
        };
        let quiet: Vec<_> = captures.iter().filter(|turn| !turn.contains('x')).map(String::as_str).collect();
        for among in [[quiet[0], capture.as_str()], [capture.as_str(), quiet[0]]] {
            assert_eq!(best(&AgentSpec::Greedy, 1, &among), *capture);
        }
        let drawn = (0..20).map(|seed| best(&AgentSpec::Random, seed, &quiet[..2]));
        assert_eq!(drawn.collect::<std::collections::BTreeSet<_>>().len(), 2);
    }

    /// Keeps the number of searches that share its limits.
    struct Heard(Arc<Mutex<Vec<u32>>>);

    impl Agent<GipfPosition> for Heard {
        fn begin(&mut self, _start: &GipfPosition, _opening: &[Action], _seed: u64) {}

        fn choose(&mut self, position: &GipfPosition, limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
            self.0.lock().unwrap().push(limits.sharing);
            Ok(Choice::unsearched(position.action_set().nth(0).expect("the game is not over")))
        }
    }

    #[test]
    fn the_searches_after_named_turns_share_the_limits_of_the_agent() {
        let mut out = Vec::new();
        let screen = Screen::new(&mut out);
        let heard = Arc::default();
        for among in [&["b3", "d2", "c2"][..], &[]] {
            let task = task(&screen, &Setup::start(Variant::BASIC), among);
            TurnSearch::new(&task).decide(&mut mind(Box::new(Heard(Arc::clone(&heard)))));
        }
        assert_eq!(*heard.lock().unwrap(), [3, 3, 3, 0]);
    }
}

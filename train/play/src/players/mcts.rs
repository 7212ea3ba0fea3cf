//! The tree search with a network as an agent.

use std::time::Duration;

use gipf_env::{ActionIndex, Position, math};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::deadline::Deadline;
use super::{Agent, Candidate, Choice, Considered, Fault, TurnLimits};
use crate::search::{Budget, Evaluation, Evaluator, RootChild, Search, SearchConfig, SearchResult, search_shared};
use crate::{Instant, Stop};

/// The limits of the search for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thinking {
    /// A number of simulations.
    Simulations(u32),
    /// A time.
    Time(Duration),
    /// A number of simulations or a time, whichever is reached first.
    Both(u32, Duration),
    /// A number of simulations that makes a strength for people: limits of a turn can only lower it.
    Strength(u32),
}

impl Thinking {
    /// Returns the limits given by simulations and time; none if there is neither.
    pub fn of(simulations: Option<u32>, time: Option<Duration>) -> Option<Self> {
        match (simulations, time) {
            (None, None) => None,
            (Some(simulations), None) => Some(Self::Simulations(simulations)),
            (None, Some(time)) => Some(Self::Time(time)),
            (Some(simulations), Some(time)) => Some(Self::Both(simulations, time)),
        }
    }

    /// Returns the number of simulations, if it is limited.
    pub const fn simulations(self) -> Option<u32> {
        match self {
            Self::Simulations(simulations) | Self::Both(simulations, _) | Self::Strength(simulations) => {
                Some(simulations)
            }
            Self::Time(_) => None,
        }
    }

    /// Returns the time, if it is limited.
    pub const fn time(self) -> Option<Duration> {
        match self {
            Self::Time(time) | Self::Both(_, time) => Some(time),
            Self::Simulations(_) | Self::Strength(_) => None,
        }
    }

    /// Returns these limits divided by a number.
    fn part(self, parts: u32) -> Self {
        match self {
            Self::Simulations(simulations) => Self::Simulations(simulations.div_ceil(parts)),
            Self::Time(time) => Self::Time(time / parts),
            Self::Both(simulations, time) => Self::Both(simulations.div_ceil(parts), time / parts),
            Self::Strength(simulations) => Self::Strength(simulations.div_ceil(parts)),
        }
    }

    /// Returns the player's own simulations as far as they hold within these turn limits, and the time of the decision.
    /// If the player has both limits, a turn limit replaces the one of its kind; a single one gives way to either kind,
    /// but a strength to none.
    fn within(self, limits: &TurnLimits) -> (Option<u32>, Option<Duration>) {
        let is_limited = limits.nodes.is_some() || limits.time.is_some();
        let own = match self.part(limits.parts()) {
            _ if limits.lifted => (None, None),
            Self::Strength(simulations) => (Some(at_most(simulations, limits)), None),
            Self::Both(simulations, time) => (limits.nodes.is_none().then_some(simulations), Some(time)),
            _ if is_limited => (None, None),
            single => (single.simulations(), single.time()),
        };
        (own.0, limits.time.or(own.1))
    }
}

/// Returns this number of simulations, or as few as the turn limits leave.
fn at_most(simulations: u32, limits: &TurnLimits) -> u32 {
    limits.nodes.map_or(simulations, |nodes| nodes.min(simulations.into()) as u32)
}

/// Plays the best action of the search, without noise.
pub struct Mcts<P: Position, E> {
    search: Search<P>,
    /// One for each thread.
    evaluators: Vec<E>,
    /// The simulations under way at once on each thread.
    leaves: usize,
    thinking: Thinking,
    temperature: f32,
    rng: ChaCha8Rng,
    evaluation: [Evaluation; 1],
    /// Simulations per second, as measured so far, for searches that need to know their length beforehand.
    pace: f64,
    deadline: Deadline,
    /// The line that the last search expects.
    line: Vec<P::Action>,
}

/// Simulations that measure the pace before the first decision under a time limit, and the first round of an endless
/// search.
const TRIAL: u32 = 32;
/// The most visits of a position beyond the player's own simulations: its tree, which is kept from search to search,
/// must not fill the memory. A visit takes 0.85 KB in standard.
const MOST: u32 = 1 << 21;
/// The visits that are carried over in a second, and the share of its time that a decision may spend on that.
const CARRIED: f64 = 6e5;
const CARRYING: f64 = 0.25;
/// The ratio of simulations planned to those that the pace promises: a search that is cut short in its last phase loses
/// nothing, one that ends early wastes time.
const PLANNED: f64 = 1.05;

impl<P: Position, E: Evaluator<P> + Send> Mcts<P, E> {
    /// Returns a player that searches with these settings.
    pub fn new(config: SearchConfig, evaluator: E, thinking: Thinking) -> Self {
        Self {
            search: Search::new(config),
            evaluators: vec![evaluator],
            leaves: 1,
            thinking,
            temperature: 0.0,
            rng: ChaCha8Rng::seed_from_u64(0),
            evaluation: [Evaluation::default()],
            pace: 0.0,
            deadline: Deadline::default(),
            line: Vec::new(),
        }
    }

    /// Returns the player with a temperature: above 0 it draws its actions with the search's policy to the power of 1 /
    /// temperature, instead of playing the best.
    pub fn with_temperature(self, temperature: f32) -> Self {
        Self { temperature, ..self }
    }

    /// Returns the player with one more thread for each of these evaluators: all threads search one tree
    /// ([`search_shared`]). What it plays then depends on their timing.
    pub fn with_threads(mut self, evaluators: impl IntoIterator<Item = E>) -> Self {
        self.evaluators.extend(evaluators);
        self
    }

    /// Returns the player with this many simulations under way at once on each thread, at least 1, evaluated as one
    /// batch.
    pub fn with_leaves(self, leaves: usize) -> Self {
        Self { leaves: leaves.max(1), ..self }
    }

    /// Drops the tree if it is that of this position. Asked about it again, the player then finds the same as in a first
    /// search, instead of continuing that one, and its tree does not grow from question to question.
    pub fn begin_anew_at(&mut self, position: &P) {
        if self.search.is_at(position) {
            self.search.forget();
        }
    }

    /// Searches a position and returns the result.
    ///
    /// # Panics
    /// If the game is over.
    pub fn think(&mut self, position: &P) -> SearchResult<P::Action> {
        self.think_within(position, &TurnLimits::default(), &mut |_| ())
    }

    /// Searches a position within limits for this decision, and returns the result; see [`TurnLimits`].
    ///
    /// The player's own limits hold only where neither time nor positions are limited; with [`Thinking::Both`], the
    /// limit of the other kind holds, and [`Thinking::Strength`] holds in any case, unless limits are lifted. A depth
    /// has no effect. Beyond its own simulations, the player searches a position up to 2²¹ visits, those kept from
    /// before included; then there is nothing more to search.
    ///
    /// # Panics
    /// If the game is over.
    pub fn think_within(
        &mut self,
        position: &P,
        limits: &TurnLimits,
        tell: &mut dyn FnMut(&Choice<P::Action>),
    ) -> SearchResult<P::Action> {
        let limits = limits.for_agent(self.thinking.time().is_some());
        let (own, time) = self.thinking.within(&limits);
        self.deadline.begin(time);
        self.search.copy_at_most(time.map_or(u32::MAX, |time| (CARRIED * CARRYING * time.as_secs_f64()) as u32));
        let most = own.unwrap_or_else(|| at_most(MOST.saturating_sub(self.search.visits_at(position)), &limits));
        self.evaluators.iter_mut().for_each(|evaluator| evaluator.prepare(most));
        let stop = &limits.stop;
        match time {
            Some(time) if self.search.config().method.has_phases() => {
                self.simulate_as_planned(position, time, most, stop)
            }
            None if own.is_none() && limits.nodes.is_none() => self.simulate_in_rounds(position, most, stop, tell),
            _ => self.simulate_until(position, most, stop),
        }
    }

    /// Searches with as many simulations as fit into the time, at most these; if there is no pace yet, a trial measures
    /// it, which is part of the search.
    fn simulate_as_planned(&mut self, position: &P, time: Duration, most: u32, stop: &Stop) -> SearchResult<P::Action> {
        let mut tried = 0;
        if self.pace == 0.0 {
            let trial = self.simulate_until(position, TRIAL.min(most), stop);
            tried = trial.simulations;
            if tried >= most {
                return trial;
            }
        }
        let planned = (self.pace * PLANNED * time.as_secs_f64()).max(1.0) as u32;
        let result = self.simulate_until(position, planned.min(most - tried), stop);
        SearchResult { simulations: tried + result.simulations, ..result }
    }

    fn simulate_until(&mut self, position: &P, simulations: u32, stop: &Stop) -> SearchResult<P::Action> {
        let began = Instant::now();
        self.search.start(position, Budget::quiet(simulations), &mut self.rng);
        let Self { search, evaluators, deadline, .. } = self;
        // Carrying over the tree of a long search takes a while.
        deadline.has_worked();
        let mut is_over = || stop.requested() || deadline.is_over();
        match evaluators.as_mut_slice() {
            [evaluator] if self.leaves == 1 => simulate(search, evaluator, &mut self.evaluation, &mut is_over),
            evaluators => search_shared(search, evaluators, self.leaves, &mut is_over),
        }
        let result = self.search.result();
        self.keep_pace(result.simulations, began.elapsed());
        result
    }

    /// Searches again and again, each time with as many simulations as in all rounds before, until the sum is reached
    /// or a stop is requested: sequential halving needs to know its end, which is unknown here; and each round has a
    /// result to report.
    fn simulate_in_rounds(
        &mut self,
        position: &P,
        most: u32,
        stop: &Stop,
        tell: &mut dyn FnMut(&Choice<P::Action>),
    ) -> SearchResult<P::Action> {
        let mut result = self.simulate_until(position, TRIAL.min(most), stop);
        let mut all = result.simulations;
        while all < most && result.proven.is_none() && !result.is_forced() && !stop.requested() {
            tell(&choice(&result, all));
            let round = self.simulate_until(position, all.max(TRIAL).min(most - all), stop);
            all += round.simulations;
            // With phases, an interrupted round has not visited all candidates equally.
            if !stop.requested() || round.proven.is_some() || !self.search.config().method.has_phases() {
                result = round;
            }
        }
        SearchResult { simulations: all, ..result }
    }

    /// A search that a proof cut short says nothing about the pace.
    fn keep_pace(&mut self, simulations: u32, time: Duration) {
        if simulations >= TRIAL / 2 {
            let pace = f64::from(simulations) / time.as_secs_f64().max(1e-6);
            self.pace = if self.pace == 0.0 { pace } else { f64::midpoint(self.pace, pace) };
        }
    }
}

impl<P: Position, E: Evaluator<P> + Send> Agent<P> for Mcts<P, E> {
    fn begin(&mut self, _start: &P, _opening: &[P::Action], seed: u64) {
        self.search.forget();
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, position: &P, limits: &TurnLimits) -> Result<Choice<P::Action>, Fault> {
        self.choose_and_tell(position, limits, &mut |_| ())
    }

    fn choose_and_tell(
        &mut self,
        position: &P,
        limits: &TurnLimits,
        tell: &mut dyn FnMut(&Choice<P::Action>),
    ) -> Result<Choice<P::Action>, Fault> {
        let result = self.think_within(position, limits, tell);
        Ok(self.choose_from(position, &result))
    }

    fn expected_line(&self, _position: &P) -> Vec<P::Action> {
        self.line.clone()
    }

    fn consider(&mut self, position: &P, limits: &TurnLimits, most: usize) -> Result<Considered<P::Action>, Fault> {
        let result = self.think_within(position, limits, &mut |_| ());
        let choice = self.choose_from(position, &result);
        Ok(Considered { choice, proven: result.proven, candidates: self.candidates(&result, most) })
    }
}

impl<P: Position, E> Mcts<P, E> {
    /// Returns the best actions of the last search ([`SearchResult::ranked`]). The value of each is that of the play after
    /// it, not the mean over everything that was tried, so that the values of two positions in a row can be compared.
    pub fn candidates(&self, result: &SearchResult<P::Action>, most: usize) -> Vec<Candidate<P::Action>> {
        let is_seen = |child: &&RootChild<P::Action>| child.action == result.action || child.all_visits() > 0;
        let all: u32 = result.children.iter().map(RootChild::all_visits).sum();
        let is_searched = result.children.len() > 1;
        let candidate = |child: &RootChild<P::Action>| Candidate {
            action: child.action,
            value: is_searched.then(|| child.expected()),
            share: is_searched.then(|| child.all_visits() as f32 / all.max(1) as f32),
            proven: child.proven,
            line: self.search.line_from(child.action),
        };
        result.ranked().into_iter().filter(is_seen).take(most.max(1)).map(candidate).collect()
    }

    /// Returns the choice for this search result: the best action, or with a temperature a random one.
    pub fn choose_from(&mut self, position: &P, result: &SearchResult<P::Action>) -> Choice<P::Action> {
        let chosen = choice(result, result.simulations);
        if self.temperature == 0.0 {
            self.line.clone_from(&result.principal_variation);
            return chosen;
        }
        let action = drawn(position, &result.policy, self.temperature, &mut self.rng);
        self.line = vec![action];
        Choice { action, ..chosen }
    }
}

/// Searches on this thread, one simulation after the other.
fn simulate<P: Position, E: Evaluator<P>>(
    search: &mut Search<P>,
    evaluator: &mut E,
    evaluation: &mut [Evaluation; 1],
    is_over: &mut dyn FnMut() -> bool,
) {
    while let Some(leaf) = search.gather() {
        evaluator.evaluate(std::slice::from_ref(leaf), evaluation);
        search.apply(&evaluation[0]);
        if is_over() {
            return;
        }
    }
}

/// Draws an action with a policy to the power of 1 / temperature.
fn drawn<P: Position>(
    position: &P,
    policy: &[(ActionIndex, f32)],
    temperature: f32,
    rng: &mut ChaCha8Rng,
) -> P::Action {
    let highest = policy.iter().map(|&(_, share)| share).fold(0.0, f32::max);
    let weight = |&(_, share): &(ActionIndex, f32)| math::pow(share / highest, 1.0 / temperature);
    let mut left = rng.random::<f32>() * policy.iter().map(weight).sum::<f32>();
    let mut drawn = policy[0].0;
    for action in policy.iter().filter(|action| weight(action) > 0.0) {
        drawn = action.0;
        left -= weight(action);
        if left < 0.0 {
            break;
        }
    }
    position.action_at(drawn).expect("a policy is over legal actions")
}

fn choice<A: Copy>(result: &SearchResult<A>, simulations: u32) -> Choice<A> {
    Choice {
        action: result.action,
        value: (!result.is_forced()).then(|| result.expected()),
        nodes: u64::from(simulations),
        depth: result.principal_variation.len() as u32,
    }
}

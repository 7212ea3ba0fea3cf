//! The baseline AI: alpha-beta search with iterative deepening.

mod captures;
mod depth;
mod evaluation;
mod limits;
mod ordering;
mod search;
mod selectivity;
mod settings;
mod spec;
mod strength;
mod table;
pub mod tuning;

use gipf_env::{Action, GipfPosition, Position, Variant, math};

pub use depth::Depth;
pub use evaluation::{
    Evaluation, EvaluationKind, Layout, PROVEN, PatternFileError, Patterns, Score, View, WIN, Weights, WeightsFileError,
};
pub use evaluation::{cover, packed, read_weights, read_weights_file, unpacked, weights_of};
pub use limits::{Limits, MAX_CAPTURES, MAX_DEPTH};
pub use search::Found;
use search::Search;
pub use selectivity::Selectivity;
pub use settings::{MAX_HASH, MAX_THREADS, Settings};
pub use spec::AlphaBetaSpec;
pub use strength::Strength;

use super::{Agent, Candidate, Choice, Considered, Fault, TurnLimits};
use crate::Stop;
use crate::search::{Proven, unproven};

/// The baseline AI.
#[derive(Debug)]
pub struct AlphaBeta {
    limits: Limits,
    search: Search,
    /// The size of the table with which a game begins, if it grows with the limits of a decision.
    least_bits: Option<u32>,
    /// The action chosen last, which begins the expected line.
    chosen: Option<Action>,
}

impl AlphaBeta {
    /// Creates the agent for games of a rule set.
    pub fn new(settings: impl Into<Settings>, variant: Variant) -> Self {
        let settings = settings.into();
        Self::of(&settings, Evaluation::of(settings.evaluation, variant))
    }

    /// Creates the agent with an evaluation. Unless a size of the table is set, it is what the limits can fill.
    fn of(settings: &Settings, evaluation: Evaluation) -> Self {
        let bits = table_bits(settings);
        let least_bits = settings.hash.is_none().then_some(bits);
        Self { least_bits, ..Self::with_evaluation(*settings, evaluation, bits) }
    }

    /// Creates the agent with its own evaluation and a transposition table of 2^`table_bits` positions, none for 0.
    pub fn with_evaluation(settings: impl Into<Settings>, evaluation: Evaluation, table_bits: u32) -> Self {
        let Settings { limits, selectivity, threads, .. } = settings.into();
        let search = Search::new(evaluation, selectivity, limits.captures, table_bits).on_threads(threads);
        Self { limits, search, least_bits: None, chosen: None }
    }

    /// Returns the limits of a decision, which the table then suits.
    fn limits_within(&mut self, limits: &TurnLimits) -> Limits {
        let own = self.limits.within(&limits.for_agent(self.heeds_clock()));
        let bits = bits_within(&own);
        if self.least_bits.is_some() && self.search.table_bits().is_some_and(|now| now < bits) {
            self.search.resize_table(bits);
        }
        own
    }

    /// Returns whether the agent uses the time that a clock gives it.
    fn heeds_clock(&self) -> bool {
        let fixed = self.limits.nodes.is_some() || self.limits.depth < MAX_DEPTH;
        self.limits.time.is_some() || !fixed
    }

    /// Searches a position, and returns the result.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(&mut self, position: &GipfPosition) -> Found {
        self.search_until(position, &Stop::default())
    }

    /// Searches a position until a stop is requested at the latest, and returns the result so far.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search_until(&mut self, position: &GipfPosition, stop: &Stop) -> Found {
        self.search.run(position, &self.limits, stop, &mut |_| ())
    }
}

impl Agent<GipfPosition> for AlphaBeta {
    fn begin(&mut self, _start: &GipfPosition, _opening: &[Action], seed: u64) {
        if let Some(bits) = self.least_bits {
            self.search.resize_table(bits);
        }
        self.search.new_game(seed);
    }

    fn choose(&mut self, position: &GipfPosition, limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        self.choose_and_tell(position, limits, &mut |_| ())
    }

    fn choose_and_tell(
        &mut self,
        position: &GipfPosition,
        limits: &TurnLimits,
        tell: &mut dyn FnMut(&Choice<Action>),
    ) -> Result<Choice<Action>, Fault> {
        let mut legal = position.legal_actions();
        let (first, second) = (legal.next(), legal.next());
        self.chosen = first;
        if let (Some(only), None) = (first, second) {
            return Ok(Choice::unsearched(only));
        }
        let own = self.limits_within(limits);
        let found = self.search.run(position, &own, &limits.stop, &mut |found| tell(&choice(found)));
        self.chosen = Some(found.action);
        Ok(choice(&found))
    }

    fn expected_line(&self, position: &GipfPosition) -> Vec<Action> {
        self.chosen.map_or_else(Vec::new, |chosen| self.search.line(position, chosen))
    }

    /// The best action takes half of the nodes and of the time, if others are asked for; each of those is the best that
    /// a search without the ones before it finds. Such a search looks less far ahead, so an action that it considers
    /// better than the one before is reported as equally good.
    fn consider(
        &mut self,
        position: &GipfPosition,
        limits: &TurnLimits,
        most: usize,
    ) -> Result<Considered<Action>, Fault> {
        let legal = position.legal_actions().count();
        if legal < 2 {
            let choice = self.choose(position, limits)?;
            return Ok(Considered::only(choice, self.expected_line(position)));
        }
        let own = self.limits_within(limits);
        let others = most.min(legal).saturating_sub(1);
        let first = if others > 0 { own.part(2) } else { own };
        let best = self.search.run(position, &first, &limits.stop, &mut |_| ());
        self.chosen = Some(best.action);
        // Each line is read before the next search, which overwrites it in the table.
        let (mut nodes, mut most) = (best.nodes, best.score);
        let mut candidates = vec![self.candidate(position, &best)];
        while candidates.len() <= others && !limits.stop.requested() {
            let barred: Vec<_> = candidates.iter().map(|candidate| candidate.action).collect();
            let part = own.part(2 * others as u32);
            let next = self.search.run_without(&barred, position, &part, &limits.stop);
            (nodes, most) = (nodes + next.nodes, most.min(next.score));
            candidates.push(self.candidate(position, &Found { score: most, ..next }));
        }
        let proven = candidates[0].proven;
        Ok(Considered { choice: Choice { nodes, ..choice(&best) }, proven, candidates })
    }
}

impl AlphaBeta {
    fn candidate(&self, position: &GipfPosition, found: &Found) -> Candidate<Action> {
        let proven = match found.score {
            score if score > PROVEN => Some(Proven::Win),
            score if score < -PROVEN => Some(Proven::Loss),
            _ => None,
        };
        let line = self.search.line(position, found.action);
        Candidate { action: found.action, value: Some(expected_result(found.score)), share: None, proven, line }
    }
}

fn choice(found: &Found) -> Choice<Action> {
    let value = Some(expected_result(found.score));
    Choice { action: found.action, value, nodes: found.nodes, depth: found.depth }
}

/// The size of an entry of the transposition table.
const ENTRY_BYTES: usize = 16;

/// The score at which the odds are e to one: the scale to which the weights of the patterns are fitted, close to that
/// of the terms.
pub const LOGIT: f32 = 120.0;

/// Returns the expected result of a score: 1 and -1 for proven scores only.
fn expected_result(score: Score) -> f32 {
    if score.abs() > PROVEN {
        return score.signum() as f32;
    }
    unproven(math::tanh(score as f32 / (2.0 * LOGIT)))
}

/// Returns the binary logarithm of the positions that the transposition table is to hold: those that fit into the memory
/// that the settings grant. A quick search does not fill a large table, and clearing it would take longer than the game.
fn table_bits(settings: &Settings) -> u32 {
    if let Some(megabytes) = settings.hash {
        return ((megabytes << 20) / ENTRY_BYTES).ilog2();
    }
    bits_within(&settings.limits)
}

/// Returns the same for a search within these limits.
fn bits_within(limits: &Limits) -> u32 {
    let by_depth = 8 + 2 * limits.depth.min(6);
    let by_nodes = limits.nodes.map_or(20, |nodes| nodes.max(1).ilog2() + 2);
    by_depth.min(by_nodes).clamp(10, 20)
}

impl Settings {
    /// Returns the settings without those that change nothing in play: a table of the usual size, and memory beyond the
    /// power of two that a table fills.
    pub(crate) fn essential(self) -> Self {
        let [own, usual] = [self, Self { hash: None, ..self }].map(|settings| table_bits(&settings));
        let megabytes = (ENTRY_BYTES << own) >> 20;
        Self { hash: self.hash.filter(|_| own != usual).map(|_| megabytes), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_suits_the_limits_of_a_decision_until_the_next_game() {
        let position = GipfPosition::start(Variant::BASIC);
        let lifted = TurnLimits { nodes: Some(1000), lifted: true, ..TurnLimits::default() };
        for (hash, usual, larger) in [(None, 10, 11), (Some(1), 16, 16)] {
            let settings = Settings { hash, ..Limits::depth(1).into() };
            for threads in [1, 2] {
                let mut agent = AlphaBeta::new(Settings { threads, ..settings }, Variant::BASIC);
                let mut bits_after = |limits: &TurnLimits| {
                    agent.choose(&position, limits).unwrap();
                    agent.search.table_bits()
                };
                assert_eq!(bits_after(&TurnLimits::default()), Some(usual));
                assert_eq!(bits_after(&lifted), Some(larger));
                assert_eq!(bits_after(&TurnLimits::default()), Some(larger), "what it holds is kept");
                agent.begin(&position, &[], 0);
                assert_eq!(agent.search.table_bits(), Some(usual));
            }
        }
    }
}

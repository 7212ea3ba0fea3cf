//! How fast a player with a network searches: positions from the middle of games, each searched anew.

use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::Engine;
use gipf_play::players::{Agent, CheckpointSpec, Mcts, Network, Thinking, TurnLimits};
use gipf_play::search::SearchResult;
use gipf_play::{NetEvaluator, Stop};
use serde::Serialize;

use super::{Measurement, Round, Stopwatch, in_rounds};

/// A network that searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its name.
    pub network: String,
    /// The rule set.
    pub variant: Variant,
    /// Positions of a round.
    pub positions: usize,
    /// What is spent on each position.
    #[serde(flatten)]
    pub effort: Effort,
    /// The threads that search the tree.
    pub search_threads: usize,
    /// The simulations under way at once on each thread.
    pub leaves: usize,
}

/// What is spent on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// This many simulations: every round is the same work, and its fingerprint stands for what was found.
    Simulations(u32),
    /// This many milliseconds: the rounds count the simulations that fit in.
    Milliseconds(u32),
}

/// The turns of a game between which positions are taken: the middle of most games.
const TURNS: [usize; 2] = [10, 40];
/// Simulations per decision in those games, and the temperature with which the decision is drawn.
const SIMULATIONS: u32 = 8;
const TEMPERATURE: f32 = 1.0;

impl Effort {
    const fn thinking(self) -> Thinking {
        match self {
            Self::Simulations(simulations) => Thinking::Simulations(simulations),
            Self::Milliseconds(milliseconds) => Thinking::Time(Duration::from_millis(milliseconds as u64)),
        }
    }
}

/// Searches the middle of as many games as the subject has positions, each position with an empty tree.
///
/// # Panics
/// If the engine is not for the rule set.
pub fn measure(subject: Subject, engine: &Arc<Engine>, rounds: usize, stop: &Stop) -> Measurement<Subject> {
    let positions = middles(subject.variant, engine, subject.positions);
    let spec =
        CheckpointSpec { threads: subject.search_threads, leaves: subject.leaves, ..spec(subject.effort.thinking()) };
    let rounds = in_rounds(1, rounds, || search_all(&positions, &mut spec.agent(engine.clone()), stop));
    // If several threads search one tree, what they find depends on their timing.
    let threads = subject.search_threads;
    match subject.effort {
        Effort::Simulations(_) if threads == 1 => Measurement::of(subject, threads, "simulations", &rounds),
        _ => Measurement::of_unequal(subject, threads, "simulations", &rounds),
    }
}

/// Returns how a network plays by default, with the cache that a long search has.
fn spec(thinking: Thinking) -> CheckpointSpec {
    CheckpointSpec { thinking, ..CheckpointSpec::new(Network::Pretrained) }
}

fn search_all(
    positions: &[GipfPosition],
    player: &mut Mcts<GipfPosition, NetEvaluator<'static>>,
    stop: &Stop,
) -> Round {
    let (mut watch, mut count, mut fingerprint) = (Stopwatch::default(), 0, 0_u64);
    let limits = TurnLimits { stop: stop.clone(), ..TurnLimits::default() };
    for position in positions {
        player.begin(position, &[], 0);
        let result = watch.run(|| player.think_within(position, &limits, &mut |_| ()));
        count += u64::from(result.simulations);
        fingerprint = fingerprint.wrapping_mul(3).wrapping_add(digest(&result));
    }
    watch.round(count, fingerprint)
}

/// Returns a number that stands for the visits and values that a search found.
fn digest<A>(result: &SearchResult<A>) -> u64 {
    let children = result.children.iter().map(|child| u64::from(child.visits) << 32 | u64::from(child.q.to_bits()));
    children.fold(u64::from(result.value.to_bits()), |sum, child| {
        sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ child
    })
}

/// Returns one position from each of this many games that the network plays against itself; the same ones for the
/// same weights.
fn middles(variant: Variant, engine: &Arc<Engine>, count: usize) -> Vec<GipfPosition> {
    let mut player = spec(Thinking::Simulations(SIMULATIONS)).agent(engine.clone()).with_temperature(TEMPERATURE);
    let start = GipfPosition::start(variant);
    let mut seeds = 0..;
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let seed = seeds.next().expect("there is always another seed");
        player.begin(&start, &[], seed);
        let turn = TURNS[0] + seed as usize % (TURNS[1] - TURNS[0]);
        positions.extend(at_turn(&start, turn, &mut player));
    }
    positions
}

/// Plays a game up to this turn, and on to a decision between several actions; none if it ends before that.
fn at_turn(start: &GipfPosition, turn: usize, player: &mut impl Agent<GipfPosition>) -> Option<GipfPosition> {
    let mut position = start.clone();
    while position.turn() < turn || position.num_legal_actions() == 1 {
        let choice = player.choose(&position, &TurnLimits::default()).expect("the search always finds an action");
        position.play_unchecked(choice.action);
        if position.outcome().is_some() {
            return None;
        }
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use gipf_models::Weights;

    use super::super::positions::network;
    use super::*;

    #[test]
    fn simulations_and_turns_are_measured() {
        let config = network("line", Variant::STANDARD).unwrap();
        let engine = Arc::new(Engine::new(&Weights::initial(&config, 1), &config).unwrap());
        let measured = |effort, search_threads| {
            let subject = Subject {
                network: "line".to_owned(),
                variant: Variant::STANDARD,
                positions: 3,
                effort,
                search_threads,
                leaves: 1,
            };
            measure(subject, &engine, 4, &Stop::default())
        };
        for threads in [1, 2] {
            assert_eq!(measured(Effort::Simulations(20), threads).count, 60);
            assert!(measured(Effort::Milliseconds(2), threads).count > 3);
        }
    }
}

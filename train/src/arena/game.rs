//! One game between two agents.

use std::time::{Duration, Instant};

use gipf_env::{Outcome, Player, Position};

use crate::Stop;
use crate::players::Agent;

/// What is kept of a game. Pairs are indexed by colour, White first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// How it ended.
    pub outcome: Outcome,
    /// The number of turns played from the opening on.
    pub turns: u32,
    /// The turns of each player.
    pub own_turns: [u32; 2],
    /// The positions that each player looked at.
    pub nodes: [u64; 2],
    /// The time that each player took.
    pub time: [Duration; 2],
    /// A number that stands for the opening and the actions: equal games have equal ones.
    pub fingerprint: u64,
}

/// Plays a game from a position to its end, and returns what came of it; nothing if it was asked to stop.
///
/// Agents and seeds are indexed by colour, White first.
///
/// # Panics
/// If an agent chooses an illegal action.
pub fn play_game<P: Position>(
    opening: &P,
    agents: [&mut dyn Agent<P>; 2],
    seeds: [u64; 2],
    stop: &Stop,
) -> Option<GameRecord> {
    let [white, black] = agents;
    white.new_game(seeds[0]);
    black.new_game(seeds[1]);
    let mut position = opening.clone();
    let mut log = Log::new(opening);
    loop {
        if let Some(outcome) = position.outcome() {
            return Some(GameRecord { outcome, ..log.record });
        }
        if stop.requested() {
            return None;
        }
        let player = position.to_move();
        let agent: &mut dyn Agent<P> = if player == Player::White { &mut *white } else { &mut *black };
        let start = Instant::now();
        let choice = agent.choose(&position);
        let time = start.elapsed();
        log.add(&position, choice.nodes, time, position.action_index(choice.action).get() as u64);
        position.play(choice.action).expect("agents choose legal actions");
    }
}

/// The record as it grows.
struct Log {
    record: GameRecord,
    last: Option<(usize, Player)>,
}

impl Log {
    fn new<P: Position>(opening: &P) -> Self {
        let record = GameRecord {
            outcome: Outcome::draw(gipf_env::Reason::Limit),
            turns: 0,
            own_turns: [0; 2],
            nodes: [0; 2],
            time: [Duration::ZERO; 2],
            fingerprint: super::openings::key_of(opening),
        };
        Self { record, last: None }
    }

    fn add<P: Position>(&mut self, position: &P, nodes: u64, time: Duration, action: u64) {
        let (player, record) = (position.to_move(), &mut self.record);
        let this = Some((position.turn(), player));
        if self.last != this {
            record.own_turns[player.index()] += 1;
        }
        if self.last.is_none_or(|(turn, _)| turn != position.turn()) {
            record.turns += 1;
        }
        self.last = this;
        record.nodes[player.index()] += nodes;
        record.time[player.index()] += time;
        record.fingerprint = mix(record.fingerprint, action);
    }
}

/// Returns a number that depends on both in an irregular way (the finaliser of splitmix64).
pub(super) const fn mix(seed: u64, number: u64) -> u64 {
    let mut word = seed.rotate_left(32) ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

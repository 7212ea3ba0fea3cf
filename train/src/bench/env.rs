//! How fast the environment and the search are.

use std::hint::black_box;

use gipf_env::binary_planes::Packing;
use gipf_env::{
    ActionIndex, Env, EnvOptions, GipfPosition, Outputs, PackedOutputs, Position, ResetOptions, Variant, VecEnv,
};
use gipf_play::search::{Budget, Search, SearchConfig, UniformEvaluator, search_all};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{Measurement, Round, Stopwatch, in_rounds, timed};
use crate::perft::perft_in_parallel;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Decisions of random games on a bare position, each with the set of all legal actions.
    Decisions,
    /// The same, with the planes that a network reads.
    Planes,
    /// Steps of `Env`: checked action, planes, mask, reward, information.
    Env,
    /// Steps of `VecEnv`: the same for many games at once.
    VecEnv,
    /// The same with observations and masks in bytes.
    #[serde(rename = "vec-env-u8")]
    VecEnvBytes,
    /// The same with observations and masks in bits.
    VecEnvBits,
    /// Leaves of perft, counted at the last decision.
    Perft,
    /// Leaves of perft, each of which is played.
    PerftPlayed,
    /// Simulations of a tree search that plays games against itself, with equal priors and no network.
    Search,
}

impl Work {
    /// All of it.
    pub const ALL: [Self; 9] = [
        Self::Decisions,
        Self::Planes,
        Self::Env,
        Self::VecEnv,
        Self::VecEnvBytes,
        Self::VecEnvBits,
        Self::Perft,
        Self::PerftPlayed,
        Self::Search,
    ];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decisions => "decisions",
            Self::Planes => "planes",
            Self::Env => "env",
            Self::VecEnv => "vec-env",
            Self::VecEnvBytes => "vec-env-u8",
            Self::VecEnvBits => "vec-env-bits",
            Self::Perft => "perft",
            Self::PerftPlayed => "perft-played",
            Self::Search => "search",
        }
    }

    /// Returns whether it is spread over several threads.
    pub const fn scales(self) -> bool {
        matches!(self, Self::VecEnv | Self::VecEnvBytes | Self::VecEnvBits | Self::Perft)
    }

    /// Returns what is counted.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Decisions | Self::Planes => "decisions",
            Self::Env | Self::VecEnv | Self::VecEnvBytes | Self::VecEnvBits => "steps",
            Self::Perft | Self::PerftPlayed => "leaves",
            Self::Search => "simulations",
        }
    }
}

/// A piece of work, and the rule set for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The work.
    pub work: Work,
    /// The rule set.
    pub variant: Variant,
}

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// Decisions or steps of a round.
    pub decisions: u64,
    /// The depth of perft.
    pub depth: u32,
    /// The environments of `VecEnv`.
    pub environments: usize,
    /// The number of rounds, of which the median is reported.
    pub rounds: usize,
}

impl Default for Amount {
    fn default() -> Self {
        Self { decisions: 2_000_000, depth: 5, environments: 4096, rounds: 9 }
    }
}

/// Does the work round by round, on its own threads.
///
/// # Panics
/// If two rounds have different results, there are no rounds, the depth of perft is 0, or perft with every leaf
/// played finds another number of leaves than perft counted at the last decision.
pub fn measure(work: Work, variant: Variant, threads: usize, amount: &Amount) -> Measurement<Subject> {
    let mut job = Job::new(work, variant, amount);
    let rounds = in_rounds(threads, amount.rounds, || job.round());
    Measurement::of(Subject { work, variant }, threads, work.unit(), &rounds)
}

/// A piece of work with everything that it needs, prepared beforehand.
struct Job {
    work: Work,
    start: GipfPosition,
    amount: Amount,
    planes: Vec<f32>,
    env: Env,
    envs: Envs,
}

/// The environments of `VecEnv`, in the form of the work.
enum Envs {
    None,
    Floats(VecEnv),
    Packed(VecEnv<GipfPosition, PackedOutputs>),
}

impl Envs {
    fn of(work: Work, options: &EnvOptions, n: usize) -> Self {
        let reason = "a game can be played from its start";
        let packed = |packing| Self::Packed(VecEnv::packed(options, n, packing).expect(reason));
        match work {
            Work::VecEnv => Self::Floats(VecEnv::new(options, n).expect(reason)),
            Work::VecEnvBytes => packed(Packing::Bytes),
            Work::VecEnvBits => packed(Packing::Bits),
            _ => Self::None,
        }
    }
}

/// The seed of every round: all draw the same numbers.
const SEED: u64 = 1;
/// The simulations of one search.
const SIMULATIONS: u32 = 800;

impl Job {
    fn new(work: Work, variant: Variant, amount: &Amount) -> Self {
        let options = EnvOptions::new(variant);
        let start = GipfPosition::from_setup(&options.setup).expect("the start of a game is a valid position");
        Self {
            planes: vec![0.0; start.observation_layout().size()],
            env: Env::new(&options).expect("a game can be played from its start"),
            envs: Envs::of(work, &options, amount.environments),
            work,
            start,
            amount: *amount,
        }
    }

    fn round(&mut self) -> Round {
        match self.work {
            Work::Decisions => timed(|| self.decide(|_| ())),
            Work::Planes => timed(|| self.observe()),
            Work::Env => timed(|| self.step()),
            Work::VecEnv | Work::VecEnvBytes | Work::VecEnvBits => match &mut self.envs {
                Envs::None => unreachable!("they were made for this work"),
                Envs::Floats(envs) => step_many(envs, &self.amount, |outputs, game, mask| {
                    mask.copy_from_slice(outputs.action_masks.row(game).as_slice().expect("a row is contiguous"));
                }),
                Envs::Packed(envs) => step_many(envs, &self.amount, unpack_mask),
            },
            Work::Perft => timed(|| (perft_in_parallel(&self.start, self.amount.depth), 0)),
            Work::PerftPlayed => {
                let round = timed(|| (played(&self.start, self.amount.depth), 0));
                assert_eq!(round.count, perft_in_parallel(&self.start, self.amount.depth), "leaves played and counted");
                round
            }
            Work::Search => timed(|| self.search()),
        }
    }

    /// Plays at random, and shows each position with a decision.
    fn decide(&self, mut show: impl FnMut(&GipfPosition)) -> (u64, u64) {
        let mut rng = SmallRng::seed_from_u64(SEED);
        let mut position = self.start.clone();
        let mut fingerprint = 0_u64;
        for _ in 0..self.amount.decisions {
            let legal = position.action_set();
            let action = legal.nth(below(legal.len(), &mut rng)).expect("the game goes on");
            show(&position);
            position.play_unchecked(action);
            fingerprint = fingerprint.wrapping_mul(3).wrapping_add(u64::from(action.index().0));
            if position.outcome().is_some() {
                position.clone_from(&self.start);
            }
        }
        (self.amount.decisions, fingerprint)
    }

    /// Searches one decision after another of a game, with a twentieth as many simulations as other work has decisions.
    fn search(&self) -> (u64, u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut searches = [Search::new(SearchConfig::play())];
        let mut position = self.start.clone();
        let (mut count, mut fingerprint) = (0, 0_u64);
        while count < self.amount.decisions / 20 {
            searches[0].start(&position, Budget::quiet(SIMULATIONS), &mut rng);
            search_all(&mut searches, &mut UniformEvaluator);
            let result = searches[0].result();
            // None if the decision was forced: the game goes on to decisions that have some.
            count += u64::from(result.simulations);
            fingerprint = fingerprint.wrapping_mul(3).wrapping_add(u64::from(result.action.index().0));
            position.play_unchecked(result.action);
            if position.outcome().is_some() {
                position.clone_from(&self.start);
            }
        }
        (count, fingerprint)
    }

    fn observe(&mut self) -> (u64, u64) {
        let mut planes = std::mem::take(&mut self.planes);
        let result = self.decide(|position| {
            position.observe(&mut planes);
            black_box(&planes);
        });
        self.planes = planes;
        result
    }

    fn step(&mut self) -> (u64, u64) {
        let mut rng = SmallRng::seed_from_u64(SEED);
        self.env.reset(ResetOptions { seed: Some(SEED), opening_plies: None });
        let mut fingerprint = 0_u64;
        for _ in 0..self.amount.decisions {
            let legal = self.env.position().action_set();
            let action = legal.nth(below(legal.len(), &mut rng)).expect("the game goes on").index();
            let step = black_box(self.env.step(action).expect("the action is legal"));
            let over = step.terminated || step.truncated;
            fingerprint = fingerprint.wrapping_mul(3).wrapping_add(u64::from(action.0));
            if over {
                self.env.reset(ResetOptions::default());
            }
        }
        (self.amount.decisions, fingerprint)
    }
}

/// Only the steps are timed, not the choice of actions, for which `mask_of` writes the mask of a game.
fn step_many<O: Outputs<GipfPosition>>(
    envs: &mut VecEnv<GipfPosition, O>,
    amount: &Amount,
    mask_of: impl Fn(&O, usize, &mut [bool]),
) -> Round {
    let mut rng = SmallRng::seed_from_u64(SEED);
    envs.reset(ResetOptions { seed: Some(SEED), opening_plies: None });
    let mut watch = Stopwatch::default();
    let (mut count, mut fingerprint) = (0, 0_u64);
    let mut actions = vec![ActionIndex(0); amount.environments];
    let mut mask = vec![false; envs.position(0).num_actions()];
    while count < amount.decisions {
        for (game, action) in actions.iter_mut().enumerate() {
            mask_of(envs.outputs(), game, &mut mask);
            *action = any_legal(&mask, &mut rng);
            fingerprint = fingerprint.wrapping_mul(3).wrapping_add(u64::from(action.0));
        }
        watch.run(|| _ = black_box(envs.step(&actions).expect("the actions are legal")));
        count += actions.len() as u64;
    }
    watch.round(count, fingerprint)
}

fn unpack_mask(outputs: &PackedOutputs, game: usize, mask: &mut [bool]) {
    let packed = outputs.action_masks.row(game);
    for (action, legal) in mask.iter_mut().enumerate() {
        *legal = match outputs.packing {
            Packing::Bytes => packed[action] == 1,
            Packing::Bits => packed[action / 8] >> (action % 8) & 1 == 1,
        };
    }
}

/// Returns a number below a bound (Lemire, "Fast random integer generation in an interval", 2019, without its correction).
fn below(bound: usize, rng: &mut SmallRng) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

/// Returns the first legal action after a random place.
fn any_legal(mask: &[bool], rng: &mut SmallRng) -> ActionIndex {
    let from = rng.random_range(0..mask.len());
    let places = (from..mask.len()).chain(0..from);
    let place = places.into_iter().find(|&place| mask[place]).expect("the game goes on");
    ActionIndex(place as u16)
}

/// Returns the number of leaves of perft, with each leaf played as well as counted; the depth is at least 1.
fn played(position: &GipfPosition, depth: u32) -> u64 {
    let mut spare = vec![position.clone(); depth as usize];
    play_all(position, &mut spare)
}

fn play_all(position: &GipfPosition, spare: &mut [GipfPosition]) -> u64 {
    let (next, deeper) = spare.split_first_mut().expect("there is a position for each ply");
    let mut sum = 0;
    for action in position.legal_actions() {
        next.clone_from(position);
        next.play_unchecked(action);
        sum += if deeper.is_empty() { 1 } else { play_all(next, deeper) };
        black_box(&*next);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_done_and_counted() {
        let amount = Amount { decisions: 500, depth: 2, environments: 10, rounds: 3 };
        for work in Work::ALL {
            let measured = measure(work, Variant::STANDARD, 2, &amount);
            match measured.unit {
                "leaves" => assert_eq!(measured.count, 924, "{work:?}"),
                "simulations" => assert!((25..=25 + 800).contains(&measured.count), "{work:?}"),
                _ => assert_eq!(measured.count, 500, "{work:?}"),
            }
            assert!(measured.best >= measured.per_second && measured.per_second > 0.0);
        }
    }
}

//! What the work of a training costs.

use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Engine, NetConfig, NetKind, Precision};
use gipf_play::{EvaluationCounts, NetEvaluator, Stop};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::super::infer;
use super::super::positions::network;
use super::super::stopwatch::Stopwatch;
use crate::training::metrics::Work;
use crate::training::{
    Assignment, Config, Learner, LearnerError, PlayedGame, ReplayBuffer, ReplayConfig, SelfPlayConfig, play_games,
    samples,
};

/// The CPU seconds that each unit of work takes on a quiet machine.
///
/// Work that is spread over the cores costs its own time; other work costs the time of all cores, since the others wait:
///
/// ```text
/// cost = evaluations · e + decisions · d + (samples · s + student's samples · s') · cores / min(cores, shards)
///      + cores · (steps · t + engines · b)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// What the prices depend on.
    pub of: Priced,
    /// The cores that a training has.
    pub cores: usize,
    /// An evaluation of self-play, e, including its simulation.
    pub evaluation: f64,
    /// A decision of self-play, d, not including its simulations.
    pub decision: f64,
    /// The gradient of a sample, s.
    pub sample: f64,
    /// A sample of the student, s', with its share in moving the weights; 0 without a student.
    #[serde(default)]
    pub student_sample: f64,
    /// The serial part of a training step, t: drawing its batch and moving the weights.
    pub step: f64,
    /// An engine built from weights, b.
    pub engine: f64,
    /// One evaluation of the default network, 32 at once, measured at the same time: how fast the core was.
    pub yardstick: f64,
    /// The prices after a change of the network, its student or the batch in the course of the training, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<LaterPrices>,
}

/// The prices from a phase of a training on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaterPrices {
    /// The number of games of self-play after which they apply.
    pub after_games: u64,
    /// The prices.
    pub prices: Prices,
}

/// What prices depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priced {
    /// The rule set.
    pub variant: Variant,
    /// The network.
    pub network: NetKind,
    /// The student, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub student: Option<NetKind>,
    /// Samples of a training step.
    pub batch: usize,
    /// The number of parts of a batch whose gradients are computed in parallel.
    pub shards: usize,
}

/// The number of rounds, of which the fastest counts: other work on the machine can only slow it down.
const ROUNDS: usize = 7;
/// Games of a round.
const GAMES: u64 = 48;
/// Training steps of a round.
const STEPS: usize = 6;
/// Engines built in a round.
const ENGINES: usize = 8;

impl Priced {
    /// Returns what the prices of a training depend on at its beginning.
    pub fn of(config: &Config) -> Self {
        Self {
            variant: config.game.variant,
            network: config.network.0.clone(),
            student: None,
            batch: config.learning.batch_size,
            shards: config.learning.optimizer.gradient_shards,
        }
    }

    /// Returns what prices depend on, at the beginning of a training and at each later number of games at which they
    /// change, with the settings of that time.
    fn stages(config: &Config) -> Vec<(u64, Config, Self)> {
        let priced = |((games, settings), student): ((u64, Config), Option<NetKind>)| {
            let now = Self { student, ..Self::of(&settings) };
            (games, settings, now)
        };
        let mut stages: Vec<_> = config.stages().into_iter().zip(config.students()).map(priced).collect();
        // The first of those with equal prices stays.
        stages.dedup_by(|(.., later), (.., before)| later == before);
        stages
    }
}

impl Prices {
    /// Returns the cost of work in core-seconds.
    pub fn cost(&self, work: &Work) -> f64 {
        let [evaluations, decisions, samples, steps, engines] =
            [work.evaluations, work.decisions, work.samples, work.steps, work.engines].map(|count| count as f64);
        let idle = self.cores as f64 / self.cores.min(self.of.shards) as f64;
        let serial = steps * self.step + engines * self.engine;
        let learned = samples * self.sample + work.student_samples as f64 * self.student_sample;
        evaluations * self.evaluation + decisions * self.decision + learned * idle + self.cores as f64 * serial
    }

    /// Returns the prices that apply after this many games of self-play.
    pub fn after(&self, games: u64) -> &Self {
        self.later.iter().rfind(|later| later.after_games <= games).map_or(self, |later| &later.prices)
    }

    /// Returns whether these are the prices of a training with these settings.
    pub fn are_of(&self, config: &Config) -> bool {
        let later = self.later.iter().map(|later| (later.after_games, later.prices.of.clone()));
        let stages = Priced::stages(config).into_iter().map(|(games, _, priced)| (games, priced));
        std::iter::once((0, self.of.clone())).chain(later).eq(stages)
    }

    /// Measures the prices of a training on this many cores, for each network that it has. That takes some ten
    /// seconds of one core for each network; the fastest of several rounds counts.
    ///
    /// # Errors
    /// If there is no learner for the settings.
    pub fn measure(config: &Config, cores: usize) -> Result<Self, LearnerError> {
        let mut stages = Priced::stages(config).into_iter();
        let (_, beginning, priced) = stages.next().expect("a training has a beginning");
        let mut first = Self::measure_stage(&beginning, priced, cores)?;
        for (after_games, config, priced) in stages {
            first.later.push(LaterPrices { after_games, prices: Self::measure_stage(&config, priced, cores)? });
        }
        Ok(first)
    }

    fn measure_stage(config: &Config, priced: Priced, cores: usize) -> Result<Self, LearnerError> {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("the system gives a thread");
        one.install(|| {
            let start = config.game.start();
            let learner =
                |net: NetKind| Learner::new(&NetConfig::of(net, &start)?, &config.learning.optimizer, config.run.seed);
            let student = priced.student.clone().map(learner).transpose()?;
            let learners = (learner(priced.network.clone())?, student);
            let (mut best, mut fastest) = (Times::default(), 0.0_f64);
            for _ in 0..ROUNDS {
                best.take_faster(&round(config, &start, &learners)?);
                fastest = fastest.max(speed());
            }
            Ok(best.prices(priced, cores, 1.0 / fastest))
        })
    }
}

/// Returns how many evaluations of the default network a core currently makes per second.
fn speed() -> f64 {
    let (name, variant) = ("line", Variant::STANDARD);
    let subject = infer::Subject { network: name.to_owned(), variant, precision: Precision::Int8, batch: 32 };
    let config = network(name, variant).expect("the default network is known");
    infer::measure(subject, &config, 1).per_core
}

/// Work of one kind, and its shortest time.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    counts: [u64; 2],
    seconds: f64,
}

/// The times of all kinds of work.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Games with all simulations and with a quarter of them, in evaluations and decisions.
    games: [Timed; 2],
    /// Gradients alone, in samples.
    gradients: Timed,
    /// Whole training steps with their batches, in steps.
    steps: Timed,
    /// Training steps of the student, in samples.
    student: Timed,
    /// Engines.
    engines: Timed,
}

impl Times {
    fn take_faster(&mut self, other: &Self) {
        let [full, brief] = &mut self.games;
        let own = [full, brief, &mut self.gradients, &mut self.steps, &mut self.student, &mut self.engines];
        let others = [other.games[0], other.games[1], other.gradients, other.steps, other.student, other.engines];
        for (own, other) in own.into_iter().zip(others) {
            if own.seconds == 0.0 || other.seconds < own.seconds {
                *own = other;
            }
        }
    }

    fn prices(&self, of: Priced, cores: usize, yardstick: f64) -> Prices {
        let [evaluation, decision] = by_two(&self.games[0], &self.games[1]);
        let each = |timed: &Timed| timed.seconds / timed.counts[0].max(1) as f64;
        let sample = each(&self.gradients);
        let step = (each(&self.steps) - sample * of.batch as f64).max(0.0);
        let (engine, student_sample) = (each(&self.engines), each(&self.student));
        Prices { cores, evaluation, decision, sample, student_sample, step, engine, yardstick, of, later: Vec::new() }
    }
}

/// Returns the prices of an evaluation and of a decision that explain the times of games with many and with few
/// simulations; if noise makes one of them negative, evaluations alone explain the time of the games with many.
fn by_two(many: &Timed, few: &Timed) -> [f64; 2] {
    let [a, b] = many.counts.map(|count| count as f64);
    let [c, d] = few.counts.map(|count| count as f64);
    let determinant = a * d - b * c;
    let evaluation = (many.seconds * d - b * few.seconds) / determinant;
    let decision = (a * few.seconds - c * many.seconds) / determinant;
    if evaluation > 0.0 && decision >= 0.0 && determinant.abs() > 0.0 {
        [evaluation, decision]
    } else {
        [many.seconds / a.max(1.0), 0.0]
    }
}

fn round(
    config: &Config,
    start: &GipfPosition,
    (network, student): &(Learner, Option<Learner>),
) -> Result<Times, LearnerError> {
    let weights = network.weights();
    let (engines, engine) = timed(|| {
        for _ in 1..ENGINES {
            std::hint::black_box(Engine::new(&weights, network.net()).is_ok());
        }
        ([ENGINES as u64, 0], Engine::new(&weights, network.net()))
    });
    let engine = Arc::new(engine.expect("first weights give numbers"));
    let own = &config.self_play;
    let quarter = SelfPlayConfig {
        full_simulations: own.full_simulations.div_ceil(4),
        cheap_simulations: own.cheap_simulations.div_ceil(4),
        ..own.clone()
    };
    let (full, played) = play(config, own, start, &engine);
    let (brief, _) = play(config, &quarter, start, &engine);
    let mut replay = ReplayBuffer::new(ReplayConfig::default());
    replay.push(played.iter().flat_map(|game| samples(game, 0.0)).collect());
    let (gradients, steps) = learn(config, network, &replay)?;
    let student = student.as_ref().map_or(Ok(Timed::default()), |student| study(config, student, &replay))?;
    Ok(Times { games: [full, brief], gradients, steps, student, engines })
}

type Played = Vec<PlayedGame<GipfPosition>>;

fn play(config: &Config, own: &SelfPlayConfig, start: &GipfPosition, engine: &Arc<Engine>) -> (Timed, Played) {
    let games = GAMES.min(config.run.games);
    let assignment =
        Assignment { start, archive: &[], first_id: 0, games, seed: 1, config: own, search: &config.search };
    timed(|| {
        let counts = EvaluationCounts::default();
        let evaluator = || NetEvaluator::new(Arc::clone(engine)).with_cache(own.cache).counting(&counts);
        let games = play_games(&assignment, evaluator, &|_| (), &Stop::default());
        let decisions = games.iter().map(|game| game.decisions.len() as u64).sum();
        ([counts.asked() - counts.found(), decisions], games)
    })
}

/// Returns the times of gradients alone and of whole steps.
fn learn(
    config: &Config,
    learner: &Learner,
    replay: &ReplayBuffer<GipfPosition>,
) -> Result<(Timed, Timed), LearnerError> {
    let (batch, rng) = (config.learning.batch_size, &mut ChaCha8Rng::seed_from_u64(1));
    if replay.is_empty() {
        return Ok(Default::default());
    }
    let drawn = replay.draw(batch, 0.0, rng);
    let gradients = timed(|| {
        for _ in 0..STEPS {
            learner.gradient(&drawn);
        }
        ([(STEPS * batch) as u64, 0], ())
    });
    let mut learner = learner.clone();
    let steps = timed(|| {
        let mut step = || learner.train_step(&replay.draw(batch, 0.0, rng), 1e-3).map(drop);
        ([STEPS as u64, 0], (0..STEPS).try_for_each(|_| step()))
    });
    steps.1?;
    Ok((gradients.0, steps.0))
}

/// Returns the time of a student's steps on a batch that was drawn for the network.
fn study(config: &Config, student: &Learner, replay: &ReplayBuffer<GipfPosition>) -> Result<Timed, LearnerError> {
    let batch = config.learning.batch_size;
    if replay.is_empty() {
        return Ok(Timed::default());
    }
    let (drawn, mut student) = (replay.draw(batch, 0.0, &mut ChaCha8Rng::seed_from_u64(1)), student.clone());
    let (time, steps) = timed(|| {
        let mut step = || student.train_step(&drawn, 1e-3).map(drop);
        ([(STEPS * batch) as u64, 0], (0..STEPS).try_for_each(|_| step()))
    });
    steps.map(|()| time)
}

fn timed<T>(work: impl FnOnce() -> ([u64; 2], T)) -> (Timed, T) {
    let mut watch = Stopwatch::default();
    let (counts, result) = watch.run(work);
    (Timed { counts, seconds: watch.round(0, 0).core_time.max(Duration::from_nanos(1)).as_secs_f64() }, result)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::result::tests::assert_near;
    use super::*;

    /// Round prices, for tests of code that depends on them.
    pub fn prices(cores: usize) -> Prices {
        Prices {
            of: Priced::of(&Config::preset("smoke").unwrap()),
            cores,
            evaluation: 1e-6,
            decision: 1e-5,
            sample: 1e-4,
            student_sample: 1e-5,
            step: 1e-2,
            engine: 1e-1,
            yardstick: 1e-6,
            later: Vec::new(),
        }
    }

    #[test]
    fn a_network_that_grows_has_a_price_before_and_after() {
        let text = "[[phases]]\nafter_games = 40\nself_play.full_simulations = 9\n\
                    [[phases]]\nafter_games = 90\n[phases.network]\nmixing = [16, 16]";
        let config = Config::parse(text).unwrap();
        let grown = Priced::of(&config.at(90));
        assert_eq!(Priced::stages(&config).len(), 2, "longer searches have the prices of short ones");
        let later = LaterPrices { after_games: 90, prices: Prices { of: grown, evaluation: 3e-6, ..prices(1) } };
        let all = Prices { of: Priced::of(&config), later: vec![later], ..prices(1) };
        assert!(all.are_of(&config) && !all.are_of(&Config::default()));
        assert!(!Prices { later: Vec::new(), ..all.clone() }.are_of(&config));
        assert_eq!([0, 89, 90, 500].map(|games| all.after(games).evaluation), [1e-6, 1e-6, 3e-6, 3e-6]);
    }

    #[test]
    fn a_student_has_a_price_from_the_growth_on_that_made_it() {
        let text = "[run]\ngames = 8\n[[phases]]\nafter_games = 40\n[phases.network]\nmixing = [16, 16]\n\
                    [phases.learning.student]\nlearning_rate = 0.001";
        let config = Config::parse(text).unwrap();
        let prices = Prices::measure(&config, 1).unwrap();
        assert!(prices.are_of(&config) && !prices.are_of(&config.with("learning.student.learning_rate=0").unwrap()));
        assert_eq!(prices.after(40).of.student, Some(config.network.0));
        assert_eq!([0, 40].map(|games| prices.after(games).student_sample > 0.0), [false, true]);
    }

    #[test]
    fn serial_work_costs_all_cores_and_work_in_parts_the_cores_that_wait() {
        let work = Work {
            evaluations: 1_000_000,
            decisions: 10_000,
            samples: 1_000,
            steps: 10,
            engines: 2,
            ..Work::default()
        };
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        // 1 + 0.1 + 0.1 + 0.1 + 0.2 on one core; two shards leave two of four cores idle.
        near(prices(1).cost(&work), 1.5);
        near(prices(2).cost(&work), 1.2 + 2.0 * 0.3);
        near(prices(4).cost(&work), 1.1 + 0.1 * 2.0 + 4.0 * 0.3);
        near(prices(2).cost(&(work + work)), 2.0 * prices(2).cost(&work));
        // A student's samples: another 0.1.
        let taught = Work { student_samples: 10_000, ..work };
        near(prices(1).cost(&taught), 1.6);
        near(prices(4).cost(&taught), prices(4).cost(&work) + 0.1 * 2.0);
    }

    #[test]
    fn two_measurements_tell_evaluations_from_decisions() {
        let games = |evaluations: u64, decisions: u64| Timed {
            counts: [evaluations, decisions],
            seconds: evaluations as f64 * 2e-6 + decisions as f64 * 5e-6,
        };
        let [evaluation, decision] = by_two(&games(100_000, 4_000), &games(25_000, 4_100));
        assert!((evaluation - 2e-6).abs() < 1e-12 && (decision - 5e-6).abs() < 1e-12, "{evaluation} {decision}");
        let odd = Timed { seconds: 0.001, ..games(25_000, 4_000) };
        assert_eq!(by_two(&games(100_000, 4_000), &odd)[1], 0.0, "no price is negative");
    }

    #[test]
    fn prices_are_measured_and_survive_their_text() {
        let config = Config::preset("smoke").unwrap();
        let prices = Prices::measure(&config, 2).unwrap();
        let all = [prices.evaluation, prices.sample, prices.engine, prices.yardstick];
        // Small differences may vanish because of other work on the machine.
        assert!(all.iter().all(|price| *price > 0.0) && prices.decision.min(prices.step) >= 0.0, "{prices:?}");
        let text = serde_json::to_string(&prices).unwrap();
        assert_near(&serde_json::from_str::<Prices>(&text).unwrap(), &prices);
    }
}

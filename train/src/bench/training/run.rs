//! Training the seeds one after the other, and rating their checkpoints.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gipf_env::Variant;
use gipf_models::{Engine, read_regular};
use gipf_play::Stop;
use gipf_play::arena::Book;
use gipf_play::arena::ladder::{Enough, Head, Judging, Member, Store};
use gipf_play::players::{AgentSpec, CheckpointSpec, Network, Thinking};
use gipf_play::run::{METRICS, checkpoint_name};

use super::directory::{BenchDirectory, BenchError, Definition, LARGEST, RESULT};
use super::judges::Pool;
use super::marks::{Mark, costs, marks, reached};
use super::picture::picture;
use super::prices::Prices;
use super::result::{FORMAT, RatedCheckpoint, SeedResult, Summary, TrainingResult, VERSION};
use crate::training::metrics::{IterationMetrics, OpponentScore};
use crate::training::trainer::{
    Advance, CheckpointEval, Ended, NamedStart, Occasion, Reporter, Stage, TrainError, Trainer,
};
use crate::training::{Config, NewRun, Opponents, Remark, RunDirectory};

/// The size of a measurement; it may grow when a measurement is continued.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The seeds, trained in this order.
    pub seeds: Vec<u64>,
    /// The cost of each training, in core-seconds.
    pub core_seconds: f64,
    /// The games of each checkpoint against the judges (an even number).
    pub games: u64,
    /// Simulations per decision.
    pub simulations: u32,
    /// Milliseconds per decision of the last checkpoint of a seed; 0 for none.
    pub milliseconds: u32,
}

impl Size {
    /// Refuses a result that has more, and would be replaced; one that cannot be read is made anew.
    fn check_holds(&self, path: &Path) -> Result<(), BenchError> {
        let text = read_regular(path, LARGEST).unwrap_or_default();
        let Ok(result) = TrainingResult::parse(&text) else { return Ok(()) };
        let lost = result.seeds.iter().map(|found| found.seed).find(|seed| !self.seeds.contains(seed));
        let lost = lost.map(|seed| format!("seed {seed}")).or_else(|| {
            // Reading may round the last bit.
            let beyond = result.marks().into_iter().find(|mark| *mark > self.core_seconds * (1.0 + 1e-9))?;
            Some(format!("ratings at {beyond} core-seconds"))
        });
        lost.map_or(Ok(()), |what| Err(BenchError::Less(path.to_owned(), what)))
    }
}

/// Follows the progress of a measurement.
pub trait Observer {
    /// The judges are being made, which takes seconds.
    fn preparing(&mut self) {}

    /// This judge does not play as it did when it was rated.
    fn changed(&mut self, _judge: &str) {}

    /// The files of a seed's run were changed since they were written, but the measurement can go on.
    fn remark(&mut self, _run: &Path, _remark: &Remark) {}

    /// A seed has been trained up to an iteration.
    fn trained(&mut self, seed: u64, mark: &Mark);

    /// A checkpoint has been rated.
    fn rated(&mut self, seed: u64, checkpoint: &RatedCheckpoint);
}

/// A measurement of training in its directory.
pub struct TrainingBench {
    directory: BenchDirectory,
    definition: Definition,
    config: Config,
    size: Size,
    /// Created when the measurement runs.
    pool: OnceLock<Pool>,
    book: Book,
    program: String,
}

/// The result of some of the seeds, while others are still being trained.
const PARTIAL_RESULT: &str = "result.partial.json";

/// The Elo expected of the first checkpoint of a training, and how much more of one that thinks for a time.
const START: f64 = 1000.0;
const LONGER: f64 = 500.0;

impl TrainingBench {
    /// Begins a measurement in a new directory, or continues one with the same settings. The seed of the settings is
    /// ignored.
    ///
    /// # Errors
    /// If there are no judges for the rule set, other agents play in its games, or the directory holds anything else,
    /// or a result with more seeds or core-seconds.
    pub fn open(
        path: &Path,
        config: &Config,
        size: Size,
        prices: Option<Prices>,
        program: &str,
    ) -> Result<Self, BenchError> {
        let variant = config.game.variant;
        if !Pool::is_of(variant) {
            return Err(BenchError::NoJudges(variant.to_string()));
        }
        if !Opponents::of(config)?.is_empty() {
            return Err(BenchError::Opponent);
        }
        let mut config = config.clone();
        config.run.seed = 1;
        let (directory, definition) = BenchDirectory::open(path, &config, prices)?;
        size.check_holds(&directory.result())?;
        let book = Book::of(variant);
        Ok(Self { directory, definition, config, size, pool: OnceLock::new(), book, program: program.to_owned() })
    }

    /// Returns the prices that apply here.
    pub const fn prices(&self) -> &Prices {
        &self.definition.prices
    }

    /// Trains and rates what is still missing; none if a stop was requested: the same call then continues. The result
    /// is also written into the directory, with its picture.
    ///
    /// # Errors
    /// If a training fails, or a file cannot be written; what was done before is kept.
    pub fn run(&self, observer: &mut dyn Observer, stop: &Stop) -> Result<Option<TrainingResult>, BenchError> {
        observer.preparing();
        let Some(pool) = Pool::until(self.variant(), stop) else { return Ok(None) };
        pool.changed().for_each(|judge| observer.changed(&judge.member.id.name));
        let _ = self.pool.set(pool);
        let mut store = Store::open(&self.directory.games(), &Head::new(&self.book, 0))?;
        let mut seeds = Vec::new();
        for &seed in &self.size.seeds {
            let Some(marks) = self.train(seed, observer, stop)? else { return Ok(None) };
            seeds.push(SeedResult { seed, checkpoints: Vec::new() });
            for (number, mark) in marks.iter().enumerate() {
                let is_last = number + 1 == marks.len();
                let before = seeds.last().and_then(|found| found.checkpoints.last()).copied();
                let Some(found) = self.rate(seed, mark, is_last, before.as_ref(), &mut store, stop)? else {
                    return Ok(None);
                };
                observer.rated(seed, &found);
                seeds.last_mut().expect("the seed was added").checkpoints.push(found);
            }
            let is_whole = seeds.len() == self.size.seeds.len();
            self.write(&self.result(seeds.clone(), &store), is_whole)?;
        }
        Ok(Some(self.result(seeds, &store)))
    }

    /// Trains a seed until the last mark or its last iteration; none if a stop was requested.
    ///
    /// # Errors
    /// If its run has other settings, or a training fails.
    fn train(&self, seed: u64, observer: &mut dyn Observer, stop: &Stop) -> Result<Option<Vec<Mark>>, BenchError> {
        let path = self.directory.run(seed);
        let config = self.config.with(&format!("run.seed={seed}"))?;
        let start = |config: &Config| NamedStart::new(config.game.variant.to_string(), config.game.start());
        let mut trainer = if RunDirectory::is_run(&path) {
            Trainer::resume(&path, start)?
        } else {
            Trainer::create(&NewRun::new(&path, &config), start(&config))?
        };
        // A run goes on with the settings in its directory, which people may edit; the result states those of all seeds.
        if *trainer.config() != config {
            return Err(BenchError::Edited(path));
        }
        trainer.run().remarks().iter().for_each(|remark| observer.remark(&path, remark));
        let marks = marks(self.size.core_seconds);
        loop {
            let metrics = trainer.run().metrics().map_err(TrainError::from)?;
            let iteration = trainer.iterations();
            // The cost of an iteration is in its line.
            if !metrics.iter().map(|line| line.iteration).eq(1..=iteration) {
                let told = format!("expected a line for each of {iteration} iterations");
                return Err(BenchError::Damaged(path.join(METRICS), told));
            }
            let costs = costs(&metrics, self.prices());
            let cost = costs.last().copied().unwrap_or_default();
            observer.trained(seed, &Mark { mark: self.size.core_seconds, iteration, cost });
            if cost.core_seconds >= self.size.core_seconds || iteration >= self.config.run.iterations {
                return Ok(Some(reached(&marks, &costs)));
            }
            if trainer.iterate(&Unmeasured, &mut Silent, stop)? == Ended::Stopped {
                return Ok(None);
            }
        }
    }

    /// Rates a checkpoint; none if a stop was requested.
    fn rate(
        &self,
        seed: u64,
        mark: &Mark,
        is_last: bool,
        before: Option<&RatedCheckpoint>,
        store: &mut Store,
        stop: &Stop,
    ) -> Result<Option<RatedCheckpoint>, BenchError> {
        let start = before.and_then(|before| before.simulations.all).map_or(START, |rating| rating.elo);
        let mut rated = |thinking, start| -> Result<_, BenchError> {
            let player = self.player(seed, mark.iteration, thinking)?;
            let head = store.head().clone();
            let mut judging = Judging::new(&self.pool().judges, &self.book, &head, &self.program, store.series());
            let enough = Enough { margin: 0.0, pairs: self.size.games.div_ceil(2) as usize };
            let is_done = judging.play(&player, start, enough, |series, _| store.add(series), stop)?;
            Ok(Some(judging.ratings(&player)).filter(|_| is_done))
        };
        let Some(simulations) = rated(Thinking::Simulations(self.size.simulations), start)? else { return Ok(None) };
        let mut timed = None;
        if is_last && self.size.milliseconds > 0 {
            let start = simulations.all.map_or(START, |rating| rating.elo) + LONGER;
            let thinking = Thinking::Time(Duration::from_millis(self.size.milliseconds.into()));
            timed = rated(thinking, start)?;
            if timed.is_none() {
                return Ok(None);
            }
        }
        let Mark { mark, iteration, cost } = *mark;
        Ok(Some(RatedCheckpoint { mark, iteration, cost, simulations, timed }))
    }

    fn pool(&self) -> &Pool {
        self.pool.get().expect("it is made before anything is rated")
    }

    fn player(&self, seed: u64, iteration: u32, thinking: Thinking) -> Result<Member, BenchError> {
        let path = self.directory.run(seed).join(checkpoint_name(iteration));
        let spec = CheckpointSpec { thinking, ..CheckpointSpec::new(Network::File(path)) };
        Ok(Member::new(&AgentSpec::Checkpoint(spec), self.variant())?)
    }

    const fn variant(&self) -> Variant {
        self.config.game.variant
    }

    fn result(&self, seeds: Vec<SeedResult>, store: &Store) -> TrainingResult {
        TrainingResult {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: self.program.clone(),
            settings: self.definition.settings.clone(),
            iterations: self.config.run.iterations,
            prices: self.prices().clone(),
            judges: self.pool().name.to_owned(),
            games: self.size.games,
            simulations: self.size.simulations,
            milliseconds: self.size.milliseconds,
            judging_seconds: store.series().iter().flat_map(|series| series.seconds).sum(),
            seeds,
            summary: Summary::default(),
        }
        .summed()
    }

    /// Writes a result with its picture; a result of only some of the seeds does not replace a complete one.
    fn write(&self, result: &TrainingResult, is_whole: bool) -> Result<(), BenchError> {
        let text = serde_json::to_string_pretty(result).expect("results are plain values") + "\n";
        if !is_whole {
            return self.directory.write(PARTIAL_RESULT, &text);
        }
        self.directory.write(RESULT, &text)?;
        self.directory.remove(PARTIAL_RESULT);
        let title = format!("{}: Elo at {} simulations by what training cost", self.variant(), self.size.simulations);
        self.directory.write("curve.svg", &picture(&title, result, &[]))
    }
}

/// Measures nothing: the judges do that when a mark is reached.
struct Unmeasured;

impl CheckpointEval for Unmeasured {
    fn games(&self, _: Occasion<'_>) -> u64 {
        0
    }

    fn rate(&self, _: &Arc<Engine>, _: Occasion<'_>, _: &(dyn Fn(u64) + Sync), _: &Stop) -> Option<Vec<OpponentScore>> {
        Some(Vec::new())
    }
}

/// Reports nothing.
struct Silent;

impl Reporter for Silent {
    fn begin(&mut self, _: u32, _: Stage, _: u64) -> Advance {
        Box::new(|_| ())
    }

    fn complete(&mut self, _: &IterationMetrics) {}
}

//! The samples of a dataset in batches, read as they are needed.

use std::collections::VecDeque;
use std::path::Path;

use gipf_env::{GipfPosition, Learnable, Variant};
use gipf_models::Batch;
use gipf_play::Stop;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::replay::{is_needed, known_samples};
use super::{DataFile, DatasetError, DatasetReader, Row, parts};
use crate::training::{Sample, batch_under};

/// How a dataset is handed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchPlan {
    /// The samples of a batch; the last one of all may have fewer.
    pub batch: usize,
    /// Whether the order of the samples is drawn at random: that of the files, then each sample from a window.
    pub shuffle: bool,
    /// The samples from which one is drawn, or more: files are read when half of them are used up. They are kept in
    /// memory, about 600 bytes each.
    pub window: usize,
    /// Whether each sample is shown under a symmetry drawn at random.
    pub symmetries: bool,
    /// The share of the search's value in the value target, 0 to 1; the rest is the result of the game.
    pub value_mix: f32,
    /// The seed of the order and the symmetries.
    pub seed: u64,
    /// Which part of how many: the files are dealt out, each to one of them.
    pub part: (usize, usize),
}

/// The samples of a complete dataset in batches, each sample once. Files are read on all threads of the current rayon pool,
/// a few at a time; which samples come when does not depend on the number of threads.
///
/// ```
/// use gipf_play::Stop;
/// use gipf_train::dataset::{BatchPlan, SampleBatches};
/// # use gipf_env::{GipfPosition, Variant};
/// # use gipf_play::search::{SearchConfig, UniformEvaluator};
/// # use gipf_train::Existing;
/// # use gipf_train::dataset::{DatasetWriter, Plan, Provenance};
/// # use gipf_train::training::{Assignment, SelfPlayConfig, play_games, samples};
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("games");
/// # let (start, search) = (GipfPosition::start(Variant::BASIC), SearchConfig::self_play());
/// # let config = SelfPlayConfig { full_simulations: 4, full_share: 1.0, ..SelfPlayConfig::default() };
/// # let all = Assignment { start: &start, archive: &[], first_id: 0, games: 3, seed: 1, config: &config, search: &search };
/// # let games = play_games(&all, || UniformEvaluator, &|_: &_| (), &Stop::default());
/// # let mut writer = DatasetWriter::create(&folder, Plan::new("example", Provenance::of(Variant::BASIC, 1)), Existing::Refused)?;
/// # games.iter().try_for_each(|game| writer.write_game(game))?;
/// # writer.finish()?;
/// let plan = BatchPlan { batch: 32, ..BatchPlan::default() };
/// let mut found = 0;
/// for batch in SampleBatches::open(&folder, plan, Stop::default())? {
///     found += batch?.size;
/// }
/// # assert_eq!(found, games.iter().map(|game| samples(game, 0.0).len()).sum::<usize>());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SampleBatches {
    plan: BatchPlan,
    /// The files that are not read yet.
    files: VecDeque<DataFile>,
    /// The samples that were read.
    pool: Vec<Sample<GipfPosition>>,
    variant: Variant,
    rng: ChaCha8Rng,
    stop: Stop,
}

impl Default for BatchPlan {
    fn default() -> Self {
        Self { batch: 256, shuffle: true, window: 1 << 18, symmetries: true, value_mix: 0.0, seed: 0, part: (0, 1) }
    }
}

impl SampleBatches {
    /// Opens the complete dataset in a directory. When a stop is requested, files are read no further and the batches end.
    ///
    /// # Errors
    /// If there is no complete dataset, or its first file cannot be read.
    ///
    /// # Panics
    /// If a batch or the window has no sample, or the part is none of them.
    pub fn open(folder: &Path, plan: BatchPlan, stop: Stop) -> Result<Self, DatasetError> {
        let (part, of) = plan.part;
        assert!(plan.batch > 0 && plan.window > 0 && part < of, "{plan:?}");
        let mut files = parts(folder)?;
        let variant = DatasetReader::open(&files[0])?.provenance().variant;
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        if plan.shuffle {
            files.shuffle(&mut rng);
        }
        let files = files.into_iter().skip(part).step_by(of).collect();
        rng.set_stream(part as u64);
        Ok(Self { plan, files, pool: Vec::new(), variant, rng, stop })
    }

    /// Returns the rule set.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Draws the samples of a batch, fewer only where the dataset ends.
    fn draw(&mut self) -> Result<Vec<Sample<GipfPosition>>, DatasetError> {
        let mut drawn = Vec::with_capacity(self.plan.batch);
        while drawn.len() < self.plan.batch {
            if self.is_low() {
                self.read()?;
            }
            let sample = match self.pool.len() {
                0 => break,
                held if self.plan.shuffle => self.pool.swap_remove(self.rng.random_range(0..held)),
                held => self.pool.swap_remove(held - 1),
            };
            drawn.push(sample);
        }
        Ok(drawn)
    }

    /// Returns whether it is time to read files. In order, what is left of those before comes first.
    fn is_low(&self) -> bool {
        let least = if self.plan.shuffle { self.plan.window.div_ceil(2) } else { 1 };
        self.pool.len() < least && !self.files.is_empty()
    }

    /// Reads as many files as fill the window.
    fn read(&mut self) -> Result<(), DatasetError> {
        let (mut chosen, mut rows) = (Vec::new(), self.pool.len() as u64);
        while rows < self.plan.window as u64
            && let Some(file) = self.files.pop_front()
        {
            rows += file.rows().unwrap_or(0);
            chosen.push(file);
        }
        let (variant, stop) = (self.variant, &self.stop);
        let read = |file: &DataFile| samples_of(file, variant, stop);
        let found = chosen.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        self.pool.extend(found.into_iter().flatten());
        if !self.plan.shuffle {
            self.pool.reverse();
        }
        Ok(())
    }

    fn show(&mut self, drawn: &[Sample<GipfPosition>]) -> Batch {
        let symmetry = |sample: &&Sample<GipfPosition>| {
            if self.plan.symmetries { self.rng.random_range(0..sample.position.symmetries()) } else { 0 }
        };
        let drawn: Vec<_> = drawn.iter().collect();
        let symmetries: Vec<_> = drawn.iter().map(symmetry).collect();
        batch_under(&drawn[0].position, &drawn, self.plan.value_mix, &symmetries)
    }
}

impl Iterator for SampleBatches {
    type Item = Result<Batch, DatasetError>;

    /// Returns the next batch; nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        match self.draw() {
            Ok(_) if self.stop.requested() => None,
            Ok(drawn) if drawn.is_empty() => None,
            Ok(drawn) => Some(Ok(self.show(&drawn))),
            Err(error) => {
                self.files.clear();
                self.pool.clear();
                Some(Err(error))
            }
        }
    }
}

/// The games whose samples one thread makes at once.
const GAMES: usize = 16;

/// Returns the samples of a file, in the order of its rows.
fn samples_of(file: &DataFile, variant: Variant, stop: &Stop) -> Result<Vec<Sample<GipfPosition>>, DatasetError> {
    let reader = DatasetReader::open(file)?;
    let (path, found) = (file.path(), reader.provenance().variant);
    if found != variant {
        return Err(DatasetError::Variant { path: path.to_owned(), found, expected: variant });
    }
    if stop.requested() {
        return Ok(Vec::new());
    }
    let games = reader.games_with(is_needed).collect::<Result<Vec<_>, _>>()?;
    let of_game = |rows: Vec<Row>| {
        let known = known_samples(&rows).map_err(|source| DatasetError::Replay { path: path.to_owned(), source });
        match known? {
            (found, samples) if found == variant => Ok(samples),
            (found, _) => Err(DatasetError::Variant { path: path.to_owned(), found, expected: variant }),
        }
    };
    let samples = games.into_par_iter().with_min_len(GAMES).map(of_game).collect::<Result<Vec<_>, _>>()?;
    Ok(samples.into_iter().flatten().collect())
}

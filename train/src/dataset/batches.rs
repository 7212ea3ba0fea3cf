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

use super::decisions::Decisions;
use super::{DataFile, DatasetError, DatasetReader, parts};
use crate::training::{Sample, batch_under};

/// How a dataset is handed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchPlan {
    /// The number of samples in a batch; only the last batch may have fewer.
    pub batch: usize,
    /// Whether the order of the samples is drawn at random: that of the files, then that of the samples in a window.
    pub shuffle: bool,
    /// The number of decisions whose samples are shuffled together, rounded up to whole files: as many samples if all
    /// are searched in full. Samples are kept in memory, about 600 bytes each.
    pub window: usize,
    /// Whether each sample is shown under a symmetry drawn at random.
    pub symmetries: bool,
    /// The share of the search's value in the value target, 0 to 1; the rest is the result of the game.
    pub value_mix: f32,
    /// The seed of the order and the symmetries.
    pub seed: u64,
    /// Which part, of how many: each file belongs to one of the parts.
    pub part: (usize, usize),
}

/// The samples of a complete dataset in batches, each sample once. Files are read on all threads of the current rayon
/// pool, a few at a time; the order of the samples does not depend on the number of threads.
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
    /// The samples of the window, game by game as they were read: they are large, and moving them costs as much as
    /// reading them.
    window: Vec<Vec<Sample<GipfPosition>>>,
    /// For each sample that is still to be handed out, its game and its place in the game; the next one last.
    order: Vec<(u32, u32)>,
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
    /// Opens the complete dataset in a directory. If a stop is requested, no more files are read and the batches end.
    ///
    /// # Errors
    /// If there is no complete dataset, or its first file cannot be read.
    ///
    /// # Panics
    /// If the batch or the window has size 0, or there is no such part.
    pub fn open(folder: &Path, plan: BatchPlan, stop: Stop) -> Result<Self, DatasetError> {
        let (part, of) = plan.part;
        assert!(plan.batch > 0 && plan.window > 0 && part < of, "{plan:?}");
        let files = parts(folder)?;
        let variant = DatasetReader::open(&files[0])?.provenance().variant;
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        // Divided before they are shuffled: whatever the seeds of the parts, none reads a file of another one.
        let mut files: Vec<_> = files.into_iter().skip(part).step_by(of).collect();
        if plan.shuffle {
            files.shuffle(&mut rng);
        }
        rng.set_stream(part as u64);
        Ok(Self { plan, files: files.into(), window: Vec::new(), order: Vec::new(), variant, rng, stop })
    }

    /// Returns the rule set.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the places of the samples of a batch; there are fewer only at the end of the dataset.
    fn draw(&mut self) -> Result<Vec<(u32, u32)>, DatasetError> {
        while self.order.len() < self.plan.batch && !self.files.is_empty() {
            self.read()?;
        }
        let left = self.order.len().saturating_sub(self.plan.batch);
        Ok(self.order.drain(left..).rev().collect())
    }

    /// Reads as many files as fill the window, but at least one, behind the samples that are left of the previous window.
    fn read(&mut self) -> Result<(), DatasetError> {
        let left: Vec<_> = self.order.iter().rev().map(|&place| self.at(place).clone()).collect();
        let (mut chosen, mut rows) = (Vec::new(), left.len() as u64);
        while (rows < self.plan.window as u64 || chosen.is_empty())
            && let Some(file) = self.files.pop_front()
        {
            rows += file.rows().unwrap_or(0);
            chosen.push(file);
        }
        self.window = vec![left];
        let (variant, stop) = (self.variant, &self.stop);
        let read = |file: &DataFile| samples_of(file, variant, stop);
        let found = chosen.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        self.window.extend(found.into_iter().flatten());
        let places = |(game, samples): (u32, &Vec<_>)| (0..samples.len() as u32).map(move |place| (game, place));
        self.order = (0..).zip(&self.window).flat_map(places).collect();
        if self.plan.shuffle {
            self.order.shuffle(&mut self.rng);
        } else {
            self.order.reverse();
        }
        Ok(())
    }

    fn at(&self, (game, place): (u32, u32)) -> &Sample<GipfPosition> {
        &self.window[game as usize][place as usize]
    }

    fn show(&mut self, drawn: &[(u32, u32)]) -> Batch {
        let all = self.at(drawn[0]).position.symmetries();
        let symmetries: Vec<_> =
            drawn.iter().map(|_| if self.plan.symmetries { self.rng.random_range(0..all) } else { 0 }).collect();
        let drawn: Vec<_> = drawn.iter().map(|&place| self.at(place)).collect();
        batch_under(&drawn[0].position, &drawn, self.plan.value_mix, &symmetries)
    }
}

impl Iterator for SampleBatches {
    type Item = Result<Batch, DatasetError>;

    /// Returns the next batch; an error is the last item.
    fn next(&mut self) -> Option<Self::Item> {
        match self.draw() {
            Ok(_) if self.stop.requested() => None,
            Ok(drawn) if drawn.is_empty() => None,
            Ok(drawn) => Some(Ok(self.show(&drawn))),
            Err(error) => {
                self.files.clear();
                self.order.clear();
                Some(Err(error))
            }
        }
    }
}

/// Returns the samples of each game of a file, in the order of its rows.
fn samples_of(file: &DataFile, variant: Variant, stop: &Stop) -> Result<Vec<Vec<Sample<GipfPosition>>>, DatasetError> {
    let reader = DatasetReader::open(file)?;
    reader.expect(variant)?;
    if stop.requested() { Ok(Vec::new()) } else { Decisions::read(&reader)?.samples(file.path(), variant) }
}
